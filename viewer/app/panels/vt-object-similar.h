/* SPDX-License-Identifier: MIT
 *
 * Objects that are like one of them, or like those of regions, by a bar of similarity. `layer`: of the objects; NULL: there are none. Looking for the
 * same again ends it. Main thread only. */
#pragma once
#include "layers/vt-layer.h"
#include "panels/vt-similar-bar.h"

/* FALSE and a sentence: none is selected. */
gboolean vt_object_similar_to_selected(VtSimilarBar *bar, VtLayer *layer, GError **error);
/* The mean of the objects whose centroids lie inside of the regions (VtRoi). FALSE and a sentence: there is none. */
gboolean vt_object_similar_to_regions(VtSimilarBar *bar, VtLayer *layer, const GPtrArray *rois, GError **error);
/* Gives the layer the bar's column, or takes it away. */
void vt_object_similar_show(VtSimilarBar *bar, VtLayer *layer);
