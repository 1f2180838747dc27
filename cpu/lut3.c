/* SPDX-License-Identifier: MIT */
#include "vt-cpu.h"

static inline int32_t
look_up(const int32_t *table, const uint8_t *rgba, int32_t max)
{
  const int32_t v = (table[rgba[0]] + table[256 + rgba[1]] + table[512 + rgba[2]] + 8) >> 4;
  return v < 0 ? 0 : v > max ? max : v;
}

/* The channel whose value is the answer as it is, as `red` has it; -1: none. */
static int
find_copied(const VtLut3 *args)
{
  int copied = -1;
  for (int c = 0; c < 3 && args->dst.type == VITRAIL_U8; c++) {
    const int32_t *table = args->table + 256 * c;
    bool is_same = true, is_zero = true;
    for (int32_t v = 0; v < 256; v++) {
      is_same &= (table[v] + 8) >> 4 == v;
      is_zero &= table[v] == 0;
    }
    if (!is_zero && (!is_same || copied >= 0))
      return -1;
    copied = is_zero ? copied : c;
  }
  return copied;
}

static void
copy_channel(uint8_t *restrict to, const uint8_t *restrict from, int64_t n)
{
  for (int64_t x = 0; x < n; x++)
    to[x] = from[4 * x];
}

VitrailStatus
vt_cpu_lut3(VtDevice *device, const VtLut3 *args, const VtCancel *cancel)
{
  const VtImage *src = &args->src, *dst = &args->dst;
  if (!vt_lut3_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  const int copied = find_copied(args);
  for (int64_t y = 0; y < src->height; y++) {
    if (vt_cpu_cancelled_at(cancel, y))
      return VITRAIL_CANCELLED;
    const uint8_t *in = vt_image_at(src, 0, y);
    uint8_t *out8 = vt_image_at(dst, 0, y);
    uint16_t *out16 = vt_image_at(dst, 0, y);
    if (copied >= 0)
      copy_channel(out8, in + copied, src->width);
    else if (dst->type == VITRAIL_U8)
      for (int64_t x = 0; x < src->width; x++)
        out8[x] = (uint8_t)look_up(args->table, in + 4 * x, UINT8_MAX);
    else
      for (int64_t x = 0; x < src->width; x++)
        out16[x] = (uint16_t)look_up(args->table, in + 4 * x, UINT16_MAX);
  }
  return VITRAIL_OK;
}
