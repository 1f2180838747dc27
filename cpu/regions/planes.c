/* SPDX-License-Identifier: MIT
 *
 * The planes of a window: optical density, smoothed at several scales, gradients, and local mean and deviation. Means are of
 * squares of pixels, cut where the image ends: all in integers. */
#include "filters.h"
#include "simd.h"

#include <stdlib.h>

VitrailStatus
vt_rg_planes_init(RgPlanes *planes, int64_t width, int64_t height, VtDevice *device)
{
  const size_t one = ((size_t)width * (size_t)height + 31) / 32 * 32;
  const size_t n = one * (RG_N_PLANES + 2) + RG_MIXED_SPARE * RG_N_MIXED;
  int16_t *block = vt_cpu_scratch_take(device, n * sizeof *block);
  *planes = (RgPlanes){ .width = width, .height = height, .device = device };
  if (!block)
    return VITRAIL_OUT_OF_MEMORY;
  /* In a row: what is needed to the end, what is mixed, which is spare then, and what only the map needs, which becomes `mixed`. */
  static const RgPlane in_memory[] = { RG_MAP,      RG_RED_MEAN, RG_RED_DEV,    RG_RED_1,      RG_RED_4,
                                       RG_GREEN_1,  RG_BLUE_1,   RG_GRADIENT_1, RG_GRADIENT_4, RG_ROUGH,
                                       RG_N_PLANES, RG_N_PLANES, RG_RED_2,      RG_RED_8,      RG_RED_16,
                                       RG_GREEN_4,  RG_GREEN_16, RG_BLUE_4,     RG_EDGE_8 };
  enum { N_LEFT = 3, N_SPARE = 8 };
  planes->block = block;
  for (size_t i = 0, n_work = 0; i < RG_N_PLANES + 2; i++)
    if (in_memory[i] == RG_N_PLANES)
      planes->work[n_work++] = block + one * i;
    else
      planes->plane[in_memory[i]] = block + one * i;
  planes->spare = block + one * N_LEFT;
  planes->spare_bytes = one * N_SPARE * sizeof *block;
  planes->mixed = planes->work[1];
  return VITRAIL_OK;
}

void
vt_rg_planes_clear(RgPlanes *planes)
{
  vt_cpu_scratch_give(planes->device, planes->block);
  *planes = (RgPlanes){ 0 };
}

const RgFilters *
vt_rg_filters(void)
{
#ifdef VT_CPU_X86
  if (vt_cpu_simd() == VT_CPU_AVX512)
    return &vt_rg_filters_avx512;
  if (vt_cpu_simd() == VT_CPU_AVX2)
    return &vt_rg_filters_avx2;
#endif
  return &vt_rg_filters_baseline;
}

static void
densities(RgPlanes *p, const VtRegions *args)
{
  const bool inverse = args->preset == VT_REGIONS_FLUORESCENCE;
  for (int64_t y = 0; y < p->height && !vt_cpu_cancelled_at(p->cancel, y); y++) {
    const uint8_t *r = vt_image_at(&args->red, 0, y), *g = vt_image_at(&args->green, 0, y);
    const uint8_t *b = vt_image_at(&args->blue, 0, y);
    int16_t *red = p->work[0] + y * p->width, *green = p->plane[RG_GREEN_16] + y * p->width;
    int16_t *blue = p->plane[RG_BLUE_4] + y * p->width;
    for (int64_t x = 0; x < p->width; x++) {
      const uint8_t most = r[x] > g[x] ? (r[x] > b[x] ? r[x] : b[x]) : (g[x] > b[x] ? g[x] : b[x]);
      red[x] = inverse ? (int16_t)(RG_MOST_DENSITY - vt_rg_density[most]) : vt_rg_density[r[x]];
      green[x] = inverse ? red[x] : vt_rg_density[g[x]];
      blue[x] = inverse ? red[x] : vt_rg_density[b[x]];
    }
  }
}

typedef struct Filling {
  RgPlanes *p;
  const RgFilters *filters;
  void *row;
} Filling;

