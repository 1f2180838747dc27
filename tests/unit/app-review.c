/* SPDX-License-Identifier: MIT
 *
 * The review of a thousand objects against brute force: every number of the op is moved by each of 1 to 8 steps, up and down, in a run of its own, and each
 * object is looked up pixel by pixel. Exact values: at them the object flips, at the number before and half way there it does not.
 * usage: app-review DEMO-SLIDE-GENERATOR */
#include <math.h>

#include "app-support.h"
#include "analysis/vt-review-exact.h"
#include "plugins/vt-plugin-host.h"
#include "run/vt-why.h"

/* Under sanitizers fewer: they look for wrong memory, not once more for wrong answers. */
#define IS_SHORT (g_getenv("VITRAIL_SANITIZED") != NULL)
#define EDGE_PX (IS_SHORT ? 240 : 1400)
#define LEAST (IS_SHORT ? 20u : 1000u)  /* objects */
#define N_REFINED (IS_SHORT ? 8u : 30u) /* of those that flip, at random */
#define N_FIRST 8u                      /* that are waited for: that it goes on, not what they are */

static VtAnalysis *analysis;
static VtReview *review;

static gboolean
is_at_rest(gpointer unused)
{
  return vt_analysis_get_result(analysis) && !vt_analysis_get_running(analysis);
}

/* --- brute force --- */

/* Which object each pixel is of; 0: none. The demo slide has a pixel of the analysis for each of its own. */
static guint32 *
paint(const VtResult *result)
{
  guint32 *pixels = g_new0(guint32, (gsize)(result->width_l0 * result->height_l0));
  for (guint i = 0; i < result->objects->len; i++) {
    const VtObject *object = result->objects->pdata[i];
    double box[4];
    vt_object_get_box(object, box);
    for (gint64 y = (gint64)box[1]; y < (gint64)box[3]; y++)
      for (gint64 x = (gint64)box[0]; x < (gint64)box[2]; x++)
        if (vt_object_has_point(object, (double)x + 0.5, (double)y + 0.5))
          pixels[(y - result->y_l0) * result->width_l0 + x - result->x_l0] = i + 1;
  }
  return pixels;
}

/* Of each object of `before` (n pixels have it), whether none of `after` has more than half of what both have. */
static gboolean *
find_flipped(const guint32 *before, const guint32 *after, gsize n, guint n_before, guint n_after)
{
  g_autofree guint64 *area_before = g_new0(guint64, n_before + 1), *area_after = g_new0(guint64, n_after + 1);
  g_autoptr(GHashTable) both = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
  gboolean *flipped = g_new(gboolean, n_before);
  GHashTableIter iter;
  gpointer key, count;
  for (gsize i = 0; i < n; i++) {
    area_before[before[i]]++;
    area_after[after[i]]++;
    if (!before[i] || !after[i])
      continue;
    const gint64 pair = (gint64)before[i] << 32 | after[i];
    guint64 *there = g_hash_table_lookup(both, &pair);
    if (there)
      ++*there;
    else
      g_hash_table_insert(both, g_memdup2(&pair, sizeof pair), g_memdup2(&(guint64){ 1 }, sizeof(guint64)));
  }
  for (guint i = 0; i < n_before; i++)
    flipped[i] = TRUE;
  g_hash_table_iter_init(&iter, both);
  while (g_hash_table_iter_next(&iter, &key, &count)) {
    const guint a = (guint)(*(gint64 *)key >> 32), b = (guint) * (gint64 *)key;
    const guint64 common = *(guint64 *)count;
    if (2 * common > area_before[a] + area_after[b] - common)
      flipped[a - 1] = FALSE;
  }
  return flipped;
}

static VtResult *
run_with(const VtRunRequest *request, guint param, double value)
{
  const double values[4] = { value };
  g_autoptr(VtRunRequest) trial = vt_run_request_copy(request);
  g_assert_true(vt_params_set(trial->params, param, values, NULL));
  VtResult *result = vt_run(trial, NULL, NULL, NULL, NULL);
  g_assert_nonnull(result);
  return result;
}

typedef struct {
  const VtRunRequest *request;
  const VtResult *shown;
  guint32 *pixels; /* of what is shown */
  gsize n;
  double *steps;    /* of each object, in the order of the result */
  guint64 *reasons; /* bits of 2 * axis + down, of those that flip it at so many steps */
} Brute;

