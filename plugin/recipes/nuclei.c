/* SPDX-License-Identifier: MIT
 *
 * The op `nuclei`: hematoxylin -> background -> residue -> mask -> filled -> distance -> seeds -> labels -> objects. A run
 * stops after the last stage that anyone wants to see. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/view-exact.h"
#include "executors/bounds-labels.h"
#include "executors/bounds.h"
#include "executors/steps-cache.h"
#include "recipes/ops.h"
#include "run/grid.h"
#include "run/parallel.h"
#include "run/params.h"
#include "run/raster.h"
#include "scale/ranks.h"
#include "steps/outline.h"

enum { HEMATOXYLIN, BACKGROUND, RESIDUE, MASK, FILLED, DISTANCE, SEEDS, LABELS, OBJECTS, CERTAIN, N_STAGES = CERTAIN };

enum { NUCLEI_BYTES = 80, CERTAIN_BYTES = 104 /* for each pixel, at most */, NUCLEI_STEPS = 46 /* streamed */ };

/* What is kept for the next run: the images of the stages from hematoxylin to seeds, the pieces that labels are numbered
 * from, and two on the way to the mask, which stay when the threshold changes. */
enum { PIXELS, KEPT = 1 /* + a stage */, SMOOTH = KEPT + N_STAGES, STANDING_OUT, N_SLOTS };
_Static_assert((int)N_SLOTS <= (int)VT_KEPT_SLOTS, "a slot for each image");
#define BIT(stage) (1u << (KEPT + (stage)))
static const uint32_t parents[N_SLOTS] = {
  [KEPT + HEMATOXYLIN] = 1u << PIXELS,
  [KEPT + BACKGROUND] = BIT(HEMATOXYLIN),
  [KEPT + RESIDUE] = BIT(HEMATOXYLIN) | BIT(BACKGROUND),
  [SMOOTH] = BIT(RESIDUE),
  [STANDING_OUT] = BIT(HEMATOXYLIN),
  [KEPT + MASK] = 1u << SMOOTH | 1u << STANDING_OUT,
  [KEPT + FILLED] = BIT(MASK),
  [KEPT + DISTANCE] = BIT(FILLED),
  [KEPT + SEEDS] = BIT(FILLED) | BIT(DISTANCE),
  [KEPT + LABELS] = BIT(FILLED) | BIT(DISTANCE) | BIT(SEEDS),
};

typedef struct {
  VtSteps steps;
  VtImage hematoxylin, background, residue, mask, filled, distance, seeds, labels;
  double od_unit, um_per_px; /* um_per_px: 1 when uncalibrated, so that lengths are in pixels */
  VtObjectStats *objects;
  int64_t n_objects;
  int64_t n_certain; /* of them; -1: not asked for */
} Nuclei;

static VitrailStatus
find_hematoxylin(VtRun *run, Nuclei *n)
{
  const VitrailInput *input = vt_input(run, "image");
  VtChannel channel;
  VtImage rgb;
  if (input->type != VITRAIL_RGBA8)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, TR("Nuclei are found in colour images; this image has one channel."));
  TRY(vt_channel_prepare(run, vt_param_choice(run, "detection-image"), input->type, &channel));
  n->od_unit = channel.scale;
  TRY(vt_steps_read(&n->steps, input, &rgb));
  vt_steps_keep_pixels(&n->steps, &rgb, parents, N_SLOTS);
  if (!vt_steps_recall(&n->steps, KEPT + HEMATOXYLIN, channel.table, sizeof channel.table, &n->hematoxylin)) {
    TRY(vt_steps_alloc(&n->steps, &n->hematoxylin, channel.type));
    TRY(vt_steps_lut3(&n->steps, channel.table, &rgb, &n->hematoxylin));
    vt_steps_keep(&n->steps, KEPT + HEMATOXYLIN, channel.table, sizeof channel.table, &n->hematoxylin);
  }
  vt_steps_free(&n->steps, &rgb);
  return vt_steps_emit(&n->steps, HEMATOXYLIN, &n->hematoxylin, n->od_unit);
}

