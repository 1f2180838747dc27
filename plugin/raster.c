/* SPDX-License-Identifier: MIT
 *
 * The analysis grid, the rasters of a run, reading and emitting them. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "vt-run-context.h"

VitrailStatus
vt_raster_alloc(VtRun *run, VtImage *image, VtType type, int64_t width, int64_t height)
{
  size_t px = vt_type_size(type);
  if (width < 1 || height < 1 || (uint64_t)width > SIZE_MAX / px / (uint64_t)height)
    return vt_fail(run, VITRAIL_OUT_OF_MEMORY, "A raster of %lld x %lld pixels can't be held.", (long long)width,
                   (long long)height);
  if (run->n_rasters == VT_MAX_RASTERS)
    return vt_fail(run, VITRAIL_INTERNAL, TR("The run holds too many rasters."));
  size_t bytes = ((size_t)width * (size_t)height * px + 255) & ~(size_t)255;
  void *data = aligned_alloc(256, bytes);
  if (!data)
    return vt_fail(
      run, VITRAIL_OUT_OF_MEMORY,
      "There is not enough memory for a raster of %lld x %lld pixels; choose a smaller region or a coarser "
      "pixel size.",
      (long long)width, (long long)height);
  run->rasters[run->n_rasters++] = data;
  *image = (VtImage){ data, width, height, width * (int64_t)px, type };
  return VITRAIL_OK;
}

void
vt_raster_release(VtRun *run, uint32_t mark)
{
  while (run->n_rasters > mark)
    free(run->rasters[--run->n_rasters]);
}

double
vt_run_memory_limit(const VtRun *run)
{
  if (run->request->memory_budget > 0)
    return (double)run->request->memory_budget;
  return 0.8 * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

bool
vt_run_streams(const VtRun *run, VtRect rect, double bytes_per_px)
{
  return run->host.n_ranks > 1
         || (run->request->scratch_dir
             && (double)rect.width * (double)rect.height * bytes_per_px > vt_run_memory_limit(run));
}

bool
vt_run_streams_labels(const VtRun *run, VtRect rect, double bytes_per_px)
{
  return vt_run_streams(run, rect, bytes_per_px)
         || (run->request->scratch_dir && (double)rect.width * (double)rect.height >= INT32_MAX - 1);
}

/* Stripes are whole blocks high, so that the tiles of all ranks fit one grid. */
VtRect
vt_share_of(const VtRun *run, VtRect rect)
{
  const int64_t grid = VT_EMIT_GRID;
  const int64_t n = run->host.n_ranks > 1 ? run->host.n_ranks : 1, rank = n > 1 ? run->host.rank : 0;
  const int64_t blocks = (rect.height - 1) / grid + 1;
  const int64_t m = n < blocks ? n : blocks; /* ranks that get rows */
  const int64_t first = rank < m ? blocks * rank / m * grid : rect.height, end = blocks * (rank + 1) / m * grid;
  rect.height = (end < rect.height ? end : rect.height) - first;
  rect.y += first;
  return rect;
}

VtRect
vt_run_share(const VtRun *run)
{
  return vt_share_of(run, vt_grid_rect(run));
}

bool
vt_raster_fits(const VtRun *run, VtRect rect, double bytes_per_px)
{
  const double px = (double)rect.width * (double)rect.height;
  return px * bytes_per_px <= vt_run_memory_limit(run) && px < INT32_MAX - 1;
}

/* Said before the work starts: an allocation beyond the machine's memory may succeed and the process be killed later. */
VitrailStatus
vt_raster_check_budget(VtRun *run, VtRect rect, double bytes_per_px)
{
  if (!vt_raster_fits(run, rect, bytes_per_px))
    return vt_fail(
      run, VITRAIL_OUT_OF_MEMORY,
      "The region is %lld x %lld pixels at the analysis resolution and would need %.1f GiB; choose a smaller "
      "region or a coarser pixel size.",
      (long long)rect.width, (long long)rect.height,
      (double)rect.width * (double)rect.height * bytes_per_px / 1073741824.0);
  return VITRAIL_OK;
}

VtRect
vt_grid_rect(const VtRun *run)
{
  return (VtRect){ run->grid.x, run->grid.y, run->grid.width, run->grid.height };
}

bool
vt_run_has_margin(const VtRun *run)
{
  return run->shown.width != run->grid.width || run->shown.height != run->grid.height;
}

bool
vt_run_is_whole(const VtRun *run)
{
  return run->grid.width == run->grid.image_width && run->grid.height == run->grid.image_height;
}

