/* SPDX-License-Identifier: MIT
 *
 * channel.h: one channel of an image, and colours whose stains are normalised. */
#pragma once

#include "run/run.h"

/* What colours become; an image of one channel stays as it is. scale: physical value of one raw unit. */
typedef struct {
  int32_t table[2 * 3 * 256]; /* the second half and mix: of a normalisation (VtNormalize) alone */
  int32_t mix[2][3];
  VtType type; /* of the channel's pixels */
  double scale;
  bool is_copy; /* one channel: taken as it is */
} VtChannel;
/* is_normalised: the colours have the reference's stains. */
VitrailStatus vt_channel_prepare(VtRun *run, const char *id, VtType type, bool is_normalised, VtChannel *channel);
/* Colours become others of the same size: the stains' strengths in OD, of hematoxylin and then the other one, become those of the reference. */
VitrailStatus vt_channel_normalize(VtRun *run, const double strengths[2], const double reference[2],
                                   VtChannel *channel);
const uint8_t *vt_channel_colours(void); /* VtNormalize.colour: of white, 255, at each density */
VitrailStatus vt_channel_apply(VtRun *run, const VtChannel *channel, const VtImage *src, const VtImage *dst);
/* A whole image, with all threads; dst: made here, or src itself where it is one channel. */
VitrailStatus vt_channel(VtRun *run, const VtChannel *channel, const VtImage *src, VtImage *dst);
