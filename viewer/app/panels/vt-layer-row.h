/* SPDX-License-Identifier: MIT
 *
 * One layer in the list: handle, eye, colours, name, value under the pointer or time; its settings open below. It can be
 * dragged onto another row, or moved with Alt+Up and Alt+Down. Its height does not depend on what is seen.
 *
 * The eye shows and hides the layer; with Alt it asks for this layer alone, as the row's menu does (secondary button, Menu key).
 *
 * Signals: "moved" (int steps: up is towards the eye), "dropped" (VtLayer that was dropped here), "solo" (gboolean: this layer
 * alone, or none), "opened" (its settings are there). */
#pragma once
#include <gtk/gtk.h>

#include "layers/vt-layer.h"

#define VT_TYPE_LAYER_ROW (vt_layer_row_get_type())
G_DECLARE_FINAL_TYPE(VtLayerRow, vt_layer_row, VT, LAYER_ROW, GtkListBoxRow)

GtkWidget *vt_layer_row_new(VtLayer *layer);
VtLayer *vt_layer_row_get_layer(VtLayerRow *self);
/* What lies under the pointer; NULL: the pointer is elsewhere. */
void vt_layer_row_set_value(VtLayerRow *self, const char *value);
