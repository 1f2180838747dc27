/* SPDX-License-Identifier: MIT
 *
 * user-recipe.h: recipes that come through the interface, and are not believed. */
#pragma once

#include "engine/graph.h"

typedef struct VtUserRecipe {
  struct VtUserRecipe *next; /* of the session */
  VitrailOp op;
  VtRecipe recipe;
  struct VtChunk *memory; /* of all copies */
} VtUserRecipe;

/* A copy of what was checked; vt_user_recipe_free() it. VITRAIL_BAD_ARGUMENT: *problem (may be NULL) says what is wrong. */
VitrailStatus vt_user_recipe_new(const VitrailRecipe *theirs, VtUserRecipe **recipe, VitrailRecipeProblem *problem);
void vt_user_recipe_free(VtUserRecipe *recipe);

/* During a run, or where the types of a recipe are tried: what a built-in recipe does right by itself. Before the step's own
 * infer(), and after the stage is known. */
VitrailStatus vt_user_check_node(const VtGraph *graph, const VtGraphNode *g);
VitrailStatus vt_user_check_stage(const VtGraph *graph, uint32_t i);
