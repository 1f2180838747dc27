/* SPDX-License-Identifier: MIT
 *
 * distance.h: distances of rasters that memory does not hold, or several ranks share. */
#pragma once

#include "scale/stream.h"

/* foreground U8, dst F32. */
VitrailStatus vt_streamed_distance(VtStreamed *s, VtStore *foreground, VtStore *dst, float scale);

typedef struct {
  VtStore *foreground; /* U8, of the share's width; NULL when this rank has no rows */
  int64_t store_y;     /* row of the store that is the share's first */
  VtRect share;        /* on the grid */
  int64_t band_rows;
  float scale;
  double progress[2];
  /* Takes the distances of a band, which begins at row y of the share. Called band by band. */
  VitrailStatus (*take)(VtRun *run, int64_t y, const VtImage *distances, void *user);
  void *user;
} VtDistanceStream;
VitrailStatus vt_stream_distance(VtRun *run, VtWorkers *workers, const VtDistanceStream *d);
/* What it holds in memory. */
double vt_stream_distance_bytes(VtRect share, int64_t band_rows);
