/* SPDX-License-Identifier: MIT
 *
 * How one layer looks, and the statistics of what is seen of it: the part of a row that opens. */
#pragma once
#include <gtk/gtk.h>

#include "layers/vt-layer.h"

#define VT_TYPE_LAYER_SETTINGS (vt_layer_settings_get_type())
G_DECLARE_FINAL_TYPE(VtLayerSettings, vt_layer_settings, VT, LAYER_SETTINGS, GtkBox)

GtkWidget *vt_layer_settings_new(VtLayer *layer);
