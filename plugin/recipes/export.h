/* SPDX-License-Identifier: MIT
 *
 * export.h: the built-in recipes as the interface has them. */
#pragma once

#include "engine/recipe.h"

/* Made at the first call; static. NULL: there was no memory for them. */
const VitrailRecipe *const *vt_recipes_export(uint32_t *n);
