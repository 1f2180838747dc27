/* SPDX-License-Identifier: MIT
 *
 * The steps of a pipeline on images that memory does not hold: an image's `data` is its store. An input is not kept: it is
 * read again where it is looked at, which the table step does once. */
#include <stdlib.h>

#include "executors/streamed.h"
#include "drivers/local.h"
#include "run/raster.h"
#include "scale/stream.h"

static VtStore *
store_of(const VtImage *image)
{
  return image ? image->data : NULL;
}

VitrailStatus
vt_steps_begin_streamed(VtSteps *steps, VtRun *run, const char *algorithm, int32_t n_expected)
{
  *steps = (VtSteps){ .run = run, .backend = run->cpu, .device = run->cpu_device, .algorithm = algorithm };
  steps->streamed = malloc(sizeof *steps->streamed);
  return steps->streamed ? vt_streamed_begin(steps->streamed, run, algorithm, n_expected)
                         : vt_ranks_agree(run, VITRAIL_OUT_OF_MEMORY);
}

VitrailStatus
vt_steps_end_streamed(VtSteps *steps, VitrailStatus status)
{
  if (steps->streamed)
    status = vt_streamed_end(steps->streamed, status);
  free(steps->streamed);
  steps->streamed = NULL;
  return status;
}

VitrailStatus
vt_streamed_alloc(VtSteps *steps, VtImage *image, VtType type)
{
  const VtGrid *grid = &steps->run->grid;
  VtStore *store = NULL;
  const VitrailStatus status = vt_streamed_store(steps->streamed, type, &store);
  *image = (VtImage){ store, grid->width, grid->height, grid->width * (int64_t)vt_type_size(type), type };
  return status;
}

void
vt_streamed_free(VtSteps *steps, VtImage *image)
{
  vt_streamed_drop(steps->streamed, store_of(image));
  *image = (VtImage){ 0 };
}

/* --- tables --- */

typedef struct {
  const VitrailInput *input;
  const int32_t *table;
} TableJob;

static VitrailStatus
table_tile(VtRun *run, const VtStreamTile *t, void *user)
{
  const TableJob *job = user;
  VtImage rgb;
  vt_image_new(&rgb, job->input->type, t->tile.width, t->tile.height);
  const VtLut3 args = { rgb, t->out[0], job->table };
  VitrailStatus status = rgb.data ? vt_stream_read(run, job->input, t->tile, &rgb) : VITRAIL_OUT_OF_MEMORY;
  if (status == VITRAIL_OK)
    status = run->cpu->lut3(run->cpu_device, &args, &run->cancel);
  free(rgb.data);
  return status;
}

VitrailStatus
vt_streamed_lut3(VtSteps *steps, const int32_t *table, const VtImage *dst)
{
  TableJob job = { steps->read, table };
  const VtStreamLocal local = { .out = { store_of(dst) }, .body_bytes = 4, .body = table_tile, .user = &job };
  return vt_streamed_local(steps->streamed, &local);
}

/* --- pointwise, neighbourhoods --- */

static VitrailStatus
pointwise_tile(VtRun *run, const VtStreamTile *t, void *user)
{
  VtPointwise args = *(const VtPointwise *)user;
  args.a = t->in[0];
  args.b = t->in[1];
  args.dst = t->out[0];
  return run->cpu->pointwise(run->cpu_device, &args, &run->cancel);
}

VitrailStatus
vt_streamed_pointwise(VtSteps *steps, VtPointwiseOp op, const VtImage *a, const VtImage *b, const VtImage *dst,
                      double s)
{
  VtPointwise args = { .op = op, .s = s };
  const VtStreamLocal local = {
    .in = { store_of(a), store_of(b) }, .out = { store_of(dst) }, .body = pointwise_tile, .user = &args
  };
  return vt_streamed_local(steps->streamed, &local);
}

static VitrailStatus
erode_tile(VtRun *run, const VtStreamTile *t, void *user)
{
  const VtErodeDisc args = { .src = t->in[0],
                             .dst = t->out[0],
                             .x0 = t->tile.x - t->window.x,
                             .y0 = t->tile.y - t->window.y,
                             .radius = *(const int32_t *)user };
  return t->backend->erode_disc ? t->backend->erode_disc(t->device, &args, &run->cancel) : VITRAIL_UNSUPPORTED;
}

VitrailStatus
vt_streamed_erode(VtSteps *steps, const VtImage *src, const VtImage *dst, int32_t radius)
{
  const VtStreamLocal local = { .in = { store_of(src) },
                                .out = { store_of(dst) },
                                .halo = radius,
                                .by_slots = true,
                                .body = erode_tile,
                                .user = &radius };
  return vt_streamed_local(steps->streamed, &local);
}

typedef struct {
  int32_t radius;
  uint32_t weights[513];
} SmoothJob;

static VitrailStatus
smooth_tile(VtRun *run, const VtStreamTile *t, void *user)
{
  const SmoothJob *job = user;
  const VtSmooth args = { .src = t->in[0],
                          .dst = t->out[0],
                          .x0 = t->tile.x - t->window.x,
                          .y0 = t->tile.y - t->window.y,
                          .radius = job->radius,
                          .weights = job->weights };
  return t->backend->smooth ? t->backend->smooth(t->device, &args, &run->cancel) : VITRAIL_UNSUPPORTED;
}

VitrailStatus
vt_streamed_smooth(VtSteps *steps, const VtImage *src, const VtImage *dst, double sigma_px)
{
  SmoothJob job;
  job.radius = vt_gaussian_weights(sigma_px, job.weights);
  const VtStreamLocal local = { .in = { store_of(src) },
                                .out = { store_of(dst) },
                                .halo = job.radius,
                                .by_slots = true,
                                .body = smooth_tile,
                                .user = &job };
  return vt_streamed_local(steps->streamed, &local);
}

static VitrailStatus
border_tile(VtRun *run, const VtStreamTile *t, void *user)
{
  (void)user;
  for (int64_t y = 0; y < t->tile.height; y++) {
    const uint8_t *from = vt_image_at(&t->in[0], 0, y), *inner = vt_image_at(&t->in[1], 0, y);
    uint8_t *to = vt_image_at(&t->out[0], 0, y);
    const bool is_end = t->tile.y + y == 0 || t->tile.y + y == run->grid.height - 1;
    for (int64_t x = 0; x < t->tile.width; x++) {
      const bool is_border = is_end || t->tile.x + x == 0 || t->tile.x + x == run->grid.width - 1;
      to[x] = !is_border ? inner[x] : from[x] ? 255 : 0;
    }
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_streamed_keep_border(VtSteps *steps, const VtImage *from, const VtImage *to)
{
  const VtStreamLocal local = { .in = { store_of(from), store_of(to) }, .out = { store_of(to) }, .body = border_tile };
  return vt_streamed_local(steps->streamed, &local);
}
