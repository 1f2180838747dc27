/* SPDX-License-Identifier: MIT */
#include "analysis/vt-runner.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "results/vt-corrections.h"

#define SCRATCH "scratch-"
#define REPORT_MS 100
#define BUSY_MS 50
#define MAX_THREADS 16 /* of all runners; a plugin's session does one run at a time, so more would only wait there */

typedef struct {
  VtRunner *runner; /* main thread only; NULL once the runner is gone */
  VtRunRequest *request;
  GPtrArray *corrections; /* or NULL */
  GCancellable *cancellable;
  guint64 generation;
  VtResult *result;
  GError *error;
  GMutex lock; /* guards those below */
  GCond ended;
  gboolean has_ended; /* result and error are what they will be */
  guint stage;
  double fraction;
  gboolean reporting; /* an idle source is waiting */
} Job;

/* The jobs of a runner, for the threads that all runners share: one of them does them, one after the other. */
typedef struct {
  GMutex lock; /* guards the two below */
  GQueue jobs;
  gboolean taken; /* a thread does them, or will */
} Line;

struct _VtRunner {
  VtRunnerCallbacks callbacks;
  gpointer user;
  Line *line;
  GPtrArray *corrections; /* VtCorrection; or NULL */
  guint64 generation;
  Job *current;          /* the one whose answer is wanted */
  Job *waiting;          /* the same, with a reference, while its answer is there and not handed over; or NULL */
  VtRunRequest *delayed; /* until `first` has nothing to do; or NULL */
  VtRunner *first;
  guint delay_id;
};

static void
job_clear(gpointer data)
{
  Job *job = data;
  vt_run_request_free(job->request);
  g_clear_pointer(&job->corrections, g_ptr_array_unref);
  g_object_unref(job->cancellable);
  g_clear_pointer(&job->result, vt_result_unref);
  g_clear_error(&job->error);
  g_mutex_clear(&job->lock);
  g_cond_clear(&job->ended);
}

static void
job_unref(gpointer job)
{
  g_atomic_rc_box_release_full(job, job_clear);
}

static gboolean
report_progress(gpointer data)
{
  Job *job = data;
  g_mutex_lock(&job->lock);
  guint stage = job->stage;
  double fraction = job->fraction;
  job->reporting = FALSE;
  g_mutex_unlock(&job->lock);
  VtRunner *runner = job->runner;
  if (runner && runner->current == job && runner->callbacks.progress)
    runner->callbacks.progress(stage, fraction, runner->user);
  return G_SOURCE_REMOVE;
}

static void
progress(guint stage, double fraction, gpointer user)
{
  Job *job = user;
  g_mutex_lock(&job->lock);
  job->stage = stage;
  job->fraction = fraction;
  gboolean schedule = !job->reporting;
  job->reporting = TRUE;
  g_mutex_unlock(&job->lock);
  if (schedule) /* not as an idle source: while the spinner turns, frames leave no time for those */
    g_timeout_add_full(G_PRIORITY_DEFAULT, REPORT_MS, report_progress, g_atomic_rc_box_acquire(job), job_unref);
}

