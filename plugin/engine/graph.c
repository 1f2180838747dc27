/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "engine/user-recipe.h"
#include "run/grid.h"
#include "run/params.h"
#include "steps/info.h"

int32_t
vt_graph_find(const VtGraph *graph, const char *id, bool *is_also)
{
  for (uint32_t i = 0; i < graph->n; i++) {
    const VtGraphNode *node = &graph->nodes[i];
    *is_also = node->step && node->node->also && strcmp(node->node->also, id) == 0;
    if (node->step && (*is_also || strcmp(node->node->id, id) == 0))
      return (int32_t)i;
  }
  return -1;
}

/* --- what expressions know --- */

static const VtValue *
value_of(const VtGraph *graph, const char *id)
{
  bool is_also;
  const int32_t i = vt_graph_find(graph, id, &is_also);
  return i < 0 ? NULL : is_also ? &graph->nodes[i].also : &graph->nodes[i].out;
}

static const char *
type_name(const VtValue *value)
{
  static const char *const names[] = { "u8", "u16", "i32", "f32", "rgba" };
  return value->is_labels ? "labels" : (size_t)value->type < VT_COUNT(names) ? names[value->type] : "i64";
}

static const VitrailInput *
primary_of(const VtGraph *graph)
{
  const VitrailOp *op = graph->recipe->op;
  for (uint32_t k = 0; k < op->n_inputs; k++)
    if (op->inputs[k]->flags & VITRAIL_INPUT_PRIMARY)
      return vt_input(graph->run, op->inputs[k]->id);
  return NULL;
}

/* Of pixels that are not square; -1 for a weight that there is not. */
static bool
find_weight(const VtGraph *graph, const char *name, double *number)
{
  VtPixelWeights w;
  vt_grid_weigh(&graph->run->grid, primary_of(graph), &w);
  if (strcmp(name, "weight-x") == 0)
    *number = w.x > 0 ? w.x : -1;
  else if (strcmp(name, "weight-y") == 0)
    *number = w.y > 0 ? w.y : -1;
  else if (strcmp(name, "um-per-unit") == 0)
    *number = w.um_per_unit;
  else
    return false;
  return true;
}

static bool
find_name(void *user, const char *name, const char *argument, VtExpressionValue *value)
{
  const VtGraph *graph = user;
  const VtGrid *grid = &graph->run->grid;
  const VtValue *of = argument ? value_of(graph, argument) : NULL;
  *value = (VtExpressionValue){ 0 };
  if (argument && strcmp(name, "given") == 0)
    value->number = vt_input_is_given(graph->run, argument);
  else if (of && strcmp(name, "scale") == 0)
    value->number = of->scale;
  else if (of && strcmp(name, "type") == 0)
    value->word = type_name(of);
  else if (of && strcmp(name, "count") == 0)
    value->number = (double)of->n;
  else if (argument)
    return false;
  else if (strcmp(name, "um-per-px") == 0)
    value->number = grid->um_per_px > 0 ? grid->um_per_px : grid->downsample; /* else level-0 pixels */
  else if (strcmp(name, "calibrated") == 0)
    value->number = grid->um_per_px > 0;
  else if (strcmp(name, "downsample") == 0)
    value->number = grid->downsample;
  else
    return find_weight(graph, name, &value->number);
  return true;
}

VitrailStatus
vt_graph_number(VtGraph *graph, const char *expression, double *number)
{
  VtExpressionValue value;
  TRY(vt_expression(&graph->scope, expression, &value));
  *number = value.number;
  return VITRAIL_OK;
}

/* --- nodes --- */

static VitrailStatus
fail(const VtGraph *graph, const VtNode *node, const char *what, const char *which)
{
  return vt_fail(graph->run, VITRAIL_BAD_ARGUMENT, "The step \"%s\" of %s %s \"%s\".", node->id, graph->recipe->op->id,
                 what, which);
}

static VitrailStatus
is_there(VtGraph *graph, const VtNode *node, bool *there)
{
  bool is_also;
  double holds = 1;
  *there = vt_graph_find(graph, node->id, &is_also) < 0;
  if (*there && node->when)
    TRY(vt_graph_number(graph, node->when, &holds));
  *there &= holds != 0;
  return VITRAIL_OK;
}

static bool
fits(const VtValue *value, uint32_t takes, const VtValue *first)
{
  if (takes & VT_TAKES_LIKE_FIRST)
    return value->type == first->type && !value->is_labels;
  if (value->type == VT_I64)
    return (takes & VT_TAKES_I64) != 0;
  return value->is_labels ? (takes & VT_TAKES_LABELS) != 0 : value->type <= VITRAIL_RGBA8 && takes >> value->type & 1;
}

