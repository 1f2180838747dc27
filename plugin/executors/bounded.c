/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "executors/bounded.h"
#include "drivers/local.h"
#include "drivers/propagate.h"
#include "drivers/sides.h"
#include "executors/bounded-labels.h"
#include "executors/bounded-regions.h"
#include "executors/host.h"
#include "run/parallel.h"
#include "run/raster.h"

static VtBounds *
bounds_of(const VtExec *x)
{
  return x->own;
}

/* --- memory --- */

static VitrailStatus
alloc(VtExec *x, VtImage *image, VtType type)
{
  VtRun *run = x->run;
  VtBounds *bounds = bounds_of(x);
  VtImage high;
  TRY(vt_raster_alloc(run, image, type, run->grid.width, run->grid.height));
  TRY(vt_raster_alloc(run, &high, type, run->grid.width, run->grid.height)); /* VT_MAX_RASTERS is the limit */
  bounds->pairs[bounds->n_pairs++] =
    (VtBoundsPair){ image->data, high.data, (size_t)(image->height * image->stride), false };
  return VITRAIL_OK;
}

static VtBoundsPair *
find_pair(const VtExec *x, const VtImage *image)
{
  const char *data = image->data;
  for (uint32_t i = 0; i < bounds_of(x)->n_pairs; i++) {
    VtBoundsPair *pair = &bounds_of(x)->pairs[i];
    if (data >= pair->low && data < pair->low + pair->bytes)
      return pair;
  }
  return NULL;
}

VtImage
vt_bounds_high(const VtExec *x, const VtImage *image)
{
  const VtBoundsPair *pair = find_pair(x, image);
  VtImage high = *image;
  if (pair)
    high.data = pair->high + ((char *)image->data - pair->low);
  return high;
}

static bool
is_settled(const VtExec *x, const VtImage *image)
{
  const VtBoundsPair *pair = find_pair(x, image);
  return !pair || pair->is_settled;
}

static void
free_image(VtExec *x, VtImage *image)
{
  VtBoundsPair *pair = image->data ? find_pair(x, image) : NULL;
  VtImage high = vt_bounds_high(x, image);
  const bool is_pair = pair && image->data;
  if (pair)
    *pair = bounds_of(x)->pairs[--bounds_of(x)->n_pairs];
  if (is_pair)
    vt_host_free(x, &high);
  vt_host_free(x, image);
}

/* The image is certain: its higher bound becomes a copy of the lower one. */
static VitrailStatus
settle(VtExec *x, const VtImage *image)
{
  const VtImage high = vt_bounds_high(x, image);
  if (high.data == image->data)
    return VITRAIL_OK;
  find_pair(x, image)->is_settled = true;
  return vt_local_copy(x->run, image, &high);
}

static VitrailStatus
copy(VtExec *x, const VtImage *from, const VtImage *to)
{
  const VtImage from_high = vt_bounds_high(x, from), to_high = vt_bounds_high(x, to);
  TRY(vt_local_copy(x->run, from, to));
  if (is_settled(x, from))
    return settle(x, to);
  return vt_local_copy(x->run, &from_high, &to_high);
}

static VitrailStatus
emit(VtExec *x, uint32_t stage, const VtImage *image, double scale)
{
  return VITRAIL_OK;
}

/* --- edges --- */

bool
vt_bounds_is_edge(const VtExec *exec, const VtImage *image, int64_t x, int64_t y)
{
  const bool *open = bounds_of(exec)->open;
  return (open[VT_SIDE_LEFT] && x == 0) || (open[VT_SIDE_TOP] && y == 0)
         || (open[VT_SIDE_RIGHT] && x == image->width - 1) || (open[VT_SIDE_BOTTOM] && y == image->height - 1);
}

/* bytes becomes the lowest (highest) value of the type. */
static void
end_of_type(VtType type, bool highest, uint8_t bytes[4])
{
  static const float float_ends[] = { -INFINITY, INFINITY };
  static const int32_t whole_ends[] = { INT32_MIN, INT32_MAX };
  memset(bytes, highest ? 255 : 0, 4);
  if (type == VITRAIL_F32)
    memcpy(bytes, &float_ends[highest], 4);
  else if (type == VITRAIL_I32)
    memcpy(bytes, &whole_ends[highest], 4);
}

