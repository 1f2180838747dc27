/* SPDX-License-Identifier: MIT
 *
 * recipes.h: the built-in recipes, and the op of each. */
#pragma once

#include "engine/recipe.h"

extern const VtRecipe *const vt_recipes[];
extern const VitrailOp *const vt_ops[];
extern const uint32_t vt_n_recipes;
