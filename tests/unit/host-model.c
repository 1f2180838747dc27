/* SPDX-License-Identifier: MIT
 *
 * Models: taught in any order the same file and the same answers on any number of threads; read again; refused with a place. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "host-support.h"
#include "results/vt-correction-lessons.h"
#include "run/vt-model.h"

enum { N = 300, N_FEATURES = 5 };

static const char *names[N_FEATURES];

static VtObject *
make_object(GRand *rand, gint64 id, guint cls)
{
  double values[N_FEATURES];
  for (guint i = 0; i < N_FEATURES; i++)
    values[i] = g_rand_double(rand);
  values[2] += cls;
  values[4] = g_rand_int_range(rand, 0, 9) == 0 ? NAN : values[4];
  const VtObject object = { .id = id,
                            .centroid_x_l0 = g_rand_double_range(rand, 0, 1e5),
                            .centroid_y_l0 = g_rand_double_range(rand, 0, 1e5),
                            .n_measurements = N_FEATURES,
                            .measurements = values,
                            .measurement_names = names };
  return vt_object_copy(&object);
}

static VtModel *
make_model(void)
{
  static const guint8 colours[3][3] = { { 255, 0, 0 }, { 0, 255, 0 }, { 1, 2, 3 } };
  VtModel *model = vt_model_new("nuclei-threshold");
  g_assert_cmpint(vt_model_add_class(model, "Tumour \"A\"", colours[0], FALSE), ==, 0);
  g_assert_cmpint(vt_model_add_class(model, "Lymphocyte", colours[1], FALSE), ==, 1);
  g_assert_cmpint(vt_model_add_class(model, "Not a nucleus", colours[2], TRUE), ==, 2);
  g_ptr_array_add(model->params, g_strdup("min-area=12"));
  return model;
}

static GPtrArray *
make_objects(guint n, guint32 seed)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
  GPtrArray *objects = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add(objects, make_object(rand, i + 1, i % 3));
  return objects;
}

static void
test_orders(void)
{
  g_autoptr(GPtrArray) objects = make_objects(N, 5), others = make_objects(2000, 6);
  g_autofree char *first = NULL;
  g_autofree guint8 *classes = NULL;
  g_autofree guint16 *margins = NULL;
  for (guint turn = 0; turn < 3; turn++) {
    g_autoptr(VtModel) model = make_model();
    for (guint i = 0; i < N; i++) {
      const guint k = (i * (turn == 0 ? 1 : turn == 1 ? 7 : 299)) % N;
      g_assert_true(vt_model_teach(model, "a.svs", objects->pdata[k], (gint)(k % 3), NULL));
    }
    g_autofree char *text = vt_model_to_text(model);
    g_autoptr(VtClassifier) classifier = vt_classifier_new(model, turn + 1, NULL);
    g_autoptr(VtClassified) found = vt_classified_new(classifier, others, turn + 1, NULL);
    guint right = 0, left_out = 0;
    for (guint i = 0; i < others->len; i++) {
      right += found->classes[i] == i % 3;
      left_out += found->classes[i] == 2;
      g_assert_true(vt_classified_get(found, i) == classifier->model->classes->pdata[found->classes[i]]);
    }
    g_assert_cmpuint(right, >, 1950);
    g_assert_cmpuint(left_out, ==, found->n_left_out);
    g_assert_cmpuint(classifier->check.n, ==, N);
    if (turn == 0) {
      first = g_steal_pointer(&text);
      classes = g_memdup2(found->classes, others->len);
      margins = g_memdup2(found->margins, others->len * sizeof *margins);
    } else {
      g_assert_cmpstr(text, ==, first);
      g_assert_cmpmem(found->classes, others->len, classes, others->len);
      g_assert_cmpmem(found->margins, 2 * others->len, margins, 2 * others->len);
    }
  }
  g_autoptr(VtModel) read = vt_model_parse(first, "model", NULL);
  g_assert_nonnull(read);
  g_autofree char *again = vt_model_to_text(read);
  g_assert_cmpstr(again, ==, first);
  g_autoptr(VtClassifier) classifier = vt_classifier_new(read, 1, NULL);
  g_autoptr(VtClassified) found = vt_classified_new(classifier, others, 1, NULL);
  g_assert_cmpmem(found->margins, 2 * others->len, margins, 2 * others->len);
}

static void
test_teaching(void)
{
  g_autoptr(GPtrArray) objects = make_objects(9, 1);
  g_autoptr(VtModel) model = make_model();
  g_autoptr(GError) error = NULL;
  g_assert_null(vt_classifier_new(model, 1, &error));
  g_assert_nonnull(error);
  g_clear_error(&error);
  g_assert_cmpint(vt_model_get_taught(model, "a", objects->pdata[0]), ==, -1);
  g_assert_true(vt_model_teach(model, "a", objects->pdata[0], 1, NULL));
  g_assert_true(vt_model_teach(model, "a", objects->pdata[0], 2, NULL));
  g_assert_cmpint(vt_model_get_taught(model, "a", objects->pdata[0]), ==, 2);
  g_assert_cmpint(vt_model_get_taught(model, "b", objects->pdata[0]), ==, -1);
  g_assert_cmpuint(model->examples->len, ==, 1);
  g_assert_true(vt_model_teach(model, "a", objects->pdata[1], 0, NULL));
  g_autoptr(VtClassifier) two = vt_classifier_new(model, 1, NULL); /* the class in the middle has no example */
  g_autoptr(VtClassified) found = vt_classified_new(two, objects, 1, NULL);
  for (guint i = 0; i < objects->len; i++)
    g_assert_cmpuint(found->classes[i], !=, 1);
  VtObject *lacks = vt_object_copy(objects->pdata[2]);
  lacks->n_measurements = 3;
  g_assert_false(vt_model_teach(model, "a", lacks, 0, &error));
  g_assert_nonnull(strstr(error->message, names[3]));
  g_free(lacks);
  vt_model_remove_class(model, 0);
  g_assert_cmpuint(model->classes->len, ==, 2);
  g_assert_cmpint(vt_model_get_taught(model, "a", objects->pdata[0]), ==, 1);
  g_assert_true(vt_model_teach(model, "a", objects->pdata[0], -1, NULL));
  g_assert_cmpuint(model->features->len + model->examples->len, ==, 0);
}

