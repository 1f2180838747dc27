/* SPDX-License-Identifier: MIT
 *
 * vitrail-plugin-probe FILE: loads a plugin and opens a session, so that a file that crashes or hangs does so here. Prints
 * "usable", or one sentence why not (vt-plugin-probe.c). */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "plugins/vt-plugin-private.h"

static int
try_session(const VitrailPlugin *plugin, FILE *verdict)
{
  const VitrailBackendInfo *const *infos = NULL;
  VitrailSession *session = NULL;
  const VitrailStatus status = plugin->session_open(&session);
  /* A session that does not open for want of a device or memory is no broken file. */
  if (status == VITRAIL_OK && session) {
    (void)plugin->session_backends(session, &infos);
    plugin->session_close(session);
  }
  fputs("usable\n", verdict);
  return 0;
}

int
main(int argc, char **argv)
{
  const struct rlimit none = { 0, 0 };
  if (argc != 2)
    return 2;
  setrlimit(RLIMIT_CORE, &none);
  setpgid(0, 0); /* what a plugin starts can be ended with it */
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* a file that hangs ends with who waits for it: a thread that does nothing else */
#endif
  /* What a plugin prints is no verdict. */
  FILE *verdict = fdopen(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), "w");
  if (!verdict || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    return 2;
  g_autoptr(GError) error = NULL;
  const VitrailPlugin *plugin = vt_plugin_open(argv[1], &error);
  if (!plugin)
    fprintf(verdict, "%s\n", error->message);
  const int status = plugin ? try_session(plugin, verdict) : 1;
  fflush(verdict);
  _exit(status); /* what a plugin does at the end of a process is not asked */
}
