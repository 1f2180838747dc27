/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <unistd.h>

#include "run/grid.h"
#include "run/params.h"

double
vt_run_memory_limit(const VtRun *run)
{
  if (run->request->memory_budget > 0)
    return (double)run->request->memory_budget;
  return 0.8 * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

double
vt_run_memory_left(const VtRun *run)
{
  return vt_run_memory_limit(run) - run->held;
}

bool
vt_run_streams(const VtRun *run, VtRect rect, double bytes_per_px)
{
  const double n = (double)rect.width * (double)rect.height;
  return run->host.n_ranks > 1
         || (run->request->scratch_dir && (n * bytes_per_px > vt_run_memory_limit(run) || n >= INT32_MAX - 1));
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

/* Of [start, start + length), inside [0, limit), whatever numbers they are. */
static int64_t
region_end(int64_t start, int64_t length, int64_t limit)
{
  if (length < 1)
    return 0;
  const int64_t end = start > INT64_MAX - length ? INT64_MAX : start + length; /* below 0 no sum passes 64 bits */
  return end < limit ? end : limit;
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
  const int64_t x0 = request->x_l0 > 0 ? request->x_l0 : 0, y0 = request->y_l0 > 0 ? request->y_l0 : 0;
  const int64_t right = region_end(request->x_l0, request->width_l0, input->width_l0);
  const int64_t bottom = region_end(request->y_l0, request->height_l0, input->height_l0);
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

/* --- pixels that are not square --- */

/* The best p/q for 0 < ratio <= 1 with q <= limit (convergents of its continued fraction and what lies between them). */
static void
approximate(double ratio, int32_t limit, int32_t *p, int32_t *q)
{
  double p0 = 0, q0 = 1, p1 = 1, q1 = 0, rest = ratio;
  for (;;) {
    const double a = floor(rest);
    if (q0 + a * q1 > limit)
      break;
    const double p2 = p0 + a * p1, q2 = q0 + a * q1;
    p0 = p1, q0 = q1, p1 = p2, q1 = q2;
    if (rest - a < 1e-12)
      break;
    rest = 1 / (rest - a);
  }
  const double k = q1 > 0 ? floor((limit - q0) / q1) : 0, between_p = p0 + k * p1, between_q = q0 + k * q1;
  const bool is_between = fabs(p1 / q1 - ratio) > fabs(between_p / between_q - ratio);
  *p = (int32_t)(is_between ? between_p : p1);
  *q = (int32_t)(is_between ? between_q : q1);
}

void
vt_grid_weigh(const VtGrid *grid, const VitrailInput *input, VtPixelWeights *weights)
{
  *weights = (VtPixelWeights){ 1, 1, grid->um_per_px > 0 ? grid->um_per_px : grid->downsample };
  if (!input || grid->um_per_px <= 0 || input->mpp_x == input->mpp_y)
    return;
  const double ratio = input->mpp_x / input->mpp_y;
  if (ratio < 1)
    approximate(ratio * ratio, 65535, &weights->x, &weights->y);
  else
    approximate(1 / ratio / ratio, 65535, &weights->y, &weights->x);
  weights->um_per_unit = grid->um_per_px / sqrt(sqrt(fmax((double)weights->x * weights->y, 1)));
}
