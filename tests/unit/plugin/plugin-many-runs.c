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

enum { N_CASES = 30, N_ROUNDS = 10, WARM_UP = 3, SIZE = 240 };
enum { SLACK_BYTES = 64 << 10 }; /* of the allocator's own caches; 312 bytes for each of the runs that count */

typedef struct {
  uint64_t bytes;
  int n_threads, n_files;
} InUse;

static VtImage tissue;

typedef struct {
  const char *op, *input;
  int64_t x, y, width, height;
  uint64_t budget; /* not 0: streamed */
  bool keep;
} Case;

static Case
draw(int k)
{
  const VitrailOp *op = mini_plugin()->ops[(uint32_t)k % mini_plugin()->n_ops];
  Case c = { .op = op->id, .width = 1 + pick(SIZE), .height = 1 + pick(SIZE), .keep = k % 3 == 0 };
  for (uint32_t i = 0; i < op->n_inputs; i++)
    if (op->inputs[i]->flags & VITRAIL_INPUT_PRIMARY)
      c.input = op->inputs[i]->id;
  c.x = pick((uint32_t)(SIZE - c.width + 1));
  c.y = pick((uint32_t)(SIZE - c.height + 1));
  /* Too little for the rasters of any region with some hundred pixels. What textures need to stream at all is more than regions
   * of this size take at once. */
  c.budget = k % 4 == 3 && !strstr(c.op, "glrlm") ? 1 : 0;
  return c;
}

static VitrailStatus
run_case(const Case *c, VitrailSession *session, int64_t cancel_after, MiniResult *result)
{
  const char *folder = getenv("TMPDIR");
  const VitrailInput input = { .size = sizeof input,
                               .id = c->input,
                               .type = VITRAIL_RGBA8,
                               .width_l0 = SIZE,
                               .height_l0 = SIZE,
                               .mpp_x = 0.5,
                               .mpp_y = 0.5 };
  const VitrailInput *inputs[] = { &input };
  const VitrailRequest request = { .size = sizeof request,
                                   .tile_px = 64,
                                   .op_id = c->op,
                                   .backend = "cpu",
                                   .x_l0 = c->x,
                                   .y_l0 = c->y,
                                   .width_l0 = c->width,
                                   .height_l0 = c->height,
                                   .flags = c->keep ? VITRAIL_RUN_KEEP_STAGES : 0,
                                   .memory_budget = c->budget,
                                   .scratch_dir = folder ? folder : "/tmp",
                                   .n_inputs = 1,
                                   .inputs = inputs };
  MiniHost mini = { .images = { &tissue }, .n_threads = 2, .cancel_after = cancel_after };
  return mini_run(&mini, session, &request, result);
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
run_round(const Case *cases, const MiniResult *expected, VitrailSession *session, int round, int *n_cancelled)
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
      printf("# round %d, case %d, %s: status %d %s %s\n", round, k, cases[k].op, status, where, result.message);
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
  Case cases[N_CASES];
  static MiniResult expected[N_CASES];
  InUse before = { 0 }, most = { 0 };
  int n_wrong = 0, n_failed = 0, n_cancelled = 0;
  tissue = mini_tissue_new(SIZE, SIZE, 3);
  for (int k = 0; k < N_CASES; k++) {
    cases[k] = draw(k);
    const bool opened = plugin->session_open(&session) == VITRAIL_OK;
    n_failed += !opened || run_case(&cases[k], session, -1, &expected[k]) != VITRAIL_OK;
    if (opened)
      plugin->session_close(session);
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
