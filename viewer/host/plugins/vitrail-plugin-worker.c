/* SPDX-License-Identifier: MIT
 *
 * vitrail-plugin-worker: runs a plugin for a program that started it (vt-worker-channel.h). Of no use by hand. */
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/vt-helper.h"
#include "plugins/vt-worker-private.h"

/* Ends this process with the one that started it, whatever the plugin does: it may hang. */
static gpointer
watch(gpointer unused)
{
  struct pollfd control = { .fd = VT_HELPER_SOCKET };
  while (poll(&control, 1, -1) < 0 || !(control.revents & (POLLHUP | POLLERR | POLLNVAL)))
    ;
  _exit(1);
}

int
main(void)
{
  const struct rlimit none = { 0, 0 };
  int type = 0;
  socklen_t size = sizeof type;
  if (getsockopt(VT_HELPER_SOCKET, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET) {
    fputs("vitrail-plugin-worker is started by vitrail and vitrail-batch, which run plugins in it.\n", stderr);
    return 2;
  }
  /* What a terminal sends to all of its programs is for the one that started this, which ends this when it ends. */
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  setlocale(LC_ALL, "");
  vt_helper_volunteer();
  setrlimit(RLIMIT_CORE, &none); /* it would hold the slide */
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  fcntl(VT_HELPER_SOCKET, F_SETFD, FD_CLOEXEC);
  g_thread_unref(g_thread_new("watch", watch, NULL));
  vt_worker_serve(VT_HELPER_SOCKET);
  _exit(0); /* what a plugin does at the end of a process is not asked */
}
