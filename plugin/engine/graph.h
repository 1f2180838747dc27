/* SPDX-License-Identifier: MIT
 *
 * graph.h: a recipe with the parameters of one run: which nodes there are, what each makes, and which nodes read it. All of this is
 * known before anything runs. */
#pragma once

#include "engine/expression.h"
#include "engine/recipe.h"

typedef struct {
  const VtNode *node; /* of the recipe */
  const VtStep *step;
  int32_t in[VT_STEP_IN];   /* numbers of nodes; -1: none */
  bool in_also[VT_STEP_IN]; /* the input is the second output of that node */
  VtParamOf params[VT_STEP_PARAMS];
  VtChannel channel;
  VtValue out, also;
  int32_t stage; /* -1: none */
  bool is_asked,
    is_needed; /* asked: its output is wanted. needed: it has to be made, because something that is asked is not cached */
  int32_t last_reader, last_reader_also; /* numbers of nodes; -1: no node reads it */
  uint64_t depends;                      /* bits of the op's parameters */
  bool is_cached;                        /* its image belongs to the session */
  bool was_kept;                         /* an earlier run has made it */
  bool is_kept_for_caller;               /* its image stays after its last reader */
  bool has_objects;                      /* its step numbers objects */
} VtGraphNode;

typedef struct VtGraph {
  VtRun *run;
  const VtRecipe *recipe;
  const char *algorithm; /* of reconstruction; "": there is no choice */
  VtScope scope;
  uint32_t n; /* all nodes of the recipe; a node without a step is not there in this run */
  VtGraphNode nodes[VT_MAX_NODES];
} VtGraph;

/* Finds out which nodes there are, their types and parameters. run->grid is known. What does not fit fails with a sentence. */
VitrailStatus vt_graph_resolve(VtGraph *graph, VtRun *run, const VtRecipe *recipe);
/* Chooses the nodes that are needed for some stages (a bit each) and for one more node (-1: none), and the last reader of each. */
void vt_graph_choose(VtGraph *graph, uint64_t stages, int32_t also);
/* The number of the node with this id that is there in this run, or -1. *is_also: the id is that of its second output. */
int32_t vt_graph_find(const VtGraph *graph, const char *id, bool *is_also);
/* The most bytes that are held for each pixel while the chosen nodes run one after another: images, what the steps declare, and memory
 * of a kernel's own. */
double vt_graph_bytes(const VtGraph *graph);
/* Why the chosen nodes cannot run in this way, as a sentence; "" if there is nothing to tell the user. NULL: they can. */
const char *vt_graph_cannot(VtGraph *graph, VtWay way, const char **record);
/* The arguments of a node. */
VtCall vt_graph_call(VtGraph *graph, VtGraphNode *node);
/* Frees the tables of objects and forgets all images. */
void vt_graph_clear(VtGraph *graph);
VitrailStatus vt_graph_number(VtGraph *graph, const char *expression, double *number);
/* `unit` if the grid has a pixel size, else `unit_px`. */
const char *vt_graph_unit_for(const VtGraph *graph, const char *unit, const char *unit_px);
/* The unit of what a node makes: that of its stage, or of the node from which it has its scale. "": not known. */
const char *vt_graph_unit(const VtGraph *graph, int32_t node);
