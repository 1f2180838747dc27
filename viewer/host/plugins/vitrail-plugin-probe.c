/* SPDX-License-Identifier: MIT
 *
 * vitrail-plugin-probe FILE SECONDS: loads a plugin and opens a session, so that a file that crashes or hangs does so here. Prints
 * "usable", or one sentence why not (vt-plugin-probe.c). The file is loaded by a second process. The first one loads nothing: it ends the second, with
 * all that the plugin started, when the second is done, when the seconds are over, and when its own standard input closes: the program that asked is gone. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "plugins/vt-plugin-private.h"
#include "plugins/vt-plugin-probe.h"

/* --- the process that loads the file --- */

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

static int
try_file(const char *path, FILE *verdict, pid_t starter)
{
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (getppid() != starter) /* it ended before it was asked for */
    return VT_PLUGIN_PROBE_UNTRIED;
  /* What a plugin prints is no verdict, and what it reads is nothing. */
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    return VT_PLUGIN_PROBE_UNTRIED;
  g_autoptr(GError) error = NULL;
  const VitrailPlugin *plugin = vt_plugin_open(path, &error);
  int status = VT_PLUGIN_PROBE_STARVED;
  if (plugin)
    status = try_session(plugin, verdict);
  else if (!strstr(error->message, strerror(ENOMEM))) /* as the loader of modules says it: no locale was set */
    status = 1;
  if (!plugin)
    fprintf(verdict, "%s\n", error->message);
  fflush(verdict);
  return status;
}

/* --- the process that waits for it --- */

static volatile sig_atomic_t is_told_to_end;

static void
on_signal(int number)
{
  is_told_to_end = is_told_to_end || number != SIGCHLD;
}

/* Signals come only while this process waits. */
static void
take_signals(sigset_t *before)
{
  static const int numbers[] = { SIGCHLD, SIGTERM, SIGINT, SIGHUP };
  const struct sigaction action = { .sa_handler = on_signal };
  sigset_t taken;
  sigemptyset(&taken);
  for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++) {
    sigaction(numbers[i], &action, NULL);
    sigaddset(&taken, numbers[i]);
  }
  sigprocmask(SIG_BLOCK, &taken, NULL);
  sigemptyset(before); /* not what was inherited: vitrail-batch blocks some of them */
}

typedef enum {
  TRIAL_ENDED,
  TRIAL_LATE,
  TRIAL_UNHEARD, /* nobody waits for the verdict any more */
} TrialEnd;

/* It stays to be waited for, so that its number is nobody else's. */
static gboolean
has_ended(pid_t trial)
{
  siginfo_t info = { 0 };
  return waitid(P_PID, (id_t)trial, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == trial;
}

static TrialEnd
wait_for(pid_t trial, guint seconds)
{
  sigset_t open_to_all;
  const gint64 end = g_get_monotonic_time() + (gint64)seconds * G_USEC_PER_SEC;
  take_signals(&open_to_all);
  while (!has_ended(trial)) {
    const gint64 left = end - g_get_monotonic_time();
    const struct timespec time = { left / G_USEC_PER_SEC, left % G_USEC_PER_SEC * 1000 };
    fd_set starter;
    FD_ZERO(&starter);
    FD_SET(STDIN_FILENO, &starter);
    if (left <= 0)
      return TRIAL_LATE;
    if (is_told_to_end || pselect(STDIN_FILENO + 1, &starter, NULL, NULL, &time, &open_to_all) > 0)
      return TRIAL_UNHEARD;
  }
  return TRIAL_ENDED;
}

#ifdef __linux__
/* What left the group of a process that has ended is a child of this one by now (PR_SET_CHILD_SUBREAPER), and so are its own children in turn. */
static void
end_adopted(void)
{
  int n;
  do {
    FILE *list = fopen("/proc/thread-self/children", "r");
    int child = 0;
    for (n = 0; list && fscanf(list, "%d", &child) == 1; n++) {
      kill(child, SIGKILL);
      waitpid(child, NULL, 0);
    }
    if (list)
      fclose(list);
  } while (n > 0);
}
#endif

/* With all that the plugin started. Returns the status as of waitpid(). */
static int
end_all(pid_t trial)
{
  int status = 0;
  kill(-trial, SIGKILL);
  waitpid(trial, &status, 0);
#ifdef __linux__
  end_adopted();
#endif
  return status;
}

/* As the other process has ended. */
static void
end_so(int status)
{
  if (WIFSIGNALED(status)) {
    sigset_t none;
    signal(WTERMSIG(status), SIG_DFL);
    sigemptyset(&none);
    raise(WTERMSIG(status));
    sigprocmask(SIG_SETMASK, &none, NULL);
  }
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : VT_PLUGIN_PROBE_UNTRIED);
}

int
main(int argc, char **argv)
{
  const struct rlimit none = { 0, 0 };
  if (argc != 3)
    return VT_PLUGIN_PROBE_UNTRIED;
  const guint seconds = (guint)strtoul(argv[2], NULL, 10);
  const pid_t self = getpid();
  FILE *verdict = fdopen(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), "w");
  if (!verdict)
    return VT_PLUGIN_PROBE_UNTRIED;
  vt_error_end_without_memory(NULL);
  setrlimit(RLIMIT_CORE, &none);
  setpgid(0, 0); /* what a terminal sends is for the program that asked */
#ifdef __linux__
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
#endif
  const pid_t trial = fork();
  if (trial < 0)
    return VT_PLUGIN_PROBE_UNTRIED;
  setpgid(trial, trial); /* by both: whichever comes first */
  if (trial == 0)
    _exit(try_file(argv[1], verdict, self)); /* what a plugin does at the end of a process is not asked */
  const TrialEnd end = wait_for(trial, seconds);
  const int status = end_all(trial);
  if (end == TRIAL_ENDED)
    end_so(status);
  if (end == TRIAL_LATE && ftruncate(fileno(verdict), 0) == 0) /* it may have said something before */
    fprintf(verdict, "%s cannot be used: it did not answer within %u seconds. " VT_PLUGIN_PROBE_AGAIN "\n", argv[1],
            seconds);
  fflush(verdict);
  _exit(1);
}
