/* SPDX-License-Identifier: MIT */
#include "analysis/vt-taught-corrections.h"

#include "analysis/vt-runner.h"
#include "base/vt-define.h"
#include "common/vt-owned.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "results/vt-correction-lessons.h"
#include "run/vt-model.h"
#include "run/vt-why.h"

struct _VtTaughtCorrections {
  GObject parent;
  VtAnalysis *analysis;
  VtLessons *lessons;
  VtCorrector *corrector;
  VtUndo *undo;
  VtRunner *runner;   /* tells candidates; NULL until it is needed */
  GPtrArray *waiting; /* VtCorrection: to be looked at */
  GPtrArray *asked;   /* VtCorrection: whose candidates are asked for now */
  GPtrArray *records; /* Record */
};

G_DEFINE_FINAL_TYPE(VtTaughtCorrections, vt_taught_corrections, G_TYPE_OBJECT)

/* What one of them has taught. */
typedef struct {
  VtCorrection *correction;
  const char *op; /* interned: of the objects */
  char *image, *score;
  GArray *changes; /* VtLessonChange */
  gboolean is_in;  /* the lessons have it */
} Record;

static void
clear_change(gpointer data)
{
  g_free(((VtLessonChange *)data)->candidate);
}

VT_DEFINE_FREE(record_free, Record,
               VT_FREES(vt_correction_unref, correction) VT_FREES(g_free, image, score)
                 VT_FREES(g_array_unref, changes))

static GPtrArray *
list_new(void)
{
  return g_ptr_array_new_with_free_func((GDestroyNotify)vt_correction_unref);
}

static void
say(VtTaughtCorrections *self, const char *sentence)
{
  vt_test_log("lessons-failed %s", sentence);
  g_signal_emit_by_name(self->lessons, "failed", sentence);
}

static const char *
get_op(VtTaughtCorrections *self)
{
  const VitrailOp *op = vt_analysis_get_op(self->analysis);
  return op ? g_intern_string(op->id) : NULL;
}

static Record *
find_record(VtTaughtCorrections *self, const VtCorrection *correction)
{
  VT_EACH_OF (Record, record, self->records)
    if (record->correction == correction && record->op == get_op(self))
      return record;
  return NULL;
}

static gboolean
is_there(VtTaughtCorrections *self, VtCorrection *correction)
{
  const GPtrArray *list = vt_corrector_get_list(self->corrector);
  return list && g_ptr_array_find((GPtrArray *)list, correction, NULL);
}

static void
set_in(VtTaughtCorrections *self, Record *record, gboolean is_in)
{
  g_autoptr(GError) error = NULL;
  if (record->is_in == is_in)
    return;
  if (!vt_lessons_change(self->lessons, record->image, record->score, record->changes, !is_in, &error))
    say(self, error->message);
  else
    record->is_in = is_in;
}

/* --- candidates --- */

static void start(VtTaughtCorrections *self);

/* Returns the outlines of which it teaches nothing. */
static guint
learn(VtTaughtCorrections *self, VtCorrection *correction, const VtCandidateShapes *shapes, const VtResult *told)
{
  g_autoptr(GArray) lessons = g_array_new(FALSE, FALSE, sizeof(VtCorrectionLesson));
  const guint n_without = vt_correction_find_lessons(correction, shapes, lessons);
  Record *former = find_record(self, correction);
  if (lessons->len == 0 || (former && former->is_in))
    return n_without;
  Record *record = g_new0(Record, 1);
  record->correction = vt_correction_ref(correction);
  record->op = get_op(self);
  record->image = g_strdup(told->source_name);
  record->score = g_strdup(told->score_model);
  record->changes = g_array_new(FALSE, TRUE, sizeof(VtLessonChange));
  g_array_set_clear_func(record->changes, clear_change);
  VT_EACH_IN (const VtCorrectionLesson, lesson, lessons) {
    const VtLessonChange change = { vt_object_copy(told->objects->pdata[lesson->candidate]), VT_LESSON_NONE,
                                    lesson->is_right ? VT_LESSON_RIGHT : VT_LESSON_WRONG };
    g_array_append_val(record->changes, change);
  }
  if (former)
    g_ptr_array_remove(self->records, former);
  g_ptr_array_add(self->records, record);
  set_in(self, record, TRUE);
  vt_test_log("correction-taught %s %u", vt_correction_kind_get_id(correction->kind), lessons->len);
  return n_without;
}

