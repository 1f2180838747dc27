/* SPDX-License-Identifier: MIT */
#include "raster/vt-placed.h"

#include <string.h>

#include "base/vt-define.h"
#include "base/vt-rect.h"

VtPlacedLabels *
vt_placed_labels_new(const char *path, const VtLabelPlace *place, VtRaster *raster, GArray *labels)
{
  VtPlacedLabels *self = g_atomic_rc_box_new(VtPlacedLabels);
  *self = (VtPlacedLabels){ g_strdup(path), *place, raster, labels };
  return self;
}

VT_DEFINE_CLEAR(placed_labels_clear, VtPlacedLabels,
                VT_FREES(vt_raster_unref, raster) VT_FREES(g_array_unref, labels) VT_FREES(g_free, path))

VT_DEFINE_REF(VtPlacedLabels, vt_placed_labels, placed_labels_clear)

gboolean
vt_placed_labels_equal(const VtPlacedLabels *a, const VtPlacedLabels *b)
{
  if (a == b || !a || !b)
    return a == b;
  const gsize bytes = (gsize)a->raster->height * a->raster->stride;
  return a->place.x_l0 == b->place.x_l0 && a->place.y_l0 == b->place.y_l0 && a->place.downsample == b->place.downsample
         && !a->labels == !b->labels && g_str_equal(a->path, b->path) && a->raster->width == b->raster->width
         && a->raster->height == b->raster->height
         && (a->raster == b->raster || memcmp(a->raster->data, b->raster->data, bytes) == 0);
}

void
vt_placed_labels_read(const VtPlacedLabels *self, guint downsample, gint64 x, gint64 y, gint64 width, gint64 height,
                      guint8 *dst, gsize stride)
{
  const VtLabelPlace *place = &self->place;
  const VtRaster *raster = self->raster;
  g_autofree gint64 *columns = g_new(gint64, width);
  for (gint64 i = 0; i < width; i++)
    columns[i] = vt_grid_find_under(x + i, downsample, place->x_l0, place->downsample, 0, raster->width);
  for (gint64 j = 0; j < height; j++) {
    const gint64 row = vt_grid_find_under(y + j, downsample, place->y_l0, place->downsample, 0, raster->height);
    gint32 *to = (gint32 *)(gpointer)(dst + (gsize)j * stride);
    const gint32 *from = row < 0 ? NULL : (const gint32 *)(gpointer)(raster->data + (gsize)row * raster->stride);
    for (gint64 i = 0; i < width; i++)
      to[i] = from && columns[i] >= 0 ? from[columns[i]] : 0;
  }
}
