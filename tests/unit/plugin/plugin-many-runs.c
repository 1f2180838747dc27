/* SPDX-License-Identifier: MIT
 *
 * One session, 300 runs in a row: every op on regions that change, whole runs, streamed ones and cancelled ones. Each answer
 * is that of a session of its own, and after a round of runs as many bytes, threads and files are in use as after the
 * round before. */
#include <dirent.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mini-host.h"
#include "test-draw.h"
#include "vt-test.h"

enum { N_CASES = 30, N_ROUNDS = 10, WARM_UP = 5 /* in as many, each case is cancelled once */, SIZE = 240 };
enum { SLACK_BYTES = 64 << 10 }; /* of the allocator's own caches; 312 bytes for each of the runs that count */

typedef struct {
  uint64_t bytes;
  int n_threads, n_files;
} InUse;

static VtImage tissue;

static MiniJob
draw(int k)
{
  const VitrailOp *op = mini_plugin()->ops[(uint32_t)k % mini_plugin()->n_ops];
  const char *folder = getenv("TMPDIR");
  const uint32_t width = 1 + pick(SIZE), height = 1 + pick(SIZE);
  MiniJob job = mini_job(op, &tissue);
  mini_job_set_region(&job, pick(SIZE - width + 1), pick(SIZE - height + 1), width, height);
  job.request.tile_px = 64;
  job.request.flags = k % 3 == 0 ? VITRAIL_RUN_KEEP_STAGES : 0;
  job.request.scratch_dir = folder ? folder : "/tmp";
  /* Too little for the rasters of any region with some hundred pixels. What textures need to stream at all is more than regions
   * of this size take at once. */
  job.request.memory_budget = k % 4 == 3 && !strstr(op->id, "glrlm") ? 1 : 0;
  return job;
}

static VitrailStatus
run_case(const MiniJob *job, VitrailSession *session, int64_t cancel_after, MiniResult *result)
{
  MiniHost mini = { .n_threads = 2, .cancel_after = cancel_after };
  return mini_job_run(job, &mini, session, result);
}

/* Entries of a folder that Linux keeps about the process; 0 elsewhere. */
static int
count(const char *path)
{
  DIR *folder = opendir(path);
  int n = 0;
  while (folder && readdir(folder))
    n++;
  if (folder)
    closedir(folder);
  return n;
}

static InUse
in_use(void)
{
  InUse now = { 0, count("/proc/self/task"), count("/proc/self/fd") };
#ifdef __GLIBC__
  const struct mallinfo2 info = mallinfo2();
  now.bytes = info.uordblks + info.hblkhd;
#endif
  return now;
}

/* Returns how many answers of the round were wrong; every fifth run is cancelled, if it lasts that long. */
static int
run_round(const MiniJob *cases, const MiniResult *expected, VitrailSession *session, int round, int *n_cancelled)
{
  int n_wrong = 0;
  for (int k = 0; k < N_CASES; k++) {
    MiniResult result;
    char where[64] = "";
    const bool cancel = (k + round) % 5 == 4;
    const VitrailStatus status = run_case(&cases[k], session, cancel ? 1 + 7 * k : -1, &result);
    *n_cancelled += cancel && status == VITRAIL_CANCELLED;
    if (!(cancel && status == VITRAIL_CANCELLED)
        && (status != VITRAIL_OK || !mini_result_equal(&expected[k], &result, where, sizeof where))) {
      printf("# round %d, case %d, %s: status %d %s %s\n", round, k, cases[k].request.op_id, status, where,
             result.message);
      n_wrong++;
    }
    mini_result_clear(&result);
  }
  return n_wrong;
}

int
main(void)
{
  const VitrailPlugin *plugin = mini_plugin();
  VitrailSession *session;
  static MiniJob cases[N_CASES];
  static MiniResult expected[N_CASES];
  InUse before = { 0 }, most = { 0 };
  int n_wrong = 0, n_failed = 0, n_cancelled = 0;
  tissue = mini_tissue_new(SIZE, SIZE, 3);
  for (int k = 0; k < N_CASES; k++) {
    cases[k] = draw(k);
    n_failed += run_case(&cases[k], NULL, -1, &expected[k]) != VITRAIL_OK;
  }
  if (!vt_ok(n_failed == 0 && plugin->session_open(&session) == VITRAIL_OK, "sessions of one run each"))
    return vt_test_done();
  for (int round = 0; round < N_ROUNDS; round++) {
    n_wrong += run_round(cases, expected, session, round, &n_cancelled);
    const InUse now = in_use();
    printf("# round %d: %llu bytes, %d threads, %d files\n", round, (unsigned long long)now.bytes, now.n_threads,
           now.n_files);
    InUse *const to = round < WARM_UP ? &before : &most;
    to->bytes = now.bytes > to->bytes ? now.bytes : to->bytes;
    to->n_threads = now.n_threads > to->n_threads ? now.n_threads : to->n_threads;
    to->n_files = now.n_files > to->n_files ? now.n_files : to->n_files;
  }
  vt_ok(n_wrong == 0 && n_cancelled > 0,
        "%d runs in one session give the answers of sessions of their own (%d were cancelled)", N_ROUNDS * N_CASES,
        n_cancelled);
  vt_ok(most.bytes <= before.bytes + SLACK_BYTES, "memory in use stays: %llu, then at most %llu bytes",
        (unsigned long long)before.bytes, (unsigned long long)most.bytes);
  vt_ok(most.n_threads == before.n_threads && most.n_files == before.n_files, "and threads and files do");
  plugin->session_close(session);
  for (int k = 0; k < N_CASES; k++)
    mini_result_clear(&expected[k]);
  free(tissue.data);
  return vt_test_done();
}
