/* SPDX-License-Identifier: MIT */
#include "panels/vt-stage-origins.h"

#include "common/vt-translate.h"
#include "plugins/vt-recipe-draft.h"
#include "plugins/vt-recipe-readers.h"

static const VitrailStage *
get_stage(GPtrArray *tiles, guint i)
{
  return vt_layer_get_stage(vt_stage_tile_get_layer(tiles->pdata[i]));
}

/* What is certain is none of its nodes. */
static gboolean
has_node(const VitrailRecipe *recipe, const VitrailStage *stage)
{
  for (guint i = 0; i < recipe->n_nodes; i++)
    if (g_strcmp0(recipe->nodes[i]->stage, stage->id) == 0)
      return TRUE;
  return FALSE;
}

/* Bits of tiles, of those of the recipe's stages. */
static guint64
find_tiles(GPtrArray *tiles, const VitrailRecipe *recipe, guint64 stages)
{
  guint64 found = 0;
  for (guint i = 0; i < tiles->len; i++)
    for (guint k = 0; k < recipe->n_stages; k++)
      if ((stages >> k & 1) && g_str_equal(recipe->stages[k]->id, get_stage(tiles, i)->id))
        found |= (guint64)1 << i;
  return found;
}

/* NULL: there are none. */
static char *
dup_titles(GPtrArray *tiles, guint64 some)
{
  g_autoptr(GString) titles = g_string_new(NULL);
  for (guint i = 0; i < tiles->len; i++)
    if (some >> i & 1)
      g_string_append_printf(titles, "%s%s", titles->len > 0 ? ", " : "",
                             vt_layer_get_title(vt_stage_tile_get_layer(tiles->pdata[i])));
  return titles->len > 0 ? g_string_free(g_steal_pointer(&titles), FALSE) : NULL;
}

/* Each once, in their order, with the one that makes the stage. NULL: there is none but what reads the image. */
static char *
dup_steps(const VitrailRecipe *recipe, const VitrailPlugin *plugin, guint64 steps)
{
  g_autoptr(GPtrArray) titles = g_ptr_array_new();
  for (guint i = 0; i < recipe->n_nodes; i++) {
    const VitrailStep *step = (steps >> i & 1) ? vt_draft_find_step(plugin, recipe->nodes[i]->step) : NULL;
    const char *title = step && !g_str_equal(step->id, "read") ? vt_translate(step->title) : NULL;
    if (title && !g_ptr_array_find_with_equal_func(titles, title, g_str_equal, NULL))
      g_ptr_array_add(titles, (gpointer)title);
  }
  if (titles->len == 0)
    return NULL;
  g_ptr_array_add(titles, NULL);
  return g_strjoinv(", ", (char **)titles->pdata);
}

static void
tell(GPtrArray *tiles, guint i, const VtStageOrigins *origins, const char *steps)
{
  guint64 into = 0;
  for (guint k = 0; k < tiles->len; k++)
    into |= (origins->sources[k] >> i & 1) << k;
  g_autofree char *sources = dup_titles(tiles, origins->sources[i]), *readers = dup_titles(tiles, into);
  g_autofree char *from = sources ? g_strdup_printf(_("Made from %s"), sources) : g_strdup(_("Made from the image"));
  g_autofree char *to = readers ? g_strdup_printf(_("goes into %s"), readers) : NULL;
  g_autofree char *by = steps ? g_strdup_printf(_("steps: %s"), steps) : NULL;
  const char *words[4] = { from };
  guint n = 1;
  if (to)
    words[n++] = to;
  if (by)
    words[n++] = by;
  g_autofree char *sentence = g_strjoinv(" · ", (char **)words);
  vt_stage_tile_set_origin(tiles->pdata[i], sentence);
}

void
vt_stage_origins_find(VtStageOrigins *origins, GPtrArray *tiles, const VitrailRecipe *recipe,
                      const VitrailPlugin *plugin)
{
  guint64 steps[VT_STAGES] = { 0 };
  *origins = (VtStageOrigins){ 0 };
  for (guint i = 0; recipe && i < tiles->len; i++) {
    if (!has_node(recipe, get_stage(tiles, i)))
      continue;
    const guint64 sources = vt_recipe_find_sources(recipe, get_stage(tiles, i)->id, &steps[i]);
    origins->known |= (guint64)1 << i;
    origins->sources[i] = find_tiles(tiles, recipe, sources);
  }
  for (guint i = 0; i < tiles->len; i++) {
    g_autofree char *titles = origins->known >> i & 1 ? dup_steps(recipe, plugin, steps[i]) : NULL;
    if (origins->known >> i & 1)
      tell(tiles, i, origins, titles);
  }
}
