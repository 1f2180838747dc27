/* SPDX-License-Identifier: MIT
 *
 * How deep the hill of a pixel is: how far one has to go down from its peak to get to another peak that is as high. It is what
 * an h-maxima transform compares with h (Vincent 1993; the dynamics of Grimaud 1992). */
#pragma once
#include "run/run.h"

typedef struct {
  double peak, saddle;        /* raw; the saddle is the highest of the lowest points of all ways to another peak */
  int64_t saddle_x, saddle_y; /* one of its pixels */
  bool is_found;              /* false: no other peak as high can be got to without leaving what the image is of */
  bool is_cut;                /* what was walked over reaches an edge behind which the image goes on */
} VtSaddle;

/* Of an image of floats, with 8 neighbours. Values so low that those above them are lost against them (-1e30) are outside of what the image is
 * of. From the pixel it goes up to the highest neighbour until there is none that is higher; a plateau counts as one pixel. */
VitrailStatus vt_saddle_find(const VtRun *run, const VtImage *image, int64_t x, int64_t y, VtSaddle *found);