static void
on_told(guint64 generation, VtResult *result, GError *error, gpointer user)
{
  VtTaughtCorrections *self = user;
  g_autoptr(GPtrArray) asked = g_steal_pointer(&self->asked);
  guint n_without = 0;
  if (!result || !result->objects || (result->objects->len > 0 && !vt_candidate_is_one(result->objects->pdata[0]))) {
    g_ptr_array_set_size(self->waiting, 0);
    say(self, error ? vt_translate(error->message) : _("This analysis does not tell its candidates."));
    return;
  }
  g_autoptr(VtCandidateShapes) shapes = vt_candidate_shapes_new(result->objects);
  for (guint i = 0; i < asked->len; i++)
    if (is_there(self, asked->pdata[i])) /* it may have been undone meanwhile */
      n_without += learn(self, asked->pdata[i], shapes, result);
  if (n_without > 0) {
    g_autofree char *sentence = g_strdup_printf(
      g_dngettext(NULL,
                  "The score learns nothing of %u outline: no candidate there agrees with it. The correction stays.",
                  "The score learns nothing of %u outlines: no candidate there agrees with them. The corrections stay.",
                  n_without),
      n_without);
    say(self, sentence);
  }
  start(self);
}

static gboolean
lies_in(const VtRunRequest *request, const GArray *places)
{
  gboolean lies = FALSE;
  for (guint i = 0; i + 3 < places->len && !lies; i += 4) {
    const double *box = &g_array_index(places, double, i);
    lies = box[0] < (double)(request->x_l0 + request->width_l0) && box[2] > (double)request->x_l0
           && box[1] < (double)(request->y_l0 + request->height_l0) && box[3] > (double)request->y_l0;
  }
  return lies;
}

/* The first of those that wait, and what waits and lies in the same rectangle. */
static void
start(VtTaughtCorrections *self)
{
  static const VtRunnerCallbacks callbacks = { .done = on_told };
  g_autoptr(GArray) places = g_array_new(FALSE, FALSE, sizeof(double));
  g_autoptr(GError) error = NULL;
  if (self->asked || self->waiting->len == 0)
    return;
  vt_correction_add_places(self->waiting->pdata[0], places);
  VtRunRequest *request = vt_analysis_new_request(self->analysis, (gint64)g_array_index(places, double, 0),
                                                  (gint64)g_array_index(places, double, 1), &error);
  if (!request) {
    g_ptr_array_set_size(self->waiting, 0);
    say(self, error->message);
    return;
  }
  self->asked = list_new();
  request->places = g_array_new(FALSE, FALSE, sizeof(double));
  for (guint i = 0; i < self->waiting->len;) {
    g_array_set_size(places, 0);
    vt_correction_add_places(self->waiting->pdata[i], places);
    if (i > 0 && !lies_in(request, places)) {
      i++;
      continue;
    }
    g_array_append_vals(request->places, places->data, places->len);
    g_ptr_array_add(self->asked, g_ptr_array_steal_index(self->waiting, i));
  }
  request->tells_candidates = TRUE;
  request->stages_wanted = (guint64)1 << vt_why_find_outcome(request->op);
  if (!self->runner)
    self->runner = vt_runner_new(&callbacks, self);
  vt_runner_start(self->runner, request);
}

/* --- corrections --- */

/* The last n of the list. */
static void
on_made(VtTaughtCorrections *self, VtCorrectionKind kind, guint n)
{
  const GPtrArray *list = vt_corrector_get_list(self->corrector);
  for (guint i = list->len - n; vt_lessons_is_on(self->lessons) && i < list->len; i++)
    g_ptr_array_add(self->waiting, vt_correction_ref(list->pdata[i]));
  start(self);
}

