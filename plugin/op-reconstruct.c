/* SPDX-License-Identifier: MIT
 *
 * The op `reconstruct`: a mask, and a marker given or made from the mask (Karas' h-max marker). */
#include <math.h>
#include <string.h>

#include "vt-run-context.h"

typedef struct {
  const VtImage *mask, *marker;
  double height;
} MarkerJob;

#define LOWER(T, lowest) \
  for (int64_t y = 0; y < t.height; y++) { \
    const T *from = vt_image_at(job->mask, t.x, t.y + y); \
    T *to = vt_image_at(job->marker, t.x, t.y + y); \
    for (int64_t x = 0; x < t.width; x++) \
      to[x] = (double)from[x] - job->height > (double)(lowest) ? (T)((double)from[x] - job->height) : (T)(lowest); \
  }

static VitrailStatus
lower_tile(VtRun *run, VtRect t, void *user)
{
  (void)run;
  MarkerJob *job = user;
  switch (job->mask->type) {
  case VITRAIL_U8: LOWER(uint8_t, 0); break;
  case VITRAIL_U16: LOWER(uint16_t, 0); break;
  case VITRAIL_I32: LOWER(int32_t, INT32_MIN); break;
  case VITRAIL_F32: LOWER(float, -INFINITY); break;
  default: return VITRAIL_BAD_ARGUMENT;
  }
  return VITRAIL_OK;
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

static VitrailStatus
read_marker(VtRun *run, const VitrailInput *mask_input, const VtImage *mask, VtRect rect, VtImage *marker)
{
  const VitrailInput *input = vt_input(run, "marker");
  if (input->width_l0 != mask_input->width_l0 || input->height_l0 != mask_input->height_l0)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT,
                   "The marker is %lld x %lld pixels and the mask %lld x %lld; they must agree.",
                   (long long)input->width_l0, (long long)input->height_l0, (long long)mask_input->width_l0,
                   (long long)mask_input->height_l0);
  if (input->type != mask->type)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, "The marker and the mask must have the same pixel type.");
  return vt_read_input(run, input, rect, marker);
}

VitrailStatus
vt_op_reconstruct(VtRun *run)
{
  const VitrailInput *input = vt_input(run, "mask");
  VitrailStatus status = vt_grid_resolve(run, input);
  if (status == VITRAIL_OK)
    status = vt_raster_check_budget(run, vt_grid_rect(run), 16);
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
    status = read_marker(run, input, &mask, rect, &marker);
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