static VitrailStatus
find_inputs(VtGraph *graph, VtGraphNode *g)
{
  const VtNode *node = g->node;
  const VtStep *step = g->step;
  for (int k = 0; k < VT_STEP_IN; k++)
    g->in[k] = -1;
  if (vt_step_n_in(step) == 0) { /* it reads */
    g->out.input = node->in[0] ? vt_input(graph->run, node->in[0]) : NULL;
    return g->out.input ? VITRAIL_OK : fail(graph, node, "has no input", node->in[0] ? node->in[0] : "");
  }
  for (int k = 0; k < vt_step_n_in(step); k++) {
    if (!node->in[k] && k >= vt_step_n_in(step) - step->n_optional)
      continue;
    g->in[k] = node->in[k] ? vt_graph_find(graph, node->in[k], &g->in_also[k]) : -1;
    if (g->in[k] < 0)
      return fail(graph, node, "has no input", node->in[k] ? node->in[k] : "");
  }
  const VtCall call = vt_graph_call(graph, g);
  for (int k = 0; k < vt_step_n_in(step); k++)
    if (call.in[k] && !fits(call.in[k], step->takes[k], call.in[0]))
      return fail(graph, node, "can't take what there is of", node->in[k]);
  return VITRAIL_OK;
}

static VitrailStatus
find_params(VtGraph *graph, VtGraphNode *g)
{
  const VitrailStep *info = vt_step_info(g->step->id);
  for (int k = 0; k < VT_STEP_PARAMS && g->node->params[k].key; k++) {
    const VtSetting *setting = &g->node->params[k];
    VtExpressionValue value;
    uint32_t i = 0;
    while (i < info->n_settings && strcmp(info->settings[i]->key, setting->key) != 0)
      i++;
    if (i == info->n_settings)
      return fail(graph, g->node, "has no parameter", setting->key);
    TRY(vt_expression(&graph->scope, setting->value, &value));
    g->params[i] = (VtParamOf){ value.number, value.word };
  }
  return VITRAIL_OK;
}

static VitrailStatus
infer(VtGraph *graph, VtGraphNode *g)
{
  const VtStep *step = g->step;
  const VtCall call = vt_graph_call(graph, g);
  g->out.scale = g->also.scale = step->keeps_scale && call.in[0] ? call.in[0]->scale : 1;
  g->out.is_labels = step->makes == VT_MAKES_LABELS;
  g->out.type = g->out.is_labels ? VITRAIL_I32 : step->makes == VT_LIKE_FIRST ? call.in[0]->type : step->makes;
  g->also.type = step->makes_also;
  g->out.is_raw = step->makes_raw;
  for (int k = 0; k < vt_step_n_in(step); k++)
    g->out.is_raw |= g->out.is_labels && !step->makes_numbers && call.in[k] && call.in[k]->is_raw;
  g->out.n = g->also.n = -1;
  return step->infer ? step->infer(&call) : VITRAIL_OK;
}

static VitrailStatus
find_stage(VtGraph *graph, VtGraphNode *g)
{
  const VitrailOp *op = graph->recipe->op;
  g->stage = -1;
  for (uint32_t i = 0; g->node->stage && i < op->n_stages; i++)
    if (strcmp(op->stages[i]->id, g->node->stage) == 0)
      g->stage = (int32_t)i;
  if (g->node->stage && g->out.is_raw)
    return fail(graph, g->node, "has labels without numbers; the step number makes some for the stage", g->node->stage);
  return g->node->stage && g->stage < 0 ? fail(graph, g->node, "shows no stage", g->node->stage) : VITRAIL_OK;
}

VitrailStatus
vt_graph_resolve(VtGraph *graph, VtRun *run, const VtRecipe *recipe)
{
  *graph = (VtGraph){ .run = run, .recipe = recipe, .scope = { .run = run, .find = find_name, .user = graph } };
  graph->algorithm = vt_has_param(run, "algorithm") ? vt_param_choice(run, "algorithm") : "";
  if (recipe->n_nodes > VT_MAX_NODES)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, "The recipe %s has more than %d nodes.", recipe->op->id, VT_MAX_NODES);
  for (uint32_t i = 0; i < recipe->n_nodes; i++) {
    VtGraphNode *g = &graph->nodes[i];
    bool there;
    g->node = &recipe->nodes[i];
    graph->scope.params = 0;
    TRY(is_there(graph, g->node, &there));
    graph->n = i + 1;
    if (!there)
      continue;
    const VtStep *step = vt_step_find(g->node->step);
    if (!step)
      return fail(graph, g->node, "is of no kind that there is:", g->node->step);
    g->step = step;
    g->has_objects = step->has_objects;
    graph->n = i; /* it can't be its own input */
    TRY(find_inputs(graph, g));
    TRY(find_params(graph, g));
    if (recipe->is_users)
      TRY(vt_user_check_node(graph, g));
    TRY(infer(graph, g));
    TRY(find_stage(graph, g));
    if (recipe->is_users)
      TRY(vt_user_check_stage(graph, i));
    g->depends = graph->scope.params;
    for (int k = 0; k < VT_STEP_IN; k++)
      g->depends |= g->in[k] >= 0 ? graph->nodes[g->in[k]].depends : 0;
    graph->n = i + 1;
  }
  return VITRAIL_OK;
}

