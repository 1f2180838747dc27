/* SPDX-License-Identifier: MIT
 *
 * The layers of a window together: a list of VtLayer, the lowest first. The slide always is the lowest. */
#pragma once
#include "layers/vt-layer.h"

/* Takes a layer `steps` places up (towards the eye) or down; locked layers and the slide stay. FALSE: it cannot go there. */
gboolean vt_layer_stack_move(GListStore *layers, VtLayer *layer, int steps);
/* To just where `other` is. */
gboolean vt_layer_stack_move_to(GListStore *layers, VtLayer *layer, VtLayer *other);
/* Takes all but the slide off, and puts such layers on again: in their order, each as it looked. Owned. */
GPtrArray *vt_layer_stack_take(GListStore *layers);
void vt_layer_stack_put(GListStore *layers, GPtrArray *taken);
/* Mutes what is not solo if anything is; the slide stays under a solo layer. */
void vt_layer_stack_apply_solo(GListModel *layers);
/* This layer alone over the slide; NULL: all that are shown. */
void vt_layer_stack_set_solo(GListModel *layers, VtLayer *layer);
/* The layer of a stage of the op alone over the slide; if it is: all again. */
void vt_layer_stack_toggle_stage(GListModel *layers, const char *stage);
/* A click on the button shows that stage alone, or all again; its tooltip says so. */
void vt_layer_stack_make_toggle(GListModel *layers, GtkWidget *button, const char *stage);
/* Borrowed; NULL: no layer is solo. */
VtLayer *vt_layer_stack_get_solo(GListModel *layers);
/* Tells all layers the parameters of the op. */
void vt_layer_stack_set_params(GListModel *layers, const VtParams *params);

/* VtLayer of the analysis's stages, in the order of these, whatever that of the layers. Owned. */
GPtrArray *vt_layer_stack_dup_stages(GListModel *layers);

/* All are out of sight until they are drawn again. */
void vt_layer_stack_hide(GListModel *layers);

/* Draws one layer without blending. */
typedef void (*VtLayerDraw)(VtLayer *layer, GtkSnapshot *snapshot, gpointer user);
/* Calls `draw` for every layer that is seen, from the lowest, inside the blend nodes that they ask for. */
void vt_layer_stack_snapshot(GListModel *layers, GtkSnapshot *snapshot, VtLayerDraw draw, gpointer user);
/* Appends VtLegendLine of the layers that are seen, the uppermost first. */
void vt_layer_stack_add_legend(GListModel *layers, GPtrArray *lines);
/* VtLegendLine, stacked upwards from (x, bottom), logical pixels; where the uppermost one begins. */
float vt_layer_stack_draw_legends(const GPtrArray *lines, GtkWidget *widget, GtkSnapshot *snapshot, float x,
                                  float bottom);
