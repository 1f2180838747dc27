/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a request over the plugin interface: op, inputs, parameters, region, stages, regions of interest. Two runs
 * with other tiles, threads and order give the same bytes, or the same refusal; under a byte budget the result is the same or
 * refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "mini-host.h"

enum { MAX_EDGE = 40, MAX_PARAMS = 4, MAX_ROIS = 3, MAX_RINGS = 3, MAX_POINTS = 12 };

typedef struct {
  const uint8_t *data;
  size_t size, at;
} Bytes;

typedef struct {
  VitrailRequest request;
  VtImage images[3];
  VitrailInput inputs[3];
  const VitrailInput *input_list[3];
  VitrailParamValue values[MAX_PARAMS];
  const VitrailParamValue *value_list[MAX_PARAMS];
  VitrailRoi rois[MAX_ROIS];
  const VitrailRoi *roi_list[MAX_ROIS];
  uint32_t ring_sizes[MAX_ROIS][MAX_RINGS];
  double points[MAX_ROIS][MAX_RINGS * MAX_POINTS * 2];
} Job;

/* Bytes past the end are zero. */
static uint8_t
take(Bytes *bytes)
{
  return bytes->at < bytes->size ? bytes->data[bytes->at++] : 0;
}

static double
take_nasty(Bytes *bytes)
{
  static const double nasty[] = { 0,        -0.0, 0.5,       1,     -1,    2,      1e9,         -1e9,
                                  INFINITY, NAN,  -INFINITY, 4.3e9, 1e300, 1e-300, 2147483648.0 };
  const uint8_t which = take(bytes);
  return which < 240 ? which / 4.0 - 10 : nasty[which - 240 < 15 ? which - 240 : 0];
}

static int64_t
take_position(Bytes *bytes)
{
  static const int64_t nasty[] = { INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX, -1 };
  const uint8_t which = take(bytes);
  return which < 250 ? (int64_t)which % 64 - 8 : nasty[which % 5];
}

static uint32_t
float_bits(uint32_t seed, uint8_t kind)
{
  const float value = kind == 5 && seed % 7 == 0   ? NAN
                      : kind == 5 && seed % 5 == 0 ? INFINITY
                                                   : (float)(seed % 509) - 100;
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return kind == 6 ? seed : bits;
}

/* Flat, noise of few or many values, or (floats) numbers that are none. */
static VtImage
take_image(Bytes *bytes, VtType type, int64_t width, int64_t height)
{
  VtImage image = mini_image_new(type, width, height);
  const uint8_t kind = take(bytes) % 8, n = take(bytes);
  uint32_t state = take(bytes);
  for (int64_t i = 0; i < width * height; i++) {
    state = state * 1664525u + 1013904223u;
    const uint32_t value = kind == 0 ? n : kind < 4 ? (state >> 16) % (n + 1u) : state >> 8;
    switch (type) {
    case VITRAIL_U8: ((uint8_t *)image.data)[i] = (uint8_t)value; break;
    case VITRAIL_U16: ((uint16_t *)image.data)[i] = (uint16_t)value; break;
    case VITRAIL_I32: ((int32_t *)image.data)[i] = (int32_t)(kind == 7 ? state : value); break;
    case VITRAIL_F32: ((uint32_t *)image.data)[i] = float_bits(kind == 6 ? state : value, kind); break;
    default: ((uint32_t *)image.data)[i] = value * 0x010203u | 0xFF000000u; break;
    }
  }
  return image;
}