/* n_passes means of the (2 radius + 1)² square around each pixel. */
static void
smooth(const Filling *f, RgPlane to, const int16_t *src, int32_t radius, int n_passes, bool is_wide)
{
  RgPlanes *p = f->p;
  for (int i = 0; i < n_passes && !vt_cancelled(p->cancel); i++)
    f->filters->mean(i + 1 < n_passes ? p->work[1] : p->plane[to], i ? p->work[1] : src, p->width, p->height, radius,
                     is_wide, f->row);
}

static void
fill(const Filling *f)
{
  RgPlanes *p = f->p;
  int16_t **plane = p->plane;
  const int64_t w = p->width, h = p->height;
  const int16_t *const from[3] = { p->work[0], plane[RG_GREEN_16], plane[RG_BLUE_4] };
  int16_t *const to[3] = { plane[RG_RED_1], plane[RG_GREEN_1], plane[RG_BLUE_1] };
  for (int i = 0; i < 3 && !vt_cancelled(p->cancel); i++)
    f->filters->smooth_121(to[i], from[i], w, h, f->row);
  smooth(f, RG_RED_2, plane[RG_RED_1], 1, 2, false);
  smooth(f, RG_RED_4, plane[RG_RED_1], 3, 2, false);
  smooth(f, RG_RED_8, plane[RG_RED_1], 6, 2, false);
  smooth(f, RG_RED_16, plane[RG_RED_1], 14, 2, false);
  smooth(f, RG_GREEN_4, plane[RG_GREEN_1], 4, 1, false);
  smooth(f, RG_GREEN_16, plane[RG_GREEN_1], 14, 2, false);
  smooth(f, RG_BLUE_4, plane[RG_BLUE_1], 4, 1, false);
  f->filters->gradient(plane[RG_GRADIENT_1], plane[RG_RED_1], w, h, 2, RG_MOST_DENSITY);
  f->filters->gradient(plane[RG_GRADIENT_4], plane[RG_RED_4], w, h, 4, RG_MOST_DENSITY);
  f->filters->difference(p->work[0], plane[RG_RED_1], plane[RG_RED_4], w * h);
  smooth(f, RG_ROUGH, p->work[0], 6, 1, false);
  smooth(f, RG_EDGE_8, plane[RG_GRADIENT_1], 6, 1, false);
  smooth(f, RG_RED_MEAN, plane[RG_RED_1], 40, 1, false);
  /* Squares are kept / 16, so that they fit 16 bits. */
  f->filters->square(p->work[0], plane[RG_RED_1], w * h);
  smooth(f, RG_RED_DEV, p->work[0], 40, 1, true);
  f->filters->deviation(plane[RG_RED_DEV], plane[RG_RED_MEAN], w * h);
}

VitrailStatus
vt_rg_planes_fill(RgPlanes *p, const VtRegions *args)
{
  const Filling f = { p, vt_rg_filters(), malloc(vt_rg_filter_row(p->width)) };
  if (!f.row)
    return VITRAIL_OUT_OF_MEMORY;
  densities(p, args);
  fill(&f);
  free(f.row);
  return vt_cancelled(p->cancel) ? VITRAIL_CANCELLED : VITRAIL_OK;
}

void
vt_rg_planes_mix(RgPlanes *p)
{
  int16_t *mixed = p->mixed;
  for (int64_t i = 0, n = p->width * p->height; i < n && !vt_rg_cancelled_at(p->cancel, i); i++, mixed += RG_N_MIXED) {
    mixed[0] = p->plane[RG_RED_1][i];
    mixed[1] = p->plane[RG_GREEN_1][i];
    mixed[2] = p->plane[RG_BLUE_1][i];
    mixed[3] = p->plane[RG_GRADIENT_1][i];
    mixed[4] = p->plane[RG_MAP][i];
    mixed[5] = p->plane[RG_ROUGH][i];
    mixed[6] = p->plane[RG_GRADIENT_4][i];
    mixed[7] = p->plane[RG_RED_4][i];
  }
}
