/* SPDX-License-Identifier: MIT
 *
 * Objects as outlines and measurements. Outlines are traced many at a time, and handed over one by one. */
#include <stdlib.h>

#include "engine/engine.h"
#include "run/parallel.h"
#include "steps/measure.h"

enum { BATCH = 512, GROUP = 16 /* traced by one thread */ };

typedef struct {
  VtGraph *graph;
  VtExec *x;
  uint32_t stage;
  const VtValue *labels;
  const VtImage *image; /* NULL: none */
  bool measures;        /* more than the sums of the step objects */
  uint32_t n_measurements;
  const char *names[VT_MAX_MEASUREMENTS];
  VtObjectQuantity quantities[VT_MAX_MEASUREMENTS];
  double units[VT_MAX_MEASUREMENTS];
  int64_t first, end; /* object of outlines[0]; the one after the last */
  VtOutline outlines[BATCH];
  VtObjectMeasures measured[BATCH];
} Batch;

static bool
touches_border(const VtGrid *grid, const VtObjectStats *s)
{
  return s->left == 0 || s->top == 0 || s->right == grid->width || s->bottom == grid->height;
}

/* part: the labels of its box. */
static VitrailStatus
measure_one(VtRun *run, const Batch *batch, int64_t index, const VtRect *box, const VtImage *part,
            const VtOutline *outline, VtObjectMeasures *measures)
{
  const VtObjectStats *stats = &batch->labels->stats[index];
  VtImage image = { 0 };
  void *owned = NULL;
  if (batch->image)
    TRY(batch->x->does->cut(batch->x, batch->image, *box, &image, &owned));
  const bool done = vt_measure_object(part, (int32_t)index + 1, outline, &image, measures);
  free(owned);
  measures->touches_border = touches_border(&run->grid, stats);
  return done ? VITRAIL_OK : vt_fail(run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory for the outlines."));
}

/* In level-0 pixels. */
static VitrailStatus
trace_one(VtRun *run, const Batch *batch, int64_t index, VtOutline *outline, VtObjectMeasures *measures)
{
  const VtObjectStats *stats = &batch->labels->stats[index];
  const VtRect box = { stats->left, stats->top, stats->right - stats->left, stats->bottom - stats->top };
  const double d = run->grid.downsample;
  VtImage part;
  void *owned = NULL;
  VitrailStatus status = batch->x->does->cut(batch->x, &batch->labels->image, box, &part, &owned);
  if (status == VITRAIL_OK)
    status = vt_outline_trace(run, &part, (int32_t)index + 1, (VtRect){ 0, 0, box.width, box.height }, outline);
  if (status == VITRAIL_OK && batch->measures)
    status = measure_one(run, batch, index, &box, &part, outline, measures);
  free(owned);
  for (size_t i = 0; i < outline->n_points && status == VITRAIL_OK; i++) {
    outline->points[2 * i] = ((double)(run->grid.x + box.x) + outline->points[2 * i]) * d;
    outline->points[2 * i + 1] = ((double)(run->grid.y + box.y) + outline->points[2 * i + 1]) * d;
  }
  return status;
}

static VitrailStatus
trace_group(VtRun *run, uint32_t index, void *user)
{
  Batch *batch = user;
  for (int64_t k = index * GROUP; k < (index + 1) * GROUP && batch->first + k < batch->end; k++)
    TRY(trace_one(run, batch, batch->first + k, &batch->outlines[k], &batch->measured[k]));
  return VITRAIL_OK;
}

/* In raw units. */
static double
find_quantity(const VtObjectStats *stats, const VtObjectMeasures *m, VtObjectQuantity quantity)
{
  const double area = (double)stats->area_px;
  switch (quantity) {
  case VT_OBJECT_AREA: return area;
  case VT_OBJECT_MEAN_A: return (double)stats->sum_a / area;
  case VT_OBJECT_MEAN_B: return (double)stats->sum_b / area;
  case VT_OBJECT_PERIMETER: return m->perimeter;
  case VT_OBJECT_CIRCULARITY: return m->circularity;
  case VT_OBJECT_MAX_CALIPER: return m->max_caliper;
  case VT_OBJECT_MIN_CALIPER: return m->min_caliper;
  case VT_OBJECT_ECCENTRICITY: return m->eccentricity;
  case VT_OBJECT_SOLIDITY: return m->solidity;
  case VT_OBJECT_TOUCHES_BORDER: return m->touches_border;
  case VT_OBJECT_SUM: return m->sum;
  case VT_OBJECT_STD: return m->std;
  case VT_OBJECT_MIN: return m->min;
  case VT_OBJECT_MAX: return m->max;
  default: return m->max - m->min;
  }
}

static VitrailStatus
emit_one(VtRun *run, const Batch *batch, int64_t index, const VtOutline *outline, const VtObjectMeasures *measured)
{
  const VtObjectStats *stats = &batch->labels->stats[index];
  const double d = run->grid.downsample, area = (double)stats->area_px;
  double values[VT_MAX_MEASUREMENTS];
  for (uint32_t k = 0; k < batch->n_measurements; k++)
    values[k] = find_quantity(stats, measured, batch->quantities[k]) * batch->units[k];
  VitrailObject object = {
    .size = sizeof object,
    .stage = batch->stage,
    .id = index + 1,
    .n_rings = outline->n_rings,
    .ring_sizes = outline->ring_sizes,
    .points = outline->points,
    .n_measurements = batch->n_measurements,
    .measurement_names = batch->names,
    .measurements = values,
    .centroid_x_l0 = ((double)run->grid.x + (double)stats->sum_x / area + 0.5) * d,
    .centroid_y_l0 = ((double)run->grid.y + (double)stats->sum_y / area + 0.5) * d,
  };
  return run->host.emit_object(run->host.user, &object);
}

static VitrailStatus
emit_batches(VtRun *run, Batch *batch)
{
  for (; batch->first < batch->end; batch->first += BATCH) {
    const int64_t left = batch->end - batch->first, count = left < BATCH ? left : BATCH;
    TRY(vt_parallel(run, (uint32_t)((count + GROUP - 1) / GROUP), trace_group, batch));
    for (int64_t k = 0; k < count; k++)
      TRY(vt_cancelled(&run->cancel)
            ? VITRAIL_CANCELLED
            : emit_one(run, batch, batch->first + k, &batch->outlines[k], &batch->measured[k]));
  }
  return VITRAIL_OK;
}

static VitrailStatus
find_measurements(Batch *batch)
{
  const VtRecipe *recipe = batch->graph->recipe;
  for (uint32_t i = 0; i < recipe->n_measurements && batch->n_measurements < VT_MAX_MEASUREMENTS; i++) {
    const VtMeasurement *m = &recipe->measurements[i];
    double holds = 1;
    if (m->when)
      TRY(vt_graph_number(batch->graph, m->when, &holds));
    if (holds == 0)
      continue;
    TRY(vt_graph_number(batch->graph, m->unit, &batch->units[batch->n_measurements]));
    if (m->quantity >= VT_OBJECT_SUM && !batch->image)
      return vt_fail(batch->graph->run, VITRAIL_BAD_ARGUMENT,
                     "\"%.100s\" is of an image, and the step outlines is given none.", m->name);
    batch->measures |= m->quantity >= VT_OBJECT_PERIMETER;
    batch->names[batch->n_measurements] = m->name;
    batch->quantities[batch->n_measurements++] = m->quantity;
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_emit_objects(VtGraph *graph, VtExec *x, uint32_t stage, const VtValue *labels, const VtValue *image)
{
  VtRun *run = graph->run;
  Batch *batch = calloc(1, sizeof *batch);
  if (!batch)
    return vt_fail(run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory for the outlines."));
  batch->graph = graph;
  batch->x = x;
  batch->stage = stage;
  batch->labels = labels;
  batch->image = image ? &image->image : NULL;
  VitrailStatus status = find_measurements(batch);
  if (status == VITRAIL_OK)
    status =
      x->does->own_objects(x, &labels->image, batch->image, labels->stats, labels->n, &batch->first, &batch->end);
  if (status == VITRAIL_OK)
    status = vt_ranks_agree(run, emit_batches(run, batch));
  for (int k = 0; k < BATCH; k++)
    vt_outline_clear(&batch->outlines[k]);
  free(batch);
  return status;
}
