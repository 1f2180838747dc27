/* SPDX-License-Identifier: MIT
 *
 * Models: taught in any order the same file and the same answers on any number of threads; read again; refused with a place. */
#include <glib.h>
#include <math.h>
#include <string.h>

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
  VtModel *model = vt_model_new("nuclei");
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
    g_autoptr(VtModel) model = vt_model_new_score("nuclei-regions", "sha256:12");
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
  g_autofree char *lost = g_strconcat("{\n  \"vitrail-model\": 1,\n  \"op\": \"nuclei-regions\",\n", plain, NULL);
  g_assert_null(vt_model_parse(lost, "model", &error)); /* without its score it is another model */
  g_assert_nonnull(strstr(error->message, "The hash is not that"));
}

static void
test_refusals(void)
{
  static const struct {
    const char *was, *is, *sentence;
  } changes[] = {
    { "\"op\": \"nuclei\"", "\"op\": 7", "line 3, column" },
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
  return g_test_run();
}
