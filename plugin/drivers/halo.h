/* SPDX-License-Identifier: MIT
 *
 * halo.h: the pixels of a window round its tile, seen as one part for each of the eight neighbours. Neighbour k lies in
 * direction (k % 3 - 1, k / 3 - 1); 4 is the tile itself. */
#pragma once

#include <string.h>

#include "run/run.h"

static inline VtRect
vt_halo_part(VtRect tile, VtRect window, int k)
{
  const int dx = k % 3 - 1, dy = k / 3 - 1;
  VtRect part = { dx < 0 ? 0 : tile.x - window.x, dy < 0 ? 0 : tile.y - window.y, tile.width, tile.height };
  if (dx != 0) {
    part.x = dx < 0 ? 0 : tile.x + tile.width - window.x;
    part.width = dx < 0 ? tile.x - window.x : window.x + window.width - tile.x - tile.width;
  }
  if (dy != 0) {
    part.y = dy < 0 ? 0 : tile.y + tile.height - window.y;
    part.height = dy < 0 ? tile.y - window.y : window.y + window.height - tile.y - tile.height;
  }
  return part;
}

/* Bytes that vt_halo_save() may need. */
static inline size_t
vt_halo_bytes(VtRect window, VtType type)
{
  return (size_t)(2 * (window.width + window.height)) * vt_type_size(type);
}

/* image is the window's. */
static inline void
vt_halo_save(const VtImage *image, VtRect tile, VtRect window, char *to)
{
  for (int k = 0; k < 9; k++) {
    const VtRect part = vt_halo_part(tile, window, k);
    const size_t row = (size_t)part.width * vt_type_size(image->type);
    for (int64_t y = 0; y < part.height && k != 4; y++, to += row)
      memcpy(to, vt_image_at(image, part.x, part.y + y), row);
  }
}

/* Which neighbours' parts differ from what was saved. */
static inline void
vt_halo_compare(const VtImage *image, VtRect tile, VtRect window, const char *from, bool rose[9])
{
  for (int k = 0; k < 9; k++) {
    const VtRect part = vt_halo_part(tile, window, k);
    const size_t row = (size_t)part.width * vt_type_size(image->type);
    rose[k] = false;
    for (int64_t y = 0; y < part.height && k != 4; y++, from += row)
      rose[k] |= memcmp(from, vt_image_at(image, part.x, part.y + y), row) != 0;
  }
}
