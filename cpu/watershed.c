/* SPDX-License-Identifier: MIT
 *
 * Three steps, each with one answer: the distance of every pixel inside its plateau of `level`, breadth first from the
 * seeds (0) and from where the plateau is entered from above (1); the parent of every pixel by (level, distance,
 * index); the label of its root, found along the path of parents and written back over it.
 *
 * Only pixels of the mask are visited. They work on a copy with a frame, in which level and distance are one number:
 * the greater, the earlier a pixel is flooded. What is outside the mask or the image is 0, the least, so that no neighbour
 * needs a check of where it is. */
#include "vt-cpu.h"
#include "big-alloc.h"
#include "iwpp/iwpp.h"

#include <stdlib.h>
#include <string.h>

enum { N_NEIGHBOURS = 8 };

/* Level above, INT32_MAX - distance below: 0 there is a pixel that is not reached. */
typedef uint64_t Key;

/* Scratch of one call. Pixel (x,y) stands at (y + 1) * stride + x + 1: the last column of a row is also the frame before
 * the next one. */
typedef struct Flood {
  const VtWatershed *args;
  int64_t stride;
  int32_t offset[N_NEIGHBOURS]; /* in the order of indexes */
  Key *key;
  int32_t *queue;  /* every pixel enters once */
  int32_t *parent; /* over the queue, when that is done: index of the parent; once the label is known, ~label */
  int32_t *path;   /* over the keys, when those are done: the path of parents being followed */
  int32_t *pixels; /* of the mask, in order */
  int64_t n_pixels, n_queued; /* n_queued: before they spread */
} Flood;

/* The key of a level before it is reached. Integers in the order of the floats; the two zeros are one level. */
static inline Key
key_of(float level)
{
  const float no_minus_zero = level + 0.0f;
  int32_t bits;
  memcpy(&bits, &no_minus_zero, sizeof bits);
  return (Key)((uint32_t)(bits < 0 ? bits ^ INT32_MAX : bits) ^ UINT32_C(0x80000000)) << 32;
}

static inline void
reach(Flood *f, int32_t i, int32_t distance)
{
  f->key[i] += (Key)(INT32_MAX - distance);
  f->queue[f->n_queued++] = i;
}

static inline bool
is_reached(Key key)
{
  return (uint32_t)key != 0;
}

/* Copies a row of the mask's levels, lists its pixels, and puts its seeds into the queue; false: bad values. */
static bool
frame_row(Flood *f, int64_t y)
{
  const int64_t width = f->args->level.width;
  const float *level = vt_image_at(&f->args->level, 0, y);
  const int32_t *seed = vt_image_at(&f->args->seeds, 0, y);
  const uint8_t *mask = vt_image_at(&f->args->mask, 0, y);
  const int64_t first = (y + 1) * f->stride + 1;
  bool ok = true;
  for (int64_t x = 0; x < width; x++) {
    if (!mask[x])
      continue;
    const int32_t i = (int32_t)(first + x);
    ok = ok && level[x] == level[x] && seed[x] >= 0;
    f->key[i] = key_of(level[x]);
    f->pixels[f->n_pixels++] = i;
    if (seed[x])
      reach(f, i, 0);
  }
  return ok;
}

