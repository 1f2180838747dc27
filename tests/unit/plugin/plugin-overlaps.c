/* SPDX-License-Identifier: MIT
 *
 * A run that is given a truth: the overlaps that it tells against a count of its own labels, pixel by pixel, on the host and on a device; stages
 * and objects that are those of a run without one; and where nothing is told. */
#include <stdlib.h>
#include <string.h>

#include "mini-host.h"
#include "test-draw.h"
#include "vt-test.h"

enum { SIZE = 230, MOST = 4096, NUMBERS = 3, LEFT = 20, TOP = 13, WIDTH = 190, HEIGHT = 170 };

static VtImage tissue;

typedef struct {
  int32_t numbers[NUMBERS * MOST];
  uint32_t n, n_calls, downsample;
} Told;

static void
take(void *user, const VitrailOverlaps *overlaps)
{
  Told *told = user;
  told->n_calls++;
  told->downsample = overlaps->downsample;
  told->n = overlaps->n_numbers / NUMBERS;
  if (told->n <= MOST)
    memcpy(told->numbers, overlaps->numbers, overlaps->n_numbers * sizeof *overlaps->numbers);
}

/* Discs, some of the largest label that there is; nothing is compared outside of a part of the region. */
static VtImage
draw_truth(void)
{
  VtImage truth = mini_image_new(VITRAIL_I32, SIZE, SIZE);
  for (int64_t y = 0; y < SIZE; y++)
    for (int64_t x = 0; x < SIZE; x++) {
      const int64_t dx = x % 17 - 8, dy = y % 15 - 7;
      const bool is_compared = x >= LEFT + 3 && x < LEFT + WIDTH - 5 && y >= TOP && y < TOP + HEIGHT - 9;
      int32_t *label = vt_image_at(&truth, x, y);
      *label = dx * dx + dy * dy > 40 ? 0
               : x < 60               ? INT32_MAX - (int32_t)(x / 17)
                                      : (int32_t)(1 + y / 15 * 20 + x / 17);
      *label = is_compared ? *label : -1;
    }
  return truth;
}

static MiniJob
make_job(const char *op, const VtImage *truth)
{
  MiniJob job = mini_job(mini_op(op), &tissue);
  mini_job_set_region(&job, LEFT, TOP, WIDTH, HEIGHT);
  if (truth) {
    job.flags[job.n_inputs] = VITRAIL_INPUT_SAMPLED | VITRAIL_INPUT_TRUTH;
    mini_job_add(&job, "truth", truth);
  }
  return job;
}

static VitrailStatus
run(const MiniJob *job, uint32_t n_threads, Told *told, MiniResult *result)
{
  MiniHost mini = {
    .n_threads = n_threads, .cancel_after = -1, .take_overlaps = told ? take : NULL, .overlaps_user = told
  };
  if (told)
    *told = (Told){ .n = 0 };
  return mini_job_run(job, &mini, NULL, result);
}

static uint32_t
find_stage(const VitrailOp *op, VitrailStageKind kind)
{
  uint32_t i = op->n_stages;
  while (i > 0 && op->stages[i - 1]->kind != kind)
    i--;
  return i - 1;
}

static int32_t
count(const MiniResult *result, uint32_t stage, const VtImage *truth, uint32_t d, int32_t object, int32_t true_label)
{
  const VtImage *labels = &result->stages[stage];
  int32_t n = 0;
  for (int64_t y = 0; y < labels->height; y++)
    for (int64_t x = 0; x < labels->width; x++) {
      const int64_t u = (x + result->stage_x[stage]) * d, v = (y + result->stage_y[stage]) * d;
      n += *(int32_t *)vt_image_at(labels, x, y) == object && *(int32_t *)vt_image_at(truth, u, v) == true_label;
    }
  return n;
}

