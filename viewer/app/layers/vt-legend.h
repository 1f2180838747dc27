/* SPDX-License-Identifier: MIT
 *
 * A bar of a colour map's colours, from left to right, over white where they are transparent. */
#pragma once
#include <gtk/gtk.h>

#include "raster/vt-coloring.h"

G_BEGIN_DECLS

#define VT_TYPE_LEGEND (vt_legend_get_type())
G_DECLARE_FINAL_TYPE(VtLegend, vt_legend, VT, LEGEND, GtkWidget)

GtkWidget *vt_legend_new(void);
void vt_legend_set_colormap(VtLegend *self, VtColormap map);
void vt_legend_set_coloring(VtLegend *self, const VtColoring *coloring);
/* Draws such a bar. What the coloring's threshold hides is cut to a thin line. */
void vt_legend_draw(const VtColoring *coloring, GtkSnapshot *snapshot, const graphene_rect_t *place);

G_END_DECLS
