/* SPDX-License-Identifier: MIT
 *
 * Memory for the pixels of whole tiles, in blocks of large pages that are used again. A tile in new memory costs a fault and
 * a cleared page for each 4 KiB, which is a fifth of the time that decoding it takes. Any thread. */
#pragma once
#include <glib.h>

/* `size` writable bytes of unknown content at *data, until the caller shares the GBytes that owns them. */
GBytes *vt_tile_memory_new(gsize size, guint8 **data);
/* For a moment in which nobody waits: another thread makes what is spare as much as it may be, touched once, until somebody
 * takes of it, who then needs the processor. */
void vt_tile_memory_prepare(void);
/* Counts those who will need tiles again: after the last one left, nothing free is kept. */
void vt_tile_memory_enter(void);
void vt_tile_memory_leave(void);
/* At most so many free bytes are kept (default 32 MiB); how many are now. */
void vt_tile_memory_set_spare(gsize bytes);
gsize vt_tile_memory_get_spare(void);
