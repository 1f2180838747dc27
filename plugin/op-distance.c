/* SPDX-License-Identifier: MIT
 *
 * The op `distance`: foreground by a threshold, exact distance in µm (pixels without a pixel size). */
#include <math.h>

#include "vt-run-context.h"

enum { DISTANCE_BYTES = 24 }; /* for each pixel, at most */

typedef struct {
  const VtImage *image, *foreground;
  double threshold;
} ForegroundJob;

VitrailStatus
vt_foreground(VtRun *run, const VtImage *image, const VtImage *dst, double threshold)
{
  const VtPointwise args = { .op = VT_PW_ABOVE, .a = *image, .dst = *dst, .s = threshold };
  if (image->type != VITRAIL_I32)
    return run->cpu->pointwise(run->cpu_device, &args, &run->cancel);
  for (int64_t y = 0; y < image->height; y++) {
    const int32_t *from = vt_image_at(image, 0, y);
    uint8_t *to = vt_image_at(dst, 0, y);
    for (int64_t x = 0; x < image->width; x++)
      to[x] = from[x] > threshold ? 255 : 0;
  }
  return VITRAIL_OK;
}

static VitrailStatus
foreground_tile(VtRun *run, VtRect t, void *user)
{
  ForegroundJob *job = user;
  const VtImage image = vt_image_window(job->image, t.x, t.y, t.width, t.height);
  const VtImage foreground = vt_image_window(job->foreground, t.x, t.y, t.width, t.height);
  return vt_foreground(run, &image, &foreground, job->threshold);
}

VitrailStatus
vt_op_distance(VtRun *run)
{
  const VitrailInput *input = vt_input(run, "image");
  VitrailStatus status = vt_grid_resolve(run, input);
  if (status == VITRAIL_OK && vt_run_streams(run, vt_grid_rect(run), DISTANCE_BYTES))
    return vt_op_distance_streamed(run);
  if (status == VITRAIL_OK)
    status = vt_raster_check_budget(run, vt_grid_rect(run), DISTANCE_BYTES);
  if (status != VITRAIL_OK)
    return status;
  vt_stage_begin(run);
  VtRect rect = vt_grid_rect(run);
  VtImage image, channel, foreground, distance;
  double scale;
  status = vt_read_input(run, input, rect, &image);
  if (status == VITRAIL_OK)
    status = vt_channel(run, vt_param_choice(run, "channel"), &image, &channel, &scale);
  if (status == VITRAIL_OK)
    status = vt_raster_alloc(run, &foreground, VITRAIL_U8, rect.width, rect.height);
  if (status == VITRAIL_OK)
    status = vt_raster_alloc(run, &distance, VITRAIL_F32, rect.width, rect.height);
  if (status != VITRAIL_OK)
    return status;
  double threshold = vt_param(run, "threshold") / scale;
  if (image.type == VITRAIL_RGBA8)
    threshold = round(threshold);
  ForegroundJob job = { &channel, &foreground, threshold };
  status = vt_local(run, rect.width, rect.height, foreground_tile, &job);
  if (status == VITRAIL_OK)
    status = vt_distance(run, &foreground, &distance, run->grid.um_per_px > 0 ? (float)run->grid.um_per_px : 1);
  if (status == VITRAIL_OK)
    status = vt_emit_raster(run, 0, &distance, 1);
  return status == VITRAIL_OK ? vt_stage_end(run, 0) : status;
}
