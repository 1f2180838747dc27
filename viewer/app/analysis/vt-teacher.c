/* SPDX-License-Identifier: MIT */
#include "analysis/vt-teacher.h"

#include <glib/gi18n.h>
#include <string.h>

#include "base/vt-define.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-test-log.h"
#include "common/vt-task.h"

#define EDGE_L0 256 /* an object is hardly larger */

struct _VtTeacher {
  GObject parent;
  VtAnalysis *analysis;
  VtLayer *layer;     /* of the objects; NULL: none */
  GHashTable *models; /* id of an op -> VtModel: of those that were chosen before, and of this one */
  GHashTable *texts;  /* the same -> char*, as files have it: of those that a person changed, as long as it is true */
  VtModel *model;     /* borrowed from these; NULL: no op with objects */
  VtClassifier *classifier;
  gboolean is_learning, is_dirty, is_untaught; /* untaught: the model is not that of the classifier */
  gboolean is_restored;                        /* and not looked at since */
  guint n_lost, n_due; /* examples in what is shown: that are none of its objects, and all of them */
  double ms;
};

G_DEFINE_FINAL_TYPE(VtTeacher, vt_teacher, G_TYPE_OBJECT)

/* GNOME's palette, apart from each other on pink and blue. */
static const guint8 colours[][3] = { { 46, 194, 126 }, { 119, 118, 123 }, { 224, 27, 36 }, { 53, 132, 228 },
                                     { 246, 211, 45 }, { 145, 65, 172 },  { 255, 120, 0 }, { 51, 209, 122 } };

VT_GETTER(const VtModel *, vt_teacher_get_model, VtTeacher, model)
VT_GETTER(VtClassifier *, vt_teacher_get_classifier, VtTeacher, classifier)

VtClassified *
vt_teacher_get_classified(VtTeacher *self)
{
  return self->layer ? vt_layer_get_taught(self->layer) : NULL;
}

VT_GETTER(double, vt_teacher_get_ms, VtTeacher, ms)

/* --- learning --- */

typedef struct {
  VtModel *model;           /* NULL: nothing new is learned */
  VtClassifier *classifier; /* of before, or what was learned */
  VtResult *result;         /* keeps the objects */
  VtClassified *classified;
  VtColumn *classes, *margins;
  guint n_lost, n_due;
  double ms;
} Lesson;

VT_DEFINE_FREE(lesson_free, Lesson,
               VT_FREES(vt_model_free, model) VT_FREES(vt_classifier_unref, classifier)
                 VT_FREES(vt_result_unref, result) VT_FREES(vt_classified_unref, classified)
                   VT_FREES(vt_column_unref, classes, margins))

/* For tables, filters and plots: named as in files. */
static void
make_columns(Lesson *lesson)
{
  const VtClassified *classified = lesson->classified;
  const GPtrArray *classes = classified->classifier->model->classes, *objects = lesson->result->objects;
  g_autoptr(GPtrArray) words = g_ptr_array_new();
  double *numbers = g_new(double, objects->len + 1), *margins = g_new(double, objects->len + 1);
  for (guint k = 0; k < classes->len; k++)
    g_ptr_array_add(words, ((const VtModelClass *)classes->pdata[k])->name);
  g_ptr_array_add(words, NULL);
  for (guint i = 0; i < objects->len; i++) {
    numbers[i] = classified->classes[i];
    margins[i] = vt_classified_get_margin(classified, i);
  }
  lesson->classes = vt_column_new(VT_CLASSIFIED_CLASS, _("Class"), objects, numbers, (const char *const *)words->pdata);
  lesson->margins = vt_column_new(VT_CLASSIFIED_MARGIN, _("Class margin"), objects, margins, NULL);
}

/* An object near an end of what was analysed may be cut there, and lie elsewhere in another view. */
static gboolean
is_well_inside(const VtResult *result, double x_l0, double y_l0)
{
  return x_l0 > (double)result->x_l0 + EDGE_L0 && x_l0 < (double)(result->x_l0 + result->width_l0) - EDGE_L0
         && y_l0 > (double)result->y_l0 + EDGE_L0 && y_l0 < (double)(result->y_l0 + result->height_l0) - EDGE_L0;
}

static guint
hash_place(gconstpointer place)
{
  return 31 * g_double_hash(place) + g_double_hash((const double *)place + 1);
}

static gboolean
is_same_place(gconstpointer a, gconstpointer b)
{
  const double *p = a, *q = b;
  return p[0] == q[0] && p[1] == q[1];
}

