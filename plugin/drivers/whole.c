/* SPDX-License-Identifier: MIT
 *
 * The whole driver: slots that work on rasters of unbounded reach in one call, on the run's device where it has the slot and
 * the memory, else with all the host's threads. The bytes are the same. */
#include "drivers/whole.h"
#include "devices/copy-streams.h"
#include "run/backends.h"

enum { MAX_PARTS = 5, KERNEL_BYTES_PER_PX = 32 /* that a kernel may take for itself */ };

/* An image of a slot's arguments, as the caller gave it, to be put into the device's memory. No data: not wanted. */
typedef struct {
  VtImage *image, host;
  bool is_output;
} Part;

typedef struct {
  VtRun *run;
  Part parts[MAX_PARTS];
  int n;
} Parts;

static void
add(Parts *parts, VtImage *image, bool is_output)
{
  parts->parts[parts->n++] = (Part){ image, *image, is_output };
}

static bool
is_in_budget(const Parts *parts)
{
  const uint64_t budget = parts->run->request->device_budget;
  double need = 0;
  for (int k = 0; k < parts->n; k++) {
    const VtImage *host = &parts->parts[k].host;
    const double bytes = (double)vt_type_size(host->type) + (k == 0 ? KERNEL_BYTES_PER_PX : 0);
    need += host->data ? bytes * (double)host->width * (double)host->height : 0;
  }
  return budget == 0 || need <= (double)budget;
}

/* The arguments' images become ones in device memory, inputs with their pixels. */
static VitrailStatus
bring(Parts *parts)
{
  const VtBackend *backend = parts->run->backend;
  VtDevice *device = parts->run->device;
  for (int k = 0; k < parts->n; k++)
    parts->parts[k].image->data = NULL;
  for (int k = 0; k < parts->n; k++) {
    const Part *part = &parts->parts[k];
    if (!part->host.data)
      continue;
    part->image->stride = part->host.width * (int64_t)vt_type_size(part->host.type);
    TRY(backend->alloc(device, (size_t)(part->image->stride * part->host.height), &part->image->data));
    if (!part->is_output)
      TRY(vt_device_copy(parts->run, part->image, &part->host, true));
  }
  return VITRAIL_OK;
}

static VitrailStatus
take(Parts *parts, VitrailStatus status)
{
  const VtBackend *backend = parts->run->backend;
  VtDevice *device = parts->run->device;
  for (int k = 0; k < parts->n; k++) {
    const Part *part = &parts->parts[k];
    if (status == VITRAIL_OK && part->host.data && part->is_output)
      status = vt_device_copy(parts->run, part->image, &part->host, false);
    backend->free(device, part->image->data);
  }
  return status;
}

/* A slot on whole images; the parts are those of `there`, a copy of its arguments. */
#define WHOLE(slot, type, what, adds) \
  VitrailStatus vt_whole_##slot(VtRun *run, const type *args) \
  { \
    type there = *args; \
    Parts parts = { .run = run }; \
    adds; \
    if (run->backend != run->cpu && is_in_budget(&parts)) { \
      VitrailStatus status = run->backend->slot ? bring(&parts) : VITRAIL_UNSUPPORTED; \
      THEN(status, run->backend->slot(run->device, &there, &run->cancel)); \
      if (run->backend->slot) \
        status = take(&parts, status); \
      if (status == VITRAIL_OK || status == VITRAIL_CANCELLED || status == VITRAIL_BAD_ARGUMENT) \
        return status; \
      vt_say_fallback(run, what, status); \
    } \
    return run->cpu->slot(run->cpu_team, args, &run->cancel); \
  }
#define IN(name) add(&parts, &there.name, false)
#define OUT(name) add(&parts, &there.name, true)

