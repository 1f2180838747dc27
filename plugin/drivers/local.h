/* SPDX-License-Identifier: MIT
 *
 * local.h: whole rasters filled, counted and copied, tile by tile. */
#pragma once

#include "run/run.h"

/* U8: every pixel becomes value; how many are 0. */
VitrailStatus vt_local_fill(VtRun *run, const VtImage *image, uint8_t value);
VitrailStatus vt_local_count_zeros(VtRun *run, const VtImage *image, int64_t *n);
/* Pixels of one type, or of U8 to U16 and back where the values fit. */
VitrailStatus vt_local_copy(VtRun *run, const VtImage *from, const VtImage *to);
