/* SPDX-License-Identifier: MIT
 *
 * A raster of raw values with its place on the slide: what a stage hands back, or a plain image file. Immutable once
 * published, refcounted. */
#pragma once
#include <gio/gio.h>

#include "base/vt-error.h"

typedef struct {
  VitrailPixelType type; /* VITRAIL_RGBA8 for colour files */
  gint64 x, y;           /* position of the first pixel in the raster's own grid */
  gint64 width, height;
  gsize stride; /* = width * pixel size: rows are packed */
  guint8 *data;
  double downsample;               /* level-0 pixels per pixel */
  double origin_x_l0, origin_y_l0; /* level-0 position of grid pixel (0,0); first pixel lies at origin + x*downsample */
  double scale, offset;            /* physical = raw * scale + offset */
  gboolean zero_is_empty;          /* raw 0 is transparent in every colour map */
  struct VtArena *arena;           /* owned; the file in which the data are; NULL: in memory alone */
  GMappedFile *mapping;            /* owned; the read-only file in memory in which the data are, or NULL */
  double mpp_x, mpp_y;             /* µm per level-0 pixel; 0: unknown */
} VtRaster;

/* How the tiles of a TIFF are compressed. zstd is faster and about as small; fewer programs read it. */
typedef enum { VT_COMPRESSION_DEFLATE, VT_COMPRESSION_ZSTD } VtCompression;
/* “deflate” or “zstd”; FALSE: another name. */
gboolean vt_compression_parse(const char *name, VtCompression *compression);
/* libtiff may be built without it, and could not read such a file then. */
gboolean vt_compression_is_there(VtCompression compression);

/* How a raster that comes in rectangles is written. */
typedef struct {
  const char *channel; /* of an OME-TIFF; or NULL */
  VtCompression compression;
  guint n_threads; /* 0: one per processor */
  gboolean
    is_on_disk; /* reduced levels are in files beside it, which nobody sees, until they are written; else in memory */
  GCancellable *cancellable;                        /* borrowed; or NULL */
  void (*progress)(double fraction, gpointer user); /* by the thread that writes, one at a time; or NULL */
  gpointer user;
} VtTiffOptions;

/* Bytes that an image may take in memory. A larger one is in a file in the folder, which is made if need be, and that file is
 * gone with the image. */
typedef struct {
  guint64 bytes;
  const char *dir;
  const int *file; /* NULL, or an empty file to be taken instead of one in the folder; borrowed */
} VtRasterRoom;

/* Somebody who waits for an image that is read. All zero: nobody. */
typedef struct {
  GCancellable *cancellable;                        /* borrowed; ends the reader process that decodes it; or NULL */
  void (*progress)(double fraction, gpointer user); /* by the thread that waits, some times a second; or NULL */
  gpointer user;
} VtReadContext;

gsize vt_pixel_size(VitrailPixelType type);
/* Zeroed pixels. NULL and an out-of-memory sentence if they can't be had. */
VtRaster *vt_raster_new(VitrailPixelType type, gint64 width, gint64 height, GError **error);
/* The same with a file behind it, in the folder `dir`, that nobody else sees and that is gone when the raster is: it may be larger
 * than the memory. NULL and a sentence if the disk has no room. */
VtRaster *vt_raster_new_in(const char *dir, VitrailPixelType type, gint64 width, gint64 height, GError **error);
/* Every `step`-th pixel of a rectangle of its pixels, that in the middle of each step: what is left when it is seen from far.
 * The rectangle is clipped, and grown to whole steps, counted from the grid's own zero. NULL if nothing is left of it, or if there is no memory. */
