/* SPDX-License-Identifier: MIT
 *
 * staging.h: what a worker of propagate.c works on: a part of a tile with a halo of one pixel, copied out of the stores, worked on
 * until no pixel changes, and copied back without the halo. */
#pragma once

#include "devices/copy-streams.h"
#include "scale/propagate.h"

enum { VT_ABOVE, VT_BELOW, VT_LEFT, VT_RIGHT, VT_N_HALOS };

typedef struct {
  VtRun *run;
  const VtStream *stream;
  const VtWorker *worker;
  const VtCopyStreams *streams; /* the worker is the streams' user `which` */
  uint32_t which;
  bool on_device;
  int64_t cell;             /* edge of a cell; a part is a rectangle of cells, of which the last ones may be smaller */
  VtTileMemory *memory;     /* of what follows, but for images of a device */
  VtImage images[2];        /* marker and mask, where the kernel works */
  char *before[VT_N_HALOS]; /* the marker's halo as it came */
  uint8_t
    *rose[VT_N_HALOS]; /* which cells beyond the part saw a halo pixel of theirs rise: one for each cell along the side;
                                 above and below one more at either end, for the corners */
  bool has_halo[VT_N_HALOS]; /* the stores go on there */
  VtRect part, window;       /* window: with the halo */
  /* Where begin reads the mask, too: both look at what was read once, as far round the window as begin looks. */
  VtRect around;
  VtImage read;
  VtRect home;               /* the tile of the part */
  bool is_seen[3][3];        /* it, and the tiles round it: the store has their state; else it is what it begins with */
  void *inputs[VT_LOCAL_IN]; /* rows of what begin and guide read */
  atomic_bool store_failed;  /* the stores are at fault for the last status, not the worker's device */
} VtStaging;

/* Room for parts of up to tile x tile pixels. To be cleared whatever is returned. */
VitrailStatus vt_staging_init(VtStaging *staging, int64_t tile);
/* Bytes beside the two images. */
double vt_staging_extra(const VtStream *stream, int64_t tile);
void vt_staging_clear(VtStaging *staging);
/* Runs the kernel on a part beside its halo until no pixel changes. A status that is the device's own leaves the stores as
 * they were. */
VitrailStatus vt_staging_work(VtStaging *staging, VtRect part);
