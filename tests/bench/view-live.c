/* SPDX-License-Identifier: MIT
 *
 * Live analysis of what a 1920 x 1080 screen shows, as the window does it: a view that moved, or one parameter changed; the
 * first look, the last stage after it, and how soon a run that nobody wants any more ends. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "view-bench.h"
#include "analysis/vt-pace.h"
#include "plugins/vt-plugin-host.h"

#define WIDTH 1920
#define HEIGHT 1080

/* What a person changes, from round to round; without a key the view moves. */
typedef struct {
  const char *op, *name, *key;
  double first, step;
} Change;
static const Change changes[] = {
  { "nuclei-threshold", "the view moved", NULL, 0, 0 },
  { "nuclei-threshold", "background radius", "background-radius", 6, 0.5 },
  { "nuclei-threshold", "sigma", "sigma", 1.2, 0.1 },
  { "nuclei-threshold", "threshold", "threshold", 0.08, 0.005 },
  { "nuclei-threshold", "seed depth", "seed-depth", 0.3, 0.1 },
  { "nuclei-threshold", "smallest area", "min-area", 5, 1 },
  { "nuclei", "the view moved", NULL, 0, 0 },
  { "nuclei", "least score", "min-score", 0.35, 0.01 },
  { "nuclei", "smallest area", "min-area", 5, 1 },
};

static VtRunRequest *
request_new(VtSlide *slide, const Change *change, guint round)
{
  const VitrailPlugin *plugin = NULL;
  gint64 width, height;
  double mpp_x, mpp_y;
  g_autoptr(GError) error = NULL;
  const VitrailOp *op = vt_plugin_host_find_op(vt_plugin_host_get(), change->op, &plugin);
  if (!op)
    g_error("there is no op %s (VITRAIL_PLUGIN_PATH)", change->op);
  VtRunRequest *request = vt_run_request_new(plugin, op);
  vt_slide_get_level_size(slide, 0, &width, &height);
  request->params = vt_params_new(op, vt_slide_get_mpp(slide, &mpp_x, &mpp_y));
  if (change->key) {
    g_autofree char *text = g_strdup_printf("%s=%.3f", change->key, change->first + change->step * (round % 12));
    if (!vt_params_set_from_string(request->params, text, &error))
      g_error("%s", error->message);
  }
  request->slide = vt_slide_ref(slide);
  request->width_l0 = MIN(WIDTH, width);
  request->height_l0 = MIN(HEIGHT, height);
  request->x_l0 = (width - request->width_l0) / 2;
  request->y_l0 = (height - request->height_l0) / 2 - (change->key ? 0 : 8 * (gint64)(round % 12));
  request->min_downsample = 1;
  request->keep_stages = TRUE;
  for (guint i = 0; i < op->n_stages; i++)
    if (op->stages[i]->flags & VITRAIL_STAGE_SHOWN)
      request->stages_wanted |= (guint64)1 << i;
  return request;
}

/* Milliseconds. */
static double
time_run(const VtRunRequest *request, VtResult **result)
{
  g_autoptr(GError) error = NULL;
  const gint64 start = g_get_monotonic_time();
  *result = vt_run(request, NULL, NULL, NULL, &error);
  if (!*result)
    g_error("%s", error->message);
  return (double)(g_get_monotonic_time() - start) / 1000;
}

static void
print_times(GArray *times)
{
  if (times->len > 0)
    printf(" | %.1f | %.1f | %.1f", view_quantile(times, 0), view_quantile(times, 0.5), view_quantile(times, 1));
  else
    printf(" | – | – | –");
}

/* Of the whole program, so far. */
typedef struct {
  double user_ms, system_ms, faults;
} Used;

static Used
get_used(void)
{
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (Used){ 1e3 * (double)u.ru_utime.tv_sec + 1e-3 * (double)u.ru_utime.tv_usec,
                 1e3 * (double)u.ru_stime.tv_sec + 1e-3 * (double)u.ru_stime.tv_usec, (double)u.ru_minflt };
}

