/* SPDX-License-Identifier: MIT
 *
 * Three steps, each with one answer: the distance of every pixel inside its plateau of `level`, breadth first from the
 * seeds (0) and from where the plateau is entered from above (1); the parent of every pixel by (level, distance,
 * index); the label of its root, found along the path of parents and written back over it. */
#include "vt-cpu.h"

#include <stdlib.h>

#define FAR INT32_MAX

/* Scratch of one call, indexed y * width + x. */
typedef struct Flood {
  const VtWatershed *args;
  int64_t width, height;
  int32_t *distance; /* FAR: not reached */
  int32_t *queue;    /* every pixel enters once; later the path of parents being followed */
  int32_t *parent;   /* index of the parent; once the label is known, ~label */
  int64_t head, tail;
} Flood;

static inline float
level_at(const Flood *f, int64_t x, int64_t y)
{
  return ((const float *)vt_image_at(&f->args->level, 0, y))[x];
}

static inline bool
in_mask(const Flood *f, int64_t x, int64_t y)
{
  return ((const uint8_t *)vt_image_at(&f->args->mask, 0, y))[x] != 0;
}

static inline int32_t
seed_at(const Flood *f, int64_t x, int64_t y)
{
  return ((const int32_t *)vt_image_at(&f->args->seeds, 0, y))[x];
}

/* The square of neighbours of (x,y), clipped to the image; in it every pixel but (x,y), in the order of indexes. */
#define EACH_NEIGHBOUR(f, x, y, nx, ny) \
  for (int64_t ny = (y) > 0 ? (y)-1 : 0; ny <= (y) + 1 && ny < (f)->height; ny++) \
    for (int64_t nx = (x) > 0 ? (x)-1 : 0; nx <= (x) + 1 && nx < (f)->width; nx++) \
      if ((nx != (x) || ny != (y)) && in_mask(f, nx, ny))

static bool
entered_from_above(const Flood *f, int64_t x, int64_t y)
{
  const float level = level_at(f, x, y);
  EACH_NEIGHBOUR (f, x, y, nx, ny)
    if (level_at(f, nx, ny) > level)
      return true;
  return false;
}

static void
reach(Flood *f, int64_t index, int32_t distance)
{
  f->distance[index] = distance;
  f->queue[f->tail++] = (int32_t)index;
}

/* Spreads the pixels queued up to `end` one step over their plateaus. */
static void
spread(Flood *f, int64_t end)
{
  for (; f->head < end; f->head++) {
    const int64_t i = f->queue[f->head], x = i % f->width, y = i / f->width;
    const float level = level_at(f, x, y);
    EACH_NEIGHBOUR (f, x, y, nx, ny)
      if (f->distance[ny * f->width + nx] == FAR && level_at(f, nx, ny) == level)
        reach(f, ny * f->width + nx, f->distance[i] + 1);
  }
}

static VitrailStatus
measure(Flood *f, const VtCancel *cancel)
{
  for (int64_t y = 0; y < f->height; y++)
    for (int64_t x = 0; x < f->width; x++) {
      f->distance[y * f->width + x] = FAR;
      if (in_mask(f, x, y) && seed_at(f, x, y))
        reach(f, y * f->width + x, 0);
    }
  const int64_t n_seeds = f->tail;
  for (int64_t y = 0; y < f->height; y++) {
    for (int64_t x = 0; x < f->width; x++)
      if (in_mask(f, x, y) && f->distance[y * f->width + x] == FAR && entered_from_above(f, x, y))
        reach(f, y * f->width + x, 1);
    if (vt_cpu_cancelled_at(cancel, y))
      return VITRAIL_CANCELLED;
  }
  /* The seeds stand before the entered pixels in the queue, and what the seeds reach (1) comes behind them (1): the
   * queue stays in the order of distances. */
  spread(f, n_seeds);
  while (f->head < f->tail) {
    spread(f, f->tail - f->head > 65536 ? f->head + 65536 : f->tail);
    if (vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

/* ~label for seeds and for what no seed can reach, else the index of the parent. */
static int32_t
parent_of(const Flood *f, int64_t x, int64_t y)
{
  const int64_t i = y * f->width + x;
  if (f->distance[i] == FAR)
    return ~0;
  if (f->distance[i] == 0)
    return ~seed_at(f, x, y);
  int64_t best = -1;
  float best_level = 0;
  EACH_NEIGHBOUR (f, x, y, nx, ny) {
    const int64_t n = ny * f->width + nx;
    const float level = level_at(f, nx, ny);
    if (best < 0 || level > best_level || (level == best_level && f->distance[n] < f->distance[best])) {
      best = n;
      best_level = level;
    }
  }
  return (int32_t)best;
}

static int32_t
resolve(Flood *f, int32_t i)
{
  int64_t n = 0;
  for (; f->parent[i] >= 0; i = f->parent[i])
    f->queue[n++] = i;
  const int32_t root = f->parent[i];
  while (n > 0)
    f->parent[f->queue[--n]] = root;
  return ~root;
}

static bool
args_ok(const VtWatershed *a)
{
  if (!vt_cpu_image_ok(&a->level, VITRAIL_F32) || !vt_cpu_image_ok(&a->seeds, VITRAIL_I32)
      || !vt_cpu_image_ok(&a->mask, VITRAIL_U8) || !vt_cpu_image_ok(&a->labels, VITRAIL_I32)
      || !vt_cpu_same_size(&a->level, &a->seeds) || !vt_cpu_same_size(&a->level, &a->mask)
      || !vt_cpu_same_size(&a->level, &a->labels) || a->level.width > (INT32_MAX - 1) / a->level.height)
    return false;
  for (int64_t y = 0; y < a->level.height; y++) {
    const float *level = vt_image_at(&a->level, 0, y);
    const int32_t *seed = vt_image_at(&a->seeds, 0, y);
    const uint8_t *mask = vt_image_at(&a->mask, 0, y);
    for (int64_t x = 0; x < a->level.width; x++)
      if (mask[x] && (level[x] != level[x] || seed[x] < 0))
        return false;
  }
  return true;
}

VitrailStatus
vt_cpu_watershed(VtDevice *device, const VtWatershed *args, const VtCancel *cancel)
{
  if (!args_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  Flood f = { .args = args, .width = args->level.width, .height = args->level.height };
  const int64_t n = f.width * f.height;
  f.distance = malloc(3 * (size_t)n * sizeof *f.distance);
  if (!f.distance)
    return VITRAIL_OUT_OF_MEMORY;
  f.queue = f.distance + n;
  f.parent = f.queue + n;
  VitrailStatus status = measure(&f, cancel);
  for (int64_t y = 0; y < f.height && status == VITRAIL_OK; y++) {
    for (int64_t x = 0; x < f.width; x++)
      f.parent[y * f.width + x] = parent_of(&f, x, y);
    if (vt_cpu_cancelled_at(cancel, y))
      status = VITRAIL_CANCELLED;
  }
  for (int64_t y = 0; y < f.height && status == VITRAIL_OK; y++) {
    int32_t *labels = vt_image_at(&args->labels, 0, y);
    for (int64_t x = 0; x < f.width; x++)
      labels[x] = resolve(&f, (int32_t)(y * f.width + x));
  }
  free(f.distance);
  return status;
}
