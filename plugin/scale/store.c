/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scale/store-private.h"

enum { LARGE_BLOCK = 512, SMALL_BLOCK = 64 };

/* Pixels of a block may be copied by several threads: a lock per slot, shared by many blocks. */
enum { N_PIXEL_LOCKS = 1024 };
static pthread_mutex_t pixel_locks[N_PIXEL_LOCKS] = { [0 ... N_PIXEL_LOCKS - 1] = PTHREAD_MUTEX_INITIALIZER };

VtStorePool *
vt_store_pool_new(uint64_t budget, const char *scratch_dir, bool keep)
{
  VtStorePool *pool = calloc(1, sizeof *pool);
  if (!pool)
    return NULL;
  pool->budget = budget;
  pool->keep = keep && scratch_dir;
  pool->scratch_dir = scratch_dir ? strdup(scratch_dir) : NULL;
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
#ifdef __GLIBC__ /* held for nanoseconds, by dozens of threads: it does better to look again than to sleep */
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
  pthread_mutex_init(&pool->lock, &kind);
  pthread_mutexattr_destroy(&kind);
  pthread_cond_init(&pool->changed, NULL);
  return pool;
}

static size_t
room_bytes(const VtStorePool *pool)
{
  const size_t edge = (size_t)vt_store_pool_edge(pool);
  return edge * edge * sizeof(uint64_t) / 2;
}

/* Called with the lock. NULL: there is no memory. */
static VtRoom *
take_room(VtStorePool *pool)
{
  VtRoom *room = pool->rooms;
  if (room)
    pool->rooms = room->next;
  return room ? room : malloc(sizeof *room + room_bytes(pool));
}

/* Called with the lock. */
static void
leave_room(VtStorePool *pool, VtRoom *room)
{
  if (!room)
    return;
  room->next = pool->rooms;
  pool->rooms = room;
}

void
vt_store_pool_free(VtStorePool *pool)
{
  if (!pool)
    return;
  while (pool->stores)
    vt_store_free(pool->stores);
  while (pool->rooms)
    free(take_room(pool));
  pthread_mutex_destroy(&pool->lock);
  pthread_cond_destroy(&pool->changed);
  free(pool->scratch_dir);
  free(pool);
}

static uint64_t
locked_value(VtStorePool *pool, const uint64_t *value)
{
  pthread_mutex_lock(&pool->lock);
  const uint64_t copy = *value;
  pthread_mutex_unlock(&pool->lock);
  return copy;
}

uint64_t
vt_store_pool_peak(VtStorePool *pool)
{
  return locked_value(pool, &pool->peak);
}

uint64_t
vt_store_pool_scratch(VtStorePool *pool)
{
  return locked_value(pool, &pool->scratch);
}

VitrailStatus
vt_scratch_failed(VtRun *run, VtStorePool *pool)
{
  int error = 0;
  if (pool) {
    pthread_mutex_lock(&pool->lock);
    error = pool->error;
    pthread_mutex_unlock(&pool->lock);
  }
  return vt_fail(run, VITRAIL_READ_FAILED, "The scratch files in %s could not be written or read%s%s.%s",
                 run->request->scratch_dir, error ? ": " : "", error ? strerror(error) : "",
                 run->request->flags & VITRAIL_RUN_KEEP_SCRATCH ? " What is finished is kept for a run that goes on."
                                                                : "");
}

/* Small blocks under a small budget: there should be some dozens. */
int64_t
vt_store_pool_edge(const VtStorePool *pool)
{
  return pool->budget > 0 && pool->budget < (64 << 20) ? SMALL_BLOCK : LARGE_BLOCK;
}

