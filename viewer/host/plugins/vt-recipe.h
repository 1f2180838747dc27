/* SPDX-License-Identifier: MIT */
#pragma once
#include <json-glib/json-glib.h>

#include "base/vt-error.h"

/* A recipe as a file (docs/recipes.md): JSON, with the version of its schema. */
#define VT_RECIPE_SCHEMA 1
#define VT_RECIPE_SUFFIX ".recipe.json"

typedef struct _VtRecipe VtRecipe;

/* Reads a file, of which errors give line and column; or the member "recipe" of a record.json. Recipes that it calls, those
 * of the plugin (may be NULL) or files beside it, are put in. */
VtRecipe *vt_recipe_load(const char *path, const VitrailPlugin *plugin, GError **error);
/* name: of the text, for errors. It calls no files. */
VtRecipe *vt_recipe_parse(const char *text, const char *name, const VitrailPlugin *plugin, GError **error);
void vt_recipe_free(VtRecipe *recipe);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtRecipe, vt_recipe_free)

/* Borrowed. The plugin has not checked it. */
const VitrailRecipe *vt_recipe_get(const VtRecipe *recipe);
/* One that calls others has their nodes in its text. */
const char *vt_recipe_get_text(const VtRecipe *recipe);
/* The sentence of a plugin about this recipe, with the place of what it is about. */
void vt_recipe_set_error(const VtRecipe *recipe, const VitrailRecipeProblem *problem, GError **error);
/* As JSON. id, title: instead of its own; or NULL. */
JsonNode *vt_recipe_to_json(const VitrailRecipe *recipe, const char *id, const char *title);
