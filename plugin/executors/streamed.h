/* SPDX-License-Identifier: MIT
 *
 * streamed.h: the functions of steps.h on stores. */
#pragma once

#include "executors/steps.h"

VitrailStatus vt_streamed_alloc(VtSteps *steps, VtImage *image, VtType type);
void vt_streamed_free(VtSteps *steps, VtImage *image);
VitrailStatus vt_streamed_lut3(VtSteps *steps, const int32_t *table, const VtImage *dst);
VitrailStatus vt_streamed_pointwise(VtSteps *steps, VtPointwiseOp op, const VtImage *a, const VtImage *b,
                                    const VtImage *dst, double s);
VitrailStatus vt_streamed_erode(VtSteps *steps, const VtImage *src, const VtImage *dst, int32_t radius);
VitrailStatus vt_streamed_smooth(VtSteps *steps, const VtImage *src, const VtImage *dst, double sigma_px);
VitrailStatus vt_streamed_keep_border(VtSteps *steps, const VtImage *from, const VtImage *to);
