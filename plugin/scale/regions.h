/* SPDX-License-Identifier: MIT
 *
 * regions.h: numbers for the regions of VtRegions on stores. */
#pragma once

#include "scale/stream.h"

/* Codes (I32) become 1..n, in place, in the order of the regions' first pixels. */
VitrailStatus vt_streamed_region_labels(VtStreamed *s, VtStore *codes);
