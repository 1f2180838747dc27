/* SPDX-License-Identifier: MIT */
#include "recipes/foreground.h"
#include "run/parallel.h"

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
vt_local_foreground(VtRun *run, const VtImage *image, const VtImage *dst, double threshold)
{
  ForegroundJob job = { image, dst, threshold };
  return vt_local(run, image->width, image->height, foreground_tile, &job);
}
