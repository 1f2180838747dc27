/* SPDX-License-Identifier: MIT
 *
 * Threads that stay for a whole run of resident stripes. Between two steps lie microseconds, and waking a thread takes about a hundred
 * of them. The threads are the host's, from one call of its parallel_for. The first thread that arrives leads: it runs whole().
 * In each step all threads take homes until none is left. If the host gives fewer threads, or gives them late, the leader takes
 * more homes itself. */
#include <pthread.h>
#include <sched.h>

#include "devices/resident.h"

/* How long a thread polls before it sleeps. Copies of different devices end within some milliseconds of each other. */
enum { PATIENCE_MS = 10, LOOKS = 1000 /* polls between two calls of sched_yield() and the clock */ };

struct VtHomeThreads {
  VtResident *r;
  VitrailStatus (*whole)(VtResident *r);
  VitrailStatus status;
  atomic_bool has_leader, is_over;
  VtHomeStep run;
  void *user;
  atomic_uint n_homes;
  atomic_uint step;                      /* number of the present one */
  atomic_uint taken[VT_MAX_DEVICES + 1]; /* the last step in which the home was taken */
  atomic_uint n_left;                    /* homes of this step that are not done */
  atomic_uint n_asleep;
  pthread_mutex_t lock; /* guards nothing but sleep */
  pthread_cond_t changed;
};

static bool
has_news(const VtHomeThreads *threads, bool is_leader, uint32_t seen)
{
  if (is_leader)
    return atomic_load(&threads->n_left) == 0;
  return atomic_load(&threads->is_over) || atomic_load(&threads->step) != seen;
}

static void
wait_for_news(VtHomeThreads *threads, bool is_leader, uint32_t seen)
{
  const double begin = vt_now_ms();
  do {
    for (int i = 0; i < LOOKS; i++)
      if (has_news(threads, is_leader, seen))
        return;
    sched_yield();
  } while (vt_now_ms() - begin < PATIENCE_MS);
  pthread_mutex_lock(&threads->lock);
  atomic_fetch_add(&threads->n_asleep, 1);
  while (!has_news(threads, is_leader, seen))
    pthread_cond_wait(&threads->changed, &threads->lock);
  atomic_fetch_sub(&threads->n_asleep, 1);
  pthread_mutex_unlock(&threads->lock);
}

static void
wake(VtHomeThreads *threads)
{
  if (atomic_load(&threads->n_asleep) == 0)
    return;
  pthread_mutex_lock(&threads->lock);
  pthread_cond_broadcast(&threads->changed);
  pthread_mutex_unlock(&threads->lock);
}

static void
take_homes(VtHomeThreads *threads, uint32_t step)
{
  for (uint32_t i = 0; i < threads->n_homes; i++) {
    unsigned before = step - 1;
    if (!atomic_compare_exchange_strong(&threads->taken[i], &before, step))
      continue;
    threads->run(threads->user, i);
    if (atomic_fetch_sub(&threads->n_left, 1) == 1)
      wake(threads);
  }
}

void
vt_home_threads_run(VtHomeThreads *threads, uint32_t n_homes, VtHomeStep run, void *user)
{
  const uint32_t step = atomic_load(&threads->step) + 1;
  /* Before n_homes: a thread that is still in the loop of the step before would take a home that only this step has. */
  for (uint32_t i = 0; i < VT_MAX_DEVICES + 1; i++)
    atomic_store(&threads->taken[i], step - 1);
  threads->run = run;
  threads->user = user;
  threads->n_homes = n_homes;
  atomic_store(&threads->n_left, n_homes);
  atomic_store(&threads->step, step);
  wake(threads);
  take_homes(threads, step);
  wait_for_news(threads, true, 0);
}

static void
member(void *user, uint32_t index)
{
  VtHomeThreads *threads = user;
  if (!atomic_exchange(&threads->has_leader, true)) {
    threads->status = threads->whole(threads->r);
    atomic_store(&threads->is_over, true);
    wake(threads);
    return;
  }
  for (uint32_t seen = 0; !atomic_load(&threads->is_over); wait_for_news(threads, false, seen)) {
    seen = atomic_load(&threads->step);
    if (seen > 0)
      take_homes(threads, seen);
  }
}

VitrailStatus
vt_resident_with_threads(VtResident *r, VitrailStatus (*whole)(VtResident *r))
{
  VtHomeThreads threads = { .r = r, .whole = whole };
  if (r->n_stripes < 2)
    return whole(r);
  pthread_mutex_init(&threads.lock, NULL);
  pthread_cond_init(&threads.changed, NULL);
  r->threads = &threads;
  r->run->host.parallel_for(r->run->host.user, (uint32_t)r->n_stripes, member, &threads);
  r->threads = NULL;
  pthread_mutex_destroy(&threads.lock);
  pthread_cond_destroy(&threads.changed);
  return threads.status;
}
