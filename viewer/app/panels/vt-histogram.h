/* SPDX-License-Identifier: MIT
 *
 * Histogram of what is seen of a layer, in the layer's own colours; the ends of the range are lines, what the threshold hides
 * is pale. */
#pragma once
#include <gtk/gtk.h>

#include "raster/vt-coloring.h"
#include "raster/vt-stats.h"

#define VT_TYPE_HISTOGRAM (vt_histogram_get_type())
G_DECLARE_FINAL_TYPE(VtHistogram, vt_histogram, VT, HISTOGRAM, GtkWidget)

/* Copied. `stats` NULL: nothing to show yet, the last bars fade. */
void vt_histogram_set(VtHistogram *self, const VtStats *stats, const VtColoring *coloring);
