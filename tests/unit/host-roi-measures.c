/* SPDX-License-Identifier: MIT
 *
 * What regions measure, against going through all objects for each of them: by class, in runs of a rectangle and of regions, where a result
 * does not cover a region, with and without a pixel size. */
#include <math.h>

#include "results/vt-roi-measures.h"
#include "run/vt-run-private.h"

enum { SIDE = 1000, N_OBJECTS = 3000 };

static const VitrailOp op = { .size = sizeof op, .id = "cells" };

static VtResult *
make_result(GRand *rand, double x, double y, double width, double height, guint n)
{
  VtResult *result = vt_result_new(&op);
  result->x_l0 = (gint64)x;
  result->y_l0 = (gint64)y;
  result->width_l0 = (gint64)width;
  result->height_l0 = (gint64)height;
  result->objects = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < n; i++) {
    const VtObject object = { .id = i + 1,
                              .centroid_x_l0 = x + g_rand_double_range(rand, 0, width),
                              .centroid_y_l0 = y + g_rand_double_range(rand, 0, height) };
    g_ptr_array_add(result->objects, vt_object_copy(&object));
  }
  return result;
}

static VtRoi *
make_roi(GRand *rand)
{
  double points[10];
  for (guint i = 0; i < G_N_ELEMENTS(points); i++)
    points[i] = g_rand_int_range(rand, 0, SIDE + 1);
  return vt_roi_new_polygon("a", points, G_N_ELEMENTS(points) / 2);
}

static guint
count(const GPtrArray *objects, const VtRoi *roi, const guint8 *classes, int cls)
{
  guint n = 0;
  for (guint i = 0; i < objects->len; i++) {
    const VtObject *object = objects->pdata[i];
    n += vt_roi_contains(roi, object->centroid_x_l0, object->centroid_y_l0) && (cls < 0 || classes[i] == cls);
  }
  return n;
}

static void
test_counts(void)
{
  static const guint8 grey[3] = { 1, 2, 3 };
  g_autoptr(GRand) rand = g_rand_new_with_seed(3);
  g_autoptr(VtResult) result = make_result(rand, 0, 0, SIDE, SIDE, N_OBJECTS);
  g_autoptr(GPtrArray) rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  g_autofree guint8 *classes = g_new(guint8, N_OBJECTS);
  VtClassifier classifier = { .model = vt_model_new("cells") };
  const VtClassified classified = { .list = classifier.model->classes,
                                    .classifier = &classifier,
                                    .of = result->objects,
                                    .n = N_OBJECTS,
                                    .classes = classes };
  vt_model_add_class(classifier.model, "Tumor", grey, FALSE);
  vt_model_add_class(classifier.model, "Dirt", grey, TRUE);
  vt_model_add_class(classifier.model, "Immune", grey, FALSE);
  for (guint i = 0; i < N_OBJECTS; i++)
    classes[i] = (guint8)g_rand_int_range(rand, 0, 3);
  for (guint i = 0; i < 40; i++)
    g_ptr_array_add(rois, make_roi(rand));
  g_autoptr(VtRoiMeasures) all = vt_roi_measures_new(rois, 0.5, 0.25, result, NULL);
  g_autoptr(VtRoiMeasures) some = vt_roi_measures_new(rois, 0.5, 0.25, result, &classified);
  g_assert_cmpuint(all->names->len, ==, 4);
  g_assert_cmpuint(some->names->len, ==, 8);
  g_assert_cmpstr(some->names->pdata[6], ==, "Objects: Immune");
  g_assert_cmpstr(some->names->pdata[7], ==, "Objects: Immune / mm^2");
  for (guint i = 0; i < rois->len; i++) {
    const double *a = vt_roi_measures_get(all, i), *b = vt_roi_measures_get(some, i);
    const guint tumor = count(result->objects, rois->pdata[i], classes, 0);
    const guint immune = count(result->objects, rois->pdata[i], classes, 2);
    g_assert_cmpfloat(a[VT_ROI_OBJECTS], ==, count(result->objects, rois->pdata[i], NULL, -1));
    g_assert_cmpfloat(b[VT_ROI_OBJECTS], ==, tumor + immune);
    g_assert_cmpfloat(b[4], ==, tumor);
    g_assert_cmpfloat(b[6], ==, immune);
    g_assert_cmpfloat_with_epsilon(b[7] * b[VT_ROI_AREA] / 1e6, immune, 1e-9);
  }
  vt_model_free(classifier.model);
}

