/* SPDX-License-Identifier: MIT
 *
 * Column distances: one sweep down, one up. */
#include "distance.h"

void
vt_cpu_edt_sweep_down(int32_t *restrict dst, const uint8_t *restrict src, const int32_t *restrict before, int64_t n)
{
  for (int64_t x = 0; x < n; x++) {
    const int32_t next = before[x] + (before[x] != VT_EDT_NONE);
    dst[x] = src[x] ? next : 0;
  }
}

void
vt_cpu_edt_sweep_up(int32_t *restrict dst, const int32_t *restrict below, int64_t n)
{
  for (int64_t x = 0; x < n; x++) {
    const int32_t next = below[x] + (below[x] != VT_EDT_NONE);
    dst[x] = dst[x] < next ? dst[x] : next;
  }
}

VitrailStatus
vt_cpu_edt_columns(VtDevice *device, const VtEdt *args, const VtCancel *cancel)
{
  const VtImage *src = &args->src, *dst = &args->dst;
  const int64_t width = src->width, height = src->height;
  if (!vt_edt_columns_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  const uint8_t *top = vt_image_at(src, 0, 0);
  int32_t *first = vt_image_at(dst, 0, 0);
  for (int64_t x = 0; x < width; x++)
    first[x] = top[x] ? VT_EDT_NONE : 0;
  for (int64_t y = 1; y < height; y++) {
    if (vt_cpu_cancelled_at(cancel, y))
      return VITRAIL_CANCELLED;
    vt_cpu_edt_sweep_down(vt_image_at(dst, 0, y), vt_image_at(src, 0, y), vt_image_at(dst, 0, y - 1), width);
  }
  for (int64_t y = height - 1; y-- > 0;) {
    if (vt_cpu_cancelled_at(cancel, y))
      return VITRAIL_CANCELLED;
    vt_cpu_edt_sweep_up(vt_image_at(dst, 0, y), vt_image_at(dst, 0, y + 1), width);
  }
  return VITRAIL_OK;
}
