/* SPDX-License-Identifier: MIT
 *
 * tile-memory.h: what threads of a streamed run work on. It is kept from tile to tile and from step to step, since new memory costs as
 * much as a copy, and it has large pages, since the rows of a tile lie far apart. */
#pragma once

#include <pthread.h>

#include "run/run.h"

/* Memory of one thread; opaque. */
typedef struct VtTileMemory VtTileMemory;

typedef struct {
  pthread_mutex_t lock;
  VtTileMemory *unused; /* guarded by it */
} VtTileMemories;

void vt_tile_memories_init(VtTileMemories *memories);
/* Frees all that was given back. */
void vt_tile_memories_clear(VtRun *run, VtTileMemories *memories);
/* Memory for n parts of bytes[i] each, with undefined contents: parts[i] is where one begins, NULL where it has no bytes. NULL: there is no
 * memory, and no part. [any] */
VtTileMemory *vt_tile_memory_take(VtRun *run, VtTileMemories *memories, const size_t *bytes, int n, void **parts);
/* NULL: nothing. [any] */
void vt_tile_memory_give(VtTileMemories *memories, VtTileMemory *memory);
