/* SPDX-License-Identifier: MIT
 *
 * What the plugin itself does to whole rasters. A tile writes its own pixels only, so tiles may run in any order and at the
 * same time. */
#include <string.h>

#include "drivers/local.h"
#include "run/parallel.h"

typedef struct {
  const VtImage *image;
  uint8_t value;
  atomic_llong n;
} BytesJob;

static VitrailStatus
fill_tile(VtRun *run, VtRect t, void *user)
{
  const BytesJob *job = user;
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
