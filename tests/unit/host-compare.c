/* SPDX-License-Identifier: MIT
 *
 * What is different between two sets of objects: fates, dots, a truth that is complete in a part, pixels of a truth that are kept, and pairs that a run
 * has counted. */
#include <math.h>
#include <string.h>

#include "host-support.h"
#include "plugins/vt-plugin-host.h"
#include "results/vt-compare.h"

static GPtrArray *
list_rectangles(const double (*boxes)[4], guint n)
{
  GPtrArray *rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add(rois, vt_roi_new_rectangle(NULL, boxes[i][0], boxes[i][1], boxes[i][2], boxes[i][3]));
  return rois;
}

/* With a truth that nobody has compared with before. */
static VtComparison *
compare_truth(GPtrArray *truth, GPtrArray *present, const double box[4], double downsample, GPtrArray *known,
              const double *sizes, guint n_sizes, GCancellable *cancellable)
{
  g_autoptr(VtTrueObjects) objects = vt_true_objects_new(truth, NULL, box);
  return vt_compare_truth(objects, present, downsample, known, sizes, n_sizes, cancellable);
}

static void
assert_same_comparison(const VtComparison *a, const VtComparison *b)
{
  g_assert_cmpmem(a->counts, sizeof a->counts, b->counts, sizeof b->counts);
  g_assert_true(a->n_reference == b->n_reference && a->n_present == b->n_present && a->n_cut == b->n_cut
                && a->n_sizes == b->n_sizes && a->of_dots == b->of_dots);
  g_assert_true(a->f1_50 == b->f1_50 && a->f1_70 == b->f1_70 && a->aji == b->aji && a->pq == b->pq
                && a->precision == b->precision && a->recall == b->recall);
  g_assert_cmpmem(a->found, a->n_reference, b->found, b->n_reference);
  g_assert_cmpmem(a->sizes, a->n_sizes * sizeof *a->sizes, b->sizes, b->n_sizes * sizeof *b->sizes);
  g_assert_cmpuint(a->differences->len, ==, b->differences->len);
  for (guint i = 0; i < a->differences->len; i++) {
    const VtDifference *p = a->differences->pdata[i], *q = b->differences->pdata[i];
    g_assert_true(p->fate == q->fate && p->change == q->change && memcmp(p->box, q->box, sizeof p->box) == 0);
  }
}

/* Overlapping ones, some beyond the edge. */
static GPtrArray *
list_chance(GRand *chance, guint n)
{
  GPtrArray *rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  for (guint i = 0; i < n; i++) {
    const double x = g_rand_double_range(chance, -10, 200), y = g_rand_double_range(chance, -10, 120);
    const double w = g_rand_double_range(chance, 2, 30), h = g_rand_double_range(chance, 2, 30);
    const double ring[] = { x, y + h / 3, x + w / 2, y, x + w, y + h / 2, x + w / 3, y + h };
    g_ptr_array_add(rois, vt_roi_new_polygon("", ring, 4));
  }
  return rois;
}

/* The pixels of a truth that were kept give the figures of those that are painted anew: on the same grid, on another one, after a cancelled comparison,
 * with dots, and where the truth is known in a part alone. */
static void
test_kept(void)
{
  static const double box[4] = { 3.5, 2, 190, 110 }, part[][4] = { { 0, 0, 90, 200 } }, sizes[] = { 100, 300 };
  g_autoptr(GRand) chance = g_rand_new_with_seed(7);
  g_autoptr(GPtrArray) truth = list_chance(chance, 60),
                       dots = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  g_autoptr(GPtrArray) known = list_rectangles(part, 1);
  for (guint i = 0; i < 40; i++) {
    const double point[2] = { g_rand_double_range(chance, 0, 190), g_rand_double_range(chance, 0, 110) };
    g_ptr_array_add(dots, vt_roi_new_shape(VT_SHAPE_POINTS, point, 1));
  }
  g_autoptr(VtTrueObjects) objects = vt_true_objects_new(truth, NULL, box),
                           of_dots = vt_true_objects_new(dots, NULL, box);
  g_assert_true(vt_true_objects_is_of(objects, truth, NULL, box));
  g_assert_false(vt_true_objects_is_of(objects, dots, NULL, box));
  g_assert_false(vt_true_objects_is_of(objects, truth, NULL, part[0]));
  for (guint turn = 0; turn < 12; turn++) {
    g_autoptr(GPtrArray) present = list_chance(chance, 50);
    g_autoptr(GCancellable) cancelled = g_cancellable_new();
    g_cancellable_cancel(cancelled);
    GPtrArray *where = turn % 3 == 0 ? known : NULL;
    const double downsample = turn < 8 ? 1 : 1 + turn % 3;
    if (turn == 5)
      g_assert_null(vt_compare_truth(objects, present, 2, NULL, NULL, 0, cancelled));
    g_autoptr(VtComparison) kept = vt_compare_truth(objects, present, downsample, where, sizes, 2, NULL);
    g_autoptr(VtComparison) anew = compare_truth(truth, present, box, downsample, where, sizes, 2, NULL);
    assert_same_comparison(kept, anew);
    g_autoptr(VtComparison) kept_dots = vt_compare_truth(of_dots, present, 1, where, NULL, 0, NULL);
    g_autoptr(VtComparison) anew_dots = compare_truth(dots, present, box, 1, where, NULL, 0, NULL);
    assert_same_comparison(kept_dots, anew_dots);
  }
}

