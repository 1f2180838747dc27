/* SPDX-License-Identifier: MIT
 *
 * Where the system has no files in memory that can be sealed (memfd): slides are read in this process. */
#include "slide/vt-reader-private.h"
#include "slide/vt-reader.h"

void
vt_reader_enable(gboolean keeps_spare)
{
}

void
vt_reader_prepare(void)
{
}

char *
vt_reader_dup_reason(void)
{
  return g_strdup("Slides are read in this process: this system has no sealed memory that processes can share.");
}

char *
vt_reader_take_failure(void)
{
  return NULL;
}

gboolean
vt_reader_open_slide(const char *path, VtReaderKind kind, VtSlide **slide, char **why_not, GError **error)
{
  *why_not = vt_reader_dup_reason();
  return FALSE;
}

void
vt_reader_free(VtReader *self)
{
}

gboolean
vt_reader_read_tile(VtSlide *slide, int level, gint64 col, gint64 row, int width, int height, guint8 *bgra,
                    GCancellable *cancellable, GError **error)
{
  g_return_val_if_reached(FALSE);
}

char **
vt_reader_dup_names(VtSlide *slide, GError **error)
{
  g_return_val_if_reached(NULL);
}

VtTilePixels *
vt_reader_read_picture(VtSlide *slide, const char *name, GError **error)
{
  g_return_val_if_reached(NULL);
}

VtRaster *
vt_reader_read_raster(const char *path, const VtRasterRoom *room, guint *n_pages, guint *orientation, GError **error)
{
  VtRaster *raster = vt_raster_read_within(path, room, error);
  *n_pages = raster ? vt_raster_count_pages(path) : 1;
  *orientation = raster ? vt_raster_read_orientation(path) : 1;
  return raster;
}
