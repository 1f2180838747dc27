/* SPDX-License-Identifier: MIT
 *
 * propagate.h: reconstruction of images that memory does not hold, by every device there is (docs/streaming.md; Teodoro
 * 2012, sections 4 and 5.3). */
#pragma once

#include "scale/stream.h"

typedef struct {
  VtStore *marker,
    *mask; /* of one size and type; marker holds legal values: at least the initial ones, at most the answer */
  /* Another propagation, on CPU threads: changes a window of `marker` beside that of `mask`, which may be of another type,
   * until no pixel changes. Pixels change in one direction only, and what each becomes follows from pairs of neighbours.
   * NULL: reconstruction. In both windows rows are as many pixels apart; where a guide makes the mask they are packed. */
  VitrailStatus (*kernel)(const VtImage *marker, const VtImage *mask, int32_t connectivity, const VtCancel *cancel);
  /* Of other stores, on CPU threads, when a tile is visited, so that no pass has to store it: what the state is before a tile's first visit,
   * and the mask (then `mask` is NULL). A body that fills out[0]. NULL: marker and mask hold it. */
  const VtStreamLocal *begin, *guide;
  VtType guide_type;
  VtRect own; /* where this run changes pixels; the other pixels of the stores are a halo that belongs to other ranks */
  int32_t connectivity;
  const char *algorithm;
  VtTileMemories *memories;
  int64_t tile;       /* edge; 0: by the budget */
  double *held;       /* bytes of the workers' copies, about; or NULL */
  double progress[2]; /* what the host is told at the beginning and at the end */
} VtStream;

VtType vt_stream_mask_type(const VtStream *stream);
/* Works until nothing can rise, here and on the other ranks. The marker becomes the answer. */
VitrailStatus vt_stream_reconstruct(VtRun *run, VtWorkers *workers, const VtStream *stream);
