/* SPDX-License-Identifier: MIT
 *
 * One stage of an analysis in the strip of its stages: a thumbnail, its title, how long it took, how far it reaches. It is pressed in
 * while its layer is seen alone. Main thread only.
 *
 * Signals: "alone" (gboolean: look at it alone, or at all as before), "up-to" (it was clicked twice), "menu" (what can be done to it is asked for),
 * "dragged" (gboolean: it is being dragged, or no more), "over" (gboolean: another one is over it, or no more), "dropped" (another one was let go
 * on it). */
#pragma once
#include "layers/vt-layer.h"

#define VT_TYPE_STAGE_TILE (vt_stage_tile_get_type())
G_DECLARE_FINAL_TYPE(VtStageTile, vt_stage_tile, VT, STAGE_TILE, GtkToggleButton)

/* `number`: its place in the order in which stages are made, from 1. */
GtkWidget *vt_stage_tile_new(VtLayer *layer, guint number);
VtLayer *vt_stage_tile_get_layer(VtStageTile *self); /* borrowed */
void vt_stage_tile_set_view(VtStageTile *self, const VtViewport *view);
/* After any change of what is shown. `kept`: the run took it over from a former one. */
void vt_stage_tile_update(VtStageTile *self, gboolean kept);
/* What it is made from and goes into, a sentence, for its tooltip and for who does not see the strip; NULL: not known. */
void vt_stage_tile_set_origin(VtStageTile *self, const char *sentence);
const char *vt_stage_tile_get_origin(VtStageTile *self);
/* It is pinned as A or B (VtStagePin); -1: it is not. */
void vt_stage_tile_set_pin(VtStageTile *self, int which);
/* Its layer is that of a stage that hands on what goes into it. */
void vt_stage_tile_set_bypassed(VtStageTile *self, gboolean bypassed);
