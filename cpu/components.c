/* SPDX-License-Identifier: MIT
 *
 * Connected components by union-find over pixel indices. A root is always the smaller index, so a component's root is
 * its smallest pixel, parents never point forward, and one pass in raster order makes every parent a root.
 *
 * Bands of rows are joined by as many threads as there are, then one thread joins the bands along their seams, which
 * changes parents of roots only: what a band's pixels point to. Then each band looks its pixels up. */
#include "bands.h"

typedef struct Forest {
  VtCpuBands bands;
  const VtComponents *args;
  int32_t *parent;
} Forest;

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

static void
join_band(void *user, uint32_t band)
{
  Forest *f = user;
  const int64_t w = f->args->src.width, first = band * f->bands.n_rows;
  VT_CPU_EACH_ROW (y, &f->bands, band)
    join_row(&f->args->src, y, y == first, f->args->connectivity == 8, f->parent);
  VT_CPU_EACH_ROW (y, &f->bands, band) {
    const uint8_t *in = vt_image_at(&f->args->src, 0, y);
    for (int64_t i = y * w, x = 0; x < w; x++, i++)
      if (in[x])
        f->parent[i] = f->parent[f->parent[i]];
  }
}

static void
join_seams(Forest *f)
{
  const VtImage *src = &f->args->src;
  for (int64_t y = f->bands.n_rows; y < src->height && !vt_cpu_bands_stop_at(&f->bands, 0); y += f->bands.n_rows) {
    const uint8_t *row = vt_image_at(src, 0, y);
    for (int64_t x = 0; x < src->width; x++)
      if (row[x])
        join_above(src, x, y, f->args->connectivity == 8, f->parent);
  }
}

/* Parents stay as they are: other threads read them. */
static void
label_band(void *user, uint32_t band)
{
  Forest *f = user;
  const int64_t w = f->args->src.width;
  VT_CPU_EACH_ROW (y, &f->bands, band) {
    const uint8_t *in = vt_image_at(&f->args->src, 0, y);
    int32_t *out = vt_image_at(&f->args->dst, 0, y);
    for (int64_t x = 0; x < w; x++) {
      int32_t i = 0;
      if (in[x])
        for (i = f->parent[y * w + x]; f->parent[i] != i;)
          i = f->parent[i];
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
  Forest f = { .bands = vt_cpu_bands_of(device, src->height, cancel), .args = args };
  f.parent = vt_cpu_scratch_take(device, (size_t)(src->width * src->height) * sizeof *f.parent);
  if (!f.parent)
    return VITRAIL_OUT_OF_MEMORY;
  if (vt_cpu_bands_run(device, &f.bands, join_band, &f) == VITRAIL_OK)
    join_seams(&f);
  const VitrailStatus status = vt_cpu_bands_run(device, &f.bands, label_band, &f);
  vt_cpu_scratch_give(device, f.parent);
  return status;
}
