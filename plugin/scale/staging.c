/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "scale/staging.h"
#include "run/backends.h"

enum { ALIGN = 64, GRAIN = 128 /* rows; the blocks of stores have so many, or a multiple */ };

static VtType
type_of(const VtDesk *desk, int k)
{
  return vt_store_type(k == 0 ? desk->stream->marker : desk->stream->mask);
}

/* The device's rows are aligned for the kernels' sake, those of the host packed. */
static size_t
row_bytes(const VtDesk *desk, int k, int64_t width)
{
  const size_t row = (size_t)width * vt_type_size(type_of(desk, k));
  return desk->on_device ? (row + ALIGN - 1) / ALIGN * ALIGN : row;
}

void
vt_desk_clear(VtDesk *desk)
{
  for (int k = 0; k < 2; k++) {
    if (desk->on_device && desk->images[k].data)
      desk->worker->backend->free(desk->worker->device, desk->images[k].data);
    else if (!desk->on_device)
      free(desk->images[k].data);
    desk->images[k].data = NULL;
  }
  free(desk->before[0]);
  free(desk->rose[0]);
}

VitrailStatus
vt_desk_init(VtDesk *desk, int64_t tile)
{
  const size_t edge = (size_t)tile + 2, cells = (size_t)(tile / desk->cell + 3);
  const size_t px = vt_type_size(type_of(desk, 0));
  char *before = malloc(VT_N_HALOS * edge * px);
  uint8_t *rose = malloc(VT_N_HALOS * cells);
  VitrailStatus status = before && rose ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  for (int side = 0; side < VT_N_HALOS; side++) {
    desk->before[side] = before ? before + (size_t)side * edge * px : NULL;
    desk->rose[side] = rose ? rose + (size_t)side * cells : NULL;
  }
  desk->on_device = !desk->worker->is_cpu && !desk->stream->kernel;
  for (int k = 0; k < 2 && status == VITRAIL_OK; k++) {
    const size_t bytes = edge * row_bytes(desk, k, (int64_t)edge);
    if (desk->on_device)
      status = desk->worker->backend->alloc(desk->worker->device, bytes, &desk->images[k].data);
    else if (!(desk->images[k].data = malloc(bytes)))
      status = VITRAIL_OUT_OF_MEMORY;
  }
  return status;
}

/* --- the halo: what came of it is kept, and compared with what became of it --- */

static void
keep_halo(VtDesk *desk, int64_t y, const VtImage *slab)
{
  const size_t px = vt_type_size(slab->type), row = (size_t)slab->width * px;
  if (y == 0)
    memcpy(desk->before[VT_ABOVE], slab->data, row);
  if (y + slab->height == desk->window.height)
    memcpy(desk->before[VT_BELOW], vt_image_at(slab, 0, slab->height - 1), row);
  for (int64_t i = 0; i < slab->height; i++) {
    memcpy(desk->before[VT_LEFT] + (size_t)(y + i) * px, vt_image_at(slab, 0, i), px);
    memcpy(desk->before[VT_RIGHT] + (size_t)(y + i) * px, vt_image_at(slab, slab->width - 1, i), px);
  }
}

/* Several threads may set one, and all to the same. */
static void
set_if(uint8_t *flag, bool rose)
{
  if (rose)
    __atomic_store_n(flag, 1, __ATOMIC_RELAXED);
}

/* A row of the halo, above or below. */
static void
compare_row(VtDesk *desk, int side, const char *now)
{
  const size_t px = vt_type_size(type_of(desk, 0));
  const char *before = desk->before[side];
  const int64_t left = desk->has_halo[VT_LEFT], end = left + desk->part.width;
  uint8_t *rose = desk->rose[side];
  set_if(&rose[0], left && memcmp(before, now, px) != 0);
  for (int64_t x = left, k = 1; x < end; x += desk->cell, k++) {
    const int64_t n = end - x < desk->cell ? end - x : desk->cell;
    set_if(&rose[k], memcmp(before + (size_t)x * px, now + (size_t)x * px, (size_t)n * px) != 0);
  }
  const int64_t cells = (desk->part.width - 1) / desk->cell + 1;
  set_if(&rose[cells + 1],
         desk->has_halo[VT_RIGHT] && memcmp(before + (size_t)end * px, now + (size_t)end * px, px) != 0);
}

static void
compare_halo(VtDesk *desk, int64_t y, const VtImage *slab)
{
  const size_t px = vt_type_size(slab->type);
  const int64_t top = desk->has_halo[VT_ABOVE];
  if (top && y == 0)
    compare_row(desk, VT_ABOVE, slab->data);
  if (desk->has_halo[VT_BELOW] && y + slab->height == desk->window.height)
    compare_row(desk, VT_BELOW, vt_image_at(slab, 0, slab->height - 1));
  for (int side = VT_LEFT; side <= VT_RIGHT; side++)
    for (int64_t i = 0; desk->has_halo[side] && i < slab->height; i++) {
      const int64_t row = y + i - top; /* of the part */
      const void *now = vt_image_at(slab, side == VT_LEFT ? 0 : slab->width - 1, i);
      if (row >= 0 && row < desk->part.height)
        set_if(&desk->rose[side][row / desk->cell], memcmp(desk->before[side] + (size_t)(y + i) * px, now, px) != 0);
    }
}

/* --- to the desk and back: bodies of lanes, or called once with all rows --- */

