/* SPDX-License-Identifier: MIT
 *
 * bench-cancel.c: how long a call goes on after it was cancelled. Each is cancelled at random moments, one in each of the
 * equal parts of its run; those at which it was through already don't count. What takes longer than `within` is cancelled in
 * that first part of it, and, on a smaller image, over its whole run in a line of its own. The longest time without a look
 * is that of a run that nobody cancels: on the CPU the time that one thread works between two looks. */
#include "bench.h"

#include "../support/bench-image.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THROUGH = -1, FAILED = -2 };

static struct {
  atomic_bool cancelled;
  double cancelled_at, worked_until, delay_ms; /* ms of the wall's clock; of the work of all threads */
  bool by_thread; /* gaps are of one thread's work, else of the wall's clock and any thread */
  atomic_llong last_look, longest_gap, first_seen; /* ns; first_seen 0: nobody looked since the cancel */
  atomic_uint run;
} watch;

static _Thread_local long long thread_last_look; /* by the clock of the thread's own work */
static _Thread_local uint32_t thread_run;

static long long
clock_ns(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ms of work of all threads: what others do on this machine is not in it. */
static double
worked_ms(void)
{
  return (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) * 1e-6;
}

/* So long without a look: until one, or until the thread has no more to do. */
static void
note_gap(bool looks)
{
  const long long now = clock_ns(watch.by_thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC);
  if (watch.by_thread && thread_run != atomic_load(&watch.run)) { /* the thread's first in this run */
    thread_run = atomic_load(&watch.run);
    thread_last_look = now;
  }
  const long long last = watch.by_thread ? thread_last_look : atomic_load(&watch.last_look);
  long long most = atomic_load(&watch.longest_gap);
  while (now - last > most && !atomic_compare_exchange_weak(&watch.longest_gap, &most, now - last))
    ;
  if (looks && watch.by_thread)
    thread_last_look = now;
  else if (looks)
    atomic_store(&watch.last_look, now);
}

static bool
is_cancelled(void *user)
{
  long long none = 0;
  note_gap(true);
  if (!atomic_load_explicit(&watch.cancelled, memory_order_relaxed))
    return false;
  atomic_compare_exchange_strong(&watch.first_seen, &none, clock_ns(CLOCK_MONOTONIC));
  return true;
}

typedef struct {
  void (*job)(void *user, uint32_t index);
  void *user;
} Job;

static void
watched(void *user, uint32_t index)
{
  const Job *job = user;
  if (watch.by_thread && thread_run != atomic_load(&watch.run))
    note_gap(false);
  job->job(job->user, index);
  note_gap(false);
}

void
bench_watched_parallel(Bench *bench, uint32_t n, void (*job)(void *job_user, uint32_t index), void *job_user)
{
  Job mine = { job, job_user };
  if (bench->cancels)
    bench_parallel(&bench->n_threads, n, watched, &mine);
  else
    bench_parallel(&bench->n_threads, n, job, job_user);
}

static void *
cancel_later(void *user)
{
  const long long ns = (long long)(watch.delay_ms * 1e6);
  nanosleep(&(struct timespec){ (time_t)(ns / 1000000000), (long)(ns % 1000000000) }, NULL);
  watch.worked_until = worked_ms();
  watch.cancelled_at = vt_now_ms();
  atomic_store(&watch.cancelled, true);
  return user;
}

typedef struct {
  double answer, seen, run, gap; /* ms; answer: between the cancel and the return, or THROUGH, or FAILED */
} Sample;

/* On the CPU the answer is not more than its threads worked in that time. */
static Sample
sample(Bench *bench, double delay_ms)
{
  const VtCancel cancel = { is_cancelled, NULL };
  pthread_t thread;
  Sample s = { .answer = FAILED };
  atomic_store(&watch.cancelled, false);
  atomic_store(&watch.longest_gap, 0);
  atomic_store(&watch.first_seen, 0);
  atomic_fetch_add(&watch.run, 1);
  watch.delay_ms = delay_ms;
  watch.by_thread = strcmp(bench->backend->id, "cpu") == 0;
  if (!bench_refill(bench) || pthread_create(&thread, NULL, cancel_later, NULL) != 0)
    return s;
  const double start = vt_now_ms();
  note_gap(true);
  atomic_store(&watch.last_look, clock_ns(CLOCK_MONOTONIC));
  const VitrailStatus status = bench->at->run(bench, &cancel);
  const double returned = vt_now_ms(), until = worked_ms();
  note_gap(false);
  pthread_join(thread, NULL);
  s = (Sample){ .answer = returned - watch.cancelled_at,
                .seen = (double)atomic_load(&watch.first_seen) * 1e-6 - watch.cancelled_at,
                .run = returned - start,
                .gap = (double)atomic_load(&watch.longest_gap) * 1e-6 };
  if (watch.by_thread && until - watch.worked_until < s.answer)
    s.answer = until - watch.worked_until;
  if (status != VITRAIL_CANCELLED)
    s.answer = status == VITRAIL_OK ? THROUGH : FAILED;
  return s;
}

typedef struct {
  double run, gap; /* ms of the first run */
  bool through;    /* it was, within the time */
  Sample worst;
  double at; /* ms; when the worst was cancelled */
  int n;
} Line;

static void
print(const Bench *bench, const Line *line)
{
  char size[32];
  const Sample *worst = &line->worst;
  const char *name = bench->at->name, *variant = bench->at->variant(bench, bench->variant);
  bench_size_text(bench->width, bench->height, size);
  if (bench->json)
    printf(
      "{\"case\": \"%s\", \"variant\": \"%s\", \"backend\": \"%s\", \"width\": %lld, \"height\": %lld, \"failed\": %s, "
      "\"through\": %s, \"run_ms\": %.1f, \"worst_ms\": %.2f, \"seen_ms\": %.2f, \"after_ms\": %.1f, \"cancels\": %d, "
      "\"gap_ms\": %.2f}\n",
      name, variant, bench->backend->id, (long long)bench->width, (long long)bench->height,
      worst->answer == FAILED ? "true" : "false", line->through ? "true" : "false", line->run,
      line->n > 0 ? worst->answer : 0, worst->seen, line->at, line->n, line->gap);
  else if (worst->answer == FAILED)
    printf("| %s | %s | %s | | failed | | | | |\n", name, variant, size);
  else
    printf("| %s | %s | %s%s | %.0f | %.2f | %.2f | %.1f | %d | %.2f |\n", name, variant, size,
           line->through ? "" : ", its beginning", line->run, line->n > 0 ? worst->answer : 0, worst->seen, line->at,
           line->n, line->gap);
  fflush(stdout);
}

/* A moment in part k of the equal parts of the run. */
static double
moment(const Bench *bench, int k, double run_ms)
{
  return (k + vt_bench_hash((uint32_t)k, (uint32_t)bench->n_moments, 11) % 1000 * 1e-3) / bench->n_moments * run_ms;
}

bool
bench_is_through(Bench *bench)
{
  return sample(bench, bench->within_ms).answer == THROUGH;
}

bool
bench_cancel(Bench *bench)
{
  const Sample first = sample(bench, bench->within_ms);
  Line line = { first.run, first.gap, first.answer == THROUGH, { .answer = THROUGH }, 0, 0 };
  if (first.answer == FAILED)
    line.worst = first;
  double until = line.through ? line.run : bench->within_ms;
  for (int k = 0; k < bench->n_moments && line.worst.answer != FAILED; k++) {
    const double ms = moment(bench, k, until);
    const Sample s = sample(bench, ms);
    line.n += s.answer >= 0;
    until = s.answer == THROUGH && s.run < until ? s.run : until; /* the first run may have warmed up the machine */
    if (s.answer == FAILED || s.answer > line.worst.answer) {
      line.worst = s;
      line.at = ms;
    }
  }
  bench->n_bad += line.worst.answer == FAILED || (bench->limit_ms > 0 && line.worst.answer > bench->limit_ms);
  print(bench, &line);
  return line.through || line.worst.answer == FAILED;
}
