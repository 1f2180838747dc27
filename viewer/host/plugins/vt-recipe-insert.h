/* SPDX-License-Identifier: MIT */
#pragma once
#include "plugins/vt-recipe-draft.h"

enum {
  VT_INSERT_IN_THE_WAY = 1, /* what took the stage takes the step, which makes the same type */
  VT_INSERT_NUMBERED =
    2, /* the labels that the step makes are numbered by a step of their own, as a stage's have to be */
};

/* Puts a step after a stage, as a stage of its own, with its settings as parameters. FALSE and a sentence: it does not fit. */
gboolean vt_recipe_insert(VtRecipeDraft *draft, const char *stage, const char *step, guint flags, GError **error);
