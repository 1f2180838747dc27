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

static VitrailStatus
run(const MiniJob *job, char message[512])
{
  MiniHost mini = { .n_threads = 2, .cancel_after = -1 };
  MiniResult result;
  const VitrailStatus status = mini_job_run(job, &mini, session, &result);
  memcpy(message, result.message, sizeof result.message);
  mini_result_clear(&result);
  return status;
}

static void
expect(const MiniJob *job, VitrailStatus wanted, const char *part, const char *what)
{
  char message[512];
  VitrailStatus status = run(job, message);
  vt_ok(status == wanted && strstr(message, part), "%s: status %d, \"%s\"", what, status, message);
}

static void
expect_of_value(const char *key, double value, const char *part, const char *what)
{
  MiniJob job = mini_job(mini_op("nuclei-threshold"), &tissue);
  mini_job_set(&job, key, value);
  expect(&job, VITRAIL_BAD_ARGUMENT, part, what);
}

static void
check_sentences(void)
{
  const MiniJob nuclei = mini_job(mini_op("nuclei-threshold"), &tissue);
  MiniJob job = nuclei;
  job.request.op_id = "nope";
  expect(&job, VITRAIL_BAD_ARGUMENT, "no operation", "unknown op");
  job = nuclei;
  job.inputs[0] = "picture";
  expect(&job, VITRAIL_BAD_ARGUMENT, "no input", "unknown input");
  job = nuclei;
  job.n_inputs = 0;
  expect(&job, VITRAIL_BAD_ARGUMENT, "needs the input", "missing input");
  job = mini_job(mini_op("nuclei-threshold"), &gray);
  expect(&job, VITRAIL_BAD_ARGUMENT, "one channel", "grey image for nuclei");
  expect_of_value("treshold", 1, "no parameter", "unknown parameter");
  expect_of_value("threshold", NAN, "must lie between", "NaN");
  expect_of_value("threshold", 99, "must lie between 0 and 6 OD", "out of range");
  expect_of_value("split", 0.5, "whole number", "half a switch");
  expect_of_value("eosin", 0, "must differ", "zero stain vector");
  job = nuclei;
  job.request.x_l0 = 100000;
  expect(&job, VITRAIL_BAD_ARGUMENT, "does not meet", "region outside");
  job = nuclei;
  job.request.backend = "opencl";
  expect(&job, VITRAIL_BAD_ARGUMENT, "no backend", "unknown backend");
  job = nuclei;
  job.request.stages_wanted = UINT64_C(1) << 60;
  expect(&job, VITRAIL_BAD_ARGUMENT, "None of the stages", "no such stage");
  job = mini_job(mini_op("distance"), &gray);
  job.request.flags = VITRAIL_RUN_MEASURE;
  expect(&job, VITRAIL_UNSUPPORTED, "no objects", "an object for an op that measures none");
  job = nuclei;
  job.request.flags = VITRAIL_RUN_MEASURE;
  mini_job_set(&job, "outline", 1);
  expect(&job, VITRAIL_UNSUPPORTED, "where its nucleus is", "the outline of a cell");
  job = mini_job(mini_op("reconstruct"), &gray);
  mini_job_add(&job, "marker", &marker);
  expect(&job, VITRAIL_BAD_ARGUMENT, "nowhere passes its mask", "marker above mask");
  job.images[1].width--;
  expect(&job, VITRAIL_BAD_ARGUMENT, "must agree", "marker of another size");
  const VtImage huge = { tissue.data, 10000000, 10000000, tissue.stride, tissue.type }; /* only its size is looked at */
  job = mini_job(mini_op("nuclei-threshold"), &huge);
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
    MiniJob job = mini_job(op, pick(2) ? &tissue : &gray);
    char message[512];
    VitrailParamValue *value =
      mini_job_set(&job, op->params[pick(op->n_params)]->key, nasty[pick(sizeof nasty / sizeof *nasty)]);
    value->v[1] = nasty[pick(sizeof nasty / sizeof *nasty)];
    job.request.x_l0 = pick(8) ? (int64_t)pick(90) - 10 : INT64_MIN;
    job.request.y_l0 = pick(8) ? (int64_t)pick(90) - 10 : INT64_MAX;
    job.request.width_l0 = pick(8) ? pick(80) : INT64_MAX;
    job.request.height_l0 = pick(8) ? pick(80) : INT64_MAX;
    job.request.tile_px = pick(3) ? pick(100) : UINT32_MAX;
    job.request.min_downsample = nasty[pick(sizeof nasty / sizeof *nasty)];
    job.request.stages_wanted = pick(2) ? 0 : pick(1024);
    const uint32_t size = 3 + pick(4);
    double points[12];
    for (uint32_t i = 0; i < 12; i++)
      points[i] = pick(3) ? pick(90) : nasty[pick(sizeof nasty / sizeof *nasty)];
    const VitrailRoi roi = { .size = sizeof roi, .name = "a", .n_rings = 1, .ring_sizes = &size, .points = points };
    const VitrailRoi *const rois[] = { &roi, &roi };
    if (pick(3) == 0) {
      job.request.flags = VITRAIL_RUN_MEASURE;
      job.request.n_rois = pick(3);
      job.request.rois = rois;
    }
    VitrailStatus status = run(&job, message);
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