static void
try_step(Brute *b, const VtTrialAxis *axis, guint bit, gboolean is_down, guint k)
{
  const double value = b->request->params->values[axis->param][0] + (is_down ? -1 : 1) * (double)k * axis->scale.step;
  if (value < axis->scale.min || value > axis->scale.max)
    return;
  g_autoptr(VtResult) result = run_with(b->request, axis->param, value);
  g_autofree guint32 *after = paint(result);
  const guint n_before = b->shown->objects->len;
  g_autofree gboolean *flipped = find_flipped(b->pixels, after, b->n, n_before, result->objects->len);
  for (guint i = 0; i < n_before; i++)
    if (flipped[i] && b->steps[i] >= k) {
      b->steps[i] = k;
      b->reasons[i] |= (guint64)1 << bit;
    }
}

static void
check_items(const Brute *b, const GArray *axes)
{
  const GArray *items = vt_review_get_items(review);
  guint n_checked = 0, n_firm = 0, of_steps[9] = { 0 };
  for (guint i = 0; i < items->len; i++) {
    const VtReviewItem *item = &g_array_index(items, VtReviewItem, i);
    if (isnan(item->steps)) /* at the edge */
      continue;
    n_checked++;
    g_assert_cmpfloat(item->steps, ==, b->steps[item->object]);
    if (item->steps >= VT_REVIEW_FIRM) {
      n_firm++;
      continue;
    }
    of_steps[(guint)item->steps]++;
    guint bit = 0;
    while (g_array_index(axes, VtTrialAxis, bit).param != item->param)
      bit++;
    g_assert_true(b->reasons[item->object] >> (2 * bit + !item->is_up) & 1);
  }
  g_test_message("%u objects: 1 to 8 steps %u %u %u %u %u %u %u %u, more %u", n_checked, of_steps[1], of_steps[2],
                 of_steps[3], of_steps[4], of_steps[5], of_steps[6], of_steps[7], of_steps[8], n_firm);
  g_assert_cmpuint(n_checked, >=, LEAST);
}

static VtRunRequest *
make_request(void)
{
  const VtResult *shown = vt_analysis_get_result(analysis);
  VtRunRequest *request =
    vt_analysis_new_request(analysis, shown->x_l0 + shown->width_l0 / 2, shown->y_l0 + shown->height_l0 / 2, NULL);
  request->stages_wanted = (guint64)1 << vt_why_find_outcome(request->op);
  return request;
}

static void
test_steps(void)
{
  g_autoptr(VtRunRequest) request = make_request();
  const VtResult *shown = vt_analysis_get_result(analysis);
  const guint n = shown->objects->len;
  g_autoptr(GArray) axes = vt_trials_list_axes(shown->op);
  Brute b = { request,           shown, paint(shown), (gsize)(shown->width_l0 * shown->height_l0), g_new(double, n),
              g_new0(guint64, n) };
  for (guint i = 0; i < n; i++)
    b.steps[i] = VT_REVIEW_FIRM;
  for (guint k = 1; k <= 8; k++)
    for (guint i = 0; i < axes->len; i++)
      for (guint is_down = 0; is_down < 2; is_down++)
        try_step(&b, &g_array_index(axes, VtTrialAxis, i), 2 * i + is_down, is_down != 0, k);
  check_items(&b, axes);
  g_free(b.pixels);
  g_free(b.steps);
  g_free(b.reasons);
}

/* --- exact values --- */

static gboolean
is_refined(gpointer item)
{
  return ((const VtReviewItem *)item)->is_refined;
}

static gboolean
has_flipped(const VtRunRequest *request, const VtReviewItem *item, double value)
{
  g_autoptr(VtResult) result = run_with(request, item->param, value);
  g_autoptr(VtRoi) outline = vt_object_dup_roi(vt_analysis_get_result(analysis)->objects->pdata[item->object]);
  return vt_review_has_flipped(result, outline);
}

/* Of those of each parameter. */
static void
test_exact(void)
{
  g_autoptr(VtRunRequest) request = make_request();
  g_autoptr(GRand) random = g_rand_new_with_seed(4);
  const GArray *items = vt_review_get_items(review);
  guint n_exact = 0, n_asked = 0, n_flip = 0;
  while (n_flip < items->len && g_array_index(items, VtReviewItem, n_flip).steps < VT_REVIEW_FIRM)
    n_flip++;
  for (guint turn = 0; turn < N_REFINED; turn++) {
    const guint number = (guint)g_rand_int_range(random, 0, (gint32)n_flip);
    VtReviewItem *const asked = &g_array_index(items, VtReviewItem, number);
    vt_review_refine(review, number);
    spin_until(is_refined, asked);
    n_asked++;
    g_autofree char *words = vt_review_dup_words(review, asked);
    g_test_message("%s", words);
    if (isnan(asked->exact)) {
      g_assert_nonnull(strstr(words, "between"));
      continue;
    }
    const double now = request->params->values[asked->param][0];
    const gboolean is_whole = request->op->params[asked->param]->type == VITRAIL_PARAM_INT;
    n_exact++;
    g_assert_true(has_flipped(request, asked, asked->exact));
    g_assert_false(has_flipped(request, asked,
                               is_whole ? asked->exact + (now < asked->exact ? -1 : 1) : nextafter(asked->exact, now)));
    if (!is_whole)
      g_assert_false(has_flipped(request, asked, (now + asked->exact) / 2));
  }
  g_test_message("%u of %u are exact", n_exact, n_asked);
  g_assert_cmpuint(n_exact, >, 0);
}

