/* SPDX-License-Identifier: MIT
 *
 * user-private.h: what the files that check recipes of users share. A path is a JSON pointer (VitrailRecipeProblem). */
#pragma once

#include "engine/user-recipe.h"

enum {
  MOST_INPUTS = 8,
  MOST_PARAMS = 64, /* as VtRun.values has */
  MOST_STAGES = 64, /* as VitrailRequest.stages_wanted has */
  LONGEST_TEXT = 4096,
  LONGEST_EXPRESSION = 1024,
};

typedef struct {
  VtUserRecipe *recipe;
  VtRun *run; /* with the defaults, for expressions and types */
  VitrailRecipeProblem *problem;
  const VitrailStage *const *stages; /* those copied so far */
  const VtNode *nodes;               /* those copied so far, for names in expressions */
  uint32_t n_nodes;
} VtUserCheck;

/* Returns VITRAIL_BAD_ARGUMENT. The first sentence is the one that is kept. */
VitrailStatus vt_user_wrong(VtUserCheck *c, const char *path, const char *format, ...)
  __attribute__((format(printf, 3, 4)));
void *vt_user_alloc(VtUserCheck *c, size_t n, size_t size); /* zeros, freed with the recipe; NULL: there is no memory */
/* Replaces a text by a copy; NULL stays. */
VitrailStatus vt_user_text(VtUserCheck *c, const char *path, const char **text, size_t longest);
VitrailStatus vt_user_id(VtUserCheck *c, const char *path, const char **id);
VitrailStatus vt_user_expression(VtUserCheck *c, const char *path, const char **text);
/* Copies a struct that has at least `least` bytes. Fields that it lacks become zero. */
VitrailStatus vt_user_struct(VtUserCheck *c, const char *path, void *ours, const void *theirs, size_t size,
                             size_t least);
VitrailStatus vt_user_list(VtUserCheck *c, const char *path, uint32_t n, const void *list, uint32_t most,
                           const char *what);

/* Replace the op's lists by copies. */
VitrailStatus vt_user_copy_inputs(VtUserCheck *c, VitrailOp *op);
VitrailStatus vt_user_copy_params(VtUserCheck *c, VitrailOp *op);
VitrailStatus vt_user_copy_nodes(VtUserCheck *c, const VitrailRecipe *theirs, VtRecipe *recipe);
/* Gives c->run the defaults of the parameters. */
VitrailStatus vt_user_values(VtUserCheck *c, VitrailOp *op);
