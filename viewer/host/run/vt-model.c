/* SPDX-License-Identifier: MIT */
#include "run/vt-model.h"

#include <math.h>
#include <string.h>

#include "base/vt-define.h"
#include "base/vt-error.h"
#include "base/vt-json.h"
#include "base/vt-pool.h"
#include "run/vt-run-private.h"

VtModelClass *
vt_model_class_new(const char *name, const guint8 rgb[3], gboolean is_left_out)
{
  VtModelClass *cls = g_new0(VtModelClass, 1);
  cls->name = g_strdup(name);
  memcpy(cls->rgb, rgb, sizeof cls->rgb);
  cls->is_left_out = is_left_out;
  return cls;
}

void
vt_model_class_free(gpointer cls)
{
  g_free(((VtModelClass *)cls)->name);
  g_free(cls);
}

VT_DEFINE_FREE(example_free, VtModelExample, VT_FREES(g_free, image, values))

VtModel *
vt_model_new(const char *op)
{
  VtModel *model = g_new0(VtModel, 1);
  model->op = g_strdup(op);
  model->params = g_ptr_array_new_with_free_func(g_free);
  model->features = g_ptr_array_new();
  model->classes = g_ptr_array_new_with_free_func(vt_model_class_free);
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
  const VtModelClass *cls = data;
  return vt_model_class_new(cls->name, cls->rgb, cls->is_left_out);
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
vt_model_new_score(const char *op, const char *score)
{
  static const guint8 green[3] = { 46, 194, 126 }, grey[3] = { 119, 118, 123 };
  VtModel *model = vt_model_new(op);
  model->score = g_strdup(score);
  vt_model_add_class(model, "Nucleus", green, FALSE);
  vt_model_add_class(model, "Not a nucleus", grey, TRUE);
  return model;
}

VtModel *
vt_model_copy(const VtModel *model)
{
  VtModel *copy = vt_model_new(model->op);
  copy->score = g_strdup(model->score);
  g_ptr_array_extend(copy->params, model->params, copy_text, NULL);
  g_ptr_array_extend(copy->features, model->features, NULL, NULL);
  g_ptr_array_extend(copy->classes, model->classes, copy_class, NULL);
  g_ptr_array_extend(copy->examples, model->examples, copy_example, (gpointer)model);
  return copy;
}

void
vt_model_take_params(VtModel *model, const VtParams *params)
{
  g_ptr_array_set_size(model->params, 0);
  for (guint i = 0; i < params->op->n_params; i++) {
    g_autofree char *value = vt_params_dup_text(params, i);
    if (params->is_set[i])
      g_ptr_array_add(model->params, g_strconcat(params->op->params[i]->key, "=", value, NULL));
  }
}

VT_DEFINE_TYPE_FREE(vt_model_free, VtModel,
                    VT_FREES(g_free, op, score) VT_FREES(g_ptr_array_unref, params, features, classes, examples))

/* --- teaching --- */

gint
vt_model_add_class(VtModel *model, const char *name, const guint8 rgb[3], gboolean is_left_out)
{
  if (model->classes->len >= VT_CLASSES_MOST)
    return -1;
  g_ptr_array_add(model->classes, vt_model_class_new(name, rgb, is_left_out));
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
    if (k == object->n_measurements)
      return vt_error_set_null(error, VITRAIL_BAD_ARGUMENT,
                               "The objects have no measurement “%s”, by which the classes were taught.",
                               (const char *)model->features->pdata[i]);
    places[i] = k;
  }
  return g_steal_pointer(&places);
}

gboolean
vt_candidate_is_one(const VtObject *object)
{
  return object->n_measurements > VT_CANDIDATE_FEATURES
         && g_strcmp0(object->measurement_names[0], VT_CANDIDATE_SCORE) == 0
         && g_strcmp0(object->measurement_names[1], VT_CANDIDATE_CHOSEN) == 0
         && g_strcmp0(object->measurement_names[2], VT_CANDIDATE_MARGIN) == 0;
}

double
vt_candidate_get_score(const VtObject *candidate)
{
  return candidate->measurements[0];
}

gboolean
vt_candidate_is_chosen(const VtObject *candidate)
{
  return candidate->measurements[1] != 0;
}

