/* SPDX-License-Identifier: MIT
 *
 * What a person chose on a plot, as a filter, as the text of one, and back: what of a filter can be seen on a plot. Any thread. */
#pragma once
#include "layers/vt-gate.h"
#include "panels/vt-parallel-data.h"
#include "panels/vt-scatter-data.h"

/* What is chosen: a range of one number, where column_y is -1, or of two, or a polygon; or ranges of several numbers. */
typedef struct {
  guint column_x;
  gint column_y;
  gboolean is_log_x, is_log_y;
  VtScatterChoice choice; /* borrowed: as long as nothing else is chosen */
  guint n_ranges;         /* 0: there are no parallel axes */
  guint columns[VT_PARALLEL_MOST];
  VtPlotRange ranges[VT_PARALLEL_MOST];
} VtPlotChoice;
/* Owned. */
VtObjectFilter *vt_plot_choice_new_filter(const VtPlotChoice *self, const VtColumns *columns);
void vt_plot_choice_add_text(const VtPlotChoice *self, const VtColumns *columns, GString *text);
/* char*: the texts of the four gates that meet at the lower left corner of a rectangle: both at least as large, x alone, y alone, neither. NULL:
 * it is not a rectangle of two numbers. */
GPtrArray *vt_plot_choice_list_quadrants(const VtPlotChoice *self, const VtColumns *columns);

/* What of a gate is drawn on a plot. */
typedef struct {
  char *name, *label;     /* label: the name and the percentage */
  gint32 color;           /* 0xRRGGBB */
  gboolean is_chosen;     /* else it is one of what is shown */
  guint place;            /* in the list of gates */
  VtScatterChoice choice; /* the polygon, or the ranges; infinite: no end */
} VtPlotGate;
void vt_plot_gate_free(gpointer gate);
/* The same, called by its name alone: what is known of its objects is of what it was. Owned. */
VtPlotGate *vt_plot_gate_copy(const VtPlotGate *gate);
/* The text of a gate that is drawn on a plot of these numbers once it is `choice`: its limits keep their signs. Owned; NULL: it is not drawn there. */
char *vt_plot_choice_dup_moved(const VtPlotChoice *self, const VtColumns *columns, const char *text);
/* The ranges of these axes; FALSE: the filter is anything else. */
gboolean vt_plot_choice_ranges_from_filter(VtPlotRange *ranges, const VtObjectFilter *filter, const guint *axes,
                                           guint n);
/* On a plot of these columns (y -1: one alone) as a range of one, of both, or a polygon; FALSE: the filter is anything else. choice: to be cleared. */
gboolean vt_plot_choice_from_filter(VtScatterChoice *choice, const VtObjectFilter *filter, guint column_x,
                                    gboolean is_log_x, gint column_y, gboolean is_log_y);
/* Of the gates of a tally those that can be drawn and lie next below the chosen one (-1: all objects), and itself. VtPlotGate; owned. */
GPtrArray *vt_plot_choice_list_gates(const VtGateTally *tally, const VtColumns *columns, gint chosen, guint column_x,
                                     gboolean is_log_x, gint column_y, gboolean is_log_y);
