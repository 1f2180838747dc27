/* SPDX-License-Identifier: MIT
 *
 * One feature in a sliding window. Pixel (i,j) of the map is the window round analysis pixel
 * (i*stride + stride/2, j*stride + stride/2) of the whole image. Windows reach beyond the region, so the map does not depend
 * on it. Its parts can be made in any order, on a device or by the host's threads, and by several processes. */
#include <stdio.h>
#include <string.h>

#include "drivers/local.h"
#include "drivers/whole.h"
#include "run/grid.h"
#include "run/parallel.h"
#include "run/raster.h"
#include "scale/store.h"
#include "steps/texture.h"

enum { MAP_BYTES = 24 /* for each pixel that is read */, UNIT = VT_EMIT_GRID };

typedef struct {
  const VtTextureMap *what;
  VtRect region; /* of the map of the whole image, like all rectangles that are not on the grid */
  int32_t half, stride;
} Map;

typedef struct {
  const Map *map;
  VtRect part, read; /* read: on the grid, what levels covers */
  VtImage levels;
  const VtImage *values; /* of the part */
  int32_t n_levels;
} Part;

/* From the middle of the first window of a rectangle of the map to that of the last one. */
static VtRect
middles_of(const Map *map, VtRect r)
{
  return (VtRect){ r.x * map->stride + map->stride / 2, r.y * map->stride + map->stride / 2,
                   (r.width - 1) * map->stride + 1, (r.height - 1) * map->stride + 1 };
}

/* The window of levels that a tile of the part needs, so that the kernel prepares no more than that. */
static VtGlrlmWindows
windows_of(const Part *p, VtRect t, const VtImage *values)
{
  const Map *map = p->map;
  VtRect middles = middles_of(map, (VtRect){ p->part.x + t.x, p->part.y + t.y, t.width, t.height });
  middles.x -= p->read.x;
  middles.y -= p->read.y;
  const VtRect src = vt_rect_grown(middles, map->half, (VtRect){ 0, 0, p->levels.width, p->levels.height });
  return (VtGlrlmWindows){ .src = vt_image_window(&p->levels, src.x, src.y, src.width, src.height),
                           .dst = values,
                           .n_levels = p->n_levels,
                           .half = map->half,
                           .step = map->stride,
                           .x0 = middles.x - src.x,
                           .y0 = middles.y - src.y,
                           .features = 1u << map->what->feature,
                           .aggregates = 1u << map->what->of.aggregate };
}

/* NULL: it has none of this name, and the name is one of the other backend's. */
static const VtGlrlmAlgorithm *
find_algorithm(const VtBackend *backend, const char *id)
{
  const VtGlrlmAlgorithm *list = backend->glrlm_windows;
  for (const VtGlrlmAlgorithm *one = list; one && one->id; one++)
    if (strcmp(id, "auto") == 0 || strcmp(one->id, id) == 0)
      return one;
  return NULL;
}

static VitrailStatus
make_tile(VtRun *run, VtRect t, void *user)
{
  const Part *p = user;
  const VtGlrlmAlgorithm *algorithm = find_algorithm(run->cpu, p->map->what->algorithm);
  const VtImage values = vt_image_window(p->values, t.x, t.y, t.width, t.height);
  const VtGlrlmWindows args = windows_of(p, t, &values);
  return (algorithm ? algorithm : run->cpu->glrlm_windows)->run(run->cpu_device, &args, &run->cancel);
}

/* VITRAIL_UNSUPPORTED: the host has to do it. */
static VitrailStatus
make_on_device(VtRun *run, const Part *p)
{
  const VtGlrlmAlgorithm *algorithm =
    run->backend != run->cpu ? find_algorithm(run->backend, p->map->what->algorithm) : NULL;
  Part bytes = *p;
  if (!algorithm)
    return VITRAIL_UNSUPPORTED;
  if (p->n_levels <= UINT8_MAX) { /* half as much to upload, and what the fastest kernel wants */
    TRY(vt_raster_alloc(run, &bytes.levels, VITRAIL_U8, p->levels.width, p->levels.height));
    TRY(vt_local_copy(run, &p->levels, &bytes.levels));
  }
  const VtGlrlmWindows args = windows_of(&bytes, (VtRect){ 0, 0, p->part.width, p->part.height }, p->values);
  return vt_whole_windows(run, algorithm, &args);
}