/* Other parameters make other objects: then examples are of what is no object any more. A preview has other ones anyway. */
static void
count_lost(Lesson *lesson)
{
  const VtResult *result = lesson->result;
  const GPtrArray *examples = lesson->classifier->model->examples;
  g_autoptr(GHashTable) places = g_hash_table_new(hash_place, is_same_place);
  if (result->is_coarse || result->parts)
    return;
  g_autofree double(*centroids)[2] = g_malloc_n(result->objects->len + 1, sizeof *centroids);
  for (guint i = 0; i < result->objects->len; i++) {
    const VtObject *object = result->objects->pdata[i];
    centroids[i][0] = object->centroid_x_l0;
    centroids[i][1] = object->centroid_y_l0;
    g_hash_table_add(places, centroids[i]);
  }
  VT_EACH_OF (const VtModelExample, example, examples) {
    if (!g_str_equal(example->image, result->source_name) || !is_well_inside(result, example->x_l0, example->y_l0))
      continue;
    const double place[2] = { example->x_l0, example->y_l0 };
    lesson->n_due++;
    lesson->n_lost += !g_hash_table_contains(places, place);
  }
}

static void
learn_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Lesson *lesson = data;
  GError *error = NULL;
  const gint64 began = g_get_monotonic_time();
  if (lesson->model) {
    g_clear_pointer(&lesson->classifier, vt_classifier_unref);
    lesson->classifier = vt_classifier_new(lesson->model, 0, &error);
  }
  if (lesson->classifier && lesson->result)
    lesson->classified = vt_classified_new(lesson->classifier, lesson->result->objects, 0, &error);
  if (lesson->classified) {
    make_columns(lesson);
    count_lost(lesson);
  }
  lesson->ms = 1e-3 * (double)(g_get_monotonic_time() - began);
  vt_task_return_done(task, !error, &error);
}

static void learn(VtTeacher *self);

static void
learned(GObject *source, GAsyncResult *result, gpointer user)
{
  VtTeacher *self = VT_TEACHER(source);
  Lesson *lesson = g_task_get_task_data(G_TASK(result));
  g_autoptr(GError) error = NULL;
  self->is_learning = FALSE;
  if (g_task_propagate_boolean(G_TASK(result), &error)) {
    self->ms = lesson->ms;
    self->n_lost = lesson->n_lost;
    self->n_due = lesson->n_due;
    g_clear_pointer(&self->classifier, vt_classifier_unref);
    self->classifier = g_steal_pointer(&lesson->classifier);
    if (self->layer && lesson->classified) {
      vt_layer_set_taught(self->layer, lesson->classified);
      vt_layer_add_column(self->layer, lesson->classes);
      vt_layer_add_column(self->layer, lesson->margins);
    }
    if (self->classifier)
      vt_test_log("learned %u %u %u %.0f", self->classifier->model->examples->len, self->classifier->check.n_right,
                  self->classifier->check.n, self->ms);
  } else {
    g_signal_emit_by_name(self, "failed", error->message);
  }
  if (self->is_dirty) {
    learn(self);
    return;
  }
  g_autofree char *doubt = self->is_restored && lesson->result ? vt_teacher_dup_doubt(self) : NULL;
  self->is_restored = self->is_restored && !lesson->result;
  if (doubt)
    g_signal_emit_by_name(self, "failed", doubt);
  g_signal_emit_by_name(self, "learned");
}

static guint
count_taught(VtTeacher *self)
{
  guint n = 0;
  for (guint i = 0; i < self->model->classes->len; i++)
    n += vt_model_count(self->model, i) > 0;
  return n;
}

/* What the layer shows, where its objects are those of a result that can be held. */
static VtResult *
get_result(VtTeacher *self)
{
  VtResult *shown = vt_analysis_get_shown(self->analysis);
  return shown && shown->objects && self->layer && vt_layer_get_objects(self->layer) == shown->objects ? shown : NULL;
}

static void
learn(VtTeacher *self)
{
  self->is_dirty = self->is_learning;
  if (self->is_learning || !self->model)
    return;
  if (count_taught(self) < 2) {
    g_clear_pointer(&self->classifier, vt_classifier_unref);
    if (self->layer) {
      vt_layer_set_taught(self->layer, NULL);
      vt_layer_remove_column(self->layer, VT_CLASSIFIED_CLASS);
      vt_layer_remove_column(self->layer, VT_CLASSIFIED_MARGIN);
    }
    g_signal_emit_by_name(self, "learned");
    return;
  }
  VtResult *result = get_result(self);
  Lesson *lesson = g_new0(Lesson, 1);
  lesson->model = self->is_untaught ? vt_model_copy(self->model) : NULL;
  lesson->classifier = self->classifier ? vt_classifier_ref(self->classifier) : NULL;
  lesson->result = result ? vt_result_ref(result) : NULL;
  self->is_untaught = FALSE;
  self->is_learning = TRUE;
  vt_task_run(self, NULL, learned, NULL, learn_in_thread, lesson, lesson_free);
}

