/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "devices/copy-streams.h"
#include "run/raster.h"

enum {
  MAX_THREADS = 32,
  ALIGN = 256,
  SLAB_BYTES = 4 << 20,
  SMALL_SLAB_BYTES = 1 << 20,
  SLABS_PER_THREAD = 4 /* fewer are not worth one */
};
enum { PLAIN_BYTES = 8 << 20 /* at once, without streams */, LARGE_BYTES = 64 << 20, WORTH_BYTES = 16 << 20 };

typedef struct {
  VtRun *run;
  const VtCopyStreams *streams;
  VtDevice *device;
  VtImage image;
  bool up;
  VtCopyBody body;
  void *user;
  char *memory;      /* the slabs of this user's streams */
  int64_t slab_rows; /* of this copy */
  int64_t shift;     /* rows that the first slab has fewer than the others */
  size_t slab_bytes; /* from slab to slab */
  atomic_llong next;
  atomic_int status;
} Copy;

void
vt_copy_streams_clear(VtCopyStreams *streams)
{
  if (streams->memory)
    streams->backend->free_host(streams->keeper, streams->memory);
  *streams = (VtCopyStreams){ 0 };
}

void
vt_copy_streams_prepare(VtRun *run, VtCopyStreams *streams, VtDevice *keeper, uint32_t n_users, size_t slab_bytes,
                        size_t row_bytes)
{
  const VtBackend *backend = run->backend;
  const uint32_t n_threads = run->host.n_threads < MAX_THREADS ? run->host.n_threads : MAX_THREADS;
  uint32_t n_each = n_users > 0 ? n_threads / n_users : 0;
  n_each = n_each < 1 ? 1 : n_each < VT_MAX_COPY_STREAMS ? n_each : VT_MAX_COPY_STREAMS;
  slab_bytes = ((slab_bytes > row_bytes ? slab_bytes : row_bytes) + ALIGN - 1) & ~(size_t)(ALIGN - 1);
  const size_t bytes = slab_bytes * VT_SLABS_PER_STREAM * n_each * n_users;
  void *memory = NULL;
  if (streams->memory && streams->n_users == n_users && streams->slab_bytes >= slab_bytes)
    return;
  vt_copy_streams_clear(streams);
  if (!keeper || n_users < 1 || !backend->begin_upload || !backend->alloc_host
      || backend->alloc_host(keeper, bytes, &memory) != VITRAIL_OK)
    return;
  *streams = (VtCopyStreams){ keeper, backend, memory, bytes, slab_bytes, n_users, n_each };
}

static VtImage
slab_at(const Copy *copy, char *memory, int64_t y)
{
  const int64_t left = copy->image.height - y, whole = copy->slab_rows - (y + copy->shift) % copy->slab_rows;
  const int64_t n = left < whole ? left : whole;
  const int64_t stride = copy->image.width * (int64_t)vt_type_size(copy->image.type);
  return (VtImage){ memory, copy->image.width, n, stride, copy->image.type };
}

/* The first row of the next slab; -1: there is none, or the copy has failed or is cancelled. */
static int64_t
next_slab(Copy *copy)
{
  int expected = VITRAIL_OK;
  if (vt_cancelled(&copy->run->cancel))
    atomic_compare_exchange_strong(&copy->status, &expected, VITRAIL_CANCELLED);
  if (atomic_load(&copy->status) != VITRAIL_OK)
    return -1;
  const int64_t y = (int64_t)atomic_fetch_add(&copy->next, 1) * copy->slab_rows - copy->shift;
  return y >= copy->image.height ? -1 : y > 0 ? y : 0;
}

/* Waits for slab y. A downloaded slab is handed to the body; after an upload the slab's memory is free again. */
static VitrailStatus
finish_slab(const Copy *copy, uint32_t queue, char *memory, int64_t y)
{
  const VitrailStatus status = copy->streams->backend->wait(copy->device, queue);
  if (status != VITRAIL_OK || copy->up || y < 0)
    return status;
  const VtImage slab = slab_at(copy, memory, y);
  return copy->body(copy->user, y, &slab);
}

