/* SPDX-License-Identifier: MIT
 *
 * GLib's locks, pools and counts are futexes of its own, which ThreadSanitizer cannot see: everything under a GMutex looks
 * like a race. Preloaded, this tells it of them. With a build of -Db_sanitize=thread -Db_lundef=false:
 *   gcc -shared -fPIC tests/support/tsan-glib.c -o tsan-glib.so $(pkg-config --cflags glib-2.0)
 *   LD_PRELOAD=$PWD/tsan-glib.so PROGRAM */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <glib.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define REAL(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

void
g_mutex_lock(GMutex *mutex)
{
  static __typeof__(&g_mutex_lock) real;
  real = real ? real : REAL(g_mutex_lock);
  real(mutex);
  __tsan_acquire(mutex);
}

gboolean
g_mutex_trylock(GMutex *mutex)
{
  const gboolean locked = REAL(g_mutex_trylock)(mutex);
  if (locked)
    __tsan_acquire(mutex);
  return locked;
}

void
g_mutex_unlock(GMutex *mutex)
{
  static __typeof__(&g_mutex_unlock) real;
  real = real ? real : REAL(g_mutex_unlock);
  __tsan_release(mutex);
  real(mutex);
}

void
g_cond_wait(GCond *cond, GMutex *mutex)
{
  __tsan_release(mutex);
  REAL(g_cond_wait)(cond, mutex);
  __tsan_acquire(mutex);
}

gboolean
g_cond_wait_until(GCond *cond, GMutex *mutex, gint64 end)
{
  __tsan_release(mutex);
  const gboolean done = REAL(g_cond_wait_until)(cond, mutex, end);
  __tsan_acquire(mutex);
  return done;
}

gboolean(g_atomic_ref_count_dec)(gatomicrefcount *count)
{
  __tsan_release(count);
  const gboolean last = REAL(g_atomic_ref_count_dec)(count);
  if (last)
    __tsan_acquire(count);
  return last;
}

void
g_atomic_rc_box_release_full(gpointer box, GDestroyNotify clear)
{
  /* Acquired by every one, not by the last alone: the box clears itself inside. */
  __tsan_release(box);
  __tsan_acquire(box);
  REAL(g_atomic_rc_box_release_full)(box, clear);
}

void
g_bytes_unref(GBytes *bytes)
{
  if (bytes) {
    __tsan_release(bytes);
    __tsan_acquire(bytes);
  }
  REAL(g_bytes_unref)(bytes);
}

gboolean(g_once_init_enter)(volatile void *location)
{
  const gboolean first = REAL(g_once_init_enter)(location);
  __tsan_acquire((void *)location);
  return first;
}

void(g_once_init_leave)(volatile void *location, gsize result)
{
  __tsan_release((void *)location);
  REAL(g_once_init_leave)(location, result);
}

/* What is pushed happened before the work on it. */
typedef struct {
  GFunc work;
  gpointer user;
} PoolWork;

static void
pool_work(gpointer data, gpointer user)
{
  const PoolWork *work = user;
  __tsan_acquire(data);
  work->work(data, work->user);
}

GThreadPool *
g_thread_pool_new(GFunc function, gpointer user, gint n_threads, gboolean exclusive, GError **error)
{
  PoolWork *work = g_new(PoolWork, 1);
  *work = (PoolWork){ function, user };
  return REAL(g_thread_pool_new)(pool_work, work, n_threads, exclusive, error);
}

gboolean
g_thread_pool_push(GThreadPool *pool, gpointer data, GError **error)
{
  __tsan_release(data);
  return REAL(g_thread_pool_push)(pool, data, error);
}
