/* SPDX-License-Identifier: MIT */
#include "slide/vt-tile-memory.h"

#include <gio/gio.h>
#include <sys/mman.h>

#include "base/vt-define.h"
#include "slide/vt-slide.h"

#define TILE_BYTES ((gsize)VT_TILE_PX * VT_TILE_PX * 4)
#define BLOCK_BYTES ((gsize)2 << 20) /* a large page */
#define BLOCK_TILES (BLOCK_BYTES / TILE_BYTES)
#define PAGE_BYTES 4096 /* or more; where there are no large ones */
#define ALL_FREE ((1u << BLOCK_TILES) - 1)

typedef struct {
  guint8 *base;
  guint free;
  GList link; /* in `blocks`, while a tile of it is free */
} Block;

static GMutex mutex;                 /* guards everything below */
static GQueue blocks = G_QUEUE_INIT; /* those in part use first */
static guint n_users = 0, n_taken = 0;
static gsize spare = 0, max_spare = (gsize)32 << 20;

/* NULL: the system has no more. Large pages begin at their own multiples, so what lies before and after one is returned. */
static Block *
block_new(void)
{
  guint8 *area = mmap(NULL, 2 * BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (area == MAP_FAILED)
    return NULL;
  const gsize before = BLOCK_BYTES - ((gsize)area & (BLOCK_BYTES - 1));
  Block *block = g_new0(Block, 1);
  block->base = area + before;
  block->free = ALL_FREE;
  block->link.data = block;
  munmap(area, before);
  if (before < BLOCK_BYTES)
    munmap(block->base + BLOCK_BYTES, BLOCK_BYTES - before);
#ifdef MADV_HUGEPAGE
  madvise(block->base, BLOCK_BYTES, MADV_HUGEPAGE);
#endif
  return block;
}

static void
block_free(Block *block)
{
  munmap(block->base, BLOCK_BYTES);
  g_free(block);
}

/* With the mutex held: a block that is wholly free and no longer wanted, or NULL. */
static Block *
take_surplus(void)
{
  Block *last = blocks.tail ? blocks.tail->data : NULL;
  if (!last || last->free != ALL_FREE || (n_users > 0 && spare <= max_spare))
    return NULL;
  g_queue_unlink(&blocks, &last->link);
  spare -= BLOCK_BYTES;
  return last;
}

static void
drop_surplus(void)
{
  for (;;) {
    g_mutex_lock(&mutex);
    Block *block = take_surplus();
    g_mutex_unlock(&mutex);
    if (!block)
      return;
    block_free(block);
  }
}

typedef struct {
  Block *block;
  guint tile;
} Place;

static void
place_free(gpointer data)
{
  Place *place = data;
  Block *block = place->block;
  g_mutex_lock(&mutex);
  if (block->free)
    g_queue_unlink(&blocks, &block->link);
  block->free |= 1u << place->tile;
  spare += TILE_BYTES;
  if (block->free == ALL_FREE)
    g_queue_push_tail_link(&blocks, &block->link);
  else
    g_queue_push_head_link(&blocks, &block->link);
  g_mutex_unlock(&mutex);
  g_free(place);
  drop_surplus();
}

/* With the mutex held: a tile of the block that comes first. */
static Place *
take_tile(Block *block)
{
  Place *place = g_new(Place, 1);
  *place = (Place){ block, (guint)g_bit_nth_lsf(block->free, -1) };
  g_queue_unlink(&blocks, &block->link);
  block->free &= ~(1u << place->tile);
  spare -= TILE_BYTES;
  n_taken++;
  if (block->free)
    g_queue_push_head_link(&blocks, &block->link);
  return place;
}

/* Takes the block, or NULL. */
static void
add_block(Block *block)
{
  if (!block)
    return;
  VT_LOCK(&mutex);
  g_queue_push_tail_link(&blocks, &block->link);
  spare += BLOCK_BYTES;
}

static Place *
try_take(void)
{
  VT_LOCK(&mutex);
  return blocks.head ? take_tile(blocks.head->data) : NULL;
}

GBytes *
vt_tile_memory_new(gsize size, guint8 **data)
{
  Place *place = size == TILE_BYTES ? try_take() : NULL;
  if (!place && size == TILE_BYTES) {
    add_block(block_new());
    place = try_take();
  }
  if (!place) {
    *data = g_malloc(size);
    return g_bytes_new_take(*data, size);
  }
  *data = place->block->base + place->tile * TILE_BYTES;
  return g_bytes_new_with_free_func(*data, size, place_free, place);
}

static void
prepare(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  g_mutex_lock(&mutex);
  const guint taken = n_taken;
  gboolean more = n_users > 0 && spare + BLOCK_BYTES <= max_spare;
  g_mutex_unlock(&mutex);
  while (more) {
    Block *block = block_new();
    for (gsize i = 0; block && i < BLOCK_BYTES; i += PAGE_BYTES)
      ((volatile guint8 *)block->base)[i] = 0;
    add_block(block);
    g_mutex_lock(&mutex);
    more = block && n_users > 0 && n_taken == taken && spare + BLOCK_BYTES <= max_spare;
    g_mutex_unlock(&mutex);
  }
  drop_surplus();
}

void
vt_tile_memory_prepare(void)
{
  g_autoptr(GTask) task = g_task_new(NULL, NULL, NULL, NULL);
  g_task_run_in_thread(task, prepare);
}

void
vt_tile_memory_enter(void)
{
  VT_LOCK(&mutex);
  n_users++;
}

void
vt_tile_memory_leave(void)
{
  g_mutex_lock(&mutex);
  n_users--;
  g_mutex_unlock(&mutex);
  drop_surplus();
}

void
vt_tile_memory_set_spare(gsize bytes)
{
  g_mutex_lock(&mutex);
  max_spare = bytes;
  g_mutex_unlock(&mutex);
  drop_surplus();
}

gsize
vt_tile_memory_get_spare(void)
{
  VT_LOCK(&mutex);
  return spare;
}