static void
take_inputs(Job *job, Bytes *bytes, const VitrailOp *op)
{
  static const double mpps[] = { 0, 0.25, 0.5, 1, 1e-9, 1e9, -1, NAN };
  const int64_t width = 1 + take(bytes) % MAX_EDGE, height = 1 + take(bytes) % MAX_EDGE;
  const double mpp = mpps[take(bytes) % 8];
  for (uint32_t i = 0; i < op->n_inputs && i < 3; i++) {
    const uint8_t how = take(bytes);
    if (op->inputs[i]->kind == VITRAIL_INPUT_ROIS || (how & 1 && op->inputs[i]->flags & VITRAIL_INPUT_OPTIONAL))
      continue;
    const uint32_t n = job->request.n_inputs++;
    /* Most often inputs agree. */
    VtType type = (how >> 1) % 5;
    if (n > 0 && how < 192)
      type = job->inputs[0].type == VITRAIL_RGBA8 ? VITRAIL_U8 : job->inputs[0].type;
    job->images[n] = take_image(bytes, type, width - (how == 255), height);
    job->inputs[n] = (VitrailInput){
      .size = sizeof(VitrailInput),
      .handle = n,
      .id = op->inputs[i]->id,
      .type = type,
      .width_l0 = job->images[n].width,
      .height_l0 = height,
      .mpp_x = mpp,
      .mpp_y = how & 64 ? mpp * 1.5 : mpp,
    };
    job->input_list[n] = &job->inputs[n];
  }
  job->request.inputs = job->input_list;
}

static void
take_params(Job *job, Bytes *bytes, const VitrailOp *op)
{
  job->request.n_params = take(bytes) % (MAX_PARAMS + 1);
  job->request.params = job->value_list;
  for (uint32_t i = 0; i < job->request.n_params; i++) {
    const VitrailParam *param = op->params[take(bytes) % op->n_params];
    VitrailParamValue *value = &job->values[i];
    *value = (VitrailParamValue){ .size = sizeof *value, .key = param->key };
    const bool whole = param->type != VITRAIL_PARAM_FLOAT && param->type != VITRAIL_PARAM_VECTOR;
    const double max = param->type == VITRAIL_PARAM_CHOICE ? param->n_choices - 1.0
                       : param->type == VITRAIL_PARAM_BOOL ? 1
                                                           : param->max;
    const bool is_nasty = take(bytes) >= 240;
    for (int c = 0; c < 4; c++) {
      /* Small values more often than large ones. */
      const double part = pow(take(bytes) / 255.0, whole ? 1 : 3), v = param->min + (max - param->min) * part;
      value->v[c] = is_nasty ? take_nasty(bytes) : whole ? floor(v) : v;
    }
    job->value_list[i] = value;
  }
}

static void
take_rois(Job *job, Bytes *bytes)
{
  static const char *const names[MAX_ROIS] = { "a", "", "r\xC3\xA9gion" };
  job->request.n_rois = take(bytes) % (MAX_ROIS + 1);
  job->request.rois = job->roi_list;
  for (uint32_t i = 0; i < job->request.n_rois; i++) {
    uint32_t n_points = 0;
    const uint32_t n_rings = take(bytes) % (MAX_RINGS + 1);
    for (uint32_t r = 0; r < n_rings; n_points += job->ring_sizes[i][r++])
      job->ring_sizes[i][r] = take(bytes) % (MAX_POINTS + 1);
    for (uint32_t p = 0; p < 2 * n_points; p++)
      job->points[i][p] = take_nasty(bytes);
    job->rois[i] = (VitrailRoi){
      .size = sizeof(VitrailRoi),
      .n_rings = n_rings,
      .name = names[i],
      .ring_sizes = job->ring_sizes[i],
      .points = job->points[i],
    };
    job->roi_list[i] = &job->rois[i];
  }
}

static void
take_job(Job *job, Bytes *bytes)
{
  const VitrailPlugin *plugin = mini_plugin();
  const VitrailOp *op = plugin->ops[take(bytes) % plugin->n_ops];
  job->request = (VitrailRequest){ .size = sizeof job->request, .op_id = op->id, .backend = "cpu" };
  take_inputs(job, bytes, op);
  const uint8_t how = take(bytes);
  job->request.width_l0 = job->request.height_l0 = MAX_EDGE;
  if (how & 1) {
    job->request.x_l0 = take_position(bytes);
    job->request.y_l0 = take_position(bytes);
    job->request.width_l0 = take_position(bytes);
    job->request.height_l0 = take_position(bytes);
  }
  job->request.min_downsample = how & 2 ? take_nasty(bytes) : 0;
  job->request.stages_wanted = how & 4 ? take(bytes) | (uint64_t)take(bytes) << 8 : 0;
  take_params(job, bytes, op);
  take_rois(job, bytes);
}

