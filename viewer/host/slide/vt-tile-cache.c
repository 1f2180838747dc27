/* SPDX-License-Identifier: MIT */
#include "slide/vt-tile-cache-private.h"
#include "base/vt-define.h"
#include "slide/vt-tile-memory.h"

#define MAX_SPARE ((gsize)32 << 20) /* what a view on a large screen takes */

typedef struct {
  VtTileKey key;
  VtTilePixels *tile; /* NULL: somebody is reading it */
  GList link;         /* in `recent`, when there is a tile */
  gsize bytes;
} Entry;

static GMutex mutex; /* guards everything below */
static GCond tile_done;
static GHashTable *entries = NULL;   /* VtTileKey* (in the entry) -> Entry* */
static GQueue recent = G_QUEUE_INIT; /* most recently used first */
static gsize used = 0, budget = (gsize)512 << 20;

static guint
key_hash(gconstpointer data)
{
  const VtTileKey *key = data;
  guint64 hash = key->slide_id * 0x9E3779B97F4A7C15u;
  hash = (hash ^ (guint64)key->level) * 0x9E3779B97F4A7C15u;
  hash = (hash ^ (guint64)key->col) * 0x9E3779B97F4A7C15u;
  hash = (hash ^ (guint64)key->row) * 0x9E3779B97F4A7C15u;
  return (guint)(hash >> 32);
}

static gboolean
key_equal(gconstpointer a, gconstpointer b)
{
  const VtTileKey *p = a, *q = b;
  return p->slide_id == q->slide_id && p->level == q->level && p->col == q->col && p->row == q->row;
}

VtTilePixels *
vt_tile_pixels_new(GBytes *bytes, int width, int height, int stride)
{
  VtTilePixels *tile = g_atomic_rc_box_new0(VtTilePixels);
  *tile = (VtTilePixels){ bytes, width, height, stride };
  return tile;
}

static void
tile_clear(gpointer data)
{
  g_bytes_unref(((VtTilePixels *)data)->bytes);
}

VT_DEFINE_REF(VtTilePixels, vt_tile_pixels, tile_clear)

/* With the mutex held. The entry is taken out of the queue and the table. */
static void
entry_remove(Entry *entry)
{
  if (entry->tile) {
    g_queue_unlink(&recent, &entry->link);
    used -= entry->bytes;
    vt_tile_pixels_unref(entry->tile);
  }
  g_hash_table_remove(entries, &entry->key);
  g_free(entry);
}

/* With the mutex held. Memory that is kept for tiles to come is part of the budget, too. */
static void
shrink(void)
{
  while (used + vt_tile_memory_get_spare() > budget && recent.tail)
    entry_remove(recent.tail->data);
}

/* With the mutex held. */
static Entry *
find(const VtTileKey *key)
{
  if (!entries)
    entries = g_hash_table_new(key_hash, key_equal);
  Entry *entry = g_hash_table_lookup(entries, key);
  if (entry && entry->tile) {
    g_queue_unlink(&recent, &entry->link);
    g_queue_push_head_link(&recent, &entry->link);
  }
  return entry;
}

VtTilePixels *
vt_tile_cache_lookup(const VtTileKey *key)
{
  VT_LOCK(&mutex);
  Entry *entry = find(key);
  VtTilePixels *tile = entry && entry->tile ? vt_tile_pixels_ref(entry->tile) : NULL;
  return tile;
}

VtTilePixels *
vt_tile_cache_begin(const VtTileKey *key)
{
  VtTilePixels *tile = NULL;
  VT_LOCK(&mutex);
  Entry *entry = find(key);
  while (entry && !entry->tile) {
    g_cond_wait(&tile_done, &mutex);
    entry = find(key);
  }
  if (entry) {
    tile = vt_tile_pixels_ref(entry->tile);
  } else {
    entry = g_new0(Entry, 1);
    entry->key = *key;
    entry->link.data = entry;
    g_hash_table_insert(entries, &entry->key, entry);
  }
  return tile;
}

void
vt_tile_cache_end(const VtTileKey *key, VtTilePixels *tile)
{
  VT_LOCK(&mutex);
  Entry *entry = g_hash_table_lookup(entries, key);
  if (!tile) {
    entry_remove(entry);
  } else {
    entry->tile = vt_tile_pixels_ref(tile);
    entry->bytes = g_bytes_get_size(tile->bytes) + sizeof(Entry);
    used += entry->bytes;
    g_queue_push_head_link(&recent, &entry->link);
    shrink();
  }
  g_cond_broadcast(&tile_done);
}

void
vt_tile_cache_drop_slide(guint64 slide_id)
{
  VT_LOCK(&mutex);
  for (GList *link = recent.head, *next = NULL; link; link = next) {
    Entry *entry = link->data;
    next = link->next;
    if (entry->key.slide_id == slide_id)
      entry_remove(entry);
  }
}

void
vt_tile_cache_set_budget(gsize bytes)
{
  VT_LOCK(&mutex);
  budget = bytes;
  vt_tile_memory_set_spare(MIN(bytes / 8, MAX_SPARE));
  shrink();
}

gsize
vt_tile_cache_get_budget(void)
{
  VT_LOCK(&mutex);
  return budget;
}

gsize
vt_tile_cache_get_used(void)
{
  VT_LOCK(&mutex);
  return used + vt_tile_memory_get_spare();
}
