/* SPDX-License-Identifier: MIT */
#include "plugins/vt-recipe-lengths.h"

#include "base/vt-define.h"
#include "base/vt-json.h"
#include "plugins/vt-recipe-draft.h"

#define STEP "glrlm-map"

GArray *
vt_recipe_list_maps(VtPluginHost *host, const VitrailOp *op)
{
  const VitrailRecipe *recipe = vt_plugin_host_find_recipe(host, op, NULL);
  GArray *maps = g_array_new(FALSE, FALSE, sizeof(guint));
  for (guint stage = 0; recipe && stage < op->n_stages; stage++)
    for (guint i = 0; i < recipe->n_nodes; i++)
      if (g_str_equal(recipe->nodes[i]->step, STEP) && g_strcmp0(recipe->nodes[i]->stage, op->stages[stage]->id) == 0) {
        g_array_append_val(maps, stage);
        break; /* a map with a mask and one without it are two nodes of one stage */
      }
  return maps;
}

static gboolean
is_map(JsonObject *node)
{
  return g_str_equal(vt_draft_text(node, "step"), STEP);
}

/* A recipe that differs from the one of `op` in that it has no map but this one. */
static VtRecipeDraft *
draft_map(VtPluginHost *host, const VitrailOp *op, guint stage, const char *suffix)
{
  const VitrailPlugin *plugin = NULL;
  const VitrailRecipe *recipe = vt_plugin_host_find_recipe(host, op, &plugin);
  const char *map = op->stages[stage]->id;
  g_autofree char *id = g_strdup_printf("%s-%s-%u", op->id, suffix, stage);
  VtRecipeDraft *d = vt_recipe_draft_new(recipe, plugin, id, op->title);
  for (guint i = d->nodes->len; i-- > 0;) {
    const char *of = vt_draft_text(d->nodes->pdata[i], "stage");
    if (!is_map(d->nodes->pdata[i]) || g_strcmp0(of, map) == 0)
      continue;
    const int at = of ? vt_draft_find(d->stages, "id", of) : -1;
    if (at >= 0)
      g_ptr_array_remove_index(d->stages, (guint)at);
    g_ptr_array_remove_index(d->nodes, i);
  }
  return d;
}

const VitrailOp *
vt_recipe_open_map(VtPluginHost *host, const VitrailOp *op, guint stage, GError **error)
{
  g_autoptr(GArray) maps = vt_recipe_list_maps(host, op);
  if (maps->len == 1)
    return op;
  g_autoptr(VtRecipeDraft) d = draft_map(host, op, stage, "map");
  g_autofree char *text = vt_recipe_draft_to_text(d);
  return vt_plugin_host_open_draft(host, text, NULL, error);
}

/* --- run lengths in its place --- */

static void
count_regions(JsonObject *node)
{
  static const char *const of_windows[] = { "feature", "window", "stride", "algorithm" };
  JsonObject *settings = vt_json_get_object(node, "settings");
  json_object_set_string_member(node, "step", "glrlm-rois");
  for (guint i = 0; settings && i < G_N_ELEMENTS(of_windows); i++)
    json_object_remove_member(settings, of_windows[i]);
}

static JsonObject *
rows_new(JsonObject *map)
{
  JsonObject *rows = json_object_new();
  json_object_set_string_member(rows, "id", vt_draft_text(map, "id"));
  json_object_set_string_member(rows, "kind", "rows");
  json_object_set_string_member(rows, "title", vt_draft_text(map, "title"));
  return rows;
}

const VitrailOp *
vt_recipe_open_lengths(VtPluginHost *host, const VitrailOp *op, guint stage, GError **error)
{
  g_autoptr(VtRecipeDraft) d = draft_map(host, op, stage, "lengths");
  VT_EACH_OF (JsonObject, node, d->nodes)
    if (is_map(node))
      count_regions(node);
  const int at = vt_draft_find(d->stages, "id", op->stages[stage]->id);
  JsonObject *rows = rows_new(d->stages->pdata[at]);
  json_object_unref(d->stages->pdata[at]);
  d->stages->pdata[at] = rows;
  g_autofree char *text = vt_recipe_draft_to_text(d);
  return vt_plugin_host_open_draft(host, text, NULL, error);
}
