/* SPDX-License-Identifier: MIT
 *
 * Whatever becomes of the device, the job ends with the CPU's bytes, and the user is told once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mini-host.h"
#include "vt-test.h"

typedef struct {
  const char *op;             /* NULL: nuclei */
  const char *mode, *backend; /* of the pretended device; of the request */
  const char *key;            /* one parameter to set, or NULL */
  double value;
  uint64_t stages;
  int fault_at; /* 0: nowhere */
  int64_t cancel_after;
} Job;

enum { N_OPERATIONS = 11 /* of the op morphology */ };

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
                         .id = "image",
                         .type = VITRAIL_RGBA8,
                         .width_l0 = tissue.width,
                         .height_l0 = tissue.height,
                         .mpp_x = 0.5,
                         .mpp_y = 0.5 };
  const VitrailInput *inputs[] = { &input };
  VitrailRequest request = { .size = sizeof request,
                             .op_id = job->op ? job->op : "nuclei",
                             .backend = job->backend,
                             .width_l0 = tissue.width,
                             .height_l0 = tissue.height,
                             .stages_wanted = job->stages,
                             .n_params = job->key ? 1 : 0,
                             .params = values,
                             .n_inputs = 1,
                             .inputs = inputs };
  MiniHost mini = { .images = { &tissue }, .n_threads = 2, .cancel_after = job->cancel_after };
  VitrailStatus status = mini_run(&mini, session, &request, result);
  plugin->session_close(session);
  return status;
}

static VitrailStatus
run_on(const char *mode, const char *backend, MiniResult *result, char *absent, size_t absent_size)
{
  const Job job = { .mode = mode, .backend = backend, .cancel_after = -1 };
  return run_job(&job, result, absent, absent_size);
}

/* With a device that fails at any one of its calls, the bytes are the CPU's. least: how many calls there are at least. */
static void
check_faults(const char *op, const char *key, double value, uint64_t stages, int least)
{
  MiniResult reference, result;
  char absent[256], where[64] = "";
  Job job = { op, "works", "cpu", key, value, stages, .cancel_after = -1 };
  bool good = run_job(&job, &reference, absent, sizeof absent) == VITRAIL_OK, faulty = true;
  job.backend = "cuda";
  while (good && faulty && job.fault_at < 1000) {
    job.fault_at++;
    good = run_job(&job, &result, absent, sizeof absent) == VITRAIL_OK
           && mini_result_equal(&reference, &result, where, sizeof where) && result.n_tiles == reference.n_tiles;
    faulty = result.warnings[0] != '\0';
    good = good && (!faulty || strstr(result.warnings, op ? "ran on the CPU" : "Nuclei ran on the CPU") != NULL);
    mini_result_clear(&result);
  }
  vt_ok(good && !faulty && job.fault_at > least,
        "%s, %s %g, stages %llx: a fault at each of %d calls: the CPU's bytes %s", op ? op : "nuclei",
        key ? key : "as usual", value, (unsigned long long)stages, job.fault_at - 1, good ? "" : where);
  mini_result_clear(&reference);
}

static void
check_cancel(void)
{
  MiniResult result;
  char absent[256];
  int n_cancelled = 0, n_other = 0;
  Job job = { .mode = "works", .backend = "cuda" };
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
  check_faults(NULL, NULL, 0, 0, 20);
  check_faults(NULL, "split", 0, 1 << 7, 20);
  check_faults(NULL, "background-by-reconstruction", 0, 1 << 8, 20);
  check_faults(NULL, "background-radius", 0, 1 << 3 | 1 << 8, 20);
  for (int operation = 0; operation < N_OPERATIONS; operation++)
    check_faults("morphology", "operation", operation, 0, 5);
  check_faults("watershed", NULL, 0, 0, 20);
  check_faults("watershed", "objects", 1, 0, 20);
  check_faults("zones", NULL, 0, 0, 10);
  check_faults("glrlm-map", NULL, 0, 0, 4);
  check_faults("glrlm-map", "stride", 3, 0, 4);
  check_faults("glrlm-rois", NULL, 0, 0, 3);
  check_faults("glrlm-rois", "aggregate", 1, 0, 3);
  check_cancel();
  free(tissue.data);
  return vt_test_done();
}
