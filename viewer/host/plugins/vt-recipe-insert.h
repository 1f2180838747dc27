/* SPDX-License-Identifier: MIT */
#pragma once
#include "plugins/vt-recipe-draft.h"

enum {
  VT_INSERT_IN_THE_WAY = 1, /* what took the stage takes the step, which makes the same type */
  VT_INSERT_NUMBERED =
    2, /* the labels that the step makes are numbered by a step of their own, as a stage's have to be */
};

/* Puts a step after a stage, as a stage of its own, with its settings as parameters. `what`: the step's id; then, if not all inputs are to be the
 * nearest that fit, ":" and their names (vt-recipe-inputs.h) with commas between. FALSE and a sentence: it does not fit. */
gboolean vt_recipe_insert(VtRecipeDraft *draft, const char *stage, const char *what, guint flags, GError **error);
