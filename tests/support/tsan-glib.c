/* SPDX-License-Identifier: MIT
 *
 * GLib's locks, pools and counts are futexes of its own, which ThreadSanitizer cannot see: everything under a GMutex looks
 * like a race. Preloaded, this tells it of them. With a build of -Db_sanitize=thread -Db_lundef=false:
 *   gcc -shared -fPIC tests/support/tsan-glib.c -o tsan-glib.so $(pkg-config --cflags gio-2.0)
 *   LD_PRELOAD=$PWD/tsan-glib.so TSAN_OPTIONS=report_mutex_bugs=0:allocator_may_return_null=1:suppressions=$PWD/tests/support/tsan.supp PROGRAM */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <gio/gio.h>
#include <pthread.h>

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

/* What was made before a source was added happened before it is dispatched. */
typedef struct {
  GSourceFunc work;
  gpointer user;
  GDestroyNotify free;
} SourceWork;

static gboolean
source_work(gpointer data)
{
  const SourceWork *work = data;
  __tsan_acquire(data);
  return work->work(work->user);
}

static void
source_free(gpointer data)
{
  SourceWork *work = data;
  if (work->free)
    work->free(work->user);
  g_free(work);
}

static SourceWork *
source_new(GSourceFunc function, gpointer user, GDestroyNotify free)
{
  SourceWork *work = g_new(SourceWork, 1);
  *work = (SourceWork){ function, user, free };
  __tsan_release(work);
  return work;
}

guint
g_idle_add_full(gint priority, GSourceFunc function, gpointer user, GDestroyNotify free)
{
  return REAL(g_idle_add_full)(priority, source_work, source_new(function, user, free), source_free);
}

guint
g_idle_add(GSourceFunc function, gpointer user)
{
  return g_idle_add_full(G_PRIORITY_DEFAULT_IDLE, function, user, NULL);
}

guint
g_timeout_add_full(gint priority, guint ms, GSourceFunc function, gpointer user, GDestroyNotify free)
{
  return REAL(g_timeout_add_full)(priority, ms, source_work, source_new(function, user, free), source_free);
}

guint
g_timeout_add(guint ms, GSourceFunc function, gpointer user)
{
  return g_timeout_add_full(G_PRIORITY_DEFAULT, ms, function, user, NULL);
}

/* A task goes to a worker, and comes back with what it returns. Workers ask for nothing but what their task was given. */
static GHashTable *functions; /* GTask -> GTaskThreadFunc, under a lock of its own */
static pthread_mutex_t functions_lock = PTHREAD_MUTEX_INITIALIZER;

static void
task_work(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  pthread_mutex_lock(&functions_lock);
  const GTaskThreadFunc function = (GTaskThreadFunc)g_hash_table_lookup(functions, task);
  pthread_mutex_unlock(&functions_lock);
  __tsan_acquire(task);
  function(task, source, data, cancellable);
}

void
g_task_run_in_thread(GTask *task, GTaskThreadFunc function)
{
  pthread_mutex_lock(&functions_lock);
  if (!functions)
    functions = g_hash_table_new(NULL, NULL);
  g_hash_table_replace(functions, task, (gpointer)function);
  pthread_mutex_unlock(&functions_lock);
  __tsan_release(task);
  REAL(g_task_run_in_thread)(task, task_work);
}

void
g_task_return_boolean(GTask *task, gboolean result)
{
  __tsan_release(task);
  REAL(g_task_return_boolean)(task, result);
}

void
g_task_return_pointer(GTask *task, gpointer result, GDestroyNotify free)
{
  __tsan_release(task);
  REAL(g_task_return_pointer)(task, result, free);
}

void
g_task_return_error(GTask *task, GError *error)
{
  __tsan_release(task);
  REAL(g_task_return_error)(task, error);
}

gpointer
g_task_get_task_data(GTask *task)
{
  __tsan_acquire(task);
  return REAL(g_task_get_task_data)(task);
}

gboolean
g_task_propagate_boolean(GTask *task, GError **error)
{
  __tsan_acquire(task);
  return REAL(g_task_propagate_boolean)(task, error);
}

gpointer
g_task_propagate_pointer(GTask *task, GError **error)
{
  __tsan_acquire(task);
  return REAL(g_task_propagate_pointer)(task, error);
}

void(g_object_unref)(gpointer object)
{
  __tsan_release(object);
  __tsan_acquire(object);
  REAL(g_object_unref)(object);
}

void
g_async_queue_push(GAsyncQueue *queue, gpointer data)
{
  __tsan_release(queue);
  REAL(g_async_queue_push)(queue, data);
}

gpointer
g_async_queue_try_pop(GAsyncQueue *queue)
{
  const gpointer data = REAL(g_async_queue_try_pop)(queue);
  __tsan_acquire(queue);
  return data;
}
