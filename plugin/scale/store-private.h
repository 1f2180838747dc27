/* SPDX-License-Identifier: MIT
 *
 * store-private.h: what store.c and store-file.c share. */
#pragma once

#include <pthread.h>

#include "scale/store.h"

/* Memory for a packed block. */
typedef struct VtRoom {
  struct VtRoom *next;
  uint64_t bytes[];
} VtRoom;

/* The place of a block in the file is of twice its size: the first half for it as it is, either quarter behind it for it packed. One
 * that is written again takes the other quarter, so that the one before is whole until the map tells of the new one, whenever a
 * process dies. */
enum { NOWHERE = 0, WHOLE = 1 };

typedef struct {
  void *data; /* NULL: not in memory */
  uint32_t n_users;
  uint32_t in_file;              /* NOWHERE, WHOLE, or bytes when packed, and 1 in the second half */
  bool used_lately, dirty, busy; /* busy: being read or written back; wait for pool->changed */
} VtBlock;

struct VtStore {
  VtStorePool *pool;
  VtStore *next; /* in the pool */
  VtType type;
  int64_t width, height, edge, columns, n_blocks; /* edge: of a block */
  size_t block_bytes;
  int file, map; /* -1: none yet; map: in_file of each block */
  char name[32];
  int64_t hand;
  VtBlock *blocks;
  int32_t *table; /* what labels are read as; NULL: as they are */
  int64_t n_entries;
};

struct VtStorePool {
  pthread_mutex_t lock; /* guards everything here and in the blocks, not the pixels */
  pthread_cond_t changed;
  uint64_t budget, used, peak, scratch;
  uint32_t n_in_use; /* blocks pinned, or being read or written back */
  int error;         /* errno of a file that failed */
  bool keep;
  char *scratch_dir;
  VtRoom *rooms;           /* that nobody uses */
  VtStore *stores, *sweep; /* sweep: whose blocks are looked at next for eviction */
};

/* Opens the scratch files of a store, if they are not open. Called with the lock. */
bool vt_store_open_files(VtStore *store);
/* Notes which blocks an earlier run left behind. */
void vt_store_take_up(VtStore *store);
/* Writes a block, packed if that halves it; errno says what failed. room: NULL, or memory for it packed. */
bool vt_store_write_block(const VtStore *store, VtBlock *block, VtRoom *room);
bool vt_store_read_block(const VtStore *store, const VtBlock *block, VtRoom *room, char *data);