static VitrailStatus
run_job(Job *job, VitrailSession *session, uint32_t tile_px, uint32_t n_threads, MiniResult *result)
{
  MiniHost mini = {
    .images = { &job->images[0], &job->images[1], &job->images[2] },
    .n_threads = n_threads,
    .shuffle_seed = tile_px,
    .cancel_after = -1,
  };
  job->request.tile_px = tile_px;
  const VitrailStatus status = mini_run(&mini, session, &job->request, result);
  vt_fuzz_check(status >= VITRAIL_OK && status < VITRAIL_INTERNAL && status != VITRAIL_CANCELLED, "status",
                result->message);
  vt_fuzz_check((status == VITRAIL_OK) == (result->message[0] == '\0'),
                "a failure without a sentence, or a sentence without", job->request.op_id);
  return status;
}

size_t
vt_fuzz_seed(unsigned index, uint8_t *data)
{
  const unsigned n_ops = mini_plugin()->n_ops;
  if (index >= 5 * n_ops)
    return 0;
  const unsigned op = index % n_ops, type = op == 0 ? VITRAIL_RGBA8 : index / n_ops % 5;
  const uint8_t head[] = {
    (uint8_t)(index % 7),       /* tiles */
    (uint8_t)op,                /* op */
    (uint8_t)(20 + index % 19), /* width */
    (uint8_t)(39 - index % 30), /* height */
    (uint8_t)(index / 3 % 4),   /* mpp */
    (uint8_t)(type << 1),       /* of the first input */
    (uint8_t)(1 + index % 5),   /* its filling */
    (uint8_t)(255 - 6 * index), /* values of it */
    (uint8_t)index,             /* and where they start */
  };
  for (unsigned i = 0; i < 160; i++)
    data[i] = i < sizeof head ? head[i] : (uint8_t)(index % 3 == 0 ? 0 : i < 40 ? i * index % 9 : 40 + i * 37 % 150);
  return 160;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static VitrailSession *session;
  static const uint32_t tiles[] = { 1, 7, 16, 17, 33, 64, UINT32_MAX };
  Bytes bytes = { data, size, 0 };
  Job job = { 0 };
  MiniResult first, second;
  char where[64] = "";
  if (!session)
    vt_fuzz_check(mini_plugin()->session_open(&session) == VITRAIL_OK, "session", NULL);
  const uint32_t tile_px = tiles[take(&bytes) % 7];
  take_job(&job, &bytes);
  const VitrailStatus status = run_job(&job, session, 0, 1, &first);
  const VitrailStatus again = run_job(&job, session, tile_px, 2, &second);
  vt_fuzz_check(status == again, first.message, second.message);
  vt_fuzz_check(status != VITRAIL_OK || mini_result_equal(&first, &second, where, sizeof where),
                "tiles change the result", where);
  mini_result_clear(&second);
  job.request.scratch_dir = "/tmp";
  job.request.memory_budget = 2000 + 40 * (uint64_t)take(&bytes) * take(&bytes);
  const VtImage *whole = &first.stages[0], *streamed = &second.stages[0];
  if (run_job(&job, session, tile_px, 2, &second) == VITRAIL_OK && status == VITRAIL_OK && whole->data)
    vt_fuzz_check(streamed->data && whole->type == streamed->type
                    && memcmp(whole->data, streamed->data, (size_t)(whole->height * whole->stride)) == 0,
                  "streaming changes the result", job.request.op_id);
  mini_result_clear(&first);
  mini_result_clear(&second);
  for (int i = 0; i < 3; i++)
    free(job.images[i].data);
  return 0;
}
