/* SPDX-License-Identifier: MIT
 *
 * Runs a recipe: chooses the executor, makes and frees images, hands over stages, writes the record. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/view-exact.h"
#include "executors/bounded-labels.h"
#include "executors/bounded.h"
#include "run/backends.h"
#include "run/grid.h"
#include "run/params.h"
#include "run/raster.h"

typedef struct {
  const VtRecipe *recipe;
  VtGraph graph;
  VtGridView view;
  VtWhy *why;                   /* NULL: nobody asks */
  VtWave *wave;                 /* the same */
  int64_t n_objects, n_certain; /* -1: there are none, or nobody asked */
} Engine;

/* --- one node --- */

static bool
is_last_reader(const VtGraph *graph, uint32_t reader, int k)
{
  const VtGraphNode *g = &graph->nodes[reader];
  const VtGraphNode *from = &graph->nodes[g->in[k]];
  return (g->in_also[k] ? from->last_reader_also : from->last_reader) == (int32_t)reader && !from->is_cached;
}

/* No other node reads the input any more, so the output may be written over it. */
static bool
may_take(const VtGraph *graph, const VtExec *x, uint32_t reader, int k, const VtValue *in)
{
  const VtGraphNode *g = &graph->nodes[reader];
  if (x->does->keeps_emitted && graph->nodes[g->in[k]].stage >= 0)
    return false;
  for (int other = 0; other < VT_STEP_IN; other++)
    if (other != k && g->in[other] == g->in[k] && g->in_also[other] == g->in_also[k])
      return false;
  return in->image.data && in->type == g->out.type && is_last_reader(graph, reader, k);
}

static VitrailStatus
make_room(VtGraph *graph, VtExec *x, uint32_t i, const VtCall *call)
{
  VtGraphNode *g = &graph->nodes[i];
  const int over = g->step->over - 1;
  int replaced = -1;
  if (vt_step_n_in(g->step) == 0 || g->step->is_sink)
    return VITRAIL_OK;
  for (int k = 0; k < vt_step_n_in(g->step) && replaced < 0; k++)
    if (call->in[k] && (k == over || g->step->may_replace >> k & 1) && may_take(graph, x, i, k, call->in[k]))
      replaced = k;
  if (replaced >= 0)
    g->out.image = call->in[replaced]->image;
  else
    TRY(x->does->alloc(x, &g->out.image, g->out.type));
  if (over >= 0 && replaced < 0)
    TRY(x->does->copy(x, &call->in[over]->image, &g->out.image));
  return g->step->has_also ? x->does->alloc(x, &g->also.image, g->also.type) : VITRAIL_OK;
}

/* Frees the images that no later node reads. */
static void
free_dead(VtGraph *graph, VtExec *x, uint32_t i)
{
  VtGraphNode *g = &graph->nodes[i];
  const VtCall call = vt_graph_call(graph, g);
  for (int k = 0; k < vt_step_n_in(g->step); k++) {
    if (!call.in[k] || !call.in[k]->image.data || !is_last_reader(graph, i, k))
      continue;
    if (call.in[k]->image.data == g->out.image.data)
      call.in[k]->image = (VtImage){ 0 };
    else
      x->does->free(x, &call.in[k]->image);
  }
  if (g->last_reader < 0 && g->stage < 0 && g->out.image.data && !g->is_cached && !g->is_kept_for_caller)
    x->does->free(x, &g->out.image);
  if (g->step->has_also && g->last_reader_also < 0 && !g->is_cached)
    x->does->free(x, &g->also.image);
}

VitrailStatus
vt_graph_run_node(VtGraph *graph, VtExec *x, uint32_t i)
{
  VtGraphNode *g = &graph->nodes[i];
  const VtCall call = vt_graph_call(graph, g);
  TRY(make_room(graph, x, i, &call));
  return g->step->run ? g->step->run(x, &call) : VITRAIL_OK;
}

static VitrailStatus
record_facts(VtGraph *graph, const VtGraphNode *g)
{
  for (int k = 0; k < VT_NODE_FACTS && g->node->facts[k].key; k++) {
    double number;
    TRY(vt_graph_number(graph, g->node->facts[k].value, &number));
    if (isfinite(number)) /* a fact that is not finite does not exist in this run */
      vt_record(graph->run, g->node->facts[k].key, number);
  }
  return VITRAIL_OK;
}

