/* SPDX-License-Identifier: MIT
 *
 * recipes.h: the built-in recipes. */
#pragma once

#include "engine/recipe.h"

extern const VtRecipe vt_recipe_nuclei, vt_recipe_morphology, vt_recipe_zones, vt_recipe_watershed;