static VitrailStatus
read_levels(VtRun *run, const VtTexture *of, VtRect rect, VtImage *levels, int32_t *n_levels)
{
  VtImage image, channel, mask;
  VtLevels made;
  TRY(vt_read_input(run, of->image, rect, &image));
  TRY(vt_channel(run, of->channel, &image, &channel));
  if (of->mask)
    TRY(vt_read_input(run, of->mask, rect, &mask));
  TRY(vt_discretise(run, &of->binning, &channel, of->channel->scale, of->mask ? &mask : NULL, NULL, false, levels,
                    &made));
  *n_levels = made.n;
  return VITRAIL_OK;
}

/* What the windows of a part cover. */
static VtRect
reach_of(const VtRun *run, const Map *map, VtRect part)
{
  return vt_rect_grown(middles_of(map, part), map->half,
                       (VtRect){ 0, 0, run->grid.image_width, run->grid.image_height });
}

/* Levels that later parts need, too. */
typedef struct {
  VtImage levels; /* no data: every part reads its own */
  VtRect reach;   /* of all parts */
  VtRect made;    /* of reach: what of the levels is there */
  int32_t n_levels;
} Band;

/* values: of the part, in memory; band: NULL, or what holds its reach. */
static VitrailStatus
make_part(VtRun *run, const Map *map, VtRect part, const Band *band, const VtImage *values)
{
  Part p = { .map = map, .part = part, .values = values, .read = reach_of(run, map, part) };
  if (band) {
    p.levels =
      vt_image_window(&band->levels, p.read.x - band->made.x, p.read.y - band->made.y, p.read.width, p.read.height);
    p.n_levels = band->n_levels;
  } else {
    TRY(read_levels(run, &map->what->of, p.read, &p.levels, &p.n_levels));
  }
  const VitrailStatus status = make_on_device(run, &p);
  return status == VITRAIL_UNSUPPORTED ? vt_local(run, part.width, part.height, make_tile, &p) : status;
}

static VitrailStatus
emit_part(VtRun *run, const Map *map, VtRect part, const VtImage *values)
{
  const VitrailTile tile = { .size = sizeof tile,
                             .stage = map->what->of.stage,
                             .type = VITRAIL_F32,
                             .x = part.x,
                             .y = part.y,
                             .width = part.width,
                             .height = part.height,
                             .downsample = (double)run->grid.downsample * map->stride,
                             .data = values->data,
                             .stride = (size_t)values->stride,
                             .scale = 1 };
  return run->host.emit_tile(run->host.user, &tile);
}

/* --- of a region that memory does not hold, or that several processes share --- */

typedef struct {
  const Map *map;
  VtRect share;
  int64_t width;        /* of a unit, which is emitted at once */
  int64_t across, edge; /* of the parts that it is made of */
  double bytes;         /* that all of it takes */
  Band band;
  int64_t piece;  /* width of what is read for the band at once */
  VtStore *store; /* NULL: nothing is kept for a run that goes on */
} Streamed;

static double
bytes_of(const Map *map, int64_t width, int64_t height)
{
  const double w = (double)((width - 1) * map->stride + 2 * map->half + 1);
  const double h = (double)((height - 1) * map->stride + 2 * map->half + 1);
  return w * h * MAP_BYTES + (double)width * (double)height * sizeof(float);
}

enum { UNIT_BYTES = UNIT * UNIT * sizeof(float), LEAST_EDGE = 32, READ_BYTES = 12 /* for each pixel of a piece */ };

/* Rows of the band: those that parts side by side reach, and up to where the last tiles of the slide under them end. */
static int64_t
band_rows(const Streamed *s)
{
  return s->edge * s->map->stride + 2 * s->map->half + UNIT;
}

/* With parts of that width. */
static double
bytes_with_band(const Streamed *s, int64_t across)
{
  const double part = bytes_of(s->map, across, s->edge), piece = UNIT * UNIT * READ_BYTES;
  return (double)s->share.width * UNIT * sizeof(float)
         + (double)s->band.reach.width * (double)band_rows(s) * sizeof(uint16_t) + (part > piece ? part : piece);
}

/* Units as wide as the share, whose parts find their levels in a band: false if they do not fit. */
static bool
plan_band(Streamed *s, double limit)
{
  s->width = s->share.width;
  s->edge = UNIT;
  while (s->edge >= LEAST_EDGE && bytes_with_band(s, s->edge) > limit)
    s->edge /= 2;
  if (s->edge < LEAST_EDGE)
    return false;
  s->across = s->edge;
  while (s->across < s->width && bytes_with_band(s, 2 * s->across) <= limit)
    s->across *= 2;
  s->bytes = bytes_with_band(s, s->across);
  const int64_t tiles = (int64_t)(bytes_of(s->map, s->across, s->edge) / (UNIT * UNIT * READ_BYTES));
  s->piece = (tiles > 1 ? tiles : 1) * UNIT;
  return true;
}

