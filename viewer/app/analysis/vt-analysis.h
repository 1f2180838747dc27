/* SPDX-License-Identifier: MIT
 *
 * The analysis of one view of a slide: which op with which parameters, its layers, and when it runs. With "live" on it runs
 * for what is seen when the view has settled, or when a parameter or a layer asks for something that is not there; what became
 * stale is cancelled and can never be shown. Live, the grid is no finer than the screen: where that is coarser than what the
 * parameters ask for the result is a preview, and says so. A run that will take long shows a first look on a coarser grid
 * before, a preview as well. Run works at the resolution that is asked for, on the view, the regions or the whole slide, and
 * goes on while the view moves; its result stays until parameters, or the regions that it is of, change. Main thread only.
 *
 * Properties: "live", "run-on" (VtRunOn; read, write), "running", "busy". Signals: "op-changed" (other op or parameters' set: panels
 * rebuild), "params-changed" (a value), "progress" (vt_analysis_dup_progress() says another text), "shown" (the layers show something else, or it became
 * stale), "finished" (the result is vt_analysis_get_result()), "corrected" (what is shown of the same run has other corrections), "failed" (sentence). */
#pragma once
#include <gtk/gtk.h>

#include "layers/vt-layer.h"
#include "plugins/vt-params.h"
#include "analysis/vt-run-on.h"
#include "results/vt-true-objects.h"
#include "run/vt-run.h"

#define VT_TYPE_ANALYSIS (vt_analysis_get_type())
G_DECLARE_FINAL_TYPE(VtAnalysis, vt_analysis, VT, ANALYSIS, GObject)

/* `rois` is a list of VtRoiItem that ops over regions take. */
VtAnalysis *vt_analysis_new(GListModel *rois);
/* Forgets all results: layers never show over another slide. */
void vt_analysis_set_slide(VtAnalysis *self, VtSlide *slide);
VtSlide *vt_analysis_get_slide(VtAnalysis *self); /* borrowed; or NULL */
/* Its layers and parameters are as they were when it was chosen before. */
void vt_analysis_set_op(VtAnalysis *self, const VitrailPlugin *plugin, const VitrailOp *op);
const VitrailOp *vt_analysis_get_op(VtAnalysis *self);
/* Borrowed; NULL without an op. Call vt_analysis_params_changed() after a change. */
VtParams *vt_analysis_get_params(VtAnalysis *self);
void vt_analysis_params_changed(VtAnalysis *self);
/* Of this op, now or when it was chosen before; NULL: it never was. Borrowed. */
const VtParams *vt_analysis_get_params_of(VtAnalysis *self, const char *op_id);
/* "threshold=0.2" */
gboolean vt_analysis_set_param_text(VtAnalysis *self, const char *key_value, GError **error);
/* What the input of labels of an op reads that was chosen before. FALSE: none such was. */
gboolean vt_analysis_set_labels(VtAnalysis *self, const char *op_id, VtPlacedLabels *labels);
/* The same of objects of a file. */
gboolean vt_analysis_set_objects(VtAnalysis *self, const char *op_id, VtFileObjects *objects);
void vt_analysis_set_backend(VtAnalysis *self, const char *backend);
void vt_analysis_set_live(VtAnalysis *self, gboolean live);
gboolean vt_analysis_get_live(VtAnalysis *self);
gboolean vt_analysis_get_running(VtAnalysis *self);
/* What a person is told: Run is at work, or a live run that has shown nothing new for a while. Most live runs come and go in between. */
gboolean vt_analysis_get_busy(VtAnalysis *self);
/* "Seeds · 40 % · 12 s left"; NULL: it is not busy. Owned. */
char *vt_analysis_dup_progress(VtAnalysis *self);
double vt_analysis_get_fraction(VtAnalysis *self); /* 0..1 of what runs */
/* Why what the layers show is not to be taken for the final answer: "Preview at 5.5 µm/px, asked for 0.5"; NULL: it is one, or
 * nothing is shown. Owned. */
char *vt_analysis_dup_caution(VtAnalysis *self);
/* Of a result that is a preview. Owned. */
char *vt_analysis_dup_preview_words(const VtResult *result);
/* Of what is shown although it is not made again (NULL: nothing): that it is paused, and that it has not all of the view. Borrowed. */
const char *vt_analysis_get_pause_words(VtAnalysis *self, const VtResult *kept);
/* `moving`: a hand is on it, nothing is started before it lets go. */
void vt_analysis_set_view(VtAnalysis *self, const VtViewport *view, gboolean moving);
void vt_analysis_set_run_on(VtAnalysis *self, VtRunOn on);
VtRunOn vt_analysis_get_run_on(VtAnalysis *self);
/* Call it after regions that stay in the list got other outlines. */
void vt_analysis_rois_changed(VtAnalysis *self);
GListModel *vt_analysis_get_regions(VtAnalysis *self); /* VtRoiItem; borrowed */
/* Runs now, whether live or not, at the resolution that the parameters ask for, on what "run-on" says. */
void vt_analysis_run(VtAnalysis *self);
void vt_analysis_cancel(VtAnalysis *self);
/* Runs of the view hand over every stage, seen or not; what the last one did not hand over is made now, unless that took long. */
void vt_analysis_set_wants_all(VtAnalysis *self, gboolean wants_all);
/* Runs hand over these stages (bits), too, seen or not; what is missing of them is made now, as of a layer that is switched on. */
void vt_analysis_set_pinned(VtAnalysis *self, guint64 stages);
/* Somebody goes through the objects of what is shown: while the parameters are its own and something of it is in view, no live run takes its place. */
void vt_analysis_hold(VtAnalysis *self, gboolean held);
gboolean vt_analysis_is_waiting(VtAnalysis *self); /* so a part of the view is not analysed, though runs are live */
/* Up (steps > 0: towards the eye) or down, or to where another layer is; the slide stays the lowest, locked layers stay. */
gboolean vt_analysis_move_layer(VtAnalysis *self, VtLayer *layer, int steps);
void vt_analysis_move_layer_to(VtAnalysis *self, VtLayer *layer, VtLayer *other);
GListModel *vt_analysis_get_layers(VtAnalysis *self); /* VtLayer, the slide first; borrowed */
VtResult *vt_analysis_get_result(VtAnalysis *self);   /* borrowed; NULL: none */
/* The same with the corrections: what is exported. Itself without any; borrowed; NULL: none. */
VtResult *vt_analysis_get_corrected(VtAnalysis *self);
/* With what the objects will be compared next: runs count how they overlap, once its pixels are kept. NULL: with nothing. */
void vt_analysis_set_truth(VtAnalysis *self, VtTrueObjects *truth);
/* Applied to the objects of what is shown, and of each later result of this op: VtCorrection, in their order; kept, and not to be changed. NULL: none. */
void vt_analysis_set_corrections(VtAnalysis *self, GPtrArray *corrections);
/* The op and the slide there must be. On what is shown, at its resolution, with the present parameters; where that is more than 16
 * million analysis pixels, or not there at all, the part round the place. NULL and a sentence. */
VtRunRequest *vt_analysis_new_request(VtAnalysis *self, gint64 x_l0, gint64 y_l0, GError **error);
/* The same of a region's rectangle, at the pixel size that the parameters ask for. */
VtRunRequest *vt_analysis_new_region_request(VtAnalysis *self, const VtRoi *region, GError **error);
VtResult *
vt_analysis_get_shown(VtAnalysis *self); /* what the layers show, also a first look; borrowed; NULL: nothing */
