/* SPDX-License-Identifier: MIT
 *
 * Streamed runs: what goes to devices, a list of steps that is damaged, too little memory, no folder, what is read twice. That they give the bytes
 * of the run in one piece is plugin-recipes' to test. */
#include <string.h>
#include <unistd.h>

#include "test-draw.h"
#include "vt-test.h"
#include "ways.h"

static MiniJob
job_new(const char *op, int64_t width, int64_t height, uint64_t seed)
{
  const VtImage image = mini_tissue_new(width, height, seed);
  MiniJob job = mini_job(mini_op(op), &image);
  job.mpp_x = job.mpp_y = 0;
  return job;
}

/* Local steps that are one slot each go to devices, and leave one that fails. */
static void
check_devices(void)
{
  static const char *const devices[] = { "works", "two", "works" };
  Way way = { .tile = 64, .n_threads = 3, .budget = 400000, .cancel_after = -1 };
  MiniJob job = job_new("nuclei-threshold", 400, 300, 5);
  MiniResult result[3];
  char where[100];
  for (int i = 0; i < 3; i++) {
    way.device = devices[i];
    way.fault = i == 2 ? 3 : 0;
    ways_run(&job, &way, &result[i]);
  }
  vt_ok(result[0].on_devices > 20 && result[1].on_devices > 20 && result[2].on_devices < result[0].on_devices
          && mini_result_equal(&result[0], &result[1], where, sizeof where)
          && mini_result_equal(&result[0], &result[2], where, sizeof where),
        "tiles of local steps on devices: %g, %g, %g", result[0].on_devices, result[1].on_devices,
        result[2].on_devices);
  for (int i = 0; i < 3; i++)
    mini_result_clear(&result[i]);
  mini_job_clear(&job);
}

/* Images that the host's memory does not hold stay on a device that has room for them. It streams them when that one fails. */
static void
check_roomy_device(void)
{
  enum { N_CALLS = 60 };
  Way way = { .n_threads = 2, .budget = 2000000, .cancel_after = -1 };
  MiniJob job = job_new("nuclei-threshold", 400, 300, 5);
  MiniResult streamed, result;
  char where[100] = "";
  ways_run(&job, &way, &streamed);
  way.device = "roomy";
  ways_run(&job, &way, &result);
  bool same = mini_result_equal(&streamed, &result, where, sizeof where);
  vt_ok(same && result.streamed && result.on_devices == 0 && !result.warnings[0],
        "an image of which memory holds too little stays on the device %s", same ? "" : where);
  mini_result_clear(&result);
  int n_told = 0;
  for (way.fault = 1; same && way.fault <= N_CALLS; way.fault++) {
    ways_run(&job, &way, &result);
    same = mini_result_equal(&streamed, &result, where, sizeof where);
    n_told += result.warnings[0] != 0;
    mini_result_clear(&result);
  }
  vt_ok(same && n_told > N_CALLS / 3, "the device fails at its call %u of %d: the same, and %d say so %s",
        way.fault - 1, N_CALLS, n_told, same ? "" : where);
  mini_result_clear(&streamed);
  mini_job_clear(&job);
}

/* A list of steps that makes no sense is left aside, and said so. */
static void
check_misfit(void)
{
  const Way way = { .tile = 64, .n_threads = 2, .budget = 300000, .cancel_after = -1 };
  Way stopped = way;
  MiniJob job = job_new("nuclei-threshold", 300, 300, 7);
  MiniResult whole, again;
  char path[64], where[100];
  VitrailSession *session = mini_job_session(&job);
  ways_run_in(session, &job, &way, 0, &whole);
  stopped.cancel_after = 8000;
  ways_run_in(session, &job, &stopped, VITRAIL_RUN_KEEP_SCRATCH, &again);
  mini_result_clear(&again);
  snprintf(path, sizeof path, "%s/steps-before", ways_scratch);
  const bool has_many = access(path, F_OK) == 0;
  snprintf(path, sizeof path, "%s/steps", ways_scratch);
  FILE *file = fopen(path, "r+");
  const bool damaged = has_many && file && fputs("?", file) >= 0;
  if (file)
    fclose(file);
  const VitrailStatus status = ways_run_in(session, &job, &way, VITRAIL_RUN_KEEP_SCRATCH, &again);
  vt_ok(damaged && status == VITRAIL_OK && again.resumed == 0 && strstr(again.warnings, "begins again")
          && mini_result_equal(&whole, &again, where, sizeof where),
        "a damaged list: \"%s\"", again.warnings);
  mini_plugin()->session_close(session);
  ways_clear();
  mini_result_clear(&whole);
  mini_result_clear(&again);
  mini_job_clear(&job);
}

static void
check_refusals(void)
{
  Way way = { .n_threads = 2, .budget = 200000, .cancel_after = -1 };
  MiniJob job = job_new("glrlm-map", 300, 300, 5);
  MiniResult result;
  VitrailStatus status = ways_run(&job, &way, &result);
  vt_ok(status == VITRAIL_OUT_OF_MEMORY && strstr(result.message, "to be allowed"), "too little memory: \"%s\"",
        result.message);
  mini_result_clear(&result);
  job.request.op_id = "nuclei-threshold";
  const char right = ways_scratch[5];
  ways_scratch[5] = '?';
  status = ways_run(&job, &way, &result);
  vt_ok(status == VITRAIL_READ_FAILED && strstr(result.message, "scratch"), "no folder: \"%s\"", result.message);
  ways_scratch[5] = right;
  mini_result_clear(&result);
  mini_job_clear(&job);
}

/* Rows of levels stay for the windows of later parts, where memory allows. */
static void
check_reads(void)
{
  static const uint64_t budgets[] = { 0, 6000000, 2000000 };
  Way way = { .n_threads = 2, .cancel_after = -1 };
  MiniJob job = job_new("glrlm-map", 300, 1400, 5);
  MiniResult result[3];
  char where[100] = "";
  bool same = true;
  for (int i = 0; i < 3; i++) {
    way.budget = budgets[i];
    ways_run(&job, &way, &result[i]);
    same = same && mini_result_equal(&result[0], &result[i], where, sizeof where);
  }
  vt_ok(same && result[1].streamed && result[1].n_read == 300 * 1400 && result[0].n_read == 300 * 1400
          && result[2].streamed && result[2].n_read > 300 * 1400,
        "a texture map in parts reads each pixel once, with less memory some twice: %lld, %lld of %d %s",
        (long long)result[1].n_read, (long long)result[2].n_read, 300 * 1400, where);
  for (int i = 0; i < 3; i++)
    mini_result_clear(&result[i]);
  mini_job_clear(&job);
}

int
main(void)
{
  if (!ways_begin())
    return 1;
  check_devices();
  check_roomy_device();
  check_misfit();
  check_refusals();
  check_reads();
  vt_ok(ways_end(), "no scratch file is left");
  return vt_test_done();
}
