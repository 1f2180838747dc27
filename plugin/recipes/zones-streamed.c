/* SPDX-License-Identifier: MIT
 *
 * The op `zones` on a region that memory does not hold. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recipes/foreground.h"
#include "recipes/ops.h"
#include "run/params.h"
#include "run/raster.h"
#include "scale/labels.h"
#include "scale/waves.h"
#include "steps/labels.h"

enum { STEPS, ZONES, ZONES_STEPS = 8 };

typedef struct {
  VtStreamed s;
  const VitrailInput *input;
  VtChannel channel;
  VtStore *mask, *bright, *seeds, *found, *distance, *zones;
  double paths_above, seed_above;
  int32_t connectivity;
} Job;

/* Where paths may go, and what is brighter there. */
static VitrailStatus
read_tile(VtRun *run, const VtStreamTile *t, void *user)
{
  const Job *job = user;
  VtImage channel;
  vt_image_new(&channel, job->channel.type, t->tile.width, t->tile.height);
  const VtPointwise both = { .op = VT_PW_AND, .a = t->out[1], .b = t->out[0], .dst = t->out[1] };
  VitrailStatus status =
    channel.data ? vt_stream_channel(run, job->input, &job->channel, t->tile, &channel) : VITRAIL_OUT_OF_MEMORY;
  if (status == VITRAIL_OK)
    status = vt_foreground(run, &channel, &t->out[0], job->paths_above);
  if (status == VITRAIL_OK)
    status = vt_foreground(run, &channel, &t->out[1], job->seed_above);
  if (status == VITRAIL_OK)
    status = run->cpu->pointwise(run->cpu_device, &both, &run->cancel);
  free(channel.data);
  return status;
}

static VitrailStatus
find_seeds(VtRun *run, Job *job)
{
  int64_t n;
  bool given;
  TRY(vt_streamed_store(&job->s, VITRAIL_I32, &job->seeds));
  TRY(vt_streamed_labels(&job->s, "seeds", job->input, job->seeds, &given));
  if (!given) {
    TRY(vt_streamed_components(&job->s, job->bright, job->seeds, job->connectivity, &n));
    vt_record(run, "seeds", (double)n);
  }
  vt_streamed_drop(&job->s, job->bright);
  return VITRAIL_OK;
}

static VitrailStatus
part_tile(VtRun *run, const VtStreamTile *t, void *user)
{
  (void)user;
  const float scale = run->grid.um_per_px > 0 ? (float)run->grid.um_per_px : 1;
  for (int64_t y = 0; y < t->tile.height; y++) {
    const int64_t *found = vt_image_at(&t->in[0], 0, y);
    float *distance = vt_image_at(&t->out[0], 0, y);
    int32_t *zone = vt_image_at(&t->out[1], 0, y);
    for (int64_t x = 0; x < t->tile.width; x++) {
      const bool is_reached = found[x] != VT_EDT_NONE64;
      distance[x] = is_reached ? (float)(int32_t)(found[x] >> 32) * scale : NAN;
      zone[x] = is_reached ? (int32_t)(found[x] & UINT32_MAX) : 0;
    }
  }
  return VITRAIL_OK;
}

static VitrailStatus
run_job(VtRun *run, Job *job)
{
  VtStreamed *s = &job->s;
  TRY(vt_streamed_store(s, VITRAIL_U8, &job->mask));
  TRY(vt_streamed_store(s, VITRAIL_U8, &job->bright));
  const VtStreamLocal read = { .out = { job->mask, job->bright }, .body_bytes = 8, .body = read_tile, .user = job };
  TRY(vt_streamed_local(s, &read));
  TRY(find_seeds(run, job));
  TRY(vt_streamed_store(s, VT_I64, &job->found));
  TRY(vt_streamed_geodesic(s, job->seeds, job->mask, job->found, job->connectivity));
  vt_streamed_drop(s, job->seeds);
  vt_streamed_drop(s, job->mask);
  TRY(vt_streamed_store(s, VITRAIL_F32, &job->distance));
  TRY(vt_streamed_store(s, VITRAIL_I32, &job->zones));
  const VtStreamLocal part = { .in = { job->found }, .out = { job->distance, job->zones }, .body = part_tile };
  TRY(vt_streamed_local(s, &part));
  TRY(vt_streamed_emit(s, STEPS, job->distance, 1, NULL));
  TRY(vt_stage_end(run, STEPS));
  vt_stage_begin(run);
  return vt_streamed_emit(s, ZONES, job->zones, 1, NULL);
}

VitrailStatus
vt_op_zones_streamed(VtRun *run)
{
  Job *job = calloc(1, sizeof *job);
  if (!job)
    return vt_fail(run, VITRAIL_OUT_OF_MEMORY, "There is not enough memory to begin.");
  job->input = vt_input(run, "image");
  job->connectivity = strcmp(vt_param_choice(run, "connectivity"), "4") == 0 ? 4 : 8;
  vt_stage_begin(run);
  VitrailStatus status = vt_streamed_begin(&job->s, run, NULL, ZONES_STEPS);
  if (status == VITRAIL_OK)
    status = vt_channel_prepare(run, vt_param_choice(run, "channel"), job->input->type, &job->channel);
  job->paths_above = vt_param_threshold(run, "threshold", job->input->type, job->channel.scale);
  job->seed_above = vt_param_threshold(run, "seed-above", job->input->type, job->channel.scale);
  if (status == VITRAIL_OK)
    status = run_job(run, job);
  status = vt_streamed_end(&job->s, status);
  free(job);
  return status == VITRAIL_OK ? vt_stage_end(run, ZONES) : status;
}
