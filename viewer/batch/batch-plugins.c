/* SPDX-License-Identifier: MIT
 *
 * vitrail-batch plugins: which files offer analyses, and which were refused, and why. */
#include <stdio.h>

#include "batch.h"
#include "base/vt-define.h"
#include "plugins/vt-plugin-host.h"
#include "plugins/vt-plugin-probe.h"

int
batch_plugins(int argc, char **argv)
{
  gboolean again = FALSE;
  int status = BATCH_DONE;
  const GOptionEntry entries[] = {
    { "again", 0, 0, G_OPTION_ARG_NONE, &again, "Try all files again, those that failed, too", NULL },
    { NULL },
  };
  if (!batch_parse(&argc, &argv, NULL, "Lists the plugins, and the files that were refused with the reason.", entries,
                   &status))
    return status;
  if (argc != 1)
    return batch_fail(BATCH_USAGE, "plugins takes no words.");
  if (again)
    vt_plugin_probe_forget();
  VtPluginHost *host = vt_plugin_host_get();
  GPtrArray *plugins = vt_plugin_host_get_plugins(host), *failures = vt_plugin_host_get_failures(host);
  VT_EACH_OF (const VitrailPlugin, plugin, plugins) {
    g_autofree char *shown = vt_error_dup_path(vt_plugin_host_get_path(host, plugin));
    printf("%s %s, %u ops: %s\n", plugin->id, plugin->version, plugin->n_ops, shown);
  }
  for (guint i = 0; i < failures->len; i++)
    printf("refused: %s\n", ((const VtPluginFailure *)g_ptr_array_index(failures, i))->reason);
  return BATCH_DONE;
}

gboolean
batch_waits_for_plugins(const char *names)
{
  g_printerr("vitrail-batch: plugins are tried before their first use, for %d s at most: %s.\n", VT_PLUGIN_PROBE_S,
             names);
  return TRUE;
}

int
batch_tell_failures(void)
{
  VtPluginHost *host = vt_plugin_host_get();
  GPtrArray *failures = vt_plugin_host_get_failures(host);
  for (guint i = 0; i < failures->len; i++)
    g_printerr("vitrail-batch: %s\n", ((const VtPluginFailure *)g_ptr_array_index(failures, i))->reason);
  return vt_plugin_host_get_plugins(host)->len > 0
           ? BATCH_DONE
           : batch_fail(BATCH_FAILED, "No plugin was found; VITRAIL_PLUGIN_PATH names more folders.");
}

int
batch_fail_unknown(const char *kind, const char *id, const char *known)
{
  const int status = *known ? BATCH_DONE : batch_tell_failures();
  return status == BATCH_DONE
           ? batch_fail(BATCH_USAGE, "There is no %s “%s”; there are: %s.", kind, id, *known ? known : "none")
           : status;
}
