/* SPDX-License-Identifier: MIT
 *
 * The scanner's colour profile: from OpenSlide 4, or from the TIFF that most formats are. */
#include "slide/vt-slide-private.h"

#define MAX_BYTES (16 << 20)

#ifdef HAVE_OPENSLIDE_ICC
GBytes *
vt_slide_read_icc_profile(openslide_t *openslide, TIFF *tiff)
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
vt_slide_read_icc_profile(openslide_t *openslide, TIFF *tiff)
{
  uint32_t size = 0;
  void *data = NULL;
  if (!tiff || !TIFFGetField(tiff, TIFFTAG_ICCPROFILE, &size, &data) || size == 0 || size > MAX_BYTES)
    return NULL;
  return g_bytes_new(data, size);
}
#endif