double
vt_candidate_get_margin(const VtObject *candidate)
{
  return candidate->measurements[2];
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
  const guint first = model->score ? VT_CANDIDATE_FEATURES : 0;
  if (model->examples->len == 0)
    for (guint i = first; i < MIN(object->n_measurements, first + VT_FOREST_MAX_FEATURES); i++)
      if (!g_str_equal(object->measurement_names[i], VT_MEASUREMENT_LABEL))
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

VtTaught *
vt_model_new_taught(const VtModel *model, GError **error)
{
  const guint n = model->examples->len, nf = model->features->len;
  gboolean fine = model->score && n > 0 && model->classes->len == 2;
  g_autofree gint32 *numbers = g_new(gint32, (gsize)n * (nf + 1) + 1);
  gint32 *to = numbers;
  for (guint i = 0; fine && i < n; i++) {
    const VtModelExample *example = model->examples->pdata[i];
    for (guint k = 0; k < nf; k++) {
      const double value = example->values[k];
      fine = fine && value >= G_MININT32 && value <= G_MAXINT32 && value == floor(value);
      *to++ = fine ? (gint32)value : 0;
    }
    *to++ = example->cls == 0;
  }
  if (!fine)
    return vt_error_set_null(error, VITRAIL_BAD_ARGUMENT,
                             n == 0
                               ? "The model has no examples: it teaches nothing."
                               : "The model is none of a score: two classes, and features that are whole numbers.");
  VtTaught *taught = g_atomic_rc_box_new0(VtTaught);
  taught->hash = vt_model_dup_hash(model);
  taught->text = vt_model_to_text(model);
  taught->of = g_strdup(model->score);
  taught->n_numbers = n * (nf + 1);
  taught->numbers = g_steal_pointer(&numbers);
  return taught;
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
  g_autoptr(VtClassifier) c = g_atomic_rc_box_new0(VtClassifier);
  c->model = vt_model_copy(model);
  for (guint k = 0; k < model->classes->len; k++)
    if (vt_model_count(model, k) > 0)
      c->used[n_used++] = (guint8)k;
  if (n_used < 2 || model->examples->len > VT_CLASSES_EXAMPLES)
    return vt_error_set_null(error, VITRAIL_BAD_ARGUMENT,
                             n_used < 2 ? "It takes examples of two classes, at least, to tell them apart."
                                        : "There are more than 100,000 examples.");
  c->hash = vt_model_dup_hash(model);
  if (!learn(c, c->used, n_used, n_threads))
    return vt_error_set_null(error, VITRAIL_OUT_OF_MEMORY, "There is not enough memory to learn the classes.");
  return g_steal_pointer(&c);
}

static void
classifier_clear(gpointer classifier)
{
  VtClassifier *c = classifier;
  vt_classes_clear(&c->classes);
  vt_model_free(c->model);
  g_free(c->hash);
}

VT_DEFINE_REF(VtClassifier, vt_classifier, classifier_clear)

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
vt_classified_new_empty(GPtrArray *list, const GPtrArray *objects)
{
  VtClassified *c = g_atomic_rc_box_new0(VtClassified);
  c->list = g_ptr_array_ref(list);
  c->of = g_ptr_array_ref((GPtrArray *)objects);
  c->n = objects->len;
  c->classes = g_new0(guint8, c->n + 1);
  c->counts = g_new0(guint, list->len + 1);
  return c;
}

void
vt_classified_count(VtClassified *c)
{
  for (guint i = 0; i < c->n; i++)
    if (c->classes[i] != VT_NO_CLASS)
      c->counts[c->classes[i]]++;
  for (guint k = 0; k < c->list->len; k++)
    c->n_left_out += ((const VtModelClass *)c->list->pdata[k])->is_left_out ? c->counts[k] : 0;
}

VtClassified *
vt_classified_new(VtClassifier *classifier, const GPtrArray *objects, guint n_threads, GError **error)
{
  g_autofree guint *places = NULL;
  if (objects->len > 0 && !(places = find_features(classifier->model, objects->pdata[0], error)))
    return NULL;
  VtClassified *c = vt_classified_new_empty(classifier->model->classes, objects);
  c->classifier = vt_classifier_ref(classifier);
  c->margins = g_new0(guint16, c->n + 1);
  Classifying job = { c, objects, places };
  vt_parallel_for(n_threads, c->n / PIECE + (c->n % PIECE > 0), classify_piece, &job);
  vt_classified_count(c);
  return c;
}

VT_DEFINE_CLEAR(classified_clear, VtClassified,
                VT_FREES(g_ptr_array_unref, list, gates) VT_FREES(vt_classifier_unref, classifier)
                  VT_FREES(vt_classified_unref, taught) VT_FREES(g_ptr_array_unref, of)
                    VT_FREES(g_free, counts, classes, margins))

VT_DEFINE_REF(VtClassified, vt_classified, classified_clear)

const VtModelClass *
vt_classified_get(const VtClassified *c, guint index)
{
  return c->classes[index] == VT_NO_CLASS ? NULL : c->list->pdata[c->classes[index]];
}

char *
vt_classified_dup_name(const VtClassified *c, guint index)
{
  const VtModelClass *cls = vt_classified_get(c, index),
                     *taught = c->taught ? vt_classified_get(c->taught, index) : NULL;
  if (!taught || taught->is_left_out || !cls)
    return cls ? g_strdup(cls->name) : taught ? g_strdup(taught->name) : NULL;
  return g_strdup_printf("%s: %s", taught->name, cls->name);
}

const VtClassified *
vt_classified_get_taught(const VtClassified *c)
{
  return c->classifier ? c : c->taught;
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

/* Of classes by gates: which objects each one has. */
static JsonObject *
make_gate_facts(const VtClassified *classified)
{
  JsonObject *facts = json_object_new();
  JsonArray *classes = json_array_new();
  guint n = 0;
  for (guint i = 0; i < classified->list->len; i++) {
    JsonObject *one = json_object_new();
    json_object_set_string_member(one, "name", ((const VtModelClass *)classified->list->pdata[i])->name);
    json_object_set_string_member(one, "filter", classified->gates->pdata[i]);
    json_object_set_int_member(one, "objects", classified->counts[i]);
    json_array_add_object_element(classes, one);
    n += classified->counts[i];
  }
  json_object_set_array_member(facts, "classes", classes);
  json_object_set_int_member(facts, "objects-without", classified->n - n);
  return facts;
}

static void
set_fact(JsonObject *record, const char *name, JsonObject *facts)
{
  if (facts)
    json_object_set_object_member(record, name, facts);
  else
    json_object_remove_member(record, name);
}

/* Of the whole, and by thresholds of each region, too; another file of them comes or goes. */
static void
set_facts(const VtResult *result, JsonObject *record)
{
  const VtClassified *classified = result->classified;
  const VtClassified *taught = classified ? vt_classified_get_taught(classified) : NULL;
  const gboolean has_intensity = classified && classified->intensity.n > 0;
  JsonArray *regions = vt_json_get_array(record, "regions");
  guint first = 0;
  set_fact(record, "model", taught ? make_facts(taught) : NULL);
  set_fact(record, "gates", classified && classified->gates ? make_gate_facts(classified) : NULL);
  set_fact(record, "intensity", has_intensity ? vt_intensity_make_facts(classified, 0, classified->n) : NULL);
  for (guint i = 0; regions && result->parts && i < result->parts->len; i++) {
    const VtResult *part = result->parts->pdata[i];
    const guint n = part->objects ? part->objects->len : 0;
    set_fact(json_array_get_object_element(regions, i), "intensity",
             has_intensity ? vt_intensity_make_facts(classified, first, n) : NULL);
    first += n;
  }
  g_autoptr(GPtrArray) names = vt_result_list_files(result);
  JsonArray *files = json_array_new();
  for (guint i = 0; i < names->len; i++)
    json_array_add_string_element(files, names->pdata[i]);
  json_object_set_array_member(record, "files", files);
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
  set_facts(result, record);
}

gboolean
vt_result_classify(VtResult *result, VtClassifier *classifier, const VtIntensity *intensity, guint n_threads,
                   GError **error)
{
  g_autoptr(VtClassified) taught = NULL, classified = NULL;
  if (!result->objects)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s has no objects to give classes to.", result->op->id);
  if (classifier && !(taught = vt_classified_new(classifier, result->objects, n_threads, error)))
    return FALSE;
  if (intensity && !(classified = vt_intensity_classify(intensity, result->objects, taught, error)))
    return FALSE;
  vt_result_set_classified(result, classified ? classified : taught);
  return TRUE;
}
