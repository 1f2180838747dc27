/* SPDX-License-Identifier: MIT
 *
 * The local driver: ops of bounded reach, tile by tile. A tile reads its halo from the whole source raster and writes its
 * own pixels only, so tiles may run in any order and at the same time. */
#include <math.h>
#include <string.h>

#include "drivers/local.h"
#include "run/parallel.h"

/* --- tables, pointwise, erosion, smoothing over a whole raster --- */

typedef struct {
  const VtImage *src, *dst;
  const int32_t *table;
} Lut3Job;

static VitrailStatus
lut3_tile(VtRun *run, VtRect t, void *user)
{
  Lut3Job *job = user;
  VtLut3 args = {
    .src = vt_image_window(job->src, t.x, t.y, t.width, t.height),
    .dst = vt_image_window(job->dst, t.x, t.y, t.width, t.height),
    .table = job->table,
  };
  return run->cpu->lut3(run->cpu_device, &args, &run->cancel);
}

VitrailStatus
vt_local_lut3(VtRun *run, const int32_t *table, const VtImage *src, const VtImage *dst)
{
  Lut3Job job = { src, dst, table };
  return vt_local(run, src->width, src->height, lut3_tile, &job);
}

typedef struct {
  VtPointwiseOp op;
  const VtImage *a, *b, *dst;
  double s;
} PointwiseJob;

static VitrailStatus
pointwise_tile(VtRun *run, VtRect t, void *user)
{
  PointwiseJob *job = user;
  VtPointwise args = {
    .op = job->op,
    .a = vt_image_window(job->a, t.x, t.y, t.width, t.height),
    .dst = vt_image_window(job->dst, t.x, t.y, t.width, t.height),
    .s = job->s,
  };
  if (job->b)
    args.b = vt_image_window(job->b, t.x, t.y, t.width, t.height);
  return run->cpu->pointwise(run->cpu_device, &args, &run->cancel);
}

VitrailStatus
vt_local_pointwise(VtRun *run, VtPointwiseOp op, const VtImage *a, const VtImage *b, const VtImage *dst, double s)
{
  PointwiseJob job = { op, a, b, dst, s };
  return vt_local(run, a->width, a->height, pointwise_tile, &job);
}

typedef struct {
  const VtImage *image;
  uint8_t value;
  atomic_llong n;
} BytesJob;

static VitrailStatus
fill_tile(VtRun *run, VtRect t, void *user)
{
  const BytesJob *job = user;
  (void)run;
  for (int64_t y = t.y; y < t.y + t.height; y++)
    memset(vt_image_at(job->image, t.x, y), job->value, (size_t)t.width);
  return VITRAIL_OK;
}

VitrailStatus
vt_local_fill(VtRun *run, const VtImage *image, uint8_t value)
{
  BytesJob job = { .image = image, .value = value };
  return vt_local(run, image->width, image->height, fill_tile, &job);
}

static VitrailStatus
count_tile(VtRun *run, VtRect t, void *user)
{
  BytesJob *job = user;
  int64_t n = 0;
  (void)run;
  for (int64_t y = t.y; y < t.y + t.height; y++) {
    const uint8_t *row = vt_image_at(job->image, t.x, y);
    for (int64_t x = 0; x < t.width; x++)
      n += row[x] == 0;
  }
  atomic_fetch_add(&job->n, n);
  return VITRAIL_OK;
}

VitrailStatus
vt_local_count_zeros(VtRun *run, const VtImage *image, int64_t *n)
{
  BytesJob job = { .image = image };
  const VitrailStatus status = vt_local(run, image->width, image->height, count_tile, &job);
  *n = atomic_load(&job.n);
  return status;
}

typedef struct {
  const VtImage *from, *to;
} CopyJob;

