/* SPDX-License-Identifier: MIT
 *
 * Bad input ends in a status and a sentence; cancelling works at any point; random requests never crash. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mini-host.h"
#include "test-draw.h"
#include "vt-test.h"

static VitrailSession *session;
static VtImage tissue, gray, marker;

typedef struct {
  VitrailRequest request;
  VitrailInput inputs[2];
  const VitrailInput *input_list[2];
  VitrailParamValue value;
  const VitrailParamValue *value_list[1];
} Job;

static void
job_init(Job *job, const char *op, const char *input_id, VtImage *image)
{
  memset(job, 0, sizeof *job);
  job->inputs[0] = (VitrailInput){
    .size = sizeof(VitrailInput),
    .id = input_id,
    .type = image->type,
    .width_l0 = image->width,
    .height_l0 = image->height,
    .mpp_x = 0.5,
    .mpp_y = 0.5,
    .handle = image == &gray ? 1 : 0,
  };
  job->inputs[1] = (VitrailInput){
    .size = sizeof(VitrailInput),
    .id = "marker",
    .type = marker.type,
    .width_l0 = marker.width,
    .height_l0 = marker.height,
    .handle = 2,
  };
  job->input_list[0] = &job->inputs[0];
  job->input_list[1] = &job->inputs[1];
  job->value_list[0] = &job->value;
  job->value.size = sizeof job->value;
  job->request = (VitrailRequest){
    .size = sizeof job->request,
    .op_id = op,
    .backend = "cpu",
    .width_l0 = image->width,
    .height_l0 = image->height,
    .n_inputs = 1,
    .inputs = job->input_list,
    .params = job->value_list,
  };
}

static VitrailStatus
job_run(Job *job, char message[512])
{
  MiniHost mini = { .images = { &tissue, &gray, &marker }, .n_threads = 2, .cancel_after = -1 };
  MiniResult result;
  VitrailStatus status = mini_run(&mini, session, &job->request, &result);
  memcpy(message, result.message, sizeof result.message);
  mini_result_clear(&result);
  return status;
}

static void
expect(Job *job, VitrailStatus wanted, const char *part, const char *what)
{
  char message[512];
  VitrailStatus status = job_run(job, message);
  vt_ok(status == wanted && strstr(message, part), "%s: status %d, \"%s\"", what, status, message);
}

static void
set(Job *job, const char *key, double value)
{
  job->request.n_params = 1;
  job->value.key = key;
  job->value.v[0] = value;
}

static void
check_sentences(void)
{
  Job job;
  job_init(&job, "nope", "image", &tissue);
  expect(&job, VITRAIL_BAD_ARGUMENT, "no operation", "unknown op");
  job_init(&job, "nuclei", "picture", &tissue);
  expect(&job, VITRAIL_BAD_ARGUMENT, "no input", "unknown input");
  job_init(&job, "nuclei", "image", &tissue);
  job.request.n_inputs = 0;
  expect(&job, VITRAIL_BAD_ARGUMENT, "needs the input", "missing input");
  job_init(&job, "nuclei", "image", &gray);
  expect(&job, VITRAIL_BAD_ARGUMENT, "one channel", "grey image for nuclei");
  job_init(&job, "nuclei", "image", &tissue);
  set(&job, "treshold", 1);
  expect(&job, VITRAIL_BAD_ARGUMENT, "no parameter", "unknown parameter");
  set(&job, "threshold", NAN);
  expect(&job, VITRAIL_BAD_ARGUMENT, "must lie between", "NaN");
  set(&job, "threshold", 99);
  expect(&job, VITRAIL_BAD_ARGUMENT, "must lie between 0 and 6 OD", "out of range");
  set(&job, "split", 0.5);
  expect(&job, VITRAIL_BAD_ARGUMENT, "whole number", "half a switch");
  set(&job, "eosin", 0);
  expect(&job, VITRAIL_BAD_ARGUMENT, "must differ", "zero stain vector");
  job_init(&job, "nuclei", "image", &tissue);
  job.request.x_l0 = 100000;
  expect(&job, VITRAIL_BAD_ARGUMENT, "does not meet", "region outside");
  job_init(&job, "nuclei", "image", &tissue);
  job.request.backend = "opencl";
  expect(&job, VITRAIL_BAD_ARGUMENT, "no backend", "unknown backend");
  job_init(&job, "nuclei", "image", &tissue);
  job.request.stages_wanted = UINT64_C(1) << 60;
  expect(&job, VITRAIL_BAD_ARGUMENT, "None of the stages", "no such stage");
  job_init(&job, "reconstruct", "mask", &gray);
  job.request.n_inputs = 2;
  expect(&job, VITRAIL_BAD_ARGUMENT, "nowhere passes its mask", "marker above mask");
  job.inputs[1].width_l0--;
  expect(&job, VITRAIL_BAD_ARGUMENT, "must agree", "marker of another size");
  job_init(&job, "nuclei", "image", &tissue);
  job.inputs[0].width_l0 = job.inputs[0].height_l0 = job.request.width_l0 = job.request.height_l0 = 10000000;
  expect(&job, VITRAIL_OUT_OF_MEMORY, "smaller region", "a region beyond memory");
}

/* Any value may come over the interface. */
static void
check_random_requests(void)
{
  static const double nasty[] = { 0, 1, -1, 0.5, 2, 3, 15, 255, 1e9, -1e9, 1e300, INFINITY, -INFINITY, NAN, 1e-300 };
  int n_ok = 0;
  bool sane = true;
  for (int round = 0; round < 1500; round++) {
    const VitrailPlugin *plugin = mini_plugin();
    const VitrailOp *op = plugin->ops[pick(plugin->n_ops)];
    Job job;
    char message[512];
    job_init(&job, op->id, op->inputs[0]->id, pick(2) ? &tissue : &gray);
    set(&job, op->params[pick(op->n_params)]->key, nasty[pick(sizeof nasty / sizeof *nasty)]);
    job.value.v[1] = nasty[pick(sizeof nasty / sizeof *nasty)];
    job.request.x_l0 = pick(8) ? (int64_t)pick(90) - 10 : INT64_MIN;
    job.request.y_l0 = pick(8) ? (int64_t)pick(90) - 10 : INT64_MAX;
    job.request.width_l0 = pick(8) ? pick(80) : INT64_MAX;
    job.request.height_l0 = pick(8) ? pick(80) : INT64_MAX;
    job.request.tile_px = pick(3) ? pick(100) : UINT32_MAX;
    job.request.min_downsample = nasty[pick(sizeof nasty / sizeof *nasty)];
    job.request.stages_wanted = pick(2) ? 0 : pick(1024);
    VitrailStatus status = job_run(&job, message);
    n_ok += status == VITRAIL_OK;
    sane &= status >= VITRAIL_OK && status < VITRAIL_INTERNAL && (status == VITRAIL_OK || message[0]);
    if (!sane) {
      vt_ok(false, "round %d: op %s status %d \"%s\"", round, op->id, status, message);
      return;
    }
  }
  vt_ok(n_ok > 100, "1500 random requests, %d of them fine, the others with a sentence", n_ok);
}

int
main(void)
{
  const VitrailPlugin *plugin = mini_plugin();
  if (plugin->session_open(&session) != VITRAIL_OK)
    return 1;
  tissue = mini_tissue_new(90, 70, 3);
  gray = mini_image_new(VITRAIL_U8, 90, 70);
  marker = mini_image_new(VITRAIL_U8, 90, 70);
  memset(marker.data, 1, 90 * 70);
  vt_ok(plugin->run(session, NULL, NULL, NULL, 0) == VITRAIL_BAD_ARGUMENT, "no request");
  check_sentences();
  check_random_requests();
  free(tissue.data);
  free(gray.data);
  free(marker.data);
  plugin->session_close(session);
  return vt_test_done();
}
