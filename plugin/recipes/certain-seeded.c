/* SPDX-License-Identifier: MIT
 *
 * Which pixels of `zones` and `watershed` no outside could change. Seeds that are found have names of their own in every
 * region: there a pixel is certain when it is certain which other pixels belong to its seed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recipes/certain-seeded.h"
#include "executors/bounds-labels.h"
#include "executors/bounds.h"
#include "run/raster.h"

/* --- zones --- */

/* The seeds whose labels are sure, or the others and all ways in from outside, as one. */
static void
split_seeds(const VtSteps *steps, const VtGeodesic *args, const VtImage *known, bool sure, const VtImage *out)
{
  for (int64_t y = 0; y < out->height; y++) {
    const int32_t *seed = vt_image_at(known, 0, y);
    const uint8_t *mask = vt_image_at(&args->mask, 0, y);
    int32_t *to = vt_image_at(out, 0, y);
    for (int64_t x = 0; x < out->width; x++) {
      const bool is_way_in = mask[x] && vt_bounds_is_edge(steps, out, x, y);
      to[x] = sure ? seed[x] != 0 && seed[x] != VT_UNSURE : seed[x] == VT_UNSURE || is_way_in;
    }
  }
}

static VitrailStatus
steps_from(VtSteps *steps, const VtGeodesic *args, const VtImage *known, bool sure, VtImage *result)
{
  VtRun *run = steps->run;
  const int64_t width = args->mask.width, height = args->mask.height;
  VtGeodesic from = { .mask = args->mask, .connectivity = args->connectivity };
  TRY(vt_raster_alloc(run, result, VITRAIL_I32, width, height));
  TRY(vt_raster_alloc(run, &from.seeds, VITRAIL_I32, width, height));
  from.steps = *result;
  split_seeds(steps, args, known, sure, &from.seeds);
  TRY(run->cpu->geodesic(run->cpu_team, &from, &run->cancel));
  vt_raster_release(run, run->n_rasters - 1);
  return VITRAIL_OK;
}

VitrailStatus
vt_certain_zones(VtSteps *steps, const VtGeodesic *args, const VtImage *found, const VtImage *certain)
{
  VtRun *run = steps->run;
  VtImage known = args->seeds, near, other;
  if (found) {
    TRY(vt_raster_alloc(run, &known, VITRAIL_I32, found->width, found->height));
    const VtComponents pieces = { *found, known, args->connectivity };
    TRY(vt_bounds_components(steps, &pieces));
  }
  TRY(steps_from(steps, args, &known, true, &near));
  TRY(steps_from(steps, args, &known, false, &other));
  for (int64_t y = 0; y < certain->height; y++) {
    const int32_t *a = vt_image_at(&near, 0, y), *b = vt_image_at(&other, 0, y);
    uint8_t *out = vt_image_at(certain, 0, y);
    for (int64_t x = 0; x < certain->width; x++)
      out[x] = a[x] < b[x] || b[x] == VT_EDT_NONE ? 255 : 0; /* a tie may be decided by a label from outside */
  }
  return VITRAIL_OK;
}

/* --- watershed --- */

/* h-maxima of the height inside the mask, on bounds. */
static VitrailStatus
find_peaks(VtSteps *steps, const VtImage *height, const VtImage *mask, double rise, VtImage *peaks)
{
  VtImage domes;
  TRY(vt_steps_alloc(steps, &domes, VITRAIL_F32));
  TRY(vt_steps_alloc(steps, peaks, VITRAIL_U8));
  TRY(vt_steps_pointwise(steps, VT_PW_SHIFT_DOWN, height, NULL, &domes, rise));
  TRY(vt_steps_reconstruct(steps, &domes, height, 8));
  const VtRegional args = { .src = domes, .inside = *mask, .dst = *peaks, .connectivity = 8 };
  TRY(vt_bounds_maxima(steps, &args));
  TRY(vt_steps_pointwise(steps, VT_PW_AND, peaks, mask, peaks, 0));
  vt_steps_free(steps, &domes);
  return VITRAIL_OK;
}

static VitrailStatus
where_seeds(VtSteps *steps, const VtImage *seeds, const VtImage *mask, VtImage *peaks)
{
  TRY(vt_steps_alloc(steps, peaks, VITRAIL_U8));
  for (int64_t y = 0; y < seeds->height; y++) {
    const int32_t *seed = vt_image_at(seeds, 0, y);
    uint8_t *to = vt_image_at(peaks, 0, y);
    for (int64_t x = 0; x < seeds->width; x++)
      to[x] = seed[x] ? 255 : 0;
  }
  TRY(vt_steps_pointwise(steps, VT_PW_AND, peaks, mask, peaks, 0));
  vt_bounds_settle(steps, peaks);
  return VITRAIL_OK;
}

VitrailStatus
vt_certain_watershed(VtSteps *steps, const VtImage *height, const VtImage *mask, const VtImage *seeds, double rise,
                     const VtImage *certain)
{
  VtRun *run = steps->run;
  VtImage peaks, known, level, labels;
  if (seeds) {
    known = *seeds;
    TRY(where_seeds(steps, seeds, mask, &peaks));
  } else {
    TRY(find_peaks(steps, height, mask, rise, &peaks));
    TRY(vt_raster_alloc(run, &known, VITRAIL_I32, mask->width, mask->height));
    const VtComponents pieces = { peaks, known, 8 };
    TRY(vt_bounds_components(steps, &pieces));
  }
  TRY(vt_steps_alloc(steps, &level, VITRAIL_F32));
  TRY(vt_steps_pointwise(steps, VT_PW_SELECT, height, &peaks, &level, -INFINITY));
  TRY(vt_steps_reconstruct(steps, &level, height, 8));
  TRY(vt_raster_alloc(run, &labels, VITRAIL_I32, mask->width, mask->height));
  const VtWatershed args = { level, known, *mask, labels };
  TRY(vt_bounds_watershed(steps, &args));
  for (int64_t y = 0; y < certain->height; y++) {
    const int32_t *label = vt_image_at(&labels, 0, y);
    uint8_t *out = vt_image_at(certain, 0, y);
    for (int64_t x = 0; x < certain->width; x++)
      out[x] = label[x] == VT_UNSURE ? 0 : 255;
  }
  return VITRAIL_OK;
}
