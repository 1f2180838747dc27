/* SPDX-License-Identifier: MIT */
#include "run/vt-model.h"

#include <math.h>
#include <string.h>

#include "base/vt-error.h"
#include "base/vt-pool.h"
#include "run/vt-run-private.h"

static void
class_free(gpointer data)
{
  g_free(((VtModelClass *)data)->name);
  g_free(data);
}

static void
example_free(gpointer data)
{
  VtModelExample *example = data;
  g_free(example->image);
  g_free(example->values);
  g_free(example);
}

VtModel *
vt_model_new(const char *op)
{
  VtModel *model = g_new0(VtModel, 1);
  model->op = g_strdup(op);
  model->params = g_ptr_array_new_with_free_func(g_free);
  model->features = g_ptr_array_new();
  model->classes = g_ptr_array_new_with_free_func(class_free);
  model->examples = g_ptr_array_new_with_free_func(example_free);
  return model;
}

static gpointer
copy_text(gconstpointer text, gpointer user)
{
  return g_strdup(text);
}

static gpointer
copy_class(gconstpointer data, gpointer user)
{
  VtModelClass *copy = g_memdup2(data, sizeof *copy);
  copy->name = g_strdup(copy->name);
  return copy;
}

static gpointer
copy_example(gconstpointer data, gpointer model)
{
  VtModelExample *copy = g_memdup2(data, sizeof *copy);
  copy->image = g_strdup(copy->image);
  copy->values = g_memdup2(copy->values, ((const VtModel *)model)->features->len * sizeof *copy->values);
  return copy;
}

VtModel *
vt_model_copy(const VtModel *model)
{
  VtModel *copy = vt_model_new(model->op);
  g_ptr_array_extend(copy->params, model->params, copy_text, NULL);
  g_ptr_array_extend(copy->features, model->features, NULL, NULL);
  g_ptr_array_extend(copy->classes, model->classes, copy_class, NULL);
  g_ptr_array_extend(copy->examples, model->examples, copy_example, (gpointer)model);
  return copy;
}

void
vt_model_free(VtModel *model)
{
  g_free(model->op);
  g_ptr_array_unref(model->params);
  g_ptr_array_unref(model->features);
  g_ptr_array_unref(model->classes);
  g_ptr_array_unref(model->examples);
  g_free(model);
}

/* --- teaching --- */

gint
vt_model_add_class(VtModel *model, const char *name, const guint8 rgb[3], gboolean is_left_out)
{
  if (model->classes->len >= VT_CLASSES_MOST)
    return -1;
  VtModelClass *added = g_new0(VtModelClass, 1);
  added->name = g_strdup(name);
  memcpy(added->rgb, rgb, sizeof added->rgb);
  added->is_left_out = is_left_out;
  g_ptr_array_add(model->classes, added);
  return (gint)model->classes->len - 1;
}

void
vt_model_remove_class(VtModel *model, guint cls)
{
  for (guint i = model->examples->len; i-- > 0;) {
    VtModelExample *example = model->examples->pdata[i];
    if (example->cls == cls)
      g_ptr_array_remove_index(model->examples, i);
    else
      example->cls -= example->cls > cls;
  }
  g_ptr_array_remove_index(model->classes, cls);
  if (model->examples->len == 0)
    g_ptr_array_set_size(model->features, 0);
}

static gint64
find_example(const VtModel *model, const char *image, const VtObject *object)
{
  for (guint i = 0; i < model->examples->len; i++) {
    const VtModelExample *example = model->examples->pdata[i];
    if (example->x_l0 == object->centroid_x_l0 && example->y_l0 == object->centroid_y_l0
        && g_str_equal(example->image, image))
      return i;
  }
  return -1;
}

/* The place of each feature among the measurements of objects, which all have the same; NULL: one is missing. */
static guint *
find_features(const VtModel *model, const VtObject *object, GError **error)
{
  g_autofree guint *places = g_new(guint, model->features->len + 1);
  for (guint i = 0; i < model->features->len; i++) {
    guint k = 0;
    while (k < object->n_measurements && !g_str_equal(object->measurement_names[k], model->features->pdata[i]))
      k++;
    if (k == object->n_measurements) {
      g_set_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT,
                  "The objects have no measurement “%s”, by which the classes were taught.",
                  (const char *)model->features->pdata[i]);
      return NULL;
    }
    places[i] = k;
  }
  return g_steal_pointer(&places);
}

