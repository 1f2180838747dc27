/* SPDX-License-Identifier: MIT */
#include "drivers/regions.h"

#include "run/parallel.h"

static VitrailStatus
label_tile(VtRun *run, VtRect t, void *user)
{
  const VtImage *codes = user;
  for (int64_t y = t.y; y < t.y + t.height; y++) {
    int32_t *row = vt_image_at(codes, 0, y);
    for (int64_t x = t.x; x < t.x + t.width; x++) {
      if (!vt_is_region_code(row[x]))
        continue;
      const int64_t first = vt_region_first(&run->grid, row[x], x, y);
      if (first < 0)
        return vt_fail(run, VITRAIL_INTERNAL, "A region begins outside the image.");
      row[x] = (int32_t)first + 1;
    }
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_region_labels(VtRun *run, const VtImage *codes)
{
  return vt_local(run, codes->width, codes->height, label_tile, (void *)codes);
}