WHOLE(regional, VtRegional, "The search for extrema", (IN(src), IN(inside), OUT(dst)))
WHOLE(components, VtComponents, "The search for connected pieces", (IN(src), OUT(dst)))
WHOLE(watershed, VtWatershed, "The watershed", (IN(level), IN(seeds), IN(mask), OUT(labels)))
WHOLE(geodesic, VtGeodesic, "The geodesic distance", (IN(seeds), IN(mask), OUT(steps), OUT(zones)))

VitrailStatus
vt_whole_local(VtRun *run, const VtImage *const in[VT_LOCAL_IN], const VtImage *const out[VT_LOCAL_OUT],
               const char *what, VtLocalBody body, void *user)
{
  const VtRect all = { 0, 0, out[0]->width, out[0]->height };
  VtLocalTile tile = { .tile = all, .window = all, .backend = run->backend, .device = run->device };
  Parts parts = { .run = run };
  for (int k = 0; k < VT_LOCAL_IN && in[k]; k++) {
    tile.in[k] = *in[k];
    add(&parts, &tile.in[k], false);
  }
  for (int k = 0; k < VT_LOCAL_OUT && out[k]; k++) {
    tile.out[k] = *out[k];
    add(&parts, &tile.out[k], true);
  }
  if (!is_in_budget(&parts))
    return VITRAIL_UNSUPPORTED;
  VitrailStatus status = bring(&parts);
  THEN(status, body(run, &tile, user));
  status = take(&parts, status);
  if (status != VITRAIL_OK && status != VITRAIL_CANCELLED && status != VITRAIL_UNSUPPORTED)
    vt_say_fallback(run, what, status);
  return status;
}

/* Rows [y, y + rows) of the maps, of which `dst` becomes the view. */
static VtGlrlmWindows
band_of(const VtGlrlmWindows *args, int64_t y, int64_t rows, VtImage *dst)
{
  VtGlrlmWindows band = *args;
  const int64_t first = args->y0 + y * args->step, last = first + (rows - 1) * args->step;
  const int64_t top = first > args->half ? first - args->half : 0;
  const int64_t end = last + args->half + 1 < args->src.height ? last + args->half + 1 : args->src.height;
  *dst = vt_image_window(args->dst, 0, y, args->dst->width, rows);
  band.src = vt_image_window(&args->src, 0, top, args->src.width, end - top);
  band.y0 = first - top;
  band.dst = dst;
  return band;
}

/* One map; all images are in the device's memory. */
static VitrailStatus
make_bands(VtRun *run, const VtGlrlmAlgorithm *algorithm, const VtGlrlmWindows *args)
{
  const int64_t most = run->backend->windows_at_once, in_row = args->src.width * args->step;
  int64_t rows = most && most / in_row < args->dst->height ? most / in_row : args->dst->height;
  rows = rows ? rows : 1;
  for (int64_t y = 0; y < args->dst->height; y += rows) {
    VtImage dst;
    const int64_t left = args->dst->height - y;
    const VtGlrlmWindows band = band_of(args, y, rows < left ? rows : left, &dst);
    TRY(algorithm->run(run->device, &band, &run->cancel));
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_whole_windows(VtRun *run, const VtGlrlmAlgorithm *algorithm, const VtGlrlmWindows *args)
{
  VtGlrlmWindows there = *args;
  VtImage map = *args->dst;
  Parts parts = { .run = run };
  there.dst = &map;
  add(&parts, &there.src, false);
  add(&parts, &map, true);
  if (!is_in_budget(&parts))
    return VITRAIL_UNSUPPORTED;
  VitrailStatus status = bring(&parts);
  THEN(status, make_bands(run, algorithm, &there));
  status = take(&parts, status);
  if (status == VITRAIL_OK || status == VITRAIL_CANCELLED || status == VITRAIL_BAD_ARGUMENT
      || status == VITRAIL_UNSUPPORTED) /* entropies of too many windows need the host's logarithm */
    return status;
  vt_say_fallback(run, "The texture map", status);
  return VITRAIL_UNSUPPORTED;
}
