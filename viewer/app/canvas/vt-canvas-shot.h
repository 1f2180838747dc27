/* SPDX-License-Identifier: MIT
 *
 * What a canvas shows, taken for a document: drawn by the same code, at another size, from tiles and pictures of layers that are made for it.
 * Nothing of the screen is scaled up. */
#pragma once
#include "canvas/vt-canvas.h"
#include "layers/vt-shot.h"

/* Called on the main thread, with what is there, 0 to 1. */
typedef void (*VtShotProgress)(double part, gpointer user);

/* The present view with `factor` times as many pixels on a side, or another view; `scale`: its pixels per logical pixel, by which lines and letters are as large as on the
 * screen. Waits until all tiles are there. Fails where the picture would be too large. Main thread. */
void vt_canvas_take_shot_async(VtCanvas *self, const VtViewport *view, double scale, VtShotProgress progress,
                               gpointer progress_user, GCancellable *cancellable, GAsyncReadyCallback callback,
                               gpointer user);
/* Owned; NULL: cancelled, or a sentence. */
VtShot *vt_canvas_take_shot_finish(VtCanvas *self, GAsyncResult *result, GError **error);
/* The view that the canvas has, with so many times its pixels, and what its scale is then. */
VtViewport vt_canvas_enlarge_view(VtCanvas *self, double factor, double *scale);
