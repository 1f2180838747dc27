/* SPDX-License-Identifier: MIT
 *
 * Where the system has no files in memory that can be sealed (memfd): slides are read in this process. */
#include "raster/vt-raster-private.h"
#include "base/vt-define.h"
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
vt_reader_open_slide(const char *path, VtReaderKind kind, const VtReadContext *context, VtSlide **slide, char **why_not,
                     GError **error)
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
vt_reader_read_raster(const char *path, const VtRasterRoom *room, const VtReadContext *context, VtRasterFacts *facts,
                      GError **error)
{
  vt_raster_read_facts(path, facts);
  return vt_raster_read_within(path, room, error);
}

struct VtReaderRows {
  VtTiffRows *rows;
  VtRasterFacts facts;
};

VtReaderRows *
vt_reader_rows_new(const char *path, const VtRasterRoom *room, GError **error)
{
  VtTiffRows *rows = vt_tiff_rows_new(path, room, error);
  VtReaderRows *self = rows ? g_new0(VtReaderRows, 1) : NULL;
  if (!self)
    return NULL;
  self->rows = rows;
  vt_raster_read_facts(path, &self->facts);
  if (self->facts.is_placed)
    vt_raster_set_place(vt_tiff_rows_get_raster(rows), &self->facts.place);
  return self;
}

VT_DEFINE_TYPE_FREE(vt_reader_rows_free, VtReaderRows, VT_FREES(vt_tiff_rows_free, rows))

VtRaster *
vt_reader_rows_get_raster(VtReaderRows *self)
{
  return vt_tiff_rows_get_raster(self->rows);
}

const VtRasterFacts *
vt_reader_rows_get_facts(const VtReaderRows *self)
{
  return &self->facts;
}

const guint8 *
vt_reader_rows_get(VtReaderRows *self, gint64 y, GError **error)
{
  return vt_tiff_rows_get(self->rows, y, error);
}
