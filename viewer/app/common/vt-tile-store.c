/* SPDX-License-Identifier: MIT */
#include "common/vt-tile-store.h"

#include <math.h>

#include "base/vt-define.h"
#include "common/vt-drop.h"
#include "common/vt-signals.h"
#include "common/vt-test-log.h"
#include "slide/vt-tile-memory.h"

#define DEFAULT_BUDGET ((gsize)256 << 20)

struct _VtTileStore {
  GObject parent;
  VtSlide *slide;
  VtTileQueue *queue;
  GHashTable *tiles; /* VtTilePlace (inside the value) -> VtTile */
  gsize bytes;
  VtViewport view;
  int level;
  guint64 view_serial;
  guint n_failed;
  gboolean sharp;
};

G_DEFINE_FINAL_TYPE(VtTileStore, vt_tile_store, G_TYPE_OBJECT)

enum { PROP_SHARP = 1, PROP_LATE, N_PROPS };
static GParamSpec *properties[N_PROPS];

/* Of all stores; main thread only. */
static GPtrArray *stores = NULL;
static gsize budget = DEFAULT_BUDGET, used = 0;
static guint64 n_views = 0; /* counts the views of all: what was seen last is dropped last, whichever slide's it is */

VT_DEFINE_FREE(tile_free, VtTile, VT_FREES(g_object_unref, texture) VT_FREES(vt_tile_pixels_unref, pixels))

static void request_missing(VtTileStore *self);

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
  VT_EACH_OF (VtTileStore, store, stores) {
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

static void
keep_arrival(VtTileStore *self, VtTileArrival *arrival)
{
  VtTile *tile = g_new(VtTile, 1);
  *tile = (VtTile){ arrival->place,
                    g_steal_pointer(&arrival->pixels),
                    g_steal_pointer(&arrival->texture),
                    self->view_serial,
                    self,
                    arrival->colour_serial };
  gboolean bad = arrival->error && tile->place.level < vt_slide_get_n_stored_levels(self->slide);
  gboolean first_failure = bad && self->n_failed == 0;
  const gsize size = tile->pixels ? g_bytes_get_size(tile->pixels->bytes) : 0;
  self->bytes += size;
  used += size;
  self->n_failed += bad ? 1 : 0;
  VtTile *old = g_hash_table_lookup(self->tiles, &tile->place);
  if (old)
    forget(old);
  g_hash_table_replace(self->tiles, &tile->place, tile);
  if (first_failure)
    g_signal_emit_by_name(self, "failed", arrival->error);
}

static void
on_arrived(GPtrArray *arrivals, gpointer store)
{
  g_autoptr(VtTileStore) self = g_object_ref(store);
  gboolean some_failed = FALSE, some_old = FALSE;
  VT_EACH_OF (VtTileArrival, arrival, arrivals) {
    some_old |= arrival->colour_serial != vt_tile_queue_get_colour_serial(self->queue);
    some_failed |= arrival->error != NULL;
    keep_arrival(self, arrival);
  }
  /* Colours may have changed while these were on their way. */
  if (some_failed || some_old)
    request_missing(self);
  evict(NULL, budget);
  /* First, so that whoever hears of the change knows whether it is worth waiting for more. */
  set_sharp(self, is_sharp(self));
  g_signal_emit_by_name(self, "changed");
}

static void
on_late(gpointer store)
{
  VtTileStore *self = store;
  vt_test_log("tiles-late %d", vt_tile_queue_get_late(self->queue));
  g_object_notify_by_pspec(store, properties[PROP_LATE]);
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
        if (tile->pixels && tile->colour_serial != vt_tile_queue_get_colour_serial(self->queue))
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
  int coarsest = vt_slide_get_n_levels(self->slide) - 1;
  g_autoptr(GArray) candidates = g_array_new(FALSE, FALSE, sizeof(Candidate));
  VtTileRange seen = vt_tile_store_get_range(self, &self->view, self->level);
  add_candidates(self, self->level, seen, 0, candidates);
  /* The stand-in for everything comes first where the file stores it, and last where it has to be made from all of the
   * finer tiles. */
  gboolean stored = coarsest < vt_slide_get_n_stored_levels(self->slide);
  seen = vt_tile_store_get_range(self, &self->view, coarsest);
  const VtTile *stand_in = vt_tile_store_lookup(self, coarsest, 0, 0);
  if (coarsest != self->level
      && (stored || !stand_in || stand_in->colour_serial != vt_tile_queue_get_colour_serial(self->queue)))
    add_candidates(self, coarsest, seen, stored ? -G_MAXDOUBLE / 2 : G_MAXDOUBLE / 2, candidates);
  g_array_sort(candidates, compare_farthest_first);
  g_autoptr(GArray) places = g_array_sized_new(FALSE, FALSE, sizeof(VtTilePlace), candidates->len);
  for (guint i = 0; i < candidates->len; i++)
    g_array_append_val(places, g_array_index(candidates, Candidate, i).place);
  vt_tile_queue_want(self->queue, places);
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
  g_autoptr(GArray) places = g_array_new(FALSE, FALSE, sizeof(VtTilePlace));
  g_array_append_val(places, ((VtTilePlace){ coarsest, 0, 0 }));
  vt_tile_queue_want(self->queue, places);
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

gboolean
vt_tile_store_get_late(VtTileStore *self)
{
  return vt_tile_queue_get_late(self->queue);
}

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
  vt_tile_queue_set_colour(self->queue, colour);
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
  g_clear_pointer(&self->queue, vt_tile_queue_close);
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
  g_value_set_boolean(value,
                      id == PROP_SHARP ? VT_TILE_STORE(object)->sharp : vt_tile_store_get_late(VT_TILE_STORE(object)));
}

static void
vt_tile_store_class_init(VtTileStoreClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  object_class->dispose = vt_tile_store_dispose;
  object_class->get_property = vt_tile_store_get_property;
  properties[PROP_SHARP] = g_param_spec_boolean("sharp", NULL, NULL, FALSE,
                                                G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  properties[PROP_LATE] = g_param_spec_boolean("late", NULL, NULL, FALSE,
                                               G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties(object_class, N_PROPS, properties);
  vt_signals_new(VT_TYPE_TILE_STORE, "changed", NULL);
  vt_signal_new(VT_TYPE_TILE_STORE, "failed", G_TYPE_STRING, G_TYPE_NONE);
}

static void
vt_tile_store_init(VtTileStore *self)
{
  self->tiles = g_hash_table_new_full(vt_tile_place_hash, vt_tile_place_equal, NULL, tile_free);
  if (!stores)
    stores = g_ptr_array_new();
  g_ptr_array_add(stores, self);
}

VtTileStore *
vt_tile_store_new(VtSlide *slide)
{
  VtTileStore *self = g_object_new(VT_TYPE_TILE_STORE, NULL);
  self->slide = vt_slide_ref(slide);
  self->queue = vt_tile_queue_new(slide, on_arrived, on_late, self);
  return self;
}
