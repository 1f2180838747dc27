/* SPDX-License-Identifier: MIT
 *
 * Whatever becomes of the device, the job ends with the CPU's bytes, and the user is told once: every op of the catalogue, with
 * each of its choices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mini-host.h"
#include "vt-test.h"

typedef struct {
  const VitrailOp *op;
  const VtImage *image;
  const char *mode, *backend; /* of the pretended device; of the request */
  const char *key;            /* one parameter to set, or NULL */
  double value;
  int fault_at; /* 0: nowhere */
  int64_t cancel_after;
} Job;

static VtImage tissue;

static VitrailStatus
run_job(const Job *job, MiniResult *result, char *absent, size_t absent_size)
{
  char fault[32];
  snprintf(fault, sizeof fault, "%d", job->fault_at);
  setenv("FAKE_GPU", job->mode, 1);
  setenv("FAKE_GPU_FAULT", fault, 1);
  const VitrailPlugin *plugin = mini_plugin();
  VitrailSession *session = NULL;
  if (plugin->session_open(&session) != VITRAIL_OK)
    return VITRAIL_INTERNAL;
  const VitrailBackendInfo *const *infos;
  uint32_t n = plugin->session_backends(session, &infos);
  snprintf(absent, absent_size, "%s", n > 1 && infos[1]->reason ? infos[1]->reason : "");
  VitrailParamValue value = { .size = sizeof value, .key = job->key, .v = { job->value } };
  const VitrailParamValue *values[] = { &value };
  VitrailInput input = { .size = sizeof input,
                         .type = VITRAIL_RGBA8,
                         .width_l0 = job->image->width,
                         .height_l0 = job->image->height,
                         .mpp_x = 0.5,
                         .mpp_y = 0.5 };
  for (uint32_t i = 0; i < job->op->n_inputs; i++)
    if (job->op->inputs[i]->flags & VITRAIL_INPUT_PRIMARY)
      input.id = job->op->inputs[i]->id;
  const VitrailInput *inputs[] = { &input };
  VitrailRequest request = { .size = sizeof request,
                             .op_id = job->op->id,
                             .backend = job->backend,
                             .width_l0 = job->image->width,
                             .height_l0 = job->image->height,
                             .n_params = job->key ? 1 : 0,
                             .params = values,
                             .n_inputs = 1,
                             .inputs = inputs };
  MiniHost mini = { .images = { job->image }, .n_threads = 2, .cancel_after = job->cancel_after };
  VitrailStatus status = mini_run(&mini, session, &request, result);
  plugin->session_close(session);
  return status;
}

static VitrailStatus
run_on(const char *mode, const char *backend, MiniResult *result, char *absent, size_t absent_size)
{
  const Job job = { .op = mini_op("nuclei"), .image = &tissue, .mode = mode, .backend = backend, .cancel_after = -1 };
  return run_job(&job, result, absent, absent_size);
}

/* With a device that fails at any one of its calls, the bytes are the CPU's. Returns how many calls there are. */
static int
check_faults(const VitrailOp *op, const VtImage *image, const char *key, double value)
{
  MiniResult reference, whole, result;
  char absent[256], where[64] = "";
  Job job = { op, image, "works", "cpu", key, value, .cancel_after = -1 };
  const VitrailStatus status = run_job(&job, &reference, absent, sizeof absent);
  job.backend = "cuda";
  bool good = run_job(&job, &whole, absent, sizeof absent) == status, is_told = status == VITRAIL_OK;
  while (good && is_told && job.fault_at < 1000) {
    job.fault_at++;
    good = run_job(&job, &result, absent, sizeof absent) == VITRAIL_OK
           && mini_result_equal(&reference, &result, where, sizeof where) && result.n_tiles == reference.n_tiles;
    is_told = strcmp(result.warnings, whole.warnings) != 0; /* else the call of that number is not made any more */
    good = good && (!is_told || strstr(result.warnings, "ran on the CPU") != NULL);
    mini_result_clear(&result);
  }
  const int n_calls = job.fault_at > 0 ? job.fault_at - 1 : 0;
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
  Job job = { .op = mini_op("nuclei"), .image = &tissue, .mode = "works", .backend = "cuda" };
  for (VitrailStatus status = VITRAIL_CANCELLED; status == VITRAIL_CANCELLED && job.cancel_after < 20000;) {
    status = run_job(&job, &result, absent, sizeof absent);
    n_cancelled += status == VITRAIL_CANCELLED && !result.message[0] && !result.warnings[0];
    n_other += status != VITRAIL_CANCELLED && status != VITRAIL_OK;
    mini_result_clear(&result);
    job.cancel_after += 1 + job.cancel_after / 8;
  }
  vt_ok(n_cancelled > 10 && n_other == 0, "cancelled at %d places, without a word", n_cancelled);
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
  vt_ok(run_on("works", "cpu", &reference, absent, sizeof absent) == VITRAIL_OK, "the CPU runs");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    VitrailStatus status = run_on(cases[i].mode, "auto", &result, absent, sizeof absent);
    bool equal = mini_result_equal(&reference, &result, where, sizeof where);
    vt_ok(status == VITRAIL_OK && equal, "%s: the CPU's bytes", cases[i].mode);
    vt_ok(strcmp(absent, cases[i].absent) == 0, "%s: why it is absent: \"%s\"", cases[i].mode, absent);
    vt_ok(cases[i].warning[0] ? strstr(result.warnings, cases[i].warning) != NULL : !result.warnings[0],
          "%s: what is said: \"%s\"", cases[i].mode, result.warnings);
    mini_result_clear(&result);
  }
  vt_ok(run_on("absent", "cuda", &result, absent, sizeof absent) == VITRAIL_NO_DEVICE && result.message[0],
        "asked for by name it must be there: \"%s\"", result.message);
  mini_result_clear(&result);
  mini_result_clear(&reference);
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