/* The two runs of a change, one after the other. The first two rounds are those that learn. */
static double
measure(VtSlide *slide, VtPace *pace, const Change *change, guint rounds)
{
  g_autoptr(GArray) looks = g_array_new(FALSE, FALSE, sizeof(double)), ends = g_array_copy(looks);
  double coarse = 0;
  Used before = { 0 };
  for (guint i = 0; i < rounds + 2; i++) {
    if (i == 2)
      before = get_used();
    g_autoptr(VtRunRequest) request = request_new(slide, change, i);
    g_autoptr(VtResult) first = NULL, last = NULL;
    double ms = 0;
    coarse = vt_pace_choose(pace, request);
    if (coarse > 0) {
      request->min_downsample = coarse;
      vt_pace_start(pace, request, TRUE);
      ms = time_run(request, &first);
      vt_pace_learn(pace, first, TRUE);
      request->min_downsample = 1;
    }
    if (i >= 2 && coarse > 0)
      g_array_append_val(looks, ms);
    vt_pace_start(pace, request, FALSE);
    ms += time_run(request, &last);
    vt_pace_learn(pace, last, FALSE);
    if (i >= 2)
      g_array_append_val(ends, ms);
  }
  const Used used = get_used();
  printf("| %s: %s", change->op, change->name);
  if (coarse > 0)
    printf(" | 1:%g", coarse);
  else
    printf(" | none needed");
  print_times(looks);
  print_times(ends);
  printf(" | %.0f | %.0f | %.0f |\n", (used.user_ms - before.user_ms) / rounds,
         (used.system_ms - before.system_ms) / rounds, (used.faults - before.faults) / rounds);
  return view_quantile(ends, 0.5);
}

typedef struct {
  VtRunRequest *request;
  GCancellable *cancellable;
  gint64 ended_us;
} Job;

static gpointer
run(gpointer data)
{
  Job *job = data;
  g_autoptr(GError) error = NULL;
  VtResult *result = vt_run(job->request, NULL, NULL, job->cancellable, &error);
  job->ended_us = g_get_monotonic_time();
  g_clear_pointer(&result, vt_result_unref);
  return NULL;
}

/* Runs of a view that moved: nothing of them is kept. */
static void
measure_cancel(VtSlide *slide, double whole_ms, guint rounds)
{
  g_autoptr(GArray) times = g_array_new(FALSE, FALSE, sizeof(double));
  guint n_stopped = 0;
  for (guint i = 0; i < rounds; i++) {
    vt_plugin_host_forget(vt_plugin_host_get());
    Job job = { request_new(slide, &changes[0], i), g_cancellable_new(), 0 };
    GThread *thread = g_thread_new("run", run, &job);
    g_usleep((gulong)(1000 * whole_ms * (i + 0.5) / rounds));
    const gint64 asked = g_get_monotonic_time();
    g_cancellable_cancel(job.cancellable);
    g_thread_join(thread);
    const double ms = MAX((double)(job.ended_us - asked) / 1000, 0);
    n_stopped += job.ended_us > asked;
    g_array_append_val(times, ms);
    vt_run_request_free(job.request);
    g_object_unref(job.cancellable);
  }
  printf(
    "\nStale work: runs cancelled at %u moments spread over them (%u were still at work) end after %.1f ms (median), "
    "%.1f (95 %%), %.1f (worst).\n",
    rounds, n_stopped, view_quantile(times, 0.5), view_quantile(times, 0.95), view_quantile(times, 1));
}

typedef struct {
  const char *path;
  guint rounds;
} Task;

static gpointer
measure_all(gpointer data)
{
  const Task *task = data;
  g_autoptr(GError) error = NULL;
  VtPace pace = { 0 };
  double whole_ms = 0;
  g_autoptr(VtSlide) slide = vt_slide_open(task->path, &error);
  if (!slide)
    g_error("%s", error->message);
  printf("%s, %d x %d view at 1:1, %u threads, %u rounds; ms from the change on: best, median, worst; means of both "
         "runs of a round.\n\n"
         "| changed | grid of the first look | it is there | | | last stage is there | | | user, ms | system, ms | "
         "page faults |\n"
         "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
         vt_slide_get_name(slide), WIDTH, HEIGHT, g_get_num_processors(), task->rounds);
  for (guint i = 0; i < G_N_ELEMENTS(changes); i++) {
    const double ms = measure(slide, &pace, &changes[i], task->rounds);
    whole_ms = i == 0 ? ms : whole_ms;
  }
  vt_pace_clear(&pace);
  measure_cancel(slide, whole_ms, MAX(4 * task->rounds, 8));
  return NULL;
}

/* On a thread, as in the window: its memory does not come from where the main thread's does. */
int
view_live(const char *path, guint rounds)
{
  Task task = { path, rounds };
  g_thread_join(g_thread_new("live", measure_all, &task));
  return 0;
}
