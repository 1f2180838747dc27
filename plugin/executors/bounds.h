/* SPDX-License-Identifier: MIT
 *
 * bounds.h: a pipeline of steps.h run on bounds. What lies outside a rectangle is not known, so every image is two: the
 * lowest that it can be, and the highest. Every step takes bounds to bounds: what only grows with its input is run on both;
 * what the outside could bring in is at its lowest in one and at its highest in the other. Where both agree no outside
 * could change the pixel: it is certain.
 *
 * An image of the pipeline is the lower bound; the higher one is found by its address (also of a window). An image that was
 * not allocated by vt_steps_alloc is certain. Labels have no order, so they have no bounds: they are VT_UNSURE where the
 * outside could change which pixels belong together. */
#pragma once

#include "executors/steps.h"

#define VT_UNSURE INT32_MAX

typedef struct {
  char *low, *high;
  size_t bytes;
} VtBoundsPair;

typedef struct VtBounds {
  bool open[4]; /* sides (VT_SIDE_...) at which the image goes on beyond the grid */
  VtBoundsPair pairs[VT_MAX_RASTERS];
  uint32_t n_pairs;
} VtBounds;

/* Steps on bounds, on the host. Images live until vt_raster_release(). */
void vt_bounds_begin(VtSteps *steps, VtRun *run, const char *algorithm, VtBounds *bounds, const bool open[4]);
/* The higher bound of an image, or a window of one; the image itself if it is certain. */
VtImage vt_bounds_high(const VtSteps *steps, const VtImage *image);
/* At an open side. */
bool vt_bounds_is_edge(const VtSteps *steps, const VtImage *image, int64_t x, int64_t y);
/* certain (U8) becomes 255 where the bounds agree, else 0. */
void vt_bounds_agree(const VtSteps *steps, const VtImage *image, const VtImage *certain);
/* The lower bound of a certain image becomes the higher one, too. */
void vt_bounds_settle(const VtSteps *steps, const VtImage *image);

/* What the functions of steps.h do on bounds. */
VitrailStatus vt_bounds_alloc(VtSteps *steps, VtImage *image, VtType type);
void vt_bounds_forget(VtSteps *steps, const VtImage *image, VtImage *high);
/* SELECT: s is not above a. SUBTRACT_CLAMP, ABOVE_IMAGE: dst is not b. */
VitrailStatus vt_bounds_pointwise(VtSteps *steps, VtPointwiseOp op, const VtImage *a, const VtImage *b,
                                  const VtImage *dst, double s);
VitrailStatus vt_bounds_erode(VtSteps *steps, const VtImage *src, const VtImage *dst, int32_t radius);
VitrailStatus vt_bounds_smooth(VtSteps *steps, const VtImage *src, const VtImage *dst, double sigma_px);
VitrailStatus vt_bounds_reconstruct(VtSteps *steps, const VtImage *marker, const VtImage *mask, int32_t connectivity);
/* to becomes from at the image's border, which open sides may be or not. */
void vt_bounds_border(VtSteps *steps, const VtImage *from, const VtImage *to);
VitrailStatus vt_bounds_distance(VtSteps *steps, const VtImage *foreground, const VtImage *dst, float scale);
/* Where src is not certain, nothing is said of dst. */
VitrailStatus vt_bounds_maxima(VtSteps *steps, const VtRegional *args);
