/* SPDX-License-Identifier: MIT */
#include <glib/gi18n.h>
#include <locale.h>
#include <signal.h>

#include "base/vt-error.h"
#include "base/vt-file-private.h"
#include "plugins/vt-plugin-host.h"
#include "run/vt-file-objects-op.h"
#include "window/vt-application.h"

/* The window opens without plugins that take long to be tried; they join it. */
static gboolean
waits_for_plugins(const char *names)
{
  return FALSE;
}

int
main(int argc, char **argv)
{
  vt_file_hold_standard();
  setlocale(LC_ALL, "");
  signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a failed write, with a sentence, not a death */
  vt_error_end_without_memory("vitrail");
  vt_file_ignore_relative_homes("vitrail");
  vt_plugin_host_set_slow(waits_for_plugins);
  vt_file_objects_op_offer();
  /* A tree that is not installed has its translations elsewhere. */
  const char *locale_dir = g_getenv("VITRAIL_LOCALE_DIR");
  bindtextdomain("vitrail", locale_dir ? locale_dir : VT_LOCALE_DIR);
  textdomain("vitrail");
  bind_textdomain_codeset("vitrail", "UTF-8");
  g_set_application_name("Vitrail");
  g_autoptr(VtApplication) application = vt_application_new();
  return g_application_run(G_APPLICATION(application), argc, argv);
}
