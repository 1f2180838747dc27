/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "executors/bounds.h"
#include "drivers/local.h"
#include "drivers/propagate.h"
#include "drivers/sides.h"
#include "run/parallel.h"
#include "run/raster.h"

void
vt_bounds_begin(VtSteps *steps, VtRun *run, const char *algorithm, VtBounds *bounds, const bool open[4])
{
  *bounds = (VtBounds){ .n_pairs = 0 };
  memcpy(bounds->open, open, sizeof bounds->open);
  *steps =
    (VtSteps){ .run = run, .backend = run->cpu, .device = run->cpu_device, .algorithm = algorithm, .bounds = bounds };
}

/* --- memory --- */

VitrailStatus
vt_bounds_alloc(VtSteps *steps, VtImage *image, VtType type)
{
  VtRun *run = steps->run;
  VtBounds *bounds = steps->bounds;
  VtImage high;
  TRY(vt_raster_alloc(run, image, type, run->grid.width, run->grid.height));
  TRY(vt_raster_alloc(run, &high, type, run->grid.width, run->grid.height)); /* VT_MAX_RASTERS is the limit */
  bounds->pairs[bounds->n_pairs++] = (VtBoundsPair){ image->data, high.data, (size_t)(image->height * image->stride) };
  return VITRAIL_OK;
}

static VtBoundsPair *
find_pair(const VtSteps *steps, const VtImage *image)
{
  const char *data = image->data;
  for (uint32_t i = 0; i < steps->bounds->n_pairs; i++) {
    VtBoundsPair *pair = &steps->bounds->pairs[i];
    if (data >= pair->low && data < pair->low + pair->bytes)
      return pair;
  }
  return NULL;
}

VtImage
vt_bounds_high(const VtSteps *steps, const VtImage *image)
{
  const VtBoundsPair *pair = find_pair(steps, image);
  VtImage high = *image;
  if (pair)
    high.data = pair->high + ((char *)image->data - pair->low);
  return high;
}

void
vt_bounds_forget(VtSteps *steps, const VtImage *image, VtImage *high)
{
  VtBoundsPair *pair = find_pair(steps, image);
  *high = vt_bounds_high(steps, image);
  if (pair)
    *pair = steps->bounds->pairs[--steps->bounds->n_pairs];
}

/* --- rows --- */

static size_t
row_bytes(const VtImage *image)
{
  return (size_t)image->width * vt_type_size(image->type);
}

static void
copy_image(const VtImage *to, const VtImage *from)
{
  for (int64_t y = 0; y < to->height; y++)
    memcpy(vt_image_at(to, 0, y), vt_image_at(from, 0, y), row_bytes(to));
}

void
vt_bounds_settle(const VtSteps *steps, const VtImage *image)
{
  const VtImage high = vt_bounds_high(steps, image);
  if (high.data != image->data)
    copy_image(&high, image);
}

/* What the lower bound was, when order was turned round, is the higher one now. */
static void
swap_bounds(const VtSteps *steps, const VtImage *image)
{
  const VtImage high = vt_bounds_high(steps, image);
  for (int64_t y = 0; y < image->height; y++) {
    uint8_t *a = vt_image_at(image, 0, y), *b = vt_image_at(&high, 0, y);
    for (size_t i = 0; i < row_bytes(image); i++) {
      const uint8_t was = a[i];
      a[i] = b[i];
      b[i] = was;
    }
  }
}

void
vt_bounds_agree(const VtSteps *steps, const VtImage *image, const VtImage *certain)
{
  const VtImage high = vt_bounds_high(steps, image);
  const size_t px = vt_type_size(image->type);
  for (int64_t y = 0; y < image->height; y++) {
    const char *a = vt_image_at(image, 0, y), *b = vt_image_at(&high, 0, y);
    uint8_t *out = vt_image_at(certain, 0, y);
    const bool same = memcmp(a, b, row_bytes(image)) == 0;
    for (int64_t x = 0; x < image->width; x++)
      out[x] = same || memcmp(a + (size_t)x * px, b + (size_t)x * px, px) == 0 ? 255 : 0;
  }
}

bool
vt_bounds_is_edge(const VtSteps *steps, const VtImage *image, int64_t x, int64_t y)
{
  const bool *open = steps->bounds->open;
  return (open[VT_SIDE_LEFT] && x == 0) || (open[VT_SIDE_TOP] && y == 0)
         || (open[VT_SIDE_RIGHT] && x == image->width - 1) || (open[VT_SIDE_BOTTOM] && y == image->height - 1);
}

