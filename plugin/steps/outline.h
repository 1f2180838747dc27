/* SPDX-License-Identifier: MIT
 *
 * outline.h: outlines of labels. */
#pragma once

#include "run/run.h"

typedef struct {
  uint32_t n_rings;
  uint32_t *ring_sizes;
  size_t n_points, point_room, ring_room;
  double *points;
} VtOutline;
/* Crack outline of pixels equal to label inside box, in image pixel corners; 4-connected pieces give rings of their own. */
VitrailStatus vt_outline_trace(VtRun *run, const VtImage *labels, int32_t label, VtRect box, VtOutline *outline);
void vt_outline_clear(VtOutline *outline);
