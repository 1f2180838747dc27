/* SPDX-License-Identifier: MIT
 *
 * graph.h: a recipe with the values of one run: which nodes there are, what they make, and who reads it. All of it is known
 * before anything runs. */
#pragma once

#include "engine/expression.h"
#include "engine/recipe.h"

typedef struct {
  const VtNode *node; /* of the recipe */
  const VtStep *step;
  int32_t in[VT_STEP_IN];   /* numbers of nodes; -1: none */
  bool in_also[VT_STEP_IN]; /* it is the second output */
  VtParamOf params[VT_STEP_PARAMS];
  VtChannel channel;
  VtValue out, also;
  int32_t stage; /* -1: none */
  bool is_asked,
    is_needed; /* asked: somebody wants it; needed: it has to be there, since what is asked is not cached */
  int32_t last_reader, last_reader_also; /* node numbers; -1: nobody */
  uint64_t depends;                      /* bits of the op's parameters */
  bool is_cached;                        /* its image is the session's */
  bool was_kept;                         /* by a run before */
  bool is_kept_for_caller;               /* its image stays when nobody reads it any more */
  bool has_objects;                      /* its step numbers objects */
} VtGraphNode;

typedef struct VtGraph {
  VtRun *run;
  const VtRecipe *recipe;
  const char *algorithm; /* of reconstruction; "": there is no choice */
  VtScope scope;
  uint32_t n; /* as many as the recipe has; those without a step are not there in this run */
  VtGraphNode nodes[VT_MAX_NODES];
} VtGraph;

/* Who is there, types and parameters. What does not fit is said in a sentence. The grid is known. */
VitrailStatus vt_graph_resolve(VtGraph *graph, VtRun *run, const VtRecipe *recipe);
/* Which nodes it takes to make some: bits of stages, and one node more (or -1); who reads each last. */
void vt_graph_choose(VtGraph *graph, uint64_t stages, int32_t also);
/* The node that is there of an id, or -1. is_also: it is the second output. */
int32_t vt_graph_find(const VtGraph *graph, const char *id, bool *is_also);
/* Bytes of a pixel that are held at most while the chosen nodes run one after another: images, what steps state, and as much as a
 * kernel may take for itself. */
double vt_graph_bytes(const VtGraph *graph);
/* Why the chosen nodes can't be made in a way, or NULL; "": nothing that anybody asks. */
const char *vt_graph_cannot(VtGraph *graph, VtWay way, const char **record);
/* The arguments of a node. */
VtCall vt_graph_call(VtGraph *graph, VtGraphNode *node);
/* Frees tables of objects, and makes all images unknown. */
void vt_graph_clear(VtGraph *graph);
VitrailStatus vt_graph_number(VtGraph *graph, const char *expression, double *number);
/* The one that holds for the grid: with a pixel size, or without. */
const char *vt_graph_unit_for(const VtGraph *graph, const char *unit, const char *unit_px);
/* Of what a node makes: that of the stage which shows it, or of that from which it has its scale; "": not known. */
const char *vt_graph_unit(const VtGraph *graph, int32_t node);
