/* SPDX-License-Identifier: MIT */
#include "common/vt-tile-queue.h"

#include "base/vt-define.h"

#define MAX_READ_THREADS 4
#define TAKING_THREADS 2
#define LATE_US (2 * G_USEC_PER_SEC)
#define LOOK_MS 500

/* It outlives the one who made it while a read is under way. */
struct VtTileQueue {
  VtSlide *slide;
  GCancellable *cancellable;
  void (*arrived)(GPtrArray *arrivals, gpointer user); /* main thread only; NULL once it is closed */
  void (*late)(gpointer user);
  gpointer user;
  guint look_id;     /* main thread only */
  gboolean was_late; /* what was told last; main thread only */
  GMutex lock;       /* guards everything below */
  VtColour *colour;  /* or NULL */
  guint colour_serial;
  GArray *wanted;    /* VtTilePlace, the most urgent one last */
  GArray *busy;      /* VtTilePlace being read or waiting to be drained */
  GPtrArray *done;   /* VtTileArrival */
  guint n_tokens;    /* pushed into the pool and not yet taken */
  gboolean draining; /* an idle source is waiting */
  guint n_reading;   /* threads that are at it */
  guint n_lent;      /* threads that others have for those */
  gint64 heard_us;   /* when the last of them came or, before that, the first began */
  gboolean is_late;  /* tokens are of no use until something comes */
};

guint
vt_tile_place_hash(gconstpointer key)
{
  const VtTilePlace *p = key;
  return (guint)(p->level * 0x9E3779B1u) ^ (guint)(p->col * 0x85EBCA77u) ^ (guint)(p->row * 0xC2B2AE3Du);
}

gboolean
vt_tile_place_equal(gconstpointer a, gconstpointer b)
{
  const VtTilePlace *p = a, *q = b;
  return p->level == q->level && p->col == q->col && p->row == q->row;
}

VT_DEFINE_FREE(arrival_free, VtTileArrival,
               VT_FREES(g_object_unref, texture) VT_FREES(vt_tile_pixels_unref, pixels) VT_FREES(g_free, error))

static void
clear(gpointer data)
{
  VtTileQueue *self = data;
  vt_slide_unref(self->slide);
  g_clear_pointer(&self->colour, vt_colour_unref);
  g_object_unref(self->cancellable);
  g_array_unref(self->wanted);
  g_array_unref(self->busy);
  g_ptr_array_unref(self->done);
  g_mutex_clear(&self->lock);
}

static void
unref(gpointer self)
{
  g_atomic_rc_box_release_full(self, clear);
}

/* --- threads --- */

static void read_one(gpointer data, gpointer user_data);

/* While some threads take what another process has decoded, it decodes for others. n_more: threads for those that wait for a drive that gives no
 * answer. Any thread. */
static GThreadPool *
get_pool(int n_more)
{
  static GMutex mutex;
  static GThreadPool *pool = NULL;
  static int n = 0;
  VT_LOCK(&mutex);
  if (!pool) {
    n = CLAMP((int)g_get_num_processors(), 2, MAX_READ_THREADS) + TAKING_THREADS;
    pool = g_thread_pool_new(read_one, NULL, n, TRUE, NULL);
  }
  n += n_more;
  if (n_more != 0)
    g_thread_pool_set_max_threads(pool, n, NULL);
  return pool;
}

static gboolean
take_wanted(VtTileQueue *self, VtTilePlace *place, VtColour **colour, guint *colour_serial)
{
  VT_LOCK(&self->lock);
  self->n_tokens--;
  gboolean found = self->wanted->len > 0 && !self->is_late;
  if (found) {
    *place = g_array_index(self->wanted, VtTilePlace, self->wanted->len - 1);
    g_array_set_size(self->wanted, self->wanted->len - 1);
    g_array_append_val(self->busy, *place);
    *colour = self->colour ? vt_colour_ref(self->colour) : NULL;
    *colour_serial = self->colour_serial;
    if (self->n_reading++ == 0)
      self->heard_us = g_get_monotonic_time();
  }
  return found;
}

static gboolean drain(gpointer data);

static void
hand_over(VtTileQueue *self, VtTileArrival *arrival)
{
  g_mutex_lock(&self->lock);
  g_ptr_array_add(self->done, arrival);
  const gboolean schedule = !self->draining, was_lent = self->n_lent > 0;
  self->draining = TRUE;
  self->n_reading--;
  self->n_lent -= was_lent;
  self->heard_us = g_get_monotonic_time();
  g_mutex_unlock(&self->lock);
  if (schedule)
    g_idle_add_full(G_PRIORITY_DEFAULT, drain, g_atomic_rc_box_acquire(self), unref);
  if (was_lent)
    get_pool(-1);
}

/* Pool thread. A token only says that there may be work: which tile is read is decided now, not when it was pushed. */
static void
read_one(gpointer data, gpointer user_data)
{
  VtTileQueue *self = data;
  VtTilePlace place;
  g_autoptr(VtColour) colour = NULL;
  guint colour_serial = 0;
  if (!take_wanted(self, &place, &colour, &colour_serial)) {
    unref(self);
    return;
  }
  VtTileArrival *arrival = g_new0(VtTileArrival, 1);
  g_autoptr(GError) error = NULL;
  arrival->place = place;
  arrival->colour_serial = colour_serial;
  VtTilePixels *pixels = vt_slide_read_tile(self->slide, place.level, place.col, place.row, self->cancellable, &error);
  if (pixels && colour) {
    VtTilePixels *plain = pixels;
    pixels = vt_colour_apply(colour, plain);
    vt_tile_pixels_unref(plain);
  }
  if (pixels) {
    arrival->pixels = pixels;
    arrival->texture =
      gdk_memory_texture_new(pixels->width, pixels->height, GDK_MEMORY_DEFAULT, pixels->bytes, (gsize)pixels->stride);
  } else {
    arrival->error = g_strdup(error->message);
  }
  hand_over(self, arrival);
  unref(self);
}