static void
fill(const VtImage *image, int64_t from, int64_t end, int64_t y, const uint8_t bytes[4])
{
  const size_t px = vt_type_size(image->type);
  for (int64_t x = from; x < end; x++)
    memcpy(vt_image_at(image, x, y), bytes, px);
}

typedef struct {
  const bool *open;
  const VtImage *image;
  int64_t radius;
  uint8_t bytes[4];
} EdgeJob;

static VitrailStatus
edge_tile(VtRun *run, VtRect t, void *user)
{
  const EdgeJob *job = user;
  const VtImage image = vt_image_window(job->image, t.x, t.y, t.width, t.height);
  const int64_t width = job->image->width, height = job->image->height, radius = job->radius;
  for (int64_t y = t.y; y < t.y + t.height; y++) {
    const bool is_all =
      (job->open[VT_SIDE_TOP] && y < radius) || (job->open[VT_SIDE_BOTTOM] && height - 1 - y < radius);
    const int64_t left = is_all ? t.width : job->open[VT_SIDE_LEFT] ? radius - t.x : 0;
    const int64_t right = job->open[VT_SIDE_RIGHT] ? width - radius - t.x : t.width;
    fill(&image, 0, left < t.width ? left : t.width, y - t.y, job->bytes);
    fill(&image, right > 0 ? right : 0, t.width, y - t.y, job->bytes);
  }
  return VITRAIL_OK;
}

/* Pixels nearer than radius to an open side become the lowest (highest) value of the type. */
static VitrailStatus
fill_near_edges(VtExec *x, const VtImage *image, int64_t radius, bool highest)
{
  EdgeJob job = { .open = bounds_of(x)->open, .image = image, .radius = radius };
  end_of_type(image->type, highest, job.bytes);
  return vt_local(x->run, image->width, image->height, edge_tile, &job);
}

static VitrailStatus
swap_tile(VtRun *run, VtRect t, void *user)
{
  const VtImage *pair = user;
  for (int64_t y = t.y; y < t.y + t.height; y++) {
    uint8_t *a = vt_image_at(&pair[0], t.x, y), *b = vt_image_at(&pair[1], t.x, y);
    for (size_t i = 0; i < (size_t)t.width * vt_type_size(pair->type); i++) {
      const uint8_t was = a[i];
      a[i] = b[i];
      b[i] = was;
    }
  }
  return VITRAIL_OK;
}

static VitrailStatus
swap_bounds(VtExec *x, const VtImage *image)
{
  VtImage pair[2] = { *image, vt_bounds_high(x, image) };
  return vt_local(x->run, image->width, image->height, swap_tile, pair);
}

typedef struct {
  VtImage low, high, certain;
  bool is_labels;
} AgreeJob;

