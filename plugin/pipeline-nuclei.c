/* SPDX-License-Identifier: MIT
 *
 * The op `nuclei`: hematoxylin -> background -> residue -> mask -> filled -> distance -> seeds -> labels -> objects. A run
 * stops after the last stage that anyone wants to see. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vt-run-context.h"

enum { HEMATOXYLIN, BACKGROUND, RESIDUE, MASK, FILLED, DISTANCE, SEEDS, LABELS, OBJECTS, N_STAGES };

typedef struct {
  VtImage rgb, hematoxylin, background, residue, mask, filled, distance, seeds, labels;
  double od_unit, um_per_px; /* um_per_px: 1 when uncalibrated, so that lengths are in pixels */
  const char *algorithm;
  VtObjectStats *objects;
  int64_t n_objects;
} Nuclei;

static int64_t
width(const VtRun *run)
{
  return run->grid.width;
}
static int64_t
height(const VtRun *run)
{
  return run->grid.height;
}

#define TRY(expression) \
  do { \
    VitrailStatus try_status = (expression); \
    if (try_status != VITRAIL_OK) \
      return try_status; \
  } while (0)

static VitrailStatus
find_hematoxylin(VtRun *run, Nuclei *n)
{
  const VitrailInput *input = vt_input(run, "image");
  if (input->type != VITRAIL_RGBA8)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, "Nuclei are found in colour images; this image has one channel.");
  TRY(vt_read_input(run, input, vt_grid_rect(run), &n->rgb));
  TRY(vt_channel(run, vt_param_choice(run, "detection-image"), &n->rgb, &n->hematoxylin, &n->od_unit));
  return vt_emit_raster(run, HEMATOXYLIN, &n->hematoxylin, n->od_unit);
}

/* A plain opening: dilation is the erosion of the complement. */
static VitrailStatus
dilate_in_place(VtRun *run, const VtImage *image, int32_t radius)
{
  VtImage eroded;
  TRY(vt_raster_alloc(run, &eroded, VITRAIL_U16, image->width, image->height));
  TRY(vt_complement(run, image));
  TRY(vt_local_erode(run, image, &eroded, radius));
  TRY(vt_complement(run, &eroded));
  memcpy(image->data, eroded.data, (size_t)(image->height * image->stride));
  return VITRAIL_OK;
}

static VitrailStatus
find_background(VtRun *run, Nuclei *n)
{
  int32_t radius = (int32_t)fmin(round(vt_param(run, "background-radius") / n->um_per_px), 512);
  vt_record(run, "background-radius-px", radius);
  TRY(vt_raster_alloc(run, &n->background, VITRAIL_U16, width(run), height(run)));
  if (radius == 0) {
    memset(n->background.data, 0, (size_t)(n->background.height * n->background.stride));
  } else {
    TRY(vt_local_erode(run, &n->hematoxylin, &n->background, radius));
    if (vt_param(run, "background-by-reconstruction") != 0)
      TRY(vt_reconstruct(run, &n->background, &n->hematoxylin, 8, n->algorithm));
    else
      TRY(dilate_in_place(run, &n->background, radius));
  }
  return vt_emit_raster(run, BACKGROUND, &n->background, n->od_unit);
}

static VitrailStatus
find_residue(VtRun *run, Nuclei *n)
{
  TRY(vt_raster_alloc(run, &n->residue, VITRAIL_U16, width(run), height(run)));
  TRY(vt_local_pointwise(run, VT_PW_SUBTRACT_CLAMP, &n->hematoxylin, &n->background, &n->residue, 0));
  return vt_emit_raster(run, RESIDUE, &n->residue, n->od_unit);
}

/* To the mask's 255s only those stay where the stain, smoothed at inner_px, exceeds its surroundings, smoothed at
 * outer_px: a band-pass round sigma, as QuPath's Laplacian of Gaussian, which keeps the gaps between crowded nuclei open. */
static VitrailStatus
keep_standing_out(VtRun *run, Nuclei *n, double inner_px, double outer_px)
{
  VtImage inner, outer, out;
  TRY(vt_raster_alloc(run, &inner, VITRAIL_U16, width(run), height(run)));
  TRY(vt_raster_alloc(run, &outer, VITRAIL_U16, width(run), height(run)));
  TRY(vt_raster_alloc(run, &out, VITRAIL_U8, width(run), height(run)));
  TRY(vt_local_smooth(run, &n->hematoxylin, &inner, inner_px));
  TRY(vt_local_smooth(run, &n->hematoxylin, &outer, outer_px));
  TRY(vt_local_pointwise(run, VT_PW_SUBTRACT_CLAMP, &inner, &outer, &inner, 0));
  TRY(vt_local_pointwise(run, VT_PW_ABOVE, &inner, NULL, &out, 0));
  return vt_local_pointwise(run, VT_PW_AND, &n->mask, &out, &n->mask, 0);
}

