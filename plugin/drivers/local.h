/* SPDX-License-Identifier: MIT
 *
 * local.h: the local driver, for steps of bounded reach: whole rasters, tile by tile. */
#pragma once

#include "run/run.h"

VitrailStatus vt_local_pointwise(VtRun *run, VtPointwiseOp op, const VtImage *a, const VtImage *b, const VtImage *dst,
                                 double s);
VitrailStatus vt_local_erode(VtRun *run, const VtImage *src, const VtImage *dst, int32_t radius);
VitrailStatus vt_local_smooth(VtRun *run, const VtImage *src, const VtImage *dst, double sigma_px);
VitrailStatus vt_local_lut3(VtRun *run, const int32_t *table, const VtImage *src, const VtImage *dst);
/* U8: every pixel becomes value; how many are 0. */
VitrailStatus vt_local_fill(VtRun *run, const VtImage *image, uint8_t value);
VitrailStatus vt_local_count_zeros(VtRun *run, const VtImage *image, int64_t *n);
/* Pixels of one type, or of U8 to U16 and back where the values fit. */
VitrailStatus vt_local_copy(VtRun *run, const VtImage *from, const VtImage *to);
/* Whole numbers that add up to 65536 as VtSmooth wants them; returns the radius, 0..512. */
int32_t vt_gaussian_weights(double sigma_px, uint32_t weights[513]);
