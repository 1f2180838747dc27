/* SPDX-License-Identifier: MIT
 *
 * The analysis grid, the rasters of a run, reading and emitting them. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "run/raster.h"
#include "run/grid.h"
#include "run/parallel.h"

#define READ_SHARE 0.8

static size_t
bytes_of(int64_t size)
{
  return ((size_t)size + 255) & ~(size_t)255;
}

/* Memory of rasters comes from the CPU's device, which keeps what it is given back for the next one: new memory costs as much as a step, as
 * the system clears its pages. Whoever else has it may free() it. */
static void
forget(VtRun *run, uint32_t i, bool frees)
{
  if (frees)
    run->cpu->free(run->cpu_team, run->rasters[i]);
  run->rasters[i] = run->rasters[--run->n_rasters];
}

VitrailStatus
vt_raster_alloc(VtRun *run, VtImage *image, VtType type, int64_t width, int64_t height)
{
  size_t px = vt_type_size(type);
  if (width < 1 || height < 1 || (uint64_t)width > SIZE_MAX / px / (uint64_t)height)
    return vt_fail(run, VITRAIL_OUT_OF_MEMORY, "A raster of %lld x %lld pixels can't be held.", (long long)width,
                   (long long)height);
  const size_t bytes = bytes_of(width * height * (int64_t)px);
  *image = (VtImage){ NULL, width, height, width * (int64_t)px, type };
  if (run->n_rasters == VT_MAX_RASTERS)
    return vt_fail(run, VITRAIL_INTERNAL, TR("The run holds too many rasters."));
  if (run->cpu->alloc(run->cpu_team, bytes, &image->data) != VITRAIL_OK)
    image->data = NULL;
  if (!image->data)
    return vt_fail(
      run, VITRAIL_OUT_OF_MEMORY,
      "There is not enough memory for a raster of %lld x %lld pixels; choose a smaller region or a coarser "
      "pixel size.",
      (long long)width, (long long)height);
  run->rasters[run->n_rasters++] = image->data;
  return VITRAIL_OK;
}

void
vt_raster_recycle(VtRun *run, const VtImage *image)
{
  enum {
    LARGE = 64 << 20
  }; /* the system takes its time with them: the end of a cancelled run gives them back without waiting */
  for (uint32_t i = 0; i < run->n_rasters; i++) {
    if (run->rasters[i] != image->data)
      continue;
    if (bytes_of(image->stride * image->height) <= LARGE || !vt_cancelled(&run->cancel))
      forget(run, i, true);
    return;
  }
}

void
vt_raster_hand_over(VtRun *run, const VtImage *image)
{
  for (uint32_t i = 0; i < run->n_rasters; i++)
    if (run->rasters[i] == image->data) {
      forget(run, i, false);
      return;
    }
}

void
vt_raster_release(VtRun *run, uint32_t mark)
{
  while (run->n_rasters > mark)
    forget(run, run->n_rasters - 1, true);
}

typedef struct {
  const VitrailInput *input;
  VtRect rect;
  const VtImage *image;
  _Atomic int64_t n_read;
} ReadJob;

static VitrailStatus
read_tile(VtRun *run, VtRect tile, void *user)
{
  ReadJob *job = user;
  const VtRect r = { job->rect.x + tile.x, job->rect.y + tile.y, tile.width, tile.height };
  const VtImage dst = vt_image_window(job->image, tile.x, tile.y, tile.width, tile.height);
  TRY(vt_read_rect(run, job->input, r, &dst));
  if (run->op->n_stages <= 2 || strcmp(job->input->id, run->op->inputs[0]->id) != 0)
    return VITRAIL_OK;
  /* Of a pipeline's stage that begins with reading, which is most of it. */
  const int64_t n = atomic_fetch_add(&job->n_read, tile.width * tile.height) + tile.width * tile.height;
  const double read = READ_SHARE * (double)n / ((double)job->rect.width * (double)job->rect.height);
  vt_progress(run, (run->stage + read) / run->op->n_stages);
  return VITRAIL_OK;
}

VitrailStatus
vt_read_input(VtRun *run, const VitrailInput *input, VtRect rect, VtImage *image)
{
  VitrailStatus status = vt_raster_alloc(run, image, input->type, rect.width, rect.height);
  return status == VITRAIL_OK ? vt_read_input_into(run, input, rect, image) : status;
}

