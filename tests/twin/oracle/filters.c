/* SPDX-License-Identifier: MIT */
#include "oracle.h"

#include <math.h>

VitrailStatus
vt_oracle_lut3(VtDevice *device, const VtLut3 *args, const VtCancel *cancel)
{
  const double max = args->dst.type == VITRAIL_U8 ? UINT8_MAX : UINT16_MAX;
  for (int64_t y = 0; y < args->src.height; y++)
    for (int64_t x = 0; x < args->src.width; x++) {
      const uint8_t *p = vt_image_at(&args->src, x, y);
      double sum = 8;
      for (int c = 0; c < 3; c++)
        sum += args->table[256 * c + p[c]];
      vt_oracle_set(&args->dst, x, y, fmin(fmax(floor(sum / 16), 0), max));
    }
  return VITRAIL_OK;
}

VitrailStatus
vt_oracle_normalize(VtDevice *device, const VtNormalize *args, const VtCancel *cancel)
{
  for (int64_t y = 0; y < args->src.height; y++)
    for (int64_t x = 0; x < args->src.width; x++) {
      const uint8_t *p = vt_image_at(&args->src, x, y);
      uint8_t *to = vt_image_at(&args->dst, x, y);
      double amount[2];
      for (int k = 0; k < 2; k++) {
        const int32_t *table = args->table + 768 * k;
        const double sum = (double)table[p[0]] + table[256 + p[1]] + table[512 + p[2]] + 8;
        amount[k] = fmin(fmax(floor(sum / 16), 0), UINT16_MAX);
      }
      for (int c = 0; c < 3; c++) {
        const double density = floor((args->mix[0][c] * amount[0] + args->mix[1][c] * amount[1] + 32768) / 65536);
        to[c] = args->colour[(int)fmin(fmax(density, 0), VT_DENSITIES - 1)];
      }
      to[3] = 255;
    }
  return VITRAIL_OK;
}

VitrailStatus
vt_oracle_erode_disc(VtDevice *device, const VtErodeDisc *args, const VtCancel *cancel)
{
  const int64_t r = args->radius;
  for (int64_t y = 0; y < args->dst.height; y++)
    for (int64_t x = 0; x < args->dst.width; x++) {
      double least = UINT16_MAX;
      for (int64_t dy = -r; dy <= r; dy++)
        for (int64_t dx = -r; dx <= r; dx++) {
          const int64_t sx = args->x0 + x + dx, sy = args->y0 + y + dy;
          if (dx * dx + dy * dy <= r * r && vt_oracle_inside(&args->src, sx, sy))
            least = fmin(least, vt_oracle_get(&args->src, sx, sy));
        }
      vt_oracle_set(&args->dst, x, y, least);
    }
  return VITRAIL_OK;
}

static int64_t
clamp(int64_t v, int64_t n)
{
  return v < 0 ? 0 : v >= n ? n - 1 : v;
}

static uint64_t
column_sum(const VtSmooth *args, int64_t sx, int64_t sy)
{
  uint64_t sum = 32768;
  for (int64_t k = -args->radius; k <= args->radius; k++)
    sum += args->weights[k < 0 ? -k : k]
           * (uint64_t)vt_oracle_get(&args->src, clamp(sx, args->src.width), clamp(sy + k, args->src.height));
  return sum >> 16;
}

VitrailStatus
vt_oracle_smooth(VtDevice *device, const VtSmooth *args, const VtCancel *cancel)
{
  for (int64_t y = 0; y < args->dst.height; y++)
    for (int64_t x = 0; x < args->dst.width; x++) {
      uint64_t sum = 32768;
      for (int64_t k = -args->radius; k <= args->radius; k++)
        sum += args->weights[k < 0 ? -k : k] * column_sum(args, args->x0 + x + k, args->y0 + y);
      vt_oracle_set(&args->dst, x, y, (double)(sum >> 16));
    }
  return VITRAIL_OK;
}

static double
pointwise(VtPointwiseOp op, double a, double b, double s, double max)
{
  switch (op) {
  case VT_PW_SUBTRACT_CLAMP: return a > b ? a - b : 0;
  case VT_PW_ABOVE: return a > s ? 255 : 0;
  case VT_PW_ABOVE_IMAGE: return a > b ? 255 : 0;
  case VT_PW_NOT: return a != 0 ? 0 : 255;
  case VT_PW_SHIFT_DOWN: return (float)a - (float)s;
  case VT_PW_NEXT_BELOW: return nextafterf((float)a, -INFINITY);
  case VT_PW_SELECT: return b != 0 ? a : (float)s;
  case VT_PW_AND: return a != 0 && b != 0 ? 255 : 0;
  case VT_PW_COMPLEMENT: return max - a;
  case VT_PW_WIDEN: return a;
  default: return a > s ? a - s : 0;
  }
}

VitrailStatus
vt_oracle_pointwise(VtDevice *device, const VtPointwise *args, const VtCancel *cancel)
{
  const double max = args->a.type == VITRAIL_U8 ? UINT8_MAX : UINT16_MAX;
  for (int64_t y = 0; y < args->a.height; y++)
    for (int64_t x = 0; x < args->a.width; x++) {
      const double a = vt_oracle_get(&args->a, x, y), b = args->b.data ? vt_oracle_get(&args->b, x, y) : 0;
      vt_oracle_set(&args->dst, x, y, pointwise(args->op, a, b, args->s, max));
    }
  return VITRAIL_OK;
}