static void
hand_over(VtRunner *runner, Job *job)
{
  runner->current = NULL;
  job->runner = NULL;
  if (g_error_matches(job->error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    if (runner->callbacks.cancelled)
      runner->callbacks.cancelled(job->generation, runner->user);
  } else {
    runner->callbacks.done(job->generation, job->result, job->error, runner->user);
  }
}

void
vt_runner_hand_over(VtRunner *runner)
{
  Job *job = g_steal_pointer(&runner->waiting);
  if (!job)
    return;
  hand_over(runner, job);
  job_unref(job);
}

static gboolean
arrive(gpointer data)
{
  Job *job = data;
  VtRunner *runner = job->runner;
  if (!runner || runner->current != job)
    return G_SOURCE_REMOVE;
  if (job->result && runner->callbacks.came && runner->callbacks.came(job->result, runner->user))
    runner->waiting = g_atomic_rc_box_acquire(job);
  else
    hand_over(runner, job);
  return G_SOURCE_REMOVE;
}

/* Folders of viewers that did not end by themselves: the number in the name is that of a process that is gone. */
static void
remove_orphans(const char *parent)
{
  const char *name;
  g_autoptr(GDir) dir = g_dir_open(parent, 0, NULL);
  while (dir && (name = g_dir_read_name(dir))) {
    const gint64 pid = g_str_has_prefix(name, SCRATCH) ? g_ascii_strtoll(name + strlen(SCRATCH), NULL, 10) : 0;
    g_autofree char *path = g_build_filename(parent, name, NULL);
    if (pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH)
      vt_folder_remove(path, NULL);
  }
}

/* On the disk, not in /tmp, which may be memory. What the result still needs there has no name and goes with it. */
static char *
scratch_new(GError **error)
{
  g_autofree char *parent = g_build_filename(g_get_user_cache_dir(), "vitrail", NULL);
  g_autofree char *name = g_strdup_printf(SCRATCH "%ld-XXXXXX", (long)getpid());
  g_autofree char *path = g_build_filename(parent, name, NULL);
  remove_orphans(parent);
  if (g_mkdir_with_parents(parent, 0700) == 0 && g_mkdtemp(path))
    return g_steal_pointer(&path);
  const int number = errno;
  g_set_error(error, G_IO_ERROR, (int)g_io_error_from_errno(number), "Scratch files in %s cannot be written: %s.",
              parent, g_strerror(number));
  return NULL;
}

static void
work(Job *job)
{
  VtRunRequest *request = job->request;
  if (!g_cancellable_set_error_if_cancelled(job->cancellable, &job->error)
      && (!request->map_rasters || (request->scratch_dir = scratch_new(&job->error))))
    job->result = vt_run(request, progress, job, job->cancellable, &job->error);
  if (request->scratch_dir)
    vt_folder_remove(request->scratch_dir, NULL);
  if (job->result && job->corrections) {
    g_autoptr(VtResult) run = job->result;
    job->result = vt_result_correct(run, job->corrections, job->cancellable);
  }
  g_mutex_lock(&job->lock);
  job->has_ended = TRUE;
  g_cond_signal(&job->ended);
  g_mutex_unlock(&job->lock);
  g_idle_add_full(G_PRIORITY_DEFAULT, arrive, job, job_unref);
}

static void
line_clear(gpointer data)
{
  g_mutex_clear(&((Line *)data)->lock); /* its jobs hold on to it: there are none */
}

static void
work_line(gpointer data, gpointer user_data)
{
  Line *line = data;
  for (;;) {
    g_mutex_lock(&line->lock);
    Job *job = g_queue_pop_head(&line->jobs);
    line->taken = job != NULL;
    g_mutex_unlock(&line->lock);
    if (!job)
      break;
    work(job);
  }
  g_atomic_rc_box_release_full(line, line_clear);
}

/* Threads come when there is work and go after a while without: they belong to the program, however many runners there are. */
static void
line_push(Line *line, Job *job)
{
  static GThreadPool *pool = NULL;
  if (!pool)
    pool = g_thread_pool_new(work_line, NULL, MAX_THREADS, FALSE, NULL);
  g_mutex_lock(&line->lock);
  g_queue_push_tail(&line->jobs, job);
  const gboolean is_new = !line->taken;
  line->taken = TRUE;
  g_mutex_unlock(&line->lock);
  if (is_new)
    g_thread_pool_push(pool, g_atomic_rc_box_acquire(line), NULL);
}

VtRunner *
vt_runner_new(const VtRunnerCallbacks *callbacks, gpointer user)
{
  VtRunner *runner = g_new0(VtRunner, 1);
  runner->callbacks = *callbacks;
  runner->user = user;
  runner->line = g_atomic_rc_box_new0(Line);
  g_mutex_init(&runner->line->lock);
  return runner;
}

void
vt_runner_cancel(VtRunner *runner)
{
  Job *job = runner->current;
  g_clear_handle_id(&runner->delay_id, g_source_remove);
  g_clear_pointer(&runner->delayed, vt_run_request_free);
  if (!job)
    return;
  runner->current = NULL;
  job->runner = NULL;
  g_cancellable_cancel(job->cancellable);
  if (runner->callbacks.cancelled)
    runner->callbacks.cancelled(job->generation, runner->user);
  g_clear_pointer(&runner->waiting, job_unref);
}

void
vt_runner_set_corrections(VtRunner *runner, GPtrArray *corrections)
{
  g_clear_pointer(&runner->corrections, g_ptr_array_unref);
  runner->corrections = corrections ? g_ptr_array_ref(corrections) : NULL;
}

void
vt_runner_free(VtRunner *runner)
{
  runner->callbacks.cancelled = NULL;
  vt_runner_cancel(runner);
  vt_runner_set_corrections(runner, NULL);
  g_atomic_rc_box_release_full(runner->line, line_clear);
  g_free(runner);
}

guint64
vt_runner_start(VtRunner *runner, VtRunRequest *request)
{
  vt_runner_cancel(runner);
  Job *job = g_atomic_rc_box_new0(Job);
  job->runner = runner;
  job->request = request;
  job->corrections = runner->corrections ? g_ptr_array_ref(runner->corrections) : NULL;
  job->cancellable = g_cancellable_new();
  job->generation = ++runner->generation;
  g_mutex_init(&job->lock);
  g_cond_init(&job->ended);
  runner->current = job;
  line_push(runner->line, job);
  return job->generation;
}

static gboolean
start_delayed(gpointer data)
{
  VtRunner *runner = data;
  if (vt_runner_is_running(runner->first))
    return G_SOURCE_CONTINUE;
  runner->delay_id = 0;
  vt_runner_start(runner, g_steal_pointer(&runner->delayed));
  return G_SOURCE_REMOVE;
}

void
vt_runner_start_after(VtRunner *runner, VtRunRequest *request, VtRunner *first)
{
  vt_runner_cancel(runner);
  runner->delayed = request;
  runner->first = first;
  if (start_delayed(runner) == G_SOURCE_CONTINUE)
    runner->delay_id = g_timeout_add(BUSY_MS, start_delayed, runner);
}

gboolean
vt_runner_wait(VtRunner *runner, double ms)
{
  const gint64 end_us = g_get_monotonic_time() + (gint64)(ms * 1000);
  Job *job = runner->current;
  gboolean has_ended;
  if (!job)
    return FALSE;
  g_mutex_lock(&job->lock);
  while (!job->has_ended && g_cond_wait_until(&job->ended, &job->lock, end_us))
    ;
  has_ended = job->has_ended;
  g_mutex_unlock(&job->lock);
  if (has_ended)
    arrive(job); /* once: the source that is on its way finds another job, or none */
  return has_ended;
}

gboolean
vt_runner_is_running(VtRunner *runner)
{
  return runner->current != NULL;
}
