/* SPDX-License-Identifier: MIT
 *
 * How a stage came about. The last step on the way to it that spreads is replayed (replay.h) beside its kernel. Both results are handed
 * over, so that the host can say whether they are the same. Nothing here knows an op. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "run/raster.h"

static VitrailStatus before_reconstruct(VtWave *wave, VtGraph *graph, VtExec *x, const VtCall *call);
static VitrailStatus after_reconstruct(VtWave *wave, VtGraph *graph, VtExec *x, const VtCall *call);
static VitrailStatus after_distance(VtWave *wave, VtGraph *graph, VtExec *x, const VtCall *call);
static VitrailStatus after_zones(VtWave *wave, VtGraph *graph, VtExec *x, const VtCall *call);
static VitrailStatus after_watershed(VtWave *wave, VtGraph *graph, VtExec *x, const VtCall *call);

/* Steps that spread. before: called while the image that the step overwrites is still there. */
static const struct {
  const char *step;
  VitrailWaveKind kind;
  VitrailStatus (*before)(VtWave *wave, VtGraph *graph, VtExec *x, const VtCall *call);
  VitrailStatus (*after)(VtWave *wave, VtGraph *graph, VtExec *x, const VtCall *call);
} plays[] = {
  { "reconstruct", VITRAIL_WAVE_RECONSTRUCTION, before_reconstruct, after_reconstruct },
  { "distance", VITRAIL_WAVE_DISTANCE, NULL, after_distance },
  { "zones", VITRAIL_WAVE_ZONES, NULL, after_zones },
  { "watershed", VITRAIL_WAVE_WATERSHED, NULL, after_watershed },
};

/* -1: it does not spread. */
static int
find_play(const VtGraphNode *g)
{
  for (int i = 0; g->step && i < (int)VT_COUNT(plays); i++)
    if (strcmp(g->step->id, plays[i].step) == 0)
      return i;
  return -1;
}

/* --- which step it is --- */

/* The last node that spreads on the way to a node (the node itself included); -1: none. */
static int32_t
find_last(const VtGraph *graph, int32_t node)
{
  uint64_t way = UINT64_C(1) << node;
  for (int32_t i = node; i >= 0; i--) {
    if (!(way >> i & 1))
      continue;
    if (find_play(&graph->nodes[i]) >= 0)
      return i;
    for (int k = 0; k < VT_STEP_IN; k++)
      way |= graph->nodes[i].in[k] >= 0 ? UINT64_C(1) << graph->nodes[i].in[k] : 0;
  }
  return -1;
}

/* The first stage for which this node is the last one that spreads; -1: none. */
static int32_t
stage_of(const VtGraph *graph, int32_t node)
{
  for (int32_t i = node; i < (int32_t)graph->n; i++)
    if (graph->nodes[i].step && graph->nodes[i].stage >= 0 && find_last(graph, i) == node)
      return graph->nodes[i].stage;
  return -1;
}

VitrailStatus
vt_wave_new(VtRun *run, VtWave **wave)
{
  if (!(run->request->flags & VITRAIL_RUN_WAVE))
    return VITRAIL_OK;
  if (!run->host.emit_wave || run->host.n_ranks > 1)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, TR("How a stage came about can't be told to this program."));
  *wave = calloc(1, sizeof **wave);
  return *wave ? VITRAIL_OK : vt_fail(run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory to begin."));
}

static void
clear(VtWave *wave)
{
  vt_replay_clear(&wave->replay);
  free(wave->made.data);
  wave->made = (VtImage){ 0 };
}

void
vt_wave_free(VtWave *wave)
{
  if (wave)
    clear(wave);
  free(wave);
}