/* Sets all bytes of what is nearer than radius to an open side. */
static void
fill_near_edges(const VtSteps *steps, const VtImage *image, int64_t radius, int byte)
{
  const bool *open = steps->bounds->open;
  const size_t px = vt_type_size(image->type);
  const int64_t across = radius < image->width ? radius : image->width;
  for (int64_t y = 0; y < image->height; y++) {
    const bool is_all = (open[VT_SIDE_TOP] && y < radius) || (open[VT_SIDE_BOTTOM] && image->height - 1 - y < radius);
    if (is_all)
      memset(vt_image_at(image, 0, y), byte, row_bytes(image));
    if (open[VT_SIDE_LEFT])
      memset(vt_image_at(image, 0, y), byte, (size_t)across * px);
    if (open[VT_SIDE_RIGHT])
      memset(vt_image_at(image, image->width - across, y), byte, (size_t)across * px);
  }
}

/* --- steps --- */

VitrailStatus
vt_bounds_pointwise(VtSteps *steps, VtPointwiseOp op, const VtImage *a, const VtImage *b, const VtImage *dst, double s)
{
  const VtImage a_high = vt_bounds_high(steps, a), dst_high = vt_bounds_high(steps, dst);
  const VtImage b_high = b ? vt_bounds_high(steps, b) : (VtImage){ 0 };
  const bool falls_with_b = op == VT_PW_SUBTRACT_CLAMP || op == VT_PW_ABOVE_IMAGE;
  const VtImage *for_low = falls_with_b ? &b_high : b, *for_high = b && !falls_with_b ? &b_high : b;
  TRY(vt_local_pointwise(steps->run, op, a, for_low, dst, s));
  TRY(vt_local_pointwise(steps->run, op, &a_high, for_high, &dst_high, s));
  if (op == VT_PW_NOT || op == VT_PW_COMPLEMENT)
    swap_bounds(steps, dst);
  return VITRAIL_OK;
}

VitrailStatus
vt_bounds_erode(VtSteps *steps, const VtImage *src, const VtImage *dst, int32_t radius)
{
  const VtImage src_high = vt_bounds_high(steps, src), dst_high = vt_bounds_high(steps, dst);
  TRY(vt_local_erode(steps->run, src, dst, radius));
  TRY(vt_local_erode(steps->run, &src_high, &dst_high,
                     radius)); /* outside: as high as it can be, so that it doesn't count */
  fill_near_edges(steps, dst, radius, 0);
  return VITRAIL_OK;
}

VitrailStatus
vt_bounds_smooth(VtSteps *steps, const VtImage *src, const VtImage *dst, double sigma_px)
{
  const VtImage src_high = vt_bounds_high(steps, src), dst_high = vt_bounds_high(steps, dst);
  uint32_t weights[513];
  const int32_t radius = vt_gaussian_weights(sigma_px, weights);
  TRY(vt_local_smooth(steps->run, src, dst, sigma_px));
  if (src_high.data == src->data)
    copy_image(&dst_high, dst);
  else
    TRY(vt_local_smooth(steps->run, &src_high, &dst_high, sigma_px));
  fill_near_edges(steps, dst, radius, 0);
  fill_near_edges(steps, &dst_high, radius, 255);
  return VITRAIL_OK;
}

/* The most that can come in from outside is the mask itself. */
VitrailStatus
vt_bounds_reconstruct(VtSteps *steps, const VtImage *marker, const VtImage *mask, int32_t connectivity)
{
  const VtImage marker_high = vt_bounds_high(steps, marker), mask_high = vt_bounds_high(steps, mask);
  TRY(vt_reconstruct(steps->run, marker, mask, connectivity, steps->algorithm));
  vt_copy_sides(&marker_high, &mask_high, steps->bounds->open);
  return vt_reconstruct(steps->run, &marker_high, &mask_high, connectivity, steps->algorithm);
}

void
vt_bounds_border(VtSteps *steps, const VtImage *from, const VtImage *to)
{
  static const bool all[4] = { true, true, true, true };
  const bool *open = steps->bounds->open;
  const bool closed[4] = { !open[0], !open[1], !open[2], !open[3] };
  const VtImage from_high = vt_bounds_high(steps, from), to_high = vt_bounds_high(steps, to);
  vt_copy_sides(to, from, closed);
  vt_copy_sides(&to_high, &from_high, all);
}

/* --- distance --- */

