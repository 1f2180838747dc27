/* SPDX-License-Identifier: MIT */
#include "executors/bounded-regions.h"

#include <stdlib.h>
#include <string.h>

#include "drivers/local.h"
#include "drivers/sides.h"
#include "executors/bounded.h"
#include "executors/host.h"
#include "run/parallel.h"
#include "run/raster.h"

typedef struct {
  VtExec *exec;
  const VtLocalStep *step;
  VtImage differs, score_high; /* differs (U8): not 0 where the bounds of an input differ; no data: nowhere */
} CodesJob;

static VitrailStatus
compare_tile(VtRun *run, VtRect t, void *user)
{
  const CodesJob *job = user;
  for (int64_t y = t.y; y < t.y + t.height; y++) {
    uint8_t *differs = vt_image_at(&job->differs, 0, y);
    memset(differs + t.x, 0, (size_t)t.width);
    for (int k = 0; k < VT_LOCAL_IN && job->step->in[k]; k++) {
      const VtImage high = vt_bounds_high(job->exec, job->step->in[k]);
      const size_t px = vt_type_size(high.type);
      const char *a = vt_image_at(job->step->in[k], 0, y), *b = vt_image_at(&high, 0, y);
      for (int64_t x = t.x; x < t.x + t.width; x++)
        differs[x] |= memcmp(a + (size_t)x * px, b + (size_t)x * px, px) != 0;
    }
    if (vt_cancelled_at(run, y))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

static void
make_unsure(const CodesJob *job, int64_t x, int64_t y)
{
  *(int32_t *)vt_image_at(job->step->out[0], x, y) = VT_UNSURE;
  *(uint16_t *)vt_image_at(job->step->out[1], x, y) = 0;
  *(uint16_t *)vt_image_at(&job->score_high, x, y) = UINT16_MAX;
}

/* A side that is as far away as the halo reaches is still seen to be there. */
static VitrailStatus
side_tile(VtRun *run, VtRect t, void *user)
{
  const CodesJob *job = user;
  const bool *open = ((const VtBounds *)job->exec->own)->open;
  const int64_t width = job->score_high.width, height = job->score_high.height, halo = job->step->halo;
  for (int64_t y = t.y; y < t.y + t.height; y++)
    for (int64_t x = t.x; x < t.x + t.width; x++)
      if ((open[VT_SIDE_LEFT] && x <= halo) || (open[VT_SIDE_TOP] && y <= halo)
          || (open[VT_SIDE_RIGHT] && width - 1 - x <= halo) || (open[VT_SIDE_BOTTOM] && height - 1 - y <= halo))
        make_unsure(job, x, y);
  return VITRAIL_OK;
}

/* sums[y * (width + 1) + x]: pixels of the window that differ, above row y and left of column x. */
static void
sum_up(const VtImage *differs, int32_t *sums)
{
  const int64_t stride = differs->width + 1;
  memset(sums, 0, (size_t)stride * sizeof *sums);
  for (int64_t y = 0; y < differs->height; y++) {
    const uint8_t *row = vt_image_at(differs, 0, y);
    int32_t in_row = 0;
    sums[(y + 1) * stride] = 0;
    for (int64_t x = 0; x < differs->width; x++) {
      in_row += row[x] != 0;
      sums[(y + 1) * stride + x + 1] = sums[y * stride + x + 1] + in_row;
    }
  }
}

static VitrailStatus
near_tile(VtRun *run, const VtLocalTile *t, void *user)
{
  const CodesJob *job = user;
  const int64_t halo = job->step->halo, width = t->window.width, height = t->window.height, stride = width + 1;
  int32_t *sums = malloc((size_t)(stride * (height + 1)) * sizeof *sums);
  if (!sums)
    return vt_fail(run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory to say what is certain."));
  sum_up(&t->in[0], sums);
  for (int64_t y = t->tile.y; y < t->tile.y + t->tile.height; y++)
    for (int64_t x = t->tile.x; x < t->tile.x + t->tile.width; x++) {
      const int64_t u = x - t->window.x, v = y - t->window.y;
      const int64_t left = u > halo ? u - halo : 0, top = v > halo ? v - halo : 0;
      const int64_t right = u + halo + 1 < width ? u + halo + 1 : width;
      const int64_t bottom = v + halo + 1 < height ? v + halo + 1 : height;
      if (sums[bottom * stride + right] - sums[top * stride + right] - sums[bottom * stride + left]
            + sums[top * stride + left]
          > 0)
        make_unsure(job, x, y);
    }
  free(sums);
  return VITRAIL_OK;
}

VitrailStatus
vt_bounds_codes(VtExec *exec, const VtLocalStep *step, bool is_sure)
{
  VtRun *run = exec->run;
  const VtImage *codes = step->out[0];
  CodesJob job = { .exec = exec, .step = step, .score_high = vt_bounds_high(exec, step->out[1]) };
  TRY(vt_host_local(exec, step));
  TRY(vt_local_copy(run, step->out[1], &job.score_high));
  TRY(vt_local(run, codes->width, codes->height, side_tile, &job));
  if (is_sure)
    return VITRAIL_OK;
  TRY(vt_raster_alloc(run, &job.differs, VITRAIL_U8, codes->width, codes->height));
  TRY(vt_local(run, codes->width, codes->height, compare_tile, &job));
  /* out[0] only says how large the image is: the tiles of others are not written. */
  const VtLocalStep near = { .in = { &job.differs },
                             .out = { codes },
                             .halo = step->halo,
                             .body_bytes = sizeof(int32_t),
                             .by_window = true,
                             .body = near_tile,
                             .user = &job };
  TRY(vt_host_local(exec, &near));
  vt_host_free(exec, &job.differs);
  return VITRAIL_OK;
}