/* A plain opening: dilation is the erosion of the complement. */
static VitrailStatus
dilate_in_place(VtSteps *steps, const VtImage *image, int32_t radius)
{
  VtImage complement;
  TRY(vt_steps_alloc(steps, &complement, VITRAIL_U16));
  TRY(vt_steps_pointwise(steps, VT_PW_COMPLEMENT, image, NULL, &complement, 0));
  TRY(vt_steps_erode(steps, &complement, image, radius));
  TRY(vt_steps_pointwise(steps, VT_PW_COMPLEMENT, image, NULL, image, 0));
  vt_steps_free(steps, &complement);
  return VITRAIL_OK;
}

static VitrailStatus
make_background(VtRun *run, Nuclei *n, int32_t radius)
{
  VtSteps *steps = &n->steps;
  TRY(vt_steps_alloc(steps, &n->background, VITRAIL_U16));
  if (radius == 0) {
    TRY(vt_steps_pointwise(steps, VT_PW_SUBTRACT_CLAMP, &n->hematoxylin, &n->hematoxylin, &n->background, 0));
  } else {
    TRY(vt_steps_erode(steps, &n->hematoxylin, &n->background, radius));
    if (vt_param(run, "background-by-reconstruction") != 0)
      TRY(vt_steps_reconstruct(steps, &n->background, &n->hematoxylin, 8));
    else
      TRY(dilate_in_place(steps, &n->background, radius));
  }
  return VITRAIL_OK;
}

static VitrailStatus
find_background(VtRun *run, Nuclei *n)
{
  const int32_t radius = (int32_t)fmin(round(vt_param(run, "background-radius") / n->um_per_px), 512);
  const double key[] = { radius, vt_param(run, "background-by-reconstruction"), vt_param(run, "algorithm") };
  vt_record(run, "background-radius-px", radius);
  if (!vt_steps_recall(&n->steps, KEPT + BACKGROUND, key, sizeof key, &n->background)) {
    TRY(make_background(run, n, radius));
    vt_steps_keep(&n->steps, KEPT + BACKGROUND, key, sizeof key, &n->background);
  }
  return vt_steps_emit(&n->steps, BACKGROUND, &n->background, n->od_unit);
}

static VitrailStatus
find_residue(VtRun *run, Nuclei *n)
{
  if (!vt_steps_recall(&n->steps, KEPT + RESIDUE, NULL, 0, &n->residue)) {
    TRY(vt_steps_alloc(&n->steps, &n->residue, VITRAIL_U16));
    TRY(vt_steps_pointwise(&n->steps, VT_PW_SUBTRACT_CLAMP, &n->hematoxylin, &n->background, &n->residue, 0));
    vt_steps_keep(&n->steps, KEPT + RESIDUE, NULL, 0, &n->residue);
  }
  return vt_steps_emit(&n->steps, RESIDUE, &n->residue, n->od_unit);
}

/* 255 where the stain, smoothed at px[0], exceeds its surroundings, smoothed at px[1]: a band-pass round sigma, as QuPath's
 * Laplacian of Gaussian, which keeps the gaps between crowded nuclei open. */
static VitrailStatus
find_standing_out(Nuclei *n, const double px[2], VtImage *out)
{
  VtSteps *steps = &n->steps;
  VtImage inner, outer;
  if (vt_steps_recall(steps, STANDING_OUT, px, 2 * sizeof px[0], out))
    return VITRAIL_OK;
  TRY(vt_steps_alloc(steps, &inner, VITRAIL_U16));
  TRY(vt_steps_alloc(steps, &outer, VITRAIL_U16));
  TRY(vt_steps_alloc(steps, out, VITRAIL_U8));
  TRY(vt_steps_smooth(steps, &n->hematoxylin, &inner, px[0]));
  TRY(vt_steps_smooth(steps, &n->hematoxylin, &outer, px[1]));
  TRY(vt_steps_pointwise(steps, VT_PW_SUBTRACT_CLAMP, &inner, &outer, &inner, 0));
  TRY(vt_steps_pointwise(steps, VT_PW_ABOVE, &inner, NULL, out, 0));
  vt_steps_free(steps, &inner);
  vt_steps_free(steps, &outer);
  vt_steps_keep(steps, STANDING_OUT, px, 2 * sizeof px[0], out);
  return VITRAIL_OK;
}

