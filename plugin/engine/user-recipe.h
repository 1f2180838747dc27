/* SPDX-License-Identifier: MIT
 *
 * user-recipe.h: recipes of a host. Every size, list, id, expression and type in them is checked before it is used. */
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

/* Checks that built-in recipes do not need, in each run and when the recipe is added: of a node before its step's infer(), and of the
 * stage that shows it. They fail with a sentence. */
VitrailStatus vt_user_check_node(const VtGraph *graph, const VtGraphNode *g);
VitrailStatus vt_user_check_stage(const VtGraph *graph, uint32_t i);
