/* SPDX-License-Identifier: MIT
 *
 * One layer in the list: switch, name, time, legend, opacity, colour map. */
#pragma once
#include <gtk/gtk.h>

#include "vt-layer.h"

G_BEGIN_DECLS

#define VT_TYPE_LAYER_ROW (vt_layer_row_get_type())
G_DECLARE_FINAL_TYPE(VtLayerRow, vt_layer_row, VT, LAYER_ROW, GtkBox)

GtkWidget *vt_layer_row_new(VtLayer *layer);

G_END_DECLS
