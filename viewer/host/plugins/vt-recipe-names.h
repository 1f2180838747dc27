/* SPDX-License-Identifier: MIT
 *
 * Names in the expressions of recipes (docs/recipes.md). */
#pragma once
#include <glib.h>

/* What stands for a name. `function`: the function of which the name is all that it takes, or NULL. Owned; NULL: the name stays; "": an input
 * that is not given, of which given(NAME) becomes (0). */
typedef char *(*VtRecipeNameOf)(gpointer user, const char *function, const char *name);

/* A copy with other names; NULL of NULL. Owned. */
char *vt_recipe_rewrite(const char *expression, VtRecipeNameOf name_of, gpointer user);
/* Whether a function takes the id of a node. */
gboolean vt_recipe_is_of_node(const char *function);
