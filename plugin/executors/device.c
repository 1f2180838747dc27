/* SPDX-License-Identifier: MIT
 *
 * Steps on a device whose memory holds all images from the first step to the last. Stages that are wanted are downloaded through pinned
 * memory. A failure of the device does not end the run: it is noted in `lost`. */
#include <stdlib.h>

#include "devices/copy-streams.h"
#include "drivers/propagate.h"
#include "executors/host.h"
#include "executors/objects.h"
#include "run/backends.h"
#include "run/grid.h"
#include "run/raster.h"

typedef struct {
  const VtBackend *backend;
  VtDevice *device;
  void *buffers[VT_MAX_RASTERS];
  uint32_t n_buffers;
  VtImage fetched[2]; /* downloaded images, in host memory; no data: not allocated yet */
  const void *fetched_from[2];
  int last; /* the index of the last fetched one */
} Resident;

static VitrailStatus
noted(VtExec *x, VitrailStatus status)
{
  if (status != VITRAIL_OK && status != VITRAIL_CANCELLED)
    x->lost = status;
  return status;
}

static VitrailStatus
begin(VtExec *x)
{
  Resident *r = calloc(1, sizeof *r);
  if (!r)
    return VITRAIL_OUT_OF_MEMORY;
  r->backend = x->run->backend;
  r->device = x->run->device;
  x->own = r;
  if (x->in_blocks)
    vt_record(x->run, "streamed", 1); /* so the host knows that parts will come */
  return VITRAIL_OK;
}

/* --- memory --- */

/* Pinned memory, or a raster of the run: if the backend has no pinned memory, or the image is so large that allocating it takes long. */
static VitrailStatus
host_alloc(VtExec *x, VtImage *image, VtType type)
{
  const Resident *r = x->own;
  const int64_t width = x->run->grid.width, height = x->run->grid.height, stride = width * (int64_t)vt_type_size(type);
  *image = (VtImage){ NULL, width, height, stride, type };
  if (!r->backend->alloc_host || vt_is_large(image))
    return vt_raster_alloc(x->run, image, type, width, height);
  return r->backend->alloc_host(r->device, (size_t)(height * stride), &image->data);
}

static void
host_free(VtExec *x, VtImage *image)
{
  const Resident *r = x->own;
  if (image->data && (!r->backend->alloc_host || vt_is_large(image)))
    vt_raster_recycle(x->run, image); /* a large one goes at once */
  else if (image->data)
    r->backend->free_host(r->device, image->data);
  *image = (VtImage){ 0 };
}

static int64_t
bytes_of(const VtImage *image)
{
  return image->data ? image->height * image->stride : 0;
}

static void
free_buffers(Resident *r)
{
  while (r->n_buffers > 0)
    r->backend->free(r->device, r->buffers[--r->n_buffers]);
}

void
vt_device_lose(VtExec *x, const char *what)
{
  vt_say_fallback(x->run, what, x->lost);
  free_buffers(x->own);
  x->run->backend = x->run->cpu;
  x->does = &vt_host_executor;
  x->lost = VITRAIL_OK;
}

static VitrailStatus
end(VtExec *x, VitrailStatus status)
{
  Resident *r = x->own;
  if (r) {
    free_buffers(r);
    if (x->in_blocks)
      vt_record(x->run, "memory-peak-bytes",
                (double)(bytes_of(&x->pixels) + bytes_of(&r->fetched[0]) + bytes_of(&r->fetched[1])));
    host_free(x, &x->pixels);
    host_free(x, &r->fetched[0]);
    host_free(x, &r->fetched[1]);
  }
  free(r);
  x->own = NULL;
  return status;
}

static VitrailStatus
transfer(VtExec *x, const VtImage *image, const VtImage *host, bool up)
{
  const Resident *r = x->own;
  if (vt_is_large(host))
    return vt_device_copy(x->run, image, host, up);
  return up ? r->backend->upload(r->device, image, host) : r->backend->download(r->device, host, image);
}

