/* SPDX-License-Identifier: MIT
 *
 * The op `watershed`: flooding from seeds, with one answer (docs/nuclei.md). Height is the channel as floats, for
 * dark objects its negative; outside the objects it lies below everything. */
#include <math.h>
#include <string.h>

#include "drivers/local.h"
#include "drivers/propagate.h"
#include "drivers/whole.h"
#include "engine/view-exact.h"
#include "executors/bounds.h"
#include "recipes/certain-seeded.h"
#include "recipes/ops.h"
#include "run/grid.h"
#include "run/parallel.h"
#include "run/params.h"
#include "run/raster.h"
#include "steps/labels.h"

enum { LABELS, CERTAIN };
enum { WATERSHED_BYTES = 64, CERTAIN_BYTES = 88 }; /* for each pixel, at most */

typedef struct {
  VtImage channel, height, mask, seeds, labels;
  double scale;
  VtType type; /* of the input */
  bool dark;
  const char *algorithm;
} Job;

/* --- height --- */

#define AS_FLOAT(T) \
  for (int64_t y = t.y; y < t.y + t.height; y++) { \
    const T *from = vt_image_at(&job->channel, 0, y); \
    float *to = vt_image_at(&job->height, 0, y); \
    for (int64_t x = t.x; x < t.x + t.width; x++) { \
      to[x] = job->dark ? -(float)from[x] : (float)from[x]; \
      is_exact &= fabsf(to[x]) <= 0x1p24f; \
    } \
  }

static VitrailStatus
height_tile(VtRun *run, VtRect t, void *user)
{
  const Job *job = user;
  bool is_exact = true;
  switch (job->channel.type) {
  case VITRAIL_U8: AS_FLOAT(uint8_t); break;
  case VITRAIL_U16: AS_FLOAT(uint16_t); break;
  case VITRAIL_I32: AS_FLOAT(int32_t); break;
  default: AS_FLOAT(float); is_exact = true;
  }
  return is_exact ? VITRAIL_OK
                  : vt_fail(run, VITRAIL_BAD_ARGUMENT,
                            TR("A watershed needs whole numbers of up to 24 bits; this image has larger ones."));
}

static VitrailStatus
find_height(VtRun *run, Job *job)
{
  const int64_t width = job->channel.width, height = job->channel.height;
  VtImage everywhere;
  TRY(vt_raster_alloc(run, &everywhere, VITRAIL_F32, width, height));
  job->height = everywhere;
  TRY(vt_local(run, width, height, height_tile, job));
  TRY(vt_raster_alloc(run, &job->mask, VITRAIL_U8, width, height));
  TRY(vt_raster_alloc(run, &job->height, VITRAIL_F32, width, height));
  const double threshold = vt_param_threshold(run, "threshold", job->type, job->scale);
  TRY(vt_local_pointwise(run, VT_PW_ABOVE, &everywhere, NULL, &job->mask, job->dark ? -threshold : threshold));
  return vt_local_pointwise(run, VT_PW_SELECT, &everywhere, &job->mask, &job->height, -INFINITY);
}

/* --- seeds --- */

/* h-maxima of the height inside the mask, and their numbers. */
static VitrailStatus
find_peaks(VtRun *run, Job *job, VtImage *peaks)
{
  const int64_t width = job->height.width, height = job->height.height;
  const double rise = vt_param_height(run, job->channel.type, job->scale);
  VtImage domes;
  vt_record(run, "height-raw", rise);
  TRY(vt_raster_alloc(run, &domes, VITRAIL_F32, width, height));
  TRY(vt_raster_alloc(run, peaks, VITRAIL_U8, width, height));
  TRY(vt_local_pointwise(run, VT_PW_SHIFT_DOWN, &job->height, NULL, &domes, rise));
  TRY(vt_reconstruct(run, &domes, &job->height, 8, job->algorithm));
  const VtRegional args = { .src = domes, .inside = job->mask, .dst = *peaks, .connectivity = 8 };
  TRY(vt_whole_regional(run, &args));
  return vt_components(run, peaks, 8, &job->seeds);
}

typedef struct {
  const VtImage *labels, *mask, *out;
} WhereJob;

