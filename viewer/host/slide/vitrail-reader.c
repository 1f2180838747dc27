/* SPDX-License-Identifier: MIT
 *
 * vitrail-reader: reads one slide for a program that started it (vt-reader-protocol.h). Of no use by hand. */
#include <unistd.h>

#include "base/vt-error.h"
#include "base/vt-helper.h"
#include "slide/vt-colour-table.h"
#include "slide/vt-reader-jail.h"
#include "slide/vt-reader-private.h"

/* What is wrong with the slide is in the answer, or in the end of this process. */
static GLogWriterOutput
drop(GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer user)
{
  return G_LOG_WRITER_HANDLED;
}

int
main(void)
{
  if (!vt_helper_begin("vitrail-reader is started by vitrail and vitrail-batch, which read slides through it."))
    return 2;
  g_log_set_writer_func(drop, NULL, NULL);
  vt_error_end_without_memory(NULL);
#ifdef HAVE_LCMS
  vt_slide_set_colour_table_maker(vt_colour_table_new);
#endif
  vt_reader_keep_memory();
  vt_reader_jail_enter();
  vt_helper_end_with_starter();
  vt_reader_serve(VT_HELPER_SOCKET);
  _exit(0); /* threads may be at work */
}
