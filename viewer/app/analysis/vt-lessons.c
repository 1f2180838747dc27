/* SPDX-License-Identifier: MIT */
#include "analysis/vt-lessons.h"

#include <string.h>

#include "base/vt-define.h"
#include "analysis/vt-analysis-private.h"
#include "analysis/vt-candidates.h"
#include "analysis/vt-teacher.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "common/vt-task.h"
#include "results/vt-corrections.h"
#include "run/vt-why.h"

#define AGAIN_MS 150

struct _VtLessons {
  GObject parent;
  VtAnalysis *analysis;
  VtRunner *runner; /* tells candidates; NULL until it is needed */
  gboolean is_on;
  VtResult *told;      /* of the result below; NULL: not known yet */
  VtResult *of;        /* what was shown when they were asked for; or NULL */
  GArray *queue;       /* guint */
  GHashTable *passed;  /* what was passed over: text of its place */
  VtModel *model;      /* the examples; NULL: there are none */
  VtTaught *taught;    /* what the parameters have of them */
  GHashTable *waiting; /* id of an op -> VtTaught, of a session, until the op is chosen */
  gboolean is_making;  /* a worker makes what the model teaches */
  guint generation;    /* of the model */
  gboolean is_asked;   /* somebody called the candidate at this place */
  double x_l0, y_l0;
  VtLesson lesson;
  guint again_id;
};

G_DEFINE_FINAL_TYPE(VtLessons, vt_lessons, G_TYPE_OBJECT)

static void
fail(VtLessons *self, const char *sentence)
{
  vt_test_log("lessons-failed %s", sentence);
  g_signal_emit_by_name(self, "failed", sentence);
}

/* --- candidates --- */

static void
make_queue(VtLessons *self)
{
  vt_candidates_sort(self->told, self->model, self->passed, self->queue);
}

/* Also where they are corrected by hand. */
static void
add_column(VtLessons *self)
{
  g_autoptr(VtLayer) layer = vt_layers_dup_objects(vt_analysis_get_layers(self->analysis));
  VtResult *shown = vt_analysis_get_shown(self->analysis);
  if (!self->told || !layer || !shown || !shown->objects || vt_result_get_run(shown) != self->of
      || vt_layer_get_objects(layer) != shown->objects)
    return;
  g_autoptr(VtColumn) column = vt_candidates_new_margins(self->told, shown->objects);
  vt_layer_add_column(layer, column);
}

static gboolean teach_place(VtLessons *self, GError **error);

static void
on_told(guint64 generation, VtResult *result, GError *error, gpointer user)
{
  VtLessons *self = user;
  if (!result || !result->objects || (result->objects->len > 0 && !vt_candidate_is_one(result->objects->pdata[0]))) {
    fail(self, error ? vt_translate(error->message) : _("This analysis does not tell its candidates."));
    g_signal_emit_by_name(self, "changed");
    return;
  }
  g_clear_pointer(&self->told, vt_result_unref);
  self->told = vt_result_ref(result);
  make_queue(self);
  add_column(self);
  vt_test_log("candidates %u %u", self->told->objects->len, self->queue->len);
  if (self->is_asked) {
    g_autoptr(GError) problem = NULL;
    if (!teach_place(self, &problem))
      fail(self, problem->message);
  }
  g_signal_emit_by_name(self, "changed");
}

/* What was told before stays until others are: the pictures that a person looks at. */
static void
stop_asking(VtLessons *self)
{
  g_clear_handle_id(&self->again_id, g_source_remove);
  if (self->runner)
    vt_runner_cancel(self->runner);
}

static gboolean
is_asking(VtLessons *self)
{
  return self->again_id > 0 || (self->runner && vt_runner_is_running(self->runner));
}

static void
forget_told(VtLessons *self)
{
  stop_asking(self);
  g_clear_pointer(&self->told, vt_result_unref);
  g_clear_pointer(&self->of, vt_result_unref);
  g_array_set_size(self->queue, 0);
}

