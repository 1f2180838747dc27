/* SPDX-License-Identifier: MIT */
#pragma once
#include "plugins/vt-recipe-draft.h"

/* Puts the step normalize between what was read and all channels of it, as the first stage, with the stage and the parameters that the plugin's own
 * recipe of that step has. FALSE and a sentence: the recipe has it already, or what it does with the image does not allow it. */
gboolean vt_recipe_normalize(VtRecipeDraft *draft, GError **error);