static void
test_fates(void)
{
  static const double before[][4] = {
    { 10, 10, 10, 10 },                     /* the same afterwards */
    { 30, 10, 10, 10 },                     /* a row less */
    { 50, 10, 10, 10 },                     /* lost */
    { 10, 30, 20, 10 },                     /* in two halves */
    { 40, 30, 10, 10 },                     /* one with its neighbour */
    { 50, 30, 10, 10 }, { 95, 30, 10, 10 }, /* cut */
  };
  static const double after[][4] = { { 10, 10, 10, 10 }, { 30, 10, 10, 9 },  { 10, 30, 9, 10 },   { 21, 30, 9, 10 },
                                     { 40, 30, 20, 10 }, { 10, 60, 30, 10 }, { 200, 200, 10, 10 } };
  static const guint expected[VT_N_FATES] = { [VT_FATE_NEW] = 1,    [VT_FATE_LOST] = 1,    [VT_FATE_SPLIT] = 1,
                                              [VT_FATE_MERGED] = 1, [VT_FATE_CHANGED] = 1, [VT_FATE_SAME] = 1 };
  static const double box[4] = { 0, 0, 100, 100 };
  g_autoptr(GPtrArray) a = list_rectangles(before, G_N_ELEMENTS(before));
  g_autoptr(GPtrArray) b = list_rectangles(after, G_N_ELEMENTS(after));
  g_autoptr(GPtrArray) seen = vt_rois_collect(b, box);
  g_assert_cmpuint(seen->len, ==, G_N_ELEMENTS(after) - 1);
  g_autoptr(VtComparison) comparison = compare_truth(a, seen, box, 1, NULL, NULL, 0, NULL);
  for (guint i = 0; i < VT_N_FATES; i++)
    g_assert_cmpuint(comparison->counts[i], ==, expected[i]);
  g_assert_cmpuint(comparison->n_cut, ==, 1);
  static const guint8 found[G_N_ELEMENTS(before)] = {
    VT_FOUND, VT_FOUND, VT_FOUND_NOT, VT_FOUND_NOT, VT_FOUND_NOT, VT_FOUND_NOT, VT_FOUND_CUT
  }; /* halves have just a half */
  g_assert_cmpmem(comparison->found, sizeof found, found, sizeof found);
  g_assert_cmpuint(comparison->n_reference, ==, 6);
  g_assert_cmpuint(comparison->differences->len, ==, 5);
  const VtDifference *first = comparison->differences->pdata[0], *last = comparison->differences->pdata[4];
  g_assert_true(first->fate == VT_FATE_NEW && first->change == 300);
  g_assert_true(last->fate == VT_FATE_CHANGED && fabs(last->change - 9) < 1e-9); /* 90 of 100 pixels are shared */
  g_assert_cmpfloat(comparison->f1_50, ==, 2 * 2. / (6 + 6));
  g_assert_null(compare_truth(a, seen, (const double[]){ 5, 5, 5, 9 }, 1, NULL, NULL, 0, NULL));
  g_autoptr(GCancellable) cancelled = g_cancellable_new();
  g_cancellable_cancel(cancelled);
  g_assert_null(compare_truth(a, seen, box, 1, NULL, NULL, 0, cancelled));
}

