/* SPDX-License-Identifier: MIT
 *
 * Objects as outlines and measurements. Outlines are traced many at a time, and handed over one by one. */
#include <stdlib.h>

#include "engine/engine.h"
#include "engine/neighbours.h"
#include "run/parallel.h"
#include "run/raster.h"
#include "steps/cell.h"
#include "steps/measure.h"

enum { BATCH = 512, GROUP = 16 /* traced by one thread */ };

/* One column of the table. */
typedef struct {
  const VtMeasurement *of;
  double unit, within;
  bool is_unknown; /* no number, whatever the object is */
} Column;

typedef struct {
  VtGraph *graph;
  VtExec *x;
  uint32_t stage;
  const VtValue *labels;
  const VtImage *image;     /* NULL: none */
  const VtMeasured *only;   /* NULL: all objects */
  bool outlines_cells;      /* the cells are handed over, not the objects */
  bool parts[VT_N_PARTS];   /* the parts that are measured here */
  int64_t limit, reach;     /* of cells: the largest squared distance; the largest distance in pixels */
  VtNeighbours *neighbours; /* NULL: nobody asks */
  uint32_t n_columns;
  Column columns[VT_MAX_MEASUREMENTS];
  const char *names[VT_MAX_MEASUREMENTS];
  int64_t first, end; /* the object of outlines[0], and the one after the last */
  VtOutline outlines[BATCH];
  double values[BATCH][VT_MAX_MEASUREMENTS];
} Batch;

/* The numbers from which the columns of one object are made. */
typedef struct {
  VtObjectMeasures parts[VT_N_PARTS];
} Measured;

