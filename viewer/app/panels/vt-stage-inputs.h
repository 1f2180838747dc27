/* SPDX-License-Identifier: MIT
 *
 * Which stages or channels go into a step that is added to a recipe. What does not fit is grey, with the reason.
 *
 * Signal: "done" (it was added, or is not to be). */
#pragma once
#include <gtk/gtk.h>

#include "plugins/vt-recipe-edit.h"

#define VT_TYPE_STAGE_INPUTS (vt_stage_inputs_get_type())
G_DECLARE_FINAL_TYPE(VtStageInputs, vt_stage_inputs, VT, STAGE_INPUTS, GtkBox)

/* `recipe` and `plugin` must outlive it. The step is added after the stage. */
GtkWidget *vt_stage_inputs_new(const VitrailRecipe *recipe, const VitrailPlugin *plugin, const char *stage,
                               const VitrailStep *step);
