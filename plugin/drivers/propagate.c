/* SPDX-License-Identifier: MIT
 *
 * The propagate driver: ops of unbounded reach, the same answer for every tile size and order.
 *
 * Reconstruction (Teodoro 2012, tile propagation and border propagation): a tile is worked to its fixpoint together with a
 * halo of one pixel, in place. Growth is monotone and every value in a halo is a legal value, so halo pixels may be raised as
 * well; a tile is queued again when a neighbour raised one of its pixels. When no tile is queued, each pair of touching
 * pixels was last seen by a window that holds both, hence is stable, and the fixpoint is unique. Tiles of one round are
 * split into four colours (even/odd column and row): windows of one colour never meet, so they run at the same time.
 *
 * Distance needs no repetition: it is one call over the whole raster. */
#include <stdlib.h>
#include <string.h>

#include "drivers/propagate.h"
#include "devices/copy-streams.h"
#include "devices/several.h"
#include "drivers/halo.h"
#include "run/backends.h"
#include "run/parallel.h"

enum { MIN_TILE_PX = 16 };

typedef struct {
  const VtImage *marker, *mask;
  int32_t connectivity;
  const char *algorithm;
  int64_t tile, columns, rows;
  atomic_uchar *queued; /* per tile */
  uint32_t *batch;      /* tiles of one colour */
} Propagation;

/* host -> device -> slot -> host; the host's marker is only touched when the slot went well. */
static VitrailStatus
reconstruct_on_device(VtRun *run, const VtReconstructAlgorithm *algorithm, const VtReconstruct *args)
{
  const VtBackend *backend = run->backend;
  size_t px = vt_type_size(args->marker.type);
  size_t bytes = (size_t)args->marker.width * (size_t)args->marker.height * px;
  VtReconstruct local = *args;
  local.marker.stride = local.mask.stride = args->marker.width * (int64_t)px;
  local.marker.data = local.mask.data = NULL;
  VitrailStatus status = backend->alloc(run->device, bytes, &local.marker.data);
  THEN(status, backend->alloc(run->device, bytes, &local.mask.data));
  THEN(status, vt_device_copy(run, &local.marker, &args->marker, true));
  THEN(status, vt_device_copy(run, &local.mask, &args->mask, true));
  THEN(status, algorithm->run(run->device, &local, &run->cancel));
  THEN(status, vt_device_copy(run, &local.marker, &args->marker, false));
  backend->free(run->device, local.marker.data);
  backend->free(run->device, local.mask.data);
  return status;
}

static VitrailStatus
reconstruct_window(VtRun *run, const Propagation *p, VtRect w)
{
  VtReconstruct args = {
    .marker = vt_image_window(p->marker, w.x, w.y, w.width, w.height),
    .mask = vt_image_window(p->mask, w.x, w.y, w.width, w.height),
    .connectivity = p->connectivity,
  };
  if (run->backend != run->cpu) {
    const VtReconstructAlgorithm *algorithm = vt_find_reconstruct(run->backend, p->algorithm);
    VitrailStatus status = algorithm ? reconstruct_on_device(run, algorithm, &args) : VITRAIL_UNSUPPORTED;
    if (status == VITRAIL_OK || status == VITRAIL_CANCELLED || status == VITRAIL_BAD_ARGUMENT)
      return status;
    vt_say_fallback(run, "Reconstruction", status);
  }
  const VtReconstructAlgorithm *algorithm = vt_choose_reconstruct(run, run->cpu, p->algorithm);
  /* Alone, the kernel has all threads; many tiles are the threads' work. */
  return algorithm->run(p->batch ? run->cpu_device : run->cpu_team, &args, &run->cancel);
}

