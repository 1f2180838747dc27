/* SPDX-License-Identifier: MIT
 *
 * What a correction by hand teaches the score by which an op chooses (docs/nuclei.md): which candidates it calls right, and which wrong.
 * [any] thread. */
#pragma once
#include "results/vt-corrections.h"

typedef struct {
  guint candidate; /* its place in the list */
  gboolean is_right;
} VtCorrectionLesson;

/* Of candidates (VtObject, as a run tells all of them at the outlines of corrections: VtRunRequest.places), which must outlive it. */
typedef struct VtCandidateShapes VtCandidateShapes;
VtCandidateShapes *vt_candidate_shapes_new(const GPtrArray *candidates);
void vt_candidate_shapes_free(VtCandidateShapes *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtCandidateShapes, vt_candidate_shapes_free)

/* Of these candidates
 *  - of each outline as it was, the one that agrees with it best is wrong (IoU above 1/2; of equals one that was chosen, then the first);
 *  - of each outline that was made, of the others that agree with it nearly as well as the best (IoU at most 0.1 less, above 1/2) the one with the
 *    highest score is right; what was chosen only where it is the best: of what was drawn anew that can be the same;
 *  - what was chosen and shares a pixel with one that is right, so that both can't be chosen, is wrong.
 * A correction that made outlines with none of which a candidate agrees teaches nothing.
 * lessons: gets VtCorrectionLesson, by place. Returns the outlines that were made, or of what was deleted, with which no candidate agrees. */
guint vt_correction_find_lessons(const VtCorrection *correction, const VtCandidateShapes *shapes, GArray *lessons);
/* Adds the boxes of all its outlines to double x0, y0, x1, y1. */
void vt_correction_add_places(const VtCorrection *correction, GArray *places);