static VitrailStatus
make_mask(Nuclei *n, const double px[2], double threshold)
{
  VtSteps *steps = &n->steps;
  VtImage smooth, standing_out;
  if (!vt_steps_recall(steps, SMOOTH, &px[0], sizeof px[0], &smooth)) {
    TRY(vt_steps_alloc(steps, &smooth, VITRAIL_U16));
    TRY(vt_steps_smooth(steps, &n->residue, &smooth, px[0]));
    vt_steps_keep(steps, SMOOTH, &px[0], sizeof px[0], &smooth);
  }
  TRY(vt_steps_alloc(steps, &n->mask, VITRAIL_U8));
  TRY(vt_steps_pointwise(steps, VT_PW_ABOVE, &smooth, NULL, &n->mask, threshold));
  vt_steps_free(steps, &smooth);
  if (px[1] > 0) {
    TRY(find_standing_out(n, px, &standing_out));
    TRY(vt_steps_pointwise(steps, VT_PW_AND, &n->mask, &standing_out, &n->mask, 0));
    vt_steps_free(steps, &standing_out);
  }
  return VITRAIL_OK;
}

static VitrailStatus
find_mask(VtRun *run, Nuclei *n)
{
  const double sigma_px = vt_param(run, "sigma") / n->um_per_px;
  const double px[2] = { sigma_px / 3, sigma_px * 3 };
  const double threshold = round(vt_param(run, "threshold") / n->od_unit);
  const double key[] = { threshold, px[0], px[1] };
  vt_params_say_below_pixel(run, sigma_px, vt_param(run, "min-area") / (n->um_per_px * n->um_per_px));
  vt_record(run, "sigma-px", sigma_px);
  vt_record(run, "sigma-inner-px", px[0]);
  vt_record(run, "sigma-outer-px", px[1]);
  vt_record(run, "threshold-raw", threshold);
  if (!vt_steps_recall(&n->steps, KEPT + MASK, key, sizeof key, &n->mask)) {
    TRY(make_mask(n, px, threshold));
    vt_steps_keep(&n->steps, KEPT + MASK, key, sizeof key, &n->mask);
  }
  return vt_steps_emit(&n->steps, MASK, &n->mask, 1);
}

/* Where the background is too wide for a hole: farther from the mask than the given radius. */
static VitrailStatus
find_wide(Nuclei *n, const VtImage *outside, double radius, const VtImage *wide)
{
  VtImage distance;
  TRY(vt_steps_alloc(&n->steps, &distance, VITRAIL_F32));
  TRY(vt_steps_distance(&n->steps, outside, &distance, (float)n->um_per_px));
  TRY(vt_steps_pointwise(&n->steps, VT_PW_ABOVE, &distance, NULL, wide, radius));
  vt_steps_free(&n->steps, &distance);
  return VITRAIL_OK;
}

/* Background that neither the border nor what is wide can reach, going from pixel to pixel by edges, is a hole:
 * reconstruction of the complement from those pixels. */
static VitrailStatus
make_filled(Nuclei *n, double radius)
{
  VtSteps *steps = &n->steps;
  VtImage outside;
  TRY(vt_steps_alloc(steps, &outside, VITRAIL_U8));
  TRY(vt_steps_alloc(steps, &n->filled, VITRAIL_U8));
  TRY(vt_steps_pointwise(steps, VT_PW_NOT, &n->mask, NULL, &outside, 0));
  if (radius > 0)
    TRY(find_wide(n, &outside, radius, &n->filled));
  else
    TRY(vt_steps_pointwise(steps, VT_PW_LOWER_CLAMP, &outside, NULL, &n->filled, UINT8_MAX));
  TRY(vt_steps_keep_border(steps, &outside, &n->filled));
  TRY(vt_steps_reconstruct(steps, &n->filled, &outside, 4));
  TRY(vt_steps_pointwise(steps, VT_PW_NOT, &n->filled, NULL, &n->filled, 0));
  vt_steps_free(steps, &outside);
  return VITRAIL_OK;
}

