/* SPDX-License-Identifier: MIT
 *
 * A view as part of a session file. Main thread only. */
#pragma once
#include "results/vt-session-file.h"
#include "window/vt-pane.h"

/* Of a view with a slide. */
void vt_pane_store(VtPane *self, VtSessionView *view);
/* After its slide is shown. What the slide or the program no longer has is told in the view. */
void vt_pane_restore(VtPane *self, const VtSessionView *view);
/* The slide's own fingerprint; NULL: the format has none. Borrowed. */
const char *vt_pane_get_slide_hash(VtSlide *slide);