/* --- all of them --- */

static gboolean
are_refined(gpointer awaited)
{
  guint n_done, n_all;
  vt_review_count_exact(review, &n_done, &n_all);
  return n_done >= MIN(*(const guint *)awaited, n_all);
}

static void
set_and_run(const char *setting)
{
  g_assert_true(vt_analysis_set_param_text(analysis, setting, NULL));
  vt_analysis_run(analysis);
  spin_until(is_at_rest, NULL);
}

/* How many have been asked; not all, and for a while no more. */
static guint
expect_rest(void)
{
  guint n_before, n_done, n_all;
  vt_review_count_exact(review, &n_before, &n_all);
  for (guint i = 0; i < 20; i++) {
    g_usleep(20000);
    while (g_main_context_iteration(NULL, FALSE))
      ;
  }
  vt_review_count_exact(review, &n_done, &n_all);
  g_assert_cmpuint(n_done, ==, n_before);
  g_assert_cmpuint(n_done, <, n_all);
  return n_done;
}

/* A change of a parameter ends it, and its former value goes on with it; it rests while nobody looks. */
static void
test_all_exact(void)
{
  const gint64 begin = g_get_monotonic_time();
  guint n_before, n_all;
  vt_review_count_exact(review, &n_before, &n_all);
  guint n_awaited = n_before + N_FIRST;
  spin_until(are_refined, &n_awaited);
  g_test_message("%u more of %u are asked for in %.1f s", N_FIRST, n_all,
                 (double)(g_get_monotonic_time() - begin) / 1e6);
  set_and_run("min-area=12");
  g_assert_true(vt_review_is_stale(review));
  n_before = expect_rest();
  set_and_run("min-area=10");
  g_assert_false(vt_review_is_stale(review));
  n_awaited = n_before + 1;
  spin_until(are_refined, &n_awaited);
  vt_review_want_exact(review, FALSE);
  expect_rest();
  vt_review_want_exact(review, TRUE);
  n_awaited++;
  spin_until(are_refined, &n_awaited);
}

static void
show(void)
{
  const VitrailPlugin *plugin = NULL;
  g_autoptr(VtSlide) slide = vt_slide_open(slide_path, NULL);
  const VitrailOp *op = vt_plugin_host_find_op(vt_plugin_host_get(), "nuclei-threshold", &plugin);
  const VtViewport view = {
    .width_px = EDGE_PX, .height_px = EDGE_PX, .centre_x_l0 = 1024, .centre_y_l0 = 1024, .downsample = 1
  };
  vt_analysis_set_slide(analysis, slide);
  vt_analysis_set_op(analysis, plugin, op);
  vt_analysis_set_view(analysis, &view, FALSE);
  vt_analysis_run(analysis);
  spin_until(is_at_rest, NULL);
}

static void
test_measure(void)
{
  show();
  const gint64 begin = g_get_monotonic_time();
  g_assert_true(vt_review_measure(review, NULL));
  spin_until(is_measured, review);
  g_test_message("%u objects are measured in %.1f s", vt_review_get_items(review)->len,
                 (double)(g_get_monotonic_time() - begin) / 1e6);
}

int
main(int argc, char **argv)
{
  begin_with_slide(&argc, &argv, "2048");
  g_autoptr(GListStore) rois = g_list_store_new(VT_TYPE_ROI_ITEM);
  analysis = vt_analysis_new(G_LIST_MODEL(rois));
  g_autoptr(VtReference) reference = vt_reference_new(analysis);
  review = vt_review_new(analysis, reference);
  vt_review_want_exact(review, TRUE);
  g_test_add_func("/review/measure", test_measure);
  g_test_add_func("/review/steps", test_steps);
  g_test_add_func("/review/exact", test_exact);
  g_test_add_func("/review/all-exact", test_all_exact);
  const int status = g_test_run();
  g_object_unref(review);
  g_object_unref(analysis);
  return end_with_slide(status);
}
