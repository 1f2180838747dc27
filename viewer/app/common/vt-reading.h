/* SPDX-License-Identifier: MIT
 *
 * A file that a worker reads: a toast says how far it is, with a button that ends it. */
#pragma once
#include <adwaita.h>

typedef struct VtReading VtReading;

/* Nothing is seen of it until somebody has told a part, nor in its first quarter of a second. The button is the action win.cancel-reading. Main
 * thread. */
VtReading *vt_reading_new(AdwToastOverlay *toasts, const char *name);
/* The toast goes. Main thread, after the worker is done. */
void vt_reading_free(VtReading *self);
/* `part` 0 to 1. Any thread; a VtShapesProgress, and a VtReadContext's. */
void vt_reading_tell(double part, gpointer reading);
/* Whether it was told. Any thread. */
gboolean vt_reading_is_told(const VtReading *self);