static VitrailStatus
copy_tile(VtRun *run, VtRect t, void *user)
{
  const CopyJob *job = user;
  (void)run;
  for (int64_t y = t.y; y < t.y + t.height; y++) {
    const uint8_t *from8 = vt_image_at(job->from, t.x, y);
    const uint16_t *from16 = vt_image_at(job->from, t.x, y);
    uint8_t *to8 = vt_image_at(job->to, t.x, y);
    uint16_t *to16 = vt_image_at(job->to, t.x, y);
    if (job->from->type == job->to->type)
      memcpy(to8, from8, (size_t)t.width * vt_type_size(job->from->type));
    for (int64_t x = 0; x < t.width && job->from->type < job->to->type; x++)
      to16[x] = from8[x];
    for (int64_t x = 0; x < t.width && job->from->type > job->to->type; x++)
      to8[x] = (uint8_t)from16[x];
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_local_copy(VtRun *run, const VtImage *from, const VtImage *to)
{
  CopyJob job = { from, to };
  return vt_local(run, from->width, from->height, copy_tile, &job);
}

typedef struct {
  const VtImage *src, *dst;
  int32_t radius;
  const uint32_t *weights;
} HaloJob;

/* The tile's window in src with a halo as wide as the reach, and where the tile lies in it. */
static VtImage
window_with_halo(const HaloJob *job, VtRect t, int64_t *x0, int64_t *y0)
{
  int64_t left = t.x < job->radius ? t.x : job->radius, top = t.y < job->radius ? t.y : job->radius;
  int64_t right = job->src->width - t.x - t.width, bottom = job->src->height - t.y - t.height;
  right = right < job->radius ? right : job->radius;
  bottom = bottom < job->radius ? bottom : job->radius;
  *x0 = left;
  *y0 = top;
  return vt_image_window(job->src, t.x - left, t.y - top, left + t.width + right, top + t.height + bottom);
}

static VitrailStatus
erode_tile(VtRun *run, VtRect t, void *user)
{
  HaloJob *job = user;
  VtErodeDisc args = { .dst = vt_image_window(job->dst, t.x, t.y, t.width, t.height), .radius = job->radius };
  args.src = window_with_halo(job, t, &args.x0, &args.y0);
  return run->cpu->erode_disc(run->cpu_device, &args, &run->cancel);
}

VitrailStatus
vt_local_erode(VtRun *run, const VtImage *src, const VtImage *dst, int32_t radius)
{
  HaloJob job = { src, dst, radius, NULL };
  return vt_local(run, src->width, src->height, erode_tile, &job);
}

static VitrailStatus
smooth_tile(VtRun *run, VtRect t, void *user)
{
  HaloJob *job = user;
  VtSmooth args = {
    .dst = vt_image_window(job->dst, t.x, t.y, t.width, t.height),
    .radius = job->radius,
    .weights = job->weights,
  };
  args.src = window_with_halo(job, t, &args.x0, &args.y0);
  return run->cpu->smooth(run->cpu_device, &args, &run->cancel);
}

/* Gaussian weights as whole numbers that add up to 65536 exactly, cut at 3 sigma. Below a tenth of a pixel: the pixel
 * itself. */
int32_t
vt_gaussian_weights(double sigma_px, uint32_t weights[513])
{
  int32_t radius = sigma_px < 0.1 ? 0 : (int32_t)fmin(ceil(3 * sigma_px), 512);
  double sum = 1;
  for (int32_t i = 1; i <= radius; i++)
    sum += 2 * exp(-0.5 * i * i / (sigma_px * sigma_px));
  uint32_t rest = 0;
  for (int32_t i = 1; i <= radius; i++) {
    weights[i] = (uint32_t)floor(65536 * exp(-0.5 * i * i / (sigma_px * sigma_px)) / sum + 0.5);
    rest += 2 * weights[i];
  }
  weights[0] = 65536 - rest;
  return radius;
}

VitrailStatus
vt_local_smooth(VtRun *run, const VtImage *src, const VtImage *dst, double sigma_px)
{
  uint32_t weights[513];
  HaloJob job = { src, dst, vt_gaussian_weights(sigma_px, weights), weights };
  return vt_local(run, src->width, src->height, smooth_tile, &job);
}
