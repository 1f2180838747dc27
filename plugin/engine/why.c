/* SPDX-License-Identifier: MIT
 *
 * What the tests of a run say about one pixel, and which change of one parameter turns each of them round. A step is a test if it
 * compares a value with a setting. Nothing here knows an op. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/saddle.h"
#include "run/raster.h"
#include "steps/info.h"

/* In raw units. */
typedef struct {
  VitrailTest test;
  VitrailTested tested;
  double value, area; /* the pixel's value, a sum, or a peak; area: of what a sum is divided by, else 1 */
  double saddle;      /* of a peak */
  bool is_whole;      /* the limit is a whole number of pixels */
  int in;             /* which input is tested */
  bool is_made;       /* instead: what the step makes beside its answer */
  int setting;        /* of the step: the limit */
  int fixed;          /* the setting on which the value depends; -1: none */
  double scale;       /* the physical value of one raw unit */
  const char *unit;
} Test;

typedef struct {
  int64_t area_px;
  double sum;
  bool is_cut;
} Piece;

/* --- what is asked --- */

VitrailStatus
vt_why_new(VtRun *run, VtWhy **why)
{
  const VitrailRequest *request = run->request;
  const int64_t d = run->grid.downsample, x = request->why_x_l0, y = request->why_y_l0;
  const VtRect *shown = &run->shown;
  if (!(request->flags & VITRAIL_RUN_WHY))
    return VITRAIL_OK;
  if (!run->host.emit_verdict || run->host.n_ranks > 1)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, TR("Why a pixel is as it is can't be told to this program."));
  if (x < 0 || y < 0 || x / d < shown->x || y / d < shown->y || x / d >= shown->x + shown->width
      || y / d >= shown->y + shown->height)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, TR("The pixel that is asked about lies outside the region."));
  *why = calloc(1, sizeof **why);
  return *why ? VITRAIL_OK : vt_fail(run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory to begin."));
}

void
vt_why_begin(VtWhy *why, const VtRun *run)
{
  why->x = run->request->why_x_l0 / run->grid.downsample - run->grid.x;
  why->y = run->request->why_y_l0 / run->grid.downsample - run->grid.y;
  why->n = 0;
}

VitrailStatus
vt_why_emit(const VtWhy *why, VtRun *run)
{
  for (uint32_t i = 0; i < why->n; i++)
    TRY(run->host.emit_verdict(run->host.user, &why->list[i]));
  return VITRAIL_OK;
}

/* --- values --- */

