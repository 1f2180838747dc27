/* SPDX-License-Identifier: MIT
 *
 * Classes by thresholds against going through all objects, with values that are no numbers and on the thresholds themselves; their scores, of all
 * objects, of a part and of regions; and what is refused. */
#include <math.h>

#include "results/vt-roi-measures.h"
#include "run/vt-run-private.h"

enum { N = 4000, SIDE = 1000 };

static const VitrailOp op = { .size = sizeof op, .id = "cells" };
static const char *names[] = { "Cell: DAB OD mean", "Nucleus: Area µm^2", "Nucleus: DAB OD mean" };

/* A third lies on the thresholds themselves. */
static double
make_value(GRand *rand)
{
  static const double values[] = { 0.2, 0.4, 0.6, NAN, INFINITY, -INFINITY };
  const gint k = g_rand_int_range(rand, 0, 18);
  return k < 6 ? values[k] : g_rand_double_range(rand, 0, 1);
}

static GPtrArray *
make_objects(GRand *rand)
{
  GPtrArray *objects = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < N; i++) {
    const double values[] = { g_rand_double(rand), i, make_value(rand) };
    const VtObject object = { .id = i + 1,
                              .centroid_x_l0 = g_rand_double_range(rand, 0, SIDE),
                              .centroid_y_l0 = g_rand_double_range(rand, 0, SIDE),
                              .n_measurements = G_N_ELEMENTS(names),
                              .measurements = values,
                              .measurement_names = names };
    g_ptr_array_add(objects, vt_object_copy(&object));
  }
  return objects;
}

static double
get_value(const GPtrArray *objects, guint i)
{
  return ((const VtObject *)objects->pdata[i])->measurements[2];
}

static guint
count(const GPtrArray *objects, double from, double under, const VtRoi *roi)
{
  guint n = 0;
  for (guint i = 0; i < objects->len; i++) {
    const VtObject *object = objects->pdata[i];
    const double value = get_value(objects, i);
    n += value >= from && (value < under || (isinf(under) && value == under))
         && (!roi || vt_roi_contains(roi, object->centroid_x_l0, object->centroid_y_l0));
  }
  return n;
}

static void
test_classes(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(1);
  g_autoptr(GPtrArray) objects = make_objects(rand);
  VtIntensity one, three;
  g_assert_true(vt_intensity_parse("DAB OD mean:0.2,0.4,0.6", &three, NULL));
  g_assert_true(vt_intensity_parse("Nucleus: DAB OD mean: 0.4", &one, NULL));
  g_autoptr(VtClassified) a = vt_intensity_classify(&three, objects, NULL, NULL);
  g_autoptr(VtClassified) b = vt_intensity_classify(&one, objects, NULL, NULL);
  g_assert_cmpstr(a->intensity.measurement, ==, names[2]);
  const double limits[] = { -INFINITY, 0.2, 0.4, 0.6, INFINITY };
  const VtIntensityScore score = vt_intensity_score_all(a);
  for (guint k = 0; k < 4; k++)
    g_assert_cmpuint(score.counts[k], ==, count(objects, limits[k], limits[k + 1], NULL));
  const guint n = count(objects, -INFINITY, INFINITY, NULL);
  g_assert_cmpuint(score.n, ==, n);
  g_assert_cmpuint(score.n_without, ==, N - n);
  g_assert_cmpuint(score.n_without, >, 100);
  double percents[4];
  for (guint k = 0; k < 4; k++)
    percents[k] = 100.0 * (double)score.counts[k] / n;
  g_assert_cmpfloat_with_epsilon(vt_intensity_score_get_percent(&score), percents[1] + percents[2] + percents[3], 1e-9);
  g_assert_cmpfloat_with_epsilon(vt_intensity_score_get_h(&score), percents[1] + 2 * percents[2] + 3 * percents[3],
                                 1e-9);
  for (guint i = 0; i < N; i++) {
    const VtModelClass *cls = vt_classified_get(b, i);
    const double value = get_value(objects, i);
    g_assert_cmpstr(cls ? cls->name : NULL, ==, isnan(value) ? NULL : value >= 0.4 ? "Positive" : "Negative");
  }
  const VtIntensityScore part = vt_intensity_score(a, 100, 50), all = vt_intensity_score(a, 0, N);
  g_assert_cmpuint(part.n + part.n_without, ==, 50);
  g_assert_cmpmem(&all, sizeof all, &score, sizeof score);
}

