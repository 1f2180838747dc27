/* SPDX-License-Identifier: MIT
 *
 * The op `distance`: foreground by a threshold, exact distance in µm (pixels without a pixel size). */
#include <math.h>

#include "vt-run-context.h"

enum { DISTANCE_BYTES = 25 }; /* for each pixel, at most */

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

static VitrailStatus
distance_rect(VtRun *run, VtRect rect, void *user, VtImage *distance)
{
  VtImage image, channel, foreground;
  double scale;
  VitrailStatus status = vt_read_input(run, vt_input(run, "image"), rect, &image);
  if (status == VITRAIL_OK)
    status = vt_channel(run, vt_param_choice(run, "channel"), &image, &channel, &scale);
  if (status == VITRAIL_OK)
    status = vt_raster_alloc(run, &foreground, VITRAIL_U8, rect.width, rect.height);
  if (status == VITRAIL_OK)
    status = vt_raster_alloc(run, distance, VITRAIL_F32, rect.width, rect.height);
  if (status != VITRAIL_OK)
    return status;
  double threshold = vt_param(run, "threshold") / scale;
  if (image.type == VITRAIL_RGBA8)
    threshold = round(threshold);
  ForegroundJob job = { &channel, &foreground, threshold };
  status = vt_local(run, rect.width, rect.height, foreground_tile, &job);
  if (status == VITRAIL_OK)
    status = vt_distance(run, &foreground, distance, run->grid.um_per_px > 0 ? (float)run->grid.um_per_px : 1);
  return status;
}

/* A background pixel outside is at least as far away as the nearest open side. */
static VitrailStatus
find_certain(VtRun *run, VtRect rect, const bool open[4], void *user, const VtImage *distance, const VtImage *certain)
{
  const float scale = run->grid.um_per_px > 0 ? (float)run->grid.um_per_px : 1;
  for (int64_t y = 0; y < rect.height; y++) {
    const float *row = vt_image_at(distance, 0, y);
    uint8_t *out = vt_image_at(certain, 0, y);
    for (int64_t x = 0; x < rect.width; x++) {
      int64_t way = INT64_MAX;
      way = open[VT_SIDE_LEFT] && x + 1 < way ? x + 1 : way;
      way = open[VT_SIDE_TOP] && y + 1 < way ? y + 1 : way;
      way = open[VT_SIDE_RIGHT] && rect.width - x < way ? rect.width - x : way;
      way = open[VT_SIDE_BOTTOM] && rect.height - y < way ? rect.height - y : way;
      out[x] = row[x] <= (float)way * scale ? 255 : 0;
    }
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_op_distance(VtRun *run)
{
  static const VtView view = { DISTANCE_BYTES, 1, distance_rect, find_certain };
  VitrailStatus status = vt_grid_resolve(run, vt_input(run, "image"));
  if (status == VITRAIL_OK && vt_run_streams(run, vt_grid_rect(run), DISTANCE_BYTES))
    return vt_op_distance_streamed(run);
  if (status != VITRAIL_OK)
    return status;
  vt_stage_begin(run);
  VtImage distance, certain;
  status = vt_view_exact(run, &view, NULL, &distance, &certain);
  if (status == VITRAIL_OK)
    status = vt_emit_raster(run, 0, &distance, 1);
  if (status == VITRAIL_OK)
    status = vt_stage_end(run, 0);
  if (status == VITRAIL_OK && certain.data)
    status = vt_emit_raster(run, 1, &certain, 1);
  return status;
}
