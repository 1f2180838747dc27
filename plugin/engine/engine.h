/* SPDX-License-Identifier: MIT
 *
 * engine.h: what the files of the engine share. */
#pragma once

#include "engine/graph.h"
#include "engine/replay.h"

/* Outlines and measurements of the objects that the call's labels show: the step `outlines`. */
VitrailStatus vt_emit_objects(VtGraph *graph, VtExec *x, uint32_t stage, const VtCall *call);

/* The session keeps what nodes make (VITRAIL_RUN_KEEP_STAGES; on the host), under keys that say all that they are made from. */
typedef struct VtGraphCache VtGraphCache;
/* The run goes on with the pixels of *image: kept ones, if there are such; nodes that were made before have their images.
 * NULL: nothing is kept. free() it. */
VtGraphCache *vt_graph_cache_open(VtGraph *graph, VtExec *x, uint32_t reader);
/* A node is finished, and its image stays for runs to come, if there is room: it must not be written from now on. */
void vt_graph_cache_keep(VtGraphCache *cache, uint32_t node);
/* For the record: the stages that were made before. */
void vt_graph_cache_record(const VtGraph *graph);

/* What the tests of a run say of one pixel (VITRAIL_RUN_WHY), collected while the nodes run. */
enum { VT_MAX_VERDICTS = 4 * VT_MAX_NODES };
typedef struct {
  int64_t x, y; /* in images of the run's grid */
  uint32_t n;
  VitrailVerdict list[VT_MAX_VERDICTS];
} VtWhy;
/* NULL: nobody asks. Refuses with a sentence what can't be told. free() it. */
VitrailStatus vt_why_new(VtRun *run, VtWhy **why);
/* Before a run of nodes: what was collected is of another grid. */
void vt_why_begin(VtWhy *why, const VtRun *run);
/* Before a node is run on the host: its inputs are there; and after it (is_run): so is what it has made. */
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
enum { VT_WAVE_BYTES = 64 }; /* of a pixel, at most, while it is played */
/* NULL: nobody asks. Refuses with a sentence what can't be told. vt_wave_free() it. */
VitrailStatus vt_wave_new(VtRun *run, VtWave **wave);
void vt_wave_free(VtWave *wave);
/* Before a run of nodes: which one it is, or a sentence that there is none. */
VitrailStatus vt_wave_begin(VtWave *wave, VtGraph *graph);
/* As vt_why_node(). */
VitrailStatus vt_wave_node(VtWave *wave, VtGraph *graph, VtExec *x, uint32_t node, bool is_run);
VitrailStatus vt_wave_emit(const VtWave *wave, VtRun *run);
/* True if what the node's inputs are made from is the same in both, but the pixels. */
bool vt_graph_same_inputs(const VtGraph *a, const VtGraph *b, uint32_t node);
