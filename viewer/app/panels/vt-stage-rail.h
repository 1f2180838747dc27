/* SPDX-License-Identifier: MIT
 *
 * The stages of the analysis of one view, side by side in the order in which they are made, whatever the order of their layers.
 * While it is mapped, runs of that view hand over every stage. Main thread only. */
#pragma once
#include "analysis/vt-stage-pins.h"
#include "canvas/vt-canvas.h"
#include "panels/vt-param-panel.h"

#define VT_TYPE_STAGE_RAIL (vt_stage_rail_get_type())
G_DECLARE_FINAL_TYPE(VtStageRail, vt_stage_rail, VT, STAGE_RAIL, GtkBox)

/* The canvas, the analysis and the pinned stages of this view from now on. */
void vt_stage_rail_set_view(VtStageRail *self, VtCanvas *canvas, VtAnalysis *analysis, VtStagePins *pins);
/* The panel whose rows of the stage that is seen alone stand beside its tile; NULL: it is not made yet. After vt_stage_rail_set_view(). */
void vt_stage_rail_set_params(VtStageRail *self, VtParamPanel *params);
/* The keyboard goes to the first parameter of that stage; FALSE: there is none. */
gboolean vt_stage_rail_focus_params(VtStageRail *self);
/* The next (+1) or the previous (-1) stage alone; before the first and after the last one all layers are as before. */
void vt_stage_rail_walk(VtStageRail *self, int step);
/* Shows all stages up to the one that is seen alone; again: all layers as before. FALSE: none is. */
gboolean vt_stage_rail_show_up_to(VtStageRail *self);

/* The stage that is seen alone, which keys change; NULL: none is. Borrowed. */
const char *vt_stage_rail_get_chosen(VtStageRail *self);
/* The list of the steps that can follow a stage, at its tile. */
void vt_stage_rail_show_steps(VtStageRail *self, const char *stage);

/* A sentence below the tiles, for a while: what was done to the recipe. FALSE: the strip is not seen. */
gboolean vt_stage_rail_say(VtStageRail *self, const char *sentence);
