/* SPDX-License-Identifier: MIT
 *
 * The op `morphology`: what is built on reconstruction (Vincent 1993). Every operation has one answer, whatever the tiles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/channel.h"
#include "drivers/local.h"
#include "drivers/propagate.h"
#include "drivers/sides.h"
#include "drivers/whole.h"
#include "engine/view-exact.h"
#include "recipes/certain-morphology.h"
#include "recipes/foreground.h"
#include "recipes/marker.h"
#include "recipes/ops.h"
#include "run/grid.h"
#include "run/parallel.h"
#include "run/params.h"
#include "run/raster.h"

enum { MORPHOLOGY_BYTES = 24 }; /* for each pixel, at most */

typedef struct {
  VtImage image; /* one channel */
  double scale;
  int32_t connectivity;
  const char *algorithm;
} Job;

static VitrailStatus
same_kind(VtRun *run, const VtImage *image, VtImage *out)
{
  return vt_raster_alloc(run, out, image->type, image->width, image->height);
}

/* --- differences: a - b, where b <= a everywhere --- */

typedef struct {
  const VtImage *a, *b;
} DifferenceJob;

#define DIFFERENCE(T) \
  for (int64_t y = t.y; y < t.y + t.height; y++) { \
    T *a = vt_image_at(job->a, 0, y); \
    const T *b = vt_image_at(job->b, 0, y); \
    for (int64_t x = t.x; x < t.x + t.width; x++) \
      a[x] = (T)(a[x] - b[x]); \
  }

static VitrailStatus
difference_tile(VtRun *run, VtRect t, void *user)
{
  (void)run;
  DifferenceJob *job = user;
  switch (job->a->type) {
  case VITRAIL_U8: DIFFERENCE(uint8_t); break;
  case VITRAIL_U16: DIFFERENCE(uint16_t); break;
  case VITRAIL_I32: DIFFERENCE(uint32_t); break; /* modulo 2^32, so that no difference overflows */
  case VITRAIL_F32: DIFFERENCE(float); break;
  default: return VITRAIL_BAD_ARGUMENT;
  }
  return VITRAIL_OK;
}

static VitrailStatus
subtract(VtRun *run, const VtImage *a, const VtImage *b)
{
  DifferenceJob job = { a, b };
  return vt_local(run, a->width, a->height, difference_tile, &job);
}

/* --- discs --- */

/* Erosion by the disc; its kernel knows 16 bits, so 8 are widened for it. */
static VitrailStatus
erode(VtRun *run, const VtImage *image, VtImage *out)
{
  const double um = run->grid.um_per_px > 0 ? run->grid.um_per_px : 1;
  const int32_t radius = (int32_t)fmin(round(vt_param(run, "radius") / um), 512);
  vt_record(run, "radius-px", radius);
  TRY(same_kind(run, image, out));
  if (image->type == VITRAIL_U16)
    return vt_whole_erode(run, image, out, radius);
  if (image->type != VITRAIL_U8)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, TR("Discs need an image of 8 or 16 bits; this one has 32."));
  VtImage wide, eroded;
  TRY(vt_raster_alloc(run, &wide, VITRAIL_U16, image->width, image->height));
  TRY(vt_raster_alloc(run, &eroded, VITRAIL_U16, image->width, image->height));
  TRY(vt_local_copy(run, image, &wide));
  TRY(vt_whole_erode(run, &wide, &eroded, radius));
  return vt_local_copy(run, &eroded, out);
}

static VitrailStatus
opening(VtRun *run, const Job *job, VtImage *out)
{
  TRY(erode(run, &job->image, out));
  return vt_reconstruct(run, out, &job->image, job->connectivity, job->algorithm);
}

static VitrailStatus
top_hat(VtRun *run, const Job *job, VtImage *out)
{
  VtImage opened;
  TRY(opening(run, job, &opened));
  TRY(same_kind(run, &job->image, out));
  TRY(vt_local_copy(run, &job->image, out));
  return subtract(run, out, &opened);
}

/* --- heights, extrema --- */

/* Maxima, or, by erosion, minima. */
static VitrailStatus
reconstruct(VtRun *run, const Job *job, bool by_erosion, const VtImage *marker)
{
  return (by_erosion ? vt_reconstruct_by_erosion : vt_reconstruct)(run, marker, &job->image, job->connectivity,
                                                                   job->algorithm);
}

static VitrailStatus
h_extrema(VtRun *run, const Job *job, bool minima, VtImage *out)
{
  const double height = vt_param_height(run, job->image.type, job->scale);
  vt_record(run, "height-raw", height);
  TRY(same_kind(run, &job->image, out));
  TRY((minima ? vt_local_raise : vt_local_lower)(run, &job->image, out, height));
  return reconstruct(run, job, minima, out);
}

static VitrailStatus
extrema(VtRun *run, const Job *job, bool minima, VtImage *out)
{
  TRY(vt_raster_alloc(run, out, VITRAIL_U8, job->image.width, job->image.height));
  const VtRegional args = { .src = job->image, .dst = *out, .connectivity = job->connectivity, .minima = minima };
  return vt_whole_regional(run, &args);
}

/* --- the border --- */

/* What the border can reach under the image, or, by erosion, above it: pixels of the border keep their values, the others
 * begin at the lowest or highest. */
