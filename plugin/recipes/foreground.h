/* SPDX-License-Identifier: MIT
 *
 * foreground.h: what is above a threshold. */
#pragma once

#include "run/run.h"

/* dst U8: 255 where the image is above the threshold. By this thread, or of a whole raster by all. */
VitrailStatus vt_foreground(VtRun *run, const VtImage *image, const VtImage *dst, double threshold);
VitrailStatus vt_local_foreground(VtRun *run, const VtImage *image, const VtImage *dst, double threshold);
