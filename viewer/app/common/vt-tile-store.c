/* SPDX-License-Identifier: MIT */
#include "common/vt-tile-store.h"

#include <math.h>

#include "base/vt-define.h"
#include "common/vt-drop.h"
#include "common/vt-signals.h"
#include "common/vt-test-log.h"
#include "slide/vt-tile-memory.h"

#define DEFAULT_BUDGET ((gsize)256 << 20)
#define MAX_READ_THREADS 4
#define TAKING_THREADS 2

/* Shared by a store and its readers; outlives the store while a read is under way. */
typedef struct {
  VtSlide *slide;
  GCancellable *cancellable;
  VtTileStore *store; /* main thread only; NULL once the store is gone */
  GMutex lock;        /* guards everything below */
  VtColour *colour;   /* or NULL */
  guint colour_serial;
  GArray *wanted;    /* VtTilePlace, the most urgent one last */
  GArray *busy;      /* VtTilePlace being read or waiting to be drained */
  GPtrArray *done;   /* Arrival */
  guint n_tokens;    /* pushed into the pool and not yet taken */
  gboolean draining; /* an idle source is waiting */
} ReadQueue;

typedef struct {
  VtTile *tile;
  char *error; /* sentence, or NULL */
} Arrival;

struct _VtTileStore {
  GObject parent;
  VtSlide *slide;
  ReadQueue *queue;
  GHashTable *tiles; /* VtTilePlace (inside the value) -> VtTile */
  gsize bytes;
  VtViewport view;
  int level;
  guint64 view_serial;
  guint n_failed;
  gboolean sharp;
};

G_DEFINE_FINAL_TYPE(VtTileStore, vt_tile_store, G_TYPE_OBJECT)

enum { PROP_SHARP = 1, N_PROPS };
static GParamSpec *properties[N_PROPS];

/* Of all stores; main thread only. */
static GPtrArray *stores = NULL;
static gsize budget = DEFAULT_BUDGET, used = 0;
static guint64 n_views = 0; /* counts the views of all: what was seen last is dropped last, whichever slide's it is */

static guint
place_hash(gconstpointer key)
{
  const VtTilePlace *p = key;
  return (guint)(p->level * 0x9E3779B1u) ^ (guint)(p->col * 0x85EBCA77u) ^ (guint)(p->row * 0xC2B2AE3Du);
}

static gboolean
place_equal(gconstpointer a, gconstpointer b)
{
  const VtTilePlace *p = a, *q = b;
  return p->level == q->level && p->col == q->col && p->row == q->row;
}

static void
tile_free(gpointer data)
{
  VtTile *tile = data;
  g_clear_object(&tile->texture);
  g_clear_pointer(&tile->pixels, vt_tile_pixels_unref);
  g_free(tile);
}

static void
arrival_free(gpointer data)
{
  Arrival *arrival = data;
  g_clear_pointer(&arrival->tile, tile_free);
  g_free(arrival->error);
  g_free(arrival);
}

static void
read_queue_clear(gpointer data)
{
  ReadQueue *queue = data;
  vt_slide_unref(queue->slide);
  g_clear_pointer(&queue->colour, vt_colour_unref);
  g_object_unref(queue->cancellable);
  g_array_unref(queue->wanted);
  g_array_unref(queue->busy);
  g_ptr_array_unref(queue->done);
  g_mutex_clear(&queue->lock);
}

static void
read_queue_unref(gpointer queue)
{
  g_atomic_rc_box_release_full(queue, read_queue_clear);
}

static gboolean drain(gpointer data);
static void request_missing(VtTileStore *self);

static gboolean
take_wanted(ReadQueue *queue, VtTilePlace *place, VtColour **colour, guint *colour_serial)
{
  VT_LOCK(&queue->lock);
  queue->n_tokens--;
  gboolean found = queue->wanted->len > 0;
  if (found) {
    *place = g_array_index(queue->wanted, VtTilePlace, queue->wanted->len - 1);
    g_array_set_size(queue->wanted, queue->wanted->len - 1);
    g_array_append_val(queue->busy, *place);
    *colour = queue->colour ? vt_colour_ref(queue->colour) : NULL;
    *colour_serial = queue->colour_serial;
  }
  return found;
}

