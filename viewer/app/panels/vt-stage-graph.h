/* SPDX-License-Identifier: MIT
 *
 * The strip of stages with lines above its tiles: a dot for each stage, and a line from it to each stage that it goes into, on lanes as version control draws
 * branches. Main thread only. */
#pragma once
#include "panels/vt-stage-tile.h"

#define VT_TYPE_STAGE_GRAPH (vt_stage_graph_get_type())
G_DECLARE_FINAL_TYPE(VtStageGraph, vt_stage_graph, VT, STAGE_GRAPH, GtkWidget)

/* `strip`: what holds the tiles. */
VtStageGraph *vt_stage_graph_new(GtkWidget *strip);
/* VtStageTile in that, in the order of their stages. `recipe`, `plugin`: theirs; NULL: there is none, and no line is drawn. */
void vt_stage_graph_set_tiles(VtStageGraph *self, GPtrArray *tiles, const VitrailRecipe *recipe,
                              const VitrailPlugin *plugin);
/* What the stage is made from and goes into stands out; NULL: of none. Its sentence; NULL: not known. Borrowed. */
const char *vt_stage_graph_mark(VtStageGraph *self, GtkWidget *tile);
