/* SPDX-License-Identifier: MIT
 *
 * Changes a recipe by its stages: each change gives another recipe that the plugin has checked, or a sentence that says why there is none.
 *
 * A stage stands for the node that shows it, together with the nodes that are there for it alone. What goes out of it can be replaced by
 * something that goes into it if both are of one type. */
#pragma once
#include "plugins/vt-params.h"
#include "plugins/vt-plugin-host.h"

typedef enum {
  VT_RECIPE_BYPASS, /* the stage stays and hands on what goes into it, while its parameter "skip-STAGE" is on; of one that is bypassed: ends that */
  VT_RECIPE_REMOVE, /* its nodes go, and the parameters that nothing else needs */
  VT_RECIPE_EARLIER, /* changes places with the stage that it takes and that comes right before it; */
  VT_RECIPE_LATER,   /* or with the next one that takes it */
  VT_RECIPE_PLACE,   /* so many steps earlier or later that it is where another stage was, or beyond */
  VT_RECIPE_ADD, /* another step after it, as a stage; in the way of what takes the stage if it makes the same type, else beside */
  VT_RECIPE_NORMALIZE, /* of whichever stage: channels are taken of normalised stains, which are a stage of their own before the others */
  VT_RECIPE_N_EDITS
} VtRecipeEdit;

/* "bypass", "remove", "earlier", "later", "place", "add", "normalize"; and back: VT_RECIPE_N_EDITS if there is none. */
const char *vt_recipe_edit_get_id(VtRecipeEdit edit);
VtRecipeEdit vt_recipe_edit_from_id(const char *id);

/* The text of a recipe file with the change. `recipe` is one that `plugin` has checked. `title`: of the new recipe, whose id then ends in
 * "-edited"; NULL: id and title stay. `what`: the step that is added, with its inputs if they are not the
 * nearest ("STEP:INPUT,INPUT": stages, or "@" and a channel of the image), or the other stage; else NULL. NULL and a sentence. Owned. Main thread. */
char *vt_recipe_edit(const VitrailRecipe *recipe, const VitrailPlugin *plugin, VtRecipeEdit edit, const char *stage,
                     const char *what, const char *title, GError **error);
typedef struct {
  char *name, *title;
  char *reason; /* why it does not go into the input; NULL: it does */
} VtRecipeChoice;

/* VtRecipeChoice: what can be offered to an input of a step that is added after a stage, stages first, the nearest before the others. `what`: the
 * step, ":", and what goes into its inputs, of which this one is exchanged. Owned. */
GPtrArray *vt_recipe_list_choices(const VitrailRecipe *recipe, const VitrailPlugin *plugin, const char *stage,
                                  const char *what, guint input);
/* `what` with another name for one input. Owned. */
char *vt_recipe_dup_with_input(const char *what, guint input, const char *name);
/* The id of the op that an edited one began as: "nuclei-threshold" of "nuclei-threshold-edited-2"; any other is its own. Interned. */
const char *vt_recipe_get_origin(const char *op_id);
/* A stage of `after` that is not in `before`; NULL: none. Borrowed. */
const char *vt_recipe_find_added(const VitrailRecipe *before, const VitrailRecipe *after);
/* The parameter that switches a stage's bypass; NULL: it has none. Borrowed. */
const VitrailParam *vt_recipe_get_bypass(const VitrailOp *op, const char *stage);

/* The text of a recipe file whose defaults are the present values. id, title: instead of its own; or NULL. Owned. */
char *vt_recipe_dup_text_with(const VitrailRecipe *recipe, const VtParams *params, const char *id, const char *title);
