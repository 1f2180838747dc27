/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "run/cache.h"
#include "run/raster.h"

_Static_assert((int)VT_CACHE_SLOTS >= 1 + 2 * (int)VT_MAX_NODES, "there is a slot for each output");

#define ALSO "also" /* at the end of the key of a second output */

static uint32_t
slot_of(uint32_t node, bool is_also)
{
  return 1 + 2 * node + (is_also ? 1 : 0);
}

struct VtGraphCache {
  VtGraph *graph;
  VtCacheRegion *region;
};

typedef struct {
  char *bytes;
  size_t size, room;
} Key;

static bool
add(Key *key, const void *bytes, size_t n)
{
  if (n == 0)
    return true;
  if (!vt_make_room(&key->bytes, &key->room, key->size + n, 1))
    return false;
  memcpy(key->bytes + key->size, bytes, n);
  key->size += n;
  return true;
}

static bool
add_text(Key *key, const char *text)
{
  return add(key, text, strlen(text) + 1);
}

/* is_early: without the setting of which only its end depends. */
static bool
add_node(const VtGraph *graph, int32_t i, bool is_early, Key *key)
{
  const VtGraphNode *g = &graph->nodes[i];
  const char *input = vt_step_n_in(g->step) == 0 ? g->node->in[0] : "";
  bool fine = add_text(key, g->step->id) && add_text(key, input) && add(key, g->in_also, sizeof g->in_also)
              && add_text(key, g->step->by_algorithm ? graph->algorithm : "");
  for (int k = 0; k < VT_STEP_PARAMS && fine; k++)
    fine = (is_early && k + 1 == g->step->late)
           || (add(key, &g->params[k].number, sizeof g->params[k].number)
               && add_text(key, g->params[k].word ? g->params[k].word : ""));
  const VitrailRequest *request = graph->run->request;
  if (g->step->record) /* what is taught has a say there */
    fine = fine && add(key, &request->n_example_numbers, sizeof request->n_example_numbers)
           && add(key, request->examples, request->n_example_numbers * sizeof *request->examples);
  return fine
         && (g->channel.scale == 0
             || (add(key, g->channel.table, sizeof g->channel.table)
                 && add(key, g->channel.mix, sizeof g->channel.mix)));
}

/* The nodes on the way to one, each when it is met first, and later its place. */
typedef struct {
  int32_t early;                  /* the node of which only the beginning is meant; -1: none */
  int8_t places[VT_MAX_NODES], n; /* 0: not met */
} Way;

static bool
add_way(const VtGraph *graph, int32_t i, Way *way, Key *key)
{
  const int8_t place = i >= 0 ? way->places[i] : -1;
  if (!add(key, &place, sizeof place))
    return false;
  if (place != 0)
    return true;
  way->places[i] = ++way->n;
  bool fine = add_node(graph, i, i == way->early, key);
  for (int k = 0; k < VT_STEP_IN && fine; k++)
    fine = add_way(graph, graph->nodes[i].in[k], way, key);
  return fine;
}

/* The key: the node and all its ancestors with their parameters, without the pixels. It has no numbers of nodes, so that a recipe which was changed
 * further down has the same one. */
static bool
make_key(const VtGraph *graph, uint32_t node, Key *key)
{
  Way way = { .early = -1 };
  key->size = 0;
  return add_way(graph, (int32_t)node, &way, key);
}

bool
vt_graph_same_inputs(const VtGraph *a, const VtGraph *b, uint32_t node)
{
  const VtGraphNode *g = &a->nodes[node], *h = &b->nodes[node];
  Key of_a = { 0 }, of_b = { 0 };
  bool same = g->step && g->step == h->step && memcmp(g->in, h->in, sizeof g->in) == 0
              && memcmp(g->in_also, h->in_also, sizeof g->in_also) == 0;
  for (int k = 0; k < VT_STEP_IN && same; k++) {
    if (g->in[k] < 0)
      continue;
    same = make_key(a, (uint32_t)g->in[k], &of_a) && make_key(b, (uint32_t)g->in[k], &of_b) && of_a.size == of_b.size
           && memcmp(of_a.bytes, of_b.bytes, of_a.size) == 0;
  }
  free(of_a.bytes);
  free(of_b.bytes);
  return same;
}

/* A node is cached if it is a stage, or if a node that reads it depends on a parameter on which it does not depend. */
static bool
is_worth_it(const VtGraph *graph, uint32_t node)
{
  const VtGraphNode *g = &graph->nodes[node];
  const bool is_renamed = g->out.is_labels && g->step && g->step->over > 0; /* it has more than pixels */
  if (!g->step || g->step->is_sink || vt_step_n_in(g->step) == 0 || is_renamed)
    return false;
  bool is_frontier = g->stage >= 0;
  for (uint32_t i = node + 1; i < graph->n; i++)
    for (int k = 0; k < VT_STEP_IN && graph->nodes[i].step; k++)
      is_frontier |= graph->nodes[i].in[k] == (int32_t)node && (graph->nodes[i].depends & ~g->depends) != 0;
  return is_frontier;
}

