/* SPDX-License-Identifier: MIT
 *
 * bounded.h: steps on bounds, for certainty. The pixels outside the grid are not known, so each image has two bounds: the lowest and
 * the highest image that any outside gives. A step makes bounds from bounds. A step whose output rises with its input runs on both.
 * The outside has its lowest values for the lower bound and its highest for the higher one. Where both bounds agree, no outside can
 * change the pixel: it is certain.
 *
 * A VtImage is the lower bound; vt_bounds_high() finds the higher one by its address, also for a window. An image that the executor
 * did not allocate is certain. Labels have no order, and so no bounds: a label is VT_UNSURE where the outside could change which
 * pixels belong together. */
#pragma once

#include "executors/executor.h"

#define VT_UNSURE INT32_MAX

typedef struct {
  char *low, *high;
  size_t bytes;
  bool is_settled; /* both bounds are the same: all pixels are certain */
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
/* Whether the pixel lies at an open side. */
bool vt_bounds_is_edge(const VtExec *exec, const VtImage *image, int64_t x, int64_t y);
/* certain (U8) becomes 255 where the bounds agree (of labels: where the label is not VT_UNSURE), else 0. */
VitrailStatus vt_bounds_certain(VtExec *x, const VtImage *image, bool is_labels, const VtImage *certain);
