/* SPDX-License-Identifier: MIT
 *
 * Whatever becomes of the device, the job ends with the CPU's bytes, and the user is told once: every op of the catalogue, with
 * each of its choices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mini-host.h"
#include "vt-test.h"

static VtImage tissue;

/* In a session of its own, as what the pretended device does is read when it is opened. *absent: why there is no device. */
static VitrailStatus
run(const MiniJob *job, const char *mode, int fault_at, int64_t cancel_after, MiniResult *result, char absent[256])
{
  char fault[32];
  snprintf(fault, sizeof fault, "%d", fault_at);
  setenv("FAKE_GPU", mode, 1);
  setenv("FAKE_GPU_FAULT", fault, 1);
  VitrailSession *session = mini_job_session(job);
  const VitrailBackendInfo *const *infos;
  const uint32_t n = mini_plugin()->session_backends(session, &infos);
  snprintf(absent, 256, "%s", n > 1 && infos[1]->reason ? infos[1]->reason : "");
  MiniHost mini = { .n_threads = 2, .cancel_after = cancel_after };
  const VitrailStatus status = mini_job_run(job, &mini, session, result);
  mini_plugin()->session_close(session);
  return status;
}

static VitrailStatus
run_on(const char *mode, const char *backend, MiniResult *result, char absent[256])
{
  MiniJob job = mini_job(mini_op("nuclei-threshold"), &tissue);
  job.request.backend = backend;
  return run(&job, mode, 0, -1, result, absent);
}

/* With a device that fails at any one of its calls, the bytes are the CPU's. Returns how many calls there are. */
static int
check_faults(const VitrailOp *op, const VtImage *image, const char *key, double value)
{
  MiniResult reference, whole, result;
  char absent[256], where[64] = "";
  MiniJob job = mini_job(op, image);
  int fault_at = 0;
  if (key)
    mini_job_set(&job, key, value);
  const VitrailStatus status = run(&job, "works", 0, -1, &reference, absent);
  job.request.backend = "cuda";
  bool good = run(&job, "works", 0, -1, &whole, absent) == status, is_told = status == VITRAIL_OK;
  while (good && is_told && fault_at < 1000) {
    good = run(&job, "works", ++fault_at, -1, &result, absent) == VITRAIL_OK
           && mini_result_equal(&reference, &result, where, sizeof where) && result.n_tiles == reference.n_tiles;
    is_told = strcmp(result.warnings, whole.warnings) != 0; /* else the call of that number is not made any more */
    good = good && (!is_told || strstr(result.warnings, "ran on the CPU") != NULL);
    mini_result_clear(&result);
  }
  const int n_calls = fault_at > 0 ? fault_at - 1 : 0;
  vt_ok(good && !is_told, "%s, %s %g: a fault at each of %d calls: the CPU's bytes%s %s %s", op->id,
        key ? key : "as usual", value, n_calls, status == VITRAIL_OK ? "" : ", which refuses,", reference.message,
        good ? "" : where);
  mini_result_clear(&whole);
  mini_result_clear(&reference);
  return n_calls;
}

/* As usual, and with each other choice of each parameter; which channel and which algorithm changes no plan. Returns whether
 * the device has a part in it. */
static bool
check_op(const VitrailOp *op, const VtImage *image)
{
  const bool has_part = check_faults(op, image, NULL, 0) > 0;
  for (uint32_t i = 0; i < op->n_params; i++) {
    const VitrailParam *p = op->params[i];
    const uint32_t n = p->type == VITRAIL_PARAM_CHOICE ? p->n_choices : p->type == VITRAIL_PARAM_BOOL ? 2 : 0;
    const bool is_same = strcmp(p->key, "channel") == 0 || strcmp(p->key, "algorithm") == 0;
    for (uint32_t value = 0; value < n && !is_same; value++)
      if (value != p->initial[0])
        check_faults(op, image, p->key, value);
  }
  return has_part;
}

static void
check_cancel(void)
{
  MiniResult result;
  char absent[256];
  int n_cancelled = 0, n_other = 0;
  MiniJob job = mini_job(mini_op("nuclei-threshold"), &tissue);
  VitrailStatus status = VITRAIL_CANCELLED;
  job.request.backend = "cuda";
  for (int64_t after = 0; status == VITRAIL_CANCELLED && after < 20000; after += 1 + after / 8) {
    status = run(&job, "works", 0, after, &result, absent);
    n_cancelled += status == VITRAIL_CANCELLED && !result.message[0] && !result.warnings[0];
    n_other += status != VITRAIL_CANCELLED && status != VITRAIL_OK;
    mini_result_clear(&result);
  }
  vt_ok(n_cancelled > 10 && n_other == 0, "cancelled at %d places, without a word", n_cancelled);
}

