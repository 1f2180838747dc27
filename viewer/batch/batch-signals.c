/* SPDX-License-Identifier: MIT
 *
 * Interruption. The first Ctrl+C, kill or end of the terminal ends the run at the next tile, so that what is done is kept; the second ends the
 * program, whatever it hangs on. A look at a file of a drive that is gone may be one that nothing interrupts: where nothing at all has moved for
 * some seconds after the first, the program ends as by a second one. Not while it saves, though: a disk may need longer than that to write
 * what it was given, and nobody outside sees it at work. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/vt-define.h"
#include "batch.h"

enum { PATIENCE_S = 4 }; /* more than a plugin is given to end (vt-worker-process.c) */

enum { UNLOCK_S = 1 }; /* for the folder of results, whose drive may be the one that does not answer */

static gint is_saving; /* atomic */
static GMutex held_lock;
static const VtFolder *held; /* guarded by `held_lock` */

static void
say(const char *sentence)
{
  const gssize written = write(2, sentence, strlen(sentence));
  (void)written;
}

void
batch_signals_set_saving(gboolean saves)
{
  g_atomic_int_set(&is_saving, saves);
}

void
batch_signals_set_held(const VtFolder *folder)
{
  VT_LOCK(&held_lock);
  held = folder;
}

#if defined _POSIX_REALTIME_SIGNALS && _POSIX_REALTIME_SIGNALS > 0
/* What moves in a program that is at work. */
typedef struct {
  gboolean is_known;
  guint64 bytes; /* that it has read and written */
  double cpu_s;  /* of all threads */
} Signs;

static double
get_cpu_seconds(void)
{
  struct timespec time = { 0, 0 };
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* *n_own: the bytes that the look itself reads; the next one sees them. */
static Signs
look(guint64 *n_own)
{
  Signs signs = { .cpu_s = get_cpu_seconds() };
  char text[512];
  const int file = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
  const gssize n = file >= 0 ? read(file, text, sizeof text - 1) : -1;
  if (file >= 0)
    close(file);
  text[MAX(n, 0)] = '\0';
  const char *in = strstr(text, "rchar: "), *out = strstr(text, "wchar: ");
  signs.is_known = in && out;
  if (signs.is_known)
    signs.bytes = strtoull(in + strlen("rchar: "), NULL, 10) + strtoull(out + strlen("wchar: "), NULL, 10);
  *n_own = (guint64)MAX(n, 0);
  return signs;
}

static gpointer
forsake(gpointer is_done)
{
  g_mutex_lock(
    &held_lock); /* for good: the folder may be another process's from now on, and no other thread is to remove its lock */
  if (held)
    vt_folder_forsake(held);
  g_atomic_int_set((gint *)is_done, TRUE);
  return NULL;
}

/* As a kill leaves it, but for the lock of the folder of results: another computer would not take that over. */
G_GNUC_NORETURN static void
end_still(void)
{
  static gint is_done = FALSE;
  say("vitrail-batch: Interrupted while it waited for something, as for a file of a drive that does not answer. "
      "Nothing has moved since, so it ends at once; --resume goes on with a run.\n");
  GThread *thread = g_thread_try_new("forsake", forsake, &is_done, NULL);
  for (int i = 0; thread && i < 100 * UNLOCK_S && !g_atomic_int_get(&is_done); i++)
    g_usleep(G_USEC_PER_SEC / 100);
  _exit(BATCH_FAILED);
}

/* Waits for the second signal, and returns it. 0: it does not come, and nothing has moved meanwhile. -1: it does not come. */
static int
wait_and_look(const sigset_t *set)
{
  const struct timespec patience = { PATIENCE_S, 0 };
  guint64 n_first = 0, n_last = 0;
  const Signs first = look(&n_first);
  const int signal = sigtimedwait(set, NULL, &patience);
  if (signal > 0)
    return signal;
  const Signs last = look(&n_last);
  const gboolean is_still = first.is_known && last.is_known && last.bytes == first.bytes + n_first
                            && last.cpu_s - first.cpu_s < 0.01 * PATIENCE_S; /* who waits looks up now and then */
  return is_still ? 0 : -1;
}
#endif

/* Returns the second signal. */
static int
wait_for_second(const sigset_t *set)
{
  int signal = 0;
#if defined _POSIX_REALTIME_SIGNALS && _POSIX_REALTIME_SIGNALS > 0
  for (gboolean is_said = FALSE; (signal = wait_and_look(set)) <= 0; is_said = TRUE) {
    if (signal == 0 && !g_atomic_int_get(&is_saving))
      end_still();
    if (!is_said)
      say("vitrail-batch: Interrupted; what it is at ends first, as files that it writes. A second signal ends it at "
          "once.\n");
  }
#else
  sigwait(set, &signal);
#endif
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