/* What was undone teaches no more, until it is made again. */
static void
on_changed(VtTaughtCorrections *self)
{
  VT_EACH_OF (Record, record, self->records)
    if (record->op == get_op(self))
      set_in(self, record, is_there(self, record->correction));
}

/* A step of undo. */
static void
make(gpointer owner, gpointer step, gboolean back)
{
  VtTaughtCorrections *self = owner;
  const GPtrArray *corrections = step;
  for (guint i = corrections->len; back && i-- > 0;) {
    Record *record = find_record(self, corrections->pdata[i]);
    g_ptr_array_remove(self->waiting, corrections->pdata[i]);
    if (record) {
      set_in(self, record, FALSE);
      g_ptr_array_remove(self->records, record);
    }
  }
  for (guint i = 0; !back && i < corrections->len; i++)
    g_ptr_array_add(self->waiting, vt_correction_ref(corrections->pdata[i]));
  start(self);
}

gboolean
vt_taught_corrections_teach(VtTaughtCorrections *self, GError **error)
{
  const VtCorrected *shown = vt_corrector_get_shown(self->corrector);
  g_autoptr(GPtrArray) corrections = list_new();
  if (!vt_lessons_is_on(self->lessons) && !vt_lessons_start(self->lessons, error))
    return FALSE;
  for (guint i = 0; shown && i < shown->corrections->len; i++) {
    VtCorrection *correction = shown->corrections->pdata[i];
    const Record *record = find_record(self, correction);
    if ((shown->states[i] == VT_CORRECTION_APPLIED || shown->states[i] == VT_CORRECTION_MET)
        && !(record && record->is_in) && is_there(self, correction))
      g_ptr_array_add(corrections, vt_correction_ref(correction));
  }
  if (corrections->len > 0) {
    const char *format = g_dngettext(NULL, "%u correction taught", "%u corrections taught", corrections->len);
    char *title = g_strdup_printf(format, corrections->len);
    vt_undo_do(self->undo, title, self, make, g_steal_pointer(&corrections), (GDestroyNotify)g_ptr_array_unref);
    return TRUE;
  }
  return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("Nothing is corrected by hand here that is not taught yet."));
}

static void
forget_asked(VtTaughtCorrections *self)
{
  g_ptr_array_set_size(self->waiting, 0);
  g_clear_pointer(&self->asked, g_ptr_array_unref);
  if (self->runner)
    vt_runner_cancel(self->runner);
}

void
vt_taught_corrections_clear(VtTaughtCorrections *self)
{
  forget_asked(self);
  g_ptr_array_set_size(self->records, 0);
}

static void
vt_taught_corrections_class_init(VtTaughtCorrectionsClass *klass)
{
  VT_OWNS(klass, VtTaughtCorrections, vt_runner_free, runner);
  VT_OWNS(klass, VtTaughtCorrections, g_ptr_array_unref, waiting, asked, records);
  VT_OWNS(klass, VtTaughtCorrections, g_object_unref, analysis, lessons, corrector, undo);
}

static void
vt_taught_corrections_init(VtTaughtCorrections *self)
{
  self->waiting = list_new();
  self->records = g_ptr_array_new_with_free_func(record_free);
}

VtTaughtCorrections *
vt_taught_corrections_new(VtAnalysis *analysis, VtLessons *lessons, VtCorrector *corrector, VtUndo *undo)
{
  VtTaughtCorrections *self = g_object_new(VT_TYPE_TAUGHT_CORRECTIONS, NULL);
  self->analysis = g_object_ref(analysis);
  self->lessons = g_object_ref(lessons);
  self->corrector = g_object_ref(corrector);
  self->undo = g_object_ref(undo);
  g_signal_connect_object(corrector, "made", G_CALLBACK(on_made), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(corrector, "changed", G_CALLBACK(on_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "op-changed", G_CALLBACK(forget_asked), self, G_CONNECT_SWAPPED);
  return self;
}
