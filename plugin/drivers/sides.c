/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "drivers/sides.h"

void
vt_copy_sides(const VtImage *to, const VtImage *from, const bool sides[4])
{
  const size_t px = vt_type_size(from->type), row = (size_t)from->width * px;
  const int64_t last_x = from->width - 1, last_y = from->height - 1;
  if (sides[VT_SIDE_TOP])
    memcpy(vt_image_at(to, 0, 0), vt_image_at(from, 0, 0), row);
  if (sides[VT_SIDE_BOTTOM])
    memcpy(vt_image_at(to, 0, last_y), vt_image_at(from, 0, last_y), row);
  for (int64_t y = 0; y <= last_y; y++) {
    if (sides[VT_SIDE_LEFT])
      memcpy(vt_image_at(to, 0, y), vt_image_at(from, 0, y), px);
    if (sides[VT_SIDE_RIGHT])
      memcpy(vt_image_at(to, last_x, y), vt_image_at(from, last_x, y), px);
  }
}
