/* SPDX-License-Identifier: MIT
 *
 * Threads that stay for a whole run of resident stripes: what happens between two steps takes microseconds, and to wake a
 * thread takes a hundred. They are the host's, from one call of its parallel_for. The first one that comes leads; the
 * others take the homes of each step that it has not taken itself. The host may give fewer threads, or late: then
 * the leader does their part. */
#include <pthread.h>
#include <sched.h>

#include "devices/resident.h"

/* How long a thread looks before it sleeps: copies of different devices end within some milliseconds of each other. */
enum { PATIENCE_MS = 10, LOOKS = 1000 /* before it lets others have the core, and reads the clock */ };

struct VtCrew {
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
has_news(const VtCrew *crew, bool is_leader, uint32_t seen)
{
  if (is_leader)
    return atomic_load(&crew->n_left) == 0;
  return atomic_load(&crew->is_over) || atomic_load(&crew->step) != seen;
}

static void
wait_for_news(VtCrew *crew, bool is_leader, uint32_t seen)
{
  const double begin = vt_now_ms();
  do {
    for (int i = 0; i < LOOKS; i++)
      if (has_news(crew, is_leader, seen))
        return;
    sched_yield();
  } while (vt_now_ms() - begin < PATIENCE_MS);
  pthread_mutex_lock(&crew->lock);
  atomic_fetch_add(&crew->n_asleep, 1);
  while (!has_news(crew, is_leader, seen))
    pthread_cond_wait(&crew->changed, &crew->lock);
  atomic_fetch_sub(&crew->n_asleep, 1);
  pthread_mutex_unlock(&crew->lock);
}

static void
wake(VtCrew *crew)
{
  if (atomic_load(&crew->n_asleep) == 0)
    return;
  pthread_mutex_lock(&crew->lock);
  pthread_cond_broadcast(&crew->changed);
  pthread_mutex_unlock(&crew->lock);
}

static void
take_homes(VtCrew *crew, uint32_t step)
{
  for (uint32_t i = 0; i < crew->n_homes; i++) {
    unsigned before = step - 1;
    if (!atomic_compare_exchange_strong(&crew->taken[i], &before, step))
      continue;
    crew->run(crew->user, i);
    if (atomic_fetch_sub(&crew->n_left, 1) == 1)
      wake(crew);
  }
}

void
vt_crew_run(VtCrew *crew, uint32_t n_homes, VtHomeStep run, void *user)
{
  const uint32_t step = atomic_load(&crew->step) + 1;
  crew->run = run;
  crew->user = user;
  crew->n_homes = n_homes;
  for (uint32_t i = 0; i < VT_MAX_DEVICES + 1; i++)
    atomic_store(&crew->taken[i], step - 1);
  atomic_store(&crew->n_left, n_homes);
  atomic_store(&crew->step, step);
  wake(crew);
  take_homes(crew, step);
  wait_for_news(crew, true, 0);
}

static void
member(void *user, uint32_t index)
{
  VtCrew *crew = user;
  (void)index;
  if (!atomic_exchange(&crew->has_leader, true)) {
    crew->status = crew->whole(crew->r);
    atomic_store(&crew->is_over, true);
    wake(crew);
    return;
  }
  for (uint32_t seen = 0; !atomic_load(&crew->is_over); wait_for_news(crew, false, seen)) {
    seen = atomic_load(&crew->step);
    if (seen > 0)
      take_homes(crew, seen);
  }
}

VitrailStatus
vt_resident_with_crew(VtResident *r, VitrailStatus (*whole)(VtResident *r))
{
  VtCrew crew = { .r = r, .whole = whole };
  if (r->n_stripes < 2)
    return whole(r);
  pthread_mutex_init(&crew.lock, NULL);
  pthread_cond_init(&crew.changed, NULL);
  r->crew = &crew;
  r->run->host.parallel_for(r->run->host.user, (uint32_t)r->n_stripes, member, &crew);
  r->crew = NULL;
  pthread_mutex_destroy(&crew.lock);
  pthread_cond_destroy(&crew.changed);
  return crew.status;
}