VtGraphCache *
vt_graph_cache_open(VtGraph *graph, VtExec *x, uint32_t reader)
{
  VtRun *run = graph->run;
  VitrailSession *session = run->session;
  VtImage *image = &graph->nodes[reader].out.image;
  Key key = { 0 };
  if (!session->cache)
    session->cache = calloc(1, sizeof *session->cache);
  VtGraphCache *cache = session->cache ? calloc(1, sizeof *cache) : NULL;
  if (!cache)
    return NULL;
  session->cache->backend = run->cpu;
  session->cache->device = run->cpu_team;
  *cache = (VtGraphCache){ graph, vt_cache_find(session->cache, graph->recipe->op, image) };
  VtCacheSlot *slots = cache->region->slots;
  if (slots[0].image.data) {
    x->does->free(x, image);
    *image = slots[0].image;
  } else if (vt_cache_put(session->cache, cache->region, 0, image, NULL, 0)) {
    vt_raster_hand_over(run, image);
  } else {
    free(cache);
    return NULL;
  }
  graph->nodes[reader].is_cached = true;
  for (uint32_t i = 0; i < graph->n; i++) {
    const bool has_also = graph->nodes[i].step && graph->nodes[i].step->has_also;
    if (!is_worth_it(graph, i) || !make_key(graph, i, &key)
        || !vt_cache_check(session->cache, cache->region, slot_of(i, false), key.bytes, key.size)
        || (has_also
            && !(add_text(&key, ALSO)
                 && vt_cache_check(session->cache, cache->region, slot_of(i, true), key.bytes, key.size))))
      continue;
    graph->nodes[i].out.image = slots[slot_of(i, false)].image;
    if (has_also)
      graph->nodes[i].also.image = slots[slot_of(i, true)].image;
    graph->nodes[i].is_cached = graph->nodes[i].was_kept = true;
  }
  free(key.bytes);
  return cache;
}

static bool
keep(VtGraphCache *cache, uint32_t slot, const VtImage *image, const Key *key)
{
  VtRun *run = cache->graph->run;
  if (!vt_cache_put(run->session->cache, cache->region, slot, image, key->bytes, key->size))
    return false;
  vt_raster_hand_over(run, image);
  return true;
}

/* The second output goes in first: a later run takes it only together with the first one. */
void
vt_graph_cache_keep(VtGraphCache *cache, uint32_t node)
{
  VtGraph *graph = cache->graph;
  VtGraphNode *g = &graph->nodes[node];
  Key key = { 0 };
  if (!g->is_cached && is_worth_it(graph, node) && make_key(graph, node, &key)) {
    const size_t size = key.size;
    bool fine = !g->step->has_also || (add_text(&key, ALSO) && keep(cache, slot_of(node, true), &g->also.image, &key));
    key.size = size;
    g->is_cached = fine && keep(cache, slot_of(node, false), &g->out.image, &key);
  }
  free(key.bytes);
}

void
vt_graph_cache_begin(VtGraphCache *cache, uint32_t node)
{
  VtGraph *graph = cache->graph;
  Way way = { .early = (int32_t)node };
  Key key = { 0 };
  if (graph->nodes[node].step->late > 0 && add_way(graph, (int32_t)node, &way, &key))
    graph->run->scored = vt_cache_scored(graph->run->session->cache, cache->region, key.bytes, key.size);
  free(key.bytes);
}

void
vt_graph_cache_end(VtGraphCache *cache)
{
  VtRun *run = cache->graph->run;
  if (run->scored)
    vt_cache_scored_done(run->session->cache, cache->region);
  run->scored = NULL;
}

void
vt_graph_cache_record(const VtGraph *graph)
{
  char text[256] = "";
  size_t used = 0;
  for (uint32_t i = 0; i < graph->n; i++) {
    const VtGraphNode *g = &graph->nodes[i];
    const int over = g->step ? g->step->over - 1 : -1;
    const bool was_kept = g->was_kept || (over >= 0 && g->in[over] >= 0 && graph->nodes[g->in[over]].was_kept);
    if (g->step && g->stage >= 0 && was_kept && used < sizeof text)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? "," : "",
                               graph->recipe->op->stages[g->stage]->id);
  }
  if (used > 0)
    vt_record_text(graph->run, "kept-stages", text);
}