static VitrailStatus
alloc(VtExec *x, VtImage *image, VtType type)
{
  Resident *r = x->own;
  const int64_t width = x->run->grid.width, height = x->run->grid.height, stride = width * (int64_t)vt_type_size(type);
  if (r->n_buffers == VT_MAX_RASTERS)
    return vt_fail(x->run, VITRAIL_INTERNAL, TR("The run holds too many rasters."));
  *image = (VtImage){ NULL, width, height, stride, type };
  const VitrailStatus status = r->backend->alloc(r->device, (size_t)(height * stride), &image->data);
  if (status == VITRAIL_OK)
    r->buffers[r->n_buffers++] = image->data;
  return noted(x, status);
}

static void
free_image(VtExec *x, VtImage *image)
{
  Resident *r = x->own;
  for (uint32_t i = 0; i < r->n_buffers; i++) {
    if (r->buffers[i] != image->data)
      continue;
    r->backend->free(r->device, image->data);
    r->buffers[i] = r->buffers[--r->n_buffers];
    break;
  }
  for (int k = 0; k < 2; k++)
    if (r->fetched_from[k] == image->data)
      r->fetched_from[k] = NULL;
  *image = (VtImage){ 0 };
}

/* The host's copy stays until the end: reading is slow, and the host executor needs it if the device fails. */
static VitrailStatus
read(VtExec *x, const VitrailInput *input, VtImage *pixels)
{
  VtImage host;
  VitrailStatus status = noted(x, host_alloc(x, &host, input->type));
  if (status != VITRAIL_OK)
    return status;
  status = vt_read_input_into(x->run, input, vt_grid_rect(x->run), &host);
  if (status != VITRAIL_OK) {
    host_free(x, &host);
    return status;
  }
  x->pixels = host;
  status = alloc(x, pixels, input->type);
  return status == VITRAIL_OK ? noted(x, transfer(x, pixels, &host, true)) : status;
}

/* The index of the fetched copy of the image; if there is none, of the older copy. */
static int
find_fetched(const Resident *r, const VtImage *image)
{
  return r->fetched_from[r->last] == image->data ? r->last : !r->last;
}

static VitrailStatus
fetch(VtExec *x, const VtImage *image, VtImage *host)
{
  Resident *r = x->own;
  VitrailStatus status = VITRAIL_OK;
  const int k = find_fetched(r, image);
  r->last = k;
  *host = *image;
  if (!r->fetched[k].data) /* as large as any type needs */
    status = noted(x, host_alloc(x, &r->fetched[k], VITRAIL_F32));
  host->data = r->fetched[k].data;
  if (status != VITRAIL_OK || r->fetched_from[k] == image->data)
    return status;
  status = noted(x, transfer(x, image, host, false));
  r->fetched_from[k] = status == VITRAIL_OK ? image->data : NULL;
  return status;
}

/* Called before images on the device change. */
static Resident *
forget_fetched(VtExec *x)
{
  Resident *r = x->own;
  r->fetched_from[0] = r->fetched_from[1] = NULL;
  return r;
}

static VitrailStatus
copy(VtExec *x, const VtImage *from, const VtImage *to)
{
  VtImage host;
  TRY(fetch(x, from, &host));
  return noted(x, transfer(x, to, &host, true));
}

static VitrailStatus
cut(VtExec *x, const VtImage *image, VtRect rect, VtImage *part, void **owned)
{
  const Resident *r = x->own;
  VtImage host = *image;
  host.data = r->fetched[find_fetched(r, image)].data;
  return vt_host_cut(x, &host, rect, part, owned);
}

/* --- steps --- */

/* The whole image is one tile. */
static VitrailStatus
local(VtExec *x, const VtLocalStep *step)
{
  Resident *r = forget_fetched(x);
  const VtRect all = { 0, 0, x->run->grid.width, x->run->grid.height };
  VtLocalTile tile = { .tile = all, .window = all, .backend = r->backend, .device = r->device };
  for (int k = 0; k < VT_LOCAL_IN && step->in[k]; k++)
    tile.in[k] = *step->in[k];
  for (int k = 0; k < VT_LOCAL_OUT && step->out[k]; k++)
    tile.out[k] = *step->out[k];
  return noted(x, step->by_slots ? step->body(x->run, &tile, step->user) : VITRAIL_UNSUPPORTED);
}

