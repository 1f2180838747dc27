/* SPDX-License-Identifier: MIT
 *
 * Which pixels of `morphology` no outside could change. Duals work on complements, as the op does. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recipes/certain-morphology.h"
#include "drivers/local.h"
#include "drivers/propagate.h"
#include "drivers/sides.h"
#include "executors/bounds.h"
#include "recipes/foreground.h"
#include "recipes/marker.h"
#include "run/grid.h"
#include "run/params.h"
#include "run/raster.h"
#include "steps/labels.h"

typedef struct {
  VtSteps steps;
  VtBounds bounds;
  VtImage image; /* one channel: all of it is certain */
  double scale;
  int32_t connectivity;
} Job;

static bool
is_one_of(const char *operation, const char *a, const char *b)
{
  return strcmp(operation, a) == 0 || strcmp(operation, b) == 0;
}

static VitrailStatus
agree_after_reconstruction(Job *job, const VtImage *marker, const VtImage *certain)
{
  TRY(vt_steps_reconstruct(&job->steps, marker, &job->image, job->connectivity));
  vt_bounds_agree(&job->steps, marker, certain);
  return VITRAIL_OK;
}

/* Of a hat, too: the image itself is certain. 8 bits are widened for the erosion; the order stays. */
static VitrailStatus
opening(VtRun *run, Job *job, const VtImage *certain)
{
  const double um = run->grid.um_per_px > 0 ? run->grid.um_per_px : 1;
  const int32_t radius = (int32_t)fmin(round(vt_param(run, "radius") / um), 512);
  VtImage wide, eroded;
  TRY(vt_raster_alloc(run, &wide, VITRAIL_U16, job->image.width, job->image.height));
  TRY(vt_local_copy(run, &job->image, &wide));
  job->image = wide;
  TRY(vt_steps_alloc(&job->steps, &eroded, VITRAIL_U16));
  TRY(vt_steps_erode(&job->steps, &wide, &eroded, radius));
  return agree_after_reconstruction(job, &eroded, certain);
}

static VitrailStatus
heights(VtRun *run, Job *job, const VtImage *certain)
{
  const double height = vt_param_height(run, job->image.type, job->scale);
  VtImage marker;
  TRY(vt_steps_alloc(&job->steps, &marker, job->image.type));
  TRY(vt_local_lower(run, &job->image, &marker, height));
  vt_bounds_settle(&job->steps, &marker);
  return agree_after_reconstruction(job, &marker, certain);
}

static VitrailStatus
extrema(VtRun *run, Job *job, bool minima, const VtImage *certain)
{
  VtImage found;
  (void)run;
  TRY(vt_steps_alloc(&job->steps, &found, VITRAIL_U8));
  const VtRegional args = { .src = job->image, .dst = found, .connectivity = job->connectivity, .minima = minima };
  TRY(vt_bounds_maxima(&job->steps, &args));
  vt_bounds_agree(&job->steps, &found, certain);
  return VITRAIL_OK;
}

/* What the border reaches: at open sides there is none to start from, but much may come in. */
static VitrailStatus
from_border(Job *job, const VtImage *certain)
{
  const bool *open = job->bounds.open;
  const bool closed[4] = { !open[0], !open[1], !open[2], !open[3] };
  VtImage marker;
  TRY(vt_steps_alloc(&job->steps, &marker, job->image.type));
  TRY(vt_local_lower(job->steps.run, &job->image, &marker, INFINITY));
  vt_copy_sides(&marker, &job->image, closed);
  vt_bounds_settle(&job->steps, &marker);
  return agree_after_reconstruction(job, &marker, certain);
}

/* A piece that goes on outside has at least the size that is seen. */
static VitrailStatus
area_filter(VtRun *run, Job *job, const VtImage *certain)
{
  const double um = run->grid.um_per_px > 0 ? run->grid.um_per_px : 1, highest = vt_param(run, "max-area") / (um * um);
  const int64_t width = job->image.width, height = job->image.height;
  VtImage foreground, labels;
  TRY(vt_raster_alloc(run, &foreground, VITRAIL_U8, width, height));
  TRY(vt_local_foreground(run, &job->image, &foreground, vt_param(run, "threshold") / job->scale));
  TRY(vt_components(run, &foreground, job->connectivity, &labels));
  uint32_t *areas = calloc((size_t)(width * height) + 1, sizeof *areas);
  uint8_t *goes_on = calloc((size_t)(width * height) + 1, 1);
  if (!areas || !goes_on) {
    free(areas);
    free(goes_on);
    return vt_fail(run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory to count the pixels of the pieces."));
  }
  for (int64_t i = 0; i < width * height; i++) {
    const int32_t label = ((int32_t *)labels.data)[i];
    areas[label]++;
    goes_on[label] |= label != 0 && vt_bounds_is_edge(&job->steps, &labels, i % width, i / width);
  }
  for (int64_t i = 0; i < width * height; i++) {
    const int32_t label = ((int32_t *)labels.data)[i];
    ((uint8_t *)certain->data)[i] = goes_on[label] && areas[label] <= highest ? 0 : 255;
  }
  free(areas);
  free(goes_on);
  return VITRAIL_OK;
}

VitrailStatus
vt_certain_morphology(VtRun *run, const bool open[4], void *user, const VtImage *certain)
{
  const char *operation = vt_param_choice(run, "operation");
  Job job = { .connectivity = strcmp(vt_param_choice(run, "connectivity"), "4") == 0 ? 4 : 8 };
  VtImage image;
  (void)user;
  vt_bounds_begin(&job.steps, run, vt_param_choice(run, "algorithm"), &job.bounds, open);
  TRY(vt_read_input(run, vt_input(run, "image"), vt_grid_rect(run), &image));
  TRY(vt_channel(run, vt_param_choice(run, "channel"), &image, &job.image, &job.scale));
  if (is_one_of(operation, "closing-by-reconstruction", "bottom-hat") || is_one_of(operation, "h-minima", "fill-holes"))
    TRY(vt_complement(run, &job.image));
  if (is_one_of(operation, "opening-by-reconstruction", "closing-by-reconstruction")
      || is_one_of(operation, "top-hat", "bottom-hat"))
    return opening(run, &job, certain);
  if (is_one_of(operation, "h-maxima", "h-minima"))
    return heights(run, &job, certain);
  if (is_one_of(operation, "regional-maxima", "regional-minima"))
    return extrema(run, &job, strcmp(operation, "regional-minima") == 0, certain);
  if (is_one_of(operation, "fill-holes", "clear-border"))
    return from_border(&job, certain);
  return area_filter(run, &job, certain);
}