/* Those of the rectangle that is shown, or of a part of it round the middle of the view. */
static gboolean
ask(VtLessons *self, GError **error)
{
  static const VtRunnerCallbacks callbacks = { .done = on_told };
  VtResult *shown = vt_analysis_get_result(self->analysis);
  stop_asking(self);
  if (!shown || !shown->score_model) {
    g_set_error_literal(error, VT_ERROR, VITRAIL_BAD_ARGUMENT,
                        shown ? _("This analysis has no score that could be taught: “Nuclei by a trained score” has.")
                              : _("Nothing is shown yet that could be called right or wrong. Run the analysis first."));
    return FALSE;
  }
  const VtViewport *view = &self->analysis->view;
  const gint64 x = CLAMP((gint64)view->centre_x_l0, shown->x_l0, shown->x_l0 + shown->width_l0 - 1);
  const gint64 y = CLAMP((gint64)view->centre_y_l0, shown->y_l0, shown->y_l0 + shown->height_l0 - 1);
  VtRunRequest *request = vt_analysis_new_request(self->analysis, x, y, error);
  if (!request)
    return FALSE;
  request->tells_candidates = TRUE;
  request->stages_wanted = (guint64)1 << vt_why_find_outcome(request->op);
  g_clear_pointer(&self->of, vt_result_unref);
  self->of = vt_result_ref(shown);
  if (!self->runner)
    self->runner = vt_runner_new(&callbacks, self);
  vt_runner_start(self->runner, request);
  return TRUE;
}

static gboolean
ask_again(gpointer data)
{
  VtLessons *self = data;
  g_autoptr(GError) error = NULL;
  self->again_id = 0;
  if (!ask(self, &error)) {
    forget_told(self);
    fail(self, error->message);
  }
  g_signal_emit_by_name(self, "changed");
  return G_SOURCE_REMOVE;
}

gboolean
vt_lessons_start(VtLessons *self, GError **error)
{
  if (!ask(self, error))
    return FALSE;
  self->is_on = TRUE;
  g_signal_emit_by_name(self, "changed");
  return TRUE;
}

void
vt_lessons_stop(VtLessons *self)
{
  g_autoptr(VtLayer) layer = vt_layers_dup_objects(vt_analysis_get_layers(self->analysis));
  if (!self->is_on)
    return;
  forget_told(self);
  self->is_on = self->is_asked = FALSE;
  if (layer)
    vt_layer_remove_column(layer, VT_CANDIDATE_MARGIN);
  vt_test_log("lessons none");
  g_signal_emit_by_name(self, "changed");
}

static void
on_finished(VtLessons *self)
{
  if (!self->is_on)
    return;
  stop_asking(self);
  self->again_id = g_timeout_add(AGAIN_MS, ask_again, self);
  g_signal_emit_by_name(self, "changed");
}

/* --- examples --- */

typedef struct {
  VtModel *model;
  guint generation;
  VtTaught *taught;
} Making;

VT_DEFINE_FREE(making_free, Making, VT_FREES(vt_model_free, model) VT_FREES(vt_taught_unref, taught))

static void
make_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Making *making = data;
  GError *error = NULL;
  making->taught = vt_model_new_taught(making->model, &error);
  vt_task_return_done(task, !error, &error);
}

/* From here on runs are taught by it. */
static void
set_taught(VtLessons *self, VtTaught *taught)
{
  VtParams *params = vt_analysis_get_params(self->analysis);
  if (!params || g_strcmp0(params->taught ? params->taught->hash : NULL, taught ? taught->hash : NULL) == 0)
    return;
  g_clear_pointer(&self->taught, vt_taught_unref);
  self->taught = taught ? vt_taught_ref(taught) : NULL;
  vt_params_set_taught(params, taught);
  vt_analysis_params_changed(self->analysis);
}

static void make(VtLessons *self);

