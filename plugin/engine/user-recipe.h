/* SPDX-License-Identifier: MIT
 *
 * user-recipe.h: recipes from a host. Every size, list, id, expression and type is checked before it is used. */
#pragma once

#include "engine/graph.h"

typedef struct VtUserRecipe {
  struct VtUserRecipe *next; /* of the session */
  VitrailOp op;
  VtRecipe recipe;
  struct VtChunk *memory; /* of all copies */
} VtUserRecipe;

/* Checks a recipe and copies it; vt_user_recipe_free() it. VITRAIL_BAD_ARGUMENT: *problem (may be NULL) says what is wrong. */
VitrailStatus vt_user_recipe_new(const VitrailRecipe *theirs, VtUserRecipe **recipe, VitrailRecipeProblem *problem);
void vt_user_recipe_free(VtUserRecipe *recipe);

/* Checks of a node before its step's infer(), and of the stage that shows it, in each run and when the recipe is added. Built-in recipes
 * do not need them. They fail with a sentence. */
VitrailStatus vt_user_check_node(const VtGraph *graph, const VtGraphNode *g);
VitrailStatus vt_user_check_stage(const VtGraph *graph, uint32_t i);