static VitrailStatus
from_border(VtRun *run, const Job *job, bool by_erosion, VtImage *out)
{
  static const bool all_sides[4] = { true, true, true, true };
  TRY(same_kind(run, &job->image, out));
  TRY((by_erosion ? vt_local_raise : vt_local_lower)(run, &job->image, out, INFINITY));
  vt_copy_sides(out, &job->image, all_sides);
  return reconstruct(run, job, by_erosion, out);
}

static VitrailStatus
clear_border(VtRun *run, const Job *job, VtImage *out)
{
  VtImage reached;
  TRY(from_border(run, job, false, &reached));
  TRY(same_kind(run, &job->image, out));
  TRY(vt_local_copy(run, &job->image, out));
  return subtract(run, out, &reached);
}

/* --- pieces --- */

static VitrailStatus
area_filter(VtRun *run, const Job *job, VtImage *out)
{
  const int64_t width = job->image.width, height = job->image.height;
  const double um = run->grid.um_per_px > 0 ? run->grid.um_per_px : 1;
  const double lowest = vt_param(run, "min-area") / (um * um), highest = vt_param(run, "max-area") / (um * um);
  VtImage labels;
  TRY(vt_raster_alloc(run, out, VITRAIL_U8, width, height));
  TRY(vt_raster_alloc(run, &labels, VITRAIL_I32, width, height));
  TRY(vt_local_foreground(run, &job->image, out, vt_param(run, "threshold") / job->scale));
  const VtComponents args = { .src = *out, .dst = labels, .connectivity = job->connectivity };
  TRY(vt_whole_components(run, &args));
  /* A label is 1 + a pixel's number: one count for each is enough. */
  uint32_t *areas = calloc((size_t)(width * height) + 1, sizeof *areas);
  if (!areas)
    return vt_fail(run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory to count the pixels of the pieces."));
  bool cancelled = false;
  for (int64_t y = 0; y < height && !cancelled; y++, cancelled = vt_cancelled_at(run, y)) {
    const int32_t *label = vt_image_at(&labels, 0, y);
    for (int64_t x = 0; x < width; x++)
      areas[label[x]]++;
  }
  for (int64_t y = 0; y < height && !cancelled; y++, cancelled = vt_cancelled_at(run, y)) {
    const int32_t *label = vt_image_at(&labels, 0, y);
    uint8_t *to = vt_image_at(out, 0, y);
    for (int64_t x = 0; x < width; x++)
      to[x] = label[x] != 0 && areas[label[x]] >= lowest && areas[label[x]] <= highest ? 255 : 0;
  }
  free(areas);
  return cancelled ? VITRAIL_CANCELLED : VITRAIL_OK;
}

static bool
is_one_of(const char *operation, const char *one, const char *other)
{
  return strcmp(operation, one) == 0 || strcmp(operation, other) == 0;
}

/* Closing is the opening of the complement: its disc turns round, too. */
static VitrailStatus
run_operation(VtRun *run, Job *job, VtImage *out)
{
  const char *operation = vt_param_choice(run, "operation");
  const bool closes = is_one_of(operation, "closing-by-reconstruction", "bottom-hat");
  if (closes)
    TRY(vt_complement(run, &job->image));
  if (is_one_of(operation, "top-hat", "bottom-hat"))
    return top_hat(run, job, out); /* a difference is that of the complements too */
  if (is_one_of(operation, "opening-by-reconstruction", "closing-by-reconstruction")) {
    TRY(opening(run, job, out));
    return closes ? vt_complement(run, out) : VITRAIL_OK;
  }
  if (is_one_of(operation, "h-maxima", "h-minima"))
    return h_extrema(run, job, strcmp(operation, "h-minima") == 0, out);
  if (is_one_of(operation, "regional-maxima", "regional-minima"))
    return extrema(run, job, strcmp(operation, "regional-minima") == 0, out);
  if (strcmp(operation, "fill-holes") == 0)
    return from_border(run, job, true, out);
  return strcmp(operation, "clear-border") == 0 ? clear_border(run, job, out) : area_filter(run, job, out);
}

static VitrailStatus
morphology(VtRun *run, void *user)
{
  VtImage image, out;
  (void)user;
  Job job = { .connectivity = strcmp(vt_param_choice(run, "connectivity"), "4") == 0 ? 4 : 8,
              .algorithm = vt_param_choice(run, "algorithm") };
  if (vt_run_streams_labels(run, vt_grid_rect(run), MORPHOLOGY_BYTES))
    return vt_op_morphology_streamed(run);
  TRY(vt_raster_check_budget(run, vt_grid_rect(run), MORPHOLOGY_BYTES));
  vt_stage_begin(run);
  TRY(vt_read_input(run, vt_input(run, "image"), vt_grid_rect(run), &image));
  TRY(vt_channel(run, vt_param_choice(run, "channel"), &image, &job.image, &job.scale));
  TRY(run_operation(run, &job, &out));
  TRY(vt_emit_raster(run, 0, &out, out.type == job.image.type ? job.scale : 1));
  return vt_stage_end(run, 0);
}

VitrailStatus
vt_op_morphology(VtRun *run)
{
  static const VtGridView view = { MORPHOLOGY_BYTES, 1, morphology, vt_certain_morphology };
  TRY(vt_grid_resolve(run, vt_input(run, "image")));
  return vt_view_exact_grid(run, &view, NULL);
}
