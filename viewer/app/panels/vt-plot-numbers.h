/* SPDX-License-Identifier: MIT
 *
 * The two lists by which a person says what is plotted: a number of the objects, and what against: nothing, which makes a histogram, nothing but other axes (VtPlotAxes), a column of words,
 * which makes box plots, or another number. Main thread only. */
#pragma once
#include <gtk/gtk.h>

#include "panels/vt-plot-job.h"
#include "results/vt-session-file.h"

typedef struct {
  GtkDropDown *x, *y;
  GPtrArray *names_x,
    *names_y; /* of the columns, as the lists have them; interned; the first of y is NULL: a histogram, the second none: parallel axes */
  guint n_words;               /* columns of words, which stand first behind it */
  gboolean is_filling;         /* what a list says to have changed then did not */
  const char *told_x, *told_y; /* as a session tells, until there are such columns; interned; NULL: nothing is */
} VtPlotNumbers;

/* `changed` is called with `user`, a GObject, whenever something in a list is chosen. */
void vt_plot_numbers_init(VtPlotNumbers *self, GCallback changed, gpointer user);
void vt_plot_numbers_clear(VtPlotNumbers *self);
/* What was chosen stays chosen where these columns have it. TRUE: it is another now. */
gboolean vt_plot_numbers_fill(VtPlotNumbers *self, const VtColumns *columns);
VtPlotKind vt_plot_numbers_get_kind(const VtPlotNumbers *self);
/* The columns that are chosen; -1: none, or they have it not. columns may be NULL. */
gint vt_plot_numbers_get_x(const VtPlotNumbers *self, const VtColumns *columns);
gint vt_plot_numbers_get_y(const VtPlotNumbers *self, const VtColumns *columns);
const char *vt_plot_numbers_get_title(GtkDropDown *list); /* of what is chosen in it */
/* Names of what is chosen, into an empty one and out of it: once there are such columns. */
void vt_plot_numbers_store(const VtPlotNumbers *self, VtSessionTable *stored);
void vt_plot_numbers_restore(VtPlotNumbers *self, const VtSessionTable *stored);
