/* SPDX-License-Identifier: MIT */
#include <glib/gi18n.h>
#include <locale.h>

#include "vt-application.h"

int
main(int argc, char **argv)
{
  setlocale(LC_ALL, "");
  textdomain("vitrail");
  bind_textdomain_codeset("vitrail", "UTF-8");
  g_set_application_name("Vitrail");
  g_autoptr(VtApplication) application = vt_application_new();
  return g_application_run(G_APPLICATION(application), argc, argv);
}
