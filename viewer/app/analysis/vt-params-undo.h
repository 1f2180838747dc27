/* SPDX-License-Identifier: MIT
 *
 * Makes steps that can be undone of what a person does to the parameters of a view's analysis, and of the choice of another analysis, whoever changed them.
 * One step are: changes of one parameter of which each comes within a second of the one before; and all that changes at once. No steps are: what there is
 * before a slide is there, the first analysis of a view, scores that are taught, which lessons keep, and labels that are read. Main thread only. */
#pragma once
#include "analysis/vt-analysis.h"
#include "common/vt-undo.h"

#define VT_TYPE_PARAMS_UNDO (vt_params_undo_get_type())
G_DECLARE_FINAL_TYPE(VtParamsUndo, vt_params_undo, VT, PARAMS_UNDO, GObject)

VtParamsUndo *vt_params_undo_new(VtAnalysis *analysis, VtUndo *undo);
