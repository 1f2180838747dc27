/* SPDX-License-Identifier: MIT */
#pragma once
#include "plugins/vt-plugin-host.h"

/* Checks what a module's entry returned and copies all of it into structs of this program's size, so that later code
 * may read every field. The copy lives as long as the program. NULL and a sentence that names `path`. */
const VitrailPlugin *vt_plugin_check(const VitrailPlugin *theirs, const char *path, GError **error);

/* Loads a module and checks what its entry returns. It stays loaded. NULL and a sentence that names `path`. */
const VitrailPlugin *vt_plugin_open(const char *path, GError **error);
/* Two names of one file. */
gboolean vt_plugin_is_same_file(const char *a, const char *b);
/* A file that can't be used, and why. */
void vt_plugin_host_add_failure(VtPluginHost *host, const char *path, const char *reason);
/* Each file of the folder whose name ends so, by name. A folder that need not be there, but is and cannot be read, is a failure. */
void vt_plugin_host_read_folder(VtPluginHost *host, const char *folder, const char *suffix,
                                void (*take)(VtPluginHost *host, const char *path));
/* VitrailPlugin.recipe_check, wherever the plugin runs. */
VitrailStatus vt_plugin_host_check_recipe(VtPluginHost *host, const VitrailPlugin *plugin, const VitrailRecipe *recipe,
                                          VitrailRecipeProblem *problem);
/* vt-plugin-recipes.c. Opens those of VITRAIL_RECIPE_PATH, or else of the installed folder and the user's own. */
void vt_plugin_host_open_recipes(VtPluginHost *host);
/* An opened recipe; NULL if unknown. `plugin` may be NULL. */
const VitrailOp *vt_plugin_host_find_recipe_op(const char *op_id, const VitrailPlugin **plugin);
