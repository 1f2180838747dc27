/* SPDX-License-Identifier: MIT */
#include "base/vt-helper.h"

#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "base/vt-error.h"

static char *
find(const char *name, const char *installed, GFileTest test)
{
  g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
  g_autofree char *folder = self ? g_path_get_dirname(self) : NULL;
  g_autofree char *above = folder ? g_path_get_dirname(folder) : NULL;
  const char *const folders[] = { folder, above, installed };
  for (gsize i = 0; self && i < G_N_ELEMENTS(folders); i++) {
    g_autofree char *path = g_build_filename(folders[i], name, NULL);
    if (g_file_test(path, test))
      return g_steal_pointer(&path);
  }
  return NULL;
}

char *
vt_helper_find(const char *name)
{
  return find(name, VT_LIBEXEC_DIR, G_FILE_TEST_IS_EXECUTABLE);
}

char *
vt_helper_find_module(const char *name)
{
  return find(name, VT_MODULE_DIR, G_FILE_TEST_IS_REGULAR);
}

/* NULL: no large pages can be had. glibc takes them from 2.35 on, if it is told so before a process begins, and for the first heap alone: so all threads get
 * that one. What a person has set there counts more. Owned. */
static char *
dup_tunables(void)
{
#ifdef __GLIBC__
  const char *set = g_getenv("GLIBC_TUNABLES");
  g_autofree char *pages = NULL;
  int major = 0, minor = 0;
  if (sscanf(gnu_get_libc_version(), "%d.%d", &major, &minor) == 2 && (major > 2 || minor >= 35)
      && g_file_get_contents("/sys/kernel/mm/transparent_hugepage/enabled", &pages, NULL, NULL)
      && !strstr(pages, "[never]"))
    return g_strconcat("glibc.malloc.hugetlb=1:glibc.malloc.arena_max=1", set ? ":" : "", set, NULL);
#endif
  return NULL;
}

GSubprocess *
vt_helper_spawn(const char *program, gboolean binds_now, gboolean shares_heap, int *control, GError **error)
{
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return vt_error_set_null(error, VITRAIL_INTERNAL, "no socket can be made: %s", g_strerror(errno));
  g_autoptr(GSubprocessLauncher) launcher = g_subprocess_launcher_new(G_SUBPROCESS_FLAGS_STDOUT_SILENCE);
  if (binds_now)
    g_subprocess_launcher_setenv(launcher, "LD_BIND_NOW", "1", TRUE);
  g_autofree char *tunables = shares_heap ? dup_tunables() : NULL;
  if (tunables)
    g_subprocess_launcher_setenv(launcher, "GLIBC_TUNABLES", tunables, TRUE);
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
  /* Memory that is shared counts as a file: where none may be so large, that is an answer, not a death. */
  signal(SIGXFSZ, SIG_IGN);
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