VitrailStatus
vt_store_new(VtStorePool *pool, const char *name, VtType type, int64_t width, int64_t height, VtStore **out)
{
  const int64_t edge = vt_store_pool_edge(pool);
  const int64_t columns = (width - 1) / edge + 1, rows = (height - 1) / edge + 1;
  VtStore *store = calloc(1, sizeof *store);
  *out = NULL;
  if (!store)
    return VITRAIL_OUT_OF_MEMORY;
  *store = (VtStore){ .pool = pool,
                      .type = type,
                      .width = width,
                      .height = height,
                      .edge = edge,
                      .columns = columns,
                      .n_blocks = columns * rows,
                      .block_bytes = (size_t)(edge * edge) * vt_type_size(type),
                      .file = -1,
                      .map = -1 };
  snprintf(store->name, sizeof store->name, "%s", name);
  store->blocks = calloc((size_t)store->n_blocks, sizeof *store->blocks);
  if (!store->blocks) {
    free(store);
    return VITRAIL_OUT_OF_MEMORY;
  }
  pthread_mutex_lock(&pool->lock);
  store->next = pool->stores;
  pool->stores = store;
  pthread_mutex_unlock(&pool->lock);
  if (pool->keep)
    vt_store_take_up(store);
  *out = store;
  return VITRAIL_OK;
}

void
vt_store_free(VtStore *store)
{
  if (!store)
    return;
  VtStorePool *pool = store->pool;
  pthread_mutex_lock(&pool->lock);
  VtStore **link = &pool->stores;
  while (*link != store)
    link = &(*link)->next;
  *link = store->next;
  pool->sweep = NULL;
  for (int64_t i = 0; i < store->n_blocks; i++)
    if (store->blocks[i].data) {
      free(store->blocks[i].data);
      pool->used -= store->block_bytes;
    }
  pthread_mutex_unlock(&pool->lock);
  if (store->file >= 0)
    close(store->file);
  if (store->map >= 0)
    close(store->map);
  free(store->table);
  free(store->blocks);
  free(store);
}

void
vt_store_swap(VtStore *a, VtStore *b)
{
  pthread_mutex_lock(&a->pool->lock);
  const VtStore first = *a, second = *b;
  *a = second;
  *b = first;
  a->next = first.next;
  b->next = second.next;
  pthread_mutex_unlock(&a->pool->lock);
}

int64_t
vt_store_width(const VtStore *store)
{
  return store->width;
}

int64_t
vt_store_height(const VtStore *store)
{
  return store->height;
}

VtType
vt_store_type(const VtStore *store)
{
  return store->type;
}

/* The next block that nobody uses and that was not touched since the hand came by; NULL: none. Called with the lock. */
static VtBlock *
find_victim(VtStorePool *pool, VtStore **owner)
{
  int n_stores = 0;
  for (VtStore *store = pool->stores; store; store = store->next)
    n_stores++;
  for (int turn = 0; turn < 3 * n_stores; turn++) {
    VtStore *store = pool->sweep = pool->sweep ? pool->sweep : pool->stores;
    for (; store->hand < store->n_blocks; store->hand++) {
      VtBlock *block = &store->blocks[store->hand];
      if (!block->data || block->n_users > 0 || block->busy)
        continue;
      if (block->used_lately) {
        block->used_lately = false;
        continue;
      }
      *owner = store;
      return block;
    }
    store->hand = 0;
    pool->sweep = store->next;
  }
  return NULL;
}

/* Called with the lock, which it lets go while it writes. */
static VitrailStatus
write_back(VtStore *store, VtBlock *block)
{
  VtStorePool *pool = store->pool;
  VtRoom *room = take_room(pool);
  const bool is_new = block->in_file == NOWHERE;
  const bool opened = vt_store_open_files(store);
  block->busy = true;
  block->dirty = false;
  pool->n_in_use++;
  pthread_mutex_unlock(&pool->lock);
  const bool written = opened && vt_store_write_block(store, block, room);
  const int error = errno;
  pthread_mutex_lock(&pool->lock);
  leave_room(pool, room);
  pool->n_in_use--;
  block->busy = false;
  pthread_cond_broadcast(&pool->changed);
  if (!written) {
    block->dirty = true;
    pool->error = error;
    return VITRAIL_READ_FAILED;
  }
  if (is_new)
    pool->scratch += block->in_file == WHOLE ? store->block_bytes : block->in_file;
  return VITRAIL_OK;
}

/* Called with the lock: makes room under the budget, waiting for blocks in use where there is nothing else. *memory: that of
 * a block of the same size, if one had to go: new memory costs the kernel as much as a copy. */
