/* SPDX-License-Identifier: MIT
 *
 * A plot of the objects' numbers: a histogram of one of them, one against another one, boxes, or parallel axes. A sentence says what is in the plot and what a
 * person chose on it. Counted by workers. Signals: "choice" (another one, or none), "gate-moved" (char *: the name of the chosen gate,
 * of which a hand has moved a part, and the text that it is to have). Main thread only. */
#pragma once
#include "analysis/vt-analysis.h"
#include "panels/vt-plot-choice.h"
#include "results/vt-session-file.h"

#define VT_TYPE_PLOT_PANEL (vt_plot_panel_get_type())
G_DECLARE_FINAL_TYPE(VtPlotPanel, vt_plot_panel, VT, PLOT_PANEL, GtkBox)

/* Says under the plot why what is shown is not the final answer. Once. */
void vt_plot_panel_set_analysis(VtPlotPanel *self, VtAnalysis *analysis);
/* What is counted, or NULL, and what gives the objects their colours, or NULL; those that pass the filter stand in front. What was chosen stays chosen as long as there are such columns. Keeps them. */
void vt_plot_panel_set_columns(VtPlotPanel *self, VtColumns *columns, VtClassified *classified, VtObjectFilter *filter);
/* The selected object, or NULL, and its place among the objects; -1: it is not among them. */
void vt_plot_panel_set_selected(VtPlotPanel *self, const VtObject *object, gint64 index);
/* What passes the panel's filter and is chosen on the plot; NULL: neither is there. Owned. */
VtObjectFilter *vt_plot_panel_dup_filter(VtPlotPanel *self);

/* Draws those gates of the tally (NULL: none) that lie next below the chosen one (-1: all objects), and itself, where they are of the numbers that are
 * shown. */
void vt_plot_panel_set_gates(VtPlotPanel *self, VtGateTally *tally, gint chosen);
void vt_plot_panel_drop_choice(VtPlotPanel *self);
/* What is chosen on it. FALSE: nothing. */
gboolean vt_plot_panel_get_choice(VtPlotPanel *self, VtPlotChoice *choice);
/* What is plotted, as on white paper, with its size and the sentence below it; owned. NULL: the plot is not seen, or is empty. */
GskRenderNode *vt_plot_panel_record(VtPlotPanel *self, double *width, double *height, char **note);
/* Which numbers are plotted, as what and on which axes, into an empty one and out of it. vt-plot-saving.c. */
void vt_plot_panel_store(VtPlotPanel *self, VtSessionTable *stored);
void vt_plot_panel_restore(VtPlotPanel *self, const VtSessionTable *stored);
