/* SPDX-License-Identifier: MIT
 *
 * One view: a slide, its layers, its regions, its analysis, and the panels that belong to it. A page holds one to four.
 *
 * Signals: "changed" (another slide, running or not, regions, results, tool: whoever shows its state looks again), "moved"
 * (the view, once per frame), "touched" (a hand or the focus is on it), "regions-wanted" (the table of regions has something to show), "file" (GFile,
 * dropped on it). */
#pragma once
#include <adwaita.h>

#include "analysis/vt-analysis.h"
#include "analysis/vt-reference.h"
#include "analysis/vt-stage-pins.h"
#include "analysis/vt-why.h"
#include "canvas/vt-canvas.h"
#include "panels/vt-minimap.h"
#include "panels/vt-roi-table.h"
#include "window/vt-message-bar.h"
#include "window/vt-sidebar.h"
#include "window/vt-status-bar.h"

/* What the command line can say about a view. */
typedef struct {
  const char *op_id;         /* NULL: the first */
  const char *const *params; /* "key=value", NULL-terminated; or NULL */
  gboolean live;
  double magnification; /* 0: the whole slide */
  gboolean has_centre;
  double centre_x_l0, centre_y_l0;
} VtPaneOptions;

#define VT_TYPE_PANE (vt_pane_get_type())
G_DECLARE_FINAL_TYPE(VtPane, vt_pane, VT, PANE, AdwBin)

void vt_pane_show_slide(VtPane *self, VtSlide *slide);
/* The analysis at once; the view if there is a slide. */
void vt_pane_apply_options(VtPane *self, const VtPaneOptions *options);
/* The ops in its list of analyses (VitrailOp), with recipes that are being edited. Borrowed; NULL: there is no list yet. */
GPtrArray *vt_pane_get_ops(VtPane *self);
/* The same slide, view, analysis and parameters as another one. */
void vt_pane_copy(VtPane *self, VtPane *other);
VtSlide *vt_pane_get_slide(VtPane *self); /* NULL: empty */
VtCanvas *vt_pane_get_canvas(VtPane *self);
VtMinimap *vt_pane_get_minimap(VtPane *self);
VtAnalysis *vt_pane_get_analysis(VtPane *self);
VtWhy *vt_pane_get_why(VtPane *self);
VtReference *vt_pane_get_reference(VtPane *self);
VtStagePins *vt_pane_get_stage_pins(VtPane *self);
VtRegions *vt_pane_get_regions(VtPane *self);
/* The tables of regions ("regions") and of objects ("objects"). */
GtkStack *vt_pane_get_tables(VtPane *self);
VtRoiTable *vt_pane_get_roi_table(VtPane *self);
/* Shown elsewhere while this is the active one; kept alive by it. The sidebar fills after the first pixels. */
GtkWidget *vt_pane_get_sidebar(VtPane *self);
VtParamPanel *vt_pane_get_param_panel(VtPane *self); /* in it; NULL: not made yet */
VtStatusBar *vt_pane_get_status_bar(VtPane *self);
/* One of several: has a frame and its slide's name, and is the one that keys mean or is not. */
void vt_pane_set_frame(VtPane *self, gboolean framed, gboolean active);
/* The analysis of what is visible, and the table of regions if its rows are stale. */
void vt_pane_run(VtPane *self);
/* Also written to the test log. */
void vt_pane_show_error(VtPane *self, const char *sentence, VtMessageKind kind);
/* How many sentences told that something is not there (VT_MESSAGE_LOSS), since there is the view. */
guint vt_pane_get_n_losses(VtPane *self);
/* What an answer spoke of was done: it goes. */
void vt_pane_move_on(VtPane *self);
void vt_pane_hide_error(VtPane *self);
/* Reads what could not be read once more. */
void vt_pane_retry(VtPane *self);
void vt_pane_show_properties(VtPane *self);
