/* SPDX-License-Identifier: MIT
 *
 * Which colours the two stains of a slide have, and its empty glass, in Macenko's way (M. Macenko et al., ISBI 2009), from whole numbers, so that the same
 * slide gives the same vectors:
 *
 *   1. The tiles are at most 6 x 6, spread over the level nearest to 2 µm a pixel and not coarser (without a pixel size: 4 of the first level's).
 *   2. Glass: pixels with a luminance of 200 or more whose colours differ by at most 24. `white` is the median of each colour; 255 where fewer than one pixel
 *      in 200 is glass.
 *   3. Optical density: 1000 log10(white / max(value, 1)), rounded, at least 0. Stained: densities that add up to 300 or more, none over 1500.
 *   4. The plane through 0 along the two main directions of these densities (eigenvectors of their covariance). In it the angles that 1 % and 99 % of the
 *      pixels lie below are the two stains. Hematoxylin is the one that takes more red light. Each has length 1 and three decimals.
 *   5. A density is the sum of amounts of both stains and of what is orthogonal to them. The strength of a stain is the amount, in whole 0.001, that at least
 *      99 % of the stained pixels do not exceed. */
#pragma once
#include "slide/vt-slide.h"

typedef struct {
  double white[3];               /* red, green, blue, 0 to 255 */
  double hematoxylin[3];         /* optical density in red, green and blue */
  double other[3];               /* eosin or DAB */
  double strengths[2];           /* optical density, of hematoxylin and of the other */
  double degrees;                /* between the two */
  guint64 n_glass, n_stained, n; /* pixels */
  double pixel_size;             /* µm; 0: the slide has none */
} VtStains;

/* Blocking: call it in a worker. FALSE and a sentence: too little that is stained, or by one stain only. Tiles that can't be read don't count. */
gboolean vt_stains_estimate(VtSlide *slide, GCancellable *cancellable, VtStains *stains, GError **error);
/* Of these pixels; `pixel_size` stays 0. `tiles`: VtTilePixels. */
gboolean vt_stains_estimate_tiles(const GPtrArray *tiles, VtStains *stains, GError **error);
