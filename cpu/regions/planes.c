/* SPDX-License-Identifier: MIT
 *
 * The planes of a window: optical density, smoothed at several scales, gradients, and local mean and deviation. Means are of
 * squares of pixels, cut where the image ends: all in integers. */
#include "regions.h"

#include <stdlib.h>

/* round(-log10((v + 1) / 256) * 256) */
static const int16_t density[256] = {
  617, 539, 494, 462, 438, 417, 400, 385, 372, 361, 350, 340, 331, 323, 315, 308, 302, 295, 289, 283, 278, 273,
  268, 263, 259, 254, 250, 246, 242, 238, 235, 231, 228, 224, 221, 218, 215, 212, 209, 206, 204, 201, 198, 196,
  193, 191, 188, 186, 184, 182, 179, 177, 175, 173, 171, 169, 167, 165, 163, 161, 159, 158, 156, 154, 152, 151,
  149, 147, 146, 144, 143, 141, 139, 138, 136, 135, 134, 132, 131, 129, 128, 127, 125, 124, 123, 121, 120, 119,
  117, 116, 115, 114, 113, 111, 110, 109, 108, 107, 106, 105, 103, 102, 101, 100, 99,  98,  97,  96,  95,  94,
  93,  92,  91,  90,  89,  88,  87,  86,  85,  84,  83,  82,  81,  81,  80,  79,  78,  77,  76,  75,  74,  74,
  73,  72,  71,  70,  70,  69,  68,  67,  66,  66,  65,  64,  63,  62,  62,  61,  60,  59,  59,  58,  57,  57,
  56,  55,  54,  54,  53,  52,  52,  51,  50,  50,  49,  48,  47,  47,  46,  46,  45,  44,  44,  43,  42,  42,
  41,  40,  40,  39,  39,  38,  37,  37,  36,  36,  35,  34,  34,  33,  33,  32,  31,  31,  30,  30,  29,  29,
  28,  27,  27,  26,  26,  25,  25,  24,  24,  23,  23,  22,  21,  21,  20,  20,  19,  19,  18,  18,  17,  17,
  16,  16,  15,  15,  14,  14,  13,  13,  12,  12,  11,  11,  10,  10,  10,  9,   9,   8,   8,   7,   7,   6,
  6,   5,   5,   4,   4,   4,   3,   3,   2,   2,   1,   1,   0,   0,
};
enum { MOST = 617 };

VitrailStatus
vt_rg_planes_init(RgPlanes *planes, int64_t width, int64_t height)
{
  const size_t one = ((size_t)width * (size_t)height + 31) / 32 * 32;
  int16_t *block = aligned_alloc(64, one * (RG_N_PLANES + 2) * sizeof *block);
  *planes = (RgPlanes){ .width = width, .height = height };
  if (!block)
    return VITRAIL_OUT_OF_MEMORY;
  for (int i = 0; i < RG_N_PLANES; i++)
    planes->plane[i] = block + one * (size_t)i;
  planes->work[0] = block + one * RG_N_PLANES;
  planes->work[1] = block + one * (RG_N_PLANES + 1);
  return VITRAIL_OK;
}

void
vt_rg_planes_clear(RgPlanes *planes)
{
  free(planes->plane[0]);
  *planes = (RgPlanes){ 0 };
}

static inline int16_t
mean_of(uint32_t sum, uint32_t reciprocal)
{
  return (int16_t)((sum * reciprocal + 32768) >> 16);
}

static uint32_t
reciprocal_at(int64_t at, int64_t n, int32_t radius)
{
  const int64_t from = at < radius ? 0 : at - radius, to = at + radius >= n ? n - 1 : at + radius;
  const uint32_t count = (uint32_t)(to - from + 1);
  return (65536 + count / 2) / count;
}

static void
mean_row(int16_t *restrict dst, const int16_t *restrict src, int64_t n, int32_t radius)
{
  uint32_t sum = 0;
  for (int64_t x = 0; x < radius && x < n; x++)
    sum += (uint32_t)src[x];
  const uint32_t inner = reciprocal_at(radius, 2 * radius + 1, radius);
  int64_t x = 0;
  for (; x < n && (x <= radius || x + radius >= n); x++) {
    sum += x + radius < n ? (uint32_t)src[x + radius] : 0;
    sum -= x > radius ? (uint32_t)src[x - radius - 1] : 0;
    dst[x] = mean_of(sum, reciprocal_at(x, n, radius));
  }
  for (; x + radius < n; x++) {
    sum += (uint32_t)src[x + radius] - (uint32_t)src[x - radius - 1];
    dst[x] = mean_of(sum, inner);
  }
  for (; x < n; x++) {
    sum -= (uint32_t)src[x - radius - 1];
    dst[x] = mean_of(sum, reciprocal_at(x, n, radius));
  }
}