static VitrailStatus
propagate_tile(VtRun *run, uint32_t index, void *user)
{
  Propagation *p = user;
  int64_t column = p->batch[index] % p->columns, row = p->batch[index] / p->columns;
  const VtRect all = { 0, 0, p->marker->width, p->marker->height };
  const VtRect tile = vt_rect_common((VtRect){ column * p->tile, row * p->tile, p->tile, p->tile }, all);
  const VtRect window = vt_rect_grown(tile, 1, all);
  VtImage image = vt_image_window(p->marker, window.x, window.y, window.width, window.height);
  char *before = malloc(vt_halo_bytes(window, image.type));
  bool rose[9] = { false };
  if (!before)
    return vt_fail(run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory for the reconstruction."));
  vt_halo_save(&image, tile, window, before);
  VitrailStatus status = reconstruct_window(run, p, window);
  if (status == VITRAIL_OK)
    vt_halo_compare(&image, tile, window, before, rose);
  for (int k = 0; k < 9; k++)
    if (rose[k])
      atomic_store(&p->queued[(row + k / 3 - 1) * p->columns + column + k % 3 - 1], 1);
  free(before);
  return status;
}

static VitrailStatus
propagate_rounds(VtRun *run, Propagation *p)
{
  int64_t n_tiles = p->columns * p->rows;
  for (bool active = true; active;) {
    active = false;
    for (int colour = 0; colour < 4; colour++) {
      uint32_t n = 0;
      for (int64_t i = 0; i < n_tiles; i++) {
        bool mine = (i % p->columns & 1) == (colour & 1) && (i / p->columns & 1) == colour >> 1;
        if (mine && atomic_exchange(&p->queued[i], 0))
          p->batch[n++] = (uint32_t)i;
      }
      active |= n > 0;
      VitrailStatus status = VITRAIL_OK;
      if (run->backend == run->cpu)
        status = vt_parallel(run, n, propagate_tile, p);
      else
        for (uint32_t i = 0; i < n && status == VITRAIL_OK; i++)
          status = vt_cancelled(&run->cancel) ? VITRAIL_CANCELLED : propagate_tile(run, i, p);
      if (status != VITRAIL_OK)
        return status;
    }
  }
  return VITRAIL_OK;
}

/* In windows of the raster, on one device. */
static VitrailStatus
propagate(VtRun *run, Propagation p)
{
  const VtImage *marker = p.marker;
  VitrailStatus status;
  p.tile = run->request->tile_px ? run->request->tile_px : INT64_MAX / 4;
  p.tile = p.tile < MIN_TILE_PX ? MIN_TILE_PX : p.tile;
  p.columns = (marker->width - 1) / p.tile + 1;
  p.rows = (marker->height - 1) / p.tile + 1;
  size_t n_tiles = (size_t)(p.columns * p.rows);
  if (n_tiles == 1) {
    status = reconstruct_window(run, &p, (VtRect){ 0, 0, marker->width, marker->height });
  } else {
    p.queued = malloc(n_tiles * sizeof *p.queued);
    p.batch = malloc(n_tiles * sizeof *p.batch);
    if (p.queued && p.batch) {
      for (size_t i = 0; i < n_tiles; i++)
        atomic_init(&p.queued[i], 1);
      status = propagate_rounds(run, &p);
    } else {
      status = vt_fail(run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory for the reconstruction."));
    }
    free(p.queued);
    free(p.batch);
  }
  return status;
}

/* The sentence of a failure. */
static VitrailStatus
said(VtRun *run, VitrailStatus status)
{
  if (status == VITRAIL_BAD_ARGUMENT)
    return vt_fail(run, status,
                   TR("Reconstruction needs a marker that nowhere passes its mask, and no NaN in either."));
  if (status == VITRAIL_OUT_OF_MEMORY)
    return vt_fail(run, status, TR("There is not enough memory for the reconstruction."));
  return status;
}

static int32_t
n_devices_for(const VtRun *run, const VtImage *marker)
{
  const double row_bytes = 4.0 * (double)marker->width * (double)vt_type_size(marker->type); /* twice both images */
  return vt_devices_wanted(run, marker->height, row_bytes);
}

VitrailStatus
vt_reconstruct(VtRun *run, const VtImage *marker, const VtImage *mask, int32_t connectivity, const char *algorithm)
{
  const int32_t n_devices = n_devices_for(run, marker);
  const VitrailStatus status = n_devices > 0
                                 ? vt_devices_reconstruct(run, marker, mask, connectivity, algorithm, n_devices)
                                 : propagate(run, (Propagation){ marker, mask, connectivity, .algorithm = algorithm });
  return said(run, status);
}

/* --- distance --- */

static const VtDistanceAlgorithm *
find_distance(const VtBackend *backend, const char *id)
{
  for (const VtDistanceAlgorithm *list = backend->distance; list && list->id; list++)
    if (strcmp(list->id, id) == 0)
      return list;
  return NULL;
}

/* What columns, then rows, give too. */
static bool
is_plain(const char *algorithm, const VtDistance *args)
{
  return strcmp(algorithm, "exact") == 0 && args->weight_x == 1 && args->weight_y == 1 && args->cap == 0
         && !args->nearest.data && !args->root.data != !args->squared.data;
}

VitrailStatus
vt_distance_in_device_memory(VtRun *run, const char *algorithm, const VtDistance *args)
{
  const VtBackend *backend = run->backend;
  const VtDistanceAlgorithm *found = find_distance(backend, algorithm);
  VitrailStatus status = found ? found->run(run->device, args, &run->cancel) : VITRAIL_UNSUPPORTED;
  if (status != VITRAIL_UNSUPPORTED || !is_plain(algorithm, args) || !backend->edt_columns || !backend->edt_rows)
    return status;
  const int64_t width = args->src.width, height = args->src.height;
  VtEdt columns = { .src = args->src, .dst = { NULL, width, height, width * 4, VITRAIL_I32 } };
  status = backend->alloc(run->device, (size_t)(width * height * 4), &columns.dst.data);
  const VtEdt rows = { columns.dst, args->root.data ? args->root : args->squared, args->scale };
  THEN(status, backend->edt_columns(run->device, &columns, &run->cancel));
  THEN(status, backend->edt_rows(run->device, &rows, &run->cancel));
  backend->free(run->device, columns.dst.data);
  return status;
}

static VitrailStatus
alloc_like(VtRun *run, const VtImage *host, VtImage *image)
{
  *image = (VtImage){ NULL, host->width, host->height, host->width * (int64_t)vt_type_size(host->type), host->type };
  return host->data ? run->backend->alloc(run->device, (size_t)(image->height * image->stride), &image->data)
                    : VITRAIL_OK;
}

static VitrailStatus
distance_on_device(VtRun *run, const char *algorithm, const VtDistance *args)
{
  const VtBackend *backend = run->backend;
  const VtImage *const host[] = { &args->src, &args->squared, &args->root, &args->nearest };
  VtDistance there = *args;
  VtImage *const device[] = { &there.src, &there.squared, &there.root, &there.nearest };
  VitrailStatus status = VITRAIL_OK;
  for (int i = 0; i < 4; i++)
    device[i]->data = NULL;
  for (int i = 0; i < 4 && status == VITRAIL_OK; i++)
    status = alloc_like(run, host[i], device[i]);
  THEN(status, vt_device_copy(run, &there.src, &args->src, true));
  THEN(status, vt_distance_in_device_memory(run, algorithm, &there));
  for (int i = 1; i < 4 && status == VITRAIL_OK; i++)
    if (host[i]->data)
      status = vt_device_copy(run, device[i], host[i], false);
  for (int i = 0; i < 4; i++)
    backend->free(run->device, device[i]->data);
  return status;
}

VitrailStatus
vt_distance_by(VtRun *run, const char *algorithm, const VtDistance *args)
{
  if (run->backend != run->cpu) {
    const VtImage *dst = args->root.data ? &args->root : &args->squared;
    const double row_bytes = (double)args->src.width * (1 + (double)vt_type_size(dst->type));
    const int32_t n_devices =
      is_plain(algorithm, args) && args->scale > 0 ? vt_devices_wanted(run, args->src.height, row_bytes) : 0;
    VitrailStatus status = n_devices > 0 ? vt_devices_distance(run, &args->src, dst, args->scale, n_devices)
                                         : distance_on_device(run, algorithm, args);
    if (status == VITRAIL_OK || status == VITRAIL_CANCELLED)
      return status;
    vt_say_fallback(run, "The distance transform", status);
  }
  VitrailStatus status = find_distance(run->cpu, algorithm)->run(run->cpu_team, args, &run->cancel);
  if (status == VITRAIL_OUT_OF_MEMORY)
    return vt_fail(run, status, TR("There is not enough memory for the distance transform."));
  if (status == VITRAIL_BAD_ARGUMENT)
    return vt_fail(run, status, TR("The region is too large for distances between pixels of such a size."));
  return status;
}
