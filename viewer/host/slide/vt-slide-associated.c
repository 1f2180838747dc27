/* SPDX-License-Identifier: MIT
 *
 * Each call opens the file for itself: these images are small and rarely asked for, and a bad one must not spoil the
 * handle that reads tiles. */
#include "slide/vt-reader-private.h"

char **
vt_slide_dup_associated_names(VtSlide *slide, GError **error)
{
  if (slide->plain)
    return g_new0(char *, 1);
  if (slide->reader)
    return vt_reader_dup_names(slide, error);
  openslide_t *openslide = vt_slide_open_openslide(slide->path, error);
  if (!openslide)
    return NULL;
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  const char *const *all = openslide_get_associated_image_names(openslide);
  for (; all && *all; all++)
    if (g_utf8_validate(*all, -1, NULL))
      g_ptr_array_add(names, g_strdup(*all));
  g_ptr_array_add(names, NULL);
  openslide_close(openslide);
  return (char **)g_ptr_array_free(g_steal_pointer(&names), FALSE);
}

VtTilePixels *
vt_slide_read_associated(VtSlide *slide, const char *name, GError **error)
{
  gint64 width = 0, height = 0;
  VtTilePixels *pixels = NULL;
  if (slide->reader)
    return vt_reader_read_picture(slide, name, error);
  openslide_t *openslide = vt_slide_open_openslide(slide->path, error);
  if (!openslide)
    return NULL;
  openslide_get_associated_image_dimensions(openslide, name, &width, &height);
  if (width > 0 && height > 0 && width <= VT_ASSOCIATED_MAX_PIXELS / height) {
    gsize size = (gsize)width * (gsize)height * 4;
    guint32 *argb = g_malloc(size);
    openslide_read_associated_image(openslide, name, argb);
    if (openslide_get_error(openslide))
      g_free(argb);
    else
      pixels = vt_tile_pixels_new(g_bytes_new_take(argb, size), (int)width, (int)height, (int)width * 4);
  }
  if (!pixels) {
    const char *message = openslide_get_error(openslide);
    g_autofree char *reason = g_utf8_make_valid(message ? message : "there is no such image of a sensible size", -1);
    g_set_error(error, VT_ERROR, VITRAIL_READ_FAILED, "%s: the image \"%s\" cannot be read (%s).", slide->name, name,
                reason);
  }
  openslide_close(openslide);
  return pixels;
}
