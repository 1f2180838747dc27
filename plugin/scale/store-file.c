/* SPDX-License-Identifier: MIT
 *
 * The scratch files of a store: its blocks, and where they are. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "scale/pack.h"
#include "scale/store-private.h"

/* Files of blocks of another size are others. */
static bool
path_of(const VtStorePool *pool, const char *name, const char *suffix, char path[4096])
{
  return snprintf(path, 4096, "%s/%s-%d.%s", pool->scratch_dir, name, (int)vt_store_pool_edge(pool), suffix) < 4096;
}

static int
open_named(const VtStore *store, const char *suffix)
{
  char path[4096];
  return path_of(store->pool, store->name, suffix, path) ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
}

void
vt_store_pool_forget(VtStorePool *pool, const char *name)
{
  static const char *const suffixes[] = { "map", "blocks" };
  char path[4096];
  for (int i = 0; i < 2 && pool->keep; i++)
    if (path_of(pool, name, suffixes[i], path))
      unlink(path);
}

/* A file without a name is gone when the program is, however that ends. */
bool
vt_store_open_files(VtStore *store)
{
  char path[4096];
  const bool keep = store->pool->keep;
  if (keep && store->file < 0) /* one may have failed before; what is open is read without the lock */
    store->file = open_named(store, "blocks");
  if (keep && store->map < 0)
    store->map = open_named(store, "map");
  if (keep || store->file >= 0)
    return store->file >= 0 && (!keep || store->map >= 0);
  if ((size_t)snprintf(path, sizeof path, "%s/vitrail-scratch-XXXXXX", store->pool->scratch_dir) >= sizeof path)
    return false;
  store->file = mkstemp(path);
  if (store->file >= 0)
    unlink(path);
  return store->file >= 0;
}

/* Which blocks an earlier run left behind. A short map is one of a run that was stopped early. */
void
vt_store_take_up(VtStore *store)
{
  uint32_t *map = vt_store_open_files(store) ? calloc((size_t)store->n_blocks, sizeof *map) : NULL;
  if (map)
    vt_transfer(store->map, (char *)map, (size_t)store->n_blocks * sizeof *map, 0, false);
  for (int64_t i = 0; map && i < store->n_blocks; i++)
    store->blocks[i].in_file = map[i];
  free(map);
}

static int64_t
place_of(const VtStore *store, const VtBlock *block, uint32_t in_file)
{
  const int64_t bytes = (int64_t)store->block_bytes, quarter = in_file & 1 ? bytes / 2 : 0;
  return (block - store->blocks) * 2 * bytes + (in_file == WHOLE ? 0 : bytes + quarter);
}

/* Packed if that is half of it or less. room: NULL if there is no memory to pack it. errno says what failed. */
bool
vt_store_write_block(const VtStore *store, VtBlock *block, VtRoom *room)
{
  const int64_t map_at = (block - store->blocks) * (int64_t)sizeof block->in_file;
  const size_t n = room ? vt_pack(block->data, store->block_bytes, room->bytes, store->block_bytes / 2) : 0;
  const bool second = block->in_file > WHOLE && (block->in_file & 1) == 0;
  uint32_t in_file = n > 0 ? (uint32_t)n | second : WHOLE;
  if (!vt_transfer(store->file, n > 0 ? (char *)room->bytes : block->data, n > 0 ? n : store->block_bytes,
                   place_of(store, block, in_file), true))
    return false;
  if (store->pool->keep && in_file != block->in_file
      && !vt_transfer(store->map, (char *)&in_file, sizeof in_file, map_at, true))
    return false;
  block->in_file = in_file;
  return true;
}

/* errno says what failed. */
bool
vt_store_read_block(const VtStore *store, const VtBlock *block, VtRoom *room, char *data)
{
  const int64_t at = place_of(store, block, block->in_file);
  const size_t n = block->in_file & ~UINT32_C(1);
  if (block->in_file == WHOLE)
    return vt_transfer(store->file, data, store->block_bytes, at, false);
  errno = !room ? ENOMEM : EIO;
  if (!room || n > store->block_bytes / 2 || !vt_transfer(store->file, (char *)room->bytes, n, at, false))
    return false;
  errno = EIO;
  return vt_unpack(room->bytes, n, data, store->block_bytes);
}
