/* SPDX-License-Identifier: MIT
 *
 * A bar of a colour map's colours, from left to right, over white where they are transparent. */
#pragma once
#include <gtk/gtk.h>

#include "raster/vt-coloring.h"

#define VT_TYPE_LEGEND (vt_legend_get_type())
G_DECLARE_FINAL_TYPE(VtLegend, vt_legend, VT, LEGEND, GtkWidget)

void vt_legend_set_colormap(VtLegend *self, VtColormap map);
void vt_legend_set_coloring(VtLegend *self, const VtColoring *coloring);
/* Draws such a bar. What the coloring's threshold hides is cut to a thin line. */
void vt_legend_draw(const VtColoring *coloring, GtkSnapshot *snapshot, const graphene_rect_t *place);
/* The same on paper; any thread. */
void vt_legend_draw_cairo(const VtColoring *coloring, cairo_t *cr, const graphene_rect_t *place);

enum { VT_LEGEND_BINS = 32 };
/* How many objects each colour has, as bars that stand on the bottom of a place; heights go by the roots, so that few beside many are still seen. */
void vt_legend_draw_bins(const guint *bins, GtkSnapshot *snapshot, const graphene_rect_t *place);
/* The same on paper; any thread. */
void vt_legend_draw_bins_cairo(const guint *bins, cairo_t *cr, const graphene_rect_t *place);

/* What the colours of a layer mean: one colour, or a colour map between two numbers. */
typedef struct {
  VtColoring coloring;
  char *title;
  char *min_text, *max_text; /* NULL: one colour stands for the whole layer */
  gboolean has_bins;         /* above the colour map */
  guint bins[VT_LEGEND_BINS];
  gboolean has_rgb; /* that colour is no map's */
  guint8 rgb[3];
  gboolean is_text; /* a title alone */
} VtLegendLine;
void vt_legend_line_free(VtLegendLine *line);
