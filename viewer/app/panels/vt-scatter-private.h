/* SPDX-License-Identifier: MIT */
#pragma once
#include "panels/vt-scatter.h"

G_BEGIN_DECLS

#define VT_SCATTER_LEFT 70
#define VT_SCATTER_RIGHT 14
#define VT_SCATTER_TOP 44 /* the legend, and what the axis on the left is of */
#define VT_SCATTER_BOTTOM 36

typedef enum { VT_SCATTER_NOTHING, VT_SCATTER_CHOOSING, VT_SCATTER_MOVING_X, VT_SCATTER_MOVING_Y } VtScatterHeld;

struct _VtScatter {
  GtkWidget parent;
  VtScatterData *data; /* or NULL */
  GdkTexture *picture; /* of the data; NULL: to be made */
  GdkRGBA picture_ink;
  int picture_scale;
  char *title_x, *title_y;
  double mark_x, mark_y;
  VtPlotAxis x, y; /* what is seen, where `has_view` */
  gboolean has_view, by_hand, has_choice;
  VtScatterChoice choice;
  GPtrArray *gates; /* VtPlotGate; or NULL */
  VtScatterHeld held;
  double held_x, held_y;               /* where it was taken */
  VtPlotAxis held_axis_x, held_axis_y; /* when it was taken */
};

double vt_scatter_get_width(VtScatter *self); /* of the plot inside the axes, logical pixels */
double vt_scatter_get_height(VtScatter *self);
const VtPlotAxis *vt_scatter_get_axis_x(VtScatter *self); /* there must be data */
const VtPlotAxis *vt_scatter_get_axis_y(VtScatter *self);
/* Where a value is, also beyond the plot. */
double vt_scatter_get_x(VtScatter *self, double value);
double vt_scatter_get_y(VtScatter *self, double value);
/* vt-scatter-draw.c */
void vt_scatter_snapshot(GtkWidget *widget, GtkSnapshot *snapshot);

G_END_DECLS