gboolean
vt_model_teach(VtModel *model, const char *image, const VtObject *object, gint cls, GError **error)
{
  const gint64 before = find_example(model, image, object);
  if (cls < 0) {
    if (before >= 0)
      g_ptr_array_remove_index(model->examples, (guint)before);
    if (model->examples->len == 0) /* the next one may have others */
      g_ptr_array_set_size(model->features, 0);
    return TRUE;
  }
  if (model->examples->len == 0)
    for (guint i = 0; i < MIN(object->n_measurements, VT_FOREST_MAX_FEATURES); i++)
      g_ptr_array_add(model->features, (gpointer)g_intern_string(object->measurement_names[i]));
  g_autofree guint *places = find_features(model, object, error);
  if (!places)
    return FALSE;
  if (before >= 0)
    g_ptr_array_remove_index(model->examples, (guint)before);
  VtModelExample *example = g_new0(VtModelExample, 1);
  example->cls = (guint)cls;
  example->image = g_strdup(image);
  example->x_l0 = object->centroid_x_l0;
  example->y_l0 = object->centroid_y_l0;
  example->values = g_new0(double, model->features->len + 1);
  for (guint i = 0; i < model->features->len; i++)
    example->values[i] = object->measurements[places[i]];
  g_ptr_array_add(model->examples, example);
  return TRUE;
}

gint
vt_model_get_taught(const VtModel *model, const char *image, const VtObject *object)
{
  const gint64 at = find_example(model, image, object);
  return at < 0 ? -1 : (gint)((const VtModelExample *)model->examples->pdata[at])->cls;
}

guint
vt_model_count(const VtModel *model, guint cls)
{
  guint n = 0;
  for (guint i = 0; i < model->examples->len; i++)
    n += ((const VtModelExample *)model->examples->pdata[i])->cls == cls;
  return n;
}

/* --- learning --- */

typedef struct {
  guint n_threads;
} Pool;

static void
run_jobs(void *user, uint32_t n, void (*job)(void *job_user, uint32_t index), void *job_user)
{
  vt_parallel_for(((const Pool *)user)->n_threads, n, job, job_user);
}

/* Classes without an example are left out of the forests: used[k] is the model's number of the k-th one. */
static gboolean
learn(VtClassifier *c, guint8 *used, guint n_used, guint n_threads)
{
  const VtModel *model = c->model;
  const guint n = model->examples->len, nf = model->features->len;
  g_autofree int32_t *values = g_new(int32_t, (gsize)n * nf + 1);
  g_autofree guint8 *classes = g_new(guint8, n + 1);
  Pool pool = { n_threads };
  for (guint i = 0; i < n; i++) {
    const VtModelExample *example = model->examples->pdata[i];
    for (guint k = 0; k < nf; k++)
      values[(gsize)i * nf + k] = vt_learn_value(example->values[k]);
    for (guint k = 0; k < n_used; k++)
      if (used[k] == example->cls)
        classes[i] = (guint8)k;
  }
  const VtExamples examples = { values, classes, n, nf, n_used };
  return vt_classes_train(&c->classes, &examples, run_jobs, &pool)
         && vt_classes_check(&examples, run_jobs, &pool, &c->check);
}

VtClassifier *
vt_classifier_new(const VtModel *model, guint n_threads, GError **error)
{
  guint n_used = 0;
  g_autoptr(VtClassifier) c = g_new0(VtClassifier, 1);
  c->ref_count = 1;
  c->model = vt_model_copy(model);
  for (guint k = 0; k < model->classes->len; k++)
    if (vt_model_count(model, k) > 0)
      c->used[n_used++] = (guint8)k;
  if (n_used < 2 || model->examples->len > VT_CLASSES_EXAMPLES) {
    g_set_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT,
                n_used < 2 ? "It takes examples of two classes, at least, to tell them apart."
                           : "There are more than 100,000 examples.");
    return NULL;
  }
  c->hash = vt_model_dup_hash(model);
  if (!learn(c, c->used, n_used, n_threads)) {
    g_set_error(error, VT_ERROR, VITRAIL_OUT_OF_MEMORY, "There is not enough memory to learn the classes.");
    return NULL;
  }
  return g_steal_pointer(&c);
}

VtClassifier *
vt_classifier_ref(VtClassifier *c)
{
  g_atomic_int_inc(&c->ref_count);
  return c;
}

void
vt_classifier_unref(VtClassifier *c)
{
  if (!g_atomic_int_dec_and_test(&c->ref_count))
    return;
  vt_classes_clear(&c->classes);
  vt_model_free(c->model);
  g_free(c->hash);
  g_free(c);
}

/* --- classes of objects --- */

enum { PIECE = 512 };

typedef struct {
  VtClassified *classified;
  const GPtrArray *objects;
  const guint *places;
} Classifying;

