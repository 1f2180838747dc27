/* SPDX-License-Identifier: MIT
 *
 * The op `reconstruct`: a mask, and a marker given or made from the mask (Karas' h-max marker). */
#include <math.h>
#include <string.h>

#include "drivers/channel.h"
#include "drivers/local.h"
#include "drivers/propagate.h"
#include "drivers/sides.h"
#include "engine/view-exact.h"
#include "recipes/marker.h"
#include "recipes/ops.h"
#include "run/grid.h"
#include "run/params.h"
#include "run/raster.h"

enum { RECONSTRUCT_BYTES = 17 }; /* for each pixel, at most */

static VitrailStatus
height_marker(VtRun *run, const VtImage *mask, double scale, const VtImage *marker)
{
  const double height = vt_param_height(run, mask->type, scale);
  vt_record(run, "height-raw", height);
  return vt_local_lower(run, mask, marker, height);
}

#define BRIGHTEST(T) \
  for (int64_t y = 0; y < image->height; y++) { \
    const T *row = vt_image_at(image, 0, y); \
    for (int64_t x = 0; x < image->width; x++) \
      if (row[x] > *(const T *)vt_image_at(image, *at_x, *at_y)) \
        *at_x = x, *at_y = y; \
    if (vt_cancelled_at(run, y)) \
      return VITRAIL_CANCELLED; \
  }

/* The first of the brightest, row by row. */
static VitrailStatus
find_brightest(VtRun *run, const VtImage *image, int64_t *at_x, int64_t *at_y)
{
  *at_x = *at_y = 0;
  switch (image->type) {
  case VITRAIL_U8: BRIGHTEST(uint8_t); break;
  case VITRAIL_U16: BRIGHTEST(uint16_t); break;
  case VITRAIL_I32: BRIGHTEST(int32_t); break;
  default: BRIGHTEST(float); break;
  }
  return VITRAIL_OK;
}

typedef enum { H_MAX, ONE_PIXEL, BORDER } MarkerKind;

static MarkerKind
marker_kind(const VtRun *run)
{
  return (MarkerKind)vt_param(run, "marker-kind");
}

/* Nothing, but for the mask's values at some sides: what a border brings. */
static VitrailStatus
side_marker(VtRun *run, const VtImage *mask, const bool sides[4], const VtImage *marker)
{
  const VitrailStatus status = vt_local_lower(run, mask, marker, INFINITY);
  if (status == VITRAIL_OK)
    vt_copy_sides(marker, mask, sides);
  return status;
}

/* By erosion all of it happens to complements. */
static VitrailStatus
make_marker(VtRun *run, const VtImage *mask, double scale, VtImage *marker)
{
  static const bool all_sides[4] = { true, true, true, true }, no_side[4] = { false };
  int64_t x, y;
  TRY(vt_raster_alloc(run, marker, mask->type, mask->width, mask->height));
  switch (marker_kind(run)) {
  case H_MAX: return height_marker(run, mask, scale, marker);
  case BORDER: return side_marker(run, mask, all_sides, marker);
  default:
    TRY(find_brightest(run, mask, &x, &y));
    TRY(side_marker(run, mask, no_side, marker));
    memcpy(vt_image_at(marker, x, y), vt_image_at(mask, x, y), vt_type_size(mask->type));
    vt_record(run, "marker-x", (double)(run->grid.x + x));
    vt_record(run, "marker-y", (double)(run->grid.y + y));
    return VITRAIL_OK;
  }
}

typedef struct {
  VtImage mask; /* by erosion: complements, like the result until it is emitted */
  double scale;
  bool erosion;
  int32_t connectivity;
} ViewJob;

static VitrailStatus
reconstruct_rect(VtRun *run, VtRect rect, void *user, VtImage *marker)
{
  ViewJob *job = user;
  const VitrailInput *input = vt_input(run, "mask"), *marker_input = vt_input(run, "marker");
  VtImage image;
  VitrailStatus status = vt_read_input(run, input, rect, &image);
  if (status == VITRAIL_OK)
    status = vt_channel(run, vt_param_choice(run, "channel"), &image, &job->mask, &job->scale);
  if (status == VITRAIL_OK && marker_input)
    status = vt_marker_check(run, input, job->mask.type);
  if (status == VITRAIL_OK && marker_input)
    status = vt_read_input(run, marker_input, rect, marker);
  if (status == VITRAIL_OK && job->erosion)
    status = vt_complement(run, &job->mask);
  if (status == VITRAIL_OK && !marker_input) /* below the complement: above the mask itself */
    status = make_marker(run, &job->mask, job->scale, marker);
  else if (status == VITRAIL_OK && job->erosion)
    status = vt_complement(run, marker);
  if (status == VITRAIL_OK)
    status = vt_reconstruct(run, marker, &job->mask, job->connectivity, vt_param_choice(run, "algorithm"));
  return status;
}

