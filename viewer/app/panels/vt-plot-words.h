/* SPDX-License-Identifier: MIT
 *
 * The sentence under a plot: what is in it, and what is chosen on it. Main thread. */
#pragma once
#include "panels/vt-boxes.h"
#include "panels/vt-parallel.h"
#include "panels/vt-plot.h"
#include "panels/vt-scatter.h"

/* "Nucleus: Area µm²: 40 – 92 · 311 of 1,744 objects". Owned. */
char *vt_plot_words_of_histogram(VtPlot *plot, const char *title);
/* n_chosen: objects that were chosen on it. Owned. */
char *vt_plot_words_of_scatter(VtScatter *scatter, const char *title_x, const char *title_y, guint n_chosen);
/* "5 axes: 311 of 1,744 objects", and each range by its title. Owned. */
char *vt_plot_words_of_parallel(VtParallel *plot, const GPtrArray *titles);
/* Owned. */
char *vt_plot_words_of_boxes(VtBoxes *boxes, const char *title);
/* The same, and behind it a line for each box with its numbers. Owned. */
char *vt_plot_words_of_all_boxes(VtBoxes *boxes, const char *sentence);