VtImage
vt_run_shown(const VtRun *run, const VtImage *image)
{
  const VtRect *shown = &run->shown;
  if (!vt_run_has_margin(run))
    return *image;
  return vt_image_window(image, shown->x - run->grid.x, shown->y - run->grid.y, shown->width, shown->height);
}

static int64_t
ceil_div(int64_t a, int64_t b)
{
  return a / b + (a % b != 0);
}

static void
record_grid(VtRun *run, double asked_downsample)
{
  const VtGrid *grid = &run->grid;
  vt_record(run, "downsample", grid->downsample);
  vt_record(run, "asked-downsample", asked_downsample);
  if (grid->um_per_px > 0) {
    vt_record(run, "um-per-px", grid->um_per_px);
    vt_record(run, "asked-um-per-px", vt_param(run, "pixel-size"));
  }
  vt_record(run, "grid-x", (double)grid->x);
  vt_record(run, "grid-y", (double)grid->y);
  vt_record(run, "grid-width", (double)grid->width);
  vt_record(run, "grid-height", (double)grid->height);
}

VitrailStatus
vt_grid_resolve(VtRun *run, const VitrailInput *input)
{
  VtGrid *grid = &run->grid;
  double mpp = input->mpp_x > 0 && input->mpp_y > 0 ? sqrt(input->mpp_x * input->mpp_y) : 0;
  if (!isfinite(mpp))
    mpp = 0;
  VitrailStatus status = vt_params_resolve(run, mpp > 0);
  if (status != VITRAIL_OK)
    return status;
  /* The grid is a whole multiple of the slide's own pixels: its values are plain means, never interpolated. */
  double pixel_size = vt_param(run, "pixel-size");
  double asked = fmax(mpp > 0 ? round(pixel_size / mpp) : round(pixel_size), 1);
  double factor = fmax(asked, floor(run->request->min_downsample * (1 + 1e-9)));
  double longest = (double)(input->width_l0 > input->height_l0 ? input->width_l0 : input->height_l0);
  grid->downsample = (uint32_t)fmin(factor, fmin(longest, 1 << 30));
  grid->um_per_px = mpp * grid->downsample;

  int64_t d = grid->downsample;
  grid->image_width = ceil_div(input->width_l0, d);
  grid->image_height = ceil_div(input->height_l0, d);
  const VitrailRequest *request = run->request;
  int64_t x0 = request->x_l0 > 0 ? request->x_l0 : 0, y0 = request->y_l0 > 0 ? request->y_l0 : 0;
  if (request->width_l0 < 1 || request->height_l0 < 1 || x0 >= input->width_l0 || y0 >= input->height_l0
      || request->x_l0 < -request->width_l0 || request->y_l0 < -request->height_l0)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, "The region does not meet the image of %lld x %lld pixels.",
                   (long long)input->width_l0, (long long)input->height_l0);
  int64_t right =
    request->width_l0 > input->width_l0 - request->x_l0 ? input->width_l0 : request->x_l0 + request->width_l0;
  int64_t bottom =
    request->height_l0 > input->height_l0 - request->y_l0 ? input->height_l0 : request->y_l0 + request->height_l0;
  if (right <= x0 || bottom <= y0)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, "The region does not meet the image of %lld x %lld pixels.",
                   (long long)input->width_l0, (long long)input->height_l0);
  grid->x = x0 / d;
  grid->y = y0 / d;
  grid->width = ceil_div(right, d) - grid->x;
  grid->height = ceil_div(bottom, d) - grid->y;
  run->shown = vt_grid_rect(run);
  record_grid(run, asked);
  return VITRAIL_OK;
}

typedef struct {
  const VitrailInput *input;
  VtRect rect;
  const VtImage *image;
} ReadJob;

static VitrailStatus
read_tile(VtRun *run, VtRect tile, void *user)
{
  ReadJob *job = user;
  const VtRect r = { job->rect.x + tile.x, job->rect.y + tile.y, tile.width, tile.height };
  const VtImage dst = vt_image_window(job->image, tile.x, tile.y, tile.width, tile.height);
  return vt_read_rect(run, job->input, r, &dst);
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
  ReadJob job = { input, rect, image };
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

VitrailStatus
vt_stage_end(VtRun *run, uint32_t stage)
{
  if (run->host.stage_done)
    run->host.stage_done(run->host.user, stage, vt_stage_ms(run));
  if (run->host.progress)
    run->host.progress(run->host.user, stage, (stage + 1.0) / run->op->n_stages);
  return vt_ranks_agree(run, vt_cancelled(&run->cancel) ? VITRAIL_CANCELLED : VITRAIL_OK);
}