/* A candidate: what a run tells of it, then its features. */
static VtObject *
make_candidate(guint k)
{
  enum { N_NUMBERS = VT_CANDIDATE_FEATURES + 2 };
  static const char *const raw[N_NUMBERS] = { VT_CANDIDATE_SCORE, VT_CANDIDATE_CHOSEN, VT_CANDIDATE_MARGIN, "Feature 1",
                                              "Feature 2" };
  const char *interned[N_NUMBERS];
  const double values[N_NUMBERS] = { 0.5, 1, 0.1, 1000.0 * k, -5.0 * k };
  for (guint i = 0; i < N_NUMBERS; i++)
    interned[i] = g_intern_static_string(raw[i]);
  const VtObject object = { .id = k + 1,
                            .centroid_x_l0 = 10.25 * k,
                            .centroid_y_l0 = 3,
                            .n_measurements = N_NUMBERS,
                            .measurements = values,
                            .measurement_names = interned };
  return vt_object_copy(&object);
}

static void
test_score(void)
{
  g_autoptr(VtTaught) first = NULL;
  g_autoptr(GError) error = NULL;
  for (guint turn = 0; turn < 3; turn++) {
    g_autoptr(VtModel) model = vt_model_new_score("nuclei", "sha256:12");
    g_assert_null(vt_model_new_taught(model, &error));
    g_assert_nonnull(strstr(error->message, "no examples"));
    g_clear_error(&error);
    for (guint i = 0; i < 20; i++) {
      g_autofree VtObject *candidate = make_candidate(turn == 1 ? 19 - i : i * 7 % 20);
      g_assert_true(vt_model_teach(model, "a", candidate, candidate->id % 2, NULL));
    }
    g_assert_cmpuint(model->features->len, ==, 2);
    g_autoptr(VtTaught) taught = vt_model_new_taught(model, NULL);
    g_assert_cmpuint(taught->n_numbers, ==, 20 * 3);
    g_assert_cmpstr(taught->of, ==, "sha256:12");
    if (!first)
      first = vt_taught_ref(taught);
    g_assert_cmpstr(taught->hash, ==, first->hash);
    g_assert_cmpstr(taught->text, ==, first->text);
    g_autoptr(VtModel) read = vt_model_parse(taught->text, "model", &error);
    g_assert_no_error(error);
    g_assert_cmpstr(read->score, ==, "sha256:12");
    g_autoptr(VtTaught) again = vt_model_new_taught(read, NULL);
    g_assert_cmpstr(again->text, ==, first->text);
    ((VtModelExample *)read->examples->pdata[3])->values[0] = 0.5;
    g_assert_null(vt_model_new_taught(read, &error));
    g_assert_nonnull(strstr(error->message, "whole numbers"));
    g_clear_error(&error);
  }
  g_autofree char *plain = g_strdup(strstr(first->text, "  \"params\""));
  g_autofree char *lost = g_strconcat("{\n  \"vitrail-model\": 1,\n  \"op\": \"nuclei\",\n", plain, NULL);
  g_assert_null(vt_model_parse(lost, "model", &error)); /* without its score it is another model */
  g_assert_nonnull(strstr(error->message, "The hash is not that"));
}