static VitrailStatus
agree_tile(VtRun *run, VtRect t, void *user)
{
  const AgreeJob *job = user;
  const size_t px = vt_type_size(job->low.type);
  for (int64_t y = t.y; y < t.y + t.height; y++) {
    const char *a = vt_image_at(&job->low, t.x, y), *b = vt_image_at(&job->high, t.x, y);
    const int32_t *label = job->is_labels ? vt_image_at(&job->low, t.x, y) : NULL;
    uint8_t *out = vt_image_at(&job->certain, t.x, y);
    const bool same = !label && memcmp(a, b, (size_t)t.width * px) == 0;
    for (int64_t i = 0; i < t.width; i++) {
      const bool agrees =
        label ? label[i] != VT_UNSURE : same || memcmp(a + (size_t)i * px, b + (size_t)i * px, px) == 0;
      out[i] = agrees ? 255 : 0;
    }
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_bounds_certain(VtExec *x, const VtImage *image, bool is_labels, const VtImage *certain)
{
  AgreeJob job = { *image, vt_bounds_high(x, image), *certain, is_labels };
  return vt_local(x->run, image->width, image->height, agree_tile, &job);
}

/* --- steps --- */

/* Runs the step on the lower or the higher bounds, and writes to `to`. */
static VitrailStatus
on_bound(VtExec *x, const VtLocalStep *step, bool high, const VtImage *to)
{
  VtLocalStep one = *step;
  VtImage in[VT_LOCAL_IN];
  for (int k = 0; k < VT_LOCAL_IN && step->in[k]; k++) {
    in[k] = high != (step->falls >> k & 1) ? vt_bounds_high(x, step->in[k]) : *step->in[k];
    one.in[k] = &in[k];
  }
  one.out[0] = to;
  return vt_host_local(x, &one);
}

static bool
all_settled(const VtExec *x, const VtLocalStep *step)
{
  bool all = true;
  for (int k = 0; k < VT_LOCAL_IN && step->in[k]; k++)
    all &= is_settled(x, step->in[k]);
  return all;
}

static VitrailStatus
unsure_tile(VtRun *run, VtRect t, void *user)
{
  const VtLocalStep *step = user;
  for (int64_t y = t.y; y < t.y + t.height; y++) {
    const int32_t *label = vt_image_at(step->in[0], 0, y);
    uint8_t *low = vt_image_at(step->out[0], 0, y);
    for (int64_t x = t.x; x < t.x + t.width; x++)
      low[x] = label[x] == VT_UNSURE ? 0 : low[x];
  }
  return VITRAIL_OK;
}

/* Labels have one image and no bounds. Where a label is unsure there may be no label: the lower bound of the output is 0. */
static VitrailStatus
where_labels(VtExec *x, const VtLocalStep *step)
{
  const VtImage high = vt_bounds_high(x, step->out[0]);
  TRY(vt_host_local(x, step));
  TRY(vt_local_copy(x->run, step->out[0], &high));
  return vt_local(x->run, high.width, high.height, unsure_tile, (void *)step);
}

/* If out is also an input with which it falls, each bound of out is made from the other bound of that input, and overwrites it. So the
 * two bounds are swapped at the end. */
static VitrailStatus
local(VtExec *x, const VtLocalStep *step)
{
  const VtImage *out = step->out[0];
  const VtImage high = vt_bounds_high(x, out);
  bool turns = false, is_sure = all_settled(x, step);
  if (step->makes_codes)
    return vt_bounds_codes(x, step, is_sure);
  if (step->out[1])
    return vt_fail(x->run, VITRAIL_INTERNAL, "A step of two outputs has no bounds.");
  if (step->of_labels && !is_sure)
    return where_labels(x, step);
  for (int k = 0; k < VT_LOCAL_IN && step->in[k]; k++)
    turns |= step->in[k]->data == out->data && step->falls >> k & 1;
  if (is_sure && turns) {
    TRY(vt_host_local(x, step));
  } else {
    TRY(on_bound(x, step, false, turns ? &high : out));
  }
  if (is_sure)
    TRY(settle(x, out));
  else
    TRY(on_bound(x, step, true, turns ? out : &high));
  if (turns && !is_sure)
    TRY(swap_bounds(x, out));
  VtBoundsPair *pair = find_pair(x, out);
  if (pair)
    pair->is_settled = is_sure && step->halo == 0;
  if (step->may & VT_MAY_FALL && step->halo > 0)
    TRY(fill_near_edges(x, out, step->halo, false));
  if (step->may & VT_MAY_RISE && step->halo > 0)
    TRY(fill_near_edges(x, &high, step->halo, true));
  return VITRAIL_OK;
}

static void
unsettle(VtExec *x, const VtImage *image)
{
  VtBoundsPair *pair = find_pair(x, image);
  if (pair)
    pair->is_settled = false;
}

/* The most that can come in from outside is the mask itself. */
static VitrailStatus
reconstruct(VtExec *x, const VtImage *marker, const VtImage *mask, int32_t connectivity)
{
  const VtImage marker_high = vt_bounds_high(x, marker), mask_high = vt_bounds_high(x, mask);
  unsettle(x, marker);
  TRY(vt_reconstruct(x->run, marker, mask, connectivity, x->algorithm));
  vt_copy_sides(&marker_high, &mask_high, bounds_of(x)->open);
  return vt_reconstruct(x->run, &marker_high, &mask_high, connectivity, x->algorithm);
}

static bool
is_above(VtType type, const void *a, const void *b)
{
  switch (type) {
  case VITRAIL_U8: return *(const uint8_t *)a > *(const uint8_t *)b;
  case VITRAIL_U16: return *(const uint16_t *)a > *(const uint16_t *)b;
  case VITRAIL_I32: return *(const int32_t *)a > *(const int32_t *)b;
  default: return *(const float *)a > *(const float *)b;
  }
}

/* An open side may be the image's border or not. So its pixels are between the lower and the higher of both images. */
static VitrailStatus
border(VtExec *x, const VtImage *from, const VtImage *to)
{
  const bool *open = bounds_of(x)->open;
  const bool closed[4] = { !open[0], !open[1], !open[2], !open[3] };
  const VtImage from_high = vt_bounds_high(x, from), to_high = vt_bounds_high(x, to);
  const size_t px = vt_type_size(to->type);
  unsettle(x, to);
  for (int64_t y = 0; y < to->height; y++)
    for (int64_t k = 0; k < to->width; k++) {
      if (y > 0 && y < to->height - 1 && k == 1 && k < to->width - 1)
        k = to->width - 1; /* only ends of a row are left */
      void *low = vt_image_at(to, k, y), *high = vt_image_at(&to_high, k, y);
      const void *other_low = vt_image_at(from, k, y), *other_high = vt_image_at(&from_high, k, y);
      if (!vt_bounds_is_edge(x, to, k, y))
        continue;
      if (is_above(to->type, low, other_low))
        memcpy(low, other_low, px);
      if (is_above(to->type, other_high, high))
        memcpy(high, other_high, px);
    }
  vt_copy_sides(to, from, closed);
  vt_copy_sides(&to_high, &from_high, closed);
  return VITRAIL_OK;
}

/* --- distance --- */

typedef struct {
  const VtDistance *args;
  const bool *open;
  VtImage low, squared; /* squared: of nearest */
} WayJob;

/* The square of the distance to the nearest open side: background outside is at least that far away. */
static int64_t
way_out(const WayJob *job, int64_t x, int64_t y)
{
  const int64_t ways[4] = { [VT_SIDE_LEFT] = x + 1,
                            [VT_SIDE_TOP] = y + 1,
                            [VT_SIDE_RIGHT] = job->low.width - x,
                            [VT_SIDE_BOTTOM] = job->low.height - y };
  int64_t least = INT64_MAX;
  for (int side = 0; side < 4; side++) {
    const bool across = side == VT_SIDE_LEFT || side == VT_SIDE_RIGHT;
    const int64_t squared = (across ? job->args->weight_x : job->args->weight_y) * ways[side] * ways[side];
    least = job->open[side] && squared < least ? squared : least;
  }
  return least;
}

enum { NOT_SURE = -2 /* no pixel's number */ };

/* The nearest pixel is the first of equally near ones, and that one may lie outside. */
static VitrailStatus
way_tile(VtRun *run, VtRect t, void *user)
{
  const WayJob *job = user;
  for (int64_t y = t.y; y < t.y + t.height; y++) {
    float *root = vt_image_at(&job->low, 0, y);
    int64_t *whole = vt_image_at(&job->low, 0, y);
    const int64_t *squared = job->squared.data ? vt_image_at(&job->squared, 0, y) : NULL;
    for (int64_t x = t.x; x < t.x + t.width; x++) {
      const int64_t way = way_out(job, x, y);
      if (job->low.type == VITRAIL_F32)
        root[x] = fminf(root[x], (float)sqrt((double)way) * job->args->scale);
      else if (!squared)
        whole[x] = whole[x] < way ? whole[x] : way;
      else if (squared[x] >= way)
        whole[x] = NOT_SURE;
    }
  }
  return VITRAIL_OK;
}

/* One output. */
static VitrailStatus
distance(VtExec *x, const char *algorithm, const VtDistance *args)
{
  VtRun *run = x->run;
  VtDistance high = *args, low = *args;
  VtImage *out = high.root.data ? &high.root : high.squared.data ? &high.squared : &high.nearest;
  const VtImage image = *out;
  WayJob job = { .args = args, .open = bounds_of(x)->open, .low = image };
  unsettle(x, &image);
  *out = vt_bounds_high(x, &image);
  high.src = vt_bounds_high(x, &args->src);
  if (args->nearest.data) {
    TRY(vt_raster_alloc(run, &low.squared, VT_I64, image.width, image.height));
    job.squared = low.squared;
  }
  TRY(vt_distance_by(run, algorithm, &low));
  if (is_settled(x, &args->src))
    TRY(vt_local_copy(run, &image, out));
  else
    TRY(vt_distance_by(run, algorithm, &high));
  TRY(vt_local(run, image.width, image.height, way_tile, &job));
  if (args->nearest.data)
    vt_host_free(x, &low.squared);
  return VITRAIL_OK;
}

/* --- maxima --- */

/* Sets pixels at open sides to the highest (lowest) value of the type: an unknown neighbour beyond them can change the other pixels no
 * more than that. */
static void
raise_edges(const VtExec *exec, const VtImage *image, bool minima)
{
  uint8_t bytes[4];
  end_of_type(image->type, !minima, bytes);
  for (int64_t y = 0; y < image->height; y++)
    for (int64_t x = 0; x < image->width; x++) {
      if (vt_bounds_is_edge(exec, image, x, y))
        memcpy(vt_image_at(image, x, y), bytes, vt_type_size(image->type));
      else if (y > 0 && y < image->height - 1 && x < image->width - 2)
        x = image->width - 2; /* only ends of a row are left */
    }
}

/* For a pixel whose value is certain. If a path of equal pixels leads to a higher one in the lower bounds, it does so in any image: where a
 * pixel of the path is above its lower bound, the path ends at a higher pixel earlier. So the pixel is no maximum. If it is a
 * maximum of the higher bounds, it is one in any image. */
typedef struct {
  const VtExec *exec;
  VtImage src, src_high, dst, dst_high, inside; /* inside: certain, or no data */
} MaximaJob;

static VitrailStatus
maxima_tile(VtRun *run, VtRect t, void *user)
{
  const MaximaJob *job = user;
  const size_t px = vt_type_size(job->src.type);
  for (int64_t y = t.y; y < t.y + t.height; y++) {
    const char *a = vt_image_at(&job->src, 0, y), *b = vt_image_at(&job->src_high, 0, y);
    const uint8_t *inside = job->inside.data ? vt_image_at(&job->inside, 0, y) : NULL;
    uint8_t *is = vt_image_at(&job->dst, 0, y), *may_be = vt_image_at(&job->dst_high, 0, y);
    for (int64_t x = t.x; x < t.x + t.width; x++) {
      const bool agree = memcmp(a + (size_t)x * px, b + (size_t)x * px, px) == 0;
      is[x] = agree && is[x] && !vt_bounds_is_edge(job->exec, &job->src, x, y) ? 255 : 0;
      may_be[x] = (!inside || inside[x]) && (!agree || may_be[x]) ? 255 : 0;
    }
  }
  return VITRAIL_OK;
}

static VitrailStatus
regional(VtExec *x, const VtRegional *args)
{
  VtRun *run = x->run;
  MaximaJob job = {
    x, args->src, vt_bounds_high(x, &args->src), args->dst, vt_bounds_high(x, &args->dst), args->inside
  };
  VtRegional high = *args, low = *args;
  unsettle(x, &args->dst);
  TRY(vt_raster_alloc(run, &high.src, args->src.type, args->src.width, args->src.height));
  TRY(vt_local_copy(run, args->minima ? &job.src : &job.src_high, &high.src));
  raise_edges(x, &high.src, args->minima);
  low.src = args->minima ? job.src_high : job.src;
  low.dst = job.dst_high;
  TRY(run->cpu->regional(run->cpu_team, &high, &run->cancel));
  TRY(run->cpu->regional(run->cpu_team, &low, &run->cancel));
  TRY(vt_local(run, args->src.width, args->src.height, maxima_tile, &job));
  vt_host_free(x, &high.src);
  return VITRAIL_OK;
}

const VtExecutor vt_bounded_executor = {
  .name = "bounded",
  .begin = vt_host_begin,
  .end = vt_host_end,
  .alloc = alloc,
  .free = free_image,
  .copy = copy,
  .read = vt_host_read,
  .fetch = vt_host_fetch,
  .cut = vt_host_cut,
  .emit = emit,
  .own_objects = vt_all_objects,
  .local = local,
  .bring = vt_bring_by_local,
  .border = border,
  .reconstruct = reconstruct,
  .distance = distance,
  .regional = regional,
  .components = vt_bounds_components,
  .watershed = vt_bounds_watershed,
  .geodesic = vt_bounds_geodesic,
  .objects = vt_bounds_objects,
  .number = vt_host_number,
  .show = vt_host_number,
  .label_regions = vt_host_label_regions,
  .sized = vt_bounds_sized,
};
