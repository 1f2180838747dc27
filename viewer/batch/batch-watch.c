/* SPDX-License-Identifier: MIT
 *
 * Whether the other processes of a run still run. A thread of each one tells the next one so each second, and listens to the
 * one before it. It beats while its process works on a long tile or waits for a slow disk: only a process that was stopped,
 * or whose computer is gone, is silent. The launcher sees a process that dies; it does not see one that stands still. */
#include <mpi.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "batch-watch.h"

#include "base/vt-define.h"

enum {
  TICK = 100,   /* ms */
  BEAT = 10,    /* ticks between two messages */
  SILENCE = 60, /* ticks. All are to end within ten seconds, and the launcher needs some of them */
  STILL = 6,    /* s in which a process that starts does nothing, or none of them gets further; all end within ten */
  FAREWELL = 2, /* s for MPI_Abort(), which may wait for the one that is silent */
};
typedef enum { HEART_BEATS = 1, HEART_ENDS } HeartWord;

static struct {
  MPI_Comm comm;
  GThread *thread;
  int before, after; /* ranks in the ring */
  gint is_over;
  char name[MPI_MAX_PROCESSOR_NAME]; /* of the computer of the one before */
} watch = { .comm = MPI_COMM_NULL };

static struct {
  GMutex lock;
  GCond changed;
  GThread *thread;
  guint patience_s;
  gboolean is_over; /* guarded by lock */
  int guard;        /* where the guard is told that a meeting begins, and that it is over; -1: there is none */
  guint n_all;      /* processes of the run, on all computers */
} meet = { .guard = -1 };

/* --- the guard --- */

/* A process of this program, as the system sees it. */
typedef struct {
  int number, parent, n_still, n_pageless; /* seconds in which it has done nothing, and taken no page */
  char state;
  guint64 pages, time; /* that it took and used */
} Process;

static gboolean
read_process(const char *number, Process *process)
{
  g_autofree char *path = g_build_filename("/proc", number, "stat", NULL), *text = NULL;
  guint64 work[4] = { 0 };
  if (!g_ascii_isdigit(*number) || !g_file_get_contents(path, &text, NULL, NULL)
      || sscanf(text, "%d (vitrail-batch) %c %d %*d %*d %*d %*d %*u %lu %*u %lu %*u %lu %lu", &process->number,
                &process->state, &process->parent, &work[0], &work[1], &work[2], &work[3])
           != 7)
    return FALSE;
  process->pages = work[0] + work[1];
  process->time = work[2] + work[3];
  return TRUE;
}

/* Takes the list of a second before. */
static GArray *
list_processes(GArray *before)
{
  GArray *all = g_array_new(FALSE, TRUE, sizeof(Process));
  g_autoptr(GDir) dir = g_dir_open("/proc", 0, NULL);
  for (const char *name; dir && (name = g_dir_read_name(dir));) {
    Process process = { 0 };
    if (!read_process(name, &process))
      continue;
    VT_EACH_IN (const Process, old, before) {
      if (old->number != process.number || old->pages != process.pages)
        continue;
      process.n_pageless = old->n_pageless + 1;
      if (old->time == process.time && old->state == process.state)
        process.n_still = old->n_still + 1;
    }
    g_array_append_val(all, process);
  }
  g_clear_pointer(&before, g_array_unref);
  return all;
}

/* One that takes part in a meeting has a guard. */
static gboolean
has_child(const GArray *all, int number)
{
  for (guint i = 0; i < all->len; i++)
    if (g_array_index(all, Process, i).parent == number)
      return TRUE;
  return FALSE;
}

/* Whether all processes of the run are on this computer, have begun to meet, and get no further: one that starts MPI, however slowly, takes pages
 * now and then; one that waits for others takes none. */
