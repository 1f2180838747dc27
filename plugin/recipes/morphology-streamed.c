/* SPDX-License-Identifier: MIT
 *
 * The op `morphology` on a region that memory does not hold. What op-morphology.c does to rasters happens here to stores;
 * dual operations are done to complements, as there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/propagate.h"
#include "drivers/sides.h"
#include "recipes/foreground.h"
#include "recipes/marker.h"
#include "recipes/ops.h"
#include "run/params.h"
#include "run/raster.h"
#include "scale/labels.h"
#include "scale/waves.h"

enum { MORPHOLOGY_STEPS = 5 };

typedef struct {
  VtStreamed s;
  const VitrailInput *input;
  VtChannel channel;
  VtStore *image; /* one channel, of a dual operation its complement */
  int32_t connectivity, radius;
  double height, threshold;
  double least_area, most_area; /* pixels */
  bool dual;
} Job;

/* --- tiles --- */

static VitrailStatus
read_tile(VtRun *run, const VtStreamTile *t, void *user)
{
  const Job *job = user;
  TRY(vt_stream_channel(run, job->input, &job->channel, t->tile, &t->out[0]));
  return job->dual ? vt_complement_image(&t->out[0]) : VITRAIL_OK;
}

#define CONVERT(FROM, TO) \
  for (int64_t y = 0; y < from->height; y++) { \
    const FROM *in = vt_image_at(from, 0, y); \
    TO *out = vt_image_at(to, 0, y); \
    for (int64_t x = 0; x < from->width; x++) \
      out[x] = (TO)in[x]; \
  }

/* The disc's kernel knows 16 bits, so 8 are widened for it. */
static VitrailStatus
erode_bytes(VtRun *run, const VtErodeDisc *args)
{
  const VtImage *from = &args->src, *to;
  VtImage wide, eroded;
  VtErodeDisc local = *args;
  vt_image_new(&wide, VITRAIL_U16, args->src.width, args->src.height);
  vt_image_new(&eroded, VITRAIL_U16, args->dst.width, args->dst.height);
  VitrailStatus status = wide.data && eroded.data ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  if (status == VITRAIL_OK) {
    to = &wide;
    CONVERT(uint8_t, uint16_t);
    local.src = wide;
    local.dst = eroded;
    status = run->cpu->erode_disc(run->cpu_device, &local, &run->cancel);
  }
  if (status == VITRAIL_OK) {
    from = &eroded;
    to = &args->dst;
    CONVERT(uint16_t, uint8_t);
  }
  free(wide.data);
  free(eroded.data);
  return status;
}

static VitrailStatus
erode_tile(VtRun *run, const VtStreamTile *t, void *user)
{
  const VtErodeDisc args = { .src = t->in[0],
                             .dst = t->out[0],
                             .x0 = t->tile.x - t->window.x,
                             .y0 = t->tile.y - t->window.y,
                             .radius = ((const Job *)user)->radius };
  if (args.src.type == VITRAIL_U8)
    return erode_bytes(run, &args);
  return t->backend->erode_disc ? t->backend->erode_disc(t->device, &args, &run->cancel) : VITRAIL_UNSUPPORTED;
}

static VitrailStatus
lower_tile(VtRun *run, const VtStreamTile *t, void *user)
{
  (void)run;
  return vt_marker_lower(&t->in[0], &t->out[0], ((const Job *)user)->height);
}

/* Pixels of the image's border keep their values, the others get the lowest. */
static VitrailStatus
border_tile(VtRun *run, const VtStreamTile *t, void *user)
{
  (void)user;
  const VtRect r = t->tile;
  const bool sides[4] = { r.x == 0, r.y == 0, r.x + r.width == run->grid.width, r.y + r.height == run->grid.height };
  const VitrailStatus status = vt_marker_lower(&t->in[0], &t->out[0], INFINITY);
  if (status == VITRAIL_OK)
    vt_copy_sides(&t->out[0], &t->in[0], sides);
  return status;
}

#define DIFFERENCE(T) \
  for (int64_t y = 0; y < t->tile.height; y++) { \
    const T *a = vt_image_at(&t->in[0], 0, y), *b = vt_image_at(&t->in[1], 0, y); \
    T *out = vt_image_at(&t->out[0], 0, y); \
    for (int64_t x = 0; x < t->tile.width; x++) \
      out[x] = (T)(a[x] - b[x]); \
  }

