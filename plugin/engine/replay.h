/* SPDX-License-Identifier: MIT
 *
 * replay.h: the time at which each pixel of an image gets its last value, for steps that spread. It follows the definitions of
 * docs/wavefronts.md, without tiles or threads. */
#pragma once

#include "run/run.h"

/* Images have no gaps between rows. Free with vt_replay_clear(). */
typedef struct {
  uint32_t *ticks;    /* of each pixel; VITRAIL_WAVE_NEVER */
  uint32_t n_ticks;   /* the last one + 1; at least 1 */
  VtImage begin, end; /* begin: of a reconstruction alone */
  float *levels;      /* of each tick; of a watershed alone */
} VtReplay;

void vt_replay_clear(VtReplay *replay);
/* Arguments are valid, and those of the slots in vt-backend.h. On VITRAIL_OUT_OF_MEMORY and VITRAIL_CANCELLED nothing is left to free.
 * Reconstruction: a tick is one elementary geodesic dilation of the whole image, all pixels at once. */
VitrailStatus vt_replay_reconstruct(const VtImage *marker, const VtImage *mask, int32_t connectivity,
                                    const VtCancel *cancel, VtReplay *replay);
/* Distance: `nearest` is the slot's answer for args->src. A tick is the shorter side of a pixel; distances are rounded up. */
VitrailStatus vt_replay_distance(const VtDistance *args, const VtImage *nearest, const VtCancel *cancel,
                                 VtReplay *replay);
/* The same as `danielsson` makes it: a tick is a round, in which all pixels hand the background pixel that they have on to their neighbours. */
VitrailStatus vt_replay_distance_rounds(const VtDistance *args, const VtCancel *cancel, VtReplay *replay);
/* Zones: a tick is a step to a neighbour. */
VitrailStatus vt_replay_zones(const VtGeodesic *args, const VtCancel *cancel, VtReplay *replay);
/* Watershed: each pair of a level and a distance inside a plateau that occurs is a tick. Ticks are in order: the highest level first, then
 * the smallest distance. */
VitrailStatus vt_replay_watershed(const VtWatershed *args, const VtCancel *cancel, VtReplay *replay);