VtCall
vt_graph_call(VtGraph *graph, VtGraphNode *g)
{
  VtCall call = { .run = graph->run, .out = &g->out, .also = &g->also, .channel = &g->channel };
  for (int k = 0; k < VT_STEP_IN; k++) {
    VtGraphNode *from = g->in[k] >= 0 && k < vt_step_n_in(g->step) ? &graph->nodes[g->in[k]] : NULL;
    call.in[k] = !from ? NULL : g->in_also[k] ? &from->also : &from->out;
  }
  memcpy(call.params, g->params, sizeof call.params);
  call.primary = primary_of(graph);
  call.stage = g->stage;
  return call;
}

const char *
vt_graph_unit_for(const VtGraph *graph, const char *unit, const char *unit_px)
{
  return graph->run->grid.um_per_px > 0 || !unit_px ? unit : unit_px;
}

const char *
vt_graph_unit(const VtGraph *graph, int32_t i)
{
  while (i >= 0) {
    const VtGraphNode *g = &graph->nodes[i];
    if (g->stage >= 0) {
      const VitrailStage *stage = graph->recipe->op->stages[g->stage];
      return vt_graph_unit_for(graph, stage->unit ? stage->unit : "", stage->unit_px);
    }
    i = g->step->keeps_scale ? g->in[0] : -1;
  }
  return "";
}

/* --- what is chosen --- */

static void
ask(VtGraph *graph, int32_t i)
{
  VtGraphNode *g = &graph->nodes[i];
  for (int k = 0; k < VT_STEP_IN; k++) {
    VtGraphNode *from = g->in[k] >= 0 ? &graph->nodes[g->in[k]] : NULL;
    if (!from)
      continue;
    int32_t *last = g->in_also[k] ? &from->last_reader_also : &from->last_reader;
    from->is_asked = true;
    if (!g->is_needed || g->is_cached || g->step->hands_over)
      continue;
    from->is_needed = true;
    *last = *last > i ? *last : i;
  }
}

void
vt_graph_choose(VtGraph *graph, uint64_t stages, int32_t also)
{
  for (uint32_t i = 0; i < graph->n; i++) {
    VtGraphNode *g = &graph->nodes[i];
    g->is_asked = g->step && ((g->stage >= 0 && stages >> g->stage & 1) || (int32_t)i == also);
    g->is_needed = g->is_asked;
    g->last_reader = g->last_reader_also = -1;
  }
  for (int32_t i = (int32_t)graph->n - 1; i >= 0; i--)
    if (graph->nodes[i].is_asked)
      ask(graph, i);
}

static double
px(const VtValue *value)
{
  return (double)vt_type_size(value->type);
}

double
vt_graph_bytes(const VtGraph *graph)
{
  enum { KERNEL_BYTES = 16 };
  double now = 0, most = 0;
  for (int32_t i = 0; i < (int32_t)graph->n; i++) {
    const VtGraphNode *g = &graph->nodes[i];
    if (!g->is_needed)
      continue;
    const double other = now + g->step->bytes_per_px;
    most = other > most ? other : most;
    if (g->step->is_sink)
      continue;
    now += px(&g->out) + (g->step->has_also ? px(&g->also) : 0);
    most = now + KERNEL_BYTES > most ? now + KERNEL_BYTES : most;
    for (int32_t k = 0; k <= i; k++) {
      const VtGraphNode *from = &graph->nodes[k];
      now -= from->is_needed && !from->step->is_sink && from->last_reader == i ? px(&from->out) : 0;
      now -= from->is_needed && from->step->has_also && from->last_reader_also == i ? px(&from->also) : 0;
    }
  }
  return most;
}

const char *
vt_graph_cannot(VtGraph *graph, VtWay way, const char **record)
{
  for (uint32_t i = 0; i < graph->n; i++) {
    VtGraphNode *g = &graph->nodes[i];
    if (!g->is_needed)
      continue;
    const VtCall call = vt_graph_call(graph, g);
    if (way == VT_ON_DEVICE && call.in[0] && fits(call.in[0], g->step->not_on_device, NULL))
      return "";
    const char *why = g->step->cannot ? g->step->cannot(&call, way, record) : NULL;
    if (why)
      return why;
  }
  return NULL;
}

void
vt_graph_clear(VtGraph *graph)
{
  for (uint32_t i = 0; i < graph->n; i++) {
    VtGraphNode *g = &graph->nodes[i];
    free(g->out.stats);
    g->out.stats = NULL;
    g->out.n = g->also.n = -1;
    g->out.image = g->also.image = (VtImage){ 0 };
    g->is_cached = g->was_kept = false;
  }
}
