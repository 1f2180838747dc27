/* SPDX-License-Identifier: MIT
 *
 * vitrail-reader: reads one slide for a program that started it (vt-reader-protocol.h). Of no use by hand. */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/vt-helper.h"
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
  int type = 0;
  socklen_t size = sizeof type;
  if (getsockopt(VT_HELPER_SOCKET, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET) {
    fputs("vitrail-reader is started by vitrail and vitrail-batch, which read slides through it.\n", stderr);
    return 2;
  }
  /* What a terminal sends to all of its programs is for the one that started this, which ends this when it ends. */
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  setlocale(LC_ALL, "");
  g_log_set_writer_func(drop, NULL, NULL);
  vt_reader_jail_enter();
  vt_reader_serve(VT_HELPER_SOCKET);
  _exit(0); /* threads may be at work */
}