static VitrailStatus
make_room(VtStorePool *pool, size_t bytes, void **memory)
{
  while (pool->budget && pool->used + bytes > pool->budget) {
    VtStore *store = NULL;
    VtBlock *block = pool->scratch_dir ? find_victim(pool, &store) : NULL;
    if (!block && pool->scratch_dir && pool->n_in_use > 0) {
      pthread_cond_wait(&pool->changed, &pool->lock);
      continue;
    }
    if (!block)
      return VITRAIL_OUT_OF_MEMORY;
    if (block->dirty) {
      const VitrailStatus status = write_back(store, block);
      if (status != VITRAIL_OK)
        return status;
      continue; /* someone may have taken it up meanwhile */
    }
    if (!*memory && store->block_bytes == bytes)
      *memory = block->data;
    else
      free(block->data);
    block->data = NULL;
    pool->used -= store->block_bytes;
  }
  return VITRAIL_OK;
}

/* is_all: nobody reads the block before the caller has written all of it and moved on. */
static VitrailStatus
load(VtStore *store, VtBlock *block, bool is_all)
{
  VtStorePool *pool = store->pool;
  block->busy = true;
  void *data = NULL;
  int error = 0;
  VitrailStatus status = make_room(pool, store->block_bytes, &data);
  if (status == VITRAIL_OK) {
    pool->n_in_use++;
    pool->used += store->block_bytes;
    pool->peak = pool->used > pool->peak ? pool->used : pool->peak;
    VtRoom *room = block->in_file > WHOLE && !is_all ? take_room(pool) : NULL;
    pthread_mutex_unlock(&pool->lock);
    if (!data)
      data = aligned_alloc(256, store->block_bytes);
    if (!data)
      status = VITRAIL_OUT_OF_MEMORY;
    else if (!is_all && block->in_file == NOWHERE)
      memset(data, 0, store->block_bytes);
    else if (!is_all && !vt_store_read_block(store, block, room, data)) {
      error = errno;
      status = VITRAIL_READ_FAILED;
    }
    pthread_mutex_lock(&pool->lock);
    leave_room(pool, room);
    pool->error = error ? error : pool->error;
    pool->n_in_use--;
    if (status != VITRAIL_OK)
      pool->used -= store->block_bytes;
  }
  if (status != VITRAIL_OK) {
    free(data);
    data = NULL;
  }
  block->data = data;
  block->busy = is_all && status == VITRAIL_OK;
  pthread_cond_broadcast(&pool->changed);
  return status;
}

/* Lets go of the block before and takes hold of the next; either may be NULL. is_all: all pixels of the next will be written. */
static VitrailStatus
move_on(VtStore *store, VtBlock *before, bool written, VtBlock *next, bool is_all)
{
  VitrailStatus status = VITRAIL_OK;
  VtStorePool *pool = store->pool;
  pthread_mutex_lock(&pool->lock);
  if (before) {
    before->n_users--;
    pool->n_in_use--;
    before->dirty |= written;
    before->busy = false; /* it was, if all of it was written */
    pthread_cond_broadcast(&pool->changed);
  }
  while (next && next->busy)
    pthread_cond_wait(&pool->changed, &pool->lock);
  if (next && !next->data)
    status = load(store, next, is_all);
  if (next && status == VITRAIL_OK) {
    next->n_users++;
    pool->n_in_use++;
    next->used_lately = true;
  }
  pthread_mutex_unlock(&pool->lock);
  return status;
}

static int32_t
read_label(const int32_t *table, int64_t n_entries, int32_t label)
{
  return (uint32_t)label < (uint64_t)n_entries ? table[label] : 0;
}

/* The part of rect that lies in a block, copied between it and the image. */
static void
copy_part(const VtStore *store, int64_t index, VtRect rect, const VtImage *image, bool writes)
{
  const int64_t bx = index % store->columns * store->edge, by = index / store->columns * store->edge;
  const VtRect part = vt_rect_common(rect, (VtRect){ bx, by, store->edge, store->edge });
  const int64_t px = (int64_t)vt_type_size(store->type);
  pthread_mutex_t *lock = &pixel_locks[((uintptr_t)&store->blocks[index] / sizeof(VtBlock)) % N_PIXEL_LOCKS];
  pthread_mutex_lock(lock);
  for (int64_t y = part.y; y < part.y + part.height; y++) {
    char *inside = (char *)store->blocks[index].data + ((y - by) * store->edge + part.x - bx) * px;
    char *outside = vt_image_at(image, part.x - rect.x, y - rect.y);
    memcpy(writes ? inside : outside, writes ? outside : inside, (size_t)(part.width * px));
    for (int64_t x = 0; x < part.width && store->table; x++)
      ((int32_t *)outside)[x] = read_label(store->table, store->n_entries, ((int32_t *)outside)[x]);
  }
  pthread_mutex_unlock(lock);
}