VitrailStatus
vt_read_input_into(VtRun *run, const VitrailInput *input, VtRect rect, const VtImage *image)
{
  ReadJob job = { .input = input, .rect = rect, .image = image };
  return vt_local(run, rect.width, rect.height, read_tile, &job);
}

VitrailStatus
vt_read_rect(VtRun *run, const VitrailInput *input, VtRect r, const VtImage *dst)
{
  VitrailStatus status = run->host.read_region(run->host.user, input->handle, run->grid.downsample, r.x, r.y, r.width,
                                               r.height, dst->data, (size_t)dst->stride);
  if (status != VITRAIL_OK && status != VITRAIL_CANCELLED)
    return vt_fail(run, status, "The input \"%s\" could not be read.", input->id);
  return status;
}

void
vt_image_new(VtImage *image, VtType type, int64_t width, int64_t height)
{
  const int64_t stride = width * (int64_t)vt_type_size(type);
  *image =
    (VtImage){ aligned_alloc(256, ((size_t)(stride * height) + 255) & ~(size_t)255), width, height, stride, type };
}

VitrailStatus
vt_emit_tile(VtRun *run, uint32_t stage, VtRect rect, const VtImage *image, double scale)
{
  if (!(run->wanted >> stage & 1))
    return VITRAIL_OK;
  VitrailTile tile = {
    .size = sizeof tile,
    .stage = stage,
    .type = image->type,
    .x = rect.x,
    .y = rect.y,
    .width = rect.width,
    .height = rect.height,
    .downsample = run->grid.downsample,
    .data = image->data,
    .stride = (size_t)image->stride,
    .scale = scale,
  };
  VitrailStatus status = run->host.emit_tile(run->host.user, &tile);
  if (status != VITRAIL_OK && status != VITRAIL_CANCELLED)
    return vt_fail(run, status, "The result of the stage %s could not be kept.", run->op->stages[stage]->id);
  return status;
}

VitrailStatus
vt_emit_raster(VtRun *run, uint32_t stage, const VtImage *image, double scale)
{
  const VtImage shown = vt_run_shown(run, image);
  const VtRect rect = { run->shown.x, run->shown.y, shown.width, shown.height };
  return vt_emit_tile(run, stage, rect, &shown, scale);
}

VitrailStatus
vt_emit_blocks(VtRun *run, uint32_t stage, const VtImage *image, double scale)
{
  enum { WIDTH = 4 * VT_EMIT_GRID };
  for (int64_t y = 0; y < image->height; y += VT_EMIT_GRID)
    for (int64_t x = 0; x < image->width; x += WIDTH) {
      const int64_t right = image->width - x, below = image->height - y;
      const VtImage part =
        vt_image_window(image, x, y, right < WIDTH ? right : WIDTH, below < VT_EMIT_GRID ? below : VT_EMIT_GRID);
      const VtRect rect = { run->grid.x + x, run->grid.y + y, part.width, part.height };
      TRY(vt_cancelled(&run->cancel) ? VITRAIL_CANCELLED : vt_emit_tile(run, stage, rect, &part, scale));
    }
  return VITRAIL_OK;
}

void
vt_stage_begin(VtRun *run)
{
  run->stage_start_ms = vt_now_ms();
}

double
vt_stage_ms(const VtRun *run)
{
  return vt_now_ms() - run->stage_start_ms;
}

void
vt_progress(VtRun *run, double fraction)
{
  const double to = run->progress_to > 0 ? run->progress_to : 1;
  const double done = run->progress_from + fraction * (to - run->progress_from);
  /* A thread that finds another one telling leaves it at that: no worker waits, and what it knows is told with the next tile. */
  if (!run->host.progress || atomic_flag_test_and_set(&run->progress_taken))
    return;
  if (done >= run->progress_told) {
    run->progress_told = done;
    run->host.progress(run->host.user, run->progress_stage > 0 ? run->progress_stage - 1 : run->stage, done);
  }
  atomic_flag_clear(&run->progress_taken);
}

VitrailStatus
vt_stage_end(VtRun *run, uint32_t stage)
{
  if (run->host.stage_done)
    run->host.stage_done(run->host.user, stage, vt_stage_ms(run));
  run->stage = stage + 1 < run->op->n_stages ? stage + 1 : stage;
  vt_progress(run, (stage + 1.0) / run->op->n_stages);
  return vt_ranks_agree(run, vt_cancelled(&run->cancel) ? VITRAIL_CANCELLED : VITRAIL_OK);
}
