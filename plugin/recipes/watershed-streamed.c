/* SPDX-License-Identifier: MIT
 *
 * The op `watershed` on a region that memory does not hold. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "executors/steps.h"
#include "recipes/ops.h"
#include "run/params.h"
#include "run/raster.h"
#include "scale/labels.h"
#include "scale/waves.h"
#include "steps/labels.h"

enum { WATERSHED_STEPS = 16 };

typedef struct {
  VtSteps steps;
  const VitrailInput *input;
  VtChannel channel;
  VtImage height, mask, peaks, seeds, labels;
  double threshold;
  bool dark, seeds_given;
} Job;

#define AS_FLOAT(T) \
  for (int64_t y = 0; y < t->tile.height; y++) { \
    const T *from = vt_image_at(&channel, 0, y); \
    float *to = vt_image_at(&t->out[0], 0, y); \
    for (int64_t x = 0; x < t->tile.width; x++) { \
      to[x] = job->dark ? -(float)from[x] : (float)from[x]; \
      is_exact &= fabsf(to[x]) <= 0x1p24f; \
    } \
  }

/* Heights, and outside of the objects the lowest there is. */
static VitrailStatus
find_height(VtRun *run, const Job *job, const VtStreamTile *t, VtImage channel)
{
  bool is_exact = true;
  switch (channel.type) {
  case VITRAIL_U8: AS_FLOAT(uint8_t); break;
  case VITRAIL_U16: AS_FLOAT(uint16_t); break;
  case VITRAIL_I32: AS_FLOAT(int32_t); break;
  default: AS_FLOAT(float); is_exact = true;
  }
  if (!is_exact)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT,
                   "A watershed needs whole numbers of up to 24 bits; this image has larger ones.");
  const VtPointwise above = {
    .op = VT_PW_ABOVE, .a = t->out[0], .dst = t->out[1], .s = job->dark ? -job->threshold : job->threshold
  };
  const VtPointwise select = { .op = VT_PW_SELECT, .a = t->out[0], .b = t->out[1], .dst = t->out[0], .s = -INFINITY };
  TRY(run->cpu->pointwise(run->cpu_device, &above, &run->cancel));
  return run->cpu->pointwise(run->cpu_device, &select, &run->cancel);
}

static VitrailStatus
read_tile(VtRun *run, const VtStreamTile *t, void *user)
{
  const Job *job = user;
  VtImage channel;
  vt_image_new(&channel, job->channel.type, t->tile.width, t->tile.height);
  VitrailStatus status =
    channel.data ? vt_stream_channel(run, job->input, &job->channel, t->tile, &channel) : VITRAIL_OUT_OF_MEMORY;
  if (status == VITRAIL_OK)
    status = find_height(run, job, t, channel);
  free(channel.data);
  return status;
}

/* Pixels of seeds, inside the mask. */
static VitrailStatus
where_tile(VtRun *run, const VtStreamTile *t, void *user)
{
  (void)run;
  (void)user;
  for (int64_t y = 0; y < t->tile.height; y++) {
    const int32_t *seed = vt_image_at(&t->in[0], 0, y);
    const uint8_t *mask = vt_image_at(&t->in[1], 0, y);
    uint8_t *out = vt_image_at(&t->out[0], 0, y);
    for (int64_t x = 0; x < t->tile.width; x++)
      out[x] = seed[x] && mask[x] ? 255 : 0;
  }
  return VITRAIL_OK;
}

/* h-maxima of the height inside the mask, and their numbers. */
static VitrailStatus
find_peaks(VtRun *run, Job *job)
{
  VtSteps *steps = &job->steps;
  VtImage domes;
  const double rise = vt_param_height(run, job->channel.type, job->channel.scale);
  vt_record(run, "height-raw", rise);
  TRY(vt_steps_alloc(steps, &domes, VITRAIL_F32));
  TRY(vt_steps_pointwise(steps, VT_PW_SHIFT_DOWN, &job->height, NULL, &domes, rise));
  TRY(vt_steps_reconstruct(steps, &domes, &job->height, 8));
  TRY(vt_streamed_regional(steps->streamed, domes.data, job->mask.data, job->peaks.data, 8, false));
  vt_steps_free(steps, &domes);
  return vt_steps_components(steps, &job->peaks, &job->seeds);
}

static VitrailStatus
find_seeds(VtRun *run, Job *job)
{
  VtStreamed *s = job->steps.streamed;
  TRY(vt_steps_alloc(&job->steps, &job->seeds, VITRAIL_I32));
  TRY(vt_steps_alloc(&job->steps, &job->peaks, VITRAIL_U8));
  TRY(vt_streamed_labels(s, "seeds", job->input, job->seeds.data, &job->seeds_given));
  if (!job->seeds_given)
    return find_peaks(run, job);
  const VtStreamLocal where = { .in = { job->seeds.data, job->mask.data },
                                .out = { job->peaks.data },
                                .body = where_tile };
  return vt_streamed_local(s, &where);
}

static VitrailStatus
flood(Job *job)
{
  VtSteps *steps = &job->steps;
  VtImage level;
  TRY(vt_steps_alloc(steps, &level, VITRAIL_F32));
  TRY(vt_steps_pointwise(steps, VT_PW_SELECT, &job->height, &job->peaks, &level, -INFINITY));
  vt_steps_free(steps, &job->peaks);
  TRY(vt_steps_reconstruct(steps, &level, &job->height, 8));
  vt_steps_free(steps, &job->height);
  TRY(vt_steps_alloc(steps, &job->labels, VITRAIL_I32));
  const VtWatershed args = { level, job->seeds, job->mask, job->labels };
  TRY(vt_steps_watershed(steps, &args));
  vt_steps_free(steps, &level);
  vt_steps_free(steps, &job->seeds);
  return VITRAIL_OK;
}

static VitrailStatus
run_job(VtRun *run, Job *job)
{
  VtObjectStats *stats = NULL;
  int64_t n = 0;
  TRY(vt_steps_alloc(&job->steps, &job->height, VITRAIL_F32));
  TRY(vt_steps_alloc(&job->steps, &job->mask, VITRAIL_U8));
  const VtStreamLocal read = {
    .out = { job->height.data, job->mask.data }, .body_bytes = 8, .body = read_tile, .user = job
  };
  TRY(vt_streamed_local(job->steps.streamed, &read));
  TRY(find_seeds(run, job));
  TRY(flood(job));
  if (!job->seeds_given) {
    TRY(vt_streamed_number(job->steps.streamed, job->labels.data, NULL, NULL, &stats, &n));
    free(stats);
    vt_record(run, "objects", (double)n);
  }
  return vt_steps_emit(&job->steps, 0, &job->labels, 1);
}

VitrailStatus
vt_op_watershed_streamed(VtRun *run)
{
  Job job = { .input = vt_input(run, "image"), .dark = strcmp(vt_param_choice(run, "objects"), "dark") == 0 };
  vt_stage_begin(run);
  VitrailStatus status = vt_steps_begin_streamed(&job.steps, run, vt_param_choice(run, "algorithm"), WATERSHED_STEPS);
  if (status == VITRAIL_OK)
    status = vt_channel_prepare(run, vt_param_choice(run, "channel"), job.input->type, &job.channel);
  job.threshold = vt_param_threshold(run, "threshold", job.input->type, job.channel.scale);
  if (status == VITRAIL_OK)
    status = run_job(run, &job);
  status = vt_steps_end_streamed(&job.steps, status);
  return status == VITRAIL_OK ? vt_stage_end(run, 0) : status;
}
