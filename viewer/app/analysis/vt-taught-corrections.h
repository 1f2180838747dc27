/* SPDX-License-Identifier: MIT
 *
 * What corrections by hand teach the score by which an op chooses (docs/nuclei.md). While lessons are on, each correction that a person makes is
 * looked at: the candidates at its outlines are asked for, and those that agree become examples of the lessons. Where the correction is undone, they
 * are what they were before. Sentences come as "failed" of the lessons. Main thread only. */
#pragma once
#include "analysis/vt-corrector.h"
#include "analysis/vt-lessons.h"

#define VT_TYPE_TAUGHT_CORRECTIONS (vt_taught_corrections_get_type())
G_DECLARE_FINAL_TYPE(VtTaughtCorrections, vt_taught_corrections, VT, TAUGHT_CORRECTIONS, GObject)

VtTaughtCorrections *vt_taught_corrections_new(VtAnalysis *analysis, VtLessons *lessons, VtCorrector *corrector,
                                               VtUndo *undo);
/* All that apply to what is shown and do not teach yet: a step of undo. FALSE and a sentence. */
gboolean vt_taught_corrections_teach(VtTaughtCorrections *self, GError **error);
/* Another slide: the examples stay, whatever becomes of the corrections. */
void vt_taught_corrections_clear(VtTaughtCorrections *self);
