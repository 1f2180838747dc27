/* SPDX-License-Identifier: MIT
 *
 * Interruption. The first Ctrl+C, kill or end of the terminal ends the run at the next tile, so that what is done is kept; the second ends the
 * program, whatever it hangs on. That is said where a run goes on for some seconds after the first: the system may let nobody interrupt a look at a file of a drive that is gone. */
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "batch.h"

enum { PATIENCE_S = 4 }; /* more than a plugin is given to end (vt-worker-process.c) */

static void
say(const char *sentence)
{
  const gssize written = write(2, sentence, strlen(sentence));
  (void)written;
}

/* Returns the second signal. */
static int
wait_for_second(const sigset_t *set)
{
  int signal = 0;
#if defined _POSIX_REALTIME_SIGNALS && _POSIX_REALTIME_SIGNALS > 0
  const struct timespec patience = { PATIENCE_S, 0 };
  signal = sigtimedwait(set, NULL, &patience);
  if (signal > 0)
    return signal;
  say("vitrail-batch: Interrupted, but it waits for something, as for a file of a drive that does not answer. "
      "A second signal ends it at once.\n");
#endif
  sigwait(set, &signal);
  return signal;
}

static gpointer
wait_for_signals(gpointer user)
{
  const sigset_t *set = user;
  int signal = 0;
  sigwait(set, &signal);
  g_cancellable_cancel(batch_get_cancellable());
  signal = wait_for_second(set);
  say("vitrail-batch: Interrupted twice: ended at once.\n");
  _exit(128 + signal);
}

GCancellable *
batch_get_cancellable(void)
{
  static gsize cancellable = 0;
  if (g_once_init_enter(&cancellable))
    g_once_init_leave(&cancellable, (gsize)g_cancellable_new());
  return (GCancellable *)cancellable;
}

void
batch_signals_init(void)
{
  static sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  struct sigaction hang_up;
  if (sigaction(SIGHUP, NULL, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN) /* as nohup leaves it */
    sigaddset(&set, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  g_thread_unref(g_thread_new("signals", wait_for_signals, &set));
}