static void
classify_piece(void *user, guint32 piece)
{
  const Classifying *job = user;
  VtClassified *c = job->classified;
  const guint begin = piece * PIECE, n = MIN(c->n - begin, PIECE), nf = c->classifier->model->features->len;
  g_autofree int32_t *values = g_new(int32_t, (gsize)n * nf + 1);
  for (guint i = 0; i < n; i++) {
    const VtObject *object = job->objects->pdata[begin + i];
    for (guint k = 0; k < nf; k++)
      values[(gsize)i * nf + k] =
        vt_learn_value(job->places[k] < object->n_measurements ? object->measurements[job->places[k]] : NAN);
  }
  vt_classes_predict(&c->classifier->classes, values, n, c->classes + begin, c->margins + begin);
  for (guint i = 0; i < n; i++)
    c->classes[begin + i] = c->classifier->used[c->classes[begin + i]];
}

VtClassified *
vt_classified_new(VtClassifier *classifier, const GPtrArray *objects, guint n_threads, GError **error)
{
  g_autofree guint *places = NULL;
  if (objects->len > 0 && !(places = find_features(classifier->model, objects->pdata[0], error)))
    return NULL;
  VtClassified *c = g_new0(VtClassified, 1);
  c->ref_count = 1;
  c->classifier = vt_classifier_ref(classifier);
  c->of = g_ptr_array_ref((GPtrArray *)objects);
  c->n = objects->len;
  c->classes = g_new0(guint8, c->n + 1);
  c->margins = g_new0(guint16, c->n + 1);
  Classifying job = { c, objects, places };
  vt_parallel_for(n_threads, c->n / PIECE + (c->n % PIECE > 0), classify_piece, &job);
  for (guint i = 0; i < c->n; i++)
    c->n_left_out += vt_classified_get(c, i)->is_left_out;
  return c;
}

VtClassified *
vt_classified_ref(VtClassified *c)
{
  g_atomic_int_inc(&c->ref_count);
  return c;
}

void
vt_classified_unref(VtClassified *c)
{
  if (!g_atomic_int_dec_and_test(&c->ref_count))
    return;
  vt_classifier_unref(c->classifier);
  g_ptr_array_unref(c->of);
  g_free(c->classes);
  g_free(c->margins);
  g_free(c);
}

const VtModelClass *
vt_classified_get(const VtClassified *c, guint index)
{
  return c->classifier->model->classes->pdata[c->classes[index]];
}

double
vt_classified_get_margin(const VtClassified *c, guint index)
{
  return c->margins[index] / 65535.0;
}

/* --- results --- */

/* For the record. */
static JsonObject *
make_facts(const VtClassified *classified)
{
  const VtClassifier *classifier = classified->classifier;
  const VtModel *model = classifier->model;
  JsonObject *facts = json_object_new();
  JsonArray *classes = json_array_new();
  for (guint i = 0; i < model->classes->len; i++)
    json_array_add_string_element(classes, ((const VtModelClass *)model->classes->pdata[i])->name);
  json_object_set_string_member(facts, "hash", classifier->hash);
  json_object_set_array_member(facts, "classes", classes);
  json_object_set_int_member(facts, "examples", model->examples->len);
  json_object_set_int_member(facts, "examples-checked", classifier->check.n);
  json_object_set_int_member(facts, "examples-right", classifier->check.n_right);
  json_object_set_int_member(facts, "folds", VT_CLASSES_FOLDS);
  json_object_set_int_member(facts, "objects-left-out", classified->n_left_out);
  return facts;
}

void
vt_result_set_classified(VtResult *result, VtClassified *classified)
{
  JsonObject *record = json_node_get_object(result->record);
  VtResultFull *full = (VtResultFull *)result;
  if (classified == result->classified)
    return;
  if (!full->older)
    full->older = g_ptr_array_new_with_free_func((GDestroyNotify)vt_classified_unref);
  if (result->classified) /* a worker may be writing them */
    g_ptr_array_add(full->older, result->classified);
  result->classified = classified ? vt_classified_ref(classified) : NULL;
  if (classified)
    json_object_set_object_member(record, "model", make_facts(classified));
  else
    json_object_remove_member(record, "model");
}

gboolean
vt_result_classify(VtResult *result, VtClassifier *classifier, guint n_threads, GError **error)
{
  if (!result->objects) {
    g_set_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT, "%s has no objects to give classes to.", result->op->id);
    return FALSE;
  }
  g_autoptr(VtClassified) classified = vt_classified_new(classifier, result->objects, n_threads, error);
  if (classified)
    vt_result_set_classified(result, classified);
  return classified != NULL;
}
