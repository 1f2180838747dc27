/* SPDX-License-Identifier: MIT
 *
 * Makes steps that can be undone of what a person does to the layers of a view: shown or hidden, opacity, blending, colours, range, threshold, measurement,
 * outlines, lock, order. One step are: changes of one of these of one layer of which each comes within a second of the one before; and all that changes at
 * once. No steps are: what there is before a slide is there, a layer seen alone, ranges that follow the data. Main thread only. */
#pragma once
#include "analysis/vt-analysis.h"
#include "common/vt-undo.h"

#define VT_TYPE_LAYERS_UNDO (vt_layers_undo_get_type())
G_DECLARE_FINAL_TYPE(VtLayersUndo, vt_layers_undo, VT, LAYERS_UNDO, GObject)

VtLayersUndo *vt_layers_undo_new(VtAnalysis *analysis, VtUndo *undo);
