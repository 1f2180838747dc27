/* SPDX-License-Identifier: MIT
 *
 * Runs of every op, on the CPU and on a pretended device, cancelled at any look: they end as cancelled, and what the session
 * answers next is what it answered before. They look at least every 20 ms of work. Large ones give their memory back by a thread. */
#include <math.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdlib.h>

#include "mini-host.h"
#include "test-draw.h"
#include "vt-test.h"

static VitrailSession *session;

/* *n_looks: how often it may look before it is cancelled (-1: it never is); the number that it did not need comes back. */
static VitrailStatus
run(const MiniJob *job, uint32_t n_threads, int64_t *n_looks, MiniResult *result)
{
  MiniHost mini = { .n_threads = n_threads, .cancel_after = *n_looks };
  const VitrailStatus status = mini_job_run(job, &mini, session, result);
  *n_looks = mini.cancel_after;
  return status;
}

static void
check(const MiniJob *job, int n_cancels)
{
  enum { MANY = 1 << 30 };
  int64_t n_looks = MANY;
  MiniResult expected, got;
  char where[64] = "";
  bool right = run(job, 2, &n_looks, &expected) == VITRAIL_OK;
  const uint32_t most = MANY > n_looks ? (uint32_t)(MANY - n_looks) : 1; /* it asked not once: any number is beyond */
  for (int k = 0; k < n_cancels && right; k++) {
    n_looks = k == 0 ? 0 : pick(most);
    const VitrailStatus status = run(job, 2, &n_looks, &got);
    right = status == VITRAIL_CANCELLED || (status == VITRAIL_OK && n_looks > 0); /* it may need fewer another time */
    mini_result_clear(&got);
  }
  n_looks = -1;
  right = right && run(job, 2, &n_looks, &got) == VITRAIL_OK;
  const bool equal = right && mini_result_equal(&expected, &got, where, sizeof where);
  vt_ok(equal, "%s on %s, %lld px, %u looks, cancelled %d times%s%s", job->request.op_id, job->request.backend,
        (long long)(job->images[0].width * job->images[0].height), most, n_cancels, equal ? "" : ": ",
        equal ? "" : where);
  if (right)
    mini_result_clear(&got);
  mini_result_clear(&expected);
}

#if defined __OPTIMIZE__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
/* 20, and as much again for a virtual machine that maps new pages slowly: that time counts, too. */
enum { MOST_MS = 40 };
#else
enum { MOST_MS = 400 };
#endif

/* So a run that is cancelled ends in time, whenever that is. The best of six: what is missing is so each time, and a
 * machine at work is not. */
static void
check_looks(const MiniJob *job)
{
  double least_ms = INFINITY;
  bool right = true;
  for (int k = 0; k < 6 && right && least_ms > MOST_MS; k++) {
    int64_t n_looks = -1;
    MiniResult result;
    right = run(job, 1, &n_looks, &result) == VITRAIL_OK;
    least_ms = fmin(least_ms, result.longest_ms);
    mini_result_clear(&result);
  }
  vt_ok(right && least_ms <= MOST_MS, "%s looks at the cancel every %.1f ms at least", job->request.op_id, least_ms);
}

int
main(void)
{
  static const char *const large[] = { "reconstruct", "distance" };
  static const char *const backends[] = { "cpu", "cuda" };
  VtImage small = mini_tissue_new(330, 290, 5), wide = mini_tissue_new(2100, 2000, 6);
#ifdef __GLIBC__
  mallopt(M_PERTURB, 0); /* memory that is filled when it comes and goes takes its time */
#endif
  mini_plugin()->session_open(&session);
  for (size_t b = 0; b < 2; b++) {
    for (uint32_t i = 0; i < mini_plugin()->n_ops; i++) {
      MiniJob job = mini_job(mini_plugin()->ops[i], &small), looks = mini_job(mini_plugin()->ops[i], &wide);
      job.request.backend = backends[b];
      check(&job, 12);
      if (b == 0)
        check_looks(&looks);
    }
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
      MiniJob job = mini_job(mini_op(large[i]), &wide);
      job.request.backend = backends[b];
      job.request.stages_wanted = 1;
      check(&job, 3);
    }
  }
  mini_plugin()->session_close(session);
  free(small.data);
  free(wide.data);
  return vt_test_done();
}
