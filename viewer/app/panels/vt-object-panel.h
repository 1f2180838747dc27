/* SPDX-License-Identifier: MIT
 *
 * The selected object and its measurements, a card over the slide; hidden when none is selected. */
#pragma once
#include "layers/vt-layer.h"

#define VT_TYPE_OBJECT_PANEL (vt_object_panel_get_type())
G_DECLARE_FINAL_TYPE(VtObjectPanel, vt_object_panel, VT, OBJECT_PANEL, GtkBox)

/* Follows the objects layer among them. Once. */
void vt_object_panel_set_layers(VtObjectPanel *self, GListModel *layers);
