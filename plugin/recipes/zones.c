/* SPDX-License-Identifier: MIT
 *
 * The op `zones`: geodesic distance from seeds along paths of foreground, and their influence zones (SKIZ). */
#include <math.h>
#include <string.h>

#include "drivers/local.h"
#include "drivers/whole.h"
#include "engine/view-exact.h"
#include "executors/bounds.h"
#include "recipes/certain-seeded.h"
#include "recipes/foreground.h"
#include "recipes/ops.h"
#include "run/grid.h"
#include "run/parallel.h"
#include "run/params.h"
#include "run/raster.h"
#include "steps/labels.h"

enum { STEPS, ZONES, CERTAIN };
enum { ZONES_BYTES = 56 }; /* for each pixel, at most */

typedef struct {
  const VtImage *steps, *distance;
  float scale;
} LengthJob;

static VitrailStatus
length_tile(VtRun *run, VtRect t, void *user)
{
  (void)run;
  const LengthJob *job = user;
  for (int64_t y = t.y; y < t.y + t.height; y++) {
    const int32_t *steps = vt_image_at(job->steps, 0, y);
    float *distance = vt_image_at(job->distance, 0, y);
    for (int64_t x = t.x; x < t.x + t.width; x++)
      distance[x] = steps[x] == VT_EDT_NONE ? NAN : (float)steps[x] * job->scale;
  }
  return VITRAIL_OK;
}

static VitrailStatus
above(VtRun *run, const VtImage *channel, double threshold, VtImage *out)
{
  TRY(vt_raster_alloc(run, out, VITRAIL_U8, channel->width, channel->height));
  return vt_local_foreground(run, channel, out, threshold);
}

/* The labels given, or the connected pieces of what is brighter than the paths need to be. */
static VitrailStatus
find_seeds(VtRun *run, const VtImage *bright, int32_t connectivity, VtImage *seeds, int64_t *n)
{
  *n = 0;
  TRY(vt_read_labels(run, "seeds", vt_input(run, "image"), seeds));
  if (seeds->data)
    return VITRAIL_OK;
  TRY(vt_components(run, bright, connectivity, seeds));
  TRY(vt_labels_number(run, seeds, n));
  vt_record(run, "seeds", (double)*n);
  return VITRAIL_OK;
}

static VitrailStatus
emit(VtRun *run, const VtGeodesic *found)
{
  const float scale = run->grid.um_per_px > 0 ? (float)run->grid.um_per_px : 1;
  VtImage distance;
  TRY(vt_raster_alloc(run, &distance, VITRAIL_F32, found->steps.width, found->steps.height));
  LengthJob job = { &found->steps, &distance, scale };
  TRY(vt_local(run, distance.width, distance.height, length_tile, &job));
  TRY(vt_emit_raster(run, STEPS, &distance, 1));
  TRY(vt_stage_end(run, STEPS));
  vt_stage_begin(run);
  TRY(vt_emit_raster(run, ZONES, &found->zones, 1));
  return vt_stage_end(run, ZONES);
}

/* Where paths may go, and what is bright enough for seeds. */
static VitrailStatus
prepare(VtRun *run, VtGeodesic *args, VtImage *bright)
{
  const VitrailInput *input = vt_input(run, "image");
  VtImage image, channel;
  double scale;
  *args = (VtGeodesic){ .connectivity = strcmp(vt_param_choice(run, "connectivity"), "4") == 0 ? 4 : 8 };
  TRY(vt_read_input(run, input, vt_grid_rect(run), &image));
  TRY(vt_channel(run, vt_param_choice(run, "channel"), &image, &channel, &scale));
  TRY(above(run, &channel, vt_param_threshold(run, "threshold", image.type, scale), &args->mask));
  TRY(above(run, &channel, vt_param_threshold(run, "seed-above", image.type, scale), bright));
  return vt_local_pointwise(run, VT_PW_AND, bright, &args->mask, bright, 0);
}

static VitrailStatus
zones(VtRun *run, void *user)
{
  VtGeodesic args;
  VtImage bright;
  int64_t n;
  (void)user;
  if (vt_run_streams_labels(run, vt_grid_rect(run), ZONES_BYTES))
    return vt_op_zones_streamed(run);
  TRY(vt_raster_check_budget(run, vt_grid_rect(run), ZONES_BYTES));
  vt_stage_begin(run);
  TRY(prepare(run, &args, &bright));
  TRY(find_seeds(run, &bright, args.connectivity, &args.seeds, &n));
  TRY(vt_raster_alloc(run, &args.steps, VITRAIL_I32, bright.width, bright.height));
  TRY(vt_raster_alloc(run, &args.zones, VITRAIL_I32, bright.width, bright.height));
  TRY(vt_whole_geodesic(run, &args));
  if (n > 0)
    TRY(vt_labels_show(run, &args.zones, &n));
  return emit(run, &args);
}

static VitrailStatus
find_certain(VtRun *run, const bool open[4], void *user, const VtImage *certain)
{
  VtGeodesic args;
  VtSteps steps;
  VtBounds bounds;
  VtImage bright;
  (void)user;
  vt_bounds_begin(&steps, run, NULL, &bounds, open);
  TRY(prepare(run, &args, &bright));
  TRY(vt_read_labels(run, "seeds", vt_input(run, "image"), &args.seeds));
  return vt_certain_zones(&steps, &args, args.seeds.data ? NULL : &bright, certain);
}

VitrailStatus
vt_op_zones(VtRun *run)
{
  static const VtGridView view = { ZONES_BYTES, CERTAIN, zones, find_certain };
  TRY(vt_grid_resolve(run, vt_input(run, "image")));
  return vt_view_exact_grid(run, &view, NULL);
}
