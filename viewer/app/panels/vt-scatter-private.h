/* SPDX-License-Identifier: MIT */
#pragma once
#include "panels/vt-plot-shade.h"
#include "panels/vt-scatter.h"

#define VT_SCATTER_LEFT 70
#define VT_SCATTER_RIGHT 14
#define VT_SCATTER_TOP 44 /* the legend, and what the axis on the left is of */
#define VT_SCATTER_BOTTOM 36

typedef enum {
  VT_SCATTER_NOTHING,
  VT_SCATTER_CHOOSING,
  VT_SCATTER_MOVING_X,
  VT_SCATTER_MOVING_Y,
  VT_SCATTER_MOVING_GATE
} VtScatterHeld;
enum { VT_SIDE_LEFT = 1, VT_SIDE_RIGHT = 2, VT_SIDE_LOW = 4, VT_SIDE_HIGH = 8 };

struct _VtScatter {
  GtkWidget parent;
  VtScatterData *data; /* or NULL */
  VtPlotPicture picture;
  char *title_x, *title_y;
  double mark_x, mark_y;
  VtPlotAxis x, y; /* what is seen, where `has_view` */
  gboolean has_view, by_hand, has_choice;
  VtScatterChoice choice;
  GPtrArray *gates;  /* VtPlotGate; or NULL */
  VtPlotGate *moved; /* what the chosen gate becomes while a hand moves a part of it; or NULL */
  gint held_corner;  /* of it, where its points have it; -1: none */
  guint held_sides;
  gboolean has_moved; /* else it was only touched */
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
double vt_scatter_get_value_x(VtScatter *self, double x); /* of a place, inside the plot */
double vt_scatter_get_value_y(VtScatter *self, double y);
/* vt-scatter-gate.c: a corner or side of the chosen gate; FALSE: none is so near */
gboolean vt_scatter_is_at_gate(VtScatter *self, double x, double y);
gboolean vt_scatter_take_gate(VtScatter *self, double x, double y);
void vt_scatter_move_gate(VtScatter *self, double x, double y);
void vt_scatter_drop_gate(VtScatter *self);
/* vt-scatter-draw.c */
void vt_scatter_snapshot(GtkWidget *widget, GtkSnapshot *snapshot);
