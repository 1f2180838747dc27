/* SPDX-License-Identifier: MIT
 *
 * Finds, checks and keeps the analysis plugins. Modules are loaded once and stay resident (device drivers may run threads
 * in them). A module that cannot be used is remembered with its reason and stops nothing. */
#pragma once
#include <gio/gio.h>

#include "base/vt-error.h"
#include "plugins/vt-recipe.h"

typedef struct _VtPluginHost VtPluginHost; /* process-wide; calls are thread-safe after the first */

/* Asked once, in the first vt_plugin_host_get(), if files are not tried after two seconds, with their names: whether to wait for them. NULL: it is
 * waited for all. Those not waited for join the lists when they have answered, on the main thread. */
void vt_plugin_host_set_slow(gboolean (*waits)(const char *names));
/* Before the first vt_plugin_host_get(): a plugin that is a part of this program. It stands in no list of the host's; its ops are found by their ids. */
void vt_plugin_host_set_own(const VitrailPlugin *plugin);
/* That one; NULL: there is none. Borrowed. */
const VitrailPlugin *vt_plugin_host_get_own(void);
/* Whether an op is of that one. */
gboolean vt_op_is_own(const VitrailOp *op);

/* Before the first vt_plugin_host_get(), for tests: what tries files, and how long one may take to answer. */
void vt_plugin_host_set_probe(const char *program, guint seconds);

/* Loads every *.so of VITRAIL_PLUGIN_PATH (colon-separated folders or files), of the user's plugin folder (vitrail/plugins in
 * XDG_DATA_HOME) and of the installed one, in this order, each after a trial in a process of its own (vt-plugin-probe.h). All are tried at once. Of one
 * plugin the first file is taken, and others are failures; the same file again is nothing. Never the working folder. The same
 * object every time. */
VtPluginHost *vt_plugin_host_get(void);

typedef struct {
  char *path;
  char *reason; /* "…/old.so speaks version 2 of the plugin interface, this program speaks 1" */
} VtPluginFailure;
/* (element-type VtPluginFailure), borrowed */
GPtrArray *vt_plugin_host_get_failures(VtPluginHost *host);
/* (element-type VitrailPlugin), borrowed, descriptors checked and completed to this program's struct sizes */
GPtrArray *vt_plugin_host_get_plugins(VtPluginHost *host);
/* (element-type GFile), borrowed: the files that are tried yet. Main thread. */
GListModel *vt_plugin_host_get_trying(VtPluginHost *host);
/* The file of a plugin; borrowed. */
const char *vt_plugin_host_get_path(VtPluginHost *host, const VitrailPlugin *plugin);
/* All ops of all plugins (element-type VitrailOp), borrowed. */
GPtrArray *vt_plugin_host_get_ops(VtPluginHost *host);
/* NULL if unknown. `plugin` may be NULL. */
const VitrailOp *vt_plugin_host_find_op(VtPluginHost *host, const char *op_id, const VitrailPlugin **plugin);
/* The plugin's session (opened at the first call, which probes devices and may take a second: call it in a worker).
 * `lock` must be held while the session runs an op. */
VitrailSession *vt_plugin_host_get_session(VtPluginHost *host, const VitrailPlugin *plugin, GMutex **lock,
                                           GError **error);
/* Whether it is open. */
gboolean vt_plugin_host_has_session(VtPluginHost *host, const VitrailPlugin *plugin);
/* Opens a recipe file as an op, which lives as long as the program and stands at the end of the list of ops; of a file that is
 * open already, the same. NULL, and a sentence with line and column, if it can't be run. On the main thread. */
const VitrailOp *vt_plugin_host_open_recipe(VtPluginHost *host, const char *path, GError **error);
/* The recipe of an op that was opened; NULL of others. Borrowed. */
const VtRecipe *vt_op_get_recipe(const VitrailOp *op);
/* Opens a recipe's text, which a person is editing, as an op, which is in no list, but is found by its id: `id`, or that of the text (NULL), or a
 * numbered one if that is taken. Of a text that is open as a draft already, the same. NULL and a sentence. On the main thread. */
const VitrailOp *vt_plugin_host_open_draft(VtPluginHost *host, const char *text, const char *id, GError **error);
gboolean vt_op_is_draft(const VitrailOp *op);
/* What an op is made of, whether it was opened or is the plugin's own; NULL: it is no recipe. Borrowed; `plugin` may be NULL. */
const VitrailRecipe *vt_plugin_host_find_recipe(VtPluginHost *host, const VitrailOp *op, const VitrailPlugin **plugin);
/* Before a run: tells the session of an op that is a recipe. `lock`: the session's, not held. */
gboolean vt_plugin_host_prepare(const VitrailOp *op, VitrailSession *session, GMutex *lock, GError **error);
/* Gives back what sessions keep for the next run (VtRunRequest.keep_stages). Waits for runs to end: call it in a worker. */
void vt_plugin_host_forget(VtPluginHost *host);
/* Index of a stage or parameter of an op by its id; -1 if there is none. */
int vt_op_find_stage(const VitrailOp *op, const char *stage_id);
int vt_op_find_param(const VitrailOp *op, const char *key);
gboolean vt_stage_has_raster(const VitrailStage *stage); /* else objects or rows */
/* The image that a slide is given to; NULL: the op takes none. */
const VitrailInputSpec *vt_op_get_primary(const VitrailOp *op);
/* The input for labels that lie anywhere on it (VtParams.labels): one channel, not the primary one, called "labels"; NULL: the op takes none. */
const VitrailInputSpec *vt_op_get_labels(const VitrailOp *op);
/* The input for objects of a file (VtParams.objects), outlines called "objects"; NULL: the op takes none. */
const VitrailInputSpec *vt_op_get_objects(const VitrailOp *op);
/* Loads one module file for tests; NULL and a reason if it is not usable. */
const VitrailPlugin *vt_plugin_host_load_file(VtPluginHost *host, const char *path, GError **error);
