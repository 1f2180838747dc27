/* SPDX-License-Identifier: MIT */
#include "recipes/export.h"

#include <pthread.h>
#include <stdlib.h>

#include "recipes/recipes.h"
#include "steps/step.h"

typedef struct {
  VitrailRecipeNode node;
  VitrailRecipeSetting settings[VT_STEP_PARAMS], facts[VT_NODE_FACTS];
  const VitrailRecipeSetting *setting_list[VT_STEP_PARAMS], *fact_list[VT_NODE_FACTS];
} Node;

typedef struct {
  VitrailRecipe recipe;
  Node nodes[VT_MAX_NODES];
  const VitrailRecipeNode *node_list[VT_MAX_NODES];
  VitrailMeasurement measurements[VT_MAX_MEASUREMENTS];
  const VitrailMeasurement *measurement_list[VT_MAX_MEASUREMENTS];
} Exported;

static Exported *all;
static const VitrailRecipe **list; /* NULL: there was no memory */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint32_t
fill_settings(const VtSetting *from, int most, VitrailRecipeSetting *to, const VitrailRecipeSetting **to_list)
{
  uint32_t n = 0;
  for (; n < (uint32_t)most && from[n].key; n++) {
    to[n] = (VitrailRecipeSetting){ .size = sizeof *to, .key = from[n].key, .value = from[n].value };
    to_list[n] = &to[n];
  }
  return n;
}

static void
fill_node(Node *to, const VtNode *from)
{
  to->node = (VitrailRecipeNode){ .size = sizeof to->node,
                                  .id = from->id,
                                  .step = from->step,
                                  .when = from->when,
                                  .inputs = from->in,
                                  .also = from->also,
                                  .stage = from->stage,
                                  .settings = to->setting_list,
                                  .facts = to->fact_list };
  while (to->node.n_inputs < VT_STEP_IN && from->in[to->node.n_inputs])
    to->node.n_inputs++;
  to->node.n_settings = fill_settings(from->params, VT_STEP_PARAMS, to->settings, to->setting_list);
  to->node.n_facts = fill_settings(from->facts, VT_NODE_FACTS, to->facts, to->fact_list);
}

static void
fill(Exported *to, const VtRecipe *from)
{
  const VitrailOp *op = from->op;
  to->recipe = (VitrailRecipe){ .size = sizeof to->recipe,
                                .n_inputs = op->n_inputs,
                                .n_params = op->n_params,
                                .n_nodes = from->n_nodes,
                                .n_stages = op->n_stages,
                                .n_measurements = from->n_measurements,
                                .id = op->id,
                                .version = "1",
                                .title = op->title,
                                .help = op->help,
                                .inputs = op->inputs,
                                .params = op->params,
                                .nodes = to->node_list,
                                .stages = op->stages,
                                .measurements = to->measurement_list,
                                .certain = from->certain };
  while (to->recipe.n_certain < VT_COUNT(from->certain) && from->certain[to->recipe.n_certain])
    to->recipe.n_certain++;
  for (uint32_t i = 0; i < from->n_nodes; i++) {
    fill_node(&to->nodes[i], &from->nodes[i]);
    to->node_list[i] = &to->nodes[i].node;
  }
  for (uint32_t i = 0; i < from->n_measurements; i++) {
    const VtMeasurement *m = &from->measurements[i];
    to->measurements[i] = (VitrailMeasurement){ .size = sizeof *to->measurements,
                                                .quantity = (VitrailQuantity)m->quantity,
                                                .name = m->name,
                                                .when = m->when,
                                                .unit = m->unit,
                                                .part = (VitrailPart)m->part,
                                                .within = m->within };
    to->measurement_list[i] = &to->measurements[i];
  }
}

static void
fill_all(void)
{
  all = calloc(vt_n_recipes, sizeof *all);
  list = all ? calloc(vt_n_recipes, sizeof *list) : NULL;
  for (uint32_t i = 0; list && i < vt_n_recipes; i++) {
    fill(&all[i], vt_recipes[i]);
    list[i] = &all[i].recipe;
  }
}

const VitrailRecipe *const *
vt_recipes_export(uint32_t *n)
{
  pthread_once(&once, fill_all);
  *n = list ? vt_n_recipes : 0;
  return list;
}
