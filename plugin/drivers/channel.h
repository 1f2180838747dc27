/* SPDX-License-Identifier: MIT
 *
 * channel.h: one channel of an image. */
#pragma once

#include "run/run.h"

/* An image of any kind as one channel: RGBA through the op's `channel` parameter, scalars as they are. scale: physical
 * value of one raw unit. */
VitrailStatus vt_channel(VtRun *run, const char *channel, const VtImage *src, VtImage *dst, double *scale);

/* The same in two steps, for tiles. */
typedef struct {
  int32_t table[3 * 256];
  VtType type; /* of the channel's pixels */
  double scale;
  bool is_copy; /* one channel: taken as it is */
} VtChannel;
VitrailStatus vt_channel_prepare(VtRun *run, const char *id, VtType type, VtChannel *channel);
VitrailStatus vt_channel_apply(VtRun *run, const VtChannel *channel, const VtImage *src, const VtImage *dst);
