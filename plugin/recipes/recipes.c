/* SPDX-License-Identifier: MIT */
#include "recipes/recipes.h"

const VtRecipe *const vt_recipes[] = {
  &vt_recipe_nuclei, &vt_recipe_reconstruct, &vt_recipe_morphology, &vt_recipe_distance,
  &vt_recipe_zones,  &vt_recipe_watershed,   &vt_recipe_glrlm_map,  &vt_recipe_glrlm_rois,
};
const uint32_t vt_n_recipes = VT_COUNT(vt_recipes);
