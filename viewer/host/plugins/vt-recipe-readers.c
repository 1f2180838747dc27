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
  const gboolean is_reference = g_str_has_prefix(param, "reference-") && g_str_equal(node->step, "normalize");
  return found || is_reference || (is_of_colours(param) && takes_what_was_read(recipe, node));
}

/* One of some nodes, which are after it, takes it or its second output. */
static gboolean
is_taken_by(const VitrailRecipe *recipe, guint i, guint64 nodes)
{
  const VitrailRecipeNode *node = recipe->nodes[i];
  for (guint k = i + 1; k < recipe->n_nodes; k++)
    if ((nodes >> k & 1)
        && (takes_input(recipe->nodes[k], node->id) || (node->also && takes_input(recipe->nodes[k], node->also))))
      return TRUE;
  return FALSE;
}

/* Nodes of one id are one of several ways: all of them count. */
static guint64
get_way(const VitrailRecipe *recipe, const char *stage)
{
  guint64 way = 0;
  for (guint i = recipe->n_nodes; i-- > 0;)
    way |= (guint64)(g_strcmp0(recipe->nodes[i]->stage, stage) == 0 || is_taken_by(recipe, i, way)) << i;
  return way;
}

guint64
vt_recipe_find_sources(const VitrailRecipe *recipe, const char *stage, guint64 *steps)
{
  guint64 way = 0, sources = 0;
  for (guint i = recipe->n_nodes; i-- > 0;) {
    const VitrailRecipeNode *node = recipe->nodes[i];
    const gboolean is_own = g_strcmp0(node->stage, stage) == 0, is_taken = is_taken_by(recipe, i, way);
    for (guint k = 0; k < recipe->n_stages && is_taken && !is_own && node->stage; k++)
      sources |= (guint64)g_str_equal(recipe->stages[k]->id, node->stage) << k;
    way |= (guint64)(is_own || (is_taken && !node->stage)) << i; /* beyond another stage the way is that one's */
  }
  if (steps)
    *steps = way;
  return sources;
}

VitrailReach
vt_recipe_find_reach(const VitrailRecipe *recipe, const char *stage)
{
  static const char *const spreading[] = { "brightest", "components", "distance", "extrema", "reconstruct",
                                           "sized",     "watershed",  "zones",    NULL };
  const guint64 way = get_way(recipe, stage);
  VitrailReach reach =
    way == 0 ? VITRAIL_REACH_PROPAGATE : VITRAIL_REACH_LOCAL; /* what is certain is shown by no node */
  for (guint i = 0; i < recipe->n_nodes; i++) {
    if (way >> i & 1 && g_strv_contains(spreading, recipe->nodes[i]->step))
      reach = MAX(reach, VITRAIL_REACH_PROPAGATE);
    else if (way >> i & 1 && g_str_equal(recipe->nodes[i]->step, "glrlm-rois"))
      reach = VITRAIL_REACH_REDUCE;
  }
  return reach;
}

/* --- lanes --- */

typedef struct {
  guint first, last;
} Span;

static Span
find_span(const guint64 *sources, guint n, guint of)
{
  Span span = { of, of };
  for (guint i = 0; i < n; i++)
    if (sources[i] >> of & 1)
      span = (Span){ MIN(span.first, i), MAX(span.last, i) };
  return span;
}

/* The line of one ends where another one's begins. */
static gboolean
goes_on(const guint64 *sources, const Span *spans, guint ended, guint with)
{
  return (sources[with] >> ended & 1) && spans[ended].last == with && spans[with].first == with;
}

static gboolean
is_free(const guint64 *sources, const Span *spans, const guint *lanes, guint lane, guint of)
{
  for (guint i = 0; i < of; i++)
    if (lanes[i] == lane && spans[i].first <= spans[of].last && spans[of].first <= spans[i].last
        && !goes_on(sources, spans, i, of))
      return FALSE;
  return TRUE;
}

guint
vt_recipe_place_lanes(const guint64 *sources, guint n, guint *lanes)
{
  Span spans[64];
  guint n_lanes = 0;
  for (guint i = 0; i < n; i++)
    spans[i] = find_span(sources, n, i);
  for (guint i = 0; i < n; i++) {
    guint lane = n;
    for (guint k = 0; k < i; k++)
      if (lanes[k] < lane && goes_on(sources, spans, k, i) && is_free(sources, spans, lanes, lanes[k], i))
        lane = lanes[k];
    for (guint free = 0; lane == n; free++)
      if (is_free(sources, spans, lanes, free, i))
        lane = free;
    lanes[i] = lane;
    n_lanes = MAX(n_lanes, lane + 1);
  }
  return n_lanes;
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