/* Dots, and a truth that is complete in a part alone. */
static void
test_truth(void)
{
  static const double objects[][4] = {
    { 10, 10, 10, 10 }, { 30, 10, 20, 10 }, { 60, 10, 10, 10 }, { 75, 10, 10, 10 }, { 95, 10, 10, 10 }
  };
  static const double dots[][2] = { { 15, 15 }, { 33, 15 }, { 45, 15 }, { 15, 50 }, { 98, 12 }, { 300, 300 } };
  static const double box[4] = { 0, 0, 100, 100 }, part[][4] = { { 0, 0, 55, 100 } }, sizes[] = { 150 };
  g_autoptr(GPtrArray) present = list_rectangles(objects, G_N_ELEMENTS(objects));
  g_autoptr(GPtrArray) known = list_rectangles(part, 1);
  g_autoptr(GPtrArray) truth = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  for (guint i = 0; i < G_N_ELEMENTS(dots); i++)
    g_ptr_array_add(truth, vt_roi_new_shape(VT_SHAPE_POINTS, dots[i], 1));
  g_autoptr(VtComparison) all = compare_truth(truth, present, box, 1, NULL, NULL, 0, NULL);
  /* One found, two in one object, one missed, two objects without, one object and its dot at the edge; the last dot is elsewhere. */
  g_assert_true(all->of_dots && all->counts[VT_FATE_SAME] == 1 && all->counts[VT_FATE_MERGED] == 1
                && all->counts[VT_FATE_LOST] == 1 && all->counts[VT_FATE_NEW] == 2);
  g_assert_cmpuint(all->n_reference, ==, 4);
  g_assert_cmpuint(all->n_cut, ==, 2);
  g_assert_cmpfloat(all->precision, ==, 1 / 4.);
  g_assert_cmpfloat(all->recall, ==, 1 / 4.);
  static const guint8 found[] = { VT_FOUND, VT_FOUND_NOT, VT_FOUND_NOT, VT_FOUND_NOT, VT_FOUND_NOT, VT_FOUND_CUT };
  g_assert_cmpmem(all->found, 4, found, 4);
  g_assert_true(all->found[5] == VT_FOUND_CUT);
  g_autoptr(VtComparison) in_part = compare_truth(truth, present, box, 1, known, NULL, 0, NULL);
  g_assert_true(in_part->counts[VT_FATE_NEW] == 0 && in_part->counts[VT_FATE_SAME] == 1 && in_part->n_cut == 0);
  /* Outlines against themselves: those in no known part are not there, and two classes of sizes. */
  g_autoptr(VtComparison) same = compare_truth(present, present, box, 1, known, sizes, 1, NULL);
  g_assert_true(same->counts[VT_FATE_SAME] == 2 && same->n_cut == 0 && same->n_sizes == 2);
  g_assert_true(same->sizes[0].n_truth == 1 && same->sizes[1].n_truth == 1 && same->sizes[0].missed == 0);
}

/* --- counted by a run --- */

enum { EDGE = 400, N_DISCS = 120 };

static VtRaster *
make_discs(GRand *chance)
{
  VtRaster *image = vt_raster_new(VITRAIL_RGBA8, EDGE, EDGE, NULL);
  memset(image->data, 230, image->stride * EDGE);
  for (int disc = 0; disc < N_DISCS; disc++) {
    const int x0 = g_rand_int_range(chance, 0, EDGE), y0 = g_rand_int_range(chance, 0, EDGE), r = 4 + disc % 9;
    for (int y = MAX(y0 - r, 0); y < MIN(y0 + r, EDGE); y++)
      for (int x = MAX(x0 - r, 0); x < MIN(x0 + r, EDGE); x++)
        if ((x - x0) * (x - x0) + (y - y0) * (y - y0) < r * r)
          memcpy(image->data + (gsize)y * image->stride + (gsize)x * 4, "\x50\x30\x90\xff", 4);
  }
  return image;
}

