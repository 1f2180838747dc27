/* SPDX-License-Identifier: MIT
 *
 * Interruption. The first Ctrl+C, kill or end of the terminal ends the run at the next tile, so that what is done is kept; the second ends the
 * program, whatever it hangs on. */
#include <signal.h>
#include <unistd.h>

#include "batch.h"

static gpointer
wait_for_signals(gpointer user)
{
  const sigset_t *set = user;
  int signal = 0;
  sigwait(set, &signal);
  g_cancellable_cancel(batch_get_cancellable());
  sigwait(set, &signal);
  static const char sentence[] = "vitrail-batch: Interrupted twice: ended at once.\n";
  const gssize written = write(2, sentence, sizeof sentence - 1);
  (void)written;
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
