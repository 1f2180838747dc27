/* SPDX-License-Identifier: MIT */
#include "window/vt-window-private.h"

#include <glib/gi18n.h>

#include "plugins/vt-plugin-host.h"
#include "common/vt-test-log.h"

static GHashTable *paths = NULL; /* VitrailOp -> char* */

const char *
vt_window_get_recipe_path(const VitrailOp *op)
{
  return paths ? g_hash_table_lookup(paths, op) : NULL;
}

static const VitrailOp *
open_recipe(VtPane *pane, const char *path)
{
  g_autoptr(GError) error = NULL;
  const VitrailOp *op = vt_plugin_host_open_recipe(vt_plugin_host_get(), path, &error);
  if (!op) {
    vt_pane_show_error(pane, error->message, VT_MESSAGE_ANSWER);
    return NULL;
  }
  if (!paths)
    paths = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
  g_hash_table_insert(paths, (gpointer)op, g_canonicalize_filename(path, NULL));
  vt_pane_apply_options(pane, &(VtPaneOptions){ .op_id = op->id });
  vt_test_log("recipe-open %s", op->id);
  return op;
}

void
vt_window_open_recipe_in(VtPane *pane, const char *path)
{
  open_recipe(pane, path);
}

gboolean
vt_window_open_recipe(VtWindow *self, const char *path)
{
  if (!g_str_has_suffix(path, VT_RECIPE_SUFFIX))
    return FALSE;
  const VitrailOp *op = open_recipe(vt_window_get_pane(self), path);
  if (!op)
    return TRUE;
  g_autofree char *sentence = g_strdup_printf(_("“%s” is in the list of analyses now."), op->title);
  vt_window_toast(self, sentence);
  return TRUE;
}