static void
test_refusals(void)
{
  static const struct {
    const char *was, *is, *sentence;
  } changes[] = {
    { "\"op\": \"nuclei-threshold\"", "\"op\": 7", "line 3, column" },
    { "\"vitrail-model\": 1", "\"vitrail-model\": 2", "line 2, column" },
    { "\"params\"", "\"param\"", "There is no key “param”" },
    { "\"colour\": \"#ff0000\"", "\"colour\": \"red\"", "a colour such as" },
    { "\"class\": 0", "\"class\": 3", "number of one of the classes" },
    { "\"min-area=12\"", "\"min-area=13\"", "The hash is not that" },
    { "\"Lymphocyte\"", "\"Not a nucleus\"", "there twice" },
    { "\"Nucleus: b\"", "\"Nucleus: a\"", "there twice" },
    { ", \"left-out\": true", "", "“left-out” is missing" },
    { "[\"min-area=12\"]", "{}", "a list is needed" },
    { "\"hash\"", "\"hash", "JSON" },
    { "\"x\": ", "\"x\": NaN, \"y\": ", "this is no number" },
    { "\"x\": ", "\"x\": -Infinity, \"y\": ", "this is no number" },
    { "\"x\": ", "\"x\": 1e999, \"y\": ", "this number is too large" },
    { "\"x\": ", "\"x\": -99999999999999999999, \"y\": ", "this number is too large" },
    { "\"x\": ", "\"x\": 0x1, \"y\": ", "this is no number" },
    { "\"class\": 0", "\"class\": 00", "line 13, column" },
  };
  g_autoptr(GPtrArray) objects = make_objects(9, 1);
  g_autoptr(VtModel) model = make_model();
  for (guint i = 0; i < 9; i++)
    vt_model_teach(model, "a", objects->pdata[i], (gint)(i % 3), NULL);
  g_autofree char *text = vt_model_to_text(model);
  for (guint i = 0; i < G_N_ELEMENTS(changes); i++) {
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) parts = g_strsplit(text, changes[i].was, 2);
    g_assert_cmpuint(g_strv_length(parts), ==, 2);
    g_autofree char *changed = g_strjoinv(changes[i].is, parts);
    g_assert_null(vt_model_parse(changed, "model.json", &error));
    g_assert_nonnull(error);
    g_test_message("%s", error->message);
    g_assert_true(g_str_has_prefix(error->message, "model.json, line "));
    g_assert_nonnull(strstr(error->message, changes[i].sentence));
  }
}

/* Brackets in brackets, as deep as no reader that calls itself gets. */
static void
test_deep(void)
{
  enum { DEPTH = 200000 };
  g_autoptr(GError) error = NULL;
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "deep.json", NULL);
  g_autofree char *text = g_malloc(DEPTH);
  memset(text, '[', DEPTH);
  g_assert_true(g_file_set_contents(path, text, DEPTH, NULL));
  g_assert_null(vt_model_load(path, &error));
  assert_sentence(error);
  g_assert_nonnull(strstr(error->message, "nested too deeply"));
  remove_folder(folder);
}