static void
on_made(GObject *source, GAsyncResult *result, gpointer user)
{
  VtLessons *self = VT_LESSONS(source);
  Making *making = g_task_get_task_data(G_TASK(result));
  g_autoptr(GError) error = NULL;
  self->is_making = FALSE;
  if (!g_task_propagate_boolean(G_TASK(result), &error))
    fail(self, error->message);
  else if (self->generation == making->generation)
    set_taught(self, making->taught);
  if (self->generation != making->generation)
    make(self);
  g_signal_emit_by_name(self, "changed");
}

static void
make(VtLessons *self)
{
  if (self->is_making) /* after it, if the model is another one then */
    return;
  if (!self->model || self->model->examples->len == 0) {
    set_taught(self, NULL);
    return;
  }
  Making *making = g_new0(Making, 1);
  making->model = vt_model_copy(self->model);
  making->generation = self->generation;
  self->is_making = TRUE;
  vt_task_run(self, NULL, on_made, NULL, make_in_thread, making, making_free);
}

/* The model is there, and of this score. */
static gboolean
ensure_model(VtLessons *self, const char *score, GError **error)
{
  if (self->model && g_strcmp0(self->model->score, score) != 0) {
    g_set_error_literal(error, VT_ERROR, VITRAIL_BAD_ARGUMENT,
                        _("The examples before are of another score than these candidates have. Forget them first."));
    return FALSE;
  }
  if (!self->model)
    self->model = vt_model_new_score(vt_analysis_get_params(self->analysis)->op->id, score);
  return TRUE;
}

gboolean
vt_lessons_change(VtLessons *self, const char *image, const char *score, GArray *changes, gboolean back, GError **error)
{
  if (!ensure_model(self, score, error))
    return FALSE;
  for (guint i = 0; i < changes->len; i++) {
    VtLessonChange *change = &g_array_index(changes, VtLessonChange, back ? changes->len - 1 - i : i);
    const gint is = vt_model_get_taught(self->model, image, change->candidate);
    if (!back)
      change->before = is;
    if ((!back || is == change->now)
        && !vt_model_teach(self->model, image, change->candidate, back ? change->before : change->now, error))
      return FALSE;
  }
  vt_model_take_params(self->model, vt_analysis_get_params(self->analysis));
  vt_test_log("lessons %u %u", vt_lessons_count(self, VT_LESSON_RIGHT), vt_lessons_count(self, VT_LESSON_WRONG));
  self->generation++;
  make_queue(self);
  make(self);
  g_signal_emit_by_name(self, "changed");
  return TRUE;
}

gboolean
vt_lessons_teach(VtLessons *self, guint index, VtLesson lesson, GError **error)
{
  if (!self->told || index >= self->told->objects->len || !vt_analysis_get_params(self->analysis))
    return TRUE;
  g_autoptr(GArray) changes = g_array_new(FALSE, FALSE, sizeof(VtLessonChange));
  const gint now = vt_lessons_get_taught(self, index) == (gint)lesson ? VT_LESSON_NONE : (gint)lesson;
  const VtLessonChange change = { self->told->objects->pdata[index], VT_LESSON_NONE, now };
  g_array_append_val(changes, change);
  if (!vt_lessons_change(self, self->told->source_name, self->told->score_model, changes, FALSE, error))
    return FALSE;
  vt_test_log("lesson %d %u %.2f %.2f", now, self->model->examples->len, change.candidate->centroid_x_l0,
              change.candidate->centroid_y_l0);
  return TRUE;
}

static gboolean
teach_place(VtLessons *self, GError **error)
{
  self->is_asked = FALSE;
  for (guint i = 0; i < self->told->objects->len; i++)
    if (vt_object_has_point(self->told->objects->pdata[i], self->x_l0, self->y_l0))
      return vt_lessons_teach(self, i, self->lesson, error);
  g_set_error_literal(
    error, VT_ERROR, VITRAIL_BAD_ARGUMENT,
    _("There is no candidate at this place: no region here comes near to the least score. What was not "
      "found at all can be drawn by hand (Shift+D)."));
  return FALSE;
}

