/* SPDX-License-Identifier: MIT
 *
 * Connected components by union-find over pixel indices. A root is always the smaller index, so a component's root is
 * its smallest pixel, parents never point forward, and one pass in raster order makes every parent a root. */
#include "vt-cpu.h"

#include <stdlib.h>

static inline int32_t
find(int32_t *parent, int32_t i)
{
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

static inline void
unite(int32_t *parent, int32_t a, int32_t b)
{
  a = find(parent, a);
  b = find(parent, b);
  if (a < b)
    parent[b] = a;
  else
    parent[a] = b;
}

static void
join_row(const VtImage *src, int64_t y, bool eight, int32_t *parent)
{
  const int64_t w = src->width;
  const uint8_t *row = vt_image_at(src, 0, y), *above = y > 0 ? vt_image_at(src, 0, y - 1) : NULL;
  for (int64_t x = 0; x < w; x++) {
    const int32_t i = (int32_t)(y * w + x);
    if (!row[x])
      continue;
    parent[i] = i;
    if (x > 0 && row[x - 1])
      parent[i] = parent[i - 1];
    if (!above)
      continue;
    /* The pixel above touches both its own neighbours: where it is set, they add nothing. */
    if (above[x]) {
      unite(parent, i, i - (int32_t)w);
    } else if (eight) {
      if (x > 0 && above[x - 1])
        unite(parent, i, i - (int32_t)w - 1);
      if (x + 1 < w && above[x + 1])
        unite(parent, i, i - (int32_t)w + 1);
    }
  }
}

VitrailStatus
vt_cpu_components(VtDevice *device, const VtComponents *args, const VtCancel *cancel)
{
  const VtImage *src = &args->src, *dst = &args->dst;
  if (!vt_cpu_image_ok(src, VITRAIL_U8) || !vt_cpu_image_ok(dst, VITRAIL_I32) || !vt_cpu_same_size(src, dst)
      || (args->connectivity != 4 && args->connectivity != 8) || src->width > (INT32_MAX - 1) / src->height)
    return VITRAIL_BAD_ARGUMENT;
  const int64_t w = src->width;
  int32_t *parent = malloc((size_t)(w * src->height) * sizeof *parent);
  if (!parent)
    return VITRAIL_OUT_OF_MEMORY;
  VitrailStatus status = VITRAIL_OK;
  for (int64_t y = 0; y < src->height && status == VITRAIL_OK; y++) {
    join_row(src, y, args->connectivity == 8, parent);
    if (vt_cpu_cancelled_at(cancel, y))
      status = VITRAIL_CANCELLED;
  }
  for (int64_t y = 0; y < src->height && status == VITRAIL_OK; y++) {
    const uint8_t *in = vt_image_at(src, 0, y);
    int32_t *out = vt_image_at(dst, 0, y), *p = parent + y * w;
    for (int64_t x = 0; x < w; x++)
      out[x] = in[x] ? 1 + (p[x] = parent[p[x]]) : 0;
  }
  free(parent);
  return status;
}
