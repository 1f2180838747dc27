/* SPDX-License-Identifier: MIT
 *
 * engine.h: what the files of the engine share. */
#pragma once

#include "engine/graph.h"

/* Outlines and measurements of the objects that a node's labels show. */
VitrailStatus vt_emit_objects(VtGraph *graph, VtExec *x, uint32_t stage, const VtValue *labels);

/* The session keeps what nodes make (VITRAIL_RUN_KEEP_STAGES; on the host), under keys that say all that they are made from. */
typedef struct VtGraphCache VtGraphCache;
/* The run goes on with the pixels of *image: kept ones, if there are such; nodes that were made before have their images.
 * NULL: nothing is kept. free() it. */
VtGraphCache *vt_graph_cache_open(VtGraph *graph, VtExec *x, uint32_t reader);
/* A node is finished, and its image stays for runs to come, if there is room: it must not be written from now on. */
void vt_graph_cache_keep(VtGraphCache *cache, uint32_t node);
/* For the record: the stages that were made before. */
void vt_graph_cache_record(const VtGraph *graph);
