/* SPDX-License-Identifier: MIT */
#include "plugins/vt-recipe-readers.h"

#include "plugins/vt-recipe-names.h"

typedef struct {
  const char *name;
  gboolean found;
} Wanted;

static char *
look(gpointer user, const char *function, const char *name)
{
  Wanted *wanted = user;
  wanted->found |= !vt_recipe_is_of_node(function) && g_str_equal(name, wanted->name);
  return NULL;
}

static gboolean
has_name(const char *expression, const char *name)
{
  Wanted wanted = { .name = name };
  g_free(vt_recipe_rewrite(expression, look, &wanted));
  return wanted.found;
}

static gboolean
takes_input(const VitrailRecipeNode *node, const char *id)
{
  for (guint k = 0; k < node->n_inputs; k++)
    if (g_str_equal(node->inputs[k], id))
      return TRUE;
  return FALSE;
}

static gboolean
is_read_node(const VitrailRecipeNode *node)
{
  return g_str_equal(node->step, "read");
}

/* It makes one channel of colours. */
static gboolean
takes_what_was_read(const VitrailRecipe *recipe, const VitrailRecipeNode *node)
{
  for (guint i = 0; i < recipe->n_nodes && !is_read_node(node); i++)
    if (is_read_node(recipe->nodes[i]) && takes_input(node, recipe->nodes[i]->id))
      return TRUE;
  return FALSE;
}

/* Parameters that steps know by their keys. */
static gboolean
is_of_colours(const char *param)
{
  static const char *const keys[] = { "white", "hematoxylin", "eosin", "dab", NULL };
  return g_strv_contains(keys, param);
}

static gboolean
reads(const VitrailRecipe *recipe, const VitrailRecipeNode *node, const char *param)
{
  gboolean found = has_name(node->when, param);
  for (guint k = 0; k < node->n_settings && !found; k++)
    found = has_name(node->settings[k]->value, param);
  for (guint k = 0; k < recipe->n_measurements && !found && g_str_equal(node->step, "outlines"); k++)
    found = has_name(recipe->measurements[k]->when, param) || has_name(recipe->measurements[k]->within, param);
  return found || (is_of_colours(param) && takes_what_was_read(recipe, node));
}

/* Nodes of one id are one of several ways: all of them count. */
static guint64
get_way(const VitrailRecipe *recipe, const char *stage)
{
  guint64 way = 0;
  for (guint i = recipe->n_nodes; i-- > 0;) {
    const VitrailRecipeNode *node = recipe->nodes[i];
    gboolean is_on = g_strcmp0(node->stage, stage) == 0;
    for (guint k = i + 1; k < recipe->n_nodes && !is_on; k++)
      is_on = (way >> k & 1)
              && (takes_input(recipe->nodes[k], node->id) || (node->also && takes_input(recipe->nodes[k], node->also)));
    way |= (guint64)is_on << i;
  }
  return way;
}

int
vt_recipe_find_first_stage(const VitrailRecipe *recipe, const char *param)
{
  guint64 readers = 0;
  for (guint i = 0; i < recipe->n_nodes; i++)
    readers |= (guint64)reads(recipe, recipe->nodes[i], param) << i;
  for (guint i = 0; i < recipe->n_stages; i++)
    if (readers & get_way(recipe, recipe->stages[i]->id))
      return (int)i;
  return -1;
}