/* Pool thread. A token only says that there may be work: which tile is read is decided now, not when it was pushed. */
static void
read_one(gpointer data, gpointer user_data)
{
  ReadQueue *queue = data;
  VtTilePlace place;
  g_autoptr(VtColour) colour = NULL;
  guint colour_serial = 0;
  if (!take_wanted(queue, &place, &colour, &colour_serial)) {
    read_queue_unref(queue);
    return;
  }
  Arrival *arrival = g_new0(Arrival, 1);
  g_autoptr(GError) error = NULL;
  arrival->tile = g_new0(VtTile, 1);
  arrival->tile->place = place;
  arrival->tile->colour_serial = colour_serial;
  VtTilePixels *pixels =
    vt_slide_read_tile(queue->slide, place.level, place.col, place.row, queue->cancellable, &error);
  if (pixels && colour) {
    VtTilePixels *plain = pixels;
    pixels = vt_colour_apply(colour, plain);
    vt_tile_pixels_unref(plain);
  }
  if (pixels) {
    arrival->tile->pixels = pixels;
    arrival->tile->texture =
      gdk_memory_texture_new(pixels->width, pixels->height, GDK_MEMORY_DEFAULT, pixels->bytes, (gsize)pixels->stride);
  } else {
    arrival->error = g_strdup(error->message);
  }
  g_mutex_lock(&queue->lock);
  g_ptr_array_add(queue->done, arrival);
  gboolean schedule = !queue->draining;
  queue->draining = TRUE;
  g_mutex_unlock(&queue->lock);
  if (schedule)
    g_idle_add_full(G_PRIORITY_DEFAULT, drain, g_atomic_rc_box_acquire(queue), read_queue_unref);
  read_queue_unref(queue);
}

/* While some threads take what another process has decoded, it decodes for others. */
static GThreadPool *
read_pool(void)
{
  static GThreadPool *pool = NULL;
  if (!pool) {
    const int n_decoding = CLAMP((int)g_get_num_processors(), 2, MAX_READ_THREADS);
    pool = g_thread_pool_new(read_one, NULL, n_decoding + TAKING_THREADS, TRUE, NULL);
  }
  return pool;
}

static int
compare_use(gconstpointer a, gconstpointer b)
{
  const VtTile *s = *(VtTile *const *)a, *t = *(VtTile *const *)b;
  gboolean s_seen = s->store->view_serial > 0, t_seen = t->store->view_serial > 0;
  return s_seen != t_seen ? s_seen - t_seen : (s->used > t->used) - (s->used < t->used);
}

static void
forget(VtTile *tile)
{
  VtTileStore *self = tile->store;
  gsize size = tile->pixels ? g_bytes_get_size(tile->pixels->bytes) : 0;
  self->bytes -= size;
  used -= size;
  g_hash_table_remove(self->tiles, &tile->place);
}

/* Down to so many bytes of all, from one store or from all (NULL). What is seen now and the coarsest level, the stand-in for all
 * that is missing, stay; slides out of sight go first. */
static void
evict(VtTileStore *only, gsize most)
{
  if (used <= most)
    return;
  g_autoptr(GPtrArray) tiles = g_ptr_array_new();
  for (guint i = 0; i < stores->len; i++) {
    VtTileStore *store = g_ptr_array_index(stores, i);
    const int coarsest = vt_slide_get_n_levels(store->slide) - 1;
    GHashTableIter iter;
    VtTile *tile;
    g_hash_table_iter_init(&iter, store->tiles);
    while (g_hash_table_iter_next(&iter, NULL, (gpointer *)&tile)) {
      gboolean seen = store->view_serial > 0 && tile->used == store->view_serial;
      if (tile->pixels && tile->place.level != coarsest && !seen && (!only || store == only))
        g_ptr_array_add(tiles, tile);
    }
  }
  g_ptr_array_sort(tiles, compare_use);
  for (guint i = 0; i < tiles->len && used > most; i++)
    forget(g_ptr_array_index(tiles, i));
}

void
vt_tile_store_set_budget(gsize bytes)
{
  budget = bytes;
  if (stores)
    evict(NULL, budget);
}

gsize
vt_tile_store_get_used(void)
{
  return used;
}

static void
set_sharp(VtTileStore *self, gboolean sharp)
{
  if (self->sharp == sharp)
    return;
  self->sharp = sharp;
  /* For the next view, while this one is looked at. */
  if (sharp)
    vt_tile_memory_prepare();
  g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_SHARP]);
}

static gboolean
is_complete(VtTileStore *self, int level, VtTileRange range)
{
  for (gint64 row = range.first_row; row <= range.last_row; row++) {
    for (gint64 col = range.first_col; col <= range.last_col; col++) {
      const VtTile *tile = vt_tile_store_lookup(self, level, col, row);
      if (!tile || !is_complete(self, level - 1, vt_tile_store_get_parts(self, tile)))
        return FALSE;
    }
  }
  return TRUE;
}