VitrailStatus
vt_wave_begin(VtWave *wave, VtGraph *graph)
{
  const VitrailRequest *request = graph->run->request;
  clear(wave);
  wave->node = -1;
  wave->stages = 0;
  for (int32_t i = 0; i < (int32_t)graph->n; i++) {
    const VtGraphNode *g = &graph->nodes[i];
    const int32_t last = g->step && g->stage >= 0 ? find_last(graph, i) : -1;
    if (last < 0)
      continue;
    wave->stages |= stage_of(graph, last) == g->stage ? UINT64_C(1) << g->stage : 0;
    if (g->stage == (int32_t)request->wave_stage)
      wave->node = last;
  }
  if (wave->node < 0)
    return vt_fail(
      graph->run, VITRAIL_BAD_ARGUMENT,
      TR("Nothing spreads on the way to this stage. Choose one that comes of a reconstruction, a distance, "
         "zones or a watershed."));
  const VtGraphNode *g = &graph->nodes[wave->node];
  const VtGrid *grid = &graph->run->grid;
  wave->told = (VitrailWave){ .size = sizeof wave->told,
                              .kind = plays[find_play(g)].kind,
                              .stage = (uint32_t)stage_of(graph, wave->node),
                              .node = g->node->id,
                              .x = grid->x,
                              .y = grid->y,
                              .width = grid->width,
                              .height = grid->height,
                              .downsample = grid->downsample,
                              .scale = 1,
                              .unit = "",
                              .tick_unit = "",
                              .stages = wave->stages };
  return VITRAIL_OK;
}

/* --- playing --- */

static double
edge_of(const VtGraph *graph)
{
  return graph->run->grid.um_per_px > 0 ? graph->run->grid.um_per_px : graph->run->grid.downsample;
}

/* Copies what the kernel made, without gaps between rows. */
static VitrailStatus
keep(VtWave *wave, const VtImage *image)
{
  vt_image_new(&wave->made, image->type, image->width, image->height);
  for (int64_t y = 0; wave->made.data && y < image->height; y++)
    memcpy(vt_image_at(&wave->made, 0, y), vt_image_at(image, 0, y), (size_t)wave->made.stride);
  return wave->made.data ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
}

static VitrailStatus
before_reconstruct(VtWave *wave, VtGraph *graph, VtExec *x, const VtCall *call)
{
  wave->told.connectivity = (int32_t)call->params[0].number;
  wave->told.scale = call->in[0]->scale;
  wave->told.unit = vt_graph_unit(graph, wave->node);
  return vt_replay_reconstruct(&call->in[0]->image, &call->in[1]->image, wave->told.connectivity, &x->run->cancel,
                               &wave->replay);
}

/* -0 becomes 0. */
static VitrailStatus
after_reconstruct(VtWave *wave, VtGraph *graph, VtExec *x, const VtCall *call)
{
  TRY(keep(wave, &call->out->image));
  float *value = wave->made.data;
  for (int64_t i = 0; wave->made.type == VITRAIL_F32 && i < wave->made.width * wave->made.height; i++)
    value[i] += 0.0f;
  return VITRAIL_OK;
}

static VitrailStatus
after_distance(VtWave *wave, VtGraph *graph, VtExec *x, const VtCall *call)
{
  enum { SCALE = 1, WEIGHT_X, WEIGHT_Y, CAP, ALGORITHM };
  const VtParamOf *p = call->params;
  const char *algorithm = p[ALGORITHM].word ? p[ALGORITHM].word : "exact";
  VtImage root, nearest;
  VtDistance args = { .src = call->in[0]->image,
                      .weight_x = p[WEIGHT_X].number > 0 ? (int32_t)p[WEIGHT_X].number : 1,
                      .weight_y = p[WEIGHT_Y].number > 0 ? (int32_t)p[WEIGHT_Y].number : 1,
                      .scale = (float)p[SCALE].number,
                      .cap = (int64_t)p[CAP].number };
  const double shorter = args.weight_x < args.weight_y ? args.weight_x : args.weight_y;
  wave->told.tick_scale = sqrt(shorter) * p[SCALE].number;
  wave->told.unit = wave->told.tick_unit = vt_graph_unit_for(graph, "µm", "px");
  TRY(x->does->alloc(x, &nearest, VT_I64));
  args.nearest = nearest;
  const bool in_rounds = strcmp(algorithm, "danielsson") == 0;
  VitrailStatus status = x->does->distance(x, algorithm, &args);
  if (in_rounds)
    wave->told.tick_scale = 0;
  THEN(status, in_rounds ? vt_replay_distance_rounds(&args, &x->run->cancel, &wave->replay)
                         : vt_replay_distance(&args, &nearest, &x->run->cancel, &wave->replay));
  x->does->free(x, &nearest);
  TRY(status);
  if (call->out->type == VITRAIL_F32)
    return keep(wave, &call->out->image);
  TRY(x->does->alloc(x, &root, VITRAIL_F32)); /* squares and numbers of pixels are not shown as they are */
  args.nearest = (VtImage){ 0 };
  args.root = root;
  status = x->does->distance(x, algorithm, &args);
  THEN(status, keep(wave, &root));
  x->does->free(x, &root);
  return status;
}

