/* SPDX-License-Identifier: MIT */
#include "plugins/vt-tile-check.h"

#include <math.h>

#include "raster/vt-raster.h"

#define MAX_COORDINATE ((gint64)1 << 40)

gboolean
vt_tile_is_sound(const VitrailTile *tile)
{
  const gsize pixel_size = vt_pixel_size(tile->type);
  return pixel_size > 0 && tile->data && tile->width >= 1 && tile->height >= 1 && tile->width <= G_MAXINT32
         && tile->height <= G_MAXINT32 && tile->x > -MAX_COORDINATE && tile->x < MAX_COORDINATE
         && tile->y > -MAX_COORDINATE && tile->y < MAX_COORDINATE && tile->stride >= (gsize)tile->width * pixel_size
         && isfinite(tile->downsample) && tile->downsample > 0 && isfinite(tile->origin_x_l0)
         && isfinite(tile->origin_y_l0) && isfinite(tile->scale) && isfinite(tile->offset);
}