static VitrailStatus
where_tile(VtRun *run, VtRect t, void *user)
{
  (void)run;
  const WhereJob *job = user;
  for (int64_t y = t.y; y < t.y + t.height; y++)
    for (int64_t x = t.x; x < t.x + t.width; x++)
      *(uint8_t *)vt_image_at(job->out, x, y) =
        *(const int32_t *)vt_image_at(job->labels, x, y) && *(const uint8_t *)vt_image_at(job->mask, x, y) ? 255 : 0;
  return VITRAIL_OK;
}

/* --- the op --- */

static VitrailStatus
flood(VtRun *run, Job *job, const VtImage *peaks)
{
  VtImage level;
  TRY(vt_raster_alloc(run, &level, VITRAIL_F32, peaks->width, peaks->height));
  TRY(vt_local_pointwise(run, VT_PW_SELECT, &job->height, peaks, &level, -INFINITY));
  TRY(vt_reconstruct(run, &level, &job->height, 8, job->algorithm));
  TRY(vt_raster_alloc(run, &job->labels, VITRAIL_I32, peaks->width, peaks->height));
  const VtWatershed args = { level, job->seeds, job->mask, job->labels };
  return vt_whole_watershed(run, &args);
}

static VitrailStatus
find_labels(VtRun *run, Job *job)
{
  VtImage peaks;
  int64_t n;
  TRY(vt_read_labels(run, "seeds", vt_input(run, "image"), &job->seeds));
  if (job->seeds.data) {
    TRY(vt_raster_alloc(run, &peaks, VITRAIL_U8, job->mask.width, job->mask.height));
    WhereJob where = { &job->seeds, &job->mask, &peaks };
    TRY(vt_local(run, peaks.width, peaks.height, where_tile, &where));
    return flood(run, job, &peaks);
  }
  TRY(find_peaks(run, job, &peaks));
  TRY(flood(run, job, &peaks));
  TRY(vt_labels_number(run, &job->labels, &n));
  TRY(vt_labels_show(run, &job->labels, &n));
  vt_record(run, "objects", (double)n);
  return VITRAIL_OK;
}

static VitrailStatus
prepare(VtRun *run, Job *job)
{
  const VitrailInput *input = vt_input(run, "image");
  VtImage image;
  *job = (Job){ .type = input->type,
                .dark = strcmp(vt_param_choice(run, "objects"), "dark") == 0,
                .algorithm = vt_param_choice(run, "algorithm") };
  TRY(vt_read_input(run, input, vt_grid_rect(run), &image));
  TRY(vt_channel(run, vt_param_choice(run, "channel"), &image, &job->channel, &job->scale));
  return find_height(run, job);
}

static VitrailStatus
watershed(VtRun *run, void *user)
{
  Job job;
  (void)user;
  if (vt_run_streams_labels(run, vt_grid_rect(run), WATERSHED_BYTES))
    return vt_op_watershed_streamed(run);
  TRY(vt_raster_check_budget(run, vt_grid_rect(run), WATERSHED_BYTES));
  vt_stage_begin(run);
  TRY(prepare(run, &job));
  TRY(find_labels(run, &job));
  TRY(vt_emit_raster(run, LABELS, &job.labels, 1));
  return vt_stage_end(run, LABELS);
}

static VitrailStatus
find_certain(VtRun *run, const bool open[4], void *user, const VtImage *certain)
{
  Job job;
  VtSteps steps;
  VtBounds bounds;
  (void)user;
  vt_bounds_begin(&steps, run, vt_param_choice(run, "algorithm"), &bounds, open);
  TRY(prepare(run, &job));
  TRY(vt_read_labels(run, "seeds", vt_input(run, "image"), &job.seeds));
  return vt_certain_watershed(&steps, &job.height, &job.mask, job.seeds.data ? &job.seeds : NULL,
                              vt_param_height(run, job.channel.type, job.scale), certain);
}

VitrailStatus
vt_op_watershed(VtRun *run)
{
  static const VtGridView view = { CERTAIN_BYTES, CERTAIN, watershed, find_certain };
  TRY(vt_grid_resolve(run, vt_input(run, "image")));
  return vt_view_exact_grid(run, &view, NULL);
}
