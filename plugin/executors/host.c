/* SPDX-License-Identifier: MIT
 *
 * Steps on the host: images are rasters of the run, and its threads work on tiles. If the run has a device that cannot hold all images of
 * the recipe, single steps go there and back if that is faster (drivers/whole.c). */
#include <math.h>
#include <stdlib.h>

#include "executors/host.h"
#include "drivers/local.h"
#include "drivers/propagate.h"
#include "drivers/regions.h"
#include "drivers/sides.h"
#include "drivers/whole.h"
#include "executors/objects.h"
#include "run/grid.h"
#include "run/parallel.h"
#include "run/raster.h"

VitrailStatus
vt_host_begin(VtExec *x)
{
  return VITRAIL_OK;
}

VitrailStatus
vt_host_end(VtExec *x, VitrailStatus status)
{
  return status;
}

static VitrailStatus
alloc(VtExec *x, VtImage *image, VtType type)
{
  return vt_raster_alloc(x->run, image, type, x->run->grid.width, x->run->grid.height);
}

void
vt_host_free(VtExec *x, VtImage *image)
{
  vt_raster_recycle(x->run, image);
  *image = (VtImage){ 0 };
}

static VitrailStatus
copy(VtExec *x, const VtImage *from, const VtImage *to)
{
  return vt_local_copy(x->run, from, to);
}

VitrailStatus
vt_host_read(VtExec *x, const VitrailInput *input, VtImage *pixels)
{
  *pixels = x->pixels;
  if (pixels->data)
    return VITRAIL_OK;
  return vt_read_input(x->run, input, vt_grid_rect(x->run), pixels);
}

VitrailStatus
vt_host_fetch(VtExec *x, const VtImage *image, VtImage *host)
{
  *host = *image;
  return VITRAIL_OK;
}

VitrailStatus
vt_host_cut(VtExec *x, const VtImage *image, VtRect rect, VtImage *part, void **owned)
{
  *owned = NULL;
  *part = vt_image_window(image, rect.x, rect.y, rect.width, rect.height);
  return VITRAIL_OK;
}

VitrailStatus
vt_fetch_and_emit(VtExec *x, uint32_t stage, const VtImage *image, double scale)
{
  VtImage host;
  TRY(x->does->fetch(x, image, &host));
  return x->in_blocks ? vt_emit_blocks(x->run, stage, &host, scale) : vt_emit_raster(x->run, stage, &host, scale);
}

VitrailStatus
vt_all_objects(VtExec *x, const VtImage *labels, const VtImage *image, const VtObjectStats *stats, int64_t n,
               int64_t margin, int64_t *first, int64_t *end)
{
  VtImage host;
  *first = 0;
  *end = n;
  TRY(x->does->fetch(x, labels, &host));
  return image ? x->does->fetch(x, image, &host) : VITRAIL_OK;
}

/* --- steps --- */

static VitrailStatus
local_tile(VtRun *run, VtRect t, void *user)
{
  const VtLocalStep *step = user;
  const VtImage *image = step->out[0];
  const VtRect w = vt_rect_grown(t, step->halo, (VtRect){ 0, 0, image->width, image->height });
  VtLocalTile tile = { .tile = t, .window = w, .backend = run->cpu, .device = run->cpu_device };
  for (int k = 0; k < VT_LOCAL_IN && step->in[k]; k++)
    tile.in[k] = vt_image_window(step->in[k], w.x, w.y, w.width, w.height);
  for (int k = 0; k < VT_LOCAL_OUT && step->out[k]; k++)
    tile.out[k] = vt_image_window(step->out[k], t.x, t.y, t.width, t.height);
  return step->body(run, &tile, step->user);
}

/* A side of the image cut into tiles: their number, the longest window (tile and halo), and the sum of all windows. */
typedef struct {
  int64_t n, longest, sum;
} Cut;

static Cut
cut_side(int64_t length, int64_t tile, int64_t halo)
{
  Cut cut = { 0 };
  for (int64_t x = 0; x < length; x += tile, cut.n++) {
    const int64_t from = x > halo ? x - halo : 0, end = x + tile + halo < length ? x + tile + halo : length;
    cut.longest = end - from > cut.longest ? end - from : cut.longest;
    cut.sum += end - from;
  }
  return cut;
}

/* The tile size with which the threads need the least time, if all pixels of windows take the same time. All windows that are worked on
 * at once fit into the memory limit. Of equal sizes the smallest. */