static void
add_row(uint32_t *restrict sum, const int16_t *restrict row, int64_t n)
{
  for (int64_t x = 0; x < n; x++)
    sum[x] += (uint32_t)row[x];
}

static void
subtract_row(uint32_t *restrict sum, const int16_t *restrict row, int64_t n)
{
  for (int64_t x = 0; x < n; x++)
    sum[x] -= (uint32_t)row[x];
}

static void
mean_columns(int16_t *dst, const int16_t *src, int64_t w, int64_t h, int32_t radius, uint32_t *sum)
{
  for (int64_t x = 0; x < w; x++)
    sum[x] = 0;
  for (int64_t y = 0; y < radius && y < h; y++)
    add_row(sum, src + y * w, w);
  for (int64_t y = 0; y < h; y++) {
    if (y + radius < h)
      add_row(sum, src + (y + radius) * w, w);
    if (y > radius)
      subtract_row(sum, src + (y - radius - 1) * w, w);
    const uint32_t reciprocal = reciprocal_at(y, h, radius);
    for (int64_t x = 0; x < w; x++)
      dst[y * w + x] = mean_of(sum[x], reciprocal);
  }
}

/* n_passes means of the (2 radius + 1)² square around each pixel, of values 0..23794. */
static void
smooth(RgPlanes *p, int16_t *dst, const int16_t *src, int32_t radius, int n_passes, uint32_t *sum)
{
  for (int i = 0; i < n_passes && !vt_cancelled(p->cancel); i++) {
    mean_columns(p->work[1], i ? dst : src, p->width, p->height, radius, sum);
    for (int64_t y = 0; y < p->height; y++)
      mean_row(dst + y * p->width, p->work[1] + y * p->width, p->width, radius);
  }
}

/* 1-2-1 along rows and columns; the edge is repeated. */
static void
smooth_121(RgPlanes *p, int16_t *dst, const int16_t *src)
{
  const int64_t w = p->width, h = p->height;
  for (int64_t y = 0; y < h; y++) {
    const int16_t *above = src + (y ? y - 1 : y) * w, *here = src + y * w, *below = src + (y + 1 < h ? y + 1 : y) * w;
    int16_t *row = p->work[1];
    for (int64_t x = 0; x < w; x++)
      row[x] = (int16_t)(above[x] + 2 * here[x] + below[x]);
    for (int64_t x = 1; x + 1 < w; x++)
      dst[y * w + x] = (int16_t)((row[x - 1] + 2 * row[x] + row[x + 1] + 8) >> 4);
    dst[y * w] = (int16_t)((3 * row[0] + row[w > 1 ? 1 : 0] + 8) >> 4);
    dst[y * w + w - 1] = (int16_t)((3 * row[w - 1] + row[w > 1 ? w - 2 : 0] + 8) >> 4);
  }
}

/* Greater of |dx|, |dy| and half the lesser: the length within 12 %. */
static void
gradient(RgPlanes *p, int16_t *dst, const int16_t *src, int scale)
{
  const int64_t w = p->width, h = p->height;
  for (int64_t y = 0; y < h; y++) {
    const int16_t *above = src + (y ? y - 1 : y) * w, *here = src + y * w, *below = src + (y + 1 < h ? y + 1 : y) * w;
    for (int64_t x = 0; x < w; x++) {
      const int dx = abs(here[x + 1 < w ? x + 1 : x] - here[x ? x - 1 : x]), dy = abs(below[x] - above[x]);
      const int length = (dx > dy ? dx + dy / 2 : dy + dx / 2) * scale;
      dst[y * w + x] = (int16_t)(length < MOST ? length : MOST);
    }
  }
}