/* a - b, where b <= a everywhere */
static VitrailStatus
difference_tile(VtRun *run, const VtStreamTile *t, void *user)
{
  (void)run;
  (void)user;
  switch (t->in[0].type) {
  case VITRAIL_U8: DIFFERENCE(uint8_t); break;
  case VITRAIL_U16: DIFFERENCE(uint16_t); break;
  case VITRAIL_I32: DIFFERENCE(uint32_t); break; /* modulo 2^32, so that no difference overflows */
  default: DIFFERENCE(float);
  }
  return VITRAIL_OK;
}

static VitrailStatus
foreground_tile(VtRun *run, const VtStreamTile *t, void *user)
{
  return vt_foreground(run, &t->in[0], &t->out[0], ((const Job *)user)->threshold);
}

/* --- operations --- */

/* marker = body(image), then reconstructed under the image. */
static VitrailStatus
reconstruct_from(Job *job, VitrailStatus (*body)(VtRun *, const VtStreamTile *, void *), int64_t halo, VtStore **out)
{
  const VtType type = vt_store_type(job->image);
  TRY(vt_streamed_store(&job->s, type, out));
  const VtStreamLocal marker = { .in = { job->image },
                                 .out = { *out },
                                 .halo = halo,
                                 .body_bytes = type == VITRAIL_U8 ? 4 : 0,
                                 .by_slots = body == erode_tile && type != VITRAIL_U8,
                                 .body = body,
                                 .user = job };
  TRY(vt_streamed_local(&job->s, &marker));
  return vt_streamed_reconstruct(&job->s, *out, job->image, job->connectivity);
}

static VitrailStatus
opening(Job *job, VtStore **out)
{
  VtRun *run = job->s.run;
  const double um = run->grid.um_per_px > 0 ? run->grid.um_per_px : 1;
  job->radius = (int32_t)fmin(round(vt_param(run, "radius") / um), 512);
  vt_record(run, "radius-px", job->radius);
  if (job->channel.type != VITRAIL_U8 && job->channel.type != VITRAIL_U16)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, "Discs need an image of 8 or 16 bits; this one has 32.");
  return reconstruct_from(job, erode_tile, job->radius, out);
}

/* What is above `under`, over it. */
static VitrailStatus
subtract(Job *job, VtStore *under)
{
  const VtStreamLocal difference = { .in = { job->image, under }, .out = { under }, .body = difference_tile };
  return vt_streamed_local(&job->s, &difference);
}

static VitrailStatus
h_maxima(Job *job, VtStore **out)
{
  job->height = vt_param_height(job->s.run, job->channel.type, job->channel.scale);
  vt_record(job->s.run, "height-raw", job->height);
  return reconstruct_from(job, lower_tile, 0, out);
}

static VitrailStatus
extrema(Job *job, bool minima, VtStore **out)
{
  TRY(vt_streamed_store(&job->s, VITRAIL_U8, out));
  return vt_streamed_regional(&job->s, job->image, NULL, *out, job->connectivity, minima);
}

typedef struct {
  const VtObjectStats *stats;
  double least, most;
} AreaJob;

static VitrailStatus
area_tile(VtRun *run, const VtStreamTile *t, void *user)
{
  (void)run;
  const AreaJob *job = user;
  for (int64_t y = 0; y < t->tile.height; y++) {
    const int32_t *label = vt_image_at(&t->in[0], 0, y);
    uint8_t *out = vt_image_at(&t->out[0], 0, y);
    for (int64_t x = 0; x < t->tile.width; x++) {
      const double area = label[x] ? (double)job->stats[label[x] - 1].area_px : 0;
      out[x] = label[x] && area >= job->least && area <= job->most ? 255 : 0;
    }
  }
  return VITRAIL_OK;
}