static VitrailStatus
fill_holes(VtRun *run, Nuclei *n)
{
  const double radius = vt_param(run, "hole-radius");
  const double key[] = { vt_param(run, "algorithm"), radius };
  if (!vt_steps_recall(&n->steps, KEPT + FILLED, key, sizeof key, &n->filled)) {
    TRY(make_filled(n, radius));
    vt_steps_keep(&n->steps, KEPT + FILLED, key, sizeof key, &n->filled);
  }
  return vt_steps_emit(&n->steps, FILLED, &n->filled, 1);
}

static VitrailStatus
find_distance(VtRun *run, Nuclei *n)
{
  const double key[] = { n->um_per_px };
  if (!vt_steps_recall(&n->steps, KEPT + DISTANCE, key, sizeof key, &n->distance)) {
    TRY(vt_steps_alloc(&n->steps, &n->distance, VITRAIL_F32));
    TRY(vt_steps_distance(&n->steps, &n->filled, &n->distance, (float)n->um_per_px));
    vt_steps_keep(&n->steps, KEPT + DISTANCE, key, sizeof key, &n->distance);
  }
  return vt_steps_emit(&n->steps, DISTANCE, &n->distance, 1);
}

/* Regional maxima of the reconstruction of distance - h under distance, inside the filled mask only: outside lies lower than
 * any marker, so that each piece has a maximum of its own, however shallow. */
static VitrailStatus
make_seeds(Nuclei *n, double h)
{
  VtSteps *steps = &n->steps;
  double outside = -2 * h - 1;
  VtImage bounded, domes;
  TRY(vt_steps_alloc(steps, &bounded, VITRAIL_F32));
  TRY(vt_steps_alloc(steps, &domes, VITRAIL_F32));
  TRY(vt_steps_alloc(steps, &n->seeds, VITRAIL_U8));
  TRY(vt_steps_pointwise(steps, VT_PW_SELECT, &n->distance, &n->filled, &bounded, outside));
  TRY(vt_steps_pointwise(steps, VT_PW_SHIFT_DOWN, &bounded, NULL, &domes, h));
  TRY(vt_steps_reconstruct(steps, &domes, &bounded, 8));
  TRY(vt_steps_maxima(steps, &domes, &n->seeds));
  TRY(vt_steps_pointwise(steps, VT_PW_AND, &n->seeds, &n->filled, &n->seeds, 0));
  vt_steps_free(steps, &bounded);
  vt_steps_free(steps, &domes);
  return VITRAIL_OK;
}

static VitrailStatus
find_seeds(VtRun *run, Nuclei *n)
{
  const double key[] = { vt_param(run, "seed-depth"), vt_param(run, "algorithm") };
  if (!vt_steps_recall(&n->steps, KEPT + SEEDS, key, sizeof key, &n->seeds)) {
    TRY(make_seeds(n, key[0]));
    vt_steps_keep(&n->steps, KEPT + SEEDS, key, sizeof key, &n->seeds);
  }
  return vt_steps_emit(&n->steps, SEEDS, &n->seeds, 1);
}

static VitrailStatus
watershed(Nuclei *n)
{
  VtSteps *steps = &n->steps;
  VtImage numbered, level, bounded;
  TRY(vt_steps_alloc(steps, &numbered, VITRAIL_I32));
  TRY(vt_steps_alloc(steps, &bounded, VITRAIL_F32));
  TRY(vt_steps_alloc(steps, &level, VITRAIL_F32));
  TRY(vt_steps_components(steps, &n->seeds, &numbered));
  TRY(vt_steps_pointwise(steps, VT_PW_SELECT, &n->distance, &n->filled, &bounded, -1));
  TRY(vt_steps_pointwise(steps, VT_PW_SELECT, &bounded, &n->seeds, &level, -1));
  if (steps->streamed) { /* the disk is full soonest here */
    vt_steps_free(steps, &n->distance);
    vt_steps_free(steps, &n->seeds);
  }
  TRY(vt_steps_reconstruct(steps, &level, &bounded, 8));
  vt_steps_free(steps, &bounded);
  const VtWatershed args = { level, numbered, n->filled, n->labels };
  TRY(vt_steps_watershed(steps, &args));
  vt_steps_free(steps, &numbered);
  vt_steps_free(steps, &level);
  return VITRAIL_OK;
}

/* An area in pixels as a whole number; with a tiny pixel size it may be beyond every integer. */
static int64_t
whole_area(double px)
{
  return (int64_t)fmin(fmax(px, 0), 1e15);
}