static void
densities(RgPlanes *p, const VtRegions *args)
{
  const bool inverse = args->preset == VT_REGIONS_FLUORESCENCE;
  for (int64_t y = 0; y < p->height; y++) {
    const uint8_t *r = vt_image_at(&args->red, 0, y), *g = vt_image_at(&args->green, 0, y);
    const uint8_t *b = vt_image_at(&args->blue, 0, y);
    int16_t *red = p->work[0] + y * p->width, *green = p->plane[RG_GREEN_16] + y * p->width;
    int16_t *blue = p->plane[RG_BLUE_4] + y * p->width;
    for (int64_t x = 0; x < p->width; x++) {
      const uint8_t most = r[x] > g[x] ? (r[x] > b[x] ? r[x] : b[x]) : (g[x] > b[x] ? g[x] : b[x]);
      red[x] = inverse ? (int16_t)(MOST - density[most]) : density[r[x]];
      green[x] = inverse ? red[x] : density[g[x]];
      blue[x] = inverse ? red[x] : density[b[x]];
    }
  }
}

static uint32_t
root_of(uint32_t v)
{
  uint32_t root = 0;
  for (uint32_t bit = 1U << 10; bit; bit >>= 1)
    if ((root + bit) * (root + bit) <= v)
      root += bit;
  return root;
}

/* Squares are kept / 16, so that they fit 16 bits. */
static void
mean_and_deviation(RgPlanes *p, uint32_t *sum)
{
  const int64_t n = p->width * p->height;
  const int16_t *red = p->plane[RG_RED_1];
  int16_t *dev = p->plane[RG_RED_DEV], *mean = p->plane[RG_RED_MEAN];
  smooth(p, mean, red, 40, 1, sum);
  for (int64_t i = 0; i < n; i++)
    p->work[0][i] = (int16_t)((red[i] * red[i]) >> 4);
  smooth(p, dev, p->work[0], 40, 1, sum);
  for (int64_t i = 0; i < n && !vt_rg_cancelled_at(p->cancel, i); i++) {
    const int32_t variance = dev[i] * 16 - mean[i] * mean[i];
    dev[i] = (int16_t)(variance > 0 ? root_of((uint32_t)variance) : 0);
  }
}

VitrailStatus
vt_rg_planes_fill(RgPlanes *p, const VtRegions *args)
{
  const int64_t n = p->width * p->height;
  uint32_t *sum = malloc((size_t)p->width * sizeof *sum);
  if (!sum)
    return VITRAIL_OUT_OF_MEMORY;
  densities(p, args);
  smooth_121(p, p->plane[RG_RED_1], p->work[0]);
  smooth_121(p, p->plane[RG_GREEN_1], p->plane[RG_GREEN_16]);
  smooth_121(p, p->plane[RG_BLUE_1], p->plane[RG_BLUE_4]);
  smooth(p, p->plane[RG_RED_2], p->plane[RG_RED_1], 1, 2, sum);
  smooth(p, p->plane[RG_RED_4], p->plane[RG_RED_1], 3, 2, sum);
  smooth(p, p->plane[RG_RED_8], p->plane[RG_RED_1], 6, 2, sum);
  smooth(p, p->plane[RG_RED_16], p->plane[RG_RED_1], 14, 2, sum);
  smooth(p, p->plane[RG_GREEN_4], p->plane[RG_GREEN_1], 4, 1, sum);
  smooth(p, p->plane[RG_GREEN_16], p->plane[RG_GREEN_1], 14, 2, sum);
  smooth(p, p->plane[RG_BLUE_4], p->plane[RG_BLUE_1], 4, 1, sum);
  gradient(p, p->plane[RG_GRADIENT_1], p->plane[RG_RED_1], 2);
  gradient(p, p->plane[RG_GRADIENT_4], p->plane[RG_RED_4], 4);
  for (int64_t i = 0; i < n; i++)
    p->work[0][i] = (int16_t)(4 * abs(p->plane[RG_RED_1][i] - p->plane[RG_RED_4][i]));
  smooth(p, p->plane[RG_ROUGH], p->work[0], 6, 1, sum);
  smooth(p, p->plane[RG_EDGE_8], p->plane[RG_GRADIENT_1], 6, 1, sum);
  mean_and_deviation(p, sum);
  free(sum);
  return vt_cancelled(p->cancel) ? VITRAIL_CANCELLED : VITRAIL_OK;
}