static VitrailStatus
find_mask(VtRun *run, Nuclei *n)
{
  double sigma_px = vt_param(run, "sigma") / n->um_per_px;
  double inner_px = sigma_px / 3, outer_px = sigma_px * 3;
  double threshold = round(vt_param(run, "threshold") / n->od_unit);
  vt_record(run, "sigma-px", sigma_px);
  vt_record(run, "sigma-inner-px", inner_px);
  vt_record(run, "sigma-outer-px", outer_px);
  vt_record(run, "threshold-raw", threshold);
  VtImage smooth;
  TRY(vt_raster_alloc(run, &smooth, VITRAIL_U16, width(run), height(run)));
  TRY(vt_raster_alloc(run, &n->mask, VITRAIL_U8, width(run), height(run)));
  TRY(vt_local_smooth(run, &n->residue, &smooth, inner_px));
  TRY(vt_local_pointwise(run, VT_PW_ABOVE, &smooth, NULL, &n->mask, threshold));
  if (sigma_px > 0)
    TRY(keep_standing_out(run, n, inner_px, outer_px));
  return vt_emit_raster(run, MASK, &n->mask, 1);
}

/* Background that the border can't reach, going from pixel to pixel by edges, is a hole: reconstruction of the complement from its
 * border pixels. */
static VitrailStatus
fill_holes(VtRun *run, Nuclei *n)
{
  VtImage outside;
  TRY(vt_raster_alloc(run, &outside, VITRAIL_U8, width(run), height(run)));
  TRY(vt_raster_alloc(run, &n->filled, VITRAIL_U8, width(run), height(run)));
  TRY(vt_local_pointwise(run, VT_PW_NOT, &n->mask, NULL, &outside, 0));
  memset(n->filled.data, 0, (size_t)(n->filled.height * n->filled.stride));
  for (int64_t y = 0; y < height(run); y++) {
    uint8_t *marker = vt_image_at(&n->filled, 0, y);
    const uint8_t *free_px = vt_image_at(&outside, 0, y);
    bool edge_row = y == 0 || y == height(run) - 1;
    if (edge_row)
      memcpy(marker, free_px, (size_t)width(run));
    marker[0] = free_px[0];
    marker[width(run) - 1] = free_px[width(run) - 1];
  }
  TRY(vt_reconstruct(run, &n->filled, &outside, 4, n->algorithm));
  TRY(vt_local_pointwise(run, VT_PW_NOT, &n->filled, NULL, &n->filled, 0));
  return vt_emit_raster(run, FILLED, &n->filled, 1);
}

static VitrailStatus
find_distance(VtRun *run, Nuclei *n)
{
  TRY(vt_raster_alloc(run, &n->distance, VITRAIL_F32, width(run), height(run)));
  TRY(vt_distance(run, &n->filled, &n->distance, (float)n->um_per_px));
  return vt_emit_raster(run, DISTANCE, &n->distance, 1);
}

/* Regional maxima of the reconstruction of distance - h under distance, inside the filled mask only: outside lies lower than
 * any marker, so that each piece has a maximum of its own, however shallow. */
static VitrailStatus
find_seeds(VtRun *run, Nuclei *n)
{
  double h = vt_param(run, "seed-depth");
  double outside = -2 * h - 1;
  VtImage bounded, marker, domes;
  TRY(vt_raster_alloc(run, &bounded, VITRAIL_F32, width(run), height(run)));
  TRY(vt_raster_alloc(run, &marker, VITRAIL_F32, width(run), height(run)));
  TRY(vt_raster_alloc(run, &domes, VITRAIL_F32, width(run), height(run)));
  TRY(vt_raster_alloc(run, &n->seeds, VITRAIL_U8, width(run), height(run)));
  TRY(vt_local_pointwise(run, VT_PW_SELECT, &n->distance, &n->filled, &bounded, outside));
  TRY(vt_local_pointwise(run, VT_PW_SHIFT_DOWN, &bounded, NULL, &domes, h));
  TRY(vt_reconstruct(run, &domes, &bounded, 8, n->algorithm));
  TRY(vt_local_pointwise(run, VT_PW_NEXT_BELOW, &domes, NULL, &marker, 0));
  TRY(vt_reconstruct(run, &marker, &domes, 8, n->algorithm));
  TRY(vt_local_pointwise(run, VT_PW_ABOVE_IMAGE, &domes, &marker, &n->seeds, 0));
  TRY(vt_local_pointwise(run, VT_PW_AND, &n->seeds, &n->filled, &n->seeds, 0));
  return vt_emit_raster(run, SEEDS, &n->seeds, 1);
}