VtRaster *vt_raster_thin(const VtRaster *raster, gint64 x, gint64 y, gint64 width, gint64 height, gint64 step);
VtRaster *vt_raster_ref(VtRaster *raster);
void vt_raster_unref(VtRaster *raster);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtRaster, vt_raster_unref)
/* Level-0 rectangle that the raster covers. */
void vt_raster_get_bounds_l0(const VtRaster *raster, double *x, double *y, double *width, double *height);
double vt_raster_get_raw(const VtRaster *raster, gint64 col, gint64 row); /* inside only; RGBA8: luminance */
/* The pixel under a level-0 point; FALSE outside. */
gboolean vt_raster_find_l0(const VtRaster *raster, double x_l0, double y_l0, gint64 *col, gint64 *row);
/* Raw value under a level-0 point; FALSE outside. */
gboolean vt_raster_lookup_l0(const VtRaster *raster, double x_l0, double y_l0, double *value);
gboolean vt_raster_lookup_rgb_l0(const VtRaster *raster, double x_l0, double y_l0, guint8 rgb[3]); /* of RGBA8 alone */
/* Smallest and largest finite physical value; FALSE if there is none. */
gboolean vt_raster_get_range(const VtRaster *raster, double *min, double *max);

/* PNG (8/16-bit grey, grey+alpha, palette, RGB, RGBA; alpha over white) and TIFF (strips or tiles; 1 sample u8, u16, i32/u32 that
 * fits, f32; 8/16-bit RGB(A); other photometrics through libtiff's RGBA reader) and JPEG (grey, colour). A clear sentence for anything else. */
VtRaster *vt_raster_read(const char *path, GError **error);
/* The same in limited memory; those that can only be read as a whole are refused if they do not fit. */
VtRaster *vt_raster_read_within(const char *path, const VtRasterRoom *room, GError **error);
/* Pixels that are in a file leave memory until somebody looks at them. Any thread, at any time. */
void vt_raster_rest(const VtRaster *raster);

/* Where a result of this program lies: those members of VtRaster. */
typedef struct {
  double x, y, downsample, origin_x_l0, origin_y_l0, scale, offset;
} VtRasterPlace;

/* What an image file says beside its pixels. */
typedef struct {
  guint n_pages;      /* of a TIFF, besides reduced ones; the first one is read. Else 1 */
  guint n_unread;     /* channels of a TIFF that are not read, as of another dye */
  guint cut_bits;     /* of each channel in colours, where they are more than the 8 that are read; else 0 */
  guint orientation;  /* vt_raster_read_orientation() */
  gboolean is_placed; /* it is a result of this program, and lies at `place` */
  VtRasterPlace place;
} VtRasterFacts;

void vt_raster_read_facts(const char *path, VtRasterFacts *facts);
/* 1 to 8, as TIFF and Exif number them: how a file says that it is to be turned or mirrored before it is looked at. Rasters are as they
 * are stored. 1: not at all. */
guint vt_raster_read_orientation(const char *path);
/* Of a raster that nobody else refers to yet. */
void vt_raster_set_place(VtRaster *raster, const VtRasterPlace *place);

typedef enum { VT_FILE_OTHER, VT_FILE_PNG, VT_FILE_JPEG, VT_FILE_TIFF } VtFileKind;
/* By the first bytes of the file; VT_FILE_OTHER also if it cannot be read. */
VtFileKind vt_raster_get_kind(const char *path);
/* TIFF of the raw values (photometric min-is-black): compressed tiles of 256 x 256, and reduced levels, each of every second pixel of the
 * one before, down to one tile. Place and physical scale are in ImageDescription as JSON, the pixel size is in the resolution
 * tags. With a channel, which is what its one channel is called, an OME-TIFF of the same pixels, whose reduced levels are SubIFDs and whose
 * ImageDescription is OME-XML. A BigTIFF where 4 GB might not do. The same file for any n_threads (0: one per processor). Nothing is left
 * of a file that was not entire. */
gboolean vt_raster_write_tiff(const VtRaster *raster, const VtTiffOptions *options, const char *path, GError **error);
/* width x height R G B A bytes, packed rows. The file has no alpha where all is opaque; it is the same for any n_threads. */
gboolean vt_png_write_rgba(const char *path, const guint8 *rgba, gint64 width, gint64 height, guint n_threads,
                           GError **error);
