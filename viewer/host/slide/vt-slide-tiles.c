/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "slide/vt-reader-private.h"
#include "base/vt-define.h"
#include "slide/vt-tile-cache-private.h"
#include "slide/vt-tile-memory.h"

/* A reference to the slide's handle, opened anew if the last one went into the error state. */
static VtSlideHandle *
acquire_handle(VtSlide *slide, GError **error)
{
  VT_LOCK(&slide->handle_lock);
  if (!slide->handle) {
    openslide_t *openslide = vt_slide_open_openslide(slide->path, error);
    slide->handle = openslide ? vt_slide_handle_new(openslide) : NULL;
  }
  VtSlideHandle *handle = slide->handle;
  if (handle)
    g_atomic_ref_count_inc(&handle->ref_count);
  return handle;
}

/* Later reads must not use this handle, which failed. */
static void
retire_handle(VtSlide *slide, VtSlideHandle *handle)
{
  VT_LOCK(&slide->handle_lock);
  if (slide->handle == handle)
    g_clear_pointer(&slide->handle, vt_slide_handle_unref);
}

/* Error text of OpenSlide, owned; NULL: the pixels are good. */
static char *
read_argb(VtSlideHandle *handle, const VtSlideLevel *level, gint64 col, gint64 row, int width, int height,
          guint32 *argb)
{
  const gint64 x = (gint64)((double)(col * VT_TILE_PX) * level->downsample);
  const gint64 y = (gint64)((double)(row * VT_TILE_PX) * level->downsample);
  openslide_read_region(handle->openslide, argb, x, y, level->stored, width, height);
  const char *message = openslide_get_error(handle->openslide);
  return message ? g_utf8_make_valid(message, -1) : NULL;
}

/* Premultiplied ARGB words become opaque B G R A bytes over the background, in place. Opaque words are such bytes where the
 * machine is little-endian. */
static void
compose(const VtSlide *slide, guint32 *pixels, gsize n)
{
  guint32 all = ~(guint32)0, any = 0;
  for (gsize i = 0; i < n; i++)
    all &= pixels[i], any |= pixels[i];
  if (G_BYTE_ORDER == G_LITTLE_ENDIAN && all >> 24 == 255)
    return;
  if (any == 0) { /* nothing was scanned here */
    const guint8 empty[4] = { slide->background[2], slide->background[1], slide->background[0], 255 };
    for (gsize i = 0; i < n; i++)
      memcpy(&pixels[i], empty, sizeof empty);
    return;
  }
  for (gsize i = 0; i < n; i++) {
    const guint32 argb = pixels[i], rest = 255 - (argb >> 24);
    guint8 *out = (guint8 *)&pixels[i];
    for (int c = 0; c < 3; c++) {
      const guint32 value = (argb >> (8 * c) & 255) + (slide->background[2 - c] * rest + 127) / 255;
      out[c] = (guint8)MIN(value, 255);
    }
    out[3] = 255;
  }
}

gboolean
vt_slide_decode_tile(VtSlide *slide, int index, gint64 col, gint64 row, int width, int height, guint8 *bgra,
                     GError **error)
{
  const VtSlideLevel *level = vt_slide_level(slide, index);
  g_autofree char *message = NULL;
  /* Twice: the handle may have been spoiled by another thread's bad tile; a fresh, private one tells. */
  for (int attempt = 0; attempt < 2; attempt++) {
    VtSlideHandle *handle = NULL;
    if (attempt == 0) {
      handle = acquire_handle(slide, error);
    } else {
      openslide_t *openslide = vt_slide_open_openslide(slide->path, error);
      handle = openslide ? vt_slide_handle_new(openslide) : NULL;
    }
    if (!handle)
      return FALSE;
    g_free(message);
    message = read_argb(handle, level, col, row, width, height, (guint32 *)(gpointer)bgra);
    if (message)
      retire_handle(slide, handle);
    vt_slide_handle_unref(handle);
    if (!message) {
      compose(slide, (guint32 *)(gpointer)bgra, (gsize)width * (gsize)height);
      return TRUE;
    }
  }
  return vt_error_set(error, VITRAIL_READ_FAILED,
                      "%s: level %d, tile column %" G_GINT64_FORMAT ", row %" G_GINT64_FORMAT " cannot be read (%s).",
                      slide->name, index, col, row, message);
}

