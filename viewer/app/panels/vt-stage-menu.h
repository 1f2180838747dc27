/* SPDX-License-Identifier: MIT
 *
 * What can be done to a stage: it is pinned, and as one of a recipe changed; and the list of steps that can follow it. What cannot is there, too, grey
 * and with the reason. It calls "win.stage-pin-of" (s: the stage), "win.stage-edit" (sss: an id of vt_recipe_edit_get_id(), the stage, the step) and
 * "win.save-recipe". Main thread only. */
#pragma once
#include <gtk/gtk.h>

#include "analysis/vt-stage-pins.h"
#include "plugins/vt-recipe-edit.h"

#define VT_TYPE_STAGE_MENU (vt_stage_menu_get_type())
G_DECLARE_FINAL_TYPE(VtStageMenu, vt_stage_menu, VT, STAGE_MENU, GtkPopover)

/* `recipe`, `plugin`: of the op; they outlive it. NULL: it is no recipe. The parent is set by the caller. */
GtkWidget *vt_stage_menu_new(const VitrailOp *op, const VitrailRecipe *recipe, const VitrailPlugin *plugin,
                             const char *stage, VtStagePins *pins);
/* The list of steps at once. */
void vt_stage_menu_show_steps(VtStageMenu *self);