/* --- all of them --- */

/* If it is one of `stages`: others may not have been made. */
static VitrailStatus
show_stage(VtGraph *graph, VtExec *x, VtGraphNode *g, uint64_t stages)
{
  VtRun *run = graph->run;
  const uint32_t stage = (uint32_t)g->stage;
  const uint64_t bit = UINT64_C(1) << stage;
  if (run->wanted & stages & ~x->emitted & bit) {
    if (g->step->is_sink && !g->step->hands_over) {
      const VtCall call = vt_graph_call(graph, g);
      TRY(vt_emit_compared_objects(graph, x, stage, &call));
    } else if (!g->step->is_sink)
      TRY(x->does->emit(x, stage, &g->out.image, g->out.scale));
    x->emitted |= bit;
  }
  TRY(vt_stage_end(run, stage));
  vt_stage_begin(run);
  return VITRAIL_OK;
}

static bool
wants_cache(const VtGraph *graph, const VtExec *x, const VtGraphNode *g)
{
  return graph->run->request->flags & VITRAIL_RUN_KEEP_STAGES && x->does->makes_rasters && !x->pixels.data
         && vt_step_n_in(g->step) == 0;
}

static uint32_t
end_of_asked(const VtGraph *graph)
{
  uint32_t end = graph->n;
  while (end > 0 && !graph->nodes[end - 1].is_asked)
    end--;
  return end;
}

/* Runs a node, and lets the questions of the request look at it before and after. */
static VitrailStatus
look(const Engine *asks, VtGraph *graph, VtExec *x, uint32_t i, bool is_run)
{
  if (!graph->nodes[i].is_needed || !asks)
    return VITRAIL_OK;
  if (asks->wave)
    TRY(vt_wave_node(asks->wave, graph, x, i, is_run));
  return asks->why ? vt_why_node(asks->why, graph, x, i, is_run) : VITRAIL_OK;
}

/* cache NULL: there is none. */
static VitrailStatus
run_cached_node(VtGraphCache *cache, VtGraph *graph, VtExec *x, uint32_t i)
{
  if (cache)
    vt_graph_cache_begin(cache, i);
  const VitrailStatus status = vt_graph_run_node(graph, x, i);
  if (cache)
    vt_graph_cache_end(cache);
  return status;
}

/* What is shown is cut off where the last of it is made. `asks`: NULL if nobody does. */
static VitrailStatus
run_nodes(VtGraph *graph, VtExec *x, uint64_t stages, int32_t also, const Engine *asks)
{
  VtGraphCache *cache = NULL;
  VitrailStatus status = VITRAIL_OK;
  graph->run->stage = 0;
  vt_graph_choose(graph, stages, also);
  const uint32_t end = end_of_asked(graph);
  for (uint32_t i = 0; i < end && status == VITRAIL_OK; i++) {
    VtGraphNode *g = &graph->nodes[i];
    if (!g->step)
      continue;
    status = look(asks, graph, x, i, false);
    if (status == VITRAIL_OK && g->is_needed && !g->is_cached)
      status = run_cached_node(cache, graph, x, i);
    THEN(status, look(asks, graph, x, i, true));
    if (status == VITRAIL_OK && g->is_needed && !asks && !cache && wants_cache(graph, x, g)) {
      cache = vt_graph_cache_open(graph, x, i);
      vt_graph_choose(graph, stages, also);
    } else if (cache && status == VITRAIL_OK && g->is_needed) {
      vt_graph_cache_keep(cache, i);
    }
    if (status == VITRAIL_OK && g->is_asked)
      status = record_facts(graph, g);
    if (status == VITRAIL_OK && g->stage >= 0)
      status = show_stage(graph, x, g, stages);
    if (status == VITRAIL_OK && g->is_needed)
      free_dead(graph, x, i);
  }
  if (cache)
    vt_graph_cache_record(graph);
  free(cache);
  return status;
}

/* What the recipe declares, or else what its graph takes. */
static VitrailStatus
bytes_of(VtGraph *graph, const char *stated, double times, double *bytes)
{
  *bytes = times * vt_graph_bytes(graph);
  return stated ? vt_graph_number(graph, stated, bytes) : VITRAIL_OK;
}

