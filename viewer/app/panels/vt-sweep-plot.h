/* SPDX-License-Identifier: MIT
 *
 * The curve of a sweep, over the slider of its parameter: each value stands above where the slider has it. Signal: "chosen" (double: a
 * click or a drag on it). */
#pragma once
#include <gtk/gtk.h>

#include "analysis/vt-sweep.h"
#include "common/vt-slider-scale.h"

#define VT_TYPE_SWEEP_PLOT (vt_sweep_plot_get_type())
G_DECLARE_FINAL_TYPE(VtSweepPlot, vt_sweep_plot, VT, SWEEP_PLOT, GtkWidget)

/* `slider` must outlive it and begin at the same x. */
GtkWidget *vt_sweep_plot_new(GtkRange *slider, const VtSliderScale *scale);
/* Draws these from now on; NULL: nothing. They are read whenever it draws: call it again after each change. `unit` of the values. */
void vt_sweep_plot_set(VtSweepPlot *self, const GArray *points, gboolean is_preview, const char *unit);
