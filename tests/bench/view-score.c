/* SPDX-License-Identifier: MIT
 *
 * The live score of a 1920 x 1080 view: N made-up objects against as many true ones, as the window compares them after each change (vt_compare_truth()): for the first
 * time, again with the same truth, and of that the histogram of pairs of labels alone. And the whole way of a change of a slider: the run and the score of it. */
#include <math.h>
#include <stdio.h>

#include "view-bench.h"
#include "plugins/vt-plugin-host.h"
#include "results/vt-compare.h"
#include "results/vt-labels.h"

#define WIDTH 1920
#define HEIGHT 1080
#define N_CORNERS 24
#define ROUNDS 25

/* On a grid of square cells; owned. Every tenth is left out after `first`. */
static GPtrArray *
make_objects(guint n, double shift, double part, guint first)
{
  GPtrArray *rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  const double cell = floor(sqrt((double)WIDTH * HEIGHT / n));
  const guint n_columns = (guint)(WIDTH / cell), n_rows = (guint)(HEIGHT / cell);
  double ring[2 * N_CORNERS];
  for (guint i = 0; i < n_columns * n_rows; i++) {
    if (i % 10 == first)
      continue;
    for (guint k = 0; k < N_CORNERS; k++) {
      ring[2 * k] = (i % n_columns + 0.5) * cell + shift + part * cell / 2 * cos(2 * G_PI * k / N_CORNERS);
      ring[2 * k + 1] = (i / n_columns + 0.5) * cell + part * cell / 2 * sin(2 * G_PI * k / N_CORNERS);
    }
    g_ptr_array_add(rois, vt_roi_new_polygon("", ring, N_CORNERS));
  }
  return rois;
}

static gint32 *
paint(GPtrArray *rois)
{
  const VtFrame frame = { 0, 0, WIDTH, HEIGHT, 1, 0, 0 };
  gint32 *labels = g_new(gint32, WIDTH * HEIGHT);
  g_autoptr(VtLabels) rows = vt_labels_new(rois);
  gboolean is_sound = vt_labels_begin(rows, &frame, NULL);
  for (guint y = 0; y < HEIGHT && is_sound; y++)
    is_sound = vt_labels_next_row(rows, labels + (gsize)y * WIDTH, NULL);
  if (!is_sound)
    g_error("the outlines can't be painted");
  return labels;
}

/* Milliseconds. */
static double
get_since(gint64 start_us)
{
  return (double)(g_get_monotonic_time() - start_us) / 1000;
}

static double
time_all(VtTrueObjects *truth, GPtrArray *present)
{
  static const double bounds[3] = { 100, 200, 400 };
  const gint64 start = g_get_monotonic_time();
  g_autoptr(VtComparison) comparison = vt_compare_truth(truth, present, 1, NULL, bounds, 3, NULL);
  const double ms = get_since(start);
  if (!comparison || comparison->f1_50 < 0.5)
    g_error("the objects were not compared");
  return ms;
}

static double
time_histogram(const gint32 *truth, const gint32 *present)
{
  const gint64 start = g_get_monotonic_time();
  g_autoptr(VtScore) score = vt_score_new();
  for (guint y = 0; y < HEIGHT; y++)
    vt_score_add_row(score, present + (gsize)y * WIDTH, truth + (gsize)y * WIDTH, NULL, WIDTH);
  return get_since(start);
}

static void
print_times(const char *what, GArray *times)
{
  printf("| %s | %.2f | %.2f | %.2f |\n", what, view_quantile(times, 0), view_quantile(times, 0.5),
         view_quantile(times, 1));
}

int
view_score(const char *slide, guint n)
{
  static const double box[4] = { 0, 0, WIDTH, HEIGHT };
  g_autoptr(GPtrArray) truth = make_objects(n, 0, 0.8, 3), present = make_objects(n, 2, 0.85, 7);
  g_autofree gint32 *a = paint(truth), *b = paint(present);
  g_autoptr(GArray) first = g_array_new(FALSE, FALSE, sizeof(double)), again = g_array_copy(first),
                    histogram = g_array_copy(first);
  for (guint i = 0; i < ROUNDS; i++) {
    g_autoptr(VtTrueObjects) objects = vt_true_objects_new(truth, NULL, box);
    const double ms[3] = { time_all(objects, present), time_all(objects, present), time_histogram(a, b) };
    g_array_append_val(first, ms[0]);
    g_array_append_val(again, ms[1]);
    g_array_append_val(histogram, ms[2]);
  }
  printf("%u objects against %u true ones, %d x %d pixels, one thread, %d rounds; ms: best, median, worst.\n\n"
         "| part | | | |\n| --- | --- | --- | --- |\n",
         present->len, truth->len, WIDTH, HEIGHT, ROUNDS);
  print_times("the whole score, from outlines to figures and differences, the first time", first);
  print_times("again: the truth's pixels are kept", again);
  print_times("of that, the histogram of pairs of labels", histogram);
  return 0;
}