/* --- executors --- */

/* For each pixel. DEVICE: images and the kernels' own memory at the step that needs most. HOST: the input, and an image that is downloaded. */
enum { DEVICE_BYTES_PER_PX = 64, HOST_BYTES_PER_PX = 8 };

static bool
can_be_resident(VtGraph *graph)
{
  const VtRun *run = graph->run;
  const VtBackend *b = run->backend;
  const char *record;
  const double need = (double)run->grid.width * (double)run->grid.height * DEVICE_BYTES_PER_PX;
  const uint64_t budget = run->request->device_budget;
  return b != run->cpu && !graph->recipe->shares_devices && vt_find_reconstruct(b, graph->algorithm)
         && (b->distance || (b->edt_columns && b->edt_rows)) && b->lut3 && b->erode_disc && b->smooth && b->pointwise
         && b->components && b->watershed && b->regional && b->number && b->relabel && b->overlaps
         && (budget == 0 || need <= (double)budget) && !vt_graph_cannot(graph, VT_ON_DEVICE, &record);
}

/* For images that do not fit into the host's memory. */
static bool
can_be_resident_in_blocks(VtGraph *graph)
{
  const VtRun *run = graph->run;
  const VtRect rect = vt_grid_rect(run);
  const double need = (double)rect.width * (double)rect.height * DEVICE_BYTES_PER_PX;
  return run->host.n_ranks < 2 && run->backend->spare_memory && vt_raster_fits(run, rect, HOST_BYTES_PER_PX)
         && can_be_resident(graph) && need <= (double)run->backend->spare_memory(run->device);
}

static int32_t
n_passes(const VtGraph *graph)
{
  int32_t n = 0;
  for (uint32_t i = 0; i < graph->n; i++)
    if (graph->nodes[i].is_needed && !graph->nodes[i].step->hands_over)
      n += graph->nodes[i].step->passes ? graph->nodes[i].step->passes : 1;
  return n > 0 ? n + 1 : 0;
}

static VitrailStatus
stream(VtGraph *graph, VtExec *x)
{
  const char *record, *why = vt_graph_cannot(graph, VT_STREAMED, &record);
  if (why)
    return vt_fail(graph->run, VITRAIL_BAD_ARGUMENT, "%s", why);
  x->does = &vt_streamed_executor;
  x->n_expected = n_passes(graph);
  return VITRAIL_OK;
}

static VitrailStatus
choose_executor(VtGraph *graph, VtExec *x, const Engine *asks)
{
  VtRun *run = graph->run;
  double bytes;
  TRY(bytes_of(graph, graph->recipe->bytes_per_px, 1, &bytes));
  bytes += asks && asks->wave ? VT_WAVE_BYTES : 0;
  bytes += vt_input_truth(run) ? sizeof(int32_t) : 0;
  *x = (VtExec){ .does = &vt_host_executor, .run = run, .algorithm = graph->algorithm };
  if (!asks && vt_run_streams(run, vt_grid_rect(run), bytes)) {
    x->in_blocks = can_be_resident_in_blocks(graph);
    x->does = &vt_device_executor;
    return x->in_blocks ? VITRAIL_OK : stream(graph, x);
  }
  TRY(vt_raster_check_budget(run, vt_grid_rect(run), bytes));
  if (!asks && can_be_resident(graph))
    x->does = &vt_device_executor;
  return VITRAIL_OK;
}

/* After a device failed: the host runs all nodes again, or streams if memory does not hold the images. */
static VitrailStatus
go_on_without_device(VtGraph *graph, VtExec *x)
{
  const VtRecipe *recipe = graph->recipe;
  vt_graph_clear(graph);
  vt_device_lose(x, recipe->title ? recipe->title : recipe->op->title);
  if (!x->in_blocks)
    return VITRAIL_OK;
  vt_device_executor.end(x, VITRAIL_OK);
  TRY(stream(graph, x));
  return x->does->begin(x);
}

static void
record_nodes(VtGraph *graph)
{
  for (uint32_t i = 0; i < graph->n; i++) {
    VtGraphNode *g = &graph->nodes[i];
    if (!g->step || !g->step->record || !g->is_needed)
      continue;
    const VtCall call = vt_graph_call(graph, g);
    g->step->record(&call);
  }
}