/* LOWER_CLAMP with s = 0 copies. */
static VitrailStatus
border(VtExec *x, const VtImage *from, const VtImage *to)
{
  Resident *r = forget_fetched(x);
  const int64_t w = to->width, h = to->height;
  const VtRect borders[] = { { 0, 0, w, 1 }, { 0, h - 1, w, 1 }, { 0, 0, 1, h }, { w - 1, 0, 1, h } };
  for (size_t i = 0; i < VT_COUNT(borders); i++) {
    const VtRect b = borders[i];
    const VtImage a = vt_image_window(from, b.x, b.y, b.width, b.height);
    const VtImage dst = vt_image_window(to, b.x, b.y, b.width, b.height);
    const VtPointwise args = { VT_PW_LOWER_CLAMP, a, { 0 }, dst, 0 };
    TRY(noted(x, r->backend->pointwise(r->device, &args, &x->run->cancel)));
  }
  return VITRAIL_OK;
}

#define SLOT(name, type) \
  static VitrailStatus name(VtExec *x, const type *args) \
  { \
    Resident *r = forget_fetched(x); \
    return noted(x, r->backend->name ? r->backend->name(r->device, args, &x->run->cancel) : VITRAIL_UNSUPPORTED); \
  }
SLOT(regional, VtRegional)
SLOT(components, VtComponents)
SLOT(watershed, VtWatershed)
SLOT(relabel, VtRelabel)

static VitrailStatus
count(VtExec *x, const VtNumber *args)
{
  const Resident *r = x->own;
  return noted(x, r->backend->number(r->device, args, &x->run->cancel));
}

static VitrailStatus
reconstruct(VtExec *x, const VtImage *marker, const VtImage *mask, int32_t connectivity)
{
  Resident *r = forget_fetched(x);
  const VtReconstruct args = { .marker = *marker, .mask = *mask, .connectivity = connectivity };
  return noted(x, vt_find_reconstruct(r->backend, x->algorithm)->run(r->device, &args, &x->run->cancel));
}

static VitrailStatus
distance(VtExec *x, const char *algorithm, const VtDistance *args)
{
  forget_fetched(x);
  return noted(x, vt_distance_in_device_memory(x->run, algorithm, args));
}

static VitrailStatus
label_regions(VtExec *x, const VtImage *codes)
{
  Resident *r = forget_fetched(x);
  const VtRegionLabels args = { *codes, x->run->grid.x, x->run->grid.y };
  return noted(x, r->backend->region_labels ? r->backend->region_labels(r->device, &args, &x->run->cancel)
                                            : VITRAIL_UNSUPPORTED);
}

static VitrailStatus
overlaps(VtExec *x, const VtImage *labels, const VitrailInput *truth, VtOverlap **list, int64_t *n)
{
  const Resident *r = x->own;
  VtImage host;
  VtOverlaps args = { .a = *labels, .list = list, .n = n };
  VitrailStatus status = noted(x, host_alloc(x, &host, VITRAIL_I32));
  if (status != VITRAIL_OK)
    return status;
  status = vt_read_input_into(x->run, truth, vt_grid_rect(x->run), &host);
  THEN(status, alloc(x, &args.b, VITRAIL_I32));
  THEN(status, noted(x, transfer(x, &args.b, &host, true)));
  THEN(status, noted(x, r->backend->overlaps(r->device, &args, &x->run->cancel)));
  if (args.b.data)
    free_image(x, &args.b);
  host_free(x, &host);
  return status;
}

/* Entries that are missing here are of steps that run on no device (VtStep.not_on_device). */
const VtExecutor vt_device_executor = {
  .name = "device",
  .begin = begin,
  .end = end,
  .alloc = alloc,
  .free = free_image,
  .copy = copy,
  .read = read,
  .fetch = fetch,
  .cut = cut,
  .emit = vt_fetch_and_emit,
  .own_objects = vt_all_objects,
  .local = local,
  .bring = vt_bring_by_local,
  .border = border,
  .reconstruct = reconstruct,
  .distance = distance,
  .regional = regional,
  .components = components,
  .watershed = watershed,
  .count = count,
  .relabel = relabel,
  .objects = vt_objects_number,
  .overlaps = overlaps,
  .label_regions = label_regions,
};