static VitrailStatus
frame(Flood *f, const VtCancel *cancel)
{
  const int64_t height = f->args->level.height;
  for (int64_t y = 0; y < height; y++) {
    if (!frame_row(f, y))
      return VITRAIL_BAD_ARGUMENT;
    if (vt_cpu_cancelled_at(cancel, y))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

static int64_t
key_behind(const void *state, int64_t at)
{
  return (int64_t)(((const Flood *)state)->key[at] - 1);
}

/* One step over a plateau. */
static bool
spread(void *state, const VtIwppStep *step)
{
  Key *to = ((Flood *)state)->key + step->to;
  const Key key = (Key)step->value;
  if (*to != (key & ~(Key)UINT32_MAX))
    return false;
  *to = key;
  return true;
}

/* Between pixels. */
static bool
cancelled_at(const VtCancel *cancel, int64_t k)
{
  return (k & 0xffff) == 0 && vt_cancelled(cancel);
}

static VitrailStatus
measure(Flood *f, const VtCancel *cancel)
{
  for (int64_t k = 0; k < f->n_pixels; k++) {
    const int32_t i = f->pixels[k];
    const Key key = f->key[i];
    Key highest = 0;
    for (int o = 0; o < N_NEIGHBOURS; o++) {
      const Key other = f->key[i + f->offset[o]];
      highest = highest > other ? highest : other;
    }
    if (!is_reached(key) && highest - (uint32_t)highest > key)
      reach(f, i, 1);
    if (cancelled_at(cancel, k))
      return VITRAIL_CANCELLED;
  }
  /* The seeds stand before the entered pixels in the queue, and what the seeds reach (1) comes behind them (1): the
   * queue stays in the order of distances. */
  const VtIwpp wave = { f->stride, N_NEIGHBOURS, cancel };
  return vt_iwpp_once(&wave, f->queue, f->n_queued, f, key_behind, spread);
}

/* The first neighbour by (level descending, distance ascending, index ascending). */
static int32_t
parent_of(const Flood *f, int32_t i)
{
  int32_t best = i;
  Key best_key = 0;
  for (int k = 0; k < N_NEIGHBOURS; k++) {
    const int32_t n = i + f->offset[k];
    best = f->key[n] > best_key ? n : best;
    best_key = f->key[n] > best_key ? f->key[n] : best_key;
  }
  return best;
}

static VitrailStatus
find_parents(Flood *f, const VtCancel *cancel)
{
  f->parent = f->queue;
  for (int64_t k = 0; k < f->n_pixels; k++) {
    const int32_t i = f->pixels[k];
    const uint32_t closeness = (uint32_t)f->key[i];
    if (closeness == INT32_MAX) {
      const int64_t row = i / f->stride - 1;
      f->parent[i] = ~((const int32_t *)vt_image_at(&f->args->seeds, 0, row))[i % f->stride - 1];
    } else {
      f->parent[i] = closeness == 0 ? ~0 : parent_of(f, i);
    }
    if (cancelled_at(cancel, k))
      return VITRAIL_CANCELLED;
  }
  f->path = (int32_t *)f->key;
  return VITRAIL_OK;
}

/* The label; -1: cancelled on the way to it, which may lead through all pixels. */
static int32_t
resolve(Flood *f, int32_t i, const VtCancel *cancel)
{
  int64_t n = 0;
  for (; f->parent[i] >= 0; i = f->parent[i]) {
    f->path[n++] = i;
    if (cancelled_at(cancel, n))
      return -1;
  }
  const int32_t root = f->parent[i];
  while (n > 0) {
    f->parent[f->path[--n]] = root;
    if (n > 0 && cancelled_at(cancel, n))
      return -1;
  }
  return ~root;
}

static VitrailStatus
write_labels(Flood *f, const VtCancel *cancel)
{
  const VtImage *labels = &f->args->labels;
  int64_t k = 0;
  for (int64_t y = 0; y < labels->height; y++) {
    int32_t *row = vt_image_at(labels, 0, y);
    const int64_t first = (y + 1) * f->stride + 1;
    memset(row, 0, (size_t)labels->width * sizeof *row);
    for (; k < f->n_pixels && f->pixels[k] < first + labels->width; k++) {
      const int32_t label = resolve(f, f->pixels[k], cancel);
      if (label < 0)
        return VITRAIL_CANCELLED;
      row[f->pixels[k] - first] = label;
    }
    if (vt_cpu_cancelled_at(cancel, y))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_cpu_watershed(VtDevice *device, const VtWatershed *args, const VtCancel *cancel)
{
  if (!vt_watershed_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  const int64_t stride = args->level.width + 1, n = (args->level.height + 2) * stride + 2;
  if (n > INT32_MAX) /* the frame around an image at the limit: 32 GiB of scratch, anyway */
    return VITRAIL_OUT_OF_MEMORY;
  const int32_t down = (int32_t)stride;
  Flood f = { .args = args,
              .stride = stride,
              .offset = { -down - 1, -down, -down + 1, -1, 1, down - 1, down, down + 1 },
              .key = vt_cpu_big_calloc((size_t)n, sizeof(Key) + 2 * sizeof(int32_t)) };
  if (!f.key)
    return VITRAIL_OUT_OF_MEMORY;
  f.queue = (int32_t *)(f.key + n);
  f.pixels = f.queue + n;
  VitrailStatus status = frame(&f, cancel);
  if (status == VITRAIL_OK)
    status = measure(&f, cancel);
  if (status == VITRAIL_OK)
    status = find_parents(&f, cancel);
  if (status == VITRAIL_OK)
    status = write_labels(&f, cancel);
  free(f.key);
  return status;
}
