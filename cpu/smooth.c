/* SPDX-License-Identifier: MIT
 *
 * Both passes are sums of products of 16 bits, of two pixels at once, as processors have an instruction for. It takes signed
 * numbers: so pixels are less by 32768, which makes a sum less by 2^31, the weights being 2^16 together; and a weight that is too
 * large is several. A sum, and 2^15 more to round it, stays below 2^32. */
#include "rows/rows.h"

#include <stdlib.h>

enum {
  MOST_RADIUS = 512,
  MOST_WEIGHT = INT16_MAX,
  MOST_PAIRS = MOST_RADIUS + 4 /* of a few weights there is more than one */
};
static const uint32_t half = 1 << 15, lost = UINT32_C(1) << 31;

/* Pixels at offset and offset + 1, and their weights. */
typedef struct Smoothing {
  const VtSmooth *args;
  const VtCpuRows *rows;
  int n_pairs;
  int32_t offset[MOST_PAIRS];
  uint32_t weights[MOST_PAIRS];
  const uint32_t *pairs[MOST_PAIRS];
  uint32_t *ring;  /* pairs of a row and the next one, of 2 radius + 1 rows */
  uint32_t *along; /* pairs of a pixel and the next one */
  uint16_t *row;
  int64_t from, to, pitch; /* columns of src, and their number, padded */
} Smoothing;

static inline int64_t
clamp(int64_t v, int64_t max)
{
  return v < 0 ? 0 : v > max ? max : v;
}

static void
add_pair(Smoothing *s, int32_t offset, uint32_t first, uint32_t second)
{
  if (first == 0 && second == 0)
    return;
  s->offset[s->n_pairs] = offset;
  s->weights[s->n_pairs++] = first | second << 16;
}

static void
find_pairs(Smoothing *s)
{
  const int32_t r = s->args->radius;
  const uint32_t *weights = s->args->weights;
  for (int32_t k = -r; k <= r; k += 2) {
    const uint32_t first = weights[abs(k)], second = k < r ? weights[abs(k + 1)] : 0;
    add_pair(s, k, first < MOST_WEIGHT ? first : MOST_WEIGHT, second < MOST_WEIGHT ? second : MOST_WEIGHT);
  }
  for (int32_t k = -r; k <= r; k++)
    for (uint32_t left = weights[abs(k)]; left > MOST_WEIGHT;) {
      left -= MOST_WEIGHT;
      add_pair(s, k, left < MOST_WEIGHT ? left : MOST_WEIGHT, 0);
    }
}

static inline uint32_t *
ring_row(const Smoothing *s, int64_t y)
{
  const int64_t n = 2 * s->args->radius + 1;
  return s->ring + (y + n) % n * s->pitch;
}

static void
pair_rows(const Smoothing *s, int64_t y)
{
  const VtImage *src = &s->args->src;
  s->rows->pair(ring_row(s, y), vt_image_at(src, s->from, clamp(y, src->height - 1)),
                vt_image_at(src, s->from, clamp(y + 1, src->height - 1)), s->to - s->from + 1);
}

/* Row y of src, smoothed down the columns x0 - radius .. x0 + width + radius, edges repeated. */
static void
smooth_columns(Smoothing *s, int64_t y)
{
  const VtSmooth *a = s->args;
  const int64_t first = a->x0 - a->radius, n = a->dst.width + 2 * (int64_t)a->radius;
  for (int k = 0; k < s->n_pairs; k++)
    s->pairs[k] = ring_row(s, y + s->offset[k]);
  s->rows->weigh(s->row + (s->from - first), s->pairs, s->weights, s->n_pairs, lost + half, s->to - s->from + 1);
  for (int64_t x = 0; x < s->from - first; x++)
    s->row[x] = s->row[s->from - first];
  for (int64_t x = s->to + 1 - first; x <= n; x++)
    s->row[x] = s->row[s->to - first];
}

static void
smooth_row(Smoothing *s, uint16_t *dst)
{
  const VtSmooth *a = s->args;
  s->rows->pair(s->along, s->row, s->row + 1, a->dst.width + 2 * (int64_t)a->radius);
  for (int k = 0; k < s->n_pairs; k++)
    s->pairs[k] = s->along + a->radius + s->offset[k];
  s->rows->weigh(dst, s->pairs, s->weights, s->n_pairs, lost + half, a->dst.width);
}

static bool
smoothing_init(Smoothing *s)
{
  const VtSmooth *a = s->args;
  const size_t n = (size_t)a->dst.width + 2 * (size_t)a->radius + 1;
  s->from = clamp(a->x0 - a->radius, a->src.width - 1);
  s->to = clamp(a->x0 + a->dst.width - 1 + a->radius, a->src.width - 1);
  s->pitch = (int64_t)((n + 15) / 16 * 16);
  s->ring = aligned_alloc(64, (2 * (size_t)a->radius + 3) * (size_t)s->pitch * sizeof *s->ring);
  if (!s->ring)
    return false;
  s->along = s->ring + (2 * a->radius + 1) * s->pitch;
  s->row = (uint16_t *)(s->along + s->pitch);
  find_pairs(s);
  return true;
}

VitrailStatus
vt_cpu_smooth(VtDevice *device, const VtSmooth *args, const VtCancel *cancel)
{
  if (!vt_smooth_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  Smoothing s = { .args = args, .rows = vt_cpu_rows() };
  if (!smoothing_init(&s))
    return VITRAIL_OUT_OF_MEMORY;
  VitrailStatus status = VITRAIL_OK;
  for (int64_t y = args->y0 - args->radius; y < args->y0 + args->radius; y++)
    pair_rows(&s, y);
  for (int64_t y = 0; y < args->dst.height && status == VITRAIL_OK; y++) {
    pair_rows(&s, args->y0 + y + args->radius);
    smooth_columns(&s, args->y0 + y);
    smooth_row(&s, vt_image_at(&args->dst, 0, y));
    if (vt_cancelled(cancel))
      status = VITRAIL_CANCELLED;
  }
  free(s.ring);
  return status;
}
