/* SPDX-License-Identifier: MIT
 *
 * --set levels=8,16,32: a table of regions with the columns of several settings. */
#include <string.h>

#include "batch.h"

enum { MOST_SETTINGS = 16 };

/* The parameter that has several values; -1: this is a usual setting. */
static int
find_listed(const VitrailOp *op, const char *setting)
{
  const char *equals = strchr(setting, '=');
  g_autofree char *key = equals ? g_strstrip(g_strndup(setting, (gsize)(equals - setting))) : NULL;
  const int index = key && strchr(equals, ',') ? vt_op_find_param(op, key) : -1;
  return index >= 0 && op->params[index]->type == VITRAIL_PARAM_VECTOR ? -1 : index;
}

static int
check(const VtRunRequest *request, const char *listed, const char *other)
{
  const VitrailOp *op = request->op;
  for (guint i = 0; i < op->n_stages; i++)
    if (op->stages[i]->kind != VITRAIL_STAGE_ROWS)
      return batch_fail(BATCH_USAGE,
                        "“%s” has several values, which become columns of a table of regions; %s makes no such table.",
                        listed, op->id);
  if (other)
    return batch_fail(BATCH_USAGE, "One parameter at most can have several values, not both “%s” and “%s”.", listed,
                      other);
  if (request->ranks)
    return batch_fail(BATCH_USAGE, "“%s”: several values can't be shared by processes; give each process its own.",
                      listed);
  return BATCH_DONE;
}

/* The settings, from those that the request has; `values` is what stands behind the "=" of the parameter. */
static int
add_settings(VtRunRequest *request, guint index, const char *values)
{
  g_auto(GStrv) parts = g_strsplit(values, ",", -1);
  const guint n = g_strv_length(parts);
  const char *key = request->op->params[index]->key;
  if (n > MOST_SETTINGS)
    return batch_fail(BATCH_USAGE, "%s has %u values; %u are the most.", key, n, MOST_SETTINGS);
  request->settings = g_ptr_array_new_with_free_func((GDestroyNotify)vt_params_free);
  request->varied = index;
  for (guint i = 0; i < n; i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(VtParams) params = vt_params_copy(request->params);
    g_autofree char *setting = g_strdup_printf("%s=%s", key, parts[i]);
    if (!vt_params_set_from_string(params, setting, &error))
      return batch_fail(BATCH_USAGE, "%s", error->message);
    for (guint k = 0; k < i; k++)
      if (vt_params_equal(params, request->settings->pdata[k]))
        return batch_fail(BATCH_USAGE, "“%s” is there twice; each value is a set of columns of its own.", setting);
    g_ptr_array_add(request->settings, g_steal_pointer(&params));
  }
  vt_params_assign(request->params, request->settings->pdata[0]);
  return BATCH_DONE;
}

int
batch_set_settings(VtRunRequest *request, char *const *set)
{
  g_autoptr(GPtrArray) usual = g_ptr_array_new();
  const char *listed = NULL, *other = NULL;
  for (; set && *set; set++) {
    const gboolean has_list = find_listed(request->op, *set) >= 0;
    other = has_list && listed ? *set : other;
    listed = has_list && !listed ? *set : listed;
    if (!has_list)
      g_ptr_array_add(usual, *set);
  }
  g_ptr_array_add(usual, NULL);
  int status = listed ? check(request, listed, other) : BATCH_DONE;
  if (status == BATCH_DONE)
    status = batch_set_params(request, (char *const *)usual->pdata);
  return status == BATCH_DONE && listed
           ? add_settings(request, (guint)find_listed(request->op, listed), strchr(listed, '=') + 1)
           : status;
}