gboolean
vt_lessons_teach_at(VtLessons *self, double x_l0, double y_l0, VtLesson lesson, GError **error)
{
  self->x_l0 = x_l0;
  self->y_l0 = y_l0;
  self->lesson = lesson;
  if (self->is_on && self->told && !is_asking(self))
    return teach_place(self, error);
  self->is_asked = TRUE;
  return self->is_on || vt_lessons_start(self, error);
}

void
vt_lessons_pass(VtLessons *self)
{
  if (self->queue->len == 0)
    return;
  const guint first = g_array_index(self->queue, guint, 0);
  g_hash_table_add(self->passed, vt_candidate_dup_place(self->told->objects->pdata[first]));
  g_array_remove_index(self->queue, 0);
  g_array_append_val(self->queue, first);
  vt_test_log("lesson-passed %u", first);
  g_signal_emit_by_name(self, "changed");
}

void
vt_lessons_forget(VtLessons *self)
{
  g_clear_pointer(&self->model, vt_model_free);
  self->generation++;
  g_hash_table_remove_all(self->passed);
  make(self);
  make_queue(self);
  vt_test_log("lessons-forgotten");
  g_signal_emit_by_name(self, "changed");
}

/* --- files and sessions --- */

/* But for what was taught, which changes no candidate. */
static gboolean
has_params(const VtResult *told, const VtParams *params)
{
  g_autoptr(VtParams) as_told = params && params->op == told->op ? vt_params_copy(params) : NULL;
  if (as_told)
    vt_params_set_taught(as_told, told->params->taught);
  return as_told && vt_params_equal(as_told, told->params);
}

/* The parameters have something that was taught elsewhere: by a snapshot, a session, another run. */
static void
adopt(VtLessons *self)
{
  const VtParams *params = vt_analysis_get_params(self->analysis);
  VtTaught *taught = params ? params->taught : NULL;
  if (self->told && !has_params(self->told, params)) {
    forget_told(self);
    g_signal_emit_by_name(self, "changed");
  }
  if (taught == self->taught)
    return;
  self->generation++;
  g_clear_pointer(&self->taught, vt_taught_unref);
  self->taught = taught ? vt_taught_ref(taught) : NULL;
  g_clear_pointer(&self->model, vt_model_free);
  self->model = taught ? vt_model_parse(taught->text, _("Model"), NULL) : NULL;
  make_queue(self);
  g_signal_emit_by_name(self, "changed");
}

gboolean
vt_lessons_load(VtLessons *self, const char *path, GError **error)
{
  const VtParams *params = vt_analysis_get_params(self->analysis);
  g_autoptr(VtModel) model = vt_model_load(path, error);
  if (!model || !params)
    return FALSE;
  if (!model->score || !g_str_equal(model->op, params->op->id)) {
    g_set_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT,
                model->score ? _("The model was taught on candidates of “%s”: choose that analysis first.")
                             : _("The model has classes of objects of “%s”; the panel of classes opens it."),
                model->op);
    return FALSE;
  }
  g_autoptr(VtTaught) taught = vt_model_new_taught(model, error);
  if (!taught)
    return FALSE;
  g_clear_pointer(&self->model, vt_model_free);
  self->model = g_steal_pointer(&model);
  self->generation++;
  set_taught(self, taught);
  make_queue(self);
  g_signal_emit_by_name(self, "changed");
  return TRUE;
}

gboolean
vt_lessons_save(VtLessons *self, const char *path, GError **error)
{
  if (self->model && self->model->examples->len > 0)
    return vt_model_save(self->model, path, error);
  g_set_error_literal(error, VT_ERROR, VITRAIL_BAD_ARGUMENT, _("Nothing was taught yet that could be saved."));
  return FALSE;
}