static VitrailStatus
watershed(VtRun *run, Nuclei *n)
{
  VtImage numbered, level, bounded;
  TRY(vt_raster_alloc(run, &numbered, VITRAIL_I32, width(run), height(run)));
  VtComponents components = { n->seeds, numbered, 8 };
  TRY(run->cpu->components(run->cpu_device, &components, &run->cancel));
  TRY(vt_raster_alloc(run, &bounded, VITRAIL_F32, width(run), height(run)));
  TRY(vt_raster_alloc(run, &level, VITRAIL_F32, width(run), height(run)));
  TRY(vt_local_pointwise(run, VT_PW_SELECT, &n->distance, &n->filled, &bounded, -1));
  TRY(vt_local_pointwise(run, VT_PW_SELECT, &bounded, &n->seeds, &level, -1));
  TRY(vt_reconstruct(run, &level, &bounded, 8, n->algorithm));
  VtWatershed args = { level, numbered, n->filled, n->labels };
  return run->cpu->watershed(run->cpu_device, &args, &run->cancel);
}

/* An area in pixels as a whole number; with a tiny pixel size it may be beyond every integer. */
static int64_t
whole_area(double px)
{
  return (int64_t)fmin(fmax(px, 0), 1e15);
}

static VitrailStatus
find_labels(VtRun *run, Nuclei *n)
{
  TRY(vt_raster_alloc(run, &n->labels, VITRAIL_I32, width(run), height(run)));
  if (vt_param(run, "split") != 0) {
    TRY(watershed(run, n));
  } else {
    VtComponents components = { n->filled, n->labels, 8 };
    TRY(run->cpu->components(run->cpu_device, &components, &run->cancel));
  }
  double px_area = n->um_per_px * n->um_per_px;
  VtObjectFilter filter = {
    .min_area_px = whole_area(ceil(vt_param(run, "min-area") / px_area - 1e-9)),
    .max_area_px = whole_area(floor(vt_param(run, "max-area") / px_area + 1e-9)),
    .max_background = vt_param(run, "max-background") / n->od_unit,
  };
  vt_record(run, "min-area-px", (double)filter.min_area_px);
  vt_record(run, "max-area-px", (double)filter.max_area_px);
  TRY(vt_objects_number(run, &n->labels, &n->hematoxylin, &n->background, &filter, &n->objects, &n->n_objects));
  vt_record(run, "objects", (double)n->n_objects);
  return vt_emit_raster(run, LABELS, &n->labels, 1);
}

static VitrailStatus
emit_one_object(VtRun *run, Nuclei *n, int64_t index, VtOutline *outline)
{
  bool calibrated = run->grid.um_per_px > 0;
  bool od_sum = strcmp(vt_param_choice(run, "detection-image"), "od-sum") == 0;
  const char *const names[] = {
    calibrated ? "Nucleus: Area µm^2" : "Nucleus: Area px^2",
    od_sum ? "Nucleus: OD sum mean" : "Nucleus: Hematoxylin OD mean",
    "Nucleus: Background OD mean",
  };
  const VtObjectStats *stats = &n->objects[index];
  TRY(vt_outline_trace(run, &n->labels, (int32_t)index + 1, stats->box, outline));
  double d = run->grid.downsample;
  for (size_t i = 0; i < outline->n_points; i++) {
    outline->points[2 * i] = ((double)run->grid.x + outline->points[2 * i]) * d;
    outline->points[2 * i + 1] = ((double)run->grid.y + outline->points[2 * i + 1]) * d;
  }
  double area = (double)stats->area_px;
  double px_area = calibrated ? n->um_per_px * n->um_per_px : d * d;
  const double values[] = { area * px_area, (double)stats->sum_stain / area * n->od_unit,
                            (double)stats->sum_background / area * n->od_unit };
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
emit_objects(VtRun *run, Nuclei *n)
{
  VtOutline outline = { 0 };
  VitrailStatus status = VITRAIL_OK;
  for (int64_t i = 0; i < n->n_objects && status == VITRAIL_OK; i++)
    status = vt_cancelled(&run->cancel) ? VITRAIL_CANCELLED : emit_one_object(run, n, i, &outline);
  vt_outline_clear(&outline);
  return status;
}

VitrailStatus
vt_op_nuclei(VtRun *run)
{
  static VitrailStatus (*const stages[N_STAGES])(VtRun *, Nuclei *) = {
    find_hematoxylin, find_background, find_residue, find_mask,    fill_holes,
    find_distance,    find_seeds,      find_labels,  emit_objects,
  };
  TRY(vt_grid_resolve(run, vt_input(run, "image")));
  TRY(vt_raster_check_budget(run, vt_grid_rect(run), 80));
  Nuclei n = { .um_per_px = run->grid.um_per_px > 0 ? run->grid.um_per_px : 1,
               .algorithm = vt_param_choice(run, "algorithm") };
  VitrailStatus status = VITRAIL_OK;
  for (uint32_t stage = 0; stage < N_STAGES && run->wanted >> stage && status == VITRAIL_OK; stage++) {
    vt_stage_begin(run);
    status = stages[stage](run, &n);
    if (status == VITRAIL_OK)
      status = vt_stage_end(run, stage);
  }
  free(n.objects);
  return status;
}