static void
model_changed(VtTeacher *self)
{
  self->is_untaught = TRUE;
  g_hash_table_insert(self->texts, g_strdup(self->model->op), NULL); /* to be made when somebody asks */
  g_signal_emit_by_name(self, "changed");
  learn(self);
}

/* --- teaching --- */

static const char *
get_image(VtTeacher *self)
{
  VtResult *result = get_result(self);
  return result ? result->source_name : NULL;
}

gboolean
vt_teacher_teach(VtTeacher *self, guint cls)
{
  const VtObject *object = self->layer ? vt_layer_get_selected(self->layer) : NULL;
  const char *image = get_image(self);
  g_autoptr(GError) error = NULL;
  if (!self->model || !object || !image || cls >= self->model->classes->len)
    return FALSE;
  const gboolean is_taught = vt_model_get_taught(self->model, image, object) == (gint)cls;
  if (!vt_model_teach(self->model, image, object, is_taught ? -1 : (gint)cls, &error)) {
    g_signal_emit_by_name(self, "failed", error->message);
    return FALSE;
  }
  vt_model_take_params(self->model, vt_analysis_get_params(self->analysis));
  vt_test_log("taught %u %u", is_taught ? G_MAXUINT : cls, self->model->examples->len);
  model_changed(self);
  return TRUE;
}

gboolean
vt_teacher_select_next(VtTeacher *self)
{
  VtClassified *classified = vt_teacher_get_classified(self);
  const char *image = get_image(self);
  const GPtrArray *objects = self->layer ? vt_layer_get_objects(self->layer) : NULL;
  gint64 best = -1;
  if (!self->model || !objects || !image)
    return FALSE;
  if (!classified)
    return vt_layer_select_next(self->layer, 1);
  for (guint i = 0; i < objects->len; i++)
    if ((best < 0 || classified->margins[i] < classified->margins[best])
        && vt_model_get_taught(self->model, image, objects->pdata[i]) < 0)
      best = i;
  if (best >= 0)
    vt_layer_select(self->layer, (guint)best);
  return best >= 0;
}

void
vt_teacher_add_class(VtTeacher *self, const char *name)
{
  if (!self->model)
    return;
  const guint n = self->model->classes->len;
  g_autofree char *numbered = name ? g_strdup(name) : g_strdup_printf(_("Class %u"), n + 1);
  if (vt_model_add_class(self->model, numbered, colours[n % G_N_ELEMENTS(colours)], FALSE) >= 0)
    model_changed(self);
}

void
vt_teacher_remove_class(VtTeacher *self, guint cls)
{
  if (!self->model || cls >= self->model->classes->len)
    return;
  vt_model_remove_class(self->model, cls);
  model_changed(self);
}

void
vt_teacher_change_class(VtTeacher *self, guint cls, const char *name, const guint8 rgb[3], gboolean is_left_out)
{
  if (!self->model || cls >= self->model->classes->len)
    return;
  VtModelClass *changed = self->model->classes->pdata[cls];
  if (name && *name) {
    g_free(changed->name);
    changed->name = g_strdup(name);
  }
  if (rgb)
    memcpy(changed->rgb, rgb, sizeof changed->rgb);
  changed->is_left_out = is_left_out;
  model_changed(self);
}

/* --- files and sessions --- */

/* In the place of the one of its op. */
static void
take_model(VtTeacher *self, VtModel *model)
{
  if (self->model && g_str_equal(self->model->op, model->op))
    self->model = model;
  g_hash_table_replace(self->models, g_strdup(model->op), model);
}

gboolean
vt_teacher_load(VtTeacher *self, const char *path, GError **error)
{
  g_autoptr(VtModel) model = vt_model_load(path, error);
  if (!model)
    return FALSE;
  if (model->score) {
    g_set_error_literal(
      error, VT_ERROR, VITRAIL_BAD_ARGUMENT,
      _("The model teaches what a nucleus is, not classes of objects: the lessons (Shift+L) open it."));
    return FALSE;
  }
  if (!self->model || !g_str_equal(model->op, self->model->op)) {
    g_set_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT,
                _("The model was taught on objects of “%s”: choose that analysis first."), model->op);
    return FALSE;
  }
  take_model(self, g_steal_pointer(&model));
  model_changed(self);
  return TRUE;
}

gboolean
vt_teacher_save(VtTeacher *self, const char *path, GError **error)
{
  const VtParams *params = vt_analysis_get_params(self->analysis);
  if (!self->model || !params)
    return TRUE;
  vt_model_take_params(self->model, params);
  return vt_model_save(self->model, path, error);
}