static void
best_tile(const VtRun *run, const VtLocalStep *step, int64_t *tile_width, int64_t *tile_height)
{
  enum {
    LEAST = 256,
    MOST = 1088 /* so that a cancel need not wait long */,
    BY = 64,
    SHARE = 4 /* of the memory that the run may hold */
  };
  const double limit = vt_run_memory_limit(run) / SHARE, n_threads = fmax(run->host.n_threads, 1);
  double least = INFINITY;
  *tile_width = *tile_height = LEAST;
  for (int64_t height = LEAST; height <= MOST; height += BY)
    for (int64_t width = LEAST; width <= MOST; width += BY) {
      const Cut across = cut_side(step->out[0]->width, width, step->halo),
                down = cut_side(step->out[0]->height, height, step->halo);
      const double all = (double)across.sum * (double)down.sum, one = (double)across.longest * (double)down.longest;
      const double n = (double)(across.n * down.n), at_once = fmin(n, n_threads);
      const double time = fmax(all / at_once, one * ceil(n / at_once));
      if (time < least && (isinf(least) || at_once * one * (double)step->body_bytes <= limit)) {
        least = time;
        *tile_width = width;
        *tile_height = height;
      }
    }
}

VitrailStatus
vt_host_local(VtExec *x, const VtLocalStep *step)
{
  VtRun *run = x->run;
  if (step->by_slots && step->halo > 0 && run->backend != run->cpu) {
    const VitrailStatus status = vt_whole_local(run, step->in, step->out, step->what, step->body, step->user);
    if (status == VITRAIL_OK || status == VITRAIL_CANCELLED)
      return status;
  }
  const VtImage *out = step->out[0];
  if (!step->by_window)
    return vt_local(run, out->width, out->height, local_tile, (void *)step);
  int64_t tile_width, tile_height;
  best_tile(run, step, &tile_width, &tile_height);
  return vt_local_of(run, out->width, out->height, tile_width, tile_height, local_tile, (void *)step);
}

VitrailStatus
vt_host_label_regions(VtExec *x, const VtImage *codes)
{
  return vt_region_labels(x->run, codes);
}

VitrailStatus
vt_bring_by_local(VtExec *x, const VitrailInput *input, const VtLocalStep *step)
{
  return x->does->local(x, step);
}

static VitrailStatus
border(VtExec *x, const VtImage *from, const VtImage *to)
{
  static const bool all[4] = { true, true, true, true };
  vt_copy_sides(to, from, all);
  return VITRAIL_OK;
}

static VitrailStatus
reconstruct(VtExec *x, const VtImage *marker, const VtImage *mask, int32_t connectivity)
{
  return vt_reconstruct(x->run, marker, mask, connectivity, x->algorithm);
}

static VitrailStatus
distance(VtExec *x, const char *algorithm, const VtDistance *args)
{
  return vt_distance_by(x->run, algorithm, args);
}

#define WHOLE_IMAGE(name, type) \
  static VitrailStatus name(VtExec *x, const type *args) \
  { \
    return vt_whole_##name(x->run, args); \
  }
WHOLE_IMAGE(regional, VtRegional)
WHOLE_IMAGE(components, VtComponents)
WHOLE_IMAGE(watershed, VtWatershed)
WHOLE_IMAGE(geodesic, VtGeodesic)

static VitrailStatus
count(VtExec *x, const VtNumber *args)
{
  TRY(vt_host_settle(x, &args->labels));
  return x->run->cpu->number(x->run->cpu_team, args, &x->run->cancel);
}

static VitrailStatus
relabel(VtExec *x, const VtRelabel *args)
{
  return x->run->cpu->relabel(x->run->cpu_team, args, &x->run->cancel);
}

const VtExecutor vt_host_executor = {
  .name = "host",
  .makes_rasters = true,
  .begin = vt_host_begin,
  .end = vt_host_end,
  .alloc = alloc,
  .free = vt_host_free,
  .copy = copy,
  .read = vt_host_read,
  .fetch = vt_host_fetch,
  .cut = vt_host_cut,
  .emit = vt_fetch_and_emit,
  .own_objects = vt_all_objects,
  .local = vt_host_local,
  .bring = vt_bring_by_local,
  .border = border,
  .reconstruct = reconstruct,
  .distance = distance,
  .regional = regional,
  .components = components,
  .watershed = watershed,
  .geodesic = geodesic,
  .count = count,
  .relabel = relabel,
  .objects = vt_objects_number,
  .number = vt_host_number,
  .show = vt_host_show,
  .overlaps = vt_host_overlaps,
  .label_regions = vt_host_label_regions,
  .sized = vt_host_sized,
};
