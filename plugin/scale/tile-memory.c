/* SPDX-License-Identifier: MIT */
#include "scale/tile-memory.h"

#include <stdlib.h>

/* Parts begin on a boundary of ALIGN bytes, and are never a whole number of pages apart: rows of two images would take each other's places
 * in the cache. */
enum { ALIGN = 256, PAGE = 4096 };

struct VtTileMemory {
  VtTileMemory *next;
  void *data;
  size_t bytes;
};

void
vt_tile_memories_init(VtTileMemories *memories)
{
  memories->unused = NULL;
  pthread_mutex_init(&memories->lock, NULL);
}

static void
free_memory(VtRun *run, VtTileMemory *memory)
{
  if (memory && memory->data)
    run->cpu->free(run->cpu_device, memory->data);
  free(memory);
}

void
vt_tile_memories_clear(VtRun *run, VtTileMemories *memories)
{
  while (memories->unused) {
    VtTileMemory *memory = memories->unused;
    memories->unused = memory->next;
    free_memory(run, memory);
  }
  pthread_mutex_destroy(&memories->lock);
}

static size_t
room_of(size_t bytes)
{
  const size_t room = (bytes + ALIGN - 1) / ALIGN * ALIGN;
  return room > 0 && room % PAGE == 0 ? room + ALIGN : room;
}

VtTileMemory *
vt_tile_memory_take(VtRun *run, VtTileMemories *memories, const size_t *bytes, int n, void **parts)
{
  size_t all = 0;
  for (int i = 0; i < n; i++) {
    all += room_of(bytes[i]);
    parts[i] = NULL;
  }
  pthread_mutex_lock(&memories->lock);
  VtTileMemory *memory = memories->unused;
  if (memory)
    memories->unused = memory->next;
  pthread_mutex_unlock(&memories->lock);
  if (memory && memory->bytes < all) {
    free_memory(run, memory);
    memory = NULL;
  }
  if (!memory) {
    memory = calloc(1, sizeof *memory);
    if (!memory || run->cpu->alloc(run->cpu_device, all, &memory->data) != VITRAIL_OK) {
      free(memory);
      return NULL;
    }
    memory->bytes = all;
  }
  char *at = memory->data;
  for (int i = 0; i < n; i++) {
    parts[i] = bytes[i] > 0 ? at : NULL;
    at += room_of(bytes[i]);
  }
  return memory;
}

void
vt_tile_memory_give(VtTileMemories *memories, VtTileMemory *memory)
{
  if (!memory)
    return;
  pthread_mutex_lock(&memories->lock);
  memory->next = memories->unused;
  memories->unused = memory;
  pthread_mutex_unlock(&memories->lock);
}
