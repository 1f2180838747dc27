/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "scale/staging.h"
#include "run/backends.h"

enum { ALIGN = 64, GRAIN = 128 /* rows; the blocks of stores have so many, or a multiple */ };

static VtType
type_of(const VtStaging *staging, int k)
{
  return k == 0 ? vt_store_type(staging->stream->marker) : vt_stream_mask_type(staging->stream);
}

/* The device's rows are aligned for the kernels' sake. */
static size_t
row_bytes(const VtStaging *staging, int k, int64_t width)
{
  const size_t row = (size_t)width * vt_type_size(type_of(staging, k));
  return staging->on_device ? (row + ALIGN - 1) / ALIGN * ALIGN : row;
}

/* Whether input k of the step is the mask, which has been read. */
static bool
is_read(const VtStaging *staging, const VtStreamLocal *step, int k)
{
  return staging->read.data && step == staging->stream->begin && step->in[k] == staging->stream->mask;
}

/* How far begin looks round the mask that it reads; -1: it reads it not, or on its own. */
static int64_t
margin_of(const VtStream *stream, bool on_device)
{
  bool found = false;
  for (int k = 0; k < VT_LOCAL_IN && stream->begin && stream->mask; k++)
    found = found || stream->begin->in[k] == stream->mask;
  return found && !on_device ? stream->begin->halo : -1;
}

void
vt_staging_clear(VtStaging *staging)
{
  for (int k = 0; k < 2; k++) {
    if (staging->on_device && staging->images[k].data)
      staging->worker->backend->free(staging->worker->device, staging->images[k].data);
    staging->images[k].data = NULL;
  }
  vt_tile_memory_give(staging->stream->memories, staging->memory);
  staging->memory = NULL;
}

/* Of rows of an input of begin or guide. */
static size_t
input_bytes(const VtStream *stream, int k, int64_t tile)
{
  const VtStreamLocal *const steps[] = { stream->begin, stream->guide };
  size_t bytes = 0;
  for (int i = 0; i < 2; i++)
    if (steps[i] && steps[i]->in[k]) {
      const int64_t halo = steps[i]->halo;
      const size_t own =
        (size_t)((tile + 2 + 2 * halo) * (GRAIN + 2 * halo)) * vt_type_size(vt_store_type(steps[i]->in[k]));
      bytes = own > bytes ? own : bytes;
    }
  return bytes;
}

double
vt_staging_extra(const VtStream *stream, int64_t tile)
{
  double bytes = 0;
  for (int k = 0; k < VT_LOCAL_IN; k++)
    bytes += (double)input_bytes(stream, k, tile);
  return bytes;
}

/* The parts of a thread's memory. */
enum { BEFORE, ROSE, INPUTS, IMAGES = INPUTS + VT_LOCAL_IN, N_PARTS = IMAGES + 2 };

VitrailStatus
vt_staging_init(VtStaging *staging, int64_t tile)
{
  const bool on_device = staging->on_device = !staging->worker->is_cpu && !staging->stream->kernel;
  const int64_t margin = margin_of(staging->stream, on_device), more = margin > 0 ? 2 * margin : 0;
  const size_t edge = (size_t)tile + 2, cells = (size_t)(tile / staging->cell + 3);
  const size_t px = vt_type_size(type_of(staging, 0));
  size_t bytes[N_PARTS] = { [BEFORE] = VT_N_HALOS * edge * px, [ROSE] = VT_N_HALOS * cells }, image[2];
  void *parts[N_PARTS];
  for (int k = 0; k < VT_LOCAL_IN; k++)
    bytes[INPUTS + k] = input_bytes(staging->stream, k, tile);
  for (int k = 0; k < 2; k++) {
    image[k] = (edge + (size_t)more) * row_bytes(staging, k, (int64_t)edge + more);
    bytes[IMAGES + k] = on_device ? 0 : image[k];
  }
  staging->memory = vt_tile_memory_take(staging->run, staging->stream->memories, bytes, N_PARTS, parts);
  if (!staging->memory) {
    staging->on_device = false; /* the status is not the device's */
    return VITRAIL_OUT_OF_MEMORY;
  }
  for (int side = 0; side < VT_N_HALOS; side++) {
    staging->before[side] = (char *)parts[BEFORE] + (size_t)side * edge * px;
    staging->rose[side] = (uint8_t *)parts[ROSE] + (size_t)side * cells;
  }
  for (int k = 0; k < VT_LOCAL_IN; k++)
    staging->inputs[k] = parts[INPUTS + k];
  VitrailStatus status = VITRAIL_OK;
  for (int k = 0; k < 2; k++)
    staging->images[k].data = parts[IMAGES + k];
  staging->read.data = margin >= 0 ? parts[IMAGES + 1] : NULL;
  for (int k = 0; k < 2 && on_device && status == VITRAIL_OK; k++)
    status = staging->worker->backend->alloc(staging->worker->device, image[k], &staging->images[k].data);
  return status;
}

