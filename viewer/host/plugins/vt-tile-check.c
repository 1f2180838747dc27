/* SPDX-License-Identifier: MIT */
#include "plugins/vt-tile-check.h"

#include <math.h>

#include "raster/vt-raster.h"

#define MAX_COORDINATE ((gint64)1 << 40)
#define MAX_WAVE_PX ((gint64)1 << 28)

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

gboolean
vt_wave_is_sound(const VitrailWave *wave)
{
  const gboolean begins = wave->kind == VITRAIL_WAVE_RECONSTRUCTION, has_levels = wave->kind == VITRAIL_WAVE_WATERSHED;
  const gboolean has_labels = has_levels || wave->kind == VITRAIL_WAVE_ZONES;
  return wave->kind >= VITRAIL_WAVE_RECONSTRUCTION && wave->kind <= VITRAIL_WAVE_WATERSHED
         && vt_pixel_size(wave->type) > 0 && wave->type != VITRAIL_RGBA8 && (!has_labels || wave->type == VITRAIL_I32)
         && wave->width >= 1 && wave->height >= 1 && wave->width <= MAX_WAVE_PX / wave->height && wave->x >= 0
         && wave->y >= 0 && wave->x < MAX_COORDINATE && wave->y < MAX_COORDINATE && wave->downsample >= 1
         && (wave->connectivity == 4 || wave->connectivity == 8 || wave->kind == VITRAIL_WAVE_DISTANCE)
         && wave->n_ticks >= 1 && wave->n_ticks <= MAX_WAVE_PX && wave->ticks && wave->end && wave->made
         && (wave->begin != NULL) == begins && (wave->levels != NULL) == has_levels && wave->node && wave->unit
         && wave->tick_unit && isfinite(wave->scale) && isfinite(wave->tick_scale);
}
