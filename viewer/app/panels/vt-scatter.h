/* SPDX-License-Identifier: MIT
 *
 * Two numbers of each object against each other: how many objects lie in each cell of the plot, in colours of a logarithmic scale with a
 * legend. A drag over it selects objects by a rectangle or by hand (the tool), one that begins at a corner or side of the chosen gate moves that; a drag on an axis moves what is seen, the wheel makes it
 * larger or smaller round the pointer, over an axis that one alone. Arrow keys move a rectangle, with Shift its upper right corner; plus,
 * minus and Home are for what is seen.
 * Signals: "choice" (another one, or none), "view" (it shows another part, or has another size: data are wanted), "gate-moved"
 * (VtPlotGate: what a hand has made of the chosen one). Main thread only. */
#pragma once
#include <gtk/gtk.h>

#include "panels/vt-plot-choice.h"

#define VT_TYPE_SCATTER (vt_scatter_get_type())
G_DECLARE_FINAL_TYPE(VtScatter, vt_scatter, VT, SCATTER, GtkWidget)

/* Takes the data; NULL: nothing is shown. Titles of the axes. What a person chose and sees stays. */
void vt_scatter_set(VtScatter *self, VtScatterData *data, const char *title_x, const char *title_y);
VtScatterData *vt_scatter_get_data(VtScatter *self); /* or NULL */
/* Other numbers: no choice, all of them seen. */
void vt_scatter_forget(VtScatter *self);
/* VtPlotGate, of the numbers that are shown, or NULL. Takes them. */
void vt_scatter_set_gates(VtScatter *self, GPtrArray *gates);
/* The numbers of the selected object; NaN: none. */
void vt_scatter_set_mark(VtScatter *self, double x, double y);
/* How many cells there is room for. */
void vt_scatter_get_room(VtScatter *self, guint *width, guint *height);
/* What is seen; FALSE: all. */
gboolean vt_scatter_get_view(VtScatter *self, VtPlotAxis *x, VtPlotAxis *y);
void vt_scatter_set_view(VtScatter *self, const VtPlotAxis *x, const VtPlotAxis *y); /* also before there are data */
void vt_scatter_reset_view(VtScatter *self);
/* A drag draws by hand from now on, or a rectangle. */
void vt_scatter_set_by_hand(VtScatter *self, gboolean by_hand);
const VtScatterChoice *vt_scatter_get_choice(VtScatter *self);              /* NULL: none */
void vt_scatter_set_choice(VtScatter *self, const VtScatterChoice *choice); /* copied */
void vt_scatter_drop_choice(VtScatter *self);
