/* SPDX-License-Identifier: MIT */
#include "window/vt-window-private.h"

#include <glib/gi18n.h>

#include "plugins/vt-plugin-host.h"
#include "common/vt-test-log.h"

gboolean
vt_window_open_recipe(VtWindow *self, const char *path)
{
  g_autoptr(GError) error = NULL;
  VtPane *pane = vt_window_get_pane(self);
  if (!g_str_has_suffix(path, VT_RECIPE_SUFFIX))
    return FALSE;
  const VitrailOp *op = vt_plugin_host_open_recipe(vt_plugin_host_get(), path, &error);
  if (!op) {
    vt_pane_show_error(pane, error->message, FALSE);
    return TRUE;
  }
  vt_pane_apply_options(pane, &(VtPaneOptions){ .op_id = op->id });
  vt_test_log("recipe-open %s", op->id);
  g_autofree char *sentence = g_strdup_printf(_("“%s” is in the list of analyses now."), op->title);
  vt_window_toast(self, sentence);
  return TRUE;
}