/* What examples leave out keeps its class, and is counted nowhere. */
static void
test_taught(void)
{
  static const guint8 grey[3] = { 1, 2, 3 };
  g_autoptr(GRand) rand = g_rand_new_with_seed(2);
  g_autoptr(GPtrArray) objects = make_objects(rand);
  g_autoptr(VtModel) model = vt_model_new("cells");
  vt_model_add_class(model, "Tumor", grey, FALSE);
  vt_model_add_class(model, "Dirt", grey, TRUE);
  g_autoptr(VtClassified) taught = vt_classified_new_empty(model->classes, objects);
  for (guint i = 0; i < N; i++)
    taught->classes[i] = i % 5 == 0;
  vt_classified_count(taught);
  VtIntensity intensity;
  g_assert_true(vt_intensity_parse("DAB OD mean:0.2", &intensity, NULL));
  g_autoptr(VtClassified) found = vt_intensity_classify(&intensity, objects, taught, NULL);
  VtIntensityScore slow = { 0 };
  for (guint i = 0; i < N; i++) {
    const double value = get_value(objects, i);
    g_autofree char *name = vt_classified_dup_name(found, i);
    g_assert_cmpstr(name, ==,
                    i % 5 == 0     ? "Dirt"
                    : isnan(value) ? "Tumor"
                    : value >= 0.2 ? "Tumor: Positive"
                                   : "Tumor: Negative");
    slow.n_left_out += i % 5 == 0;
    slow.n_without += i % 5 != 0 && isnan(value);
    slow.counts[0] += i % 5 != 0 && value < 0.2;
    slow.counts[1] += i % 5 != 0 && value >= 0.2;
  }
  slow.n = slow.counts[0] + slow.counts[1];
  const VtIntensityScore score = vt_intensity_score_all(found);
  g_assert_cmpmem(&score, sizeof score, &slow, sizeof slow);
  g_assert_cmpuint(found->n_left_out, ==, N / 5);
}

static void
test_regions(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(3);
  g_autoptr(VtResult) result = vt_result_new(&op);
  g_autoptr(GPtrArray) rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  VtIntensity intensity;
  result->width_l0 = result->height_l0 = SIDE;
  result->objects = make_objects(rand);
  for (guint i = 0; i < 20; i++) {
    double points[10];
    for (guint k = 0; k < G_N_ELEMENTS(points); k++)
      points[k] = g_rand_int_range(rand, 0, SIDE + 1);
    g_ptr_array_add(rois, vt_roi_new_polygon("a", points, G_N_ELEMENTS(points) / 2));
  }
  g_ptr_array_add(rois, vt_roi_new_rectangle("without an object", 0, 0, 1e-9, 1e-9));
  g_ptr_array_add(rois, vt_roi_new_rectangle("not covered", -5, 0, 100, 100));
  g_assert_true(vt_intensity_parse("DAB OD mean:0.2,0.4,0.6", &intensity, NULL));
  g_autoptr(VtClassified) classified = vt_intensity_classify(&intensity, result->objects, NULL, NULL);
  g_autoptr(VtRoiMeasures) measures = vt_roi_measures_new(rois, 1, 1, result, classified);
  g_assert_cmpuint(vt_roi_measures_get_n_score(measures), ==, 3);
  g_assert_cmpuint(measures->names->len, ==, VT_ROI_N_MEASURES + 3 + 2 * 4);
  g_assert_cmpstr(measures->names->pdata[VT_ROI_H + 1], ==, "Objects: Negative");
  g_assert_cmpstr(measures->names->pdata[VT_ROI_PERCENT], ==, "Positive %");
  g_assert_cmpstr(measures->names->pdata[VT_ROI_H], ==, "H-score");
  for (guint i = 0; i < 20; i++) {
    const double *values = vt_roi_measures_get(measures, i);
    const VtRoi *roi = rois->pdata[i];
    const double n = count(result->objects, -INFINITY, INFINITY, roi);
    const double above[] = { count(result->objects, 0.2, INFINITY, roi), count(result->objects, 0.4, INFINITY, roi),
                             count(result->objects, 0.6, INFINITY, roi) };
    g_assert_cmpfloat(values[VT_ROI_SCORED], ==, n);
    g_assert_cmpfloat(values[VT_ROI_H + 3], ==, above[0] - above[1]);
    g_assert_cmpfloat(values[VT_ROI_OBJECTS], >=, n); /* those without a value are objects, too */
    g_assert_cmpfloat_with_epsilon(values[VT_ROI_PERCENT], 100 * above[0] / n, 1e-9);
    g_assert_cmpfloat_with_epsilon(values[VT_ROI_H], 100 * (above[0] + above[1] + above[2]) / n, 1e-9);
  }
  const double *none = vt_roi_measures_get(measures, 20), *unknown = vt_roi_measures_get(measures, 21);
  g_assert_true(none[VT_ROI_SCORED] == 0 && isnan(none[VT_ROI_PERCENT]) && isnan(none[VT_ROI_H]));
  g_assert_true(isnan(unknown[VT_ROI_SCORED]) && isnan(unknown[VT_ROI_PERCENT]) && isnan(unknown[VT_ROI_H]));
}

