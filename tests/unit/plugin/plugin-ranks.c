/* SPDX-License-Identifier: MIT
 *
 * Several ranks of which one fails, at any call to its host, at any allocation, or for want of scratch files: all of them end,
 * and say that they failed. A rank that waits for ever, or for something else than the others, fails the test. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mini-host.h"
#include "vt-test.h"

enum {
  N_RANKS = 3,
  WIDTH = 70,
  HEIGHT = 1700 /* stripes are whole blocks of 512 rows */,
  SECONDS = 120,
  BUDGET = 2000000
};

typedef enum { HOST, MEMORY, FOLDER } Fault;

typedef struct {
  const VitrailOp *op;
  const VtImage *image;
  const char *scratch;
  MiniRanks *talk;
  uint32_t rank;
  uint64_t budget;
  Fault fault;
  int64_t fail_at; /* as it is left; 0 at first: nothing fails */
  VitrailStatus status;
} Rank;

static char scratch[] = "/tmp/vitrail-test-XXXXXX";
static char doing[100];

/* --- memory --- */

#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
enum { CAN_FAIL = 1 };
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
static _Thread_local int64_t until_failure; /* allocations of the plugin by this thread; 0: none fails */
static const void *plugin_base;

static bool
must_fail(const void *caller)
{
  Dl_info info;
  if (until_failure == 0 || !dladdr(caller, &info) || info.dli_fbase != plugin_base)
    return false;
  return --until_failure == 0;
}

void *
malloc(size_t size)
{
  return must_fail(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
  return must_fail(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

static void
find_plugin(void)
{
  Dl_info info;
  plugin_base = dladdr((const void *)mini_plugin(), &info) ? info.dli_fbase : NULL;
}
#else
enum { CAN_FAIL = 0 };
static _Thread_local int64_t until_failure;

static void
find_plugin(void)
{
}
#endif

/* --- */

static void
hangs(int number)
{
  static const char text[] = "Bail out! Ranks wait for ever: ";
  if (write(1, text, sizeof text - 1) < 0 || write(1, doing, strlen(doing)) < 0)
    _exit(2);
  _exit(1);
}

static void *
run_rank(void *user)
{
  static const double points[] = { 0, 0, 60, 0, 60, 90, 0, 90, 5, 500, 50, 500, 50, 1650, 5, 1650 };
  static const uint32_t four = 4;
  Rank *rank = user;
  MiniResult result;
  MiniJob job = mini_job(rank->op, rank->image);
  VitrailRoi rois[2];
  const VitrailRoi *roi_list[] = { &rois[0], &rois[1] };
  for (int i = 0; i < 2; i++)
    rois[i] = (VitrailRoi){
      .size = sizeof *rois, .n_rings = 1, .name = i ? "b" : "a", .ring_sizes = &four, .points = points + 8 * i
    };
  for (uint32_t i = 0; i < rank->op->n_inputs; i++)
    if (rank->op->inputs[i]->kind == VITRAIL_INPUT_ROIS)
      job.request.n_rois = 2;
  job.request.rois = roi_list;
  job.mpp_x = job.mpp_y = 4; /* small reach */
  job.request.tile_px = 100;
  job.request.scratch_dir = rank->scratch;
  job.request.memory_budget = rank->budget;
  MiniHost mini = { .ranks = rank->talk,
                    .rank = rank->rank,
                    .n_threads = 2,
                    .fail_at = rank->fault == HOST ? rank->fail_at : 0,
                    .cancel_after = -1 };
  VitrailSession *session = mini_job_session(&job);
  until_failure = rank->fault == MEMORY ? rank->fail_at : 0;
  rank->status = session ? mini_job_run(&job, &mini, session, &result) : VITRAIL_INTERNAL;
  rank->fail_at = rank->fault == HOST ? mini.fail_at : until_failure;
  until_failure = 0;
  mini_plugin()->session_close(session);
  mini_result_clear(&result);
  return NULL;
}

/* How many ranks failed. *was_reached: the call that fails was made. */
static int
run_ranks(const VitrailOp *op, const VtImage *image, uint32_t failing, Fault fault, int64_t fail_at, uint64_t budget,
          bool *was_reached)
{
  static const char *const names[] = { "call", "allocation", "folder" };
  MiniRanks talk = { .n = N_RANKS };
  Rank ranks[N_RANKS];
  int n_failed = 0;
  snprintf(doing, sizeof doing, "%s, rank %u, %s %lld.\n", op->id, failing, names[fault], (long long)fail_at);
  alarm(SECONDS);
  for (uint32_t i = 0; i < N_RANKS; i++)
    ranks[i] = (Rank){ .op = op,
                       .image = image,
                       .scratch = i == failing && fault == FOLDER ? "/nowhere/to/be/found" : scratch,
                       .budget = budget,
                       .talk = &talk,
                       .rank = i,
                       .fault = fault,
                       .fail_at = i == failing ? fail_at : 0 };
  mini_ranks_run(&talk, run_rank, ranks, sizeof *ranks);
  alarm(0);
  for (uint32_t i = 0; i < N_RANKS; i++)
    n_failed += ranks[i].status != VITRAIL_OK;
  *was_reached = ranks[failing].fail_at == 0;
  return n_failed;
}

/* Memory for a cache, or to keep something that can be made again, need not be there. */
static int
check_rank(const VitrailOp *op, const VtImage *image, uint32_t rank, int *n_runs)
{
  int n_bad = 0;
  bool was_reached = true;
  for (int64_t at = 1; was_reached; at += 1 + at / vt_rounds(4), ++*n_runs) {
    const int n_failed = run_ranks(op, image, rank, HOST, at, BUDGET, &was_reached);
    n_bad += n_failed != (was_reached ? N_RANKS : 0);
  }
  was_reached = CAN_FAIL;
  for (int64_t at = 1 + rank; was_reached; at += N_RANKS + at / vt_rounds(8), ++*n_runs) {
    const int n_failed = run_ranks(op, image, rank, MEMORY, at, BUDGET, &was_reached);
    n_bad += n_failed != 0 && n_failed != N_RANKS;
  }
  for (uint64_t budget = 100000; budget < BUDGET; budget += budget / 4, ++*n_runs) {
    const int n_failed = run_ranks(op, image, rank, FOLDER, 0, budget, &was_reached);
    n_bad += n_failed != 0 && n_failed != N_RANKS; /* what memory holds needs no files */
  }
  return n_bad;
}

static void
check_op(const VitrailOp *op, const VtImage *image)
{
  int n_runs = 0, n_bad = 0;
  bool was_reached = false;
  vt_ok(run_ranks(op, image, 0, HOST, 0, BUDGET, &was_reached) == 0, "%s: no rank fails by itself", op->id);
  for (uint32_t rank = 0; rank < N_RANKS; rank++)
    n_bad += check_rank(op, image, rank, &n_runs);
  vt_ok(n_bad == 0, "%s: %d runs in which one rank fails, %d in which another one does not", op->id, n_runs, n_bad);
}

int
main(void)
{
  if (!mkdtemp(scratch))
    return 1;
  signal(SIGALRM, hangs);
  find_plugin();
  VtImage image = mini_tissue_new(WIDTH, HEIGHT, 7);
  for (uint32_t i = 0; i < mini_plugin()->n_ops; i++)
    check_op(mini_plugin()->ops[i], &image);
  free(image.data);
  vt_ok(rmdir(scratch) == 0, "no scratch file is left");
  return vt_test_done();
}
