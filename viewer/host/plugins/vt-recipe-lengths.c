/* SPDX-License-Identifier: MIT */
#include "plugins/vt-recipe-lengths.h"

#include "base/vt-define.h"
#include "base/vt-json.h"
#include "plugins/vt-recipe-draft.h"

#define SUFFIX "-lengths"

/* The stage of all maps; NULL: there is none, or there are several. */
static const char *
find_map(const VitrailRecipe *recipe)
{
  const char *found = NULL;
  for (guint i = 0; i < recipe->n_nodes; i++) {
    const VitrailRecipeNode *node = recipe->nodes[i];
    if (!g_str_equal(node->step, "glrlm-map"))
      continue;
    if (!node->stage || (found && !g_str_equal(found, node->stage)))
      return NULL;
    found = node->stage;
  }
  return found;
}

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
vt_recipe_open_lengths(VtPluginHost *host, const VitrailOp *op, guint *stage)
{
  const VitrailPlugin *plugin = NULL;
  const VitrailRecipe *recipe = vt_plugin_host_find_recipe(host, op, &plugin);
  const char *map = recipe ? find_map(recipe) : NULL;
  if (!map)
    return NULL;
  g_autofree char *id = g_strconcat(op->id, SUFFIX, NULL);
  g_autoptr(VtRecipeDraft) d = vt_recipe_draft_new(recipe, plugin, id, op->title);
  VT_EACH_OF (JsonObject, node, d->nodes)
    if (g_str_equal(vt_draft_text(node, "step"), "glrlm-map"))
      count_regions(node);
  const int at = vt_draft_find(d->stages, "id", map);
  JsonObject *rows = rows_new(d->stages->pdata[at]);
  json_object_unref(d->stages->pdata[at]);
  d->stages->pdata[at] = rows;
  g_autofree char *text = vt_recipe_draft_to_text(d);
  *stage = (guint)vt_op_find_stage(op, map);
  return vt_plugin_host_open_draft(host, text, NULL, NULL);
}