/* --- with the runs --- */

static VtRunRequest *
request_new(VtSlide *slide, double threshold)
{
  const VitrailPlugin *plugin = NULL;
  gint64 width, height;
  double mpp_x, mpp_y;
  const VitrailOp *op = vt_plugin_host_find_op(vt_plugin_host_get(), "nuclei-threshold", &plugin);
  if (!op)
    g_error("there is no op nuclei-threshold (VITRAIL_PLUGIN_PATH)");
  VtRunRequest *request = vt_run_request_new(plugin, op);
  g_autofree char *text = g_strdup_printf("threshold=%.4f", threshold);
  vt_slide_get_level_size(slide, 0, &width, &height);
  request->params = vt_params_new(op, vt_slide_get_mpp(slide, &mpp_x, &mpp_y));
  if (!vt_params_set_from_string(request->params, text, NULL))
    g_error("%s is refused", text);
  request->slide = vt_slide_ref(slide);
  request->width_l0 = MIN(WIDTH, width);
  request->height_l0 = MIN(HEIGHT, height);
  request->x_l0 = (width - request->width_l0) / 2;
  request->y_l0 = (height - request->height_l0) / 2;
  request->keep_stages = TRUE;
  for (guint i = 0; i < op->n_stages; i++)
    if (op->stages[i]->flags & VITRAIL_STAGE_SHOWN)
      request->stages_wanted |= (guint64)1 << i;
  return request;
}

static VtResult *
run(const VtRunRequest *request)
{
  g_autoptr(GError) error = NULL;
  VtResult *result = vt_run(request, NULL, NULL, NULL, &error);
  if (!result)
    g_error("%s", error->message);
  return result;
}

/* Milliseconds of the run, of the score after it, and of both. The truth is given to the run, or not. */
static void
time_change(VtSlide *slide, VtTrueObjects *truth, gboolean is_given, guint turn, GArray *times[3])
{
  static const double bounds[3] = { 100, 200, 400 };
  g_autoptr(VtRunRequest) request = request_new(slide, 0.08 + 0.005 * (turn % 13));
  if (is_given)
    request->truth = vt_true_objects_dup_run_truth(truth);
  const gint64 start = g_get_monotonic_time();
  g_autoptr(VtResult) result = run(request);
  const double ran = get_since(start);
  const double pixel = result->calibrated ? sqrt(result->mpp * result->mpp_y) : 1;
  const double downsample = MAX(round(result->used_pixel_size / pixel), 1);
  g_autoptr(VtComparison) comparison = vt_compare_result(truth, result, downsample, NULL, bounds, 3, NULL);
  const double all = get_since(start), ms[3] = { ran, all - ran, all };
  if (!comparison || (result->overlaps != NULL) != is_given)
    g_error("the objects were not compared as they should be");
  for (guint i = 0; i < 3; i++)
    g_array_append_val(times[i], ms[i]);
}

int
view_score_runs(const char *path, guint n)
{
  static const char *const ways[] = { "from outlines", "from pairs that the run has counted" };
  static const char *const parts[] = { "the run", "the score", "both" };
  g_autoptr(GError) error = NULL;
  g_autoptr(VtSlide) slide = vt_slide_open(path, &error);
  if (!slide)
    g_error("%s", error->message);
  g_autoptr(VtRunRequest) first = request_new(slide, 0.1);
  g_autoptr(VtResult) reference = run(first);
  const double box[4] = { (double)reference->x_l0, (double)reference->y_l0,
                          (double)(reference->x_l0 + reference->width_l0),
                          (double)(reference->y_l0 + reference->height_l0) };
  g_autoptr(VtTrueObjects) truth = vt_true_objects_new(NULL, reference, box);
  GArray *times[2][3];
  for (guint i = 0; i < 6; i++)
    times[i / 3][i % 3] = g_array_new(FALSE, FALSE, sizeof(double));
  time_change(slide, truth, FALSE, 0, times[0]); /* the truth's pixels are kept from now on */
  for (guint i = 0; i < 3; i++)
    g_array_set_size(times[0][i], 0);
  for (guint turn = 0; turn < 2 * n; turn++)
    time_change(slide, truth, turn % 2, turn, times[turn % 2]); /* 13 values, so that each way has each */
  printf("%u true objects, %s (%s), threshold changed %u times, each way in turn; ms: best, median, worst.\n\n"
         "| part | | | |\n| --- | --- | --- | --- |\n",
         reference->objects->len, reference->backend, reference->device ? reference->device : "", n);
  for (guint i = 0; i < 6; i++) {
    g_autofree char *what = g_strdup_printf("%s, %s", parts[i % 3], ways[i / 3]);
    print_times(what, times[i / 3][i % 3]);
    g_array_unref(times[i / 3][i % 3]);
  }
  return 0;
}