static gboolean
is_sharp(VtTileStore *self)
{
  return self->view.width_px > 0
         && is_complete(self, self->level, vt_tile_store_get_range(self, &self->view, self->level));
}

/* -1: it is not being read. */
static int
find_busy(ReadQueue *queue, const VtTilePlace *place)
{
  for (guint i = 0; i < queue->busy->len; i++)
    if (place_equal(&g_array_index(queue->busy, VtTilePlace, i), place))
      return (int)i;
  return -1;
}

static void
keep_arrival(VtTileStore *self, Arrival *arrival)
{
  VtTile *tile = g_steal_pointer(&arrival->tile);
  gboolean bad = arrival->error && tile->place.level < vt_slide_get_n_stored_levels(self->slide);
  gboolean first_failure = bad && self->n_failed == 0;
  const gsize size = tile->pixels ? g_bytes_get_size(tile->pixels->bytes) : 0;
  self->bytes += size;
  used += size;
  self->n_failed += bad ? 1 : 0;
  tile->used = self->view_serial;
  tile->store = self;
  VtTile *old = g_hash_table_lookup(self->tiles, &tile->place);
  if (old)
    forget(old);
  g_hash_table_replace(self->tiles, &tile->place, tile);
  if (first_failure)
    g_signal_emit_by_name(self, "failed", arrival->error);
}

static gboolean
drain(gpointer data)
{
  ReadQueue *queue = data;
  g_autoptr(GPtrArray) arrivals = g_ptr_array_new_with_free_func(arrival_free);
  g_mutex_lock(&queue->lock);
  queue->draining = FALSE;
  for (guint i = 0; i < queue->done->len; i++) {
    int busy = find_busy(queue, &((Arrival *)g_ptr_array_index(queue->done, i))->tile->place);
    if (busy >= 0)
      g_array_remove_index_fast(queue->busy, (guint)busy);
  }
  g_ptr_array_extend_and_steal(arrivals, g_steal_pointer(&queue->done));
  queue->done = g_ptr_array_new_with_free_func(arrival_free);
  g_mutex_unlock(&queue->lock);
  if (!queue->store)
    return G_SOURCE_REMOVE;
  g_autoptr(VtTileStore) self = g_object_ref(queue->store);
  gboolean some_failed = FALSE, some_old = FALSE;
  for (guint i = 0; i < arrivals->len; i++) {
    some_old = some_old || ((Arrival *)g_ptr_array_index(arrivals, i))->tile->colour_serial != queue->colour_serial;
    some_failed = some_failed || ((Arrival *)g_ptr_array_index(arrivals, i))->error;
    keep_arrival(self, g_ptr_array_index(arrivals, i));
  }
  /* Colours may have changed while these were on their way. */
  if (some_failed || some_old)
    request_missing(self);
  evict(NULL, budget);
  /* First, so that whoever hears of the change knows whether it is worth waiting for more. */
  set_sharp(self, is_sharp(self));
  g_signal_emit_by_name(self, "changed");
  return G_SOURCE_REMOVE;
}

typedef struct {
  VtTilePlace place;
  double distance;
} Candidate;

static int
compare_farthest_first(gconstpointer a, gconstpointer b)
{
  const Candidate *p = a, *q = b;
  return (p->distance < q->distance) - (p->distance > q->distance);
}

static void
add_candidates(VtTileStore *self, int level, VtTileRange range, double penalty, GArray *candidates)
{
  if (range.last_col < range.first_col)
    return;
  double tile_l0 = VT_TILE_PX * vt_slide_get_level_downsample(self->slide, level);
  for (gint64 row = range.first_row; row <= range.last_row; row++) {
    for (gint64 col = range.first_col; col <= range.last_col; col++) {
      Candidate candidate = { .place = { level, col, row } };
      VtTile *tile = g_hash_table_lookup(self->tiles, &candidate.place);
      if (tile) {
        tile->used = self->view_serial;
        if (tile->pixels && tile->colour_serial != self->queue->colour_serial)
          tile = NULL;
      }
      if (tile) {
        add_candidates(self, level - 1, vt_tile_store_get_parts(self, tile), penalty, candidates);
        continue;
      }
      candidate.distance =
        penalty + hypot((col + 0.5) * tile_l0 - self->view.centre_x_l0, (row + 0.5) * tile_l0 - self->view.centre_y_l0);
      g_array_append_val(candidates, candidate);
    }
  }
}

