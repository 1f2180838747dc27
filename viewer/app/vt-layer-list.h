/* SPDX-License-Identifier: MIT */
#pragma once
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define VT_TYPE_LAYER_LIST (vt_layer_list_get_type())
G_DECLARE_FINAL_TYPE(VtLayerList, vt_layer_list, VT, LAYER_LIST, GtkBox)

/* `layers`: VtLayer, the lowest first. Kept. */
void vt_layer_list_set_layers(VtLayerList *self, GListModel *layers);

G_END_DECLS
