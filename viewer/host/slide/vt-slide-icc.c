/* SPDX-License-Identifier: MIT
 *
 * The scanner's colour profile: from OpenSlide 4, or from the TIFF that most formats are. */
#include <string.h>
#include <tiffio.h>

#include "raster/vt-raster-private.h"
#include "slide/vt-slide-private.h"

#define MAX_BYTES (16 << 20)

#ifdef HAVE_OPENSLIDE_ICC
GBytes *
vt_slide_read_icc_profile(openslide_t *openslide, const char *path)
{
  gint64 size = openslide_get_icc_profile_size(openslide);
  if (size <= 0 || size > MAX_BYTES)
    return NULL;
  guint8 *data = g_malloc((gsize)size);
  openslide_read_icc_profile(openslide, data);
  return g_bytes_new_take(data, (gsize)size);
}
#else
GBytes *
vt_slide_read_icc_profile(openslide_t *openslide, const char *path)
{
  guint8 start[4] = { 0 };
  uint32_t size = 0;
  void *data = NULL;
  GBytes *bytes = NULL;
  FILE *file = fopen(path, "rb");
  gboolean is_tiff = file && fread(start, 1, sizeof start, file) == sizeof start
                     && (memcmp(start, "II", 2) == 0 || memcmp(start, "MM", 2) == 0);
  if (file)
    fclose(file);
  vt_tiff_init();
  TIFF *tiff = is_tiff ? TIFFOpen(path, "rm") : NULL;
  if (!tiff)
    return NULL;
  if (TIFFGetField(tiff, TIFFTAG_ICCPROFILE, &size, &data) && size > 0 && size <= MAX_BYTES)
    bytes = g_bytes_new(data, size);
  TIFFClose(tiff);
  return bytes;
}
#endif