static void
test_cover(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(4);
  g_autoptr(VtResult) result = make_result(rand, 100, 100, 500, 500, 200);
  g_autoptr(GPtrArray) rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  g_ptr_array_add(rois, vt_roi_new_rectangle("in", 100, 100, 500, 500));
  g_ptr_array_add(rois, vt_roi_new_rectangle("over", 99, 100, 400, 400));
  result->is_preview = TRUE;
  g_autoptr(VtRoiMeasures) measures = vt_roi_measures_new(rois, 0, 0, result, NULL);
  const double *in = vt_roi_measures_get(measures, 0), *over = vt_roi_measures_get(measures, 1);
  g_assert_cmpfloat(in[VT_ROI_AREA], ==, 250000);
  g_assert_cmpfloat(in[VT_ROI_PERIMETER], ==, 2000);
  g_assert_cmpfloat(in[VT_ROI_OBJECTS], ==, 200);
  g_assert_cmpfloat(in[VT_ROI_DENSITY], ==, 0.8);
  g_assert_cmpfloat(over[VT_ROI_AREA], ==, 160000);
  g_assert_true(isnan(over[VT_ROI_OBJECTS]) && isnan(over[VT_ROI_DENSITY]));
  g_assert_cmpstr(measures->objects_of, ==, "cells (preview)");
  g_assert_cmpstr(measures->names->pdata[VT_ROI_DENSITY], ==, "Objects / 1000 px^2");
  g_autoptr(VtRoiMeasures) none = vt_roi_measures_new(rois, 0, 0, NULL, NULL);
  g_assert_true(isnan(vt_roi_measures_get(none, 0)[VT_ROI_OBJECTS]) && !none->objects_of);
}

/* Two regions that overlap: what lies in both is in the lists of both, and is not counted twice in either. */
static void
test_parts(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(5);
  g_autoptr(VtResult) all = vt_result_new(&op);
  g_autoptr(GPtrArray) rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  all->objects = g_ptr_array_new();
  all->parts = g_ptr_array_new_with_free_func((GDestroyNotify)vt_result_unref);
  for (guint i = 0; i < 2; i++) {
    VtResult *part = make_result(rand, 50 * i, 0, 100, 100, 300);
    part->region = vt_roi_new_rectangle("a", 50 * i, 0, 100, 100);
    for (guint k = 0; k < part->objects->len; k++)
      g_ptr_array_add(all->objects, part->objects->pdata[k]);
    g_ptr_array_add(all->parts, part);
    g_ptr_array_add(rois, vt_roi_copy(part->region));
  }
  g_ptr_array_add(rois, vt_roi_new_rectangle("inside of one", 110, 10, 20, 20));
  g_ptr_array_add(rois, vt_roi_new_rectangle("of both, covered by none", 10, 10, 120, 20));
  g_autoptr(VtRoiMeasures) measures = vt_roi_measures_new(rois, 1, 1, all, NULL);
  const VtResult *second = all->parts->pdata[1];
  g_assert_cmpfloat(vt_roi_measures_get(measures, 0)[VT_ROI_OBJECTS], ==, 300);
  g_assert_cmpfloat(vt_roi_measures_get(measures, 1)[VT_ROI_OBJECTS], ==, 300);
  g_assert_cmpfloat(vt_roi_measures_get(measures, 2)[VT_ROI_OBJECTS], ==,
                    count(second->objects, rois->pdata[2], NULL, -1));
  g_assert_true(isnan(vt_roi_measures_get(measures, 3)[VT_ROI_OBJECTS]));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/roi-measures/counts", test_counts);
  g_test_add_func("/roi-measures/cover", test_cover);
  g_test_add_func("/roi-measures/parts", test_parts);
  return g_test_run();
}