static VitrailStatus
begin_slab(const Copy *copy, uint32_t queue, char *memory, int64_t y)
{
  const VtBackend *backend = copy->streams->backend;
  const VtImage slab = slab_at(copy, memory, y);
  const VtImage device = vt_image_window(&copy->image, 0, y, slab.width, slab.height);
  if (!copy->up)
    return backend->begin_download(copy->device, queue, &slab, &device);
  const VitrailStatus status = copy->body(copy->user, y, &slab);
  return status == VITRAIL_OK ? backend->begin_upload(copy->device, queue, &device, &slab) : status;
}

static void
run_stream(void *user, uint32_t index)
{
  Copy *copy = user;
  int64_t pending[VT_SLABS_PER_STREAM] = { -1, -1 }, y;
  int expected = VITRAIL_OK, k = 0;
  VitrailStatus status = VITRAIL_OK;
  const uint32_t queue = 1 + index * VT_SLABS_PER_STREAM;
  char *memory = copy->memory + index * VT_SLABS_PER_STREAM * copy->slab_bytes;
  for (; status == VITRAIL_OK && (y = next_slab(copy)) >= 0; k = !k) {
    char *at = memory + (size_t)k * copy->slab_bytes;
    status = finish_slab(copy, queue + (uint32_t)k, at, pending[k]);
    pending[k] = y;
    THEN(status, begin_slab(copy, queue + (uint32_t)k, at, y));
    if (status != VITRAIL_OK)
      pending[k] = -1; /* nothing came, or not all */
  }
  for (int i = 0; i < VT_SLABS_PER_STREAM;
       i++, k = !k) { /* also after a failure: no copy may be under way at the end */
    const int64_t last = status == VITRAIL_OK ? pending[k] : -1;
    const VitrailStatus ended = finish_slab(copy, queue + (uint32_t)k, memory + (size_t)k * copy->slab_bytes, last);
    status = status == VITRAIL_OK ? ended : status;
  }
  if (status != VITRAIL_OK)
    atomic_compare_exchange_strong(&copy->status, &expected, status);
}

/* One slab after the other, with upload() or download(), which every backend has. */
static VitrailStatus
copy_plainly(Copy *copy, const VtBackend *backend)
{
  const size_t row = (size_t)copy->image.width * vt_type_size(copy->image.type);
  copy->slab_rows = row < SLAB_BYTES ? SLAB_BYTES / (int64_t)row : 1;
  char *memory = malloc((size_t)copy->slab_rows * row);
  VitrailStatus status = memory ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  for (int64_t y; status == VITRAIL_OK && (y = next_slab(copy)) >= 0;) {
    const VtImage slab = slab_at(copy, memory, y);
    const VtImage device = vt_image_window(&copy->image, 0, y, slab.width, slab.height);
    if (copy->up)
      status = copy->body(copy->user, y, &slab);
    if (status == VITRAIL_OK)
      status =
        copy->up ? backend->upload(copy->device, &device, &slab) : backend->download(copy->device, &slab, &device);
    if (status == VITRAIL_OK && !copy->up)
      status = copy->body(copy->user, y, &slab);
  }
  free(memory);
  return status != VITRAIL_OK ? status : atomic_load(&copy->status);
}

VitrailStatus
vt_copy_streams_copy(VtRun *run, const VtCopyStreams *streams, uint32_t which, VtDevice *device, const VtImage *image,
                     bool up, int64_t grain, int64_t phase, VtCopyBody body, void *user)
{
  Copy copy = {
    .run = run, .streams = streams, .device = device, .image = *image, .up = up, .body = body, .user = user
  };
  atomic_init(&copy.next, 0);
  atomic_init(&copy.status, VITRAIL_OK);
  if (!streams->memory)
    return copy_plainly(&copy, run->backend);
  const size_t row = (size_t)image->width * vt_type_size(image->type);
  copy.slab_bytes = streams->slab_bytes;
  copy.slab_rows = (int64_t)(streams->slab_bytes / row);
  copy.memory = streams->memory + which * streams->n_each * VT_SLABS_PER_STREAM * streams->slab_bytes;
  if (grain > 0 && copy.slab_rows >= grain) {
    copy.slab_rows -= copy.slab_rows % grain;
    copy.shift = phase % copy.slab_rows;
  }
  const int64_t n_slabs = (image->height + copy.shift - 1) / copy.slab_rows + 1,
                wanted = (n_slabs - 1) / SLABS_PER_THREAD + 1;
  const uint32_t n = wanted < streams->n_each ? (uint32_t)wanted : streams->n_each;
  const VitrailStatus ready = streams->backend->wait(device, 0);
  if (ready != VITRAIL_OK)
    return ready;
  if (n == 1)
    run_stream(&copy, 0);
  else
    run->host.parallel_for(run->host.user, n, run_stream, &copy);
  return atomic_load(&copy.status);
}