static gboolean
is_hung(const GArray *all, int launcher)
{
  guint n = 0;
  for (guint i = 0; i < all->len; i++) {
    const Process *process = &g_array_index(all, Process, i);
    if (process->parent == launcher && process->n_pageless >= STILL && has_child(all, process->number))
      n++;
  }
  return n > 1 && n == meet.n_all;
}

/* One that the launcher started on this computer and that somebody stopped, or that does nothing before it is so far as to meet the others: not even
 * its program comes from the disk. NULL: none; one that only takes long to start does something now and then. */
static const Process *
find_standing(const GArray *all, int launcher)
{
  VT_EACH_IN (const Process, process, all) {
    const int seconds = process->state == 'T'                                              ? SILENCE * TICK / 1000
                        : strchr("DS", process->state) && !has_child(all, process->number) ? STILL
                                                                                           : G_MAXINT;
    if (process->parent == launcher && process->n_still >= seconds)
      return process;
  }
  return NULL;
}

/* Looks each second of a meeting, of which it is told, until its process has ended. Then that one is killed, stopped or not: the launcher sees
 * it, and ends the others. */
static void
guard_process(int told, int process, int launcher)
{
  struct pollfd wait = { .fd = told, .events = POLLIN };
  char is_meeting = FALSE;
  for (GArray *all = NULL;;) {
    const int n = poll(&wait, 1, is_meeting ? 1000 : -1);
    if (n > 0 && read(told, &is_meeting, 1) != 1)
      _exit(EXIT_SUCCESS);
    if (n != 0)
      continue;
    all = list_processes(all);
    const Process *standing = find_standing(all, launcher);
    if (standing)
      batch_fail(BATCH_FAILED,
                 standing->state == 'T' ? "Process %d of this run is stopped: all end."
                                        : "Process %d of this run has done nothing for %d s where it starts: all end.",
                 standing->number, standing->n_still);
    else if (is_hung(all, launcher))
      batch_fail(BATCH_FAILED, "All %u processes of this run have begun, and one hangs as MPI starts or ends: all end.",
                 meet.n_all);
    else
      continue;
    kill(process, SIGKILL);
    _exit(EXIT_FAILURE);
  }
}

/* A process of its own, since a process that is stopped itself looks at nothing, and may be the only one on its computer. Before MPI and
 * before any thread. */
static void
start_guard(void)
{
  const int process = getpid(), launcher = getppid();
  const char *variable = NULL;
  meet.n_all = batch_launched(&variable);
  int ends[2] = { -1, -1 };
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return;
  const pid_t child = fork();
  if (child == 0) {
    close(ends[1]);
    guard_process(ends[0], process, launcher);
  }
  close(ends[0]);
  if (child > 0)
    meet.guard = ends[1];
  else
    close(ends[1]);
}

static void
tell_guard(gboolean is_meeting)
{
  const char word = (char)is_meeting;
  if (meet.guard >= 0)
    (void)!send(meet.guard, &word, 1, MSG_NOSIGNAL); /* one that somebody ended guards no more */
}

/* --- a meeting --- */

/* Whether the others came within a second. */
static gboolean
is_met_soon(void)
{
  const gint64 end = g_get_monotonic_time() + G_USEC_PER_SEC;
  g_mutex_lock(&meet.lock);
  while (!meet.is_over && g_cond_wait_until(&meet.changed, &meet.lock, end))
    ;
  const gboolean is_over = meet.is_over;
  g_mutex_unlock(&meet.lock);
  return is_over;
}

/* Before they know each other no process can beat for another, and MPI_Init() waits for ever; so does MPI_Finalize(). The launcher ends
 * the others. Seconds are counted, not time, as by beat(). */
static gpointer
wait_for_all(gpointer unused)
{
  for (guint n = 0; n < meet.patience_s; n++)
    if (is_met_soon())
      return NULL;
  _exit(batch_fail(BATCH_FAILED,
                   "The processes of this run have not come together within %u s, so one stands still: all end.",
                   meet.patience_s));
}

