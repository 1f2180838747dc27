/* SPDX-License-Identifier: MIT
 *
 * Which stage of a recipe a parameter belongs to. */
#pragma once
#include "base/vt-error.h"

/* The first stage that a parameter has a part in: its number; -1: the parameter is of the whole analysis, as the pixel size is. A node on the way
 * to the stage reads it in an expression, or is the first to take what was read, which colours of stains and of glass do. */
int vt_recipe_find_first_stage(const VitrailRecipe *recipe, const char *param);