static VitrailStatus
make_all(VtRun *run, void *user)
{
  Engine *engine = user;
  VtGraph *graph = &engine->graph;
  VtExec x;
  vt_graph_clear(graph);
  TRY(vt_graph_resolve(graph, run, engine->recipe));
  if (engine->wave)
    TRY(vt_wave_begin(engine->wave, graph));
  const uint64_t stages = engine->wave || run->found ? 0 : run->wanted;
  const int32_t also = engine->wave ? engine->wave->node : run->found ? vt_candidates_node(graph) : -1;
  const Engine *asks = engine->wave || engine->why || run->found ? engine : NULL;
  vt_graph_choose(graph, stages, also);
  TRY(choose_executor(graph, &x, asks));
  const VtExecutor *ends = x.does;
  if (engine->why)
    vt_why_begin(engine->why, run);
  record_nodes(graph);
  vt_stage_begin(run);
  VitrailStatus status = x.does->begin(&x);
  THEN(status, run_nodes(graph, &x, stages, also, asks));
  if (x.lost) {
    status = go_on_without_device(graph, &x);
    if (x.in_blocks)
      ends = x.does;
    THEN(status, run_nodes(graph, &x, stages, also, asks));
  }
  for (uint32_t i = 0; i < graph->n; i++)
    if (graph->nodes[i].step && graph->nodes[i].step->shown_as == VITRAIL_STAGE_OBJECTS && graph->nodes[i].is_asked)
      engine->n_objects = graph->nodes[graph->nodes[i].in[0]].out.n;
    else if (graph->nodes[i].out.stats || graph->nodes[i].has_objects)
      engine->n_objects = graph->nodes[i].out.n;
  vt_graph_clear(graph);
  status = ends->end(&x, status);
  if (run->peak > 0)
    vt_record(run, "memory-peak-bytes", run->peak);
  run->held = run->peak = 0;
  return status;
}

/* --- certainty --- */

static int32_t
find_certain_node(const VtGraph *graph)
{
  bool is_also;
  int32_t node = -1;
  for (size_t k = 0; k < VT_COUNT(graph->recipe->certain) && graph->recipe->certain[k] && node < 0; k++)
    node = vt_graph_find(graph, graph->recipe->certain[k], &is_also);
  return node;
}

/* Runs the same nodes on bounds. No stage is handed over. */
static VitrailStatus
find_certain(VtRun *run, const bool open[4], void *user, const VtImage *certain)
{
  Engine *engine = user;
  VtGraph *graph = &engine->graph;
  const VitrailHost host = run->host;
  const double start_ms = run->stage_start_ms;
  VtFoundList *found = run->found;
  VtBounds bounds = { .n_pairs = 0 };
  VtExec x = { .does = &vt_bounded_executor, .run = run, .own = &bounds };
  memcpy(bounds.open, open, sizeof bounds.open);
  TRY(vt_graph_resolve(graph, run, engine->recipe));
  x.algorithm = graph->algorithm;
  const int32_t node = find_certain_node(graph);
  run->host.record = NULL;
  run->host.stage_done = NULL;
  run->found = NULL; /* it has those of the grid that was run */
  graph->nodes[node].is_kept_for_caller = true;
  VitrailStatus status = run_nodes(graph, &x, 0, node, NULL);
  run->host = host;
  run->found = found;
  run->stage_start_ms = start_ms;
  const VtValue *value = &graph->nodes[node].out;
  THEN(status, vt_bounds_certain(&x, &value->image, value->is_labels, certain));
  if (status == VITRAIL_OK && graph->nodes[node].has_objects)
    status = vt_bounds_count(&x, &value->image, value->n, &engine->n_certain);
  vt_graph_clear(graph);
  return status;
}

/* Some steps can make nothing that is certain. */
static VitrailStatus
make_uncertain(VtRun *run, Engine *engine, const char *why, const char *record)
{
  if (strcmp(vt_param_choice(run, "context"), "exact") == 0)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, "%s", why);
  vt_record_text(run, "certain", record);
  return make_all(run, engine);
}

