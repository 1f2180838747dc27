/* SPDX-License-Identifier: MIT
 *
 * What the analysis would have measured of an object, had it found this outline (VITRAIL_RUN_MEASURE): the recipe's own steps `objects` and `outlines`
 * on labels that are drawn from the request's polygons, and on those of its images of which a pixel depends on that pixel of the slide alone.
 * What looks farther, such as a background or a score, would depend on the rectangle that is run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "run/grid.h"
#include "run/raster.h"
#include "run/roi-mask.h"
#include "steps/cell.h"

enum { IMAGE_A = 1, IMAGE_B = 2, OF_OUTLINES = 1 /* inputs of the two steps */ };

/* The number of the node whose objects are outlined; -1: there is none. */
static int32_t
find_outlines(const VtGraph *graph)
{
  for (int32_t i = 0; i < (int32_t)graph->n; i++)
    if (graph->nodes[i].step && graph->nodes[i].step->shown_as == VITRAIL_STAGE_OBJECTS
        && graph->nodes[graph->nodes[i].in[0]].has_objects)
      return i;
  return -1;
}

/* From what was read on. */
static bool
is_by_pixel(const VtGraph *graph, int32_t i)
{
  const VtGraphNode *g = &graph->nodes[i];
  bool is = g->step->by_pixel;
  for (int k = 0; is && k < vt_step_n_in(g->step); k++)
    is = g->in[k] < 0 || (!g->in_also[k] && is_by_pixel(graph, g->in[k]));
  return is;
}

static VitrailStatus
make_node(VtGraph *graph, VtExec *x, int32_t i)
{
  VtGraphNode *g = &graph->nodes[i];
  for (int k = 0; k < vt_step_n_in(g->step); k++)
    if (g->in[k] >= 0)
      TRY(make_node(graph, x, g->in[k]));
  return g->out.image.data ? VITRAIL_OK : vt_graph_run_node(graph, x, (uint32_t)i);
}

/* The image that is the node's input; where it looks farther, or there is none, an empty one. */
static VitrailStatus
take_image(VtGraph *graph, VtExec *x, const VtGraphNode *reader, int k, VtImage *image, bool *is_known)
{
  const int32_t i = reader->in[k];
  *is_known = i >= 0 && !reader->in_also[k] && is_by_pixel(graph, i);
  if (*is_known) {
    TRY(make_node(graph, x, i));
    *image = graph->nodes[i].out.image;
    return VITRAIL_OK;
  }
  TRY(x->does->alloc(x, image, VITRAIL_U16));
  memset(image->data, 0, (size_t)(image->height * image->stride));
  return VITRAIL_OK;
}

/* On the labels, which cover the grid. */
static VitrailStatus
draw_one(VtRun *run, uint32_t number, const VtImage *labels)
{
  const VitrailRoi *roi = run->request->rois[number];
  const VtGrid *grid = &run->grid;
  const VtRect r = vt_rect_common(vt_roi_rect(run, roi), vt_grid_rect(run));
  if (r.width < 1 || r.height < 1)
    return VITRAIL_OK;
  VtImage mask;
  vt_image_new(&mask, VITRAIL_U8, r.width, r.height);
  VitrailStatus status = mask.data
                           ? vt_roi_rasterise(run, roi, r, &mask)
                           : vt_fail(run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory for the outlines."));
  for (int64_t y = 0; status == VITRAIL_OK && y < r.height; y++) {
    const uint8_t *is_in = vt_image_at(&mask, 0, y);
    int32_t *row = vt_image_at(labels, r.x - grid->x, r.y - grid->y + y);
    for (int64_t x = 0; x < r.width; x++)
      row[x] = is_in[x] ? (int32_t)number + 1 : row[x];
  }
  free(mask.data);
  return status;
}

/* The first polygon lies over all others. *place: a pixel of it; NULL: it has none. */
static VitrailStatus
draw(VtRun *run, const VtImage *labels, const int32_t **place)
{
  *place = NULL;
  memset(labels->data, 0, (size_t)(labels->height * labels->stride));
  for (uint32_t i = run->request->n_rois; i-- > 0;)
    TRY(draw_one(run, i, labels));
  for (int64_t y = 0; !*place && y < labels->height; y++) {
    const int32_t *row = vt_image_at(labels, 0, y);
    for (int64_t x = 0; !*place && x < labels->width; x++)
      *place = row[x] == 1 ? row + x : NULL;
  }
  return VITRAIL_OK;
}

static VitrailStatus
measure(VtGraph *graph, VtExec *x, VtGraphNode *outlines)
{
  VtRun *run = graph->run;
  VtGraphNode *objects = &graph->nodes[outlines->in[0]];
  VtValue *labels = &objects->out;
  VtMeasured measured = { 0 };
  VtImage a, b, own;
  const int32_t *place;
  TRY(take_image(graph, x, objects, IMAGE_A, &a, &measured.knows_a));
  TRY(take_image(graph, x, objects, IMAGE_B, &b, &measured.knows_b));
  TRY(take_image(graph, x, outlines, OF_OUTLINES, &own, &measured.knows_own));
  TRY(x->does->alloc(x, &labels->image, VITRAIL_I32));
  TRY(draw(run, &labels->image, &place));
  if (!place)
    return VITRAIL_OK;
  const VtObjectFilter all = { .max_area_px = INT64_MAX, .min_b = -INFINITY, .max_b = INFINITY };
  TRY(x->does->objects(x, &labels->image, &a, &b, &all, &labels->stats, &labels->n));
  measured.object = *place;
  VtCall call = vt_graph_call(graph, outlines);
  VtValue image = { .image = own };
  call.in[OF_OUTLINES] = &image;
  return vt_emit_objects(graph, x, (uint32_t)outlines->stage, &call, &measured);
}

VitrailStatus
vt_measured_run(VtRun *run, const VtRecipe *recipe, VtGraph *graph)
{
  VtExec x = { .does = &vt_host_executor, .run = run };
  TRY(vt_graph_resolve(graph, run, recipe));
  x.algorithm = graph->algorithm;
  const int32_t i = find_outlines(graph);
  if (i < 0 || graph->nodes[i].stage < 0 || run->host.n_ranks > 1)
    return vt_fail(run, VITRAIL_UNSUPPORTED, "This analysis measures no objects that could be handed in.");
  VtGraphNode *outlines = &graph->nodes[i];
  if (outlines->params[VT_OUTLINES_CELLS].number != 0)
    return vt_fail(run, VITRAIL_UNSUPPORTED, "Of the outline of a cell nobody knows where its nucleus is.");
  const double expansion = outlines->params[VT_OUTLINES_EXPANSION].number;
  vt_record(run, "reach-px",
            expansion >= 0 && expansion <= VT_CELL_MOST
              ? (double)(2 * vt_cell_reach((int64_t)(expansion * expansion)) + 1)
              : 1);
  if (run->request->n_rois == 0)
    return VITRAIL_OK;
  vt_graph_choose(graph, 0, -1); /* nothing is freed, or written over, before the end */
  VitrailStatus status = x.does->begin(&x);
  THEN(status, measure(graph, &x, outlines));
  vt_graph_clear(graph);
  return x.does->end(&x, status);
}