static VitrailStatus
note_store(VtDesk *desk, VitrailStatus status)
{
  if (status != VITRAIL_OK)
    atomic_store(&desk->store_failed, true);
  return status;
}

static VitrailStatus
get_rows(VtDesk *desk, VtStore *store, int64_t y, const VtImage *slab)
{
  const VtRect rows = { desk->window.x, desk->window.y + y, slab->width, slab->height };
  return note_store(desk, vt_store_get(store, rows, slab));
}

static VitrailStatus
get_marker(void *user, int64_t y, const VtImage *slab)
{
  VtDesk *desk = user;
  const VitrailStatus status = get_rows(desk, desk->stream->marker, y, slab);
  if (status == VITRAIL_OK)
    keep_halo(desk, y, slab);
  return status;
}

static VitrailStatus
get_mask(void *user, int64_t y, const VtImage *slab)
{
  VtDesk *desk = user;
  return get_rows(desk, desk->stream->mask, y, slab);
}

/* The rows of the slab that are the part's own. */
static VitrailStatus
put_marker(void *user, int64_t y, const VtImage *slab)
{
  VtDesk *desk = user;
  const VtRect part = desk->part;
  const int64_t top = desk->has_halo[VT_ABOVE] && y == 0, y0 = desk->window.y + y + top;
  const int64_t end = desk->window.y + y + slab->height, last = part.y + part.height;
  const int64_t n = (end < last ? end : last) - y0;
  compare_halo(desk, y, slab);
  if (n < 1)
    return VITRAIL_OK;
  const VtImage inner = vt_image_window(slab, desk->has_halo[VT_LEFT], top, part.width, n);
  return note_store(desk, vt_store_put(desk->stream->marker, (VtRect){ part.x, y0, part.width, n }, &inner));
}

/* By this thread, a row of blocks after the other. */
static VitrailStatus
travel_here(VtDesk *desk, const VtImage *image, VtLaneBody body)
{
  for (int64_t y = 0, n; y < image->height; y += n) {
    n = GRAIN - (desk->window.y + y) % GRAIN;
    n = n < image->height - y ? n : image->height - y;
    const VtImage slab = vt_image_window(image, 0, y, image->width, n);
    TRY(vt_cancelled(&desk->run->cancel) ? VITRAIL_CANCELLED : body(desk, y, &slab));
  }
  return VITRAIL_OK;
}

static VitrailStatus
travel(VtDesk *desk, int k, bool up)
{
  const VtLaneBody body = !up ? put_marker : k == 0 ? get_marker : get_mask;
  if (!desk->on_device)
    return travel_here(desk, &desk->images[k], body);
  return vt_lanes_copy(desk->run, desk->lanes, desk->which, desk->worker->device, &desk->images[k], up, GRAIN,
                       desk->window.y, body, desk);
}

/* --- work --- */

static VitrailStatus
run_kernel(VtDesk *desk)
{
  const VtStream *s = desk->stream;
  const VtBackend *backend = desk->worker->backend;
  const VtReconstructAlgorithm *algorithm = vt_find_reconstruct(backend, s->algorithm);
  const VtReconstruct args = { .marker = desk->images[0], .mask = desk->images[1], .connectivity = s->connectivity };
  if (s->kernel)
    return s->kernel(&desk->images[0], &desk->images[1], s->connectivity, &desk->run->cancel);
  if (!algorithm) /* one of another backend: any gives the same bytes */
    algorithm = backend->reconstruct;
  return algorithm ? algorithm->run(desk->worker->device, &args, &desk->run->cancel) : VITRAIL_UNSUPPORTED;
}

static void
lay_out(VtDesk *desk, VtRect part)
{
  const VtStream *s = desk->stream;
  desk->part = part;
  desk->has_halo[VT_LEFT] = part.x > 0;
  desk->has_halo[VT_ABOVE] = part.y > 0;
  desk->has_halo[VT_RIGHT] = part.x + part.width < vt_store_width(s->mask);
  desk->has_halo[VT_BELOW] = part.y + part.height < vt_store_height(s->mask);
  desk->window = (VtRect){ part.x - desk->has_halo[VT_LEFT], part.y - desk->has_halo[VT_ABOVE],
                           part.width + desk->has_halo[VT_LEFT] + desk->has_halo[VT_RIGHT],
                           part.height + desk->has_halo[VT_ABOVE] + desk->has_halo[VT_BELOW] };
  for (int k = 0; k < 2; k++) {
    const int64_t stride = (int64_t)row_bytes(desk, k, desk->window.width);
    desk->images[k] =
      (VtImage){ desk->images[k].data, desk->window.width, desk->window.height, stride, type_of(desk, k) };
  }
  const size_t across = (size_t)((part.width - 1) / desk->cell + 3),
               down = (size_t)((part.height - 1) / desk->cell + 1);
  memset(desk->rose[VT_ABOVE], 0, across);
  memset(desk->rose[VT_BELOW], 0, across);
  memset(desk->rose[VT_LEFT], 0, down);
  memset(desk->rose[VT_RIGHT], 0, down);
  atomic_store(&desk->store_failed, false);
}

VitrailStatus
vt_desk_work(VtDesk *desk, VtRect part)
{
  lay_out(desk, part);
  VitrailStatus status = travel(desk, 0, true);
  if (status == VITRAIL_OK)
    status = travel(desk, 1, true);
  if (status == VITRAIL_OK)
    status = run_kernel(desk);
  return status == VITRAIL_OK ? travel(desk, 0, false) : status;
}
