/* SPDX-License-Identifier: MIT
 *
 * A button with a list in which a person chooses the numbers that have parallel axes: from VT_PARALLEL_LEAST to VT_PARALLEL_MOST, in the order of the columns. The list is made when it is
 * opened. Main thread only. */
#pragma once
#include <gtk/gtk.h>

#include "panels/vt-parallel-data.h"

typedef struct {
  GtkMenuButton *button;
  GtkBox *list;
  GPtrArray *names;   /* of all numbers; interned */
  GPtrArray *titles;  /* char *, of them */
  GHashTable *chosen; /* names */
  GCallback changed;
  gpointer user;
} VtPlotAxes;

/* `changed` is called with `user`, a GObject, whenever others are chosen. */
void vt_plot_axes_init(VtPlotAxes *self, GCallback changed, gpointer user);
void vt_plot_axes_clear(VtPlotAxes *self);
/* What was chosen stays chosen where these columns have it, as far as that is enough; else the first measurements are. TRUE: others are chosen now. */
gboolean vt_plot_axes_fill(VtPlotAxes *self, const VtColumns *columns);
/* Those that are chosen; how many. columns may be NULL. */
guint vt_plot_axes_get(const VtPlotAxes *self, const VtColumns *columns, guint axes[VT_PARALLEL_MOST]);
/* Names of those that are chosen, in alphabetical order. Before there are columns they may be told; fewer than are needed are none. */
void vt_plot_axes_store(const VtPlotAxes *self, GPtrArray *names);
void vt_plot_axes_restore(VtPlotAxes *self, const GPtrArray *names);
