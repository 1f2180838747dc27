/* SPDX-License-Identifier: MIT
 *
 * Layers of two pinned stages, each over the slide, as a wipe shows them. They show what the analysis shows; A may be held as it is. Main thread
 * only. */
#pragma once
#include "analysis/vt-stage-pins.h"

typedef struct VtStageSides VtStageSides;

VtStageSides *vt_stage_sides_new(VtAnalysis *analysis, VtStagePins *pins);
void vt_stage_sides_free(VtStageSides *self);
/* After any change of pins, layers or results. `looked_at`: nothing is painted of a new result before somebody looks. `paused`: A keeps the result that
 * it has. FALSE: there are not two, and nothing is kept of any. */
gboolean vt_stage_sides_follow(VtStageSides *self, gboolean looked_at, gboolean paused);
/* The slide and the stage (VtLayer); borrowed. */
GListModel *vt_stage_sides_get(VtStageSides *self, VtStagePin which);
/* What A shows while it is paused; borrowed. NULL: nothing. */
const VtResult *vt_stage_sides_get_paused(VtStageSides *self);
/* "A: Distance · Threshold 0.10 OD · paused": which stage it is, the parameters that are others than those of now, and why it is not the final
 * answer. Owned. */
char *vt_stage_sides_dup_words(VtStageSides *self, VtStagePin which);