/* All pixels that are compared and not empty on both sides are told, so no pair is missing. */
static bool
is_right(const Told *told, const MiniResult *result, const VitrailOp *op, const VtImage *truth)
{
  const uint32_t stage = find_stage(op, VITRAIL_STAGE_LABELS);
  const VtImage *labels = &result->stages[stage];
  const int64_t d = told->downsample;
  int64_t n_told = 0, n_there = 0;
  bool good = told->n_calls == 1 && told->n > 20 && told->n <= MOST;
  for (uint32_t i = 0; i < told->n && good; i++) {
    const int32_t *pair = told->numbers + NUMBERS * i;
    n_told += pair[2];
    good = pair[2] == count(result, stage, truth, told->downsample, pair[0], pair[1])
           && (i == 0 || pair[-3] < pair[0] || (pair[-3] == pair[0] && pair[-2] < pair[1]));
  }
  for (int64_t y = 0; y < labels->height && good; y++)
    for (int64_t x = 0; x < labels->width; x++) {
      const int32_t label = *(int32_t *)vt_image_at(labels, x, y),
                    true_label = *(int32_t *)vt_image_at(truth, (x + result->stage_x[stage]) * d,
                                                         (y + result->stage_y[stage]) * d);
      n_there += true_label >= 0 && (label > 0 || true_label > 0);
    }
  return good && n_told == n_there;
}

static void
check_op(const char *id, double pixel_size, double context)
{
  static const char *const backends[] = { "cpu", "cuda" };
  VtImage truth = draw_truth();
  MiniJob plain = make_job(id, NULL), job = make_job(id, &truth);
  Told told;
  MiniResult expected, result;
  char where[64] = "";
  mini_job_set(&plain, "pixel-size", pixel_size);
  mini_job_set(&job, "pixel-size", pixel_size);
  mini_job_set(&plain, "context", context);
  mini_job_set(&job, "context", context);
  vt_ok(run(&plain, 2, &told, &expected) == VITRAIL_OK && told.n_calls == 0, "%s without a truth: nothing is told", id);
  for (uint32_t i = 0; i < 4; i++) {
    job.request.backend = backends[i % 2];
    job.request.tile_px = i < 2 ? 0 : 50;
    const bool ran = run(&job, 1 + i, &told, &result) == VITRAIL_OK;
    vt_ok(ran && mini_result_equal(&expected, &result, where, sizeof where), "%s on %s: the same stages and objects %s",
          id, backends[i % 2], where);
    vt_ok(ran && is_right(&told, &result, mini_op(id), &truth), "%s on %s: %u overlaps, counted one by one", id,
          backends[i % 2], told.n);
    mini_result_clear(&result);
  }
  mini_result_clear(&expected);
  free(truth.data);
}

enum { LAST_CALLS = 24 }; /* of the device, those of the overlaps among them; plugin-fallback fails the others */

/* With a device whose call of that number fails (0: none). Whether the answers are right; *is_made: there is such a call. */
static bool
try_fault(const MiniJob *job, const MiniResult *expected, const VtImage *truth, int fault_at, bool *is_made)
{
  static char usual[sizeof expected->warnings];
  char fault[32], where[64];
  Told told;
  MiniResult result;
  snprintf(fault, sizeof fault, "%d", fault_at);
  setenv("FAKE_GPU_FAULT", fault, 1);
  const bool good = run(job, 2, &told, &result) == VITRAIL_OK
                    && mini_result_equal(expected, &result, where, sizeof where)
                    && (!truth || is_right(&told, &result, mini_op(job->request.op_id), truth));
  if (fault_at == 0)
    memcpy(usual, result.warnings, sizeof usual);
  *is_made = fault_at > 0 && strcmp(result.warnings, usual) != 0; /* a failure is told */
  mini_result_clear(&result);
  unsetenv("FAKE_GPU_FAULT");
  return good;
}

