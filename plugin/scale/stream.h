/* SPDX-License-Identifier: MIT
 *
 * stream.h: what every step on images that memory does not hold needs. Images are stores of the size of the run's grid,
 * under one budget; a step reads and writes them tile by tile. The bytes are those of the same step on the whole image. */
#pragma once

#include <stdio.h>

#include "devices/workers.h"
#include "run/tile.h"
#include "scale/store.h"
#include "scale/tile-memory.h"

enum { VT_MAX_STORES = 96, VT_MOST_WAITING = 16 };
/* What a source has made of a part of the image: whole rows. */
typedef VitrailStatus (*VtTakeBand)(VtRun *run, VtRect rect, const VtImage *image, void *user);
/* A step of bounded reach: body fills the tiles of `out` from the windows of `in`, at the same time on several threads. */
typedef struct {
  VtStore *in[VT_LOCAL_IN], *out[VT_LOCAL_OUT]; /* the stores come first, then NULL; one may be in both */
  int64_t halo, tile;                           /* tile: its edge; 0: as vt_streamed_tile() says */
  int64_t body_bytes;                           /* what the body allocates for each pixel of a tile */
  bool by_window;                               /* ... of a window */
  bool is_dear;  /* what it makes takes longer to make than to store: no pixel is worked out twice */
  bool by_slots; /* the body calls a slot of tile->backend and does nothing else, so that a device may do it */
  VtLocalBody body;
  /* Instead of a body: a step of any reach that makes out[0] from top to bottom and hands each band of rows to `take`, so that the steps
   * after it work on that; with the bytes that it holds. It reads in[0] by itself, of a band before it hands the band over. */
  VitrailStatus (*source)(VtRun *run, const void *user, const double progress[2], VtTakeBand take, void *taker);
  double source_bytes;
  void *user;
} VtStreamLocal;

typedef struct {
  VtStore *store;           /* NULL: not now */
  uint32_t version, oldest; /* of its files: those from oldest on are there */
  bool was_emitted;         /* its files stay until the end of the run */
} VtStreamStore;

typedef struct VtStreamed {
  VtRun *run;
  const char *algorithm; /* of reconstruction */
  VtStorePool *pool;
  VtTileMemories memories;
  VtWorkers workers, cpu; /* all devices; CPU threads alone */
  double limit;           /* bytes that the run may hold; half of them are the pool's */
  VtRect own; /* of the stores' pixels, what this process fills: all, or a stripe of rows (none: height 0) */
  int32_t n_steps, n_expected;
  uint32_t stage; /* of the last step, and how much of its share of the progress the steps have left */
  double left_of_stage;
  /* Of chain.c: steps that wait, what they were given, and stores to be freed when they are done. */
  VtStreamLocal waiting[VT_MOST_WAITING];
  void *copies[VT_MOST_WAITING];
  VtStore *dropped[VT_MAX_STORES];
  uint32_t n_waiting, n_dropped;
  VtStreamLocal taken; /* runs inside the step that is under way */
  void *taken_copy;
  bool has_taken;
  VtStreamStore stores[VT_MAX_STORES]; /* in the order of their making */
  uint32_t n_stores;
  /* Of journal.c. */
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
/* Frees a store, and its files unless it was shown. Call this only after success: a resumed run still reads the store. What is left is
 * freed by vt_streamed_end(). NULL: nothing. */
void vt_streamed_drop(VtStreamed *s, VtStore *store);
/* Sets `from` and `to` to what the host is told while the next step works. */
void vt_streamed_step(VtStreamed *s, double *from, double *to);
/* A rectangle of a store in new memory, packed; free() its data. */
VitrailStatus vt_streamed_cut(VtStreamed *s, VtStore *store, VtRect rect, VtImage *image);

/* --- tile by tile --- */

/* The k-th tile of columns x rows in stripes of columns, each from top to bottom. The halo of a tile lies in blocks of those round it: a
 * stripe is as wide as the pool can hold its last tiles until those below come. tile_bytes: of a tile of all stores of a step. */
int64_t vt_striped(const VtRun *run, int64_t k, int64_t columns, int64_t rows, double tile_bytes);
int64_t vt_streamed_tile(const VtStreamed *s, const VtStreamLocal *local);
/* Runs the step, and before it, tile by tile, those that wait. */
VitrailStatus vt_streamed_local(VtStreamed *s, const VtStreamLocal *step);
/* The step runs with a later one, or when somebody needs what it makes. user_bytes: of `user`, of which a copy is kept. */
VitrailStatus vt_streamed_later(VtStreamed *s, const VtStreamLocal *step, size_t user_bytes);
/* Runs what waits: call this before a store is looked at in another way. */
VitrailStatus vt_streamed_settle(VtStreamed *s);
/* A body: in[0] becomes out[0]. */
VitrailStatus vt_tile_copy(VtRun *run, const VtLocalTile *t, void *user);
/* Runs a body by slots on a device. */
VitrailStatus vt_streamed_on_device(VtRun *run, const VtStreamLocal *local, const VtLocalTile *t,
                                    const VtWorker *worker);
/* Forgets what waits. */
void vt_chain_clear(VtStreamed *s);
/* Takes away the step that waited last if it alone makes the store, of stores that stay as they are: so a caller can make what it needs of
 * `store` by itself. NULL: there is none. vt_chain_give_up() after use. */
const VtStreamLocal *vt_chain_take(VtStreamed *s, VtStore *store);
void vt_chain_give_up(VtStreamed *s);
/* Whether a step that waits reads or writes the store. */
bool vt_chain_holds(const VtStreamed *s, const VtStore *store);
/* The run's rectangle of a part of an input. */
VitrailStatus vt_stream_read(VtRun *run, const VitrailInput *input, VtRect tile, const VtImage *dst);

/* Emits a store on the grid of tiles that the host wants. */
VitrailStatus vt_streamed_emit(VtStreamed *s, uint32_t stage, VtStore *store, double scale);
