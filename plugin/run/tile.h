/* SPDX-License-Identifier: MIT
 *
 * tile.h: a part of a step of bounded reach. */
#pragma once

#include "run/run.h"

enum { VT_LOCAL_IN = 3, VT_LOCAL_OUT = 2 };

typedef struct {
  VtRect tile, window; /* window: the tile and the halo, as far as the image goes; both in pixels of the run's grid */
  VtImage in[VT_LOCAL_IN];   /* windows */
  VtImage out[VT_LOCAL_OUT]; /* tiles */
  const VtBackend *backend;  /* of a body by slots: whose memory the images are in */
  VtDevice *device;
} VtLocalTile;

/* Fills the tiles of `out` from the windows of `in`. Called on several threads at once. */
typedef VitrailStatus (*VtLocalBody)(VtRun *run, const VtLocalTile *tile, void *user);
