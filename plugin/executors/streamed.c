/* SPDX-License-Identifier: MIT
 *
 * Steps on images that memory does not hold: an image's `data` is its store. An input is not kept: it is read again where it is
 * looked at. */
#include <stdlib.h>

#include "drivers/sides.h"
#include "executors/objects.h"
#include "run/raster.h"
#include "scale/distance.h"
#include "scale/journal.h"
#include "scale/labels.h"
#include "scale/ranks.h"
#include "scale/regions.h"
#include "scale/waves.h"

static VtStore *
store_of(const VtImage *image)
{
  return image ? image->data : NULL;
}

static VitrailStatus
begin(VtExec *x)
{
  if (x->n_expected == 0) /* no stores: what there is to run reads and hands over by itself */
    return VITRAIL_OK;
  x->own = malloc(sizeof(VtStreamed));
  return x->own ? vt_streamed_begin(x->own, x->run, x->algorithm, x->n_expected)
                : vt_ranks_agree(x->run, VITRAIL_OUT_OF_MEMORY);
}

static VitrailStatus
end(VtExec *x, VitrailStatus status)
{
  if (x->own)
    status = vt_streamed_end(x->own, status);
  free(x->own);
  x->own = NULL;
  return status;
}

static VitrailStatus
alloc(VtExec *x, VtImage *image, VtType type)
{
  const VtGrid *grid = &x->run->grid;
  VtStore *store = NULL;
  const VitrailStatus status = vt_streamed_store(x->own, type, &store);
  *image = (VtImage){ store, grid->width, grid->height, grid->width * (int64_t)vt_type_size(type), type };
  return status;
}

static void
free_image(VtExec *x, VtImage *image)
{
  vt_streamed_drop(x->own, store_of(image));
  *image = (VtImage){ 0 };
}

static VitrailStatus
read(VtExec *x, const VitrailInput *input, VtImage *pixels)
{
  const VtGrid *grid = &x->run->grid;
  *pixels = (VtImage){ NULL, grid->width, grid->height, 0, input->type };
  return VITRAIL_OK;
}

static VitrailStatus
fetch(VtExec *x, const VtImage *image, VtImage *host)
{
  *host = *image;
  return vt_fail(x->run, VITRAIL_INTERNAL, "A streamed image is fetched at once.");
}

static VitrailStatus
cut(VtExec *x, const VtImage *image, VtRect rect, VtImage *part, void **owned)
{
  const VitrailStatus status = vt_streamed_cut(x->own, store_of(image), rect, part);
  *owned = part->data;
  return status;
}

static VitrailStatus
emit(VtExec *x, uint32_t stage, const VtImage *image, double scale)
{
  return vt_streamed_emit(x->own, stage, store_of(image), scale);
}

/* Each of several processes hands over what begins in its rows, and gets the rows that its objects go on in. */
static VitrailStatus
own_objects(VtExec *x, const VtImage *labels, const VtImage *image, const VtObjectStats *stats, int64_t n,
            int64_t margin, int64_t *first, int64_t *end_of)
{
  VtStreamed *s = x->own;
  VtRun *run = x->run;
  int32_t n_rows = (int32_t)margin;
  *first = 0;
  *end_of = n;
  TRY(vt_streamed_settle(s));
  vt_journal_emitted(s, store_of(labels)); /* they are outlined again by a run that goes on */
  if (image)
    vt_journal_emitted(s, store_of(image));
  if (run->host.n_ranks < 2)
    return VITRAIL_OK;
  vt_streamed_own_objects(s, stats, n, first, end_of);
  for (int64_t i = *first; i < *end_of; i++) {
    const int64_t below = stats[i].bottom + margin - s->own.y - s->own.height;
    n_rows = below > n_rows ? (int32_t)below : n_rows;
  }
  TRY(vt_ranks_largest(run, VITRAIL_OK, n_rows, &n_rows));
  TRY(vt_streamed_halo(s, store_of(labels), n_rows));
  return image ? vt_streamed_halo(s, store_of(image), n_rows) : VITRAIL_OK;
}

