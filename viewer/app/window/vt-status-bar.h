/* SPDX-License-Identifier: MIT
 *
 * The line below a slide: where the pointer is and what lies there, how the analysis goes, magnification, sharp or not.
 * Also writes views and sharpness to the test log. */
#pragma once
#include "analysis/vt-analysis.h"
#include "canvas/vt-canvas.h"

#define VT_TYPE_STATUS_BAR (vt_status_bar_get_type())
G_DECLARE_FINAL_TYPE(VtStatusBar, vt_status_bar, VT, STATUS_BAR, GtkBox)

/* `number` names the view in the test log. */
VtStatusBar *vt_status_bar_new(VtCanvas *canvas, VtAnalysis *analysis, guint number);
/* After the canvas got it. */
void vt_status_bar_set_slide(VtStatusBar *self, VtSlide *slide);