static void
request_missing(VtTileStore *self)
{
  ReadQueue *queue = self->queue;
  int coarsest = vt_slide_get_n_levels(self->slide) - 1;
  g_autoptr(GArray) candidates = g_array_new(FALSE, FALSE, sizeof(Candidate));
  VtTileRange seen = vt_tile_store_get_range(self, &self->view, self->level);
  add_candidates(self, self->level, seen, 0, candidates);
  /* The stand-in for everything comes first where the file stores it, and last where it has to be made from all of the
   * finer tiles. */
  gboolean stored = coarsest < vt_slide_get_n_stored_levels(self->slide);
  seen = vt_tile_store_get_range(self, &self->view, coarsest);
  const VtTile *stand_in = vt_tile_store_lookup(self, coarsest, 0, 0);
  if (coarsest != self->level && (stored || !stand_in || stand_in->colour_serial != queue->colour_serial))
    add_candidates(self, coarsest, seen, stored ? -G_MAXDOUBLE / 2 : G_MAXDOUBLE / 2, candidates);
  g_array_sort(candidates, compare_farthest_first);
  g_mutex_lock(&queue->lock);
  g_array_set_size(queue->wanted, 0);
  for (guint i = 0; i < candidates->len; i++) {
    const VtTilePlace *place = &g_array_index(candidates, Candidate, i).place;
    if (find_busy(queue, place) < 0)
      g_array_append_val(queue->wanted, *place);
  }
  guint n_new = queue->wanted->len > queue->n_tokens ? queue->wanted->len - queue->n_tokens : 0;
  queue->n_tokens += n_new;
  g_mutex_unlock(&queue->lock);
  for (guint i = 0; i < n_new; i++)
    g_thread_pool_push(read_pool(), g_atomic_rc_box_acquire(queue), NULL);
}

/* The coarsest level, if the file stores it and it is small: there is a picture before there is a place for it. */
static void
request_first(VtTileStore *self)
{
  gint64 width, height;
  int coarsest = vt_slide_get_n_levels(self->slide) - 1;
  vt_slide_get_level_size(self->slide, coarsest, &width, &height);
  if (coarsest >= vt_slide_get_n_stored_levels(self->slide) || width > VT_TILE_PX || height > VT_TILE_PX)
    return;
  g_mutex_lock(&self->queue->lock);
  g_array_append_val(self->queue->wanted, ((VtTilePlace){ coarsest, 0, 0 }));
  self->queue->n_tokens++;
  g_mutex_unlock(&self->queue->lock);
  g_thread_pool_push(read_pool(), g_atomic_rc_box_acquire(self->queue), NULL);
}

void
vt_tile_store_set_view(VtTileStore *self, const VtViewport *view)
{
  self->view = *view;
  self->view_serial = ++n_views;
  self->level = vt_slide_get_best_level(self->slide, view->downsample);
  request_missing(self);
  set_sharp(self, is_sharp(self));
}

void
vt_tile_store_hide(VtTileStore *self, gboolean keeps_view)
{
  self->view_serial = keeps_view ? self->view_serial : 0;
  evict(self, 0);
  self->view_serial = 0;
  vt_test_log("tiles-hidden %" G_GSIZE_FORMAT, self->bytes);
}

VT_GETTER(int, vt_tile_store_get_level, VtTileStore, level)
VT_GETTER(gboolean, vt_tile_store_get_sharp, VtTileStore, sharp)

VtTileRange
vt_tile_store_get_range(VtTileStore *self, const VtViewport *view, int level)
{
  gint64 width_l0, height_l0, x, y, width, height, level_width, level_height;
  VtTileRange range = { 0, 0, -1, -1 };
  vt_slide_get_level_size(self->slide, 0, &width_l0, &height_l0);
  vt_slide_get_level_size(self->slide, level, &level_width, &level_height);
  if (!vt_viewport_get_visible_l0(view, width_l0, height_l0, &x, &y, &width, &height))
    return range;
  double tile_l0 = VT_TILE_PX * vt_slide_get_level_downsample(self->slide, level);
  range.first_col = (gint64)(x / tile_l0);
  range.first_row = (gint64)(y / tile_l0);
  range.last_col = MIN((gint64)ceil((x + width) / tile_l0) - 1, (level_width - 1) / VT_TILE_PX);
  range.last_row = MIN((gint64)ceil((y + height) / tile_l0) - 1, (level_height - 1) / VT_TILE_PX);
  return range;
}

const VtTile *
vt_tile_store_lookup(VtTileStore *self, int level, gint64 col, gint64 row)
{
  VtTilePlace place = { level, col, row };
  return g_hash_table_lookup(self->tiles, &place);
}

