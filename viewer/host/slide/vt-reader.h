/* SPDX-License-Identifier: MIT
 *
 * Slides read by processes of their own: a file on which OpenSlide, libtiff, libpng or libjpeg crash, hang or ask for all memory ends
 * its reader process, and is an error here. One process a slide, with a thread for each tile that is read at once. */
#pragma once
#include <glib.h>

G_BEGIN_DECLS

/* From now on slides are opened so, if the program vitrail-reader is there (else in this process; so without this call, and with
 * VITRAIL_READER=no in the environment). One process is held ready for the next slide. Main thread, before the first slide. */
void vt_reader_enable(void);
/* Starts what is held ready. Quick: it happens in another thread. */
void vt_reader_prepare(void);
/* NULL: slides are read in processes of their own. Else a sentence that says why not. Owned; any thread. */
char *vt_reader_dup_reason(void);

G_END_DECLS