/* A device that does nothing any more is told once, and the runs that follow leave it alone. */
static void
check_lost(void)
{
  MiniJob job = mini_job(mini_op("nuclei-threshold"), &tissue);
  MiniResult reference, result;
  char absent[256], where[64];
  job.request.backend = "auto";
  vt_ok(run(&job, "works", 0, -1, &reference, absent) == VITRAIL_OK, "a device that works");
  for (int first = 0; first < 2; first++) {
    setenv("FAKE_GPU", first ? "many=1:3" : "lost", 1);
    VitrailSession *session = mini_job_session(&job);
    for (int i = 0; i < 3; i++) {
      MiniHost mini = { .n_threads = 2, .cancel_after = -1 };
      const VitrailStatus status = mini_job_run(&job, &mini, session, &result);
      const char *wanted = !first ? "ran on the CPU" : i == 0 ? "until the program is started again" : NULL;
      vt_ok(status == VITRAIL_OK && mini_result_equal(&reference, &result, where, sizeof where)
              && (wanted ? strstr(result.warnings, wanted) != NULL : !result.warnings[0]),
            "%s, run %d: the CPU's bytes; \"%s\"", first ? "gone" : "a kernel fails", i, result.warnings);
      mini_result_clear(&result);
    }
    MiniHost mini = { .n_threads = 2, .cancel_after = -1 };
    job.request.backend = "cuda";
    const VitrailStatus status = mini_job_run(&job, &mini, session, &result);
    vt_ok(status == (first ? VITRAIL_NO_DEVICE : VITRAIL_OK) && (!first || strstr(result.message, "started again")),
          "asked for by name: \"%s\"", result.message);
    mini_result_clear(&result);
    mini_plugin()->session_close(session);
    job.request.backend = "auto";
  }
  mini_result_clear(&reference);
}

int
main(void)
{
  static const struct {
    const char *mode, *absent, *warning;
  } cases[] = {
    { "works", "", "" },
    { "absent", "No device was found.", "" },
    { "unopened", "The driver is too old.", "" },
    { "memory", "", "out of memory" },
    { "lost", "", "The device was lost." },
    { "missing", "", "it has no such kernel" },
    { "few", "", "" },
    { "few memory", "", "out of memory" },
    { "few lost", "", "The device was lost." },
    { "few missing", "", "it has no such kernel" },
  };
  tissue = mini_tissue_new(211, 173, 11);
  MiniResult reference, result;
  char absent[256], where[64];
  vt_ok(run_on("works", "cpu", &reference, absent) == VITRAIL_OK, "the CPU runs");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    VitrailStatus status = run_on(cases[i].mode, "auto", &result, absent);
    bool equal = mini_result_equal(&reference, &result, where, sizeof where);
    vt_ok(status == VITRAIL_OK && equal, "%s: the CPU's bytes", cases[i].mode);
    vt_ok(strcmp(absent, cases[i].absent) == 0, "%s: why it is absent: \"%s\"", cases[i].mode, absent);
    vt_ok(cases[i].warning[0] ? strstr(result.warnings, cases[i].warning) != NULL : !result.warnings[0],
          "%s: what is said: \"%s\"", cases[i].mode, result.warnings);
    mini_result_clear(&result);
  }
  vt_ok(run_on("absent", "cuda", &result, absent) == VITRAIL_NO_DEVICE && result.message[0],
        "asked for by name it must be there: \"%s\"", result.message);
  mini_result_clear(&result);
  mini_result_clear(&reference);
  check_lost();
  VtImage small = mini_tissue_new(101, 83, 11);
  uint32_t n_parts = 0;
  for (uint32_t i = 0; i < mini_plugin()->n_ops; i++)
    n_parts += check_op(mini_plugin()->ops[i], &small);
  vt_ok(2 * n_parts > mini_plugin()->n_ops, "the device has a part in %u of %u ops", n_parts, mini_plugin()->n_ops);
  free(small.data);
  check_cancel();
  free(tissue.data);
  return vt_test_done();
}