/* --- main thread --- */

/* -1: it is not being read. */
static int
find_busy(VtTileQueue *self, const VtTilePlace *place)
{
  for (guint i = 0; i < self->busy->len; i++)
    if (vt_tile_place_equal(&g_array_index(self->busy, VtTilePlace, i), place))
      return (int)i;
  return -1;
}

/* As many threads as there is work. */
static void
push_tokens(VtTileQueue *self)
{
  g_mutex_lock(&self->lock);
  const guint n_new = self->wanted->len > self->n_tokens ? self->wanted->len - self->n_tokens : 0;
  self->n_tokens += n_new;
  g_mutex_unlock(&self->lock);
  for (guint i = 0; i < n_new; i++)
    g_thread_pool_push(get_pool(0), g_atomic_rc_box_acquire(self), NULL);
}

/* With the lock held. Others have threads of their own for those that wait here: how many more. */
static guint
lend(VtTileQueue *self)
{
  const guint n = self->n_reading - self->n_lent;
  self->n_lent += n;
  return n;
}

static void
see_whether_late(VtTileQueue *self)
{
  g_mutex_lock(&self->lock);
  const gboolean resumes = self->is_late;
  self->is_late = self->n_reading > 0 && g_get_monotonic_time() - self->heard_us > LATE_US;
  const guint n = self->is_late ? lend(self) : 0;
  const gboolean is_late = self->is_late;
  g_mutex_unlock(&self->lock);
  if (n > 0)
    get_pool((int)n);
  if (resumes && !is_late)
    push_tokens(self);
  if (is_late == self->was_late)
    return;
  self->was_late = is_late;
  self->late(self->user);
}

static gboolean
look(gpointer data)
{
  VtTileQueue *self = data;
  see_whether_late(self);
  VT_LOCK(&self->lock);
  const gboolean goes_on = self->n_reading > 0 || self->n_tokens > 0;
  if (!goes_on)
    self->look_id = 0;
  return goes_on;
}

static gboolean
drain(gpointer data)
{
  VtTileQueue *self = data;
  g_autoptr(GPtrArray) arrivals = g_ptr_array_new_with_free_func(arrival_free);
  g_mutex_lock(&self->lock);
  self->draining = FALSE;
  for (guint i = 0; i < self->done->len; i++) {
    const int busy = find_busy(self, &((VtTileArrival *)g_ptr_array_index(self->done, i))->place);
    if (busy >= 0)
      g_array_remove_index_fast(self->busy, (guint)busy);
  }
  g_ptr_array_extend_and_steal(arrivals, g_steal_pointer(&self->done));
  self->done = g_ptr_array_new_with_free_func(arrival_free);
  g_mutex_unlock(&self->lock);
  if (!self->arrived)
    return G_SOURCE_REMOVE;
  see_whether_late(self);
  self->arrived(arrivals, self->user);
  return G_SOURCE_REMOVE;
}

void
vt_tile_queue_want(VtTileQueue *self, const GArray *places)
{
  g_mutex_lock(&self->lock);
  g_array_set_size(self->wanted, 0);
  VT_EACH_IN (const VtTilePlace, place, places)
    if (find_busy(self, place) < 0)
      g_array_append_val(self->wanted, *place);
  g_mutex_unlock(&self->lock);
  push_tokens(self);
  if (self->look_id == 0)
    self->look_id = g_timeout_add(LOOK_MS, look, self);
}

void
vt_tile_queue_set_colour(VtTileQueue *self, VtColour *colour)
{
  VT_LOCK(&self->lock);
  g_clear_pointer(&self->colour, vt_colour_unref);
  self->colour = colour ? vt_colour_ref(colour) : NULL;
  self->colour_serial++;
}

guint
vt_tile_queue_get_colour_serial(VtTileQueue *self)
{
  return self->colour_serial; /* only this thread changes it */
}

gboolean
vt_tile_queue_get_late(VtTileQueue *self)
{
  return self->was_late;
}

VtTileQueue *
vt_tile_queue_new(VtSlide *slide, void (*arrived)(GPtrArray *arrivals, gpointer user), void (*late)(gpointer user),
                  gpointer user)
{
  VtTileQueue *self = g_atomic_rc_box_new0(VtTileQueue);
  self->slide = vt_slide_ref(slide);
  self->cancellable = g_cancellable_new();
  self->arrived = arrived;
  self->late = late;
  self->user = user;
  g_mutex_init(&self->lock);
  self->wanted = g_array_new(FALSE, FALSE, sizeof(VtTilePlace));
  self->busy = g_array_new(FALSE, FALSE, sizeof(VtTilePlace));
  self->done = g_ptr_array_new_with_free_func(arrival_free);
  return self;
}

/* A thread that waits for a drive may do so for long yet. */
void
vt_tile_queue_close(VtTileQueue *self)
{
  self->arrived = NULL;
  g_clear_handle_id(&self->look_id, g_source_remove);
  g_cancellable_cancel(self->cancellable);
  g_mutex_lock(&self->lock);
  g_array_set_size(self->wanted, 0);
  const guint n = lend(self);
  g_mutex_unlock(&self->lock);
  if (n > 0)
    get_pool((int)n);
  unref(self);
}