static VitrailStatus
after_zones(VtWave *wave, VtGraph *graph, VtExec *x, const VtCall *call)
{
  const VtGeodesic args = { .seeds = call->in[0]->image,
                            .mask = call->in[1]->image,
                            .connectivity = (int32_t)call->params[0].number };
  wave->told.connectivity = args.connectivity;
  wave->told.tick_scale = edge_of(graph);
  wave->told.tick_unit = vt_graph_unit_for(graph, "µm", "px");
  TRY(vt_replay_zones(&args, &x->run->cancel, &wave->replay));
  return keep(wave, &call->out->image);
}

static VitrailStatus
after_watershed(VtWave *wave, VtGraph *graph, VtExec *x, const VtCall *call)
{
  const VtWatershed args = { .level = call->in[0]->image, .seeds = call->in[1]->image, .mask = call->in[2]->image };
  wave->told.connectivity = 8;
  wave->told.tick_scale = call->in[0]->scale;
  wave->told.tick_unit = vt_graph_unit(graph, graph->nodes[wave->node].in[0]);
  TRY(vt_replay_watershed(&args, &x->run->cancel, &wave->replay));
  return keep(wave, &call->out->image);
}

/* If a complement lies between the node and the stage, the values that are handed over are complements too. */
static bool
is_turned(const VtGraph *graph, int32_t node, uint32_t stage)
{
  bool turned = false;
  int32_t i = 0;
  while (i < (int32_t)graph->n && !(graph->nodes[i].step && graph->nodes[i].stage == (int32_t)stage))
    i++;
  for (; i > node; i = graph->nodes[i].in[0]) {
    const char *step = graph->nodes[i].step->id;
    if (strcmp(step, "complement") != 0 && strcmp(step, "not") != 0)
      return false;
    turned = !turned;
  }
  return turned && i == node;
}

static void
turn(VtImage *image)
{
  const int64_t n = image->width * image->height;
  for (int64_t i = 0; i < n; i++)
    switch (image->type) {
    case VITRAIL_U8: ((uint8_t *)image->data)[i] = (uint8_t)(UINT8_MAX - ((uint8_t *)image->data)[i]); break;
    case VITRAIL_U16: ((uint16_t *)image->data)[i] = (uint16_t)(UINT16_MAX - ((uint16_t *)image->data)[i]); break;
    case VITRAIL_I32: ((int32_t *)image->data)[i] = ~((int32_t *)image->data)[i]; break;
    default: ((float *)image->data)[i] = 0.0f - ((float *)image->data)[i];
    }
}

VitrailStatus
vt_wave_node(VtWave *wave, VtGraph *graph, VtExec *x, uint32_t node, bool is_run)
{
  if ((int32_t)node != wave->node)
    return VITRAIL_OK;
  const int play = find_play(&graph->nodes[node]);
  const VtCall call = vt_graph_call(graph, &graph->nodes[node]);
  if (!is_run)
    return plays[play].before ? plays[play].before(wave, graph, x, &call) : VITRAIL_OK;
  TRY(plays[play].after(wave, graph, x, &call));
  if (wave->told.kind == VITRAIL_WAVE_RECONSTRUCTION && is_turned(graph, wave->node, wave->told.stage)) {
    turn(&wave->replay.begin);
    turn(&wave->replay.end);
    turn(&wave->made);
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_wave_emit(const VtWave *wave, VtRun *run)
{
  VitrailWave told = wave->told;
  told.type = wave->replay.end.type;
  told.n_ticks = wave->replay.n_ticks;
  told.ticks = wave->replay.ticks;
  told.begin = wave->replay.begin.data;
  told.end = wave->replay.end.data;
  told.made = wave->made.data;
  told.levels = wave->replay.levels;
  return run->host.emit_wave(run->host.user, &told);
}
