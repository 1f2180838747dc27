/* SPDX-License-Identifier: MIT */
#pragma once
#include "panels/vt-boxes.h"
#include "panels/vt-parallel.h"
#include "panels/vt-plot-axes.h"
#include "panels/vt-plot-numbers.h"
#include "panels/vt-plot-panel.h"
#include "panels/vt-plot.h"
#include "panels/vt-scatter.h"

struct _VtPlotPanel {
  GtkBox parent;
  VtColumns *columns; /* or NULL */
  VtObjectFilter *filter;
  VtGateTally *tally; /* of the gates that are drawn; or NULL */
  gint chosen_gate;
  double *selected; /* numbers of the selected object, a column each; NULL: none */
  guint n_selected;
  gboolean is_counting, is_dirty; /* by a worker; it is to count again */
  gboolean has_other_points;      /* objects, columns or filter changed since the last count */
  guint width, height;            /* bins or cells that were asked for */
  gboolean is_tallying, is_tally_dirty;
  gboolean is_closed;       /* its widgets are gone */
  guint n_chosen;           /* on the scatter; what was last counted */
  VtClassified *classified; /* what the objects have their colours by; or NULL */

  VtPlotNumbers numbers;
  VtPlotAxes axes;
  GtkToggleButton *log_x, *log_y, *hand_button;
  GtkButton *all_button;
  GtkStack *stack;
  VtPlot *plot;
  VtScatter *scatter;
  VtBoxes *boxes;
  VtParallel *parallel;
  GPtrArray *titles;             /* of the axes that are shown; or NULL */
  char *told_choice, *told_view; /* by a session, until there are such numbers; or NULL */
  char *wrong;                   /* what of it makes no sense, until something is chosen; or NULL */
  GtkLabel *sentence, *caution;
};

/* The sentence under the plot. */
void vt_plot_panel_say(VtPlotPanel *self);
/* That which is seen. */
GtkWidget *vt_plot_panel_get_plot(VtPlotPanel *self);
/* FALSE: nothing is chosen. Also while the panel is not seen. */
gboolean vt_plot_panel_read_choice(VtPlotPanel *self, VtPlotChoice *choice);
/* vt-plot-saving.c: the plot as a picture. */
void vt_plot_panel_install_saving(GtkWidgetClass *widget_class);
/* The same: what a session told is chosen and seen, once there are such numbers; and is forgotten. */
void vt_plot_panel_do_told(VtPlotPanel *self);
void vt_plot_panel_forget_told(VtPlotPanel *self);
/* vt-plot-tally.c: counts by a worker how many are chosen on the scatter plot, and says it. */
void vt_plot_panel_tally(VtPlotPanel *self);
