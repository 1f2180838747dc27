/* SPDX-License-Identifier: MIT
 *
 * Carries from the stripes above and below, merged into the column distances of a stripe. */
#include "../vt-cpu.h"

static void
merge(int32_t *restrict row, const int32_t *restrict carry, int32_t way, int64_t n)
{
  for (int64_t x = 0; x < n; x++) {
    const int32_t far = carry[x] == VT_EDT_NONE ? VT_EDT_NONE : carry[x] + way;
    row[x] = far < row[x] ? far : row[x];
  }
}

VitrailStatus
vt_cpu_edt_carry(VtDevice *device, const VtEdtCarry *args, const VtCancel *cancel)
{
  const VtImage *columns = &args->columns, *above = &args->above, *below = &args->below;
  if (!vt_edt_carry_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  for (int64_t y = 0; y < columns->height; y++) {
    if (vt_cpu_cancelled_at(cancel, y))
      return VITRAIL_CANCELLED;
    int32_t *row = vt_image_at(columns, 0, y);
    merge(row, vt_image_at(above, 0, 0), (int32_t)y, columns->width);
    merge(row, vt_image_at(below, 0, 0), (int32_t)(columns->height - 1 - y), columns->width);
  }
  return VITRAIL_OK;
}