/* --- the halo: what came of it is kept, and compared with what became of it --- */

static void
keep_halo(VtStaging *staging, int64_t y, const VtImage *slab)
{
  const size_t px = vt_type_size(slab->type), row = (size_t)slab->width * px;
  if (y == 0)
    memcpy(staging->before[VT_ABOVE], slab->data, row);
  if (y + slab->height == staging->window.height)
    memcpy(staging->before[VT_BELOW], vt_image_at(slab, 0, slab->height - 1), row);
  for (int64_t i = 0; i < slab->height; i++) {
    memcpy(staging->before[VT_LEFT] + (size_t)(y + i) * px, vt_image_at(slab, 0, i), px);
    memcpy(staging->before[VT_RIGHT] + (size_t)(y + i) * px, vt_image_at(slab, slab->width - 1, i), px);
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
compare_row(VtStaging *staging, int side, const char *now)
{
  const size_t px = vt_type_size(type_of(staging, 0));
  const char *before = staging->before[side];
  const int64_t left = staging->has_halo[VT_LEFT], end = left + staging->part.width;
  uint8_t *rose = staging->rose[side];
  set_if(&rose[0], left && memcmp(before, now, px) != 0);
  for (int64_t x = left, k = 1; x < end; x += staging->cell, k++) {
    const int64_t n = end - x < staging->cell ? end - x : staging->cell;
    set_if(&rose[k], memcmp(before + (size_t)x * px, now + (size_t)x * px, (size_t)n * px) != 0);
  }
  const int64_t cells = (staging->part.width - 1) / staging->cell + 1;
  set_if(&rose[cells + 1],
         staging->has_halo[VT_RIGHT] && memcmp(before + (size_t)end * px, now + (size_t)end * px, px) != 0);
}

static void
compare_halo(VtStaging *staging, int64_t y, const VtImage *slab)
{
  const size_t px = vt_type_size(slab->type);
  const int64_t top = staging->has_halo[VT_ABOVE];
  if (top && y == 0)
    compare_row(staging, VT_ABOVE, slab->data);
  if (staging->has_halo[VT_BELOW] && y + slab->height == staging->window.height)
    compare_row(staging, VT_BELOW, vt_image_at(slab, 0, slab->height - 1));
  for (int side = VT_LEFT; side <= VT_RIGHT; side++)
    for (int64_t i = 0; staging->has_halo[side] && i < slab->height; i++) {
      const int64_t row = y + i - top; /* of the part */
      const void *now = vt_image_at(slab, side == VT_LEFT ? 0 : slab->width - 1, i);
      if (row >= 0 && row < staging->part.height)
        set_if(&staging->rose[side][row / staging->cell],
               memcmp(staging->before[side] + (size_t)(y + i) * px, now, px) != 0);
    }
}

/* --- to the staging and back: bodies of streams, or called once with all rows --- */

static VitrailStatus
note_store(VtStaging *staging, VitrailStatus status)
{
  if (status != VITRAIL_OK)
    atomic_store(&staging->store_failed, true);
  return status;
}

static VitrailStatus
get_rows(VtStaging *staging, VtStore *store, int64_t y, const VtImage *slab)
{
  const VtRect rows = { staging->window.x, staging->window.y + y, slab->width, slab->height };
  return note_store(staging, vt_store_get(store, rows, slab));
}

static VtRect
grown(const VtStore *store, VtRect r, int64_t by)
{
  return vt_rect_grown(r, by, (VtRect){ 0, 0, vt_store_width(store), vt_store_height(store) });
}

/* A rectangle of what `begin` or `guide` makes. */
static VitrailStatus
make_rect(VtStaging *staging, const VtStreamLocal *step, VtRect r, const VtImage *to)
{
  VtRun *run = staging->run;
  VtLocalTile t = { .tile = r,
                    .window = grown(staging->stream->marker, r, step->halo),
                    .out = { *to },
                    .backend = run->cpu,
                    .device = run->cpu_device };
  for (int k = 0; k < VT_LOCAL_IN && step->in[k]; k++) {
    if (is_read(staging, step, k)) {
      const VtRect around = staging->around;
      t.in[k] =
        vt_image_window(&staging->read, t.window.x - around.x, t.window.y - around.y, t.window.width, t.window.height);
      continue;
    }
    const VtType type = vt_store_type(step->in[k]);
    t.in[k] = (VtImage){ staging->inputs[k], t.window.width, t.window.height,
                         t.window.width * (int64_t)vt_type_size(type), type };
    TRY(note_store(staging, vt_store_get(step->in[k], t.window, &t.in[k])));
  }
  return step->body(run, &t, step->user);
}

/* Of rows of the window what lies in one of the nine tiles in and round the part's. */
static VtRect
rows_in(const VtStaging *staging, VtRect rows, int i, int j)
{
  const VtRect home = staging->home;
  const int64_t xs[] = { rows.x, home.x, home.x + home.width, rows.x + rows.width },
                ys[] = { rows.y, home.y, home.y + home.height, rows.y + rows.height };
  const int64_t x0 = xs[i] > rows.x ? xs[i] : rows.x, y0 = ys[j] > rows.y ? ys[j] : rows.y;
  const int64_t x1 = xs[i + 1] < xs[3] ? xs[i + 1] : xs[3], y1 = ys[j + 1] < ys[3] ? ys[j + 1] : ys[3];
  return (VtRect){ x0, y0, x1 - x0, y1 - y0 };
}

static VitrailStatus
begin_rows(VtStaging *staging, int64_t y, const VtImage *slab)
{
  const VtRect rows = { staging->window.x, staging->window.y + y, slab->width, slab->height };
  for (int k = 0; k < 9; k++) {
    const VtRect r = rows_in(staging, rows, k % 3, k / 3);
    if (r.width < 1 || r.height < 1)
      continue;
    const VtImage to = vt_image_window(slab, r.x - rows.x, r.y - rows.y, r.width, r.height);
    if (staging->is_seen[k / 3][k % 3])
      TRY(note_store(staging, vt_store_get(staging->stream->marker, r, &to)));
    else
      TRY(make_rect(staging, staging->stream->begin, r, &to));
  }
  return VITRAIL_OK;
}

static VitrailStatus
get_marker(void *user, int64_t y, const VtImage *slab)
{
  VtStaging *staging = user;
  const VitrailStatus status =
    staging->stream->begin ? begin_rows(staging, y, slab) : get_rows(staging, staging->stream->marker, y, slab);
  if (status == VITRAIL_OK)
    keep_halo(staging, y, slab);
  return status;
}

static VitrailStatus
get_mask(void *user, int64_t y, const VtImage *slab)
{
  VtStaging *staging = user;
  const VtStreamLocal *guide = staging->stream->guide;
  const VtRect rows = { staging->window.x, staging->window.y + y, slab->width, slab->height };
  return guide ? make_rect(staging, guide, rows, slab) : get_rows(staging, staging->stream->mask, y, slab);
}

/* The rows of the slab that are the part's own. */
static VitrailStatus
put_marker(void *user, int64_t y, const VtImage *slab)
{
  VtStaging *staging = user;
  const VtRect part = staging->part;
  const int64_t top = staging->has_halo[VT_ABOVE] && y == 0, y0 = staging->window.y + y + top;
  const int64_t end = staging->window.y + y + slab->height, last = part.y + part.height;
  const int64_t n = (end < last ? end : last) - y0;
  compare_halo(staging, y, slab);
  if (n < 1)
    return VITRAIL_OK;
  const VtImage inner = vt_image_window(slab, staging->has_halo[VT_LEFT], top, part.width, n);
  return note_store(staging, vt_store_put(staging->stream->marker, (VtRect){ part.x, y0, part.width, n }, &inner));
}

/* By this thread, a row of blocks after the other. */
static VitrailStatus
travel_here(VtStaging *staging, const VtImage *image, VtCopyBody body)
{
  for (int64_t y = 0, n; y < image->height; y += n) {
    n = GRAIN - (staging->window.y + y) % GRAIN;
    n = n < image->height - y ? n : image->height - y;
    const VtImage slab = vt_image_window(image, 0, y, image->width, n);
    TRY(vt_cancelled(&staging->run->cancel) ? VITRAIL_CANCELLED : body(staging, y, &slab));
  }
  return VITRAIL_OK;
}

static VitrailStatus
travel(VtStaging *staging, int k, bool up)
{
  const VtCopyBody body = !up ? put_marker : k == 0 ? get_marker : get_mask;
  if (!staging->on_device)
    return travel_here(staging, &staging->images[k], body);
  return vt_copy_streams_copy(staging->run, staging->streams, staging->which, staging->worker->device,
                              &staging->images[k], up, GRAIN, staging->window.y, body, staging);
}

/* What the mask and begin both look at. */
static VitrailStatus
read_mask(VtStaging *staging)
{
  const VtRect all = staging->around;
  for (int64_t y = 0, n; y < all.height; y += n) {
    n = GRAIN - (all.y + y) % GRAIN;
    n = n < all.height - y ? n : all.height - y;
    const VtImage slab = vt_image_window(&staging->read, 0, y, all.width, n);
    TRY(vt_cancelled(&staging->run->cancel) ? VITRAIL_CANCELLED : VITRAIL_OK);
    TRY(note_store(staging, vt_store_get(staging->stream->mask, (VtRect){ all.x, all.y + y, all.width, n }, &slab)));
  }
  return VITRAIL_OK;
}

/* --- work --- */

static VitrailStatus
run_kernel(VtStaging *staging)
{
  const VtStream *s = staging->stream;
  const VtBackend *backend = staging->worker->backend;
  const VtReconstruct args = { .marker = staging->images[0],
                               .mask = staging->images[1],
                               .connectivity = s->connectivity };
  if (s->kernel)
    return s->kernel(&staging->images[0], &staging->images[1], s->connectivity, &staging->run->cancel);
  const VtReconstructAlgorithm *algorithm = vt_choose_reconstruct(staging->run, backend, s->algorithm);
  return algorithm ? algorithm->run(staging->worker->device, &args, &staging->run->cancel) : VITRAIL_UNSUPPORTED;
}

/* Whether a tile of the window or round it has not been visited yet. */
static bool
begins(const VtStaging *staging)
{
  bool found = false;
  for (int k = 0; k < 9; k++)
    found = found || !staging->is_seen[k / 3][k % 3];
  return found;
}

static void
lay_out(VtStaging *staging, VtRect part)
{
  const VtStream *s = staging->stream;
  staging->part = part;
  staging->has_halo[VT_LEFT] = part.x > 0;
  staging->has_halo[VT_ABOVE] = part.y > 0;
  staging->has_halo[VT_RIGHT] = part.x + part.width < vt_store_width(s->marker);
  staging->has_halo[VT_BELOW] = part.y + part.height < vt_store_height(s->marker);
  staging->window = (VtRect){ part.x - staging->has_halo[VT_LEFT], part.y - staging->has_halo[VT_ABOVE],
                              part.width + staging->has_halo[VT_LEFT] + staging->has_halo[VT_RIGHT],
                              part.height + staging->has_halo[VT_ABOVE] + staging->has_halo[VT_BELOW] };
  const int64_t margin = staging->read.data && begins(staging) ? s->begin->halo : 0;
  const VtRect around = staging->around = grown(s->marker, staging->window, margin);
  for (int k = 0; k < 2; k++) {
    const int64_t stride = (int64_t)row_bytes(staging, k, around.width);
    staging->images[k] =
      (VtImage){ staging->images[k].data, staging->window.width, staging->window.height, stride, type_of(staging, k) };
  }
  if (staging->read.data) {
    staging->read =
      (VtImage){ staging->read.data, around.width, around.height, staging->images[1].stride, type_of(staging, 1) };
    staging->images[1] = vt_image_window(&staging->read, staging->window.x - around.x, staging->window.y - around.y,
                                         staging->window.width, staging->window.height);
  }
  const size_t across = (size_t)((part.width - 1) / staging->cell + 3),
               down = (size_t)((part.height - 1) / staging->cell + 1);
  memset(staging->rose[VT_ABOVE], 0, across);
  memset(staging->rose[VT_BELOW], 0, across);
  memset(staging->rose[VT_LEFT], 0, down);
  memset(staging->rose[VT_RIGHT], 0, down);
  atomic_store(&staging->store_failed, false);
}

VitrailStatus
vt_staging_work(VtStaging *staging, VtRect part)
{
  lay_out(staging, part);
  VitrailStatus status = staging->read.data ? read_mask(staging) : travel(staging, 1, true);
  THEN(status, travel(staging, 0, true));
  THEN(status, run_kernel(staging));
  return status == VITRAIL_OK ? travel(staging, 0, false) : status;
}
