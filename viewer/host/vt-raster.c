/* SPDX-License-Identifier: MIT */
#include "vt-raster.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "vt-arena.h"
#include "vt-raster-private.h"

#define REST_BYTES ((gsize)16 << 20) /* after so many, what is in a file leaves memory */

gsize
vt_pixel_size(VitrailPixelType type)
{
  switch (type) {
  case VITRAIL_U8: return 1;
  case VITRAIL_U16: return 2;
  case VITRAIL_I32:
  case VITRAIL_F32:
  case VITRAIL_RGBA8: return 4;
  default: return 0;
  }
}

static guint64
get_machine_memory(void)
{
  const long pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);
  return pages > 0 && page_size > 0 ? (guint64)pages * (guint64)page_size : (guint64)G_MAXINT32;
}

gboolean
vt_raster_check_size(const char *name, guint64 width, guint64 height, gsize pixel_size, GError **error)
{
  name = name ? name : "The image";
  if (width == 0 || height == 0 || width > G_MAXINT32 || height > G_MAXINT32) {
    g_set_error(error, VT_ERROR, VITRAIL_READ_FAILED,
                "%s: %" G_GUINT64_FORMAT " × %" G_GUINT64_FORMAT " pixels are not a usable size.", name, width, height);
    return FALSE;
  }
  if (pixel_size == 0 || width * height <= get_machine_memory() / pixel_size)
    return TRUE;
  g_set_error(error, VT_ERROR, VITRAIL_OUT_OF_MEMORY,
              "%s: %" G_GUINT64_FORMAT " × %" G_GUINT64_FORMAT
              " pixels are more than the memory of this machine holds.",
              name, width, height);
  return FALSE;
}

gboolean
vt_raster_check_room(const char *name, guint64 bytes, const VtRasterRoom *room, GError **error)
{
  if (bytes <= (room ? room->bytes : get_machine_memory()))
    return TRUE;
  g_set_error(error, VT_ERROR, VITRAIL_OUT_OF_MEMORY,
              "%s is stored in a way that takes %" G_GUINT64_FORMAT
              " MiB of memory to read, which is more than is allowed for it.",
              name, bytes >> 20);
  return FALSE;
}

static gboolean
allocate(VtRaster *raster, gsize bytes, const VtRasterRoom *room, GError **error)
{
  if (room && bytes > room->bytes) {
    g_mkdir_with_parents(room->dir, 0777);
    raster->arena = vt_arena_new(room->dir, error);
    raster->data = raster->arena ? vt_arena_take(raster->arena, bytes, error) : NULL;
    return raster->data != NULL;
  }
  raster->data = g_try_malloc0(bytes);
  if (!raster->data)
    g_set_error(error, VT_ERROR, VITRAIL_OUT_OF_MEMORY,
                "There is no memory for an image of %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT " pixels.", raster->width,
                raster->height);
  return raster->data != NULL;
}

static void
raster_clear(gpointer data)
{
  VtRaster *raster = data;
  if (raster->arena)
    vt_arena_free(raster->arena);
  else
    g_free(raster->data);
}

VtRaster *
vt_raster_new_within(VitrailPixelType type, gint64 width, gint64 height, const VtRasterRoom *room, GError **error)
{
  const gsize pixel_size = vt_pixel_size(type);
  g_return_val_if_fail(pixel_size > 0, NULL);
  if (!vt_raster_check_size(NULL, (guint64)MAX(width, 0), (guint64)MAX(height, 0), room ? 0 : pixel_size, error))
    return NULL;
  g_autoptr(VtRaster) raster = g_atomic_rc_box_new0(VtRaster);
  raster->type = type;
  raster->width = width;
  raster->height = height;
  raster->stride = (gsize)width * pixel_size;
  raster->downsample = raster->scale = 1;
  return allocate(raster, raster->stride * (gsize)height, room, error) ? g_steal_pointer(&raster) : NULL;
}

VtRaster *
vt_raster_new(VitrailPixelType type, gint64 width, gint64 height, GError **error)
{
  return vt_raster_new_within(type, width, height, NULL, error);
}

VtRaster *
vt_raster_new_in(const char *dir, VitrailPixelType type, gint64 width, gint64 height, GError **error)
{
  return vt_raster_new_within(type, width, height, &(VtRasterRoom){ 0, dir }, error);
}

void
vt_raster_rest(const VtRaster *raster)
{
  if (raster->arena)
    vt_arena_rest(raster->arena);
}

void
vt_raster_wrote(const VtRaster *raster, gint64 y)
{
  const gint64 rows = MAX((gint64)(REST_BYTES / raster->stride), 1);
  if (raster->arena && y % rows == 0)
    vt_arena_rest(raster->arena);
}

VtRaster *
vt_raster_thin(const VtRaster *raster, gint64 x, gint64 y, gint64 width, gint64 height, gint64 step, GError **error)
{
  const gint64 left = MAX(x, raster->x), top = MAX(y, raster->y);
  const gint64 right = MIN(x + width, raster->x + raster->width), bottom = MIN(y + height, raster->y + raster->height);
  const gsize size = vt_pixel_size(raster->type);
  if (left >= right || top >= bottom)
    return NULL;
  const gint64 x0 = left / step, y0 = top / step, columns = (right - 1) / step - x0 + 1,
               rows = (bottom - 1) / step - y0 + 1;
  VtRaster *thin = vt_raster_new(raster->type, columns, rows, error);
  for (gint64 j = 0; thin && j < rows; j++) {
    const gint64 row = CLAMP((y0 + j) * step + step / 2, raster->y, raster->y + raster->height - 1) - raster->y;
    const guint8 *from = raster->data + (gsize)row * raster->stride;
    guint8 *to = thin->data + (gsize)j * thin->stride;
    for (gint64 i = 0; i < columns; i++, to += size) {
      const gint64 column = CLAMP((x0 + i) * step + step / 2, raster->x, raster->x + raster->width - 1) - raster->x;
      memcpy(to, from + (gsize)column * size, size);
    }
  }
  if (!thin)
    return NULL;
  thin->x = x0;
  thin->y = y0;
  thin->downsample = raster->downsample * (double)step;
  thin->origin_x_l0 = raster->origin_x_l0;
  thin->origin_y_l0 = raster->origin_y_l0;
  thin->scale = raster->scale;
  thin->offset = raster->offset;
  thin->zero_is_empty = raster->zero_is_empty;
  return thin;
}

VtRaster *
vt_raster_ref(VtRaster *raster)
{
  return g_atomic_rc_box_acquire(raster);
}
