/* SPDX-License-Identifier: MIT
 *
 * Classes of the objects of one view, taught by examples: a model that clicks change, what a worker learns from it, and the classes that
 * the objects on the slide have by that. It follows: other examples, other objects. Main thread only.
 *
 * Signals: "changed" (the model: classes, examples), "learned" (vt_teacher_get_classifier() or the classes of the objects are others),
 * "failed" (sentence). */
#pragma once
#include "analysis/vt-analysis.h"

#define VT_TYPE_TEACHER (vt_teacher_get_type())
G_DECLARE_FINAL_TYPE(VtTeacher, vt_teacher, VT, TEACHER, GObject)

VtTeacher *vt_teacher_new(VtAnalysis *analysis);
/* Of the analysis's op; borrowed; NULL: it has no objects. Two classes to begin with, without examples. */
const VtModel *vt_teacher_get_model(VtTeacher *self);
/* NULL: nothing has been learned. Borrowed. */
VtClassifier *vt_teacher_get_classifier(VtTeacher *self);
/* Of what the layer shows now; NULL: none. Borrowed. */
VtClassified *vt_teacher_get_classified(VtTeacher *self);
double vt_teacher_get_ms(VtTeacher *self); /* of learning, and of the classes; the last time */

/* The selected object is an example of the class; once more: of none. FALSE: none is selected, or there is no such class. */
gboolean vt_teacher_teach(VtTeacher *self, guint cls);
/* Selects the object of which the classes are least sure, of those that are no examples; without classes the next one. FALSE: there
 * is none. */
gboolean vt_teacher_select_next(VtTeacher *self);
void vt_teacher_add_class(VtTeacher *self, const char *name);
void vt_teacher_remove_class(VtTeacher *self, guint cls);
/* name NULL, colour NULL: as it was. */
void vt_teacher_change_class(VtTeacher *self, guint cls, const char *name, const guint8 rgb[3], gboolean is_left_out);

/* Of a file, taught on the same op. FALSE: a sentence; the model stays. */
gboolean vt_teacher_load(VtTeacher *self, const char *path, GError **error);
/* With the analysis's present parameters. */
gboolean vt_teacher_save(VtTeacher *self, const char *path, GError **error);

/* For a session: char*, what vt_teacher_save() would write of each op whose model a person changed, but for those that are longer than
 * VT_TEACHER_LONGEST, of which vt_teacher_dup_doubt() tells. Owned. */
GPtrArray *vt_teacher_dup_texts(VtTeacher *self);
#define VT_TEACHER_LONGEST ((gsize)16 << 20)
/* One of these again, in the place of the model of its op, whichever op is chosen. FALSE: a sentence. */
gboolean vt_teacher_restore(VtTeacher *self, const char *text, GError **error);
/* What a person must know of the model: it does not fit the objects any more, it is kept nowhere. Owned; NULL: nothing. */
char *vt_teacher_dup_doubt(VtTeacher *self);
