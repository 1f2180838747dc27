/* SPDX-License-Identifier: MIT
 *
 * A small picture of what a layer has of a view, in the layer's colours, whether the layer is seen or not. Made by a worker
 * while the widget is mapped; faint where the layer is stale. Main thread only. */
#pragma once
#include "layers/vt-layer.h"

#define VT_TYPE_THUMBNAIL (vt_thumbnail_get_type())
G_DECLARE_FINAL_TYPE(VtThumbnail, vt_thumbnail, VT, THUMBNAIL, GtkWidget)

GtkWidget *vt_thumbnail_new(VtLayer *layer);
/* Shows all of this view from now on. */
void vt_thumbnail_set_view(VtThumbnail *self, const VtViewport *view);
