/* SPDX-License-Identifier: MIT
 *
 * stream.h: what an op on images that memory does not hold is made of. Images are stores of the size of the run's grid,
 * under one budget; a step reads and writes them tile by tile. The bytes are those of the same step on the whole image. */
#pragma once

#include <stdio.h>

#include "driver-stream.h"

enum { VT_MAX_STORES = 96 };
typedef struct {
  VtStore *store;           /* NULL: not now */
  uint32_t version, oldest; /* of its files: those from oldest on are there */
  bool was_emitted;         /* its files stay until the end of the run */
} VtStreamStore;

typedef struct VtStreamed {
  VtRun *run;
  const char *algorithm; /* of reconstruction */
  VtStorePool *pool;
  VtWorkers workers, cpu; /* all devices; CPU threads alone */
  double limit;           /* bytes that the run may hold; half of them are the pool's */
  double peak;            /* most bytes beside the pool */
  VtRect own; /* of the stores' pixels, what this process fills: all, or a stripe of rows (none: height 0) */
  int32_t n_steps, n_expected;
  VtStreamStore stores[VT_MAX_STORES]; /* in the order of their making */
  uint32_t n_stores;
  /* stream-journal.c */
  bool keeps;                 /* what steps have made is kept for a run that goes on */
  int64_t n_on_devices;       /* tiles of local steps */
  uint32_t n_done, n_known;   /* steps, and stores in the list, of the run before */
  uint32_t n_finished, depth; /* steps; of the one that is under way and those inside it */
} VtStreamed;

/* n_expected: steps that there will be, about, for the progress. vt_streamed_end() in any case; it records what was held, and
 * says why where status has no sentence. Where several processes share the run all of them take the same steps, each in
 * its stripe, and a step that fails on one fails on all. */
VitrailStatus vt_streamed_begin(VtStreamed *s, VtRun *run, const char *algorithm, int32_t n_expected);
VitrailStatus vt_streamed_end(VtStreamed *s, VitrailStatus status);
VitrailStatus vt_streamed_store(VtStreamed *s, VtType type, VtStore **store);
/* Not after a failure: a run that goes on may need it. All that is left is freed at the end. NULL: nothing. */
void vt_streamed_drop(VtStreamed *s, VtStore *store);
/* Bytes beside the pool that a step holds while it works. */
void vt_streamed_hold(VtStreamed *s, double bytes);
/* Sets `from` and `to` to what the host is told while the next step works. */
void vt_streamed_step(VtStreamed *s, double *from, double *to);
/* A rectangle of a store in new memory, packed; free() its data. */
VitrailStatus vt_streamed_cut(VtStreamed *s, VtStore *store, VtRect rect, VtImage *image);

/* --- tile by tile --- */

enum { VT_STREAM_IN = 3, VT_STREAM_OUT = 2 };
typedef struct {
  VtRect tile, window;      /* window: the tile and the halo, as far as the image goes; both in pixels of the stores */
  VtImage in[VT_STREAM_IN]; /* windows */
  VtImage out[VT_STREAM_OUT]; /* tiles */
  const VtBackend *backend;   /* of a body by slots: whose memory the images are in */
  VtDevice *device;
} VtStreamTile;

/* body fills the tiles of `out` from the windows of `in`, at the same time on several threads. A store may be in both when
 * there is no halo. */
typedef struct {
  VtStore *in[VT_STREAM_IN], *out[VT_STREAM_OUT]; /* NULL: none */
  int64_t halo, tile;                             /* tile: its edge; 0: as vt_streamed_tile() says */
  int64_t body_bytes;                             /* what the body allocates for each pixel of a tile */
  bool stays_inside;                              /* the halo ends where the process's own pixels do */
  bool by_slots; /* the body calls a slot of tile->backend and does nothing else, so that a device may do it */
  VitrailStatus (*body)(VtRun *run, const VtStreamTile *tile, void *user);
  void *user;
} VtStreamLocal;
int64_t vt_streamed_tile(const VtStreamed *s, const VtStreamLocal *local);
VitrailStatus vt_streamed_local(VtStreamed *s, const VtStreamLocal *local);
/* Where the tile lies in a window of it. */
VtImage vt_stream_inner(const VtStreamTile *tile, const VtImage *window);
/* The run's rectangle of a part of an input. */
VitrailStatus vt_stream_read(VtRun *run, const VitrailInput *input, VtRect tile, const VtImage *dst);
/* The same as one channel. */
VitrailStatus vt_stream_channel(VtRun *run, const VitrailInput *input, const VtChannel *channel, VtRect tile,
                                const VtImage *dst);

/* Emits a store on the grid of tiles that the host wants. finish, if given, changes each part before. */
VitrailStatus vt_streamed_emit(VtStreamed *s, uint32_t stage, VtStore *store, double scale,
                               VitrailStatus (*finish)(const VtImage *part));

