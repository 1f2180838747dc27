/* SPDX-License-Identifier: MIT
 *
 * The line between two sets of layers, as the two files of the wipe share it; all lengths are logical pixels of the canvas. */
#pragma once
#include "canvas/vt-canvas-private.h"

#define VT_WIPE_LEVER_PX 90 /* from the middle to the knob that turns the line */

typedef struct {
  double width, height; /* of the canvas */
  double x, y;          /* of the middle */
  double along_x, along_y;
  double to_pin_x, to_pin_y; /* at a right angle */
} VtWipeLine;

VtWipeLine vt_wipe_line_get(VtCanvas *canvas);
/* How far on the pin's side a point lies. */
double vt_wipe_line_get_depth(const VtWipeLine *line, double x, double y);
/* The knob that turns it. */
void vt_wipe_line_get_lever(const VtWipeLine *line, double *x, double *y);
/* The knob that dissolves: from the line, where nothing is seen of the pin, to a right angle with it. */
void vt_wipe_line_get_arc(const VtWipeLine *line, double share, double *x, double *y);
/* The layers of the side that is not the pin's; borrowed. */
GListModel *vt_canvas_get_others(VtCanvas *self);
/* What both sides are, and what black means, while the difference is seen. Owned. */
char *vt_canvas_dup_difference(VtCanvas *self);