/* --- steps --- */

static VitrailStatus
local(VtExec *x, const VtLocalStep *step)
{
  VtStreamLocal stores = { .halo = step->halo,
                           .body_bytes = step->body_bytes,
                           .by_window = step->by_window,
                           .by_slots = step->by_slots && step->halo > 0, /* others take less time than the way */
                           .body = step->body,
                           .user = step->user };
  for (int k = 0; k < VT_LOCAL_IN; k++)
    stores.in[k] = store_of(step->in[k]);
  for (int k = 0; k < VT_LOCAL_OUT; k++)
    stores.out[k] = store_of(step->out[k]);
  if (step->user_bytes == 0)
    return vt_streamed_local(x->own, &stores);
  return vt_streamed_later(x->own, &stores, step->user_bytes);
}

typedef struct {
  const VitrailInput *input;
  VtLocalStep step;
} InputJob;

static VitrailStatus
input_tile(VtRun *run, const VtLocalTile *t, void *user)
{
  const InputJob *job = user;
  VtLocalTile tile = *t;
  vt_image_new(&tile.in[0], job->input->type, t->tile.width, t->tile.height);
  VitrailStatus status =
    tile.in[0].data ? vt_stream_read(run, job->input, t->tile, &tile.in[0]) : VITRAIL_OUT_OF_MEMORY;
  THEN(status, job->step.body(run, &tile, job->step.user));
  free(tile.in[0].data);
  return status;
}

static VitrailStatus
bring(VtExec *x, const VitrailInput *input, const VtLocalStep *step)
{
  InputJob job = { input, *step };
  const VtStreamLocal stores = { .out = { store_of(step->out[0]) },
                                 .body_bytes = (int64_t)vt_type_size(input->type),
                                 .is_dear = true,
                                 .body = input_tile,
                                 .user = &job };
  return vt_streamed_later(x->own, &stores, sizeof job); /* what `user` points to lives as long as the run */
}

static VitrailStatus
copy(VtExec *x, const VtImage *from, const VtImage *to)
{
  const VtStreamLocal step = { .in = { store_of(from) }, .out = { store_of(to) }, .body = vt_tile_copy };
  return vt_streamed_later(x->own, &step, 0);
}

static VitrailStatus
border_tile(VtRun *run, const VtLocalTile *t, void *user)
{
  const VtRect r = t->tile;
  const bool sides[4] = { r.x == 0, r.y == 0, r.x + r.width == run->grid.width, r.y + r.height == run->grid.height };
  const VtLocalTile inner = { .tile = r, .in = { t->in[1] }, .out = { t->out[0] } };
  TRY(vt_tile_copy(run, &inner, user));
  vt_copy_sides(&t->out[0], &t->in[0], sides);
  return VITRAIL_OK;
}

static VitrailStatus
border(VtExec *x, const VtImage *from, const VtImage *to)
{
  const VtStreamLocal step = { .in = { store_of(from), store_of(to) }, .out = { store_of(to) }, .body = border_tile };
  return vt_streamed_later(x->own, &step, 0);
}

static VitrailStatus
reconstruct(VtExec *x, const VtImage *marker, const VtImage *mask, int32_t connectivity)
{
  return vt_streamed_reconstruct(x->own, store_of(marker), store_of(mask), connectivity);
}

static VitrailStatus
distance(VtExec *x, const char *algorithm, const VtDistance *args)
{
  return vt_streamed_distance(x->own, args);
}

static VitrailStatus
regional(VtExec *x, const VtRegional *args)
{
  return vt_streamed_regional(x->own, store_of(&args->src), store_of(&args->inside), store_of(&args->dst),
                              args->connectivity, args->minima);
}

static VitrailStatus
components(VtExec *x, const VtComponents *args)
{
  int64_t n;
  return vt_streamed_components(x->own, store_of(&args->src), store_of(&args->dst), args->connectivity, &n);
}

static VitrailStatus
watershed(VtExec *x, const VtWatershed *args)
{
  return vt_streamed_watershed(x->own, store_of(&args->level), store_of(&args->seeds), store_of(&args->mask),
                               store_of(&args->labels));
}