/* Pixels of one label, and the sum of an image (NULL: none) over them. */
static VitrailStatus
measure(const VtRun *run, const VtImage *labels, int32_t label, const VtImage *image, Piece *piece)
{
  const VtGrid *grid = &run->grid;
  *piece = (Piece){ 0 };
  for (int64_t y = 0; y < labels->height; y++) {
    const int32_t *row = vt_image_at(labels, 0, y);
    for (int64_t x = 0; x < labels->width; x++) {
      if (row[x] != label)
        continue;
      piece->area_px++;
      piece->sum += image ? vt_value_at(image, x, y) : 0;
      piece->is_cut |= (x == 0 && grid->x > 0) || (y == 0 && grid->y > 0)
                       || (x == labels->width - 1 && grid->x + grid->width < grid->image_width)
                       || (y == labels->height - 1 && grid->y + grid->height < grid->image_height);
    }
    if (vt_cancelled_at(run, y))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

/* --- the limit --- */

static bool
holds(const Test *test, double limit)
{
  const double whole = test->is_whole ? (double)vt_object_area_limit(limit) : limit;
  if (test->tested == VITRAIL_TESTED_DEPTH) /* as the step shift-down reckons */
    return (float)test->value - (float)limit > (float)test->saddle;
  switch (test->test) {
  case VITRAIL_TEST_ABOVE: return test->value > whole;
  case VITRAIL_TEST_AT_LEAST: return test->value >= whole * test->area;
  default: return test->value <= whole * test->area;
  }
}

static const char *
setting_of(const VtGraphNode *g, int k)
{
  for (int i = 0; i < VT_STEP_PARAMS && g->node->params[i].key; i++)
    if (strcmp(g->node->params[i].key, vt_step_info(g->step->id)->settings[k]->key) == 0)
      return g->node->params[i].value;
  return NULL;
}

/* Whether the expression can only rise, or only fall, with a name in it. Its text tells: the name stands there once, it divides nothing,
 * and nothing is compared. */
static bool
is_monotone(const char *text, const char *name)
{
  static const char *const breaks[] = { "abs(", "whole-if(", "'", "<", ">", "=", "not ", "and ", "or " };
  const size_t n = strlen(name);
  const char *first = NULL;
  for (size_t i = 0; i < VT_COUNT(breaks); i++)
    if (strstr(text, breaks[i]))
      return false;
  for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
    const bool is_inside = (at > text && (at[-1] == '-' || (at[-1] >= 'a' && at[-1] <= 'z'))) || at[n] == '-'
                           || (at[n] >= 'a' && at[n] <= 'z') || (at[n] >= '0' && at[n] <= '9');
    if (!is_inside && first)
      return false;
    first = is_inside ? first : at;
  }
  const char *slash = strchr(text, '/');
  return first && (!slash || slash > first);
}

/* The only parameter of the op in the expression; -1: there is none, or there are several. */
static int32_t
find_only_param(VtGraph *graph, const char *text)
{
  double number;
  graph->scope.params = 0;
  if (strchr(text, '\'') || vt_graph_number(graph, text, &number) != VITRAIL_OK)
    return -1;
  const uint64_t bits = graph->scope.params;
  int32_t param = 0;
  if (bits == 0 || (bits & (bits - 1)) != 0)
    return -1;
  while (!(bits >> param & 1))
    param++;
  return param;
}

static bool
holds_at(VtGraph *graph, const Test *test, const char *text, int32_t param, double value)
{
  VtRun *run = graph->run;
  const double now = run->values[param][0];
  double limit = 0;
  run->values[param][0] = value;
  vt_graph_number(graph, text, &limit); /* it could be read before */
  run->values[param][0] = now;
  return holds(test, limit);
}

/* A whole number for each double, in the same order. */
static int64_t
to_order(double value)
{
  int64_t bits;
  value = value == 0 ? 0 : value; /* there is one zero */
  memcpy(&bits, &value, sizeof bits);
  return bits < 0 ? INT64_MIN - bits : bits;
}

static double
from_order(int64_t order)
{
  double value;
  order = order < 0 ? INT64_MIN - order : order;
  memcpy(&value, &order, sizeof value);
  return value;
}

/* The test has its present answer at `from` and the other one at `to`. Finds the first value from `from` on with the other answer. */
static double
find_flip(VtGraph *graph, const Test *test, const char *text, int32_t param, double from, double to, bool as_it_is)
{
  const bool is_whole = graph->run->op->params[param]->type == VITRAIL_PARAM_INT;
  int64_t a = is_whole ? (int64_t)from : to_order(from), b = is_whole ? (int64_t)to : to_order(to);
  for (;;) {
    const int64_t middle = (a & b) + ((a ^ b) >> 1); /* rounded down, without overflow */
    if (middle == a || middle == b)
      return is_whole ? (double)b : from_order(b);
    if (holds_at(graph, test, text, param, is_whole ? (double)middle : from_order(middle)) == as_it_is)
      a = middle;
    else
      b = middle;
  }
}

/* Nothing from which the tested value is made depends on the parameter. */
static bool
leaves_inputs(VtGraph *graph, uint32_t node, const Test *test, int32_t param, double value)
{
  VtRun *run = graph->run;
  VtGraph *other = malloc(sizeof *other);
  const double now = run->values[param][0];
  char *message = run->message;
  bool same = false;
  if (!other)
    return false;
  run->message = NULL; /* it is no failure of this run */
  run->values[param][0] = value;
  if (vt_graph_resolve(other, run, graph->recipe) == VITRAIL_OK) {
    const VtGraphNode *g = &graph->nodes[node], *h = &other->nodes[node];
    same = vt_graph_same_inputs(graph, other, node)
           && (test->fixed < 0 || g->params[test->fixed].number == h->params[test->fixed].number);
  } else {
    atomic_flag_clear(&run->message_taken);
  }
  run->values[param][0] = now;
  run->message = message;
  free(other);
  return same;
}

static void
find_critical(VtGraph *graph, uint32_t node, const Test *test, const char *text, VitrailVerdict *v)
{
  const VitrailParam *param = graph->run->op->params[v->param];
  const double now = graph->run->values[v->param][0], ends[2] = { param->min, param->max };
  const bool as_it_is = v->flags & VITRAIL_VERDICT_HOLDS;
  const bool is_number = param->type == VITRAIL_PARAM_FLOAT || param->type == VITRAIL_PARAM_INT;
  if (!is_number || strcmp(param->key, "pixel-size") == 0 || !is_monotone(text, param->key))
    return; /* the grid itself depends on the pixel size */
  for (int k = 0; k < 2 && !(v->flags & VITRAIL_VERDICT_FLIPS); k++) {
    if (holds_at(graph, test, text, v->param, ends[k]) == as_it_is)
      continue;
    v->critical = find_flip(graph, test, text, v->param, now, ends[k], as_it_is);
    if (leaves_inputs(graph, node, test, v->param, v->critical))
      v->flags |= VITRAIL_VERDICT_FLIPS;
  }
}

/* --- verdicts --- */

/* Adds a verdict of a step with a limit. */
static void
judge(VtWhy *why, VtGraph *graph, uint32_t node, const Test *test, bool is_cut)
{
  const VtGraphNode *g = &graph->nodes[node];
  const double limit = g->params[test->setting].number;
  const double whole = test->is_whole ? (double)vt_object_area_limit(limit) : limit;
  const char *text = setting_of(g, test->setting);
  const VtGraphNode *from = test->is_made ? g : &graph->nodes[g->in[test->in]];
  VitrailVerdict *v = &why->list[why->n++];
  *v = (VitrailVerdict){ .size = sizeof *v,
                         .test = test->test,
                         .tested = test->tested,
                         .stage = g->stage,
                         .node = g->node->id,
                         .of = test->is_made || g->in_also[test->in] ? from->node->also : from->node->id,
                         .value = test->value / test->area * test->scale,
                         .limit = whole * test->scale,
                         .unit = test->unit,
                         .param = text ? find_only_param(graph, text) : -1 };
  v->flags = (holds(test, limit) ? VITRAIL_VERDICT_HOLDS : 0u) | (is_cut ? VITRAIL_VERDICT_CUT : 0u);
  if (v->param < 0)
    return;
  const VitrailParam *param = graph->run->op->params[v->param];
  if (!*v->unit && strcmp(text, param->key) == 0 && test->scale == 1)
    v->unit = vt_graph_unit_for(graph, param->unit ? param->unit : "", param->unit_px);
  find_critical(graph, node, test, text, v);
}

static Test
area_test(const VtGraph *graph, VitrailTest what, int setting, const Piece *piece)
{
  const VtGrid *grid = &graph->run->grid;
  const double edge = grid->um_per_px > 0 ? grid->um_per_px : grid->downsample;
  return (Test){ .test = what,
                 .tested = VITRAIL_TESTED_AREA,
                 .value = (double)piece->area_px,
                 .area = 1,
                 .setting = setting,
                 .fixed = -1,
                 .scale = edge * edge,
                 .unit = grid->um_per_px > 0 ? "µm²" : "px²" };
}

static VitrailStatus
tell_above(VtWhy *why, VtGraph *graph, VtExec *x, uint32_t node)
{
  const VtGraphNode *g = &graph->nodes[node];
  const VtCall call = vt_graph_call(graph, &graph->nodes[node]);
  const Test test = { .test = VITRAIL_TEST_ABOVE,
                      .value = vt_value_at(&call.in[0]->image, why->x, why->y),
                      .area = 1,
                      .fixed = -1,
                      .scale = call.in[0]->scale,
                      .unit = vt_graph_unit(graph, g->in[0]) };
  judge(why, graph, node, &test, false);
  return VITRAIL_OK;
}

/* Adds a verdict without value and limit. */
static void
judge_alone(VtWhy *why, const VtGraphNode *g, VitrailTest test, const char *of, bool is_met)
{
  why->list[why->n++] = (VitrailVerdict){ .size = sizeof(VitrailVerdict),
                                          .test = test,
                                          .stage = g->stage,
                                          .node = g->node->id,
                                          .of = of,
                                          .unit = "",
                                          .param = -1,
                                          .flags = is_met ? VITRAIL_VERDICT_HOLDS : 0u };
}

static VitrailStatus
tell_both(VtWhy *why, VtGraph *graph, VtExec *x, uint32_t node)
{
  const VtGraphNode *g = &graph->nodes[node];
  const VtCall call = vt_graph_call(graph, &graph->nodes[node]);
  const bool both =
    vt_value_at(&call.in[0]->image, why->x, why->y) != 0 && vt_value_at(&call.in[1]->image, why->x, why->y) != 0;
  judge_alone(why, g, VITRAIL_TEST_ALL, graph->nodes[g->in[0]].node->id, both);
  return VITRAIL_OK;
}

static VitrailStatus
tell_objects(VtWhy *why, VtGraph *graph, VtExec *x, uint32_t node)
{
  enum { BACKGROUND = 2 };
  const VtGraphNode *g = &graph->nodes[node];
  const VtCall call = vt_graph_call(graph, &graph->nodes[node]);
  const int32_t label = (int32_t)vt_value_at(&call.in[0]->image, why->x, why->y);
  Piece piece;
  if (label == 0)
    return VITRAIL_OK;
  TRY(measure(x->run, &call.in[0]->image, label, &call.in[BACKGROUND]->image, &piece));
  Test least = area_test(graph, VITRAIL_TEST_AT_LEAST, 0, &piece),
       most = area_test(graph, VITRAIL_TEST_AT_MOST, 1, &piece);
  least.is_whole = most.is_whole = true;
  Test mean = { .test = VITRAIL_TEST_AT_MOST,
                .tested = VITRAIL_TESTED_MEAN,
                .value = piece.sum,
                .area = (double)piece.area_px,
                .in = BACKGROUND,
                .setting = 2,
                .fixed = -1,
                .scale = call.in[BACKGROUND]->scale,
                .unit = vt_graph_unit(graph, g->in[BACKGROUND]) };
  judge(why, graph, node, &least, piece.is_cut);
  judge(why, graph, node, &most, piece.is_cut);
  if (isfinite(call.params[mean.setting].number))
    judge(why, graph, node, &mean, piece.is_cut);
  mean.test = VITRAIL_TEST_AT_LEAST;
  mean.setting = 3;
  if (setting_of(g, mean.setting)) /* left out: no limit */
    judge(why, graph, node, &mean, piece.is_cut);
  return VITRAIL_OK;
}

/* The stage that shows the second output of a node; -1: none. */
static int32_t
stage_of_also(const VtGraph *graph, uint32_t node)
{
  for (uint32_t i = node + 1; i < graph->recipe->n_nodes; i++)
    if (graph->nodes[i].in[0] == (int32_t)node && graph->nodes[i].in_also[0] && graph->nodes[i].stage >= 0)
      return graph->nodes[i].stage;
  return -1;
}

/* The score at the pixel: that of the chosen region, else the best of the refused candidates there; 0 if there is none. */
static VitrailStatus
tell_regions(VtWhy *why, VtGraph *graph, VtExec *x, uint32_t node)
{
  enum { CUTOFF = 3 };
  const VtGraphNode *g = &graph->nodes[node];
  const VtCall call = vt_graph_call(graph, &graph->nodes[node]);
  const double score = vt_value_at(&call.also->image, why->x, why->y);
  const Test test = { .test = VITRAIL_TEST_ABOVE,
                      .value = score,
                      .area = 1,
                      .is_made = true,
                      .setting = CUTOFF,
                      .fixed = -1,
                      .scale = call.also->scale,
                      .unit = "" };
  const uint32_t first = why->n;
  judge(why, graph, node, &test, false);
  if (score == 0)
    why->list[first].flags |= VITRAIL_VERDICT_NONE;
  if (why->list[why->n - 1].flags & VITRAIL_VERDICT_HOLDS)
    judge_alone(why, g, VITRAIL_TEST_CHOSEN, g->node->also, vt_value_at(&call.out->image, why->x, why->y) != 0);
  for (uint32_t i = first; i < why->n; i++)
    why->list[i].stage = stage_of_also(graph, node);
  return VITRAIL_OK;
}

static VitrailStatus
tell_sized(VtWhy *why, VtGraph *graph, VtExec *x, uint32_t node)
{
  const VtCall call = vt_graph_call(graph, &graph->nodes[node]);
  VtImage labels;
  Piece piece;
  if (vt_value_at(&call.in[0]->image, why->x, why->y) == 0)
    return VITRAIL_OK;
  TRY(x->does->alloc(x, &labels, VITRAIL_I32));
  const VtComponents args = { .src = call.in[0]->image, .dst = labels, .connectivity = (int32_t)call.params[0].number };
  VitrailStatus status = x->does->components(x, &args);
  THEN(status, measure(x->run, &labels, (int32_t)vt_value_at(&labels, why->x, why->y), NULL, &piece));
  x->does->free(x, &labels);
  TRY(status);
  Test least = area_test(graph, VITRAIL_TEST_AT_LEAST, 1, &piece),
       most = area_test(graph, VITRAIL_TEST_AT_MOST, 2, &piece);
  least.fixed = most.fixed = 0; /* the connectivity */
  judge(why, graph, node, &least, piece.is_cut);
  judge(why, graph, node, &most, piece.is_cut);
  return VITRAIL_OK;
}

static bool
is_step(const VtGraphNode *g, const char *step)
{
  return g->step && g->is_needed && strcmp(g->step->id, step) == 0;
}

/* The mask of regional maxima that is made of an h-maxima transform; -1: the node is none. */
static int32_t
find_maxima(const VtGraph *graph, uint32_t node)
{
  const VtGraphNode *g = &graph->nodes[node];
  const VtGraphNode *lowered = &graph->nodes[g->in[0]];
  if (!is_step(lowered, "shift-down") || g->in_also[0] || lowered->in[0] != g->in[1]
      || lowered->in_also[0] != g->in_also[1])
    return -1;
  for (uint32_t i = node + 1; i < graph->n; i++)
    if (is_step(&graph->nodes[i], "extrema") && graph->nodes[i].in[0] == (int32_t)node
        && graph->nodes[i].params[1].number == 0)
      return (int32_t)i;
  return -1;
}

/* The first stage that shows a mask, or what it is a part of; -1: none. */
static int32_t
stage_of_mask(const VtGraph *graph, uint32_t node)
{
  for (uint32_t i = node; i < graph->n; i++)
    if ((i == node || (is_step(&graph->nodes[i], "and") && graph->nodes[i].in[0] == (int32_t)node))
        && graph->nodes[i].stage >= 0)
      return graph->nodes[i].stage;
  return -1;
}

/* Whether the hill that the pixel is on is deep enough for a maximum of its own. */
static VitrailStatus
tell_depth(VtWhy *why, VtGraph *graph, VtExec *x, uint32_t node)
{
  const VtCall call = vt_graph_call(graph, &graph->nodes[node]);
  const int32_t maxima = find_maxima(graph, node);
  const uint32_t lowered = (uint32_t)graph->nodes[node].in[0];
  const VtGrid *grid = &graph->run->grid;
  VtSaddle found;
  if (maxima < 0 || call.in[1]->image.type != VITRAIL_F32 || call.params[0].number != 8)
    return VITRAIL_OK;
  TRY(vt_saddle_find(x->run, &call.in[1]->image, why->x, why->y, &found));
  if (!found.is_found)
    return VITRAIL_OK;
  const Test test = { .test = VITRAIL_TEST_ABOVE,
                      .tested = VITRAIL_TESTED_DEPTH,
                      .value = found.peak,
                      .saddle = found.saddle,
                      .area = 1,
                      .fixed = -1,
                      .scale = call.in[1]->scale,
                      .unit = vt_graph_unit(graph, graph->nodes[node].in[1]) };
  judge(why, graph, lowered, &test, found.is_cut);
  VitrailVerdict *v = &why->list[why->n - 1];
  v->node = graph->nodes[maxima].node->id;
  v->stage = stage_of_mask(graph, (uint32_t)maxima);
  v->value = (found.peak - found.saddle) * test.scale;
  v->saddle_x_l0 = ((double)(grid->x + found.saddle_x) + 0.5) * (double)grid->downsample;
  v->saddle_y_l0 = ((double)(grid->y + found.saddle_y) + 0.5) * (double)grid->downsample;
  return VITRAIL_OK;
}

VitrailStatus
vt_why_node(VtWhy *why, VtGraph *graph, VtExec *x, uint32_t node, bool is_run)
{
  static const struct {
    const char *step;
    bool is_run; /* it tests what it makes */
    VitrailStatus (*tell)(VtWhy *why, VtGraph *graph, VtExec *x, uint32_t node);
  } tests[] = { { "above", false, tell_above },     { "and", false, tell_both },
                { "objects", false, tell_objects }, { "reconstruct", false, tell_depth },
                { "regions", true, tell_regions },  { "sized", false, tell_sized } };
  for (size_t i = 0; i < VT_COUNT(tests); i++)
    if (tests[i].is_run == is_run && strcmp(graph->nodes[node].step->id, tests[i].step) == 0)
      return tests[i].tell(why, graph, x, node);
  return VITRAIL_OK;
}