/* A block that goes beyond the image has pixels that nobody writes. */
static bool
has_block(const VtStore *store, VtRect rect, int64_t column, int64_t row)
{
  const int64_t edge = store->edge;
  return rect.x <= column * edge && rect.y <= row * edge && rect.x + rect.width >= (column + 1) * edge
         && rect.y + rect.height >= (row + 1) * edge;
}

static VitrailStatus
transfer_rect(VtStore *store, VtRect rect, const VtImage *image, bool writes)
{
  if (image->type != store->type || rect.x < 0 || rect.y < 0 || rect.width < 1 || rect.height < 1
      || (writes && store->table) || rect.width > store->width - rect.x || rect.height > store->height - rect.y
      || image->width < rect.width || image->height < rect.height)
    return VITRAIL_BAD_ARGUMENT;
  VtBlock *block = NULL;
  for (int64_t row = rect.y / store->edge; row <= (rect.y + rect.height - 1) / store->edge; row++)
    for (int64_t column = rect.x / store->edge; column <= (rect.x + rect.width - 1) / store->edge; column++) {
      const int64_t index = row * store->columns + column;
      const VitrailStatus status =
        move_on(store, block, writes, &store->blocks[index], writes && has_block(store, rect, column, row));
      if (status != VITRAIL_OK)
        return status;
      block = &store->blocks[index];
      copy_part(store, index, rect, image, writes);
    }
  return move_on(store, block, writes, NULL, false);
}

VitrailStatus
vt_store_get(VtStore *store, VtRect rect, const VtImage *dst)
{
  return transfer_rect(store, rect, dst, false);
}

VitrailStatus
vt_store_put(VtStore *store, VtRect rect, const VtImage *src)
{
  return transfer_rect(store, rect, src, true);
}

VitrailStatus
vt_store_relabel(VtStore *store, const int32_t *table, int64_t n_entries)
{
  for (int64_t i = 0; i < store->n_entries; i++)
    store->table[i] = read_label(table, n_entries, store->table[i]);
  if (store->table)
    return VITRAIL_OK;
  store->table = malloc((size_t)n_entries * sizeof *table);
  if (!store->table)
    return VITRAIL_OUT_OF_MEMORY;
  memcpy(store->table, table, (size_t)n_entries * sizeof *table);
  store->n_entries = n_entries;
  return VITRAIL_OK;
}

bool
vt_store_is_relabelled(const VtStore *store)
{
  return store->table != NULL;
}

bool
vt_store_is_kept(VtStore *store, VtRect rect)
{
  bool kept = true;
  pthread_mutex_lock(&store->pool->lock);
  for (int64_t row = rect.y / store->edge; row <= (rect.y + rect.height - 1) / store->edge; row++)
    for (int64_t column = rect.x / store->edge; column <= (rect.x + rect.width - 1) / store->edge; column++)
      kept = kept && store->blocks[row * store->columns + column].in_file != NOWHERE;
  pthread_mutex_unlock(&store->pool->lock);
  return kept;
}

VitrailStatus
vt_store_flush(VtStore *store, uint32_t part, uint32_t n_parts)
{
  VitrailStatus status = VITRAIL_OK;
  VtStorePool *pool = store->pool;
  pthread_mutex_lock(&pool->lock);
  for (int64_t i = part; i < store->n_blocks && status == VITRAIL_OK; i += n_parts) {
    VtBlock *block = &store->blocks[i];
    while (block->busy || (block->dirty && block->n_users > 0))
      pthread_cond_wait(&pool->changed, &pool->lock);
    if (block->data && block->dirty)
      status = write_back(store, block);
  }
  pthread_mutex_unlock(&pool->lock);
  return status;
}