/* --- between images --- */

static void
copy_rows(const VtImage *to, const VtImage *from)
{
  const size_t row = (size_t)to->width * vt_type_size(to->type);
  if (to->stride == from->stride && (size_t)to->stride == row)
    memcpy(to->data, from->data, row * (size_t)to->height);
  else
    for (int64_t y = 0; y < to->height; y++)
      memcpy(vt_image_at(to, 0, y), vt_image_at(from, 0, y), row);
}

static VitrailStatus
fill_slab(void *user, int64_t y, const VtImage *slab)
{
  const VtImage from = vt_rows_of(user, y, slab->height);
  copy_rows(slab, &from);
  return VITRAIL_OK;
}

static VitrailStatus
take_slab(void *user, int64_t y, const VtImage *slab)
{
  const VtImage to = vt_rows_of(user, y, slab->height);
  copy_rows(&to, slab);
  return VITRAIL_OK;
}

VitrailStatus
vt_copy_streams_copy_image(VtRun *run, const VtCopyStreams *streams, uint32_t which, const VtBackend *backend,
                           VtDevice *device, const VtImage *image, const VtImage *host, bool up)
{
  VtImage copy = *host;
  if (streams->memory && streams->backend == backend)
    return vt_copy_streams_copy(run, streams, which, device, image, up, 0, 0, up ? fill_slab : take_slab, &copy);
  const int64_t row = host->width * (int64_t)vt_type_size(host->type), most = row < PLAIN_BYTES ? PLAIN_BYTES / row : 1;
  for (int64_t y = 0; y < host->height; y += most) {
    const int64_t n = host->height - y < most ? host->height - y : most;
    const VtImage here = vt_rows_of(host, y, n), there = vt_rows_of(image, y, n);
    if (vt_cancelled(&run->cancel))
      return VITRAIL_CANCELLED;
    TRY(up ? backend->upload(device, &there, &here) : backend->download(device, &here, &there));
  }
  return VITRAIL_OK;
}

static int64_t
bytes_of(const VtImage *image)
{
  return image->height * image->width * (int64_t)vt_type_size(image->type);
}

bool
vt_is_large(const VtImage *image)
{
  return bytes_of(image) > LARGE_BYTES;
}

/* Downloads to memory of its own first, because a failed download may leave any bytes. */
static VitrailStatus
download_all(VtRun *run, const VtImage *image, const VtImage *host)
{
  VtImage copy;
  vt_image_new(&copy, host->type, host->width, host->height);
  if (!copy.data)
    return VITRAIL_OUT_OF_MEMORY;
  const VitrailStatus status = run->backend->download(run->device, &copy, image);
  for (int64_t y = 0; status == VITRAIL_OK && y < host->height; y++)
    memcpy(vt_image_at(host, 0, y), vt_image_at(&copy, 0, y), (size_t)copy.stride);
  free(copy.data);
  return status;
}

VitrailStatus
vt_device_copy(VtRun *run, const VtImage *image, const VtImage *host, bool up)
{
  VtCopyStreams streams = { 0 };
  if (!up && bytes_of(host) < WORTH_BYTES)
    return download_all(run, image, host);
  if (bytes_of(host) >= WORTH_BYTES)
    vt_copy_streams_prepare(run, &streams, run->device, 1, SMALL_SLAB_BYTES,
                            (size_t)host->width * vt_type_size(host->type));
  const VitrailStatus status = vt_copy_streams_copy_image(run, &streams, 0, run->backend, run->device, image, host, up);
  vt_copy_streams_clear(&streams);
  return status;
}