/* Before any is dropped, and numbered in any way: those are kept, and a filter works on a copy. */
static VitrailStatus
find_pieces(VtRun *run, Nuclei *n)
{
  const double key[] = { vt_param(run, "split"), vt_param(run, "algorithm") };
  if (!vt_steps_recall(&n->steps, KEPT + LABELS, key, sizeof key, &n->labels)) {
    TRY(vt_steps_alloc(&n->steps, &n->labels, VITRAIL_I32));
    if (vt_param(run, "split") != 0)
      TRY(watershed(n));
    else
      TRY(vt_steps_components(&n->steps, &n->filled, &n->labels));
    vt_steps_keep(&n->steps, KEPT + LABELS, key, sizeof key, &n->labels);
  }
  return vt_steps_make_own(&n->steps, &n->labels);
}

static VitrailStatus
find_labels(VtRun *run, Nuclei *n)
{
  TRY(find_pieces(run, n));
  double px_area = n->um_per_px * n->um_per_px;
  VtObjectFilter filter = {
    .min_area_px = whole_area(ceil(vt_param(run, "min-area") / px_area - 1e-9)),
    .max_area_px = whole_area(floor(vt_param(run, "max-area") / px_area + 1e-9)),
    .max_background = vt_param(run, "max-background") / n->od_unit,
  };
  vt_record(run, "min-area-px", (double)filter.min_area_px);
  vt_record(run, "max-area-px", (double)filter.max_area_px);
  TRY(vt_objects_number(&n->steps, &n->labels, &n->hematoxylin, &n->background, &filter, &n->objects, &n->n_objects));
  TRY(vt_objects_show(&n->steps, &n->labels, n->objects, &n->n_objects));
  vt_record(run, "objects", (double)n->n_objects);
  return vt_steps_emit(&n->steps, LABELS, &n->labels, 1);
}

/* Outlines are traced many at a time, and handed over one by one. */
enum { BATCH = 512, GROUP = 16 /* traced by one thread */ };
typedef struct {
  const Nuclei *nuclei;
  VtImage labels;
  int64_t first, end; /* object of outlines[0]; the one after the last */
  VtOutline outlines[BATCH];
} Batch;

/* In pixels of the labels; of a streamed run, in those of the box. */
static VitrailStatus
trace(VtRun *run, Batch *batch, int32_t label, VtRect box, VtOutline *outline)
{
  VtImage cut;
  if (!batch->nuclei->steps.streamed)
    return vt_outline_trace(run, &batch->labels, label, box, outline);
  TRY(vt_streamed_cut(batch->nuclei->steps.streamed, batch->nuclei->labels.data, box, &cut));
  const VitrailStatus status = vt_outline_trace(run, &cut, label, (VtRect){ 0, 0, box.width, box.height }, outline);
  free(cut.data);
  return status;
}

/* In level-0 pixels. */
static VitrailStatus
trace_group(VtRun *run, uint32_t index, void *user)
{
  Batch *batch = user;
  const double d = run->grid.downsample;
  for (int64_t k = index * GROUP; k < (index + 1) * GROUP && batch->first + k < batch->end; k++) {
    const VtObjectStats *stats = &batch->nuclei->objects[batch->first + k];
    const VtRect box = { stats->left, stats->top, stats->right - stats->left, stats->bottom - stats->top };
    VtOutline *outline = &batch->outlines[k];
    int64_t x = run->grid.x, y = run->grid.y;
    TRY(trace(run, batch, (int32_t)(batch->first + k) + 1, box, outline));
    x += batch->nuclei->steps.streamed ? box.x : 0;
    y += batch->nuclei->steps.streamed ? box.y : 0;
    for (size_t i = 0; i < outline->n_points; i++) {
      outline->points[2 * i] = ((double)x + outline->points[2 * i]) * d;
      outline->points[2 * i + 1] = ((double)y + outline->points[2 * i + 1]) * d;
    }
  }
  return VITRAIL_OK;
}