static VtRunRequest *
make_request(const char *op_id, VtRaster *image, guint downsample)
{
  const VitrailPlugin *plugin = NULL;
  const VitrailOp *op = vt_plugin_host_find_op(vt_plugin_host_get(), op_id, &plugin);
  VtRunRequest *request = vt_run_request_new(plugin, op);
  request->params = vt_params_new(op, FALSE);
  request->rasters = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)vt_raster_unref);
  g_hash_table_insert(request->rasters, (gpointer)vt_op_get_primary(op)->id, vt_raster_ref(image));
  request->x_l0 = 31;
  request->y_l0 = 17;
  request->width_l0 = 330;
  request->height_l0 = 350;
  request->min_downsample = downsample;
  request->n_threads = 2;
  request->backend = g_strdup("cpu");
  return request;
}

static VtResult *
run(const VtRunRequest *request)
{
  g_autoptr(GError) error = NULL;
  VtResult *result = vt_run(request, NULL, NULL, NULL, &error);
  g_assert_no_error(error);
  return result;
}

/* Figures and differences of a run that has counted pairs are those of its outlines, those cut by the edge among them. */
static void
check_counted(const char *op_id, guint downsample, const double box[4], GRand *chance)
{
  static const double sizes[] = { 100, 300 };
  g_autoptr(VtRaster) image = make_discs(chance);
  g_autoptr(GPtrArray) truth = list_chance(chance, 90);
  g_autoptr(VtRunRequest) request = make_request(op_id, image, downsample);
  g_autoptr(VtTrueObjects) objects = vt_true_objects_new(truth, NULL, box);
  g_assert_null(vt_true_objects_dup_run_truth(objects)); /* no pixels are kept yet */
  g_autoptr(VtResult) plain = run(request);
  g_autoptr(VtComparison) painted = vt_compare_result(objects, plain, downsample, NULL, sizes, 2, NULL);
  g_assert_cmpuint(painted->n_present, >, 2);
  g_assert_cmpuint(painted->n_cut, >, 2);
  request->truth = vt_true_objects_dup_run_truth(objects);
  g_assert_nonnull(request->truth);
  g_autoptr(VtResult) counted = run(request);
  g_assert_null(plain->overlaps);
  g_assert_true(vt_true_objects_are_of_overlaps(objects, counted->overlaps));
  g_assert_cmpuint(counted->overlaps->downsample, ==, downsample);
  g_assert_null(vt_result_find_difference(plain, counted, G_MAXUINT64));
  g_autoptr(VtComparison) by_pairs = vt_compare_result(objects, counted, downsample, NULL, sizes, 2, NULL);
  assert_same_comparison(painted, by_pairs);
  /* A plugin that tells of others than it has outlined is not believed; one that tells none of any is. */
  VtOverlap *first = counted->overlaps->list;
  const gint32 label = first->truth;
  first->truth = 1000;
  g_autoptr(VtComparison) doubted = vt_compare_result(objects, counted, downsample, NULL, sizes, 2, NULL);
  assert_same_comparison(painted, doubted);
  first->truth = label;
  counted->overlaps->n = 0;
  g_autoptr(VtComparison) empty = vt_compare_result(objects, counted, downsample, NULL, sizes, 2, NULL);
  g_assert_true(empty->n_present == 0 && empty->n_reference == 0);
  /* Of another truth, or grid, they say nothing. */
  g_autoptr(VtTrueObjects) others = vt_true_objects_new(truth, NULL, box);
  g_autoptr(VtComparison) other = vt_compare_result(others, counted, downsample, NULL, sizes, 2, NULL);
  assert_same_comparison(painted, other);
  g_autoptr(VtComparison) coarse = vt_compare_result(objects, counted, downsample + 1, NULL, sizes, 2, NULL),
                          plain_coarse = vt_compare_result(others, plain, downsample + 1, NULL, sizes, 2, NULL);
  assert_same_comparison(plain_coarse, coarse);
}

static void
test_counted(void)
{
  static const double boxes[][4] = { { 31, 17, 361, 367 }, { 40.3, 25.7, 190, 120.5 } };
  g_autoptr(GRand) chance = g_rand_new_with_seed(11);
  for (guint i = 0; i < 3; i++) {
    check_counted("nuclei-threshold", 1 + i, boxes[0], chance);
    check_counted("nuclei-threshold", 1 + i % 2, boxes[1], chance);
    check_counted("nuclei", 1, boxes[i % 2], chance);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/compare/fates", test_fates);
  g_test_add_func("/compare/truth", test_truth);
  g_test_add_func("/compare/kept", test_kept);
  g_test_add_func("/compare/counted", test_counted);
  return g_test_run();
}
