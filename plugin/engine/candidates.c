/* SPDX-License-Identifier: MIT
 *
 * The candidates among which the step `regions` chooses, as objects with their features: for those who teach its score. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "run/raster.h"
#include "steps/found.h"
#include "steps/outline.h"

enum { N_FIRST = 3 /* numbers before the features */, N_NUMBERS = N_FIRST + VT_REGIONS_FEATURES };

/* The stage whose objects they are handed over as; -1: there is none. */
static int32_t
find_stage(const VitrailOp *op)
{
  for (uint32_t i = 0; i < op->n_stages; i++)
    if (op->stages[i]->kind == VITRAIL_STAGE_OBJECTS)
      return (int32_t)i;
  return -1;
}

int32_t
vt_candidates_node(const VtGraph *graph)
{
  for (int32_t i = 0; i < (int32_t)graph->n; i++)
    if (graph->nodes[i].step && strcmp(graph->nodes[i].step->id, "regions") == 0)
      return i;
  return -1;
}

/* Within what a slide can have. */
static bool
are_places(const VitrailRequest *request)
{
  bool are = request->n_place_numbers % 4 == 0 && (request->n_place_numbers == 0 || request->places);
  for (uint32_t i = 0; are && i < request->n_place_numbers; i++)
    are = fabs(request->places[i]) < 1e15;
  return are;
}

VitrailStatus
vt_candidates_new(VtRun *run, const VtRecipe *recipe)
{
  bool has_regions = false;
  if (!(run->request->flags & VITRAIL_RUN_CANDIDATES))
    return VITRAIL_OK;
  for (uint32_t i = 0; i < recipe->n_nodes; i++)
    has_regions |= strcmp(recipe->nodes[i].step, "regions") == 0;
  if (!has_regions || find_stage(run->op) < 0 || run->host.n_ranks > 1)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, TR("This analysis has no candidates that could be told."));
  if (!are_places(run->request))
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, TR("The places of the candidates are no boxes."));
  run->wanted = 0; /* nor is it asked what is certain */
  run->found = vt_found_new();
  return run->found ? VITRAIL_OK : vt_fail(run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory to begin."));
}

void
vt_candidates_free(VtRun *run)
{
  vt_found_free(run->found);
  run->found = NULL;
}

typedef struct {
  VtOutline outline;
  double numbers[N_NUMBERS];
  char text[VT_REGIONS_FEATURES][16];
  const char *names[N_NUMBERS];
} Telling;

/* Points from the box's corner become level-0 ones; the centroid. */
static VitrailStatus
outline_of(VtRun *run, Telling *t, const VtRegionFound *f, double centroid[2])
{
  const uint8_t *pixels = run->found->all.bytes + f->pixels;
  const double d = run->grid.downsample;
  double n = 0, x_sum = 0, y_sum = 0;
  VtImage labels;
  vt_image_new(&labels, VITRAIL_I32, f->width, f->height);
  if (!labels.data)
    return vt_fail(run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory for the outlines."));
  for (int64_t y = 0; y < f->height; y++)
    for (int64_t x = 0; x < f->width; x++) {
      const int32_t is_in = pixels[y * f->width + x];
      *(int32_t *)vt_image_at(&labels, x, y) = is_in;
      n += is_in;
      x_sum += (double)(is_in * (f->x - run->grid.x + x)); /* as of objects, to the last bit */
      y_sum += (double)(is_in * (f->y - run->grid.y + y));
    }
  t->outline.n_rings = 0;
  t->outline.n_points = 0;
  const VitrailStatus status = vt_outline_trace(run, &labels, 1, (VtRect){ 0, 0, f->width, f->height }, &t->outline);
  free(labels.data);
  for (size_t i = 0; i < t->outline.n_points; i++) {
    t->outline.points[2 * i] = ((double)f->x + t->outline.points[2 * i]) * d;
    t->outline.points[2 * i + 1] = ((double)f->y + t->outline.points[2 * i + 1]) * d;
  }
  centroid[0] = ((double)run->grid.x + x_sum / n + 0.5) * d;
  centroid[1] = ((double)run->grid.y + y_sum / n + 0.5) * d;
  return status;
}

static VitrailStatus
emit_one(VtRun *run, Telling *t, const VtRegionFound *f, int64_t id)
{
  double centroid[2] = { 0, 0 };
  TRY(outline_of(run, t, f, centroid));
  t->numbers[0] = f->score / 65535.0;
  t->numbers[1] = f->is_chosen;
  t->numbers[2] = f->margin / 65535.0;
  for (int k = 0; k < VT_REGIONS_FEATURES; k++)
    t->numbers[N_FIRST + k] = f->features[k];
  const VitrailObject object = { .size = sizeof object,
                                 .stage = (uint32_t)find_stage(run->op),
                                 .id = id,
                                 .n_rings = t->outline.n_rings,
                                 .ring_sizes = t->outline.ring_sizes,
                                 .points = t->outline.points,
                                 .n_measurements = N_NUMBERS,
                                 .measurement_names = t->names,
                                 .measurements = t->numbers,
                                 .centroid_x_l0 = centroid[0],
                                 .centroid_y_l0 = centroid[1] };
  return run->host.emit_object(run->host.user, &object);
}

/* Of a grid with a margin of context only those that are shown. */
static bool
is_shown(const VtRun *run, const VtRegionFound *f)
{
  const VtRect *s = &run->shown;
  return f->x < s->x + s->width && f->x + f->width > s->x && f->y < s->y + s->height && f->y + f->height > s->y;
}

VitrailStatus
vt_candidates_emit(VtRun *run)
{
  Telling *t = calloc(1, sizeof *t);
  if (!t)
    return vt_fail(run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory for the outlines."));
  t->names[0] = "Candidate: Score";
  t->names[1] = "Candidate: Chosen";
  t->names[2] = "Candidate: Margin";
  for (int k = 0; k < VT_REGIONS_FEATURES; k++) {
    snprintf(t->text[k], sizeof t->text[k], "Feature %d", k + 1);
    t->names[N_FIRST + k] = t->text[k];
  }
  vt_found_sort(run->found);
  const VtRegionsFound *all = &run->found->all;
  VitrailStatus status = VITRAIL_OK;
  int64_t id = 0;
  for (size_t i = 0; i < all->n && status == VITRAIL_OK; i++)
    if (is_shown(run, &all->at[i]))
      status = vt_cancelled(&run->cancel) ? VITRAIL_CANCELLED : emit_one(run, t, &all->at[i], ++id);
  vt_outline_clear(&t->outline);
  free(t);
  return status;
}