/* As much at once as memory allows: then less is read twice, and a device has enough to do. */
static VitrailStatus
plan_units(VtRun *run, Streamed *s, double limit)
{
  const double least = UNIT_BYTES + bytes_of(s->map, 1, 1);
  if (limit < least)
    return vt_fail(run, VITRAIL_OUT_OF_MEMORY, "Texture maps of this window need %.1f MiB of memory to be allowed.",
                   least / 0.75 / 1048576);
  if (s->share.height > 0 && plan_band(s, limit))
    return vt_raster_alloc(run, &s->band.levels, VITRAIL_U16, s->band.reach.width, band_rows(s));
  s->width = s->edge = UNIT;
  while (s->edge > 1 && UNIT_BYTES + bytes_of(s->map, s->edge, s->edge) > limit)
    s->edge /= 2;
  while (s->edge == UNIT && s->width < s->share.width && bytes_of(s->map, 2 * s->width, UNIT) <= limit)
    s->width *= 2;
  s->across = s->edge < UNIT ? s->edge : s->width;
  s->bytes = s->edge < UNIT ? UNIT_BYTES + bytes_of(s->map, s->edge, s->edge) : bytes_of(s->map, s->width, UNIT);
  return VITRAIL_OK;
}

/* Rows of the band that are there go up to row y. */
static void
scroll_band(Band *band, int64_t y)
{
  const int64_t gone = y - band->made.y, left = band->made.height - gone, stride = band->levels.stride;
  char *rows = band->levels.data;
  if (left > 0)
    memmove(rows, rows + gone * stride, (size_t)(left * stride));
  band->made = (VtRect){ band->reach.x, y, band->reach.width, left > 0 ? left : 0 };
}

/* The band begins with the rows that a unit reaches and ends with tiles of the slide: each row, and each tile, is read once. */
static VitrailStatus
fill_band(VtRun *run, Streamed *s, VtRect read)
{
  Band *band = &s->band;
  const int64_t bottom = band->reach.y + band->reach.height, right = band->reach.x + band->reach.width;
  scroll_band(band, read.y);
  for (int64_t y = band->made.y + band->made.height, end; y < read.y + read.height; y = end) {
    end = (y / UNIT + 1) * UNIT < bottom ? (y / UNIT + 1) * UNIT : bottom;
    for (int64_t x = band->reach.x, to; x < right; x = to) {
      const uint32_t mark = run->n_rasters;
      VtImage levels;
      to = (x / s->piece + 1) * s->piece < right ? (x / s->piece + 1) * s->piece : right;
      VitrailStatus status =
        read_levels(run, &s->map->what->of, (VtRect){ x, y, to - x, end - y }, &levels, &band->n_levels);
      if (status == VITRAIL_OK) {
        const VtImage there = vt_image_window(&band->levels, x - band->made.x, y - band->made.y, to - x, end - y);
        status = vt_local_copy(run, &levels, &there);
      }
      vt_raster_release(run, mark);
      TRY(status);
    }
    band->made.height = end - band->made.y;
  }
  return VITRAIL_OK;
}

static VitrailStatus
make_unit(VtRun *run, Streamed *s, VtRect unit, const VtImage *values)
{
  const VtRect in_store = { unit.x - s->share.x, unit.y - s->share.y, unit.width, unit.height };
  if (s->store && vt_store_is_kept(s->store, in_store))
    return vt_store_get(s->store, in_store, values);
  const Band *band = s->band.levels.data ? &s->band : NULL;
  for (int64_t y = 0; y < unit.height; y += s->edge) {
    if (band)
      TRY(fill_band(run, s,
                    reach_of(run, s->map, vt_rect_common((VtRect){ unit.x, unit.y + y, unit.width, s->edge }, unit))));
    for (int64_t x = 0; x < unit.width; x += s->across) {
      const VtRect part = vt_rect_common((VtRect){ unit.x + x, unit.y + y, s->across, s->edge }, unit);
      const VtImage window = vt_image_window(values, x, y, part.width, part.height);
      const uint32_t mark = run->n_rasters;
      const VitrailStatus status = make_part(run, s->map, part, band, &window);
      vt_raster_release(run, mark);
      TRY(status);
      vt_progress(run,
                  ((double)in_store.y + (double)y + (double)(in_store.x + x) / (double)s->share.width * (double)s->edge)
                    / (double)s->share.height);
    }
  }
  if (!s->store)
    return VITRAIL_OK;
  TRY(vt_store_put(s->store, in_store, values));
  return vt_store_flush(s->store, 0, 1);
}