VtTileRange
vt_tile_store_get_parts(VtTileStore *self, const VtTile *tile)
{
  gint64 width, height;
  const VtTilePlace *place = &tile->place;
  if (tile->pixels || place->level < vt_slide_get_n_stored_levels(self->slide))
    return (VtTileRange){ 0, 0, -1, -1 };
  vt_slide_get_level_size(self->slide, place->level - 1, &width, &height);
  return (VtTileRange){ 2 * place->col, 2 * place->row, MIN(2 * place->col + 1, (width - 1) / VT_TILE_PX),
                        MIN(2 * place->row + 1, (height - 1) / VT_TILE_PX) };
}

VT_GETTER(guint, vt_tile_store_get_n_failed, VtTileStore, n_failed)

static gboolean
is_failed(gpointer key, gpointer value, gpointer user_data)
{
  return ((VtTile *)value)->pixels == NULL;
}

void
vt_tile_store_set_colour(VtTileStore *self, VtColour *colour)
{
  g_mutex_lock(&self->queue->lock);
  g_clear_pointer(&self->queue->colour, vt_colour_unref);
  self->queue->colour = colour ? vt_colour_ref(colour) : NULL;
  self->queue->colour_serial++;
  g_mutex_unlock(&self->queue->lock);
  if (self->view.width_px > 0)
    request_missing(self);
  else
    request_first(self);
}

void
vt_tile_store_retry(VtTileStore *self)
{
  g_hash_table_foreach_remove(self->tiles, is_failed, NULL);
  self->n_failed = 0;
  VtViewport view = self->view;
  vt_tile_store_set_view(self, &view);
}

/* Their pixels are given back by a worker: hundreds of megabytes take a while. Textures belong to this thread. */
static void
drop_tiles(VtTileStore *self)
{
  GHashTableIter iter;
  gpointer value;
  g_hash_table_iter_init(&iter, self->tiles);
  while (g_hash_table_iter_next(&iter, NULL, &value))
    g_clear_object(&((VtTile *)value)->texture);
  vt_drop(g_steal_pointer(&self->tiles), (GDestroyNotify)g_hash_table_unref);
}

static void
vt_tile_store_dispose(GObject *object)
{
  VtTileStore *self = VT_TILE_STORE(object);
  if (self->queue) {
    self->queue->store = NULL;
    g_cancellable_cancel(self->queue->cancellable);
    g_mutex_lock(&self->queue->lock);
    g_array_set_size(self->queue->wanted, 0);
    g_mutex_unlock(&self->queue->lock);
    g_clear_pointer(&self->queue, read_queue_unref);
  }
  g_ptr_array_remove_fast(stores, self);
  used -= self->bytes;
  self->bytes = 0;
  if (self->tiles)
    drop_tiles(self);
  g_clear_pointer(&self->slide, vt_slide_unref);
  G_OBJECT_CLASS(vt_tile_store_parent_class)->dispose(object);
}

static void
vt_tile_store_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_boolean(value, VT_TILE_STORE(object)->sharp);
}

static void
vt_tile_store_class_init(VtTileStoreClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  object_class->dispose = vt_tile_store_dispose;
  object_class->get_property = vt_tile_store_get_property;
  properties[PROP_SHARP] = g_param_spec_boolean("sharp", NULL, NULL, FALSE,
                                                G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties(object_class, N_PROPS, properties);
  vt_signals_new(VT_TYPE_TILE_STORE, "changed", NULL);
  vt_signal_new(VT_TYPE_TILE_STORE, "failed", G_TYPE_STRING, G_TYPE_NONE);
}

static void
vt_tile_store_init(VtTileStore *self)
{
  self->tiles = g_hash_table_new_full(place_hash, place_equal, NULL, tile_free);
  if (!stores)
    stores = g_ptr_array_new();
  g_ptr_array_add(stores, self);
}

VtTileStore *
vt_tile_store_new(VtSlide *slide)
{
  VtTileStore *self = g_object_new(VT_TYPE_TILE_STORE, NULL);
  ReadQueue *queue = g_atomic_rc_box_new0(ReadQueue);
  self->slide = vt_slide_ref(slide);
  queue->slide = vt_slide_ref(slide);
  queue->cancellable = g_cancellable_new();
  queue->store = self;
  g_mutex_init(&queue->lock);
  queue->wanted = g_array_new(FALSE, FALSE, sizeof(VtTilePlace));
  queue->busy = g_array_new(FALSE, FALSE, sizeof(VtTilePlace));
  queue->done = g_ptr_array_new_with_free_func(arrival_free);
  self->queue = queue;
  return self;
}
