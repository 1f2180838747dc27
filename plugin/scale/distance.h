/* SPDX-License-Identifier: MIT
 *
 * distance.h: distances of rasters that memory does not hold, or several ranks share. */
#pragma once

#include "scale/stream.h"

/* foreground U8, dst F32. */
VitrailStatus vt_streamed_distance(VtStreamed *s, VtStore *foreground, VtStore *dst, float scale);
