/* SPDX-License-Identifier: MIT
 *
 * recipe.h: an op as data: a graph of steps (docs/engine.md). */
#pragma once

#include "steps/step.h"

enum { VT_NODE_FACTS = 4, VT_MAX_NODES = 64, VT_MAX_MEASUREMENTS = 64 };

/* Texts of `when` and of values are expressions (expression.h). */
typedef struct {
  const char *key, *value;
} VtSetting;

/* Several nodes may have one id. The first of them whose `when` is true is there. */
typedef struct {
  const char *id, *step;
  const char *when;                 /* NULL: always */
  const char *in[VT_STEP_IN];       /* ids of earlier nodes; for the step `read` the id of an input of the op */
  const char *also;                 /* the id of the second output */
  VtSetting params[VT_STEP_PARAMS]; /* of the step, by name */
  const char *stage;                /* the id of the op's stage that shows it */
  VtSetting facts[VT_NODE_FACTS];   /* for the record */
} VtNode;

enum { VT_N_PARTS = VITRAIL_PART_CYTOPLASM + 1, VT_N_QUANTITIES = VITRAIL_QUANTITY_NEIGHBOURS + 1 };

/* Of the objects that are outlined. */
typedef struct {
  const char *name, *when;
  VitrailQuantity quantity;
  const char *unit; /* what one raw unit is */
  VitrailPart part;
  const char *within; /* of neighbours: in analysis pixels */
} VtMeasurement;

typedef struct VtRecipe {
  const VitrailOp *op;
  const VtNode *nodes;
  uint32_t n_nodes;
  const char *title; /* the subject of the sentence that the CPU took over; NULL: the op's id */
  const char *certain
    [4]; /* the first of these that is there is the node whose certainty is the stage `certain`; none: no stage */
  const VtMeasurement *measurements;
  uint32_t n_measurements;
  bool is_users;       /* it is from a host: its nodes are checked in each run (user-recipe.h) */
  bool shares_devices; /* it has few steps: each goes to the device alone, or is shared by several devices */
  VitrailStatus (*check)(VtRun *run); /* refuses parameters and inputs that do not go together; NULL: none */
  /* The most bytes that its images and kernels take for a pixel, as expressions; NULL: counted from the graph. */
  const char *bytes_per_px, *certain_bytes_per_px;
} VtRecipe;

/* Runs the recipe of the run's op. */
VitrailStatus vt_recipe_run(VtRun *run, const VtRecipe *recipe);
