/* SPDX-License-Identifier: MIT
 *
 * waves.h: propagations on stores. */
#pragma once

#include "scale/stream.h"

VitrailStatus vt_streamed_reconstruct(VtStreamed *s, VtStore *marker, VtStore *mask, int32_t connectivity);
/* VtRegional. inside: U8 or NULL; dst U8. */
VitrailStatus vt_streamed_regional(VtStreamed *s, VtStore *src, VtStore *inside, VtStore *dst, int32_t connectivity,
                                   bool minima);
/* VtGeodesic. found: I64, steps * 2^32 + label, INT64_MAX where no seed reaches. */
VitrailStatus vt_streamed_geodesic(VtStreamed *s, VtStore *seeds, VtStore *mask, VtStore *found, int32_t connectivity);
/* VtWatershed; seeds' labels may be any numbers > 0. */
VitrailStatus vt_streamed_watershed(VtStreamed *s, VtStore *level, VtStore *seeds, VtStore *mask, VtStore *labels);
