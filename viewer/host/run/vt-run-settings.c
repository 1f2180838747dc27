/* SPDX-License-Identifier: MIT
 *
 * A run of several settings: one run of each after the other, and a result whose rows have the columns of all of them beside one another. */
#include <math.h>

#include "base/vt-define.h"
#include "base/vt-json.h"
#include "run/vt-run-private.h"

typedef struct {
  VtRunProgress progress;
  gpointer user;
  guint number, n;
} Share;

static void
tell_share(guint stage, double fraction, gpointer user)
{
  const Share *share = user;
  share->progress(stage, (share->number + fraction) / share->n, share->user);
}

/* "levels=8". */
static char *
dup_setting(const VtRunRequest *request, guint number, const char *between)
{
  const guint listed = request->params->listed;
  g_autoptr(VtParams) params = vt_params_copy_setting(request->params, number);
  g_autofree char *value = vt_params_dup_text(params, listed);
  return g_strconcat(params->op->params[listed]->key, between, value, NULL);
}

/* --- rows --- */

static void
name_columns(VtResult *all, const VtRunRequest *request, guint number)
{
  g_autofree char *setting = dup_setting(request, number, " ");
  if (!all->columns) {
    all->columns = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(all->columns, g_strdup(all->op->columns[0]));
  }
  for (guint i = 1; i < all->op->n_columns; i++)
    g_ptr_array_add(all->columns, g_strdup_printf("%s (%s)", all->op->columns[i], setting));
}

static gboolean
widen_rows(GPtrArray *rows, const GPtrArray *more, GError **error)
{
  gboolean same = more && rows->len == more->len;
  for (guint i = 0; same && i < rows->len; i++)
    same = g_strcmp0(((const VtRow *)rows->pdata[i])->label, ((const VtRow *)more->pdata[i])->label) == 0;
  if (!same)
    return vt_error_set(error, VITRAIL_INTERNAL, "Runs of several settings gave rows of other regions.");
  for (guint i = 0; i < rows->len; i++) {
    VtRow *row = rows->pdata[i];
    const VtRow *its = more->pdata[i];
    row->values = g_renew(double, row->values, row->n_values + its->n_values);
    for (guint k = 0; k < its->n_values; k++)
      row->values[row->n_values++] = its->values[k];
  }
  return TRUE;
}

/* --- the record --- */

/* What each setting has of its own. */
static const char *const of_setting[] = { "resolved", "regions", "stages", "milliseconds", "warnings" };

static JsonObject *
make_part(const VtResult *result, const char *key)
{
  JsonObject *own = json_object_new(), *record = json_node_get_object(result->record);
  json_object_set_member(own, key, json_object_dup_member(json_object_get_object_member(record, "params"), key));
  for (guint i = 0; i < G_N_ELEMENTS(of_setting); i++)
    if (json_object_has_member(record, of_setting[i]))
      json_object_set_member(own, of_setting[i], json_object_dup_member(record, of_setting[i]));
  return own;
}

/* What is left above the settings is the same of all of them: which stages and regions were asked for. */
static void
strip(JsonObject *record)
{
  JsonArray *stages = vt_json_get_array(record, "stages"), *regions = vt_json_get_array(record, "regions");
  json_object_remove_member(record, "resolved");
  for (guint i = 0; stages && i < json_array_get_length(stages); i++) {
    json_object_remove_member(json_array_get_object_element(stages, i), "ms");
    json_object_remove_member(json_array_get_object_element(stages, i), "min");
  }
  for (guint i = 0; regions && i < json_array_get_length(regions); i++) {
    JsonObject *region = json_array_get_object_element(regions, i);
    strip(region);
    json_object_remove_member(region, "request");
    json_object_remove_member(region, "milliseconds");
    json_object_remove_member(region, "warnings");
  }
}

/* The parameter is a list in it, as a person wrote it, so that the same list makes the run again. Takes the parts. */
static void
finish_record(VtResult *all, const VtRunRequest *request, JsonArray *parts)
{
  JsonObject *record = json_node_get_object(all->record);
  const char *key = request->op->params[request->params->listed]->key;
  JsonArray *values = json_array_new(), *warnings = json_array_new();
  g_autofree char *digest = vt_run_request_dup_digest(request);
  for (guint i = 0; i < json_array_get_length(parts); i++)
    json_array_add_element(values, json_object_dup_member(json_array_get_object_element(parts, i), key));
  VT_EACH_OF (const char, warning, all->warnings)
    json_array_add_string_element(warnings, warning);
  strip(record);
  json_object_set_array_member(json_object_get_object_member(record, "params"), key, values);
  json_object_set_string_member(record, "request", digest);
  json_object_set_double_member(record, "milliseconds", round(all->total_ms * 1000) / 1000);
  json_object_set_array_member(record, "warnings", warnings);
  json_object_set_array_member(record, "settings", parts);
}

/* --- runs --- */

static VtResult *
run_one(const VtRunRequest *request, Share *share, GCancellable *cancellable, GError **error)
{
  VtRunRequest one = *request;
  g_autoptr(VtParams) params = vt_params_copy_setting(request->params, share->number);
  one.params = params;
  one.keep_scratch = FALSE; /* what another setting has left there is not for this one */
  VtResult *result = vt_run(&one, share->progress ? tell_share : NULL, share, cancellable, error);
  if (!result && error && !g_error_matches(*error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    g_autofree char *setting = dup_setting(request, share->number, "=");
    g_prefix_error(error, "%s: ", setting);
  }
  return result;
}

/* A sentence that the first setting has is said once. */
static void
add_warnings(VtResult *all, const VtRunRequest *request, guint number, const VtResult *next)
{
  g_autofree char *setting = dup_setting(request, number, "=");
  VT_EACH_OF (const char, warning, next->warnings)
    if (!g_ptr_array_find_with_equal_func(all->warnings, warning, g_str_equal, NULL))
      g_ptr_array_add(all->warnings, g_strdup_printf("%s: %s", setting, warning));
}

static void
add_times(VtResult *all, const VtResult *next)
{
  all->total_ms += next->total_ms;
  for (guint k = 0; k < all->op->n_stages; k++)
    all->stage_ms[k] += next->stage_ms[k]; /* NaN: not worked out, by any of them */
}

VtResult *
vt_run_settings(const VtRunRequest *request, VtRunProgress progress, gpointer user, GCancellable *cancellable,
                GError **error)
{
  Share share = { .progress = progress, .user = user, .n = request->params->n_listed };
  g_autoptr(VtResult) all = NULL;
  g_autoptr(JsonArray) parts = json_array_new();
  const char *key = request->op->params[request->params->listed]->key;
  for (; share.number < share.n; share.number++) {
    g_autoptr(VtResult) next = run_one(request, &share, cancellable, error);
    if (!next)
      return NULL;
    json_array_add_object_element(parts, make_part(next, key));
    if (!all) {
      all = g_steal_pointer(&next);
    } else {
      if (!widen_rows(all->rows, next->rows, error))
        return NULL;
      add_warnings(all, request, share.number, next);
      add_times(all, next);
    }
    name_columns(all, request, share.number);
  }
  (void)vt_params_assign(all->params, request->params);
  finish_record(all, request, g_steal_pointer(&parts));
  return g_steal_pointer(&all);
}