/* --- what corrections by hand teach --- */

static void
add_scored(GPtrArray *candidates, double x, double y, double width, double height, gboolean is_chosen, double score)
{
  static const char *const told[] = { VT_CANDIDATE_SCORE, VT_CANDIDATE_CHOSEN, VT_CANDIDATE_MARGIN, "Feature 1" };
  const double measurements[] = { score, is_chosen, 0.1, 1 };
  const double points[] = { x, y, x + width, y, x + width, y + height, x, y + height };
  const guint32 sizes[] = { 4 };
  const VtObject object = { .n_rings = 1,
                            .n_points = 4,
                            .n_measurements = 4,
                            .ring_sizes = sizes,
                            .points = points,
                            .measurements = measurements,
                            .measurement_names = told };
  g_ptr_array_add(candidates, vt_object_copy(&object));
}

static void
add_candidate(GPtrArray *candidates, double x, double y, double width, double height, gboolean is_chosen)
{
  add_scored(candidates, x, y, width, height, is_chosen, 0.5);
}

/* Takes both lists. is: a letter for each candidate: Right, Wrong, or nothing. */
static void
expect_lessons(const GPtrArray *candidates, VtCorrectionKind kind, GPtrArray *before, GPtrArray *after, const char *is,
               guint n_without)
{
  g_autoptr(VtCorrection) correction = vt_correction_new(kind, before, after);
  g_autoptr(GArray) lessons = g_array_new(FALSE, FALSE, sizeof(VtCorrectionLesson));
  g_autoptr(VtCandidateShapes) shapes = vt_candidate_shapes_new(candidates);
  g_autofree char *letters = g_strnfill(candidates->len, '-');
  g_assert_cmpuint(vt_correction_find_lessons(correction, shapes, lessons), ==, n_without);
  for (guint i = 0; i < lessons->len; i++) {
    const VtCorrectionLesson *lesson = &g_array_index(lessons, VtCorrectionLesson, i);
    letters[lesson->candidate] = lesson->is_right ? 'R' : 'W';
  }
  g_assert_cmpstr(letters, ==, is);
}

