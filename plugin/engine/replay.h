/* SPDX-License-Identifier: MIT
 *
 * replay.h: what steps that spread do, once more, in the order of time: when each pixel of an image gets its last value, by definitions that know
 * neither tiles nor threads (docs/wavefronts.md). */
#pragma once

#include "run/run.h"

/* Rows without gaps. Owned: vt_replay_clear(). */
typedef struct {
  uint32_t *ticks;    /* of each pixel; VITRAIL_WAVE_NEVER */
  uint32_t n_ticks;   /* the last one + 1; at least 1 */
  VtImage begin, end; /* begin: of a reconstruction alone */
  float *levels;      /* of each tick; of a watershed alone */
} VtReplay;

void vt_replay_clear(VtReplay *replay);
/* All of them: VITRAIL_OUT_OF_MEMORY, VITRAIL_CANCELLED, and nothing is left. Arguments are as the slots of vt-backend.h have them, and valid.
 * A tick of a reconstruction is an elementary geodesic dilation of the whole image, all pixels at once. */
VitrailStatus vt_replay_reconstruct(const VtImage *marker, const VtImage *mask, int32_t connectivity,
                                    const VtCancel *cancel, VtReplay *replay);
/* `nearest` is what the slot makes of args->src. A tick is a whole number of the shorter sides of pixels, rounded up. */
VitrailStatus vt_replay_distance(const VtDistance *args, const VtImage *nearest, const VtCancel *cancel,
                                 VtReplay *replay);
/* A tick is a step to a neighbour. */
VitrailStatus vt_replay_zones(const VtGeodesic *args, const VtCancel *cancel, VtReplay *replay);
/* Ticks are the pairs of a level, the highest first, and a distance inside the plateau that occur, in their order. */
VitrailStatus vt_replay_watershed(const VtWatershed *args, const VtCancel *cancel, VtReplay *replay);
