/* SPDX-License-Identifier: MIT
 *
 * Classes of the objects of one view by thresholds on a measurement (vt-intensity.h). While it is on, they are the classes that the slide, the
 * regions and the files have, and those that were taught give way to them; what these leave out stays left out. It follows: other objects, other taught
 * classes, other thresholds. Main thread only.
 *
 * Signals: "changed" (on or off, the measurement, the thresholds), "graded" (the classes of the objects, or why there are none, are others). */
#pragma once
#include "analysis/vt-teacher.h"

#define VT_TYPE_GRADER (vt_grader_get_type())
G_DECLARE_FINAL_TYPE(VtGrader, vt_grader, VT, GRADER, GObject)

VtGrader *vt_grader_new(VtAnalysis *analysis, VtTeacher *teacher);
gboolean vt_grader_get_on(VtGrader *self);
void vt_grader_set_on(VtGrader *self, gboolean is_on);
/* Without a measurement until there are objects that have the usual one, or somebody chooses. */
const VtIntensity *vt_grader_get_intensity(VtGrader *self);
/* FALSE and a sentence: the thresholds are none; then nothing changes. */
gboolean vt_grader_set_intensity(VtGrader *self, const VtIntensity *intensity, GError **error);
/* What a session kept, as no change that could be undone; sound thresholds. */
void vt_grader_restore(VtGrader *self, const VtIntensity *intensity, gboolean is_on);
/* Takes back the last change of measurement or thresholds. */
void vt_grader_undo(VtGrader *self);
gboolean vt_grader_can_undo(VtGrader *self);
/* A hand moves a threshold: what follows, up to vt_grader_end_move(), is one change. */
void vt_grader_begin_move(VtGrader *self);
void vt_grader_end_move(VtGrader *self);

/* Of what the layer shows now; NULL: none. Borrowed. */
VtClassified *vt_grader_get_classified(VtGrader *self);
/* All columns of these objects; borrowed; NULL: there are no objects. */
VtColumns *vt_grader_get_columns(VtGrader *self);
/* Why it is on and there are no classes, a sentence; NULL: there are, or there are no objects. Borrowed. */
const char *vt_grader_get_doubt(VtGrader *self);
