/* SPDX-License-Identifier: MIT
 *
 * A whole-slide image, read through OpenSlide. Immutable once open; every call may come from any thread at once.
 *
 * Pixels are always read as *canonical tiles* (VT_TILE_PX squares of a level's own grid), through one byte-budgeted cache
 * that all slides share. So any region is put together from the same bytes, and results do not depend on
 * the tiling. After the file's own levels come synthetic ones (2x2 means) until the image fits into one tile, so that a flat
 * image can be looked at as a whole; levels which the file stores wrongly (vt-slide-levels.c) are left out. */
#pragma once
#include <gio/gio.h>

#include "base/vt-error.h"
#include "raster/vt-raster.h"

#define VT_TILE_PX 512

typedef struct _VtSlide VtSlide;

/* May take long: call it in a worker. NULL and a sentence naming the file on failure. */
VtSlide *vt_slide_open(const char *path, GError **error);
/* A slide; or a PNG, a JPEG or a TIFF in strips which OpenSlide does not take (each by its own suffix), as a slide of one stored
 * level without a pixel size. The file is read whole, of a TIFF the first page. Runs get such an image as vt_raster_read() reads it. */
VtSlide *vt_slide_open_image(const char *path, GError **error);
/* The same, with how far a plain image is, and an end of it: G_IO_ERROR_CANCELLED. context: or NULL. */
VtSlide *vt_slide_open_image_with(const char *path, const VtReadContext *context, GError **error);
/* The plain image that the slide is; borrowed, NULL for a whole-slide image. */
VtRaster *vt_slide_get_raster(VtSlide *slide);
/* Why it is read in this process, where a damaged file can end the program; borrowed. NULL: it is read by another (vt-reader.h). */
const char *vt_slide_get_exposed(VtSlide *slide);
VtSlide *vt_slide_ref(VtSlide *slide);
void vt_slide_unref(VtSlide *slide);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtSlide, vt_slide_unref)

const char *vt_slide_get_path(VtSlide *slide);
/* Size and date of its file when it was opened: vt_file_dup_state(). */
const char *vt_slide_get_file_state(VtSlide *slide);
const char *vt_slide_get_name(VtSlide *slide);   /* base name, UTF-8 */
const char *vt_slide_get_vendor(VtSlide *slide); /* "aperio" */
int vt_slide_get_n_levels(VtSlide *slide);       /* with the synthetic ones */
int vt_slide_get_n_stored_levels(VtSlide *slide);
void vt_slide_get_level_size(VtSlide *slide, int level, gint64 *width, gint64 *height);
double vt_slide_get_level_downsample(VtSlide *slide, int level);
/* FALSE: the slide has no pixel size ("uncalibrated") and both are 0. */
gboolean vt_slide_get_mpp(VtSlide *slide, double *mpp_x, double *mpp_y);
double vt_slide_get_objective_power(VtSlide *slide); /* 0 = unknown */
/* The scanner's colours as a table (vt-colour-table.h); borrowed, NULL if the file has no ICC profile that can be used, or
 * if the process that opened it makes none. */
GBytes *vt_slide_get_colour_table(VtSlide *slide);
/* How to make it of a profile, in this process: for slides that are opened here from now on. Main thread, before the first one. */
void vt_slide_set_colour_table_maker(GBytes *(*make)(GBytes *profile));
#define VT_SLIDE_PAGES "vitrail.pages"            /* of a plain image: vt_raster_count_pages() */
#define VT_SLIDE_UNREAD "vitrail.unread-channels" /* of a plain image: vt_raster_count_unread() */
#define VT_SLIDE_CUT_BITS "vitrail.cut-bits"      /* of a plain image: vt_raster_get_cut_bits() */
/* Of a plain image or TIFF: vt_raster_read_orientation(). */
#define VT_SLIDE_ORIENTATION "vitrail.orientation"
/* All OpenSlide properties; NULL-terminated, borrowed. */
const char *const *vt_slide_get_property_names(VtSlide *slide);
const char *vt_slide_get_property(VtSlide *slide, const char *name);
/* Whether it is made of several files, of which the path is one. */
gboolean vt_slide_has_more_files(VtSlide *slide);
/* OpenSlide's quickhash-1, or "sha256:..." of the file where there is none. */
char *vt_slide_dup_hash(VtSlide *slide);

/* The best level to show at `downsample` level-0 pixels per device pixel: the coarsest one not coarser than it (with a
 * little slack), at least 0. */
int vt_slide_get_best_level(VtSlide *slide, double downsample);

/* A canonical tile: B8G8R8A8 premultiplied (GDK_MEMORY_DEFAULT), opaque, laid over the slide's background. Refcounted and
 * immutable; width and height are VT_TILE_PX or less at the right and lower edge; rows are `stride` bytes apart. */
typedef struct {
  GBytes *bytes;
  int width, height, stride;
} VtTilePixels;
VtTilePixels *vt_tile_pixels_new(GBytes *bytes, int width, int height, int stride); /* takes the bytes */
VtTilePixels *vt_tile_pixels_ref(VtTilePixels *tile);
void vt_tile_pixels_unref(VtTilePixels *tile);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtTilePixels, vt_tile_pixels_unref)

/* Blocking. A tile that cannot be decoded is an error that names slide, level and tile; the slide stays usable. */
VtTilePixels *vt_slide_read_tile(VtSlide *slide, int level, gint64 col, gint64 row, GCancellable *cancellable,
                                 GError **error);
/* From the cache only; NULL if it is not there. Never blocks on I/O. */
VtTilePixels *vt_slide_peek_tile(VtSlide *slide, int level, gint64 col, gint64 row);

/* Pixels [x,x+width) x [y,y+height) of the grid that has one pixel per downsample x downsample level-0 pixels (VitrailHost
 * read_region), as R G B A bytes. Blocking. */
gboolean vt_slide_read_region(VtSlide *slide, guint downsample, gint64 x, gint64 y, gint64 width, gint64 height,
                              guint8 *rgba, gsize stride, GCancellable *cancellable, GError **error);

/* Decodes the tiles under a rectangle of level-0 pixels that is about to be read with that downsample, until `is_enough` (atomic) is set; none if
 * they take more than half of the cache. A tile that cannot be read is left to who needs it. */
void vt_slide_read_ahead(VtSlide *slide, guint downsample, gint64 x_l0, gint64 y_l0, gint64 width_l0, gint64 height_l0,
                         guint n_threads, const gint *is_enough);

/* Pictures that came with the slide ("label", "macro", "thumbnail"). Both calls block and open the file for themselves. The
 * names are owned and NULL-terminated. A picture comes whole, premultiplied, its transparency kept. */
char **vt_slide_dup_associated_names(VtSlide *slide, GError **error);
VtTilePixels *vt_slide_read_associated(VtSlide *slide, const char *name, GError **error);

/* Bytes that tiles of all slides may take together (default 512 MiB), and take now. */
void vt_tile_cache_set_budget(gsize bytes);
gsize vt_tile_cache_get_budget(void);
gsize vt_tile_cache_get_used(void);
