/* SPDX-License-Identifier: MIT
 *
 * What goes into a step that is added to a recipe. It is named by the id of a stage, or by VT_RECIPE_CHANNEL and a channel of the image. */
#pragma once
#include "plugins/vt-recipe-draft.h"

#define VT_RECIPE_CHANNEL "@"

typedef struct {
  char *id;         /* of the node */
  int type;         /* vt_draft_type() */
  JsonObject *like; /* unit, range and colours with which it is shown; a reference */
} VtRecipeSource;

void vt_recipe_source_clear(VtRecipeSource *source);

/* The ids of a step's inputs, of a step that comes after a stage. `chosen`: their names, NULL at the end; what is left out or "" is the stage itself,
 * for further inputs the nearest stage before it that fits. *first: the first one. A channel gets a node where it has none. NULL and a sentence. */
JsonArray *vt_recipe_find_inputs(VtRecipeDraft *draft, const char *stage, const VitrailStep *step, char **chosen,
                                 VtRecipeSource *first, GError **error);
/* Names of what a step after this stage can be offered: stages, the nearest first, and channels. Owned. */
GPtrArray *vt_recipe_list_sources(const VtRecipeDraft *draft, const char *stage);
/* "Mask", "Channel: red", in the language of who reads it. Owned. */
char *vt_recipe_dup_source_title(const VtRecipeDraft *draft, const char *name);
