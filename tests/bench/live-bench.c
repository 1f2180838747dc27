/* SPDX-License-Identifier: MIT
 *
 * Live analysis of what a 1920 x 1080 screen shows, after a parameter change: the first look, the full run with its stages,
 * and how soon a run that nobody wants any more ends. usage: live-bench SLIDE [ROUNDS] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "vt-pace.h"
#include "vt-plugin-host.h"

#define WIDTH 1920
#define HEIGHT 1080
#define OP "nuclei"

static int
compare(gconstpointer a, gconstpointer b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double
get_quantile(GArray *values, double q)
{
  g_array_sort(values, compare);
  return g_array_index(values, double, (guint)floor(q * (values->len - 1) + 0.5));
}

static VtRunRequest *
request_new(VtSlide *slide, double min_downsample, double threshold)
{
  const VitrailPlugin *plugin = NULL;
  gint64 width, height;
  double mpp_x, mpp_y;
  g_autoptr(GError) error = NULL;
  const VitrailOp *op = vt_plugin_host_find_op(vt_plugin_host_get(), OP, &plugin);
  if (!op)
    g_error("there is no op " OP " (VITRAIL_PLUGIN_PATH)");
  VtRunRequest *request = vt_run_request_new(plugin, op);
  g_autofree char *text = g_strdup_printf("threshold=%.3f", threshold);
  vt_slide_get_level_size(slide, 0, &width, &height);
  request->params = vt_params_new(op, vt_slide_get_mpp(slide, &mpp_x, &mpp_y));
  if (!vt_params_set_from_string(request->params, text, &error))
    g_error("%s", error->message);
  request->slide = vt_slide_ref(slide);
  request->width_l0 = MIN(WIDTH, width);
  request->height_l0 = MIN(HEIGHT, height);
  request->x_l0 = (width - request->width_l0) / 2;
  request->y_l0 = (height - request->height_l0) / 2;
  request->min_downsample = min_downsample;
  request->keep_stages = TRUE;
  for (guint i = 0; i < op->n_stages; i++)
    if (op->stages[i]->flags & VITRAIL_STAGE_SHOWN)
      request->stages_wanted |= (guint64)1 << i;
  return request;
}

/* As the window has it: every round is another value of a parameter. */
static VtResult *
measure(VtSlide *slide, double min_downsample, guint rounds, const char *name)
{
  g_autoptr(GArray) times = g_array_new(FALSE, FALSE, sizeof(double));
  VtResult *last = NULL;
  for (guint i = 0; i < rounds; i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(VtRunRequest) request = request_new(slide, min_downsample, 0.08 + 0.005 * (i % 8));
    const gint64 start = g_get_monotonic_time();
    g_clear_pointer(&last, vt_result_unref);
    if (!(last = vt_run(request, NULL, NULL, NULL, &error)))
      g_error("%s", error->message);
    const double ms = (double)(g_get_monotonic_time() - start) / 1000;
    g_array_append_val(times, ms);
  }
  printf("| %s | 1:%g | %.1f | %.1f | %.1f |\n", name, min_downsample, get_quantile(times, 0), get_quantile(times, 0.5),
         get_quantile(times, 1));
  return last;
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

static void
measure_cancel(VtSlide *slide, double fine_ms, guint rounds)
{
  g_autoptr(GArray) times = g_array_new(FALSE, FALSE, sizeof(double));
  for (guint i = 0; i < rounds; i++) {
    Job job = { request_new(slide, 1, 0.1), g_cancellable_new(), 0 };
    GThread *thread = g_thread_new("run", run, &job);
    g_usleep((gulong)(1000 * fine_ms * (i + 0.5) / rounds));
    const gint64 asked = g_get_monotonic_time();
    g_cancellable_cancel(job.cancellable);
    g_thread_join(thread);
    const double ms = MAX((double)(job.ended_us - asked) / 1000, 0);
    g_array_append_val(times, ms);
    vt_run_request_free(job.request);
    g_object_unref(job.cancellable);
  }
  printf("\nStale work: a run cancelled at %u moments spread over it ends after %.1f ms (median), %.1f (95 %%), %.1f "
         "(worst).\n",
         rounds, get_quantile(times, 0.5), get_quantile(times, 0.95), get_quantile(times, 1));
}

int
main(int argc, char **argv)
{
  g_autoptr(GError) error = NULL;
  const guint rounds = argc > 2 ? (guint)atoi(argv[2]) : 9;
  VtPace pace = { 0 };
  if (argc < 2)
    return 2;
  g_autoptr(VtSlide) slide = vt_slide_open(argv[1], &error);
  if (!slide)
    g_error("%s", error->message);
  /* Reads the tiles, which a parameter change needs no more. */
  g_autoptr(VtRunRequest) first = request_new(slide, 1, 0.1);
  g_autoptr(VtResult) warm = vt_run(first, NULL, NULL, NULL, &error);
  if (!warm)
    g_error("%s", error->message);
  printf("%s, %d x %d view at 1:1, op " OP
         ", %u threads, %u rounds.\n\n| run | grid | best ms | median ms | worst ms |\n"
         "| --- | --- | --- | --- | --- |\n",
         vt_slide_get_name(slide), WIDTH, HEIGHT, g_get_num_processors(), rounds);
  g_autoptr(VtResult) fine = measure(slide, 1, rounds, "full run");
  vt_pace_learn(&pace, fine);
  const double coarse = vt_pace_choose(&pace, (double)WIDTH * HEIGHT, 1);
  if (coarse > 0)
    vt_result_unref(measure(slide, coarse, rounds, "first look"));
  else
    printf("\nNo first look: the full run is quick enough.\n");
  printf("\nStages of the last full run, ms:");
  for (guint i = 0; i < fine->op->n_stages; i++)
    if (isfinite(fine->stage_ms[i]))
      printf(" %s %.1f", fine->op->stages[i]->id, fine->stage_ms[i]);
  printf("\n");
  measure_cancel(slide, fine->total_ms, MAX(4 * rounds, 8));
  return 0;
}
