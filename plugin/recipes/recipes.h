/* SPDX-License-Identifier: MIT
 *
 * recipes.h: the built-in recipes. */
#pragma once

#include "engine/recipe.h"

extern const VtRecipe *const vt_recipes[];
extern const uint32_t vt_n_recipes;

extern const VtRecipe vt_recipe_nuclei, vt_recipe_reconstruct, vt_recipe_morphology, vt_recipe_distance,
  vt_recipe_zones, vt_recipe_watershed, vt_recipe_glrlm_map, vt_recipe_glrlm_rois;
