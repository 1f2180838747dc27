/* SPDX-License-Identifier: MIT */
#include "panels/vt-stage-origins.h"

#include <glib/gi18n.h>

#include "common/vt-test-log.h"
#include "plugins/vt-recipe-readers.h"

static VtLayer *
get_layer(GPtrArray *tiles, guint i)
{
  return vt_stage_tile_get_layer(tiles->pdata[i]);
}

/* Bits of tiles: those that one is made from, or that are made from it. */
static guint64
find_related(GPtrArray *tiles, const VitrailRecipe *recipe, guint of, gboolean readers)
{
  guint64 related = 0;
  for (guint i = 0; i < tiles->len; i++) {
    const guint made = readers ? i : of, source = readers ? of : i;
    const guint64 sources = vt_recipe_find_sources(recipe, vt_layer_get_stage(get_layer(tiles, made))->id);
    related |= (sources >> vt_layer_get_stage_index(get_layer(tiles, source)) & 1) << i;
  }
  return related;
}

/* NULL: there are none. */
static char *
dup_titles(GPtrArray *tiles, guint64 some)
{
  g_autoptr(GString) titles = g_string_new(NULL);
  for (guint i = 0; i < tiles->len; i++)
    if (some >> i & 1)
      g_string_append_printf(titles, "%s%s", titles->len > 0 ? ", " : "", vt_layer_get_title(get_layer(tiles, i)));
  return titles->len > 0 ? g_string_free(g_steal_pointer(&titles), FALSE) : NULL;
}

/* What is certain is none of its nodes. */
static gboolean
has_node(const VitrailRecipe *recipe, VtLayer *layer)
{
  for (guint i = 0; i < recipe->n_nodes; i++)
    if (g_strcmp0(recipe->nodes[i]->stage, vt_layer_get_stage(layer)->id) == 0)
      return TRUE;
  return FALSE;
}

void
vt_stage_origins_tell(GPtrArray *tiles, const VitrailRecipe *recipe)
{
  for (guint i = 0; recipe && i < tiles->len; i++) {
    if (!has_node(recipe, get_layer(tiles, i)))
      continue;
    g_autofree char *sources = dup_titles(tiles, find_related(tiles, recipe, i, FALSE));
    g_autofree char *readers = dup_titles(tiles, find_related(tiles, recipe, i, TRUE));
    g_autofree char *from = sources ? g_strdup_printf(_("Made from %s"), sources) : g_strdup(_("Made from the image"));
    g_autofree char *into = readers ? g_strdup_printf(_("goes into %s"), readers) : NULL;
    g_autofree char *sentence = g_strjoin(" · ", from, into, NULL);
    vt_stage_tile_set_origin(tiles->pdata[i], sentence);
  }
}

static void
set_class(GtkWidget *widget, const char *name, gboolean has_it)
{
  if (has_it)
    gtk_widget_add_css_class(widget, name);
  else
    gtk_widget_remove_css_class(widget, name);
}

const char *
vt_stage_origins_mark(GPtrArray *tiles, const VitrailRecipe *recipe, GtkWidget *tile)
{
  guint at = 0;
  const gboolean is_known = tile && recipe && g_ptr_array_find(tiles, tile, &at);
  const guint64 sources = is_known ? find_related(tiles, recipe, at, FALSE) : 0;
  const guint64 readers = is_known ? find_related(tiles, recipe, at, TRUE) : 0;
  const char *sentence = is_known ? vt_stage_tile_get_origin(VT_STAGE_TILE(tile)) : NULL;
  for (guint i = 0; i < tiles->len; i++) {
    set_class(tiles->pdata[i], "stage-source", (sources >> i & 1) != 0);
    set_class(tiles->pdata[i], "stage-reader", (readers >> i & 1) != 0);
  }
  if (sentence)
    vt_test_log("stage-origin %s: %s", vt_layer_get_stage(get_layer(tiles, at))->id, sentence);
  return sentence;
}
