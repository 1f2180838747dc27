/* SPDX-License-Identifier: MIT
 *
 * Which stage of a recipe a parameter belongs to, and which stages a stage is made from. */
#pragma once
#include "base/vt-error.h"

/* The first stage that a parameter has a part in: its number; -1: the parameter is of the whole analysis, as the pixel size is. A node on the way
 * to the stage reads it in an expression, or is the first to take what was read, which colours of stains and of glass do. */
int vt_recipe_find_first_stage(const VitrailRecipe *recipe, const char *param);
/* The nearest stages on each way that leads to a stage, as bits of their numbers; 0: it is made from the image alone. */
guint64 vt_recipe_find_sources(const VitrailRecipe *recipe, const char *stage);
