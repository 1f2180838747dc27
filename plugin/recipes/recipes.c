/* SPDX-License-Identifier: MIT */
#include "recipes/recipes.h"

#include "recipes/catalogue.h"

/* VT_RECIPES is the list of plugin/meson.build: RECIPE(nuclei) RECIPE(reconstruct) ... */
#define RECIPE(name) \
  extern const VtRecipe vt_recipe_##name; \
  extern const VitrailOp vt_declared_##name;
VT_RECIPES
#undef RECIPE

#define RECIPE(name) &vt_recipe_##name,
const VtRecipe *const vt_recipes[] = { VT_RECIPES };
#undef RECIPE

#define RECIPE(name) &vt_declared_##name,
const VitrailOp *const vt_ops[] = { VT_RECIPES };

const uint32_t vt_n_recipes = VT_COUNT(vt_recipes);