static VitrailStatus
emit_one_object(VtRun *run, const Nuclei *n, int64_t index, const VtOutline *outline)
{
  bool calibrated = run->grid.um_per_px > 0;
  bool od_sum = strcmp(vt_param_choice(run, "detection-image"), "od-sum") == 0;
  const char *const names[] = {
    calibrated ? "Nucleus: Area µm^2" : "Nucleus: Area px^2",
    od_sum ? "Nucleus: OD sum mean" : "Nucleus: Hematoxylin OD mean",
    "Nucleus: Background OD mean",
  };
  const VtObjectStats *stats = &n->objects[index];
  double d = run->grid.downsample;
  double area = (double)stats->area_px;
  double px_area = calibrated ? n->um_per_px * n->um_per_px : d * d;
  const double values[] = { area * px_area, (double)stats->sum_a / area * n->od_unit,
                            (double)stats->sum_b / area * n->od_unit };
  VitrailObject object = {
    .size = sizeof object,
    .stage = OBJECTS,
    .id = index + 1,
    .n_rings = outline->n_rings,
    .ring_sizes = outline->ring_sizes,
    .points = outline->points,
    .n_measurements = VT_COUNT(names),
    .measurement_names = names,
    .measurements = values,
    .centroid_x_l0 = ((double)run->grid.x + (double)stats->sum_x / area + 0.5) * d,
    .centroid_y_l0 = ((double)run->grid.y + (double)stats->sum_y / area + 0.5) * d,
  };
  return run->host.emit_object(run->host.user, &object);
}

static VitrailStatus
emit_batches(VtRun *run, Nuclei *n, Batch *batch)
{
  for (; batch->first < batch->end; batch->first += BATCH) {
    int64_t left = batch->end - batch->first, count = left < BATCH ? left : BATCH;
    TRY(vt_parallel(run, (uint32_t)((count + GROUP - 1) / GROUP), trace_group, batch));
    for (int64_t k = 0; k < count; k++)
      TRY(vt_cancelled(&run->cancel) ? VITRAIL_CANCELLED
                                     : emit_one_object(run, n, batch->first + k, &batch->outlines[k]));
  }
  return VITRAIL_OK;
}

/* Each of several processes hands over what begins in its rows, and gets the rows that its objects go on in. */
static VitrailStatus
share_objects(VtRun *run, const Nuclei *n, Batch *batch)
{
  VtStreamed *s = n->steps.streamed;
  int32_t n_rows = 0;
  batch->end = n->n_objects;
  if (run->host.n_ranks < 2)
    return VITRAIL_OK;
  vt_streamed_own_objects(s, n->objects, n->n_objects, &batch->first, &batch->end);
  for (int64_t i = batch->first; i < batch->end; i++) {
    const int64_t below = n->objects[i].bottom - s->own.y - s->own.height;
    n_rows = below > n_rows ? (int32_t)below : n_rows;
  }
  TRY(vt_ranks_largest(run, VITRAIL_OK, n_rows, &n_rows));
  return vt_streamed_halo(s, n->labels.data, n_rows);
}

static VitrailStatus
emit_objects(VtRun *run, Nuclei *n)
{
  VtImage labels = { 0 };
  if (!n->steps.streamed)
    TRY(vt_steps_fetch(&n->steps, &n->labels, &labels));
  Batch *batch = calloc(1, sizeof *batch);
  if (!batch)
    return vt_fail(run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory for the outlines."));
  batch->nuclei = n;
  batch->labels = labels;
  VitrailStatus status = share_objects(run, n, batch);
  if (status == VITRAIL_OK)
    status = vt_ranks_agree(run, emit_batches(run, n, batch));
  for (int k = 0; k < BATCH; k++)
    vt_outline_clear(&batch->outlines[k]);
  free(batch);
  return status;
}

/* Stores take space on the disk as long as they are there. */
static void
drop_used(Nuclei *n, uint32_t stage)
{
  if (!n->steps.streamed)
    return;
  if (stage == MASK)
    vt_steps_free(&n->steps, &n->residue);
  if (stage == FILLED)
    vt_steps_free(&n->steps, &n->mask);
  if (stage == LABELS)
    vt_steps_free(&n->steps, &n->filled);
}

static VitrailStatus
run_stages(VtRun *run, Nuclei *n)
{
  static VitrailStatus (*const stages[N_STAGES])(VtRun *, Nuclei *) = {
    find_hematoxylin, find_background, find_residue, find_mask,    fill_holes,
    find_distance,    find_seeds,      find_labels,  emit_objects,
  };
  for (uint32_t stage = 0; stage < N_STAGES && run->wanted >> stage; stage++) {
    vt_stage_begin(run);
    TRY(stages[stage](run, n));
    drop_used(n, stage);
    TRY(vt_stage_end(run, stage));
  }
  return VITRAIL_OK;
}

/* Their milliseconds are those of taking them out. */
static void
record_kept(VtRun *run, const Nuclei *n)
{
  char text[256] = "";
  size_t used = 0;
  for (uint32_t stage = 0; stage < N_STAGES; stage++)
    if (n->steps.recalled >> (KEPT + stage) & 1 && used < sizeof text)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? "," : "", run->op->stages[stage]->id);
  if (used > 0)
    vt_record_text(run, "kept-stages", text);
}

