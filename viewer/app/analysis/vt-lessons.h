/* SPDX-License-Identifier: MIT
 *
 * Lessons for the score by which an op chooses among candidates (docs/nuclei.md): a person calls candidates right or wrong, and what is
 * shown is made anew by what that teaches. While they are on, the candidates of what is shown are asked for after each run (VITRAIL_RUN_CANDIDATES), and
 * how sure the choice of each object is becomes a column. What was taught is a parameter of the op (VtParams.taught), which snapshots, trials and
 * sessions keep with the others. Main thread only; runs and models are made by workers.
 *
 * Signals: "changed" (candidates, examples, what goes on), "failed" (sentence). */
#pragma once
#include "analysis/vt-analysis.h"
#include "run/vt-model.h"

#define VT_TYPE_LESSONS (vt_lessons_get_type())
G_DECLARE_FINAL_TYPE(VtLessons, vt_lessons, VT, LESSONS, GObject)

typedef enum {
  VT_LESSON_NONE = -1,
  VT_LESSON_RIGHT,
  VT_LESSON_WRONG
} VtLesson; /* the classes of the model; none: it is no example */

VtLessons *vt_lessons_new(VtAnalysis *analysis);
/* FALSE and a sentence: nothing is shown that was chosen by a score. */
gboolean vt_lessons_start(VtLessons *self, GError **error);
void vt_lessons_stop(VtLessons *self);
gboolean vt_lessons_is_on(VtLessons *self);
gboolean vt_lessons_is_working(VtLessons *self);
/* VtObject (vt-candidates.h), of what is shown, or of the run before until they are known; NULL: they are not. Borrowed. */
const GPtrArray *vt_lessons_get_candidates(VtLessons *self);
/* Places of those that would teach most, the least sure first, without examples and what was passed over: guint. Borrowed. */
const GArray *vt_lessons_get_queue(VtLessons *self);
/* The example that the candidate at a place of the list is; -1: none. */
gint vt_lessons_get_taught(VtLessons *self, guint index);
VtSlide *vt_lessons_get_slide(VtLessons *self);           /* borrowed; or NULL */
guint vt_lessons_count(VtLessons *self, VtLesson lesson); /* examples */

/* The candidate at a place of the list is an example; the same once more: of nothing. FALSE and a sentence. */
gboolean vt_lessons_teach(VtLessons *self, guint index, VtLesson lesson, GError **error);
/* That at a level-0 place; as soon as they are known. */
gboolean vt_lessons_teach_at(VtLessons *self, double x_l0, double y_l0, VtLesson lesson, GError **error);
/* Another one for a candidate, which a run told of an image and by a score. */
typedef struct {
  VtObject *candidate;
  gint before, now; /* VtLesson */
} VtLessonChange;
/* All of them (VtLessonChange), whose `before` is set; or back, those which are still as they were made. FALSE and a sentence: of another score. */
gboolean vt_lessons_change(VtLessons *self, const char *image, const char *score, GArray *changes, gboolean back,
                           GError **error);
/* The first of the queue goes to its end. */
void vt_lessons_pass(VtLessons *self);
/* All examples go. */
void vt_lessons_forget(VtLessons *self);

/* A model file, or the record of a taught run. */
gboolean vt_lessons_load(VtLessons *self, const char *path, GError **error);
gboolean vt_lessons_save(VtLessons *self, const char *path, GError **error);
/* For a session: char*, the model of each op that was taught, but for those that are too long for one. Owned. */
GPtrArray *vt_lessons_dup_texts(VtLessons *self);
/* Of a session: for its op, as soon as that is chosen. */
void vt_lessons_restore(VtLessons *self, VtTaught *taught, const char *op);