static VitrailStatus
part_tile(VtRun *run, const VtLocalTile *t, void *user)
{
  for (int64_t y = 0; y < t->tile.height; y++) {
    const int64_t *found = vt_image_at(&t->in[0], 0, y);
    int32_t *steps = vt_image_at(&t->out[0], 0, y), *zone = vt_image_at(&t->out[1], 0, y);
    for (int64_t x = 0; x < t->tile.width; x++) {
      const bool is_reached = found[x] != VT_EDT_NONE64;
      steps[x] = is_reached ? (int32_t)(found[x] >> 32) : VT_EDT_NONE;
      zone[x] = is_reached ? (int32_t)(found[x] & UINT32_MAX) : 0;
    }
  }
  return VITRAIL_OK;
}

static VitrailStatus
geodesic(VtExec *x, const VtGeodesic *args)
{
  VtImage found;
  TRY(alloc(x, &found, VT_I64));
  TRY(
    vt_streamed_geodesic(x->own, store_of(&args->seeds), store_of(&args->mask), store_of(&found), args->connectivity));
  const VtStreamLocal part = { .in = { store_of(&found) },
                               .out = { store_of(&args->steps), store_of(&args->zones) },
                               .body = part_tile };
  TRY(vt_streamed_later(x->own, &part, 0));
  free_image(x, &found);
  return VITRAIL_OK;
}

static VitrailStatus
count(VtExec *x, const VtNumber *args)
{
  return vt_streamed_number(x->own, store_of(&args->labels), store_of(&args->a), store_of(&args->b), args->stats,
                            args->n_objects);
}

static VitrailStatus
relabel(VtExec *x, const VtRelabel *args)
{
  return vt_streamed_relabel(x->own, store_of(&args->labels), args->table, args->n_entries);
}

static VitrailStatus
number(VtExec *x, const VtImage *labels, int64_t *n)
{
  VtObjectStats *stats = NULL;
  const VitrailStatus status = vt_streamed_number(x->own, store_of(labels), NULL, NULL, &stats, n);
  free(stats);
  return status;
}

/* A streamed run has no margin. */
static VitrailStatus
show(VtExec *x, const VtImage *labels, int64_t *n)
{
  return VITRAIL_OK;
}

static VitrailStatus
label_regions(VtExec *x, const VtImage *codes)
{
  return vt_streamed_region_labels(x->own, store_of(codes));
}

typedef struct {
  const VtObjectStats *stats;
  double least, most;
} SizedJob;

static VitrailStatus
sized_tile(VtRun *run, const VtLocalTile *t, void *user)
{
  const SizedJob *job = user;
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
sized(VtExec *x, const VtImage *foreground, const VtImage *dst, int32_t connectivity, double least, double most)
{
  VtObjectStats *stats = NULL;
  VtImage labels;
  int64_t n;
  TRY(alloc(x, &labels, VITRAIL_I32));
  TRY(vt_streamed_components(x->own, store_of(foreground), store_of(&labels), connectivity, &n));
  VitrailStatus status = vt_streamed_number(x->own, store_of(&labels), NULL, NULL, &stats, &n);
  SizedJob job = { stats, least, most };
  const VtStreamLocal step = {
    .in = { store_of(&labels) }, .out = { store_of(dst) }, .body = sized_tile, .user = &job
  };
  THEN(status, vt_streamed_local(x->own, &step));
  free(stats);
  if (status == VITRAIL_OK)
    free_image(x, &labels);
  return status;
}

const VtExecutor vt_streamed_executor = {
  .name = "streamed",
  .works_in_parts = true,
  .keeps_emitted = true,
  .begin = begin,
  .end = end,
  .alloc = alloc,
  .free = free_image,
  .copy = copy,
  .read = read,
  .fetch = fetch,
  .cut = cut,
  .emit = emit,
  .own_objects = own_objects,
  .local = local,
  .bring = bring,
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
  .number = number,
  .show = show,
  .label_regions = label_regions,
  .sized = sized,
};
