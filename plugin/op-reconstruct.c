/* SPDX-License-Identifier: MIT
 *
 * The op `reconstruct`: a mask, and a marker given or made from the mask (Karas' h-max marker). */
#include <math.h>
#include <string.h>

#include "vt-run-context.h"

enum { RECONSTRUCT_BYTES = 16 }; /* for each pixel, at most */

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

VitrailStatus
vt_op_reconstruct(VtRun *run)
{
  const VitrailInput *input = vt_input(run, "mask");
  VitrailStatus status = vt_grid_resolve(run, input);
  if (status == VITRAIL_OK && vt_run_streams(run, vt_grid_rect(run), RECONSTRUCT_BYTES))
    return vt_op_reconstruct_streamed(run);
  if (status == VITRAIL_OK)
    status = vt_raster_check_budget(run, vt_grid_rect(run), RECONSTRUCT_BYTES);
  if (status != VITRAIL_OK)
    return status;
  vt_stage_begin(run);
  VtRect rect = vt_grid_rect(run);
  bool erosion = strcmp(vt_param_choice(run, "method"), "erosion") == 0;
  int32_t connectivity = strcmp(vt_param_choice(run, "connectivity"), "4") == 0 ? 4 : 8;
  VtImage image, mask, marker;
  double scale;
  status = vt_read_input(run, input, rect, &image);
  if (status == VITRAIL_OK)
    status = vt_channel(run, vt_param_choice(run, "channel"), &image, &mask, &scale);
  if (status == VITRAIL_OK && vt_input(run, "marker"))
    status = vt_marker_check(run, input, mask.type);
  if (status == VITRAIL_OK && vt_input(run, "marker"))
    status = vt_read_input(run, vt_input(run, "marker"), rect, &marker);
  if (status == VITRAIL_OK && erosion)
    status = vt_complement(run, &mask);
  if (status == VITRAIL_OK && !vt_input(run, "marker")) /* below the complement: above the mask itself */
    status = make_marker(run, &mask, scale, &marker);
  else if (status == VITRAIL_OK && erosion)
    status = vt_complement(run, &marker);
  if (status == VITRAIL_OK)
    status = vt_reconstruct(run, &marker, &mask, connectivity, vt_param_choice(run, "algorithm"));
  if (status == VITRAIL_OK && erosion)
    status = vt_complement(run, &marker);
  if (status == VITRAIL_OK)
    status = vt_emit_raster(run, 0, &marker, scale);
  return status == VITRAIL_OK ? vt_stage_end(run, 0) : status;
}
