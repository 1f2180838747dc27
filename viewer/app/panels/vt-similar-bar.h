/* SPDX-License-Identifier: MIT
 *
 * Objects like a selected one: how much each differs from it becomes a column of the layer, a slider says how much may pass, and a sentence what
 * those have in common. Follows the layer: the same numbers are looked for among later objects. Worked out by workers. Hidden until it is
 * started. Main thread only. Signal: "changed" (what passes, while the layer's columns stay). */
#pragma once
#include "layers/vt-layer.h"

#define VT_SIMILAR_COLUMN "Similarity: Difference (sd)"

#define VT_TYPE_SIMILAR_BAR (vt_similar_bar_get_type())
G_DECLARE_FINAL_TYPE(VtSimilarBar, vt_similar_bar, VT, SIMILAR_BAR, GtkBox)

/* Of the objects; NULL: none. What was looked for is forgotten. */
void vt_similar_bar_set_layer(VtSimilarBar *self, VtLayer *layer);
/* Looks for objects like the selected one; of the one that is looked for already: ends. FALSE: none is selected. */
gboolean vt_similar_bar_start(VtSimilarBar *self);
/* What passes; NULL: nothing is looked for, or not found yet among these objects. Owned. */
VtObjectFilter *vt_similar_bar_dup_filter(VtSimilarBar *self, const VtColumns *columns);