/* --- propagation --- */

VitrailStatus vt_streamed_reconstruct(VtStreamed *s, VtStore *marker, VtStore *mask, int32_t connectivity);
/* VtRegional. inside: U8 or NULL; dst U8. */
VitrailStatus vt_streamed_regional(VtStreamed *s, VtStore *src, VtStore *inside, VtStore *dst, int32_t connectivity,
                                   bool minima);
/* VtGeodesic. found: I64, steps * 2^32 + label, INT64_MAX where no seed reaches. */
VitrailStatus vt_streamed_geodesic(VtStreamed *s, VtStore *seeds, VtStore *mask, VtStore *found, int32_t connectivity);
/* VtWatershed; seeds' labels may be any numbers > 0. */
VitrailStatus vt_streamed_watershed(VtStreamed *s, VtStore *level, VtStore *seeds, VtStore *mask, VtStore *labels);
/* foreground U8, dst F32. */
VitrailStatus vt_streamed_distance(VtStreamed *s, VtStore *foreground, VtStore *dst, float scale);

/* --- labels --- */

/* Connected pieces of src (U8) as numbers 1..*n of dst (I32), in the order of their first pixels. */
VitrailStatus vt_streamed_components(VtStreamed *s, VtStore *src, VtStore *dst, int32_t connectivity, int64_t *n);
/* VtNumber; labels may be any numbers >= 0 that are not much larger than they are many. a and b U16, or NULL: their sums
 * are 0. */
VitrailStatus vt_streamed_number(VtStreamed *s, VtStore *labels, VtStore *a, VtStore *b, VtObjectStats **stats,
                                 int64_t *n_objects);
/* VtRelabel. */
VitrailStatus vt_streamed_relabel(VtStreamed *s, VtStore *labels, const int32_t *table, int64_t n_entries);

/* The labels of an optional input, as vt_read_labels(); *given: false, and labels as they were, if it is not there. */
VitrailStatus vt_streamed_labels(VtStreamed *s, const char *id, const VitrailInput *image, VtStore *labels,
                                 bool *given);

/* --- rows that an interrupted run has finished (rows-kept.c) --- */

typedef struct {
  FILE *file; /* NULL: nothing is kept */
  uint32_t n_values;
} VtKeptRows;
/* For n rows of n_values each (32 at most), one after another in `values`: those that a run before kept come in, and are
 * marked. vt_kept_rows_close() in any case. */
VitrailStatus vt_kept_rows_open(VtRun *run, VtKeptRows *rows, uint32_t n_values, uint32_t n, bool *is_done,
                                double *values);
VitrailStatus vt_kept_rows_add(VtRun *run, VtKeptRows *rows, uint32_t i, const double *values);
void vt_kept_rows_close(VtKeptRows *rows);

/* --- going on (stream-journal.c) --- */

/* Finds out what a run before has done. */
VitrailStatus vt_journal_begin(VtStreamed *s);
/* A step begins. False: it was done before, and there is nothing to do. Else vt_journal_leave() ends it, with a status that all
 * ranks agree on and what it made beside stores (result; or NULL), and returns the status to go on with. Steps may be made of steps. */
bool vt_journal_enter(VtStreamed *s);
VitrailStatus vt_journal_leave(VtStreamed *s, VitrailStatus status, const void *result, size_t bytes);
/* The result of the step that was just found done; free() it. */
VitrailStatus vt_journal_result(VtStreamed *s, void **result, size_t *bytes);
/* Where a step writes instead of a store that it also reads; afterwards it takes the store's place. */
VitrailStatus vt_journal_shadow(VtStreamed *s, const VtStore *store, VtStore **shadow);
void vt_journal_replace(VtStreamed *s, VtStore *store, VtStore *shadow);
void vt_journal_emitted(VtStreamed *s, const VtStore *store);

/* --- several processes (stream-ranks.c) --- */

/* The n_rows rows above and below the process's own, as those that they belong to have them, come into the store. Called on all
 * ranks; alone it does nothing. */
VitrailStatus vt_streamed_halo(VtStreamed *s, VtStore *store, int64_t n_rows);
typedef struct {
  void *data;          /* free() it */
  size_t bytes, begin; /* begin: of this rank's own */
} VtGathered;
/* What all ranks bring, of any size, in their order. Called on all ranks. */
VitrailStatus vt_ranks_gather(VtRun *run, const void *mine, size_t bytes, VtGathered *gathered);
/* Objects that begin in the process's own pixels: from *first to *end - 1, since they are numbered by their first pixels. */
void vt_streamed_own_objects(const VtStreamed *s, const VtObjectStats *stats, int64_t n, int64_t *first, int64_t *end);

/* --- distance, also for rasters that several ranks share --- */

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
