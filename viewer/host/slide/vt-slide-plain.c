/* SPDX-License-Identifier: MIT
 *
 * Images that OpenSlide does not take, as slides: one stored level, held in memory. */
#include <tiffio.h>

#include "raster/vt-raster-private.h"
#include "slide/vt-reader-private.h"
#include "slide/vt-slide-private.h"

VtRaster *
vt_slide_get_raster(VtSlide *slide)
{
  return slide->plain ? slide->flat : NULL;
}

/* One channel as grey: bytes as they are, other numbers spread over the range of the image. */
static void
read_grey(const VtSlide *slide, gint64 x0, gint64 y, int width, guint8 *bgra)
{
  const double range = slide->white - slide->black;
  for (int x = 0; x < width; x++, bgra += 4) {
    const double share = (vt_raster_get_raw(slide->flat, x0 + x, y) - slide->black) / range;
    bgra[0] = bgra[1] = bgra[2] = share > 0 ? (guint8)(MIN(share, 1) * 255 + 0.5) : 0; /* not a number: 0 */
    bgra[3] = 255;
  }
}

void
vt_slide_read_flat(VtSlide *slide, gint64 col, gint64 row, int width, int height, guint8 *bgra)
{
  const VtRaster *flat = slide->flat;
  const gint64 x0 = col * VT_TILE_PX, y0 = row * VT_TILE_PX;
  for (int y = 0; y < height; y++) {
    if (flat->type != VITRAIL_RGBA8) {
      read_grey(slide, x0, y0 + y, width, bgra + (gsize)y * (gsize)width * 4);
      continue;
    }
    const guint8 *in = flat->data + (gsize)(y0 + y) * flat->stride + (gsize)x0 * 4;
    guint8 *out = bgra + (gsize)y * (gsize)width * 4;
    for (int x = 0; x < width; x++, in += 4, out += 4) {
      out[0] = in[2];
      out[1] = in[1];
      out[2] = in[0];
      out[3] = 255;
    }
  }
}

static void
find_range(VtSlide *slide)
{
  slide->black = 0;
  slide->white = 255;
  if (slide->flat->type == VITRAIL_U8 || slide->flat->type == VITRAIL_RGBA8)
    return;
  if (!vt_raster_get_range(slide->flat, &slide->black, &slide->white) || slide->white <= slide->black)
    slide->white = slide->black + 1;
}

static VtSlide *
open_plain(const char *path, const char *format, GError **error)
{
  static const char *const types[] = { [VITRAIL_U8] = "8-bit grey",
                                       [VITRAIL_U16] = "16-bit grey",
                                       [VITRAIL_I32] = "32-bit integer",
                                       [VITRAIL_F32] = "32-bit float",
                                       [VITRAIL_RGBA8] = "8-bit colour" };
  g_autoptr(VtRaster) raster = vt_raster_read(path, error);
  if (!raster)
    return NULL;
  VtSlide *slide = vt_slide_new(path);
  const VtSlideLevel level = { .stored = 0, .width = raster->width, .height = raster->height, .downsample = 1 };
  slide->flat = g_steal_pointer(&raster);
  slide->plain = TRUE;
  slide->vendor = g_strdup(format);
  vt_slide_add_property(slide, "vitrail.format", format);
  vt_slide_add_property(slide, "vitrail.pixels", types[slide->flat->type]);
  vt_slide_add_number(slide, VT_SLIDE_PAGES, vt_raster_count_pages(path));
  vt_slide_add_number(slide, VT_SLIDE_UNREAD, vt_raster_count_unread(path));
  vt_slide_add_number(slide, VT_SLIDE_CUT_BITS, vt_raster_get_cut_bits(path));
  vt_slide_add_number(slide, VT_SLIDE_ORIENTATION, vt_raster_read_orientation(path));
  find_range(slide);
  g_array_append_val(slide->levels, level);
  slide->n_stored = 1;
  vt_slide_add_synthetic_levels(slide);
  return slide;
}

/* A scanner's TIFF is tiled: one in strips is no damaged slide. */
static gboolean
is_in_strips(const char *path)
{
  vt_tiff_init();
  TIFF *tiff = TIFFOpen(path, "rm");
  const gboolean is = tiff && !TIFFIsTiled(tiff);
  if (tiff)
    TIFFClose(tiff);
  return is;
}

static VtSlide *
open_tiff(const char *path, GError **error)
{
  g_autoptr(GError) refusal = NULL;
  VtSlide *slide = vt_slide_open(path, &refusal);
  if (slide)
    return slide;
  if (vt_raster_is_result(path) || is_in_strips(path))
    return open_plain(path, "tiff", error);
  g_propagate_error(error, g_steal_pointer(&refusal));
  return NULL;
}

/* Name and content must agree: the entry file of a MIRAX slide is a JPEG, a damaged slide may be a TIFF in strips. */
static VtSlide *
open_here(const char *path, GError **error)
{
  static const struct {
    const char *suffix;
    VtFileKind kind;
  } names[] = { { ".png", VT_FILE_PNG },
                { ".jpg", VT_FILE_JPEG },
                { ".jpeg", VT_FILE_JPEG },
                { ".tif", VT_FILE_TIFF },
                { ".tiff", VT_FILE_TIFF } };
  const VtFileKind kind = vt_raster_get_kind(path);
  g_autofree char *lower = g_ascii_strdown(path, -1);
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    if (kind != names[i].kind || !g_str_has_suffix(lower, names[i].suffix))
      continue;
    if (kind == VT_FILE_TIFF)
      return open_tiff(path, error);
    return open_plain(path, kind == VT_FILE_PNG ? "png" : "jpeg", error);
  }
  return vt_slide_open(path, error);
}

VtSlide *
vt_slide_open_image(const char *path, GError **error)
{
  return vt_slide_open_image_with(path, NULL, error);
}

VtSlide *
vt_slide_open_image_with(const char *path, const VtReadContext *context, GError **error)
{
  VtSlide *slide = NULL;
  char *why_not = NULL;
  if (vt_reader_open_slide(path, VT_READER_OPEN_IMAGE, context, &slide, &why_not, error))
    return slide;
  return vt_slide_take_exposed(open_here(path, error), why_not);
}
