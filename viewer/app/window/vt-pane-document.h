/* SPDX-License-Identifier: MIT
 *
 * What a view has to say in a document. Main thread. */
#pragma once
#include "documents/vt-report.h"
#include "window/vt-pane.h"

/* Takes the shot. `is_on_screen`: it has the magnification of one. */
VtPanel *vt_pane_new_panel(VtPane *self, VtShot *shot, gboolean is_on_screen);
/* The regions that a report is of, those that are selected (VtRoi); empty: it is of the view. Owned. */
GPtrArray *vt_pane_dup_report_rois(VtPane *self);
/* The view that is the picture of such a report: round the regions, or what is seen; `scale`: its pixels per 1/96 inch. */
VtViewport vt_pane_get_report_view(VtPane *self, const GPtrArray *rois, double *scale);
/* Without regions it has a row of the view, and one of each region in it. Takes both. */
VtReport *vt_pane_new_report(VtPane *self, VtShot *shot, GPtrArray *rois);
/* What is seen of the slide as a region. Owned; NULL: nothing is. */
VtRoi *vt_pane_new_view_roi(VtPane *self);