static void
refuse(const char *text, const char *words)
{
  g_autoptr(GError) error = NULL;
  VtIntensity intensity;
  g_assert_false(vt_intensity_parse(text, &intensity, &error));
  g_test_message("%s: %s", text, error->message);
  g_assert_nonnull(strstr(error->message, words));
}

static void
test_refusals(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(4);
  g_autoptr(GPtrArray) objects = make_objects(rand), nobody = g_ptr_array_new();
  static const char *const more[] = { "Cell: A", "Cytoplasm: A" };
  refuse("DAB OD mean", "such as");
  refuse("DAB OD mean:", "such as");
  refuse(":0.2", "such as");
  refuse("", "such as");
  refuse("DAB OD mean:0.2,x", "such as");
  refuse("DAB OD mean:0.2 0.4", "such as");
  refuse("DAB OD mean:0.2,0.4", "one threshold");
  refuse("DAB OD mean:1,2,3,4", "one threshold");
  refuse("DAB OD mean:0.2,0.6,0.4", "must rise: each class begins above");
  refuse("DAB OD mean:0.2,0.2,0.4", "must rise");
  refuse("DAB OD mean:nan", "must be a number");
  refuse("DAB OD mean:inf", "must be a number");
  for (guint i = 0; i < 2; i++) {
    g_autoptr(GError) error = NULL;
    VtIntensity intensity;
    const VtObject both = { .n_measurements = 2, .measurement_names = more };
    g_assert_true(vt_intensity_parse(i == 0 ? "Eosin OD mean:0.2" : "A:0.2", &intensity, NULL));
    if (i == 0)
      g_assert_null(vt_intensity_classify(&intensity, objects, NULL, &error));
    else
      g_assert_cmpint(vt_intensity_find("A", &both, &error), <, 0);
    g_test_message("%s", error->message);
    g_assert_nonnull(strstr(error->message, i == 0 ? "no measurement “Eosin OD mean”" : "give the whole name"));
  }
  VtIntensity intensity = vt_intensity_make(3);
  intensity.measurement = names[2];
  g_autoptr(VtClassified) none = vt_intensity_classify(&intensity, nobody, NULL, NULL);
  const VtIntensityScore score = vt_intensity_score_all(none);
  g_assert_true(isnan(vt_intensity_score_get_percent(&score)) && isnan(vt_intensity_score_get_h(&score)));
  g_autofree char *text = vt_intensity_score_dup_text(&score, &intensity);
  g_assert_cmpstr(text, ==, "– (no objects to score); Nucleus: DAB OD mean ≥ 0.2 / 0.4 / 0.6");
  g_autofree char *again = vt_intensity_to_text(&intensity);
  g_assert_cmpstr(again, ==, "Nucleus: DAB OD mean:0.2,0.4,0.6");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    names[i] = g_intern_string(names[i]);
  g_test_add_func("/intensity/classes", test_classes);
  g_test_add_func("/intensity/taught", test_taught);
  g_test_add_func("/intensity/regions", test_regions);
  g_test_add_func("/intensity/refusals", test_refusals);
  return g_test_run();
}
