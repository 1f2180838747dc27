/* SPDX-License-Identifier: MIT
 *
 * Words of recipe files, by their numbers in the plugin interface; lists end with NULL. */
#pragma once
#include <json-glib/json-glib.h>

#include "base/vt-error.h"

extern const char *const vt_recipe_input_kinds[], *const vt_recipe_param_types[], *const vt_recipe_stage_kinds[];
extern const char *const vt_recipe_reaches[], *const vt_recipe_quantities[], *const vt_recipe_parts[];

/* The member "default" of the open object. */
void vt_recipe_add_default(JsonBuilder *builder, const VitrailParam *param);
