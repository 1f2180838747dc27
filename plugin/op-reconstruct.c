/* SPDX-License-Identifier: MIT
 *
 * The op `reconstruct`: a mask, and a marker given or made from the mask (Karas' h-max marker). */
#include <math.h>
#include <string.h>

#include "vt-run-context.h"

enum { RECONSTRUCT_BYTES = 17 }; /* for each pixel, at most */

#define LOWER(T, lowest) \
  for (int64_t y = 0; y < mask->height; y++) { \
    const T *from = vt_image_at(mask, 0, y); \
    T *to = vt_image_at(marker, 0, y); \
    for (int64_t x = 0; x < mask->width; x++) \
      to[x] = (double)from[x] - height > (double)(lowest) ? (T)((double)from[x] - height) : (T)(lowest); \
  }

VitrailStatus
vt_marker_lower(const VtImage *mask, const VtImage *marker, double height)
{
  switch (mask->type) {
  case VITRAIL_U8: LOWER(uint8_t, 0); break;
  case VITRAIL_U16: LOWER(uint16_t, 0); break;
  case VITRAIL_I32: LOWER(int32_t, INT32_MIN); break;
  case VITRAIL_F32: LOWER(float, -INFINITY); break;
  default: return VITRAIL_BAD_ARGUMENT;
  }
  return VITRAIL_OK;
}

typedef struct {
  const VtImage *mask, *marker;
  double height;
} MarkerJob;

static VitrailStatus
lower_tile(VtRun *run, VtRect t, void *user)
{
  (void)run;
  MarkerJob *job = user;
  const VtImage mask = vt_image_window(job->mask, t.x, t.y, t.width, t.height);
  const VtImage marker = vt_image_window(job->marker, t.x, t.y, t.width, t.height);
  return vt_marker_lower(&mask, &marker, job->height);
}

static VitrailStatus
make_marker(VtRun *run, const VtImage *mask, double scale, VtImage *marker)
{
  VitrailStatus status = vt_raster_alloc(run, marker, mask->type, mask->width, mask->height);
  if (status != VITRAIL_OK)
    return status;
  double height = vt_param(run, "height") / scale;
  if (mask->type != VITRAIL_F32)
    height = round(height);
  vt_record(run, "height-raw", height);
  MarkerJob job = { mask, marker, height };
  return vt_local(run, mask->width, mask->height, lower_tile, &job);
}

VitrailStatus
vt_marker_check(VtRun *run, const VitrailInput *mask_input, VtType type)
{
  const VitrailInput *input = vt_input(run, "marker");
  if (input->width_l0 != mask_input->width_l0 || input->height_l0 != mask_input->height_l0)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT,
                   "The marker is %lld x %lld pixels and the mask %lld x %lld; they must agree.",
                   (long long)input->width_l0, (long long)input->height_l0, (long long)mask_input->width_l0,
                   (long long)mask_input->height_l0);
  if (input->type != type)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, "The marker and the mask must have the same pixel type.");
  return VITRAIL_OK;
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

/* The outside as low as it can be has given `low`; as high as it can be gives `high`. What they agree on is certain. */
static VitrailStatus
find_certain(VtRun *run, VtRect rect, const bool open[4], void *user, const VtImage *low, const VtImage *certain)
{
  const ViewJob *job = user;
  const size_t px = vt_type_size(low->type);
  VtImage high;
  VitrailStatus status = vt_raster_alloc(run, &high, low->type, rect.width, rect.height);
  if (status != VITRAIL_OK)
    return status;
  for (int64_t y = 0; y < rect.height; y++)
    memcpy(vt_image_at(&high, 0, y), vt_image_at(low, 0, y), (size_t)rect.width * px);
  vt_copy_sides(&high, &job->mask, open); /* the most that can come in from outside is the mask itself */
  status = vt_reconstruct(run, &high, &job->mask, job->connectivity, vt_param_choice(run, "algorithm"));
  for (int64_t y = 0; y < rect.height && status == VITRAIL_OK; y++)
    for (int64_t x = 0; x < rect.width; x++)
      if (memcmp(vt_image_at(&high, x, y), vt_image_at(low, x, y), px) != 0)
        *(uint8_t *)vt_image_at(certain, x, y) = 0;
  return status;
}

VitrailStatus
vt_op_reconstruct(VtRun *run)
{
  static const VtView view = { RECONSTRUCT_BYTES, 1, reconstruct_rect, find_certain };
  VitrailStatus status = vt_grid_resolve(run, vt_input(run, "mask"));
  if (status == VITRAIL_OK && vt_run_streams(run, vt_grid_rect(run), RECONSTRUCT_BYTES))
    return vt_op_reconstruct_streamed(run);
  if (status != VITRAIL_OK)
    return status;
  vt_stage_begin(run);
  ViewJob job = { .erosion = strcmp(vt_param_choice(run, "method"), "erosion") == 0,
                  .connectivity = strcmp(vt_param_choice(run, "connectivity"), "4") == 0 ? 4 : 8 };
  VtImage result, certain;
  status = vt_view_exact(run, &view, &job, &result, &certain);
  if (status == VITRAIL_OK && job.erosion)
    status = vt_complement(run, &result);
  if (status == VITRAIL_OK)
    status = vt_emit_raster(run, 0, &result, job.scale);
  if (status == VITRAIL_OK)
    status = vt_stage_end(run, 0);
  if (status == VITRAIL_OK && certain.data)
    status = vt_emit_raster(run, 1, &certain, 1);
  return status;
}
