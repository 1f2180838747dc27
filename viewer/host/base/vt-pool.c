/* SPDX-License-Identifier: MIT */
#include "base/vt-pool.h"

#include "base/vt-define.h"

#define MAX_THREADS 256

/* Shared by the caller and its helpers; a helper that comes late finds no index left and only drops its reference. */
typedef struct {
  gatomicrefcount ref_count;
  guint n;
  gint next; /* atomic */
  void (*job)(void *user, guint32 index);
  void *user;
  GMutex mutex; /* guards n_done */
  GCond all_done;
  guint n_done;
} Loop;

static void
loop_unref(Loop *loop)
{
  if (!g_atomic_ref_count_dec(&loop->ref_count))
    return;
  g_mutex_clear(&loop->mutex);
  g_cond_clear(&loop->all_done);
  g_free(loop);
}

static void
loop_work(Loop *loop)
{
  guint n_done = 0;
  for (;;) {
    const guint index = (guint)g_atomic_int_add(&loop->next, 1);
    if (index >= loop->n)
      break;
    loop->job(loop->user, index);
    n_done++;
  }
  VT_LOCK(&loop->mutex);
  loop->n_done += n_done;
  if (loop->n_done == loop->n)
    g_cond_broadcast(&loop->all_done);
}

static void
help(gpointer data, gpointer user)
{
  loop_work(data);
  loop_unref(data);
}

static GThreadPool *
get_pool(guint n_threads)
{
  static GMutex mutex; /* guards the pool's making and growing */
  static GThreadPool *pool = NULL;
  VT_LOCK(&mutex);
  if (!pool)
    pool = g_thread_pool_new(help, NULL, (gint)MAX(n_threads, 1), TRUE, NULL);
  else if (g_thread_pool_get_max_threads(pool) < (gint)n_threads)
    g_thread_pool_set_max_threads(pool, (gint)n_threads, NULL);
  return pool;
}

static guint
count_threads(guint n_threads)
{
  return CLAMP(n_threads == 0 ? g_get_num_processors() : n_threads, 1, MAX_THREADS);
}

void
vt_parallel_for(guint n_threads, guint n, void (*job)(void *user, guint32 index), void *user)
{
  if (n == 0)
    return;
  n_threads = count_threads(n_threads);
  const guint n_helpers = MIN(n_threads, n) - 1;
  Loop *loop = g_new0(Loop, 1);
  g_atomic_ref_count_init(&loop->ref_count);
  g_mutex_init(&loop->mutex);
  g_cond_init(&loop->all_done);
  loop->n = n;
  loop->job = job;
  loop->user = user;
  for (guint i = 0; i < n_helpers; i++) {
    g_atomic_ref_count_inc(&loop->ref_count);
    g_thread_pool_push(get_pool(n_helpers), loop, NULL);
  }
  loop_work(loop);
  g_mutex_lock(&loop->mutex);
  while (loop->n_done < loop->n)
    g_cond_wait(&loop->all_done, &loop->mutex);
  g_mutex_unlock(&loop->mutex);
  loop_unref(loop);
}

/* --- in order --- */

typedef struct {
  void (*make)(void *user, guint32 index, guint32 slot);
  void (*take)(void *user, guint32 index, guint32 slot);
  void *user;
  guint n, n_slots;
  GMutex lock; /* guards what follows */
  GCond freed; /* a slot */
  guint next, n_taken;
  gboolean is_taking, *is_made; /* of each slot */
} Ordered;

/* Called with the lock, which it gives up while it takes. Whoever makes something meanwhile leaves it to this thread. */
static void
take_made(Ordered *ordered)
{
  guint slot;
  ordered->is_taking = TRUE;
  while (ordered->is_made[slot = ordered->n_taken % ordered->n_slots]) {
    g_mutex_unlock(&ordered->lock);
    ordered->take(ordered->user, ordered->n_taken, slot);
    g_mutex_lock(&ordered->lock);
    ordered->is_made[slot] = FALSE;
    ordered->n_taken++;
    g_cond_broadcast(&ordered->freed);
  }
  ordered->is_taking = FALSE;
}

static void
make_and_take(void *user, guint32 thread)
{
  Ordered *ordered = user;
  VT_LOCK(&ordered->lock);
  for (;;) {
    while (ordered->next < ordered->n && ordered->next - ordered->n_taken >= ordered->n_slots)
      g_cond_wait(&ordered->freed, &ordered->lock);
    if (ordered->next >= ordered->n)
      return;
    const guint index = ordered->next++, slot = index % ordered->n_slots;
    g_mutex_unlock(&ordered->lock);
    ordered->make(ordered->user, index, slot);
    g_mutex_lock(&ordered->lock);
    ordered->is_made[slot] = TRUE;
    if (!ordered->is_taking)
      take_made(ordered);
  }
}

void
vt_parallel_in_order(guint n_threads, guint n, guint n_slots, void (*make)(void *user, guint32 index, guint32 slot),
                     void (*take)(void *user, guint32 index, guint32 slot), void *user)
{
  Ordered ordered = { .make = make, .take = take, .user = user, .n = n, .n_slots = n_slots };
  ordered.is_made = g_new0(gboolean, n_slots);
  g_mutex_init(&ordered.lock);
  g_cond_init(&ordered.freed);
  vt_parallel_for(n_threads, MIN(count_threads(n_threads), n), make_and_take, &ordered);
  g_cond_clear(&ordered.freed);
  g_mutex_clear(&ordered.lock);
  g_free(ordered.is_made);
}