static VitrailStatus
make_share(VtRun *run, Streamed *s)
{
  for (int64_t y = 0; y < s->share.height; y += UNIT)
    for (int64_t x = 0; x < s->share.width; x += s->width) {
      const VtRect unit = vt_rect_common((VtRect){ s->share.x + x, s->share.y + y, s->width, UNIT }, s->share);
      const uint32_t mark = run->n_rasters;
      VtImage values;
      TRY(vt_raster_alloc(run, &values, VITRAIL_F32, unit.width, unit.height));
      TRY(make_unit(run, s, unit, &values));
      TRY(emit_part(run, s->map, unit, &values));
      vt_raster_release(run, mark);
    }
  return VITRAIL_OK;
}

/* Where the map lies, which has another grid than the run: the host asks for it when the first part comes. */
static void
record_place(VtRun *run, const Map *map)
{
  const struct {
    const char *name;
    int64_t value;
  } facts[] = {
    { "x", map->region.x }, { "y", map->region.y }, { "width", map->region.width }, { "height", map->region.height }
  };
  for (size_t i = 0; i < VT_COUNT(facts); i++) {
    char key[128];
    snprintf(key, sizeof key, "%s-%s", run->op->stages[map->what->of.stage]->id, facts[i].name);
    vt_record(run, key, (double)facts[i].value);
  }
}

static VitrailStatus
make_streamed(VtRun *run, const Map *map)
{
  const double limit = vt_run_memory_left(run);
  char name[24];
  const bool keep = run->request->flags & VITRAIL_RUN_KEEP_SCRATCH;
  Streamed s = { .map = map, .share = vt_share_of(run, map->region) };
  VtStorePool *pool = NULL;
  const uint32_t mark = run->n_rasters;
  s.band.reach = reach_of(run, map, s.share);
  VitrailStatus status = plan_units(run, &s, 0.75 * limit);
  vt_record(run, "streamed", 1);
  record_place(run, map);
  snprintf(name, sizeof name, "map-%u", map->what->of.stage);
  if (status == VITRAIL_OK && keep && s.share.height > 0) {
    pool = vt_store_pool_new((uint64_t)(limit / 4), run->request->scratch_dir, true);
    status =
      pool ? vt_store_new(pool, name, VITRAIL_F32, s.share.width, s.share.height, &s.store) : VITRAIL_OUT_OF_MEMORY;
  }
  THEN(status, make_share(run, &s));
  if (s.bytes > 0)
    vt_run_hold(run, s.bytes + (pool ? (double)vt_store_pool_peak(pool) : 0));
  if (status == VITRAIL_READ_FAILED)
    vt_scratch_failed(run, pool);
  vt_store_pool_free(pool);
  vt_raster_release(run, mark);
  status = vt_ranks_agree(run, status);
  return status == VITRAIL_READ_FAILED && !vt_ranks_failed_elsewhere(run) ? vt_scratch_failed(run, NULL) : status;
}

/* --- */

/* Map pixels whose centre lies in the region; at least one a side. */
static void
map_range(int64_t start, int64_t length, int64_t image, int32_t stride, int64_t *first, int64_t *n)
{
  int64_t offset = stride / 2, last_centre = (image - 1 - offset) / stride;
  if (image <= offset)
    last_centre = 0;
  *first = start > offset ? (start - offset + stride - 1) / stride : 0;
  int64_t end = start + length > offset ? (start + length - offset + stride - 1) / stride : 0;
  *first = *first < last_centre ? *first : last_centre;
  end = end < last_centre + 1 ? end : last_centre + 1;
  *n = end > *first ? end - *first : 1;
}

static Map
place(const VtRun *run, const VtTextureMap *what)
{
  const VtGrid *grid = &run->grid;
  const VtRect shown = run->shown;
  Map map = { .what = what, .half = what->window / 2, .stride = what->stride };
  map_range(shown.x, shown.width, grid->image_width, map.stride, &map.region.x, &map.region.width);
  map_range(shown.y, shown.height, grid->image_height, map.stride, &map.region.y, &map.region.height);
  return map;
}

VitrailStatus
vt_texture_map(VtExec *x, const VtTextureMap *what)
{
  VtRun *run = x->run;
  const Map map = place(run, what);
  const uint32_t mark = run->n_rasters;
  VtImage values;
  if (x->does->works_in_parts)
    return make_streamed(run, &map);
  TRY(vt_raster_alloc(run, &values, VITRAIL_F32, map.region.width, map.region.height));
  TRY(make_part(run, &map, map.region, NULL, &values));
  TRY(emit_part(run, &map, map.region, &values));
  vt_raster_release(run, mark);
  return VITRAIL_OK;
}
