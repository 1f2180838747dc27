/* SPDX-License-Identifier: MIT
 *
 * distance.h: distances of rasters that memory does not hold, or several ranks share. */
#pragma once

#include "scale/stream.h"

/* Exact, of stores: of each image data is one. One output is wanted. */
VitrailStatus vt_streamed_distance(VtStreamed *s, const VtDistance *args);