gboolean
vt_slide_get_tile_size(const VtSlide *slide, int index, gint64 col, gint64 row, int *width, int *height)
{
  if (index < 0 || index >= (int)slide->levels->len || col < 0 || row < 0)
    return FALSE;
  const VtSlideLevel *level = vt_slide_level(slide, index);
  if (col > (level->width - 1) / VT_TILE_PX || row > (level->height - 1) / VT_TILE_PX)
    return FALSE;
  *width = (int)MIN(VT_TILE_PX, level->width - col * VT_TILE_PX);
  *height = (int)MIN(VT_TILE_PX, level->height - row * VT_TILE_PX);
  return TRUE;
}

/* The 2x2 means of `src`, rounded half up, into the tile at (x0,y0); at an odd edge fewer pixels are averaged. */
static void
halve(const VtTilePixels *src, guint8 *bgra, int width, int x0, int y0)
{
  const guint8 *data = g_bytes_get_data(src->bytes, NULL);
  for (int y = 0; y < (src->height + 1) / 2; y++) {
    for (int x = 0; x < (src->width + 1) / 2; x++) {
      const int nx = MIN(2, src->width - 2 * x), ny = MIN(2, src->height - 2 * y), n = nx * ny;
      const guint8 *in = data + (gsize)(2 * y) * (gsize)src->stride + (gsize)(2 * x) * 4;
      guint8 *out = bgra + ((gsize)(y0 + y) * (gsize)width + (gsize)(x0 + x)) * 4;
      for (int c = 0; c < 4; c++) {
        int sum = 0;
        for (int j = 0; j < ny; j++)
          for (int i = 0; i < nx; i++)
            sum += in[j * src->stride + i * 4 + c];
        out[c] = (guint8)((2 * sum + n) / (2 * n));
      }
    }
  }
}

static gboolean
read_synthetic(VtSlide *slide, int index, gint64 col, gint64 row, int width, guint8 *bgra, GCancellable *cancellable,
               GError **error)
{
  const VtSlideLevel *finer = vt_slide_level(slide, index - 1);
  for (int j = 0; j < 2; j++) {
    for (int i = 0; i < 2; i++) {
      if ((col * 2 + i) * VT_TILE_PX >= finer->width || (row * 2 + j) * VT_TILE_PX >= finer->height)
        continue;
      g_autoptr(VtTilePixels) tile = vt_slide_read_tile(slide, index - 1, col * 2 + i, row * 2 + j, cancellable, error);
      if (!tile)
        return FALSE;
      halve(tile, bgra, width, i * VT_TILE_PX / 2, j * VT_TILE_PX / 2);
    }
  }
  return TRUE;
}

static VtTilePixels *
read_uncached(VtSlide *slide, int index, gint64 col, gint64 row, GCancellable *cancellable, GError **error)
{
  const VtSlideLevel *level = vt_slide_level(slide, index);
  int width = 0, height = 0;
  vt_slide_get_tile_size(slide, index, col, row, &width, &height);
  const gsize size = (gsize)width * (gsize)height * 4;
  guint8 *bgra = NULL;
  g_autoptr(GBytes) bytes = vt_tile_memory_new(size, &bgra);
  if (level->stored < 0) {
    if (!read_synthetic(slide, index, col, row, width, bgra, cancellable, error))
      return NULL;
  } else if (slide->flat && index == 0) {
    vt_slide_read_flat(slide, col, row, width, height, bgra);
  } else if (slide->reader) {
    if (!vt_reader_read_tile(slide, index, col, row, width, height, bgra, cancellable, error))
      return NULL;
  } else if (!vt_slide_decode_tile(slide, index, col, row, width, height, bgra, error)) {
    return NULL;
  }
  return vt_tile_pixels_new(g_steal_pointer(&bytes), width, height, width * 4);
}

VtTilePixels *
vt_slide_read_tile(VtSlide *slide, int level, gint64 col, gint64 row, GCancellable *cancellable, GError **error)
{
  const VtTileKey key = { slide->id, col, row, level };
  int width = 0, height = 0;
  if (g_cancellable_set_error_if_cancelled(cancellable, error))
    return NULL;
  if (!vt_slide_get_tile_size(slide, level, col, row, &width, &height))
    return vt_error_set_null(error, VITRAIL_BAD_ARGUMENT, "%s has no tile there.", slide->name);
  VtTilePixels *tile = vt_tile_cache_begin(&key);
  if (!tile) {
    tile = read_uncached(slide, level, col, row, cancellable, error);
    vt_tile_cache_end(&key, tile);
  }
  return tile;
}

VtTilePixels *
vt_slide_peek_tile(VtSlide *slide, int level, gint64 col, gint64 row)
{
  const VtTileKey key = { slide->id, col, row, level };
  return vt_tile_cache_lookup(&key);
}
