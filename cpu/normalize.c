/* SPDX-License-Identifier: MIT */
#include "vt-cpu.h"

static inline int64_t
find_amount(const int32_t *table, const uint8_t *rgba)
{
  const int32_t v = (table[rgba[0]] + table[256 + rgba[1]] + table[512 + rgba[2]] + 8) >> 4;
  return v < 0 ? 0 : v > UINT16_MAX ? UINT16_MAX : v;
}

VitrailStatus
vt_cpu_normalize(VtDevice *device, const VtNormalize *args, const VtCancel *cancel)
{
  const VtImage *src = &args->src, *dst = &args->dst;
  if (!vt_normalize_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  for (int64_t y = 0; y < src->height; y++) {
    if (vt_cpu_cancelled_at(cancel, y))
      return VITRAIL_CANCELLED;
    const uint8_t *in = vt_image_at(src, 0, y);
    uint8_t *out = vt_image_at(dst, 0, y);
    for (int64_t x = 0; x < src->width; x++, in += 4, out += 4) {
      const int64_t a = find_amount(args->table, in), b = find_amount(args->table + 768, in);
      for (int c = 0; c < 3; c++) {
        const int64_t density = (args->mix[0][c] * a + args->mix[1][c] * b + 32768) >> 16;
        out[c] = args->colour[density < 0 ? 0 : density >= VT_DENSITIES ? VT_DENSITIES - 1 : density];
      }
      out[3] = 255;
    }
  }
  return VITRAIL_OK;
}
