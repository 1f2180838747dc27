/* SPDX-License-Identifier: MIT */
#pragma once
#include "raster/vt-raster.h"

/* FALSE and a sentence when an image of that size cannot be held. `name` is the file's, or NULL. pixel_size 0: it need not
 * be in memory. */
gboolean vt_raster_check_size(const char *name, guint64 width, guint64 height, gsize pixel_size, GError **error);
/* FALSE and a sentence when reading the file takes so many bytes at once, and that is more than the room, or, without one,
 * than the machine has. */
gboolean vt_raster_check_room(const char *name, guint64 bytes, const VtRasterRoom *room, GError **error);
/* room: or NULL. Zeroed pixels. */
VtRaster *vt_raster_new_within(VitrailPixelType type, gint64 width, gint64 height, const VtRasterRoom *room,
                               GError **error);
/* A raster like `head`, with the pixels, read-only or not, of which there are enough. Takes the mapping, or the arena. */
VtRaster *vt_raster_new_mapped(const VtRaster *head, GMappedFile *mapping);
VtRaster *vt_raster_new_in_arena(const VtRaster *head, struct VtArena *arena, guint8 *data);
/* The same without pixels. */
VtRaster *vt_raster_new_empty(VitrailPixelType type, gint64 width, gint64 height);
/* Place, scale and what its values mean become those of another, of one type; pixels and size stay. */
void vt_raster_take_layout(VtRaster *raster, const VtRaster *layout);
/* From now on pixels in memory are in files in memory, for vt_raster_free_to_file(). For a process that reads for others. */
void vt_raster_use_memory_files(void);
/* Frees the raster, which nobody else refers to, but for its pixels. The file's length may be larger. -1: they are in no file, or in
 * that of a VtRasterRoom. Owned. */
int vt_raster_free_to_file(VtRaster *raster);
/* For readers, who write row by row: what is above row y has been written. */
void vt_raster_wrote(const VtRaster *raster, gint64 y);
/* Who decodes an image for others tells them that it is alive: `told` is called by this thread, from now on, as often as a step is done, of how many
 * as far as is known by then. The steps rise, and are never more than `of`. NULL: nobody is told. */
typedef void (*VtRasterTold)(gint64 done, gint64 of, gpointer user);
void vt_raster_set_told(VtRasterTold told, gpointer user);
/* For readers: so many rows, or other steps, are done. */
void vt_raster_tell(gint64 done, gint64 of);
/* libtiff's complaints are caught instead of written to stderr. OpenSlide, too, reads through libtiff. */
void vt_tiff_init(void);
/* Colour of any TIFF that libtiff can show, opaque, laid over `background` (R G B). */
VtRaster *vt_raster_read_tiff_rgba(const char *path, const guint8 background[3], GError **error);
VtRaster *vt_raster_read_tiff(const char *path, const VtRasterRoom *room, GError **error);
/* Whether the file is a TIFF of vt_raster_write_tiff(). */
gboolean vt_raster_is_result(const char *path);
/* The place on the slide, downsample and scale that either has put into a file. FALSE: the file says none. */
gboolean vt_raster_read_place(const char *path, VtRasterPlace *place);
/* Of finite numbers that a raster may have. */
gboolean vt_raster_is_place(const VtRasterPlace *place);
/* Pages of a TIFF besides reduced ones; else 1. */
guint vt_raster_count_pages(const char *path);
/* Channels of a TIFF beside its colours and their alpha; else 0. */
guint vt_raster_count_unread(const char *path);
/* Of each channel of a PNG or TIFF in colours, where they are more than the 8 that are read; else 0. */
guint vt_raster_get_cut_bits(const char *path);

/* A TIFF of one raw channel, row by row. NULL and a sentence on failure; NULL without one: this TIFF can only be read as a whole. */
typedef struct VtTiffRows VtTiffRows;
VtTiffRows *vt_tiff_rows_new(const char *path, const VtRasterRoom *room, GError **error);
void vt_tiff_rows_free(VtTiffRows *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtTiffRows, vt_tiff_rows_free)
/* Its type and size, without pixels. Borrowed. */
VtRaster *vt_tiff_rows_get_raster(VtTiffRows *self);
/* Rows of one block, which are read at once; the last one may have fewer. */
gint64 vt_tiff_rows_get_block_rows(const VtTiffRows *self);
/* The block that begins with row y. NULL and a sentence on failure. Owned. */
VtRaster *vt_tiff_rows_read(VtTiffRows *self, gint64 y, GError **error);
/* Row y, packed; quick if rows are asked for from the top down. Valid until the next call. NULL and a sentence on failure. */
const guint8 *vt_tiff_rows_get(VtTiffRows *self, gint64 y, GError **error);

/* For libpng, whose error pointer is a text of VT_PNG_MESSAGE bytes: keeps the sentence and jumps; says nothing of warnings. */
enum { VT_PNG_MESSAGE = 256 };
struct png_struct_def;
void vt_png_on_error(struct png_struct_def *png, const char *message);
void vt_png_on_warning(struct png_struct_def *png, const char *message);
VtRaster *vt_raster_read_png(const char *path, const VtRasterRoom *room, GError **error);
VtRaster *vt_raster_read_jpeg(const char *path, const VtRasterRoom *room, GError **error);

/* Integer mean of grid pixels of a plain raster: VitrailHost read_region. The rectangle is checked. */
gboolean vt_raster_read_region(const VtRaster *raster, guint downsample, gint64 x, gint64 y, gint64 width,
                               gint64 height, guint8 *dst, gsize stride, GError **error);

/* The OME-XML of a raster of raw values, with `place` as a comment for vt_raster_read_place(). `channel`: its title. Owned. */
char *vt_raster_dup_ome(const VtRaster *raster, const char *channel, const char *place);

/* The file of vt_raster_write_tiff() of a raster that comes in rectangles. `layout` says type, place and size. */
typedef struct VtTiffWriter VtTiffWriter;
VtTiffWriter *vt_tiff_writer_new(const char *path, const VtRaster *layout, const VtTiffOptions *options,
                                 GError **error);
/* A rectangle of the raster from pixel (x, y) on, which are multiples of 512; so are its sizes, unless it ends where the raster
 * does. Any thread; the file is the same for the same rectangles in the same order. */
gboolean vt_tiff_writer_put(VtTiffWriter *writer, const guint8 *data, gsize stride, gint64 x, gint64 y, gint64 width,
                            gint64 height, GError **error);
/* After the last rectangle: writes the reduced levels. */
gboolean vt_tiff_writer_finish(VtTiffWriter *writer, GError **error);
/* The file stays, whole or not. */
void vt_tiff_writer_free(VtTiffWriter *writer);
