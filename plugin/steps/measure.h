/* SPDX-License-Identifier: MIT
 *
 * measure.h: the shape of one object, and the values of one image under it. Counts and sums are integers; what is worked out of
 * them takes no more than + - * / and square roots, so that every machine gives the same bits (docs/measurements.md). */
#pragma once

#include "steps/outline.h"

typedef struct {
  double perimeter;    /* pixels: Crofton's formula for four directions; holes count, too */
  double circularity;  /* 4 pi area / perimeter², at most 1 */
  double max_caliper;  /* pixels, of the corners of pixels: the farthest two */
  double min_caliper;  /* the narrowest strip that holds all of them */
  double eccentricity; /* of the ellipse with the same second moments: 0 a disc, near 1 a line */
  double solidity;     /* area / area of the convex hull of the corners */
  bool touches_border; /* of the region that was analysed */
  /* Pixels; of the image, raw: NaN without an image, or without a pixel. std of a sample, 0 for one pixel. */
  double area, mean, sum, std, min, max;
} VtObjectMeasures;

/* Of the pixels of `part` that are `label`; `outline` is theirs, in the same corners. image: U16, as large as part; no data: none.
 * touches_border is left alone. False: no memory. */
bool vt_measure_object(const VtImage *part, int32_t label, const VtOutline *outline, const VtImage *image,
                       VtObjectMeasures *measures);
/* The area, and the values of the image, alone. */
void vt_measure_values(const VtImage *part, int32_t label, const VtImage *image, VtObjectMeasures *measures);
