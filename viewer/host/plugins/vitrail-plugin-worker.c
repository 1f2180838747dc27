/* SPDX-License-Identifier: MIT
 *
 * vitrail-plugin-worker: runs a plugin for a program that started it (vt-worker-channel.h). Of no use by hand. */
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/vt-error.h"
#include "base/vt-helper.h"
#include "plugins/vt-worker-private.h"

int
main(void)
{
  const struct rlimit none = { 0, 0 };
  if (!vt_helper_begin("vitrail-plugin-worker is started by vitrail and vitrail-batch, which run plugins in it."))
    return 2;
  vt_error_end_without_memory(NULL);
  vt_helper_volunteer();
  setrlimit(RLIMIT_CORE, &none); /* it would hold the slide */
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  fcntl(VT_HELPER_SOCKET, F_SETFD, FD_CLOEXEC);
  vt_helper_end_with_starter();
  vt_worker_serve(VT_HELPER_SOCKET);
  _exit(0); /* what a plugin does at the end of a process is not asked */
}