static int
compare_texts(gconstpointer a, gconstpointer b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

GPtrArray *
vt_lessons_dup_texts(VtLessons *self)
{
  GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);
  GHashTableIter iter;
  gpointer value;
  g_hash_table_iter_init(&iter, self->analysis->kept_params);
  while (g_hash_table_iter_next(&iter, NULL, &value)) {
    const VtTaught *taught = ((const VtParams *)value)->taught;
    if (taught && strlen(taught->text) <= VT_TEACHER_LONGEST)
      g_ptr_array_add(texts, g_strdup(taught->text));
  }
  g_hash_table_iter_init(&iter, self->waiting);
  while (g_hash_table_iter_next(&iter, NULL, &value))
    g_ptr_array_add(texts, g_strdup(((const VtTaught *)value)->text));
  g_ptr_array_sort(texts, compare_texts);
  return texts;
}

static void
take_waiting(VtLessons *self)
{
  VtParams *params = vt_analysis_get_params(self->analysis);
  g_autoptr(VtTaught) taught = NULL;
  g_autofree char *id = NULL;
  if (params && g_hash_table_steal_extended(self->waiting, params->op->id, (gpointer *)&id, (gpointer *)&taught)) {
    vt_params_set_taught(params, taught);
    vt_analysis_params_changed(self->analysis);
  }
  adopt(self);
}

void
vt_lessons_restore(VtLessons *self, VtTaught *taught, const char *op)
{
  g_hash_table_insert(self->waiting, g_strdup(op), vt_taught_ref(taught));
  take_waiting(self);
}

/* --- asking --- */

VT_GETTER(gboolean, vt_lessons_is_on, VtLessons, is_on)

gboolean
vt_lessons_is_working(VtLessons *self)
{
  return self->is_making || is_asking(self);
}

const GPtrArray *
vt_lessons_get_candidates(VtLessons *self)
{
  return self->told ? self->told->objects : NULL;
}

VT_GETTER(const GArray *, vt_lessons_get_queue, VtLessons, queue)

gint
vt_lessons_get_taught(VtLessons *self, guint index)
{
  return self->model && self->told
           ? vt_model_get_taught(self->model, self->told->source_name, self->told->objects->pdata[index])
           : -1;
}

VT_GETTER(VtSlide *, vt_lessons_get_slide, VtLessons, analysis->slide)

guint
vt_lessons_count(VtLessons *self, VtLesson lesson)
{
  return self->model ? vt_model_count(self->model, lesson) : 0;
}

static void
on_op(VtLessons *self)
{
  vt_lessons_stop(self);
  g_hash_table_remove_all(self->passed);
  g_clear_pointer(&self->model, vt_model_free); /* of another op */
  g_clear_pointer(&self->taught, vt_taught_unref);
  self->generation++;
  take_waiting(self);
}

static void
vt_lessons_class_init(VtLessonsClass *klass)
{
  VT_ENDS(klass, VtLessons, forget_told);
  VT_OWNS(klass, VtLessons, vt_runner_free, runner);
  VT_OWNS(klass, VtLessons, g_object_unref, analysis);
  VT_OWNS(klass, VtLessons, g_array_unref, queue);
  VT_OWNS(klass, VtLessons, g_hash_table_unref, passed, waiting);
  VT_OWNS(klass, VtLessons, vt_model_free, model);
  VT_OWNS(klass, VtLessons, vt_taught_unref, taught);
  vt_signals_new(VT_TYPE_LESSONS, "changed", NULL);
  vt_signal_new(VT_TYPE_LESSONS, "failed", G_TYPE_STRING, G_TYPE_NONE);
}

static void
vt_lessons_init(VtLessons *self)
{
  self->queue = g_array_new(FALSE, FALSE, sizeof(guint));
  self->passed = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  self->waiting = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)vt_taught_unref);
}

VtLessons *
vt_lessons_new(VtAnalysis *analysis)
{
  VtLessons *self = g_object_new(VT_TYPE_LESSONS, NULL);
  self->analysis = g_object_ref(analysis);
  g_signal_connect_object(analysis, "finished", G_CALLBACK(on_finished), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "corrected", G_CALLBACK(add_column), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "params-changed", G_CALLBACK(adopt), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "op-changed", G_CALLBACK(on_op), self, G_CONNECT_SWAPPED);
  return self;
}
