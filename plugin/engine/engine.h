/* SPDX-License-Identifier: MIT
 *
 * engine.h: what the files of the engine share. */
#pragma once

#include "engine/graph.h"
#include "engine/replay.h"

/* Of an object that was handed in (VITRAIL_RUN_MEASURE): its label, and of which images there are values: those of the step `objects`,
 * and that of `outlines`. */
typedef struct {
  int64_t object;
  bool knows_a, knows_b, knows_own;
} VtMeasured;
enum { VT_OUTLINES_EXPANSION, VT_OUTLINES_CELLS /* settings of the step `outlines` */ };
/* Outlines and measurements of the objects that the call's labels show: the step `outlines`. only: NULL, or that object alone. */
VitrailStatus vt_emit_objects(VtGraph *graph, VtExec *x, uint32_t stage, const VtCall *call, const VtMeasured *only);
/* The same of all of them, and how they overlap those of a truth that the request brings (VITRAIL_INPUT_TRUTH). */
VitrailStatus vt_emit_compared_objects(VtGraph *graph, VtExec *x, uint32_t stage, const VtCall *call);
/* Runs one node whose inputs are made. */
VitrailStatus vt_graph_run_node(VtGraph *graph, VtExec *x, uint32_t node);
/* Instead of the recipe: the object that the request hands in, measured. */
VitrailStatus vt_measured_run(VtRun *run, const VtRecipe *recipe, VtGraph *graph);

/* The session caches what nodes make (VITRAIL_RUN_KEEP_STAGES; on the host). A key holds all that the image is made from. */
typedef struct VtGraphCache VtGraphCache;
/* Opens the cache for a run. *image becomes the cached pixels of the input, if there are any; nodes that are cached get their images.
 * NULL: nothing is cached. free() it. */
VtGraphCache *vt_graph_cache_open(VtGraph *graph, VtExec *x, uint32_t reader);
/* Around the run of a node: VtRun.scored is what the cache has of its beginning. */
void vt_graph_cache_begin(VtGraphCache *cache, uint32_t node);
void vt_graph_cache_end(VtGraphCache *cache);
/* A node is finished. If there is room, its image stays in the cache, and must not be written any more. */
void vt_graph_cache_keep(VtGraphCache *cache, uint32_t node);
/* Writes to the record which stages came from the cache. */
void vt_graph_cache_record(const VtGraph *graph);

/* What the tests of a run say about one pixel (VITRAIL_RUN_WHY). It is collected while the nodes run. */
enum { VT_MAX_VERDICTS = 4 * VT_MAX_NODES };
typedef struct {
  int64_t x, y; /* in images of the run's grid */
  uint32_t n;
  VitrailVerdict list[VT_MAX_VERDICTS];
} VtWhy;
/* *why stays as it is if the request does not ask. A question that has no answer fails with a sentence. free() it. */
VitrailStatus vt_why_new(VtRun *run, VtWhy **why);
/* Call it before the nodes run: it forgets what was collected on another grid. */
void vt_why_begin(VtWhy *why, const VtRun *run);
/* Call it before a node runs on the host, when its inputs are there, and after it (is_run), when its outputs are there too. */
VitrailStatus vt_why_node(VtWhy *why, VtGraph *graph, VtExec *x, uint32_t node, bool is_run);
VitrailStatus vt_why_emit(const VtWhy *why, VtRun *run);

/* When the pixels of one step got their values (VITRAIL_RUN_WAVE). */
typedef struct {
  int32_t node; /* the step that is played */
  uint64_t stages;
  VtReplay replay;
  VtImage made;     /* owned */
  VitrailWave told; /* without what is in the three above */
} VtWave;
enum { VT_WAVE_BYTES = 64 }; /* at most, for each pixel of a replay */
/* *wave stays as it is if the request does not ask. A question that has no answer fails with a sentence. vt_wave_free() it. */
VitrailStatus vt_wave_new(VtRun *run, VtWave **wave);
void vt_wave_free(VtWave *wave);
/* Call it before the nodes run: it finds the node to replay, or fails with a sentence that there is none. */
VitrailStatus vt_wave_begin(VtWave *wave, VtGraph *graph);
/* As vt_why_node(). */
VitrailStatus vt_wave_node(VtWave *wave, VtGraph *graph, VtExec *x, uint32_t node, bool is_run);
VitrailStatus vt_wave_emit(const VtWave *wave, VtRun *run);
/* The candidates among which the step `regions` chooses (VITRAIL_RUN_CANDIDATES). */
typedef struct VtFoundList VtFoundList;
/* run->found stays as it is if the request does not ask. A question that has no answer fails with a sentence. vt_candidates_free() it. */
VitrailStatus vt_candidates_new(VtRun *run, const VtRecipe *recipe);
void vt_candidates_free(VtRun *run);
/* The node that finds them, in a graph that is resolved. */
int32_t vt_candidates_node(const VtGraph *graph);
VitrailStatus vt_candidates_emit(VtRun *run);
/* True if the node's inputs are made in the same way in both graphs, from whatever pixels. */
bool vt_graph_same_inputs(const VtGraph *a, const VtGraph *b, uint32_t node);