static VitrailStatus
no_memory(VtRun *run)
{
  return vt_fail(run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory for the outlines."));
}

static VtRect
grow(const VtRun *run, VtRect box, int64_t by)
{
  return vt_rect_grown(box, by, (VtRect){ 0, 0, run->grid.width, run->grid.height });
}

static bool
touches_border(const VtRun *run, const VtRect *place, const VtImage *part, int32_t label)
{
  if (place->x > 0 && place->y > 0 && place->x + place->width < run->grid.width
      && place->y + place->height < run->grid.height)
    return false;
  for (int64_t y = 0; y < part->height; y++) {
    const bool all = place->y + y == 0 || place->y + y == run->grid.height - 1;
    for (int64_t x = 0; x < part->width; x++)
      if ((all || place->x + x == 0 || place->x + x == run->grid.width - 1)
          && *(const int32_t *)vt_image_at(part, x, y) == label)
        return true;
  }
  return false;
}

/* A part of an object as labels of a place on the grid. */
typedef struct {
  VtRect place;
  VtImage labels;
  int32_t label;
} Shape;

static VitrailStatus
outline_shape(VtRun *run, const Shape *shape, VtOutline *outline)
{
  return vt_outline_trace(run, &shape->labels, shape->label, (VtRect){ 0, 0, shape->place.width, shape->place.height },
                          outline);
}

static VitrailStatus
measure_shape(VtRun *run, const Batch *batch, const Shape *shape, const VtOutline *outline, VtObjectMeasures *m)
{
  VtImage image = { 0 };
  void *owned = NULL;
  if (batch->image)
    TRY(batch->x->does->cut(batch->x, batch->image, shape->place, &image, &owned));
  bool done = true;
  if (outline)
    done = vt_measure_object(&shape->labels, shape->label, outline, &image, m);
  else
    vt_measure_values(&shape->labels, shape->label, &image, m);
  free(owned);
  m->touches_border = touches_border(run, &shape->place, &shape->labels, shape->label);
  return done ? VITRAIL_OK : no_memory(run);
}

/* The cell loses its object. */
static void
leave_cytoplasm(const Shape *cell, const Shape *object)
{
  const int64_t dx = object->place.x - cell->place.x, dy = object->place.y - cell->place.y;
  for (int64_t y = 0; y < object->place.height; y++)
    for (int64_t x = 0; x < object->place.width; x++)
      if (*(const int32_t *)vt_image_at(&object->labels, x, y) == object->label)
        *(int32_t *)vt_image_at(&cell->labels, dx + x, dy + y) = 0;
}

/* labels: of `wide`, which has the cell's place in its middle. */
static VitrailStatus
measure_cell(VtRun *run, const Batch *batch, const Shape *object, VtRect wide, const VtImage *labels,
             VtOutline *outline, Measured *m)
{
  Shape cell = { .place = grow(run, object->place, batch->reach), .label = object->label };
  const VtRect inner = { cell.place.x - wide.x, cell.place.y - wide.y, cell.place.width, cell.place.height };
  VtOutline own = { 0 };
  vt_image_new(&cell.labels, VITRAIL_I32, cell.place.width, cell.place.height);
  VitrailStatus status = VITRAIL_OK;
  if (!cell.labels.data || !vt_cell_find(labels, cell.label, inner, batch->limit, &cell.labels))
    status = no_memory(run);
  VtOutline *traced = batch->outlines_cells ? outline : &own;
  THEN(status, outline_shape(run, &cell, traced));
  THEN(status, measure_shape(run, batch, &cell, traced, &m->parts[VITRAIL_PART_CELL]));
  if (status == VITRAIL_OK && batch->parts[VITRAIL_PART_CYTOPLASM]) {
    leave_cytoplasm(&cell, object);
    status = measure_shape(run, batch, &cell, NULL, &m->parts[VITRAIL_PART_CYTOPLASM]);
  }
  for (size_t i = 0; batch->outlines_cells && i < outline->n_points;
       i++) { /* in the object's place, as its outline is */
    outline->points[2 * i] += (double)(cell.place.x - object->place.x);
    outline->points[2 * i + 1] += (double)(cell.place.y - object->place.y);
  }
  vt_outline_clear(&own);
  free(cell.labels.data);
  return status;
}

static VitrailStatus
measure_parts(VtRun *run, const Batch *batch, int64_t index, VtRect box, VtOutline *outline, Measured *m)
{
  const bool has_cell =
    batch->parts[VITRAIL_PART_CELL] || batch->parts[VITRAIL_PART_CYTOPLASM] || batch->outlines_cells;
  const VtRect wide = grow(run, box, has_cell ? 2 * batch->reach : 0);
  VtImage labels;
  void *owned = NULL;
  TRY(batch->x->does->cut(batch->x, &batch->labels->image, wide, &labels, &owned));
  const Shape object = { box, vt_image_window(&labels, box.x - wide.x, box.y - wide.y, box.width, box.height),
                         (int32_t)index + 1 };
  VitrailStatus status = outline_shape(run, &object, outline);
  if (status == VITRAIL_OK && batch->parts[VITRAIL_PART_OBJECT])
    status = measure_shape(run, batch, &object, outline, &m->parts[VITRAIL_PART_OBJECT]);
  if (status == VITRAIL_OK && has_cell)
    status = measure_cell(run, batch, &object, wide, &labels, outline, m);
  free(owned);
  return status;
}

/* In raw units. */
static double
find_quantity(const Batch *batch, int64_t index, const Measured *measured, const Column *column)
{
  const VtObjectStats *stats = &batch->labels->stats[index];
  const VtObjectMeasures *m = &measured->parts[column->of->part];
  const double area = (double)stats->area_px;
  switch (column->of->quantity) {
  case VITRAIL_QUANTITY_AREA: return column->of->part == VITRAIL_PART_OBJECT ? area : m->area;
  case VITRAIL_QUANTITY_MEAN_A: return (double)stats->sum_a / area;
  case VITRAIL_QUANTITY_MEAN_B: return (double)stats->sum_b / area;
  case VITRAIL_QUANTITY_PERIMETER: return m->perimeter;
  case VITRAIL_QUANTITY_CIRCULARITY: return m->circularity;
  case VITRAIL_QUANTITY_MAX_CALIPER: return m->max_caliper;
  case VITRAIL_QUANTITY_MIN_CALIPER: return m->min_caliper;
  case VITRAIL_QUANTITY_ECCENTRICITY: return m->eccentricity;
  case VITRAIL_QUANTITY_SOLIDITY: return m->solidity;
  case VITRAIL_QUANTITY_TOUCHES_BORDER: return m->touches_border;
  case VITRAIL_QUANTITY_SUM: return m->sum;
  case VITRAIL_QUANTITY_STD: return m->std;
  case VITRAIL_QUANTITY_MIN: return m->min;
  case VITRAIL_QUANTITY_MAX: return m->max;
  case VITRAIL_QUANTITY_RANGE: return m->max - m->min;
  case VITRAIL_QUANTITY_MEAN: return m->mean;
  case VITRAIL_QUANTITY_AREA_RATIO: return area / measured->parts[VITRAIL_PART_CELL].area;
  case VITRAIL_QUANTITY_NEAREST: return vt_neighbours_nearest(batch->neighbours, index);
  default: return (double)vt_neighbours_within(batch->neighbours, index, column->within);
  }
}

/* In level-0 pixels. */
static VitrailStatus
trace_one(VtRun *run, Batch *batch, int64_t index)
{
  const VtObjectStats *stats = &batch->labels->stats[index];
  const VtRect box = { stats->left, stats->top, stats->right - stats->left, stats->bottom - stats->top };
  const double d = run->grid.downsample;
  VtOutline *outline = &batch->outlines[index - batch->first];
  Measured measured = { 0 };
  TRY(measure_parts(run, batch, index, box, outline, &measured));
  for (size_t i = 0; i < outline->n_points; i++) {
    outline->points[2 * i] = ((double)(run->grid.x + box.x) + outline->points[2 * i]) * d;
    outline->points[2 * i + 1] = ((double)(run->grid.y + box.y) + outline->points[2 * i + 1]) * d;
  }
  for (uint32_t k = 0; k < batch->n_columns; k++)
    batch->values[index - batch->first][k] =
      batch->columns[k].is_unknown
        ? NAN
        : find_quantity(batch, index, &measured, &batch->columns[k]) * batch->columns[k].unit;
  return VITRAIL_OK;
}

static VitrailStatus
trace_group(VtRun *run, uint32_t index, void *user)
{
  Batch *batch = user;
  for (int64_t k = index * GROUP; k < (index + 1) * GROUP && batch->first + k < batch->end; k++)
    TRY(trace_one(run, batch, batch->first + k));
  return VITRAIL_OK;
}

static VitrailStatus
emit_one(VtRun *run, const Batch *batch, int64_t index)
{
  const VtObjectStats *stats = &batch->labels->stats[index];
  const VtOutline *outline = &batch->outlines[index - batch->first];
  const double d = run->grid.downsample, area = (double)stats->area_px;
  VitrailObject object = {
    .size = sizeof object,
    .stage = batch->stage,
    .id = index + 1,
    .n_rings = outline->n_rings,
    .ring_sizes = outline->ring_sizes,
    .points = outline->points,
    .n_measurements = batch->n_columns,
    .measurement_names = batch->names,
    .measurements = batch->values[index - batch->first],
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
      TRY(vt_cancelled(&run->cancel) ? VITRAIL_CANCELLED : emit_one(run, batch, batch->first + k));
  }
  return VITRAIL_OK;
}

static bool
is_known(const VtMeasured *only, VitrailQuantity quantity)
{
  switch (quantity) {
  case VITRAIL_QUANTITY_MEAN_A: return only->knows_a;
  case VITRAIL_QUANTITY_MEAN_B: return only->knows_b;
  case VITRAIL_QUANTITY_NEAREST:
  case VITRAIL_QUANTITY_NEIGHBOURS: return false;
  default: return only->knows_own || quantity < VITRAIL_QUANTITY_SUM || quantity > VITRAIL_QUANTITY_MEAN;
  }
}

static VitrailStatus
add_column(Batch *batch, const VtMeasurement *m)
{
  Column *column = &batch->columns[batch->n_columns];
  const VitrailQuantity quantity = m->quantity;
  const bool of_image = quantity >= VITRAIL_QUANTITY_SUM && quantity <= VITRAIL_QUANTITY_MEAN,
             of_neighbours = quantity == VITRAIL_QUANTITY_NEAREST || quantity == VITRAIL_QUANTITY_NEIGHBOURS;
  double holds = 1;
  if (m->when)
    TRY(vt_graph_number(batch->graph, m->when, &holds));
  if (holds == 0)
    return VITRAIL_OK;
  *column = (Column){ .of = m };
  TRY(vt_graph_number(batch->graph, m->unit, &column->unit));
  if (m->within)
    TRY(vt_graph_number(batch->graph, m->within, &column->within));
  if (of_image && !batch->image)
    return vt_fail(batch->graph->run, VITRAIL_BAD_ARGUMENT,
                   "\"%.100s\" is of an image, and the step outlines is given none.", m->name);
  batch->parts[m->part] |= m->part != VITRAIL_PART_OBJECT || (quantity >= VITRAIL_QUANTITY_PERIMETER && !of_neighbours);
  batch->parts[VITRAIL_PART_CELL] |= quantity == VITRAIL_QUANTITY_AREA_RATIO;
  batch->names[batch->n_columns++] = m->name;
  column->is_unknown = batch->only && !is_known(batch->only, quantity);
  if (column->is_unknown)
    return VITRAIL_OK;
  if (of_neighbours && !batch->neighbours)
    batch->neighbours = vt_neighbours_new(batch->labels->stats, batch->labels->n);
  return of_neighbours && !batch->neighbours ? no_memory(batch->graph->run) : VITRAIL_OK;
}

static VitrailStatus
find_columns(Batch *batch)
{
  const VtRecipe *recipe = batch->graph->recipe;
  for (uint32_t i = 0; i < recipe->n_measurements && batch->n_columns < VT_MAX_MEASUREMENTS; i++)
    TRY(add_column(batch, &recipe->measurements[i]));
  return VITRAIL_OK;
}

VitrailStatus
vt_emit_objects(VtGraph *graph, VtExec *x, uint32_t stage, const VtCall *call, const VtMeasured *only)
{
  VtRun *run = graph->run;
  const double expansion = call->params[VT_OUTLINES_EXPANSION].number;
  if (!(expansion >= 0) || expansion > VT_CELL_MOST)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT,
                   TR("Cells would reach more than 256 pixels round their nuclei: choose a coarser pixel size, or a "
                      "smaller expansion."));
  Batch *batch = calloc(1, sizeof *batch);
  if (!batch)
    return no_memory(run);
  batch->graph = graph;
  batch->x = x;
  batch->stage = stage;
  batch->labels = call->in[0];
  batch->image = call->in[1] ? &call->in[1]->image : NULL;
  batch->only = only;
  batch->outlines_cells = call->params[VT_OUTLINES_CELLS].number != 0;
  batch->limit = (int64_t)(expansion * expansion);
  batch->reach = vt_cell_reach(batch->limit);
  VitrailStatus status = find_columns(batch);
  THEN(status, x->does->own_objects(x, &batch->labels->image, batch->image, batch->labels->stats, batch->labels->n,
                                    2 * batch->reach, &batch->first, &batch->end));
  if (only) {
    batch->first = only->object - 1;
    batch->end = only->object;
  }
  THEN(status, vt_ranks_agree(run, emit_batches(run, batch)));
  for (int k = 0; k < BATCH; k++)
    vt_outline_clear(&batch->outlines[k]);
  vt_neighbours_free(batch->neighbours);
  free(batch);
  return status;
}
