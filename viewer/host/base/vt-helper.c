/* SPDX-License-Identifier: MIT */
#include "base/vt-helper.h"

#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/vt-error.h"

char *
vt_helper_find(const char *name)
{
  g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
  g_autofree char *folder = self ? g_path_get_dirname(self) : NULL;
  g_autofree char *above = folder ? g_path_get_dirname(folder) : NULL;
  const char *const folders[] = { folder, above, VT_LIBEXEC_DIR };
  for (gsize i = 0; self && i < G_N_ELEMENTS(folders); i++) {
    g_autofree char *path = g_build_filename(folders[i], name, NULL);
    if (g_file_test(path, G_FILE_TEST_IS_EXECUTABLE))
      return g_steal_pointer(&path);
  }
  return NULL;
}

GSubprocess *
vt_helper_spawn(const char *program, gboolean binds_now, int *control, GError **error)
{
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return vt_error_set_null(error, VITRAIL_INTERNAL, "no socket can be made: %s", g_strerror(errno));
  g_autoptr(GSubprocessLauncher) launcher = g_subprocess_launcher_new(G_SUBPROCESS_FLAGS_STDOUT_SILENCE);
  if (binds_now)
    g_subprocess_launcher_setenv(launcher, "LD_BIND_NOW", "1", TRUE);
  g_subprocess_launcher_take_fd(launcher, ends[1], VT_HELPER_SOCKET);
  GSubprocess *subprocess = g_subprocess_launcher_spawn(launcher, error, program, NULL);
  if (!subprocess)
    close(ends[0]);
  *control = ends[0];
  return subprocess;
}

gboolean
vt_helper_begin(const char *sentence)
{
  int type = 0;
  socklen_t size = sizeof type;
  if (getsockopt(VT_HELPER_SOCKET, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET) {
    fprintf(stderr, "%s\n", sentence);
    return FALSE;
  }
  /* What a terminal sends to all of its programs is for the one that started this, which ends this when it ends. */
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  setlocale(LC_ALL, "");
  return TRUE;
}

static gpointer
wait_for_starter(gpointer unused)
{
  struct pollfd control = { .fd = VT_HELPER_SOCKET };
  while (poll(&control, 1, -1) < 0 || !(control.revents & (POLLHUP | POLLERR | POLLNVAL)))
    ;
  _exit(1);
}

void
vt_helper_end_with_starter(void)
{
  g_thread_unref(g_thread_new("starter", wait_for_starter, NULL));
}

void
vt_helper_volunteer(void)
{
  FILE *file = fopen("/proc/self/oom_score_adj", "w");
  if (file) {
    fputs("500", file);
    fclose(file);
  }
}

double
vt_helper_get_cpu_seconds(GSubprocess *subprocess)
{
  const char *pid = g_subprocess_get_identifier(subprocess); /* NULL: it has ended */
  clockid_t clock;
  struct timespec time = { 0, 0 };
  if (pid && clock_getcpuclockid((pid_t)g_ascii_strtoll(pid, NULL, 10), &clock) == 0)
    clock_gettime(clock, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

char *
vt_helper_dup_end(GSubprocess *subprocess)
{
  g_subprocess_force_exit(subprocess); /* nothing if it has crashed; of one that has closed its socket alone the end */
  g_subprocess_wait(subprocess, NULL, NULL);
  const int signal = g_subprocess_get_if_signaled(subprocess) ? g_subprocess_get_term_sig(subprocess) : 0;
  if (signal == SIGTRAP || signal == SIGABRT)
    return g_strdup("gave up, as it does where memory does not suffice");
  if (signal != 0)
    return g_strdup_printf("crashed: %s", g_strsignal(signal));
  return g_strdup_printf("ended with status %d", g_subprocess_get_exit_status(subprocess));
}
