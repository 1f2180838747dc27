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
/* vt_raster_read_within() with vt_raster_count_pages() and vt_raster_read_orientation(), of a file that nobody vouches for: by a process
 * of its own, if slides are read so. Its pixels may be read-only. */
VtRaster *vt_reader_read_raster(const char *path, const VtRasterRoom *room, guint *n_pages, guint *orientation,
                                GError **error);