void
batch_watch_meet_begin(guint patience_s)
{
  static gboolean is_guarded;
  if (!is_guarded)
    start_guard();
  is_guarded = TRUE;
  tell_guard(TRUE);
  meet.is_over = FALSE;
  meet.patience_s = patience_s;
  meet.thread = g_thread_try_new("meet", wait_for_all, NULL, NULL);
}

void
batch_watch_meet_end(void)
{
  tell_guard(FALSE);
  g_mutex_lock(&meet.lock);
  meet.is_over = TRUE;
  g_cond_signal(&meet.changed);
  g_mutex_unlock(&meet.lock);
  if (meet.thread)
    g_thread_join(g_steal_pointer(&meet.thread));
}

/* --- beats --- */

static void
give_up(void)
{
  batch_fail(
    BATCH_FAILED,
    "Process %d on %s has not answered for %d s: all processes end. With --resume the run goes on after its last "
    "finished step.",
    watch.before, watch.name, SILENCE * TICK / 1000);
  alarm(FAREWELL);
  MPI_Abort(MPI_COMM_WORLD, BATCH_FAILED);
}

/* A process that was stopped itself, or whose computer slept, counts no silence while it stood still: ticks are counted, not
 * time. */
static gpointer
beat(gpointer data)
{
  gint32 mine = HEART_BEATS, theirs = 0;
  MPI_Request to = MPI_REQUEST_NULL, from;
  int n_silent = 0, n_ticks = BEAT;
  gboolean is_told = FALSE, is_before_through = FALSE;
  sigset_t all;
  sigfillset(&all);
  sigdelset(&all, SIGALRM);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  MPI_Irecv(&theirs, 1, MPI_INT32_T, watch.before, 0, watch.comm, &from);
  for (int is_sent = 0, is_heard = 0; !is_told || !is_sent || !is_before_through; g_usleep(TICK * 1000)) {
    MPI_Test(&to, &is_sent, MPI_STATUS_IGNORE); /* at first there is none: it is sent */
    const gboolean is_over = g_atomic_int_get(&watch.is_over);
    if (is_sent && !is_told && (is_over || ++n_ticks >= BEAT)) {
      n_ticks = is_sent = 0;
      is_told = is_over;
      mine = is_over ? HEART_ENDS : HEART_BEATS;
      MPI_Isend(&mine, 1, MPI_INT32_T, watch.after, 0, watch.comm, &to);
    }
    if (is_before_through)
      continue;
    MPI_Test(&from, &is_heard, MPI_STATUS_IGNORE);
    n_silent = is_heard ? 0 : n_silent + 1;
    is_before_through = is_heard && theirs == HEART_ENDS;
    if (is_heard && !is_before_through)
      MPI_Irecv(&theirs, 1, MPI_INT32_T, watch.before, 0, watch.comm, &from);
    if (n_silent > SILENCE)
      give_up();
  }
  return NULL;
}

void
batch_watch_begin(int rank, int n_ranks)
{
  char own[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  watch.before = (rank + n_ranks - 1) % n_ranks;
  watch.after = (rank + 1) % n_ranks;
  MPI_Get_processor_name(own, &length);
  MPI_Comm_dup(MPI_COMM_WORLD, &watch.comm);
  MPI_Sendrecv(own, sizeof own, MPI_CHAR, watch.after, 0, watch.name, sizeof watch.name, MPI_CHAR, watch.before, 0,
               watch.comm, MPI_STATUS_IGNORE);
  watch.thread = g_thread_new("watch", beat, NULL);
}

void
batch_watch_end(void)
{
  if (!watch.thread)
    return;
  MPI_Barrier(MPI_COMM_WORLD); /* one that is through stays in the ring until all are */
  g_atomic_int_set(&watch.is_over, TRUE);
  g_thread_join(g_steal_pointer(&watch.thread));
  MPI_Comm_free(&watch.comm);
}