static VitrailStatus
run_engine(VtRun *run, Engine *engine)
{
  const VtRecipe *recipe = engine->recipe;
  VtGraph *graph = &engine->graph;
  const char *record = NULL;
  TRY(vt_graph_resolve(graph, run, recipe));
  if (!recipe->certain[0])
    return make_all(run, engine);
  const int32_t node = find_certain_node(graph);
  if (node < 0)
    return vt_fail(run, VITRAIL_INTERNAL, "The recipe %s has no node to be certain of.", recipe->op->id);
  vt_graph_choose(graph, 0, node);
  const char *why = vt_graph_cannot(graph, VT_BOUNDED, &record);
  if (why)
    return make_uncertain(run, engine, why, record);
  engine->view = (VtGridView){ .body = make_all, .find_certain = find_certain };
  TRY(bytes_of(graph, recipe->certain_bytes_per_px, 2, &engine->view.bytes_per_px));
  while (strcmp(recipe->op->stages[engine->view.certain_stage]->id, "certain") != 0)
    engine->view.certain_stage++;
  TRY(vt_view_exact_grid(run, &engine->view, engine));
  if (vt_run_is_whole(run))
    engine->n_certain = engine->n_objects;
  if (engine->n_certain >= 0 && engine->n_objects >= 0)
    vt_record(run, "uncertain-objects", (double)(engine->n_objects - engine->n_certain));
  return VITRAIL_OK;
}

/* Only rows of texture are made of runs. */
static VitrailStatus
check_lengths(VtRun *run, const VtRecipe *recipe)
{
  if (!(run->request->flags & VITRAIL_RUN_LENGTHS))
    return VITRAIL_OK;
  if (!run->host.emit_run_lengths || run->host.n_ranks > 1)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, TR("Run lengths can't be told to this program."));
  for (uint32_t i = 0; i < recipe->n_nodes; i++)
    if (strcmp(recipe->nodes[i].step, "glrlm-rois") == 0)
      return VITRAIL_OK;
  return vt_fail(run, VITRAIL_BAD_ARGUMENT, TR("This analysis has no table of run lengths."));
}

static VitrailStatus
check_examples(VtRun *run, const VtRecipe *recipe)
{
  if (run->request->n_example_numbers == 0)
    return VITRAIL_OK;
  for (uint32_t i = 0; i < recipe->n_nodes; i++)
    if (strcmp(recipe->nodes[i].step, "regions") == 0)
      return VITRAIL_OK;
  return vt_fail(run, VITRAIL_BAD_ARGUMENT, TR("This analysis has no score that could be taught."));
}

/* The engine is empty, and is cleared by the caller. */
static VitrailStatus
run_asked(VtRun *run, Engine *engine)
{
  TRY(vt_why_new(run, &engine->why));
  TRY(vt_wave_new(run, &engine->wave));
  TRY(vt_candidates_new(run, engine->recipe));
  TRY(run->request->flags & VITRAIL_RUN_MEASURE ? vt_measured_run(run, engine->recipe, &engine->graph)
                                                : run_engine(run, engine));
  if (engine->why)
    TRY(vt_why_emit(engine->why, run));
  if (engine->wave)
    TRY(vt_wave_emit(engine->wave, run));
  return run->found ? vt_candidates_emit(run) : VITRAIL_OK;
}

VitrailStatus
vt_recipe_run(VtRun *run, const VtRecipe *recipe)
{
  const VitrailOp *op = recipe->op;
  uint32_t primary = 0;
  while (primary + 1 < op->n_inputs && !(op->inputs[primary]->flags & VITRAIL_INPUT_PRIMARY))
    primary++;
  TRY(vt_grid_resolve(run, vt_input(run, op->inputs[primary]->id)));
  TRY(check_lengths(run, recipe));
  TRY(check_examples(run, recipe));
  if (recipe->check)
    TRY(recipe->check(run));
  Engine *engine = calloc(1, sizeof *engine);
  if (!engine)
    return vt_fail(run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory to begin."));
  *engine = (Engine){ .recipe = recipe, .n_objects = -1, .n_certain = -1 };
  const VitrailStatus status = run_asked(run, engine);
  vt_candidates_free(run);
  free(engine->why);
  vt_wave_free(engine->wave);
  free(engine);
  return status;
}
