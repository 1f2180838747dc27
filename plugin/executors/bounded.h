/* SPDX-License-Identifier: MIT
 *
 * bounded.h: steps on bounds, for certainty. What lies outside a rectangle is not known, so every image is two: the lowest
 * that it can be, and the highest. Every step takes bounds to bounds: what only grows with its input is run on both; what
 * the outside could bring in is at its lowest in one and at its highest in the other. Where both agree no outside could
 * change the pixel: it is certain.
 *
 * An image is the lower bound; the higher one is found by its address (also of a window). An image that the executor did not
 * allocate is certain. Labels have no order, so they have no bounds: they are VT_UNSURE where the outside could change
 * which pixels belong together. */
#pragma once

#include "executors/executor.h"

#define VT_UNSURE INT32_MAX

typedef struct {
  char *low, *high;
  size_t bytes;
  bool is_settled; /* both bounds are the same: it is certain */
} VtBoundsPair;

/* The state of one run on bounds: VtExec.own. */
typedef struct {
  bool open[4]; /* sides (VT_SIDE_...) at which the image goes on beyond the grid */
  VtBoundsPair pairs[VT_MAX_RASTERS];
  uint32_t n_pairs;
} VtBounds;

/* Images live until vt_raster_release(). */
extern const VtExecutor vt_bounded_executor;

/* The higher bound of an image, or a window of one; the image itself if it is certain. */
VtImage vt_bounds_high(const VtExec *x, const VtImage *image);
/* At an open side. */
bool vt_bounds_is_edge(const VtExec *exec, const VtImage *image, int64_t x, int64_t y);
/* certain (U8) becomes 255 where the bounds agree, or the label is sure, else 0. */
VitrailStatus vt_bounds_certain(VtExec *x, const VtImage *image, bool is_labels, const VtImage *certain);
