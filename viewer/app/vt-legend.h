/* SPDX-License-Identifier: MIT
 *
 * A bar of a colour map's colours, from left to right. */
#pragma once
#include <gtk/gtk.h>

#include "vt-colormap.h"

G_BEGIN_DECLS

#define VT_TYPE_LEGEND (vt_legend_get_type())
G_DECLARE_FINAL_TYPE(VtLegend, vt_legend, VT, LEGEND, GtkWidget)

GtkWidget *vt_legend_new(void);
void vt_legend_set_colormap(VtLegend *self, VtColormap map);

G_END_DECLS
