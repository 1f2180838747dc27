/* SPDX-License-Identifier: MIT
 *
 * Connected components by union-find over pixel indices. A root is always the smaller index, so a component's root is
 * its smallest pixel, parents never point forward, and one pass in raster order makes every parent a root.
 *
 * Bands of rows are joined by as many threads as there are, then one thread joins the bands along their seams, which
 * changes parents of roots only: what a band's pixels point to. Then each band looks its pixels up. */
#include "vt-cpu.h"

#include <stdatomic.h>

typedef struct Bands {
  const VtComponents *args;
  const VtCancel *cancel;
  int32_t *parent;
  int64_t n_rows; /* of a band; the last one may have fewer */
  atomic_bool cancelled;
} Bands;

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

static inline void
join_above(const VtImage *src, int64_t x, int64_t y, bool eight, int32_t *parent)
{
  const int64_t w = src->width;
  const uint8_t *above = vt_image_at(src, 0, y - 1);
  const int32_t i = (int32_t)(y * w + x);
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

static void
join_row(const VtImage *src, int64_t y, bool first, bool eight, int32_t *parent)
{
  const uint8_t *row = vt_image_at(src, 0, y);
  for (int64_t x = 0; x < src->width; x++) {
    const int32_t i = (int32_t)(y * src->width + x);
    if (!row[x])
      continue;
    parent[i] = x > 0 && row[x - 1] ? parent[i - 1] : i;
    if (!first)
      join_above(src, x, y, eight, parent);
  }
}

static inline bool
stop_at(Bands *b, int64_t y)
{
  if (vt_cpu_cancelled_at(b->cancel, y))
    atomic_store(&b->cancelled, true);
  return atomic_load_explicit(&b->cancelled, memory_order_relaxed);
}

static inline int64_t
band_end(const Bands *b, int64_t first)
{
  const int64_t height = b->args->src.height;
  return first + b->n_rows < height ? first + b->n_rows : height;
}

static void
join_band(void *user, uint32_t index)
{
  Bands *b = user;
  const int64_t first = index * b->n_rows, end = band_end(b, first), w = b->args->src.width;
  for (int64_t y = first; y < end && !stop_at(b, y); y++)
    join_row(&b->args->src, y, y == first, b->args->connectivity == 8, b->parent);
  for (int64_t y = first; y < end && !stop_at(b, y); y++) {
    const uint8_t *in = vt_image_at(&b->args->src, 0, y);
    for (int64_t i = y * w, x = 0; x < w; x++, i++)
      if (in[x])
        b->parent[i] = b->parent[b->parent[i]];
  }
}

static void
join_seams(Bands *b)
{
  const VtImage *src = &b->args->src;
  for (int64_t y = b->n_rows; y < src->height && !stop_at(b, 0); y += b->n_rows) {
    const uint8_t *row = vt_image_at(src, 0, y);
    for (int64_t x = 0; x < src->width; x++)
      if (row[x])
        join_above(src, x, y, b->args->connectivity == 8, b->parent);
  }
}

/* Parents stay as they are: other threads read them. */
static void
label_band(void *user, uint32_t index)
{
  Bands *b = user;
  const int64_t first = index * b->n_rows, end = band_end(b, first), w = b->args->src.width;
  for (int64_t y = first; y < end && !stop_at(b, y); y++) {
    const uint8_t *in = vt_image_at(&b->args->src, 0, y);
    int32_t *out = vt_image_at(&b->args->dst, 0, y);
    for (int64_t x = 0; x < w; x++) {
      int32_t i = 0;
      if (in[x])
        for (i = b->parent[y * w + x]; b->parent[i] != i;)
          i = b->parent[i];
      out[x] = in[x] ? 1 + i : 0;
    }
  }
}

VitrailStatus
vt_cpu_components(VtDevice *device, const VtComponents *args, const VtCancel *cancel)
{
  const VtImage *src = &args->src;
  if (!vt_components_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  const int64_t n_wanted = (int64_t)vt_cpu_n_threads(device) * 4; /* several each: they do not take equally long */
  const int64_t n_rows = vt_cpu_n_threads(device) == 1 ? src->height : (src->height + n_wanted - 1) / n_wanted;
  const uint32_t n_bands = (uint32_t)((src->height + n_rows - 1) / n_rows);
  Bands b = { .args = args, .cancel = cancel, .n_rows = n_rows };
  b.parent = vt_cpu_scratch_take(device, (size_t)(src->width * src->height) * sizeof *b.parent);
  if (!b.parent)
    return VITRAIL_OUT_OF_MEMORY;
  vt_cpu_parallel_for(device, n_bands, join_band, &b);
  if (!atomic_load(&b.cancelled)) {
    join_seams(&b);
    vt_cpu_parallel_for(device, n_bands, label_band, &b);
  }
  vt_cpu_scratch_give(device, b.parent);
  return atomic_load(&b.cancelled) ? VITRAIL_CANCELLED : VITRAIL_OK;
}
