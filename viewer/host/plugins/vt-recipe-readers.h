/* SPDX-License-Identifier: MIT
 *
 * Which stage of a recipe a parameter belongs to, which stages a stage is made from, and how that is drawn. */
#pragma once
#include "base/vt-error.h"

/* The first stage that a parameter has a part in: its number; -1: the parameter is of the whole analysis, as the pixel size is. A node on the way
 * to the stage reads it in an expression, or is the first to take what was read, which colours of stains and of glass do. */
int vt_recipe_find_first_stage(const VitrailRecipe *recipe, const char *param);
/* The nearest stages on each way that leads to a stage, as bits of their numbers; 0: it is made from the image alone. `steps`: the nodes from there on to it,
 * the stage's own with them, as bits; or NULL. */
guint64 vt_recipe_find_sources(const VitrailRecipe *recipe, const char *stage, guint64 *steps);
/* What the pixels of a stage depend on, by the steps on all ways to it. Of a recipe with at most 64 nodes, each with an id and a step. */
VitrailReach vt_recipe_find_reach(const VitrailRecipe *recipe, const char *stage);
/* Lanes for n stages side by side, 64 at most, as version control draws branches: a line runs on the lane of a stage from it to those that it goes into, and
 * passes no other stage. The last of those goes on with the lowest lane that ends there. `sources`: of each stage, as bits. lanes: of each; the number of
 * them is returned. */
guint vt_recipe_place_lanes(const guint64 *sources, guint n, guint *lanes);
