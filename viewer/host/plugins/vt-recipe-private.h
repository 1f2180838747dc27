/* SPDX-License-Identifier: MIT
 *
 * What the files that read recipes share. */
#pragma once

#include "base/vt-json-places.h"
#include "plugins/vt-recipe.h"

/* A node that is a recipe. */
typedef struct {
  const char *id, *name;
  guint32 n_inputs, n_settings, n_stages;
  const char *const *inputs; /* of the caller, for each of the recipe's */
  const VitrailRecipeSetting *const *settings;
  const VitrailRecipeSetting *const *stages; /* the recipe's, and the caller's that show them */
} VtRecipeCall;

struct _VtRecipe {
  VitrailRecipe recipe;
  GPtrArray *memory;
  GPtrArray *called;  /* files, whose texts the nodes have */
  GHashTable *places; /* of the text that was read */
  GHashTable *calls;  /* VitrailRecipeNode to VtRecipeCall */
  GArray *origins;    /* of a recipe that calls others: for each node the number of that of the text (guint) */
  JsonParser *parser;
  char *name, *text;
};

typedef struct VtRecipeReader {
  VtRecipe *file;
  const VitrailPlugin *plugin;         /* whose recipes can be called; NULL: none */
  const char *path;                    /* NULL: it is no file, and calls none */
  const struct VtRecipeReader *caller; /* NULL: nobody calls it */
  guint *n_calls;                      /* of all files */
  GError **error;
} VtRecipeReader;

gpointer vt_recipe_allocate(const VtRecipeReader *r, gsize n, gsize size);
/* FALSE, with a sentence about what stands at a JSON pointer. */
#define vt_recipe_fail(r, pointer, ...) \
  vt_json_fail(&(VtJsonReader){ (r)->file->name, (r)->file->places, (r)->error }, pointer, __VA_ARGS__)
/* caller: who calls the file; its plugin and its count are taken. */
VtRecipe *vt_recipe_load_called(const char *path, const VtRecipeReader *caller, GError **error);
/* Puts the nodes of the recipes that are called in the place of the calls. */
gboolean vt_recipe_flatten(const VtRecipeReader *r);