GPtrArray *
vt_teacher_dup_texts(VtTeacher *self)
{
  GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GList) ops = g_list_sort(g_hash_table_get_keys(self->texts), (GCompareFunc)strcmp);
  for (GList *link = ops; link; link = link->next) {
    char *text = g_hash_table_lookup(self->texts, link->data);
    if (!text) {
      text = vt_model_to_text(g_hash_table_lookup(self->models, link->data));
      g_hash_table_insert(self->texts, g_strdup(link->data), text);
    }
    if (strlen(text) <= VT_TEACHER_LONGEST)
      g_ptr_array_add(texts, g_strdup(text));
  }
  return texts;
}

gboolean
vt_teacher_restore(VtTeacher *self, const char *text, GError **error)
{
  g_autoptr(VtModel) model = vt_model_parse(text, _("Model"), error);
  if (!model)
    return FALSE;
  const gboolean is_chosen = self->model && g_str_equal(self->model->op, model->op);
  g_hash_table_insert(self->texts, g_strdup(model->op), g_strdup(text));
  take_model(self, g_steal_pointer(&model));
  self->is_restored = TRUE;
  if (is_chosen)
    model_changed(self);
  return TRUE;
}

char *
vt_teacher_dup_doubt(VtTeacher *self)
{
  const char *text = self->model ? g_hash_table_lookup(self->texts, self->model->op) : NULL;
  if (self->n_lost > 0)
    return g_strdup_printf(_("%u of %u examples of what is shown are none of its objects: other parameters made "
                             "them. They still teach, by their measurements of then."),
                           self->n_lost, self->n_due);
  if (text && strlen(text) > VT_TEACHER_LONGEST)
    return g_strdup(_("This model has too many examples to be kept in a session: save it as a file."));
  return NULL;
}

/* --- following --- */

/* A layer has other data in many ways; here other objects count. */
static void
on_data(VtTeacher *self)
{
  const VtClassified *classified = vt_layer_get_taught(self->layer);
  if (!classified || classified->classifier != self->classifier)
    learn(self);
}

/* Two classes to begin with, for an op that has no model yet. */
static void
choose_model(VtTeacher *self, const char *op)
{
  self->model = g_hash_table_lookup(self->models, op);
  g_clear_pointer(&self->classifier, vt_classifier_unref);
  self->is_untaught = TRUE;
  if (self->model)
    return;
  VtModel *model = vt_model_new(op);
  vt_model_add_class(model, _("Nucleus"), colours[0], FALSE);
  vt_model_add_class(model, _("Not a nucleus"), colours[1], TRUE);
  g_hash_table_insert(self->models, g_strdup(op), model);
  self->model = model;
}

static void
on_layers_changed(VtTeacher *self, guint position, guint n_removed, guint n_added, GListModel *layers)
{
  if (!vt_layers_take_objects(layers, self, &self->layer))
    return;
  if (self->layer)
    g_signal_connect_object(self->layer, "data", G_CALLBACK(on_data), self, G_CONNECT_SWAPPED);
  const VitrailOp *op = self->layer ? vt_analysis_get_op(self->analysis) : NULL;
  if (op && (!self->model || !g_str_equal(self->model->op, op->id)))
    choose_model(self, op->id);
  g_signal_emit_by_name(self, "changed");
  learn(self);
}

static void
vt_teacher_dispose(GObject *object)
{
  VtTeacher *self = VT_TEACHER(object);
  g_clear_object(&self->layer);
  g_clear_object(&self->analysis);
  self->model = NULL;
  g_clear_pointer(&self->models, g_hash_table_unref);
  g_clear_pointer(&self->texts, g_hash_table_unref);
  g_clear_pointer(&self->classifier, vt_classifier_unref);
  G_OBJECT_CLASS(vt_teacher_parent_class)->dispose(object);
}

static void
vt_teacher_class_init(VtTeacherClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = vt_teacher_dispose;
  vt_signals_new(VT_TYPE_TEACHER, "changed", "learned", NULL);
  vt_signal_new(VT_TYPE_TEACHER, "failed", G_TYPE_STRING, G_TYPE_NONE);
}

static void
vt_teacher_init(VtTeacher *self)
{
  self->models = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)vt_model_free);
  self->texts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
}

VtTeacher *
vt_teacher_new(VtAnalysis *analysis)
{
  VtTeacher *self = g_object_new(VT_TYPE_TEACHER, NULL);
  GListModel *layers = vt_analysis_get_layers(analysis);
  self->analysis = g_object_ref(analysis);
  g_signal_connect_object(layers, "items-changed", G_CALLBACK(on_layers_changed), self, G_CONNECT_SWAPPED);
  on_layers_changed(self, 0, 0, 0, layers);
  return self;
}