/* The outside as low as it can be, and as high, gives two answers; what they agree on is certain. The result is one of the
 * two: with a marker from the border all sides were at their highest, with others the outside was not there. */
static VitrailStatus
find_certain(VtRun *run, VtRect rect, const bool open[4], void *user, const VtImage *result, const VtImage *certain)
{
  const ViewJob *job = user;
  const size_t px = vt_type_size(result->type);
  VtImage other;
  TRY(vt_raster_alloc(run, &other, result->type, rect.width, rect.height));
  if (marker_kind(run) == BORDER) {
    const bool closed[4] = { !open[0], !open[1], !open[2], !open[3] };
    TRY(side_marker(run, &job->mask, closed, &other));
  } else {
    TRY(vt_local_copy(run, result, &other));
    vt_copy_sides(&other, &job->mask, open); /* the most that can come in from outside is the mask itself */
  }
  TRY(vt_reconstruct(run, &other, &job->mask, job->connectivity, vt_param_choice(run, "algorithm")));
  for (int64_t y = 0; y < rect.height; y++) {
    for (int64_t x = 0; x < rect.width; x++)
      if (memcmp(vt_image_at(&other, x, y), vt_image_at(result, x, y), px) != 0)
        *(uint8_t *)vt_image_at(certain, x, y) = 0;
    if (vt_cancelled_at(run, y))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

/* One bright pixel is one of the region: the whole slide's answer grows from another, so nothing is certain. */
static VitrailStatus
one_pixel(VtRun *run, ViewJob *job, VtImage *result, VtImage *certain)
{
  if (strcmp(vt_param_choice(run, "context"), "exact") == 0)
    return vt_fail(
      run, VITRAIL_BAD_ARGUMENT,
      TR("The marker \"one-pixel\" is a pixel of the region, and its answer the region's alone; set context "
         "to region."));
  *certain = (VtImage){ 0 };
  vt_record_text(run, "certain", "none: the marker is a pixel of the region");
  TRY(vt_raster_check_budget(run, vt_grid_rect(run), RECONSTRUCT_BYTES));
  return reconstruct_rect(run, vt_grid_rect(run), job, result);
}

VitrailStatus
vt_op_reconstruct(VtRun *run)
{
  static const VtView view = { RECONSTRUCT_BYTES, 1, reconstruct_rect, find_certain };
  TRY(vt_grid_resolve(run, vt_input(run, "mask")));
  if (marker_kind(run) != H_MAX && vt_input(run, "marker"))
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, "A marker image is given, so marker-kind can't be \"%s\".",
                   vt_param_choice(run, "marker-kind"));
  if (vt_run_streams(run, vt_grid_rect(run), RECONSTRUCT_BYTES)) {
    if (marker_kind(run) != H_MAX)
      return vt_fail(run, VITRAIL_BAD_ARGUMENT,
                     "The region is too large for the marker \"%s\": in pieces there are only \"h-max\" and a marker "
                     "image. Choose a smaller region or a coarser pixel size.",
                     vt_param_choice(run, "marker-kind"));
    return vt_op_reconstruct_streamed(run);
  }
  vt_stage_begin(run);
  ViewJob job = { .erosion = strcmp(vt_param_choice(run, "method"), "erosion") == 0,
                  .connectivity = strcmp(vt_param_choice(run, "connectivity"), "4") == 0 ? 4 : 8 };
  VtImage result, certain;
  TRY(marker_kind(run) == ONE_PIXEL ? one_pixel(run, &job, &result, &certain)
                                    : vt_view_exact(run, &view, &job, &result, &certain));
  if (job.erosion)
    TRY(vt_complement(run, &result));
  TRY(vt_emit_raster(run, 0, &result, job.scale));
  TRY(vt_stage_end(run, 0));
  return certain.data ? vt_emit_raster(run, 1, &certain, 1) : VITRAIL_OK;
}