/* A clump of 20 x 10 that was chosen, its halves, one of them once more but smaller, and another nucleus that was chosen. */
static void
test_lessons(void)
{
  g_autoptr(GPtrArray) candidates = g_ptr_array_new_with_free_func(g_free), none = g_ptr_array_new();
  g_autoptr(VtRoi) clump = vt_roi_new_rectangle(NULL, 0, 0, 20, 10), left = vt_roi_new_rectangle(NULL, 0, 0, 9, 10);
  g_autoptr(VtRoi) right = vt_roi_new_rectangle(NULL, 9, 0, 11, 10), other = vt_roi_new_rectangle(NULL, 40, 0, 10, 10);
  g_autoptr(VtRoi) wide = vt_roi_new_rectangle(NULL, 0, 0, 50, 10), far = vt_roi_new_rectangle(NULL, 70, 0, 10, 10);
  g_autoptr(VtRoi) shifted = vt_roi_new_rectangle(NULL, 43, 0, 10, 10), thin = vt_roi_new_rectangle(NULL, 0, 0, 20, 2);
  add_candidate(candidates, 0, 0, 20, 10, TRUE);
  add_candidate(candidates, 0, 0, 10, 10, FALSE);
  add_candidate(candidates, 10, 0, 10, 10, FALSE);
  add_candidate(candidates, 12, 0, 8, 9, FALSE);
  add_candidate(candidates, 40, 0, 10, 10, TRUE);
  expect_lessons(candidates, VT_CORRECTION_SPLIT, rois_new(clump, NULL), rois_new(left, right), "WRR--", 0);
  expect_lessons(candidates, VT_CORRECTION_SPLIT, rois_new(clump, NULL), rois_new(left, thin), "WR---", 1);
  expect_lessons(candidates, VT_CORRECTION_SPLIT, rois_new(clump, NULL), rois_new(thin, thin), "-----", 2);
  expect_lessons(candidates, VT_CORRECTION_JOINED, rois_new(left, right), rois_new(clump, NULL), "RWW--", 0);
  expect_lessons(candidates, VT_CORRECTION_JOINED, rois_new(clump, other), rois_new(wide, NULL), "-----", 1);
  expect_lessons(candidates, VT_CORRECTION_DELETED, rois_new(other, NULL), rois_new(NULL, NULL), "----W", 0);
  expect_lessons(candidates, VT_CORRECTION_DELETED, rois_new(far, NULL), rois_new(NULL, NULL), "-----", 1);
  /* The whole is not right of the larger part. */
  g_autoptr(VtRoi) most = vt_roi_new_rectangle(NULL, 0, 0, 14, 10), rest = vt_roi_new_rectangle(NULL, 14, 0, 6, 10);
  expect_lessons(candidates, VT_CORRECTION_SPLIT, rois_new(clump, NULL), rois_new(most, rest), "WR-R-", 0);
  /* What was chosen and can't be chosen together with it is wrong. */
  expect_lessons(candidates, VT_CORRECTION_DRAWN, rois_new(NULL, NULL), rois_new(left, NULL), "WR---", 0);
  expect_lessons(candidates, VT_CORRECTION_DRAWN, rois_new(NULL, NULL), rois_new(far, NULL), "-----", 1);
  /* Drawn anew, and still best met by the same one. */
  expect_lessons(candidates, VT_CORRECTION_DRAWN, rois_new(other, NULL), rois_new(shifted, NULL), "----R", 0);
  expect_lessons(none, VT_CORRECTION_DELETED, rois_new(other, NULL), rois_new(NULL, NULL), "", 1);
  /* Of equals the one that was chosen. */
  add_candidate(candidates, 0, 0, 9, 10, FALSE);
  add_candidate(candidates, 0, 0, 9, 10, TRUE);
  expect_lessons(candidates, VT_CORRECTION_DELETED, rois_new(left, NULL), rois_new(NULL, NULL), "------W", 0);
}

/* Of those that agree nearly as well as the best, the one that the score likes best; not what was chosen, unless it is the best. */
static void
test_lessons_nearly(void)
{
  g_autoptr(GPtrArray) candidates = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(VtRoi) nucleus = vt_roi_new_rectangle(NULL, 0, 0, 20, 20), flat = vt_roi_new_rectangle(NULL, 0, 0, 20, 18);
  add_scored(candidates, 0, 0, 20, 20, FALSE, 0.2);
  add_scored(candidates, 0, 0, 20, 19, FALSE, 0.3);
  add_scored(candidates, 0, 0, 20, 16, FALSE, 0.6);
  expect_lessons(candidates, VT_CORRECTION_DRAWN, rois_new(NULL, NULL), rois_new(nucleus, NULL), "-R-", 0);
  add_scored(candidates, 0, 0, 19, 20, TRUE, 0.7);
  expect_lessons(candidates, VT_CORRECTION_DRAWN, rois_new(NULL, NULL), rois_new(nucleus, NULL), "-R-W", 0);
  add_scored(candidates, 0, 0, 20, 18, TRUE, 0.1);
  expect_lessons(candidates, VT_CORRECTION_DRAWN, rois_new(NULL, NULL), rois_new(flat, NULL), "---WR", 0);
}

int
main(int argc, char **argv)
{
  static const char *const raw[N_FEATURES] = { "Nucleus: a", "Nucleus: b", "Nucleus: c", "Nucleus: d", "Nucleus: e" };
  for (guint i = 0; i < N_FEATURES; i++)
    names[i] = g_intern_static_string(raw[i]);
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/model/orders", test_orders);
  g_test_add_func("/model/teaching", test_teaching);
  g_test_add_func("/model/score", test_score);
  g_test_add_func("/model/refusals", test_refusals);
  g_test_add_func("/model/deep", test_deep);
  g_test_add_func("/model/corrections", test_lessons);
  g_test_add_func("/model/corrections-nearly", test_lessons_nearly);
  return g_test_run();
}
