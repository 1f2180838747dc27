/* SPDX-License-Identifier: MIT
 *
 * Slides read by processes of their own: a file on which OpenSlide, libtiff, libpng or libjpeg crash, hang or ask for all memory ends
 * its reader process, and is an error here. One process a slide, with a thread for each tile that is read at once. */
#pragma once
#include "raster/vt-raster.h"

/* From now on slides are opened so, if the program vitrail-reader is there (else in this process; so without this call, and with
 * VITRAIL_READER=no in the environment). Main thread, before the first slide. keeps_spare: one process is always held ready for the next slide. */
void vt_reader_enable(gboolean keeps_spare);
/* Starts one that is held ready, unless there is one. Quick: it happens in another thread. */
void vt_reader_prepare(void);
/* NULL: slides are to be read in processes of their own. Else a sentence that says why not. Owned; any thread. */
char *vt_reader_dup_reason(void);
/* A sentence on the last file whose process could not be started, so that it was read in this one; NULL: none since the last call. Owned; any
 * thread. */
char *vt_reader_take_failure(void);
/* vt_raster_read_within() with vt_raster_read_facts(), of a file that nobody vouches for: by a process of its own, if slides are read so. Its
 * pixels may be read-only. A place in the facts is not yet the raster's. context: or NULL. */
VtRaster *vt_reader_read_raster(const char *path, const VtRasterRoom *room, const VtReadContext *context,
                                VtRasterFacts *facts, GError **error);

/* A TIFF of one raw channel, read likewise, but row by row. NULL and a sentence on failure; NULL without one: it can only be read as a whole. */
typedef struct VtReaderRows VtReaderRows;
VtReaderRows *vt_reader_rows_new(const char *path, const VtRasterRoom *room, GError **error);
void vt_reader_rows_free(VtReaderRows *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtReaderRows, vt_reader_rows_free)
/* Its type, size and place, without pixels. Borrowed. */
VtRaster *vt_reader_rows_get_raster(VtReaderRows *self);
const VtRasterFacts *vt_reader_rows_get_facts(const VtReaderRows *self);
/* Row y, packed; quick if rows are asked for from the top down. Valid until the next call. NULL and a sentence on failure. */
const guint8 *vt_reader_rows_get(VtReaderRows *self, gint64 y, GError **error);
