/* SPDX-License-Identifier: MIT
 *
 * channel.h: one channel of an image. */
#pragma once

#include "run/run.h"

/* What colours become; an image of one channel stays as it is. scale: physical value of one raw unit. */
typedef struct {
  int32_t table[3 * 256];
  VtType type; /* of the channel's pixels */
  double scale;
  bool is_copy; /* one channel: taken as it is */
} VtChannel;
VitrailStatus vt_channel_prepare(VtRun *run, const char *id, VtType type, VtChannel *channel);
VitrailStatus vt_channel_apply(VtRun *run, const VtChannel *channel, const VtImage *src, const VtImage *dst);
/* A whole image, with all threads; dst: made here, or src itself where it is one channel. */
VitrailStatus vt_channel(VtRun *run, const VtChannel *channel, const VtImage *src, VtImage *dst);