/* How many calls of the device there are, by halves; -1: something was wrong. */
static int
count_calls(const MiniJob *job, const MiniResult *expected, const VtImage *truth)
{
  int made = 0, not_made = 4096;
  bool is_made = false, good = try_fault(job, expected, truth, 0, &is_made);
  while (good && not_made - made > 1) {
    const int middle = (made + not_made) / 2;
    good = try_fault(job, expected, truth, middle, &is_made);
    *(is_made ? &made : &not_made) = middle;
  }
  return good ? made : -1;
}

static void
check_faults(const char *id)
{
  VtImage truth = draw_truth();
  MiniJob plain = make_job(id, NULL), job = make_job(id, &truth);
  MiniResult expected;
  bool is_made = true, good = run(&plain, 2, NULL, &expected) == VITRAIL_OK;
  plain.request.backend = job.request.backend = "cuda";
  const int without = count_calls(&plain, &expected, NULL), with = count_calls(&job, &expected, &truth);
  for (int i = 0; good && i < LAST_CALLS && i < with; i++)
    good = try_fault(&job, &expected, &truth, with - i, &is_made) && is_made;
  vt_ok(good && without > 0 && with > without && with - without < LAST_CALLS,
        "%s: overlaps are told once and right whichever of the device's last %d of %d calls fails, %d without a truth",
        id, LAST_CALLS, with, without);
  mini_result_clear(&expected);
  free(truth.data);
}

/* A host that takes none, stages without objects, cells round nuclei, and a run that streams. */
static void
check_silent(void)
{
  static const char *const why[] = { "nobody takes them", "no objects are wanted", "cells are outlined", "it streams" };
  VtImage truth = draw_truth();
  const char *folder = getenv("TMPDIR");
  for (uint32_t i = 0; i < sizeof why / sizeof *why; i++) {
    MiniJob job = make_job("nuclei-threshold", &truth);
    Told told = { .n = 0 };
    MiniResult result;
    if (i == 1)
      job.request.stages_wanted = UINT64_C(1) << find_stage(mini_op("nuclei-threshold"), VITRAIL_STAGE_LABELS);
    if (i == 2) {
      mini_job_set(&job, "cell-expansion", 3);
      mini_job_set(&job, "outline", 1);
    }
    if (i == 3) {
      job.request.scratch_dir = folder ? folder : "/tmp";
      job.request.memory_budget = 1;
    }
    const VitrailStatus status = run(&job, 2, i == 0 ? NULL : &told, &result);
    vt_ok(status == VITRAIL_OK && told.n_calls == 0, "nothing is told where %s %s", why[i], result.message);
    mini_result_clear(&result);
  }
  free(truth.data);
}

static void
check_refusals(void)
{
  for (int i = 0; i < 4; i++) {
    VtImage truth = mini_image_new(i == 0 ? VITRAIL_U16 : VITRAIL_I32, SIZE, i == 1 ? SIZE - 1 : SIZE);
    MiniJob job = make_job("nuclei-threshold", &truth);
    Told told;
    MiniResult result;
    if (i == 2)
      job.flags[1] = VITRAIL_INPUT_TRUTH;
    if (i == 3) {
      job.flags[2] = VITRAIL_INPUT_SAMPLED | VITRAIL_INPUT_TRUTH;
      mini_job_add(&job, "another", &truth);
    }
    const VitrailStatus status = run(&job, 1, &told, &result);
    vt_ok(status == VITRAIL_BAD_ARGUMENT && strstr(result.message, "truth"), "refused: %s", result.message);
    mini_result_clear(&result);
    free(truth.data);
  }
}

int
main(void)
{
  tissue = mini_tissue_new(SIZE, SIZE, 3);
  check_op("nuclei-threshold", 0.5, 0);
  check_op("nuclei-threshold", 1, 0);
  check_op("nuclei", 0.5, 0);
  check_op("nuclei", 0.5, 1);
  check_faults("nuclei-threshold");
  check_silent();
  check_refusals();
  free(tissue.data);
  return vt_test_done();
}
