/* SPDX-License-Identifier: MIT
 *
 * kill-at N PROGRAM ARGUMENT...: runs the program and kills it when it or one of its threads begins its system call number N, whichever that is. Processes that it
 * starts are not counted. Ends as the program does. KILL_AT_COUNT: a file that gets the number of its calls. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALL = SIGTRAP | 0x80 }; /* PTRACE_O_TRACESYSGOOD */

static pid_t program;
static long n_calls, wanted;

static void
end_so(int status)
{
  const char *path = getenv("KILL_AT_COUNT");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (file) {
    fprintf(file, "%ld\n", n_calls);
    fclose(file);
  }
  if (WIFSIGNALED(status)) {
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
  }
  exit(WEXITSTATUS(status));
}

/* A call stops its thread where it begins and where it ends; which of the two it is, the system knows. */
static int
begins(pid_t thread)
{
  struct __ptrace_syscall_info info = { 0 };
  return ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) > 0 && info.op == PTRACE_SYSCALL_INFO_ENTRY;
}

static void
go_on(pid_t thread, int status)
{
  const int number = WSTOPSIG(status);
  long sent = 0;
  if (number == CALL) {
    if (begins(thread) && ++n_calls == wanted)
      kill(program, SIGKILL);
  } else if (status >> 16 == PTRACE_EVENT_STOP) /* a thread begins */
    sent = 0;
  else if (status >> 16 == 0)
    sent = number;
  ptrace(PTRACE_SYSCALL, thread, 0, sent);
}

int
main(int argc, char **argv)
{
  int status = 0;
  if (argc < 3)
    return 2;
  wanted = atol(argv[1]);
  program = fork();
  if (program == 0) {
    raise(SIGSTOP);
    execv(argv[2], argv + 2);
    _exit(127);
  }
  if (program < 0 || waitpid(program, &status, WUNTRACED) != program
      || ptrace(PTRACE_SEIZE, program, 0,
                PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL)
           != 0) {
    perror("kill-at");
    return 2;
  }
  kill(program, SIGCONT);
  for (;;) {
    const pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0 && errno != EINTR)
      return 2;
    if (thread == program && (WIFEXITED(status) || WIFSIGNALED(status)))
      end_so(status);
    if (thread > 0 && WIFSTOPPED(status))
      go_on(thread, status);
  }
}