typedef struct {
  const VtSteps *steps;
  const VtImage *distance;
  float scale;
} WayJob;

/* There may be background just outside. */
static VitrailStatus
way_tile(VtRun *run, VtRect t, void *user)
{
  (void)run;
  const WayJob *job = user;
  const bool *open = job->steps->bounds->open;
  const int64_t width = job->distance->width, height = job->distance->height;
  for (int64_t y = t.y; y < t.y + t.height; y++) {
    float *row = vt_image_at(job->distance, 0, y);
    int64_t across = INT64_MAX;
    across = open[VT_SIDE_TOP] ? y + 1 : across;
    across = open[VT_SIDE_BOTTOM] && height - y < across ? height - y : across;
    for (int64_t x = t.x; x < t.x + t.width; x++) {
      int64_t way = open[VT_SIDE_LEFT] && x + 1 < across ? x + 1 : across;
      way = open[VT_SIDE_RIGHT] && width - x < way ? width - x : way;
      row[x] = fminf(row[x], (float)way * job->scale);
    }
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_bounds_distance(VtSteps *steps, const VtImage *foreground, const VtImage *dst, float scale)
{
  const VtImage foreground_high = vt_bounds_high(steps, foreground), dst_high = vt_bounds_high(steps, dst);
  WayJob job = { steps, dst, scale };
  TRY(vt_distance(steps->run, foreground, dst, scale));
  TRY(vt_local(steps->run, dst->width, dst->height, way_tile, &job));
  return vt_distance(steps->run, &foreground_high, &dst_high, scale);
}

/* --- maxima --- */

/* Pixels at open sides as high (low) as the type goes: what an unknown neighbour beyond them can do to the others. */
static void
raise_edges(const VtSteps *steps, const VtImage *image, bool minima)
{
  static const float float_ends[] = { INFINITY, -INFINITY };
  static const int32_t whole_ends[] = { INT32_MAX, INT32_MIN };
  const void *end = image->type == VITRAIL_F32 ? (const void *)&float_ends[minima] : (const void *)&whole_ends[minima];
  uint8_t bytes[4];
  memset(bytes, minima ? 0 : 255, sizeof bytes);
  if (image->type == VITRAIL_F32 || image->type == VITRAIL_I32)
    memcpy(bytes, end, sizeof bytes);
  for (int64_t y = 0; y < image->height; y++)
    for (int64_t x = 0; x < image->width; x++) {
      if (vt_bounds_is_edge(steps, image, x, y))
        memcpy(vt_image_at(image, x, y), bytes, vt_type_size(image->type));
      else if (y > 0 && y < image->height - 1 && x < image->width - 2)
        x = image->width - 2; /* only ends of a row are left */
    }
}

/* A certain pixel that is no maximum of the lower bounds is none: a pixel on the way that is higher than its lower bound
 * is but a higher one sooner. One that is a maximum of the higher bounds is one. */
VitrailStatus
vt_bounds_maxima(VtSteps *steps, const VtRegional *args)
{
  const VtImage *src = &args->src, *dst = &args->dst;
  const VtImage src_high = vt_bounds_high(steps, src), dst_high = vt_bounds_high(steps, dst);
  const size_t px = vt_type_size(src->type);
  VtImage raised;
  TRY(vt_steps_alloc(steps, &raised, src->type));
  copy_image(&raised, args->minima ? src : &src_high);
  raise_edges(steps, &raised, args->minima);
  VtRegional high = *args, low = *args;
  high.src = raised;
  low.src = args->minima ? src_high : *src;
  low.dst = dst_high;
  TRY(steps->run->cpu->regional(steps->run->cpu_team, &high, &steps->run->cancel));
  TRY(steps->run->cpu->regional(steps->run->cpu_team, &low, &steps->run->cancel));
  for (int64_t y = 0; y < src->height; y++) {
    const char *a = vt_image_at(src, 0, y), *b = vt_image_at(&src_high, 0, y);
    uint8_t *is = vt_image_at(dst, 0, y), *may_be = vt_image_at(&dst_high, 0, y);
    for (int64_t x = 0; x < src->width; x++) {
      const bool agree = memcmp(a + (size_t)x * px, b + (size_t)x * px, px) == 0;
      is[x] = agree && is[x] && !vt_bounds_is_edge(steps, src, x, y) ? 255 : 0;
      may_be[x] = !agree || may_be[x] ? 255 : 0;
    }
  }
  vt_steps_free(steps, &raised);
  return VITRAIL_OK;
}