static VitrailStatus
find_nuclei(VtRun *run, void *user)
{
  Nuclei *n = user;
  VitrailStatus status = VITRAIL_OK;
  if (vt_run_streams_labels(run, vt_grid_rect(run), NUCLEI_BYTES)) {
    status = vt_steps_begin_streamed(&n->steps, run, vt_param_choice(run, "algorithm"), NUCLEI_STEPS);
  } else {
    TRY(vt_raster_check_budget(run, vt_grid_rect(run), NUCLEI_BYTES));
    vt_steps_begin(&n->steps, run, vt_param_choice(run, "algorithm"));
  }
  if (status == VITRAIL_OK)
    status = run_stages(run, n);
  if (n->steps.lost) {
    free(n->objects);
    n->objects = NULL;
    vt_steps_take_over(&n->steps, "Nuclei");
    status = run_stages(run, n);
  }
  record_kept(run, n);
  free(n->objects);
  n->objects = NULL;
  vt_steps_clear(&n->steps);
  return vt_steps_end_streamed(&n->steps, status);
}

/* --- certainty --- */

/* The same stages on bounds, up to the labels; nobody hears of them. */
static VitrailStatus
find_certain(VtRun *run, const bool open[4], void *user, const VtImage *certain)
{
  const VitrailHost host = run->host;
  const uint64_t wanted = run->wanted;
  const double start_ms = run->stage_start_ms;
  Nuclei bounded = { .um_per_px = ((Nuclei *)user)->um_per_px };
  VtBounds bounds;
  vt_bounds_begin(&bounded.steps, run, vt_param_choice(run, "algorithm"), &bounds, open);
  run->host.record = NULL;
  run->host.stage_done = NULL;
  run->wanted = (UINT64_C(2) << LABELS) - 1;
  const VitrailStatus status = run_stages(run, &bounded);
  run->host = host;
  run->wanted = wanted;
  run->stage_start_ms = start_ms;
  if (status != VITRAIL_OK)
    return status;
  for (int64_t y = 0; y < certain->height; y++) {
    const int32_t *label = vt_image_at(&bounded.labels, 0, y);
    uint8_t *out = vt_image_at(certain, 0, y);
    for (int64_t x = 0; x < certain->width; x++)
      out[x] = label[x] == VT_UNSURE ? 0 : 255;
    if (vt_cancelled_at(run, y))
      return VITRAIL_CANCELLED;
  }
  return vt_bounds_count(&bounded.steps, &bounded.labels, bounded.n_objects, &((Nuclei *)user)->n_certain);
}

VitrailStatus
vt_op_nuclei(VtRun *run)
{
  static const VtGridView view = { CERTAIN_BYTES, CERTAIN, find_nuclei, find_certain };
  TRY(vt_grid_resolve(run, vt_input(run, "image")));
  Nuclei n = { .um_per_px = run->grid.um_per_px > 0 ? run->grid.um_per_px : 1, .n_certain = -1 };
  TRY(vt_view_exact_grid(run, &view, &n));
  if (vt_run_is_whole(run))
    n.n_certain = n.n_objects;
  if (n.n_certain >= 0 && run->wanted >> LABELS)
    vt_record(run, "uncertain-objects", (double)(n.n_objects - n.n_certain));
  return VITRAIL_OK;
}
