/* SPDX-License-Identifier: MIT */
#include "vt-cpu.h"

#include <stdlib.h>

static inline int64_t
clamp(int64_t v, int64_t max)
{
  return v < 0 ? 0 : v > max ? max : v;
}

/* The weights sum to 2^16 and pixels are below 2^16: sums of products, and 2^15 more to round, stay below 2^32. */
static void
add_pair(uint32_t *restrict sum, const uint16_t *restrict a, const uint16_t *restrict b, uint32_t weight, int64_t n)
{
  for (int64_t i = 0; i < n; i++)
    sum[i] += weight * ((uint32_t)a[i] + b[i]);
}

static void
set_scaled(uint32_t *restrict sum, const uint16_t *restrict a, uint32_t weight, int64_t n)
{
  for (int64_t i = 0; i < n; i++)
    sum[i] = weight * a[i] + 32768;
}

static void
narrow(uint16_t *restrict dst, const uint32_t *restrict sum, int64_t n)
{
  for (int64_t i = 0; i < n; i++)
    dst[i] = (uint16_t)(sum[i] >> 16);
}

/* Row y of the vertical pass over the columns x0 - radius .. x0 + width + radius, edges repeated. */
static void
vertical_row(const VtSmooth *a, int64_t y, uint32_t *sum, uint16_t *row)
{
  const int64_t first = a->x0 - a->radius, last = a->x0 + a->dst.width - 1 + a->radius;
  const int64_t from = clamp(first, a->src.width - 1), to = clamp(last, a->src.width - 1), bottom = a->src.height - 1;
  uint16_t *inner = row + (from - first);
  set_scaled(sum, vt_image_at(&a->src, from, y), a->weights[0], to - from + 1);
  for (int64_t k = 1; k <= a->radius; k++)
    add_pair(sum, vt_image_at(&a->src, from, clamp(y - k, bottom)), vt_image_at(&a->src, from, clamp(y + k, bottom)),
             a->weights[k], to - from + 1);
  narrow(inner, sum, to - from + 1);
  for (int64_t x = first; x < from; x++)
    row[x - first] = inner[0];
  for (int64_t x = to + 1; x <= last; x++)
    row[x - first] = inner[to - from];
}

VitrailStatus
vt_cpu_smooth(VtDevice *device, const VtSmooth *args, const VtCancel *cancel)
{
  if (!vt_smooth_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  const int64_t width = args->dst.width, r = args->radius, n = width + 2 * r;
  uint32_t *sum = malloc((size_t)n * (sizeof(uint32_t) + sizeof(uint16_t)));
  if (!sum)
    return VITRAIL_OUT_OF_MEMORY;
  uint16_t *row = (uint16_t *)(sum + n);
  VitrailStatus status = VITRAIL_OK;
  for (int64_t y = 0; y < args->dst.height && status == VITRAIL_OK; y++) {
    vertical_row(args, args->y0 + y, sum, row);
    set_scaled(sum, row + r, args->weights[0], width);
    for (int64_t k = 1; k <= r; k++)
      add_pair(sum, row + r - k, row + r + k, args->weights[k], width);
    narrow(vt_image_at(&args->dst, 0, y), sum, width);
    if (vt_cancelled(cancel))
      status = VITRAIL_CANCELLED;
  }
  free(sum);
  return status;
}