static VitrailStatus
area_filter(Job *job, VtStore **out)
{
  VtRun *run = job->s.run;
  const double um = run->grid.um_per_px > 0 ? run->grid.um_per_px : 1;
  AreaJob area = { NULL, vt_param(run, "min-area") / (um * um), vt_param(run, "max-area") / (um * um) };
  VtStore *labels;
  VtObjectStats *stats = NULL;
  int64_t n;
  job->threshold = vt_param(run, "threshold") / job->channel.scale;
  TRY(vt_streamed_store(&job->s, VITRAIL_U8, out));
  TRY(vt_streamed_store(&job->s, VITRAIL_I32, &labels));
  const VtStreamLocal foreground = { .in = { job->image }, .out = { *out }, .body = foreground_tile, .user = job };
  const VtStreamLocal filter = { .in = { labels }, .out = { *out }, .body = area_tile, .user = &area };
  TRY(vt_streamed_local(&job->s, &foreground));
  TRY(vt_streamed_components(&job->s, *out, labels, job->connectivity, &n));
  VitrailStatus status = vt_streamed_number(&job->s, labels, NULL, NULL, &stats, &n);
  area.stats = stats;
  if (status == VITRAIL_OK)
    status = vt_streamed_local(&job->s, &filter);
  free(stats);
  return status;
}

static VitrailStatus
run_operation(Job *job, const char *operation, VtStore **out)
{
  if (strcmp(operation, "opening-by-reconstruction") == 0 || strcmp(operation, "closing-by-reconstruction") == 0)
    return opening(job, out);
  if (strcmp(operation, "top-hat") == 0 || strcmp(operation, "bottom-hat") == 0) {
    TRY(opening(job, out));
    return subtract(job, *out);
  }
  if (strcmp(operation, "h-maxima") == 0 || strcmp(operation, "h-minima") == 0)
    return h_maxima(job, out);
  if (strcmp(operation, "regional-maxima") == 0 || strcmp(operation, "regional-minima") == 0)
    return extrema(job, strcmp(operation, "regional-minima") == 0, out);
  if (strcmp(operation, "fill-holes") == 0)
    return reconstruct_from(job, border_tile, 0, out);
  if (strcmp(operation, "clear-border") == 0) {
    TRY(reconstruct_from(job, border_tile, 0, out));
    return subtract(job, *out);
  }
  return area_filter(job, out);
}

static VitrailStatus
run_job(VtRun *run, Job *job)
{
  static const char *const duals[] = { "closing-by-reconstruction", "bottom-hat", "h-minima", "fill-holes" };
  const char *operation = vt_param_choice(run, "operation");
  VtStore *out = NULL;
  for (size_t i = 0; i < VT_COUNT(duals); i++)
    job->dual |= strcmp(operation, duals[i]) == 0;
  /* The difference of complements is the difference turned round: it needs no way back. */
  const bool goes_back = job->dual && strcmp(operation, "bottom-hat") != 0;
  TRY(vt_streamed_store(&job->s, job->channel.type, &job->image));
  const VtStreamLocal read = {
    .out = { job->image }, .body_bytes = (int64_t)vt_type_size(job->input->type), .body = read_tile, .user = job
  };
  TRY(vt_streamed_local(&job->s, &read));
  TRY(run_operation(job, operation, &out));
  const double scale = vt_store_type(out) == job->channel.type ? job->channel.scale : 1;
  return vt_streamed_emit(&job->s, 0, out, scale, goes_back ? vt_complement_image : NULL);
}

VitrailStatus
vt_op_morphology_streamed(VtRun *run)
{
  Job *job = calloc(1, sizeof *job);
  if (!job)
    return vt_fail(run, VITRAIL_OUT_OF_MEMORY, "There is not enough memory to begin.");
  job->input = vt_input(run, "image");
  job->connectivity = strcmp(vt_param_choice(run, "connectivity"), "4") == 0 ? 4 : 8;
  vt_stage_begin(run);
  VitrailStatus status = vt_streamed_begin(&job->s, run, vt_param_choice(run, "algorithm"), MORPHOLOGY_STEPS);
  if (status == VITRAIL_OK)
    status = vt_channel_prepare(run, vt_param_choice(run, "channel"), job->input->type, &job->channel);
  if (status == VITRAIL_OK)
    status = run_job(run, job);
  status = vt_streamed_end(&job->s, status);
  free(job);
  return status == VITRAIL_OK ? vt_stage_end(run, 0) : status;
}
