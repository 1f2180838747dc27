/* SPDX-License-Identifier: MIT
 *
 * A device backend that can be told to fail (words in the environment variable FAKE_GPU), to see that the CPU takes over:
 *  absent: there is no device; unopened: it can't be opened; memory: allocations fail; lost: reconstruction and rows of
 *  distances fail; missing: it has no such kernels after all; few: it has no others;
 *  later=N: reconstruction fails from the Nth on; two: there are two devices; many=N:K: there are N, they have distances in
 *  one go, and the one that gets the Kth call of all (from 0 since they were counted) fails from then on; roomy: it says that
 *  it has much memory (else none). Else it works.
 * FAKE_GPU_FAULT=N: its Nth call fails. What fails has scribbled over its output.
 *
 * Its memory is the host's under addresses at which there is nothing, so that only the device can reach it. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regions.h"
#include "vt-backend.h"

const VtBackend *vt_gpu_backend(void);

typedef struct {
  VtImage dst, src;
  bool up, waits;
} Queued;

struct VtDevice {
  VtDevice *cpu;
  const char *_Atomic error;
  int32_t index;
  Queued queued[VT_N_QUEUES];
  atomic_llong n_calls; /* its queues are several threads' */
  int64_t fault_at, n_blocks;
  atomic_bool is_gone; /* one of many */
};

/* "later=N": the device works for N kernels, then it is lost. */
static bool
lost_by_now(void)
{
  static atomic_int n_kernels;
  const char *mode = getenv("FAKE_GPU");
  if (!mode || strncmp(mode, "later=", 6) != 0) {
    atomic_store(&n_kernels, 0);
    return false;
  }
  return atomic_fetch_add(&n_kernels, 1) >= atoi(mode + 6);
}

enum { MAX_INDEX = 32, HEADER = 256 /* before a block: its size */ };
static atomic_llong memory_in_use[MAX_INDEX], memory_peak[MAX_INDEX];

static void
count_memory(const VtDevice *device, int64_t bytes)
{
  const long long now = atomic_fetch_add(&memory_in_use[device->index], bytes) + bytes;
  long long most = atomic_load(&memory_peak[device->index]);
  while (now > most && !atomic_compare_exchange_weak(&memory_peak[device->index], &most, now))
    ;
}

static bool
told(const char *what)
{
  const char *words = getenv("FAKE_GPU");
  return words && strstr(words, what);
}

static atomic_int n_calls_of_many;

/* True when it fails, now or before. */
static bool
is_gone(VtDevice *device)
{
  const char *nth = told("many=") ? strchr(getenv("FAKE_GPU"), ':') : NULL;
  if (nth && atomic_fetch_add(&n_calls_of_many, 1) == atoi(nth + 1))
    device->is_gone = true;
  return device->is_gone;
}

static const uintptr_t elsewhere = (uintptr_t)1 << 63;

static VtImage
here(VtImage image)
{
  if (image.data)
    image.data = (void *)((uintptr_t)image.data - elsewhere);
  return image;
}

static int32_t
fake_probe(char *reason, size_t reason_size)
{
  atomic_store(&n_calls_of_many, 0);
  if (told("many="))
    return atoi(getenv("FAKE_GPU") + strlen("many="));
  if (told("absent"))
    snprintf(reason, reason_size, "No device was found.");
  return told("absent") ? 0 : told("two") ? 2 : 1;
}

static VitrailStatus
fake_open(int32_t index, const VtParallel *parallel, VtDevice **device, char *reason, size_t reason_size)
{
  const char *fault = getenv("FAKE_GPU_FAULT");
  if (told("unopened")) {
    snprintf(reason, reason_size, "The driver is too old.");
    return VITRAIL_NO_DEVICE;
  }
  *device = calloc(1, sizeof **device);
  if (!*device)
    return VITRAIL_OUT_OF_MEMORY;
  (*device)->error = "";
  (*device)->index = index;
  (*device)->fault_at = fault ? atoll(fault) : 0;
  return vt_cpu_backend()->open(0, NULL, &(*device)->cpu, reason, reason_size);
}

static void
fake_close(VtDevice *device)
{
  if (device->n_blocks != 0)
    abort(); /* memory was not given back */
  vt_cpu_backend()->close(device->cpu);
  free(device);
}

static const char *
fake_name(VtDevice *device)
{
  return device ? "a pretended device" : NULL;
}

static const char *
fake_error(VtDevice *device)
{
  return device->error;
}

static VitrailStatus
fail(VtDevice *device, VitrailStatus status, const char *sentence)
{
  device->error = sentence;
  return status;
}

/* A call begins: it fails if it is told to. */
static VitrailStatus
call(VtDevice *device)
{
  const bool fails = is_gone(device) || device->n_calls + 1 == device->fault_at;
  device->n_calls++;
  return fails ? fail(device, VITRAIL_INTERNAL, "The device was lost.") : VITRAIL_OK;
}

/* After the call: what it leaves in its output. */
static VitrailStatus
outcome(VtDevice *device, VitrailStatus status, const VtImage *output)
{
  if (!is_gone(device) && device->n_calls != device->fault_at && status == VITRAIL_OK)
    return VITRAIL_OK;
  for (int64_t y = 0; y < output->height; y++)
    memset(vt_image_at(output, 0, y), 0xA5, (size_t)output->width * vt_type_size(output->type));
  return status == VITRAIL_OK ? fail(device, VITRAIL_INTERNAL, "The device was lost.") : status;
}

static VitrailStatus
fake_alloc(VtDevice *device, size_t bytes, void **data)
{
  *data = NULL;
  if (told("memory"))
    return fail(device, VITRAIL_OUT_OF_MEMORY, "The device is out of memory.");
  VitrailStatus status = call(device);
  if (status == VITRAIL_OK)
    status = vt_cpu_backend()->alloc(device->cpu, bytes + HEADER, data);
  if (status == VITRAIL_OK) {
    *(size_t *)*data = bytes;
    *data = (void *)((uintptr_t)*data + HEADER + elsewhere);
    device->n_blocks++;
    count_memory(device, (int64_t)bytes);
  }
  return status;
}

static void
fake_free(VtDevice *device, void *data)
{
  if (!data)
    return;
  size_t *block = (size_t *)((uintptr_t)data - elsewhere - HEADER);
  device->n_blocks--;
  count_memory(device, -(int64_t)*block);
  vt_cpu_backend()->free(device->cpu, block);
}

static VitrailStatus
fake_alloc_host(VtDevice *device, size_t bytes, void **data)
{
  *data = NULL;
  VitrailStatus status = call(device);
  if (status == VITRAIL_OK)
    status = vt_cpu_backend()->alloc(device->cpu, bytes, data);
  device->n_blocks += status == VITRAIL_OK;
  return status;
}

static void
fake_free_host(VtDevice *device, void *data)
{
  device->n_blocks -= data != NULL;
  vt_cpu_backend()->free(device->cpu, data);
}

static VitrailStatus
fake_upload(VtDevice *device, const VtImage *dst, const VtImage *src)
{
  const VtImage to = here(*dst);
  device->n_calls++;
  return outcome(device, vt_cpu_backend()->upload(device->cpu, &to, src), &to);
}

static VitrailStatus
fake_download(VtDevice *device, const VtImage *dst, const VtImage *src)
{
  const VtImage from = here(*src);
  device->n_calls++;
  return outcome(device, vt_cpu_backend()->download(device->cpu, dst, &from), dst);
}

static VitrailStatus
fake_wait(VtDevice *device, uint32_t queue)
{
  Queued *queued = &device->queued[queue];
  const VtImage dst = queued->up ? here(queued->dst) : queued->dst, src = queued->up ? queued->src : here(queued->src);
  const VitrailStatus before = call(device);
  const bool waited = queued->waits;
  queued->waits = false; /* after a failure nothing travels any more, and the memory may be freed */
  if (!waited || before != VITRAIL_OK)
    return before;
  return outcome(device, vt_cpu_backend()->upload(device->cpu, &dst, &src), &dst);
}

/* Copies happen at once, or, on queues of odd numbers, not before somebody waits for them. */
static VitrailStatus
fake_begin(VtDevice *device, uint32_t queue, const VtImage *dst, const VtImage *src, bool up)
{
  if (queue >= VT_N_QUEUES)
    return VITRAIL_BAD_ARGUMENT;
  const VitrailStatus before = call(device);
  if (before != VITRAIL_OK)
    return before;
  device->queued[queue] = (Queued){ *dst, *src, up, true };
  return queue % 2 ? VITRAIL_OK : fake_wait(device, queue);
}

static VitrailStatus
fake_begin_upload(VtDevice *device, uint32_t queue, const VtImage *dst, const VtImage *src)
{
  return fake_begin(device, queue, dst, src, true);
}

static VitrailStatus
fake_begin_download(VtDevice *device, uint32_t queue, const VtImage *dst, const VtImage *src)
{
  return fake_begin(device, queue, dst, src, false);
}

static uint64_t
fake_take_peak(int32_t index)
{
  return (uint64_t)atomic_exchange(&memory_peak[index], atomic_load(&memory_in_use[index]));
}

static uint64_t
fake_spare_memory(VtDevice *device)
{
  return told("roomy") ? UINT64_C(1) << 40 : 0;
}

/* What it is told to fail at: a kernel that it says to have, and one that ends the device. */
enum { MAY_BE_MISSING = 1, MAY_BE_LOST = 2 };

static bool
is_missing(int may)
{
  return may & MAY_BE_MISSING && told("missing");
}

static VitrailStatus
lose(VtDevice *device, VitrailStatus status, int may)
{
  return may & MAY_BE_LOST && told("lost") ? fail(device, VITRAIL_INTERNAL, "The device was lost.") : status;
}

static void
move_here(VtImage *const *images, int n)
{
  for (int k = 0; k < n; k++)
    *images[k] = here(*images[k]);
}

/* A slot that does what the CPU's `call` does, on the images of `local` that are named. */
#define SLOT(name, type, call, may, output, ...) \
  static VitrailStatus fake_##name(VtDevice *device, const type *args, const VtCancel *cancel) \
  { \
    type local = *args; \
    VtImage *const images[] = { __VA_ARGS__ }; \
    move_here(images, sizeof images / sizeof *images); \
    device->n_calls++; \
    if (is_missing(may)) \
      return VITRAIL_UNSUPPORTED; \
    return outcome(device, lose(device, vt_cpu_backend()->call(device->cpu, &local, cancel), may), output); \
  }
#define IMAGE(field) &local.field
SLOT(columns, VtEdt, edt_columns, MAY_BE_MISSING, IMAGE(dst), IMAGE(src), IMAGE(dst))
SLOT(rows, VtEdt, edt_rows, MAY_BE_MISSING | MAY_BE_LOST, IMAGE(dst), IMAGE(src), IMAGE(dst))
SLOT(lut3, VtLut3, lut3, 0, IMAGE(dst), IMAGE(src), IMAGE(dst))
SLOT(normalize, VtNormalize, normalize, 0, IMAGE(dst), IMAGE(src), IMAGE(dst))
SLOT(erode_disc, VtErodeDisc, erode_disc, 0, IMAGE(dst), IMAGE(src), IMAGE(dst))
SLOT(smooth, VtSmooth, smooth, 0, IMAGE(dst), IMAGE(src), IMAGE(dst))
SLOT(pointwise, VtPointwise, pointwise, 0, IMAGE(dst), IMAGE(a), IMAGE(b), IMAGE(dst))
SLOT(components, VtComponents, components, 0, IMAGE(dst), IMAGE(src), IMAGE(dst))
SLOT(watershed, VtWatershed, watershed, 0, IMAGE(labels), IMAGE(level), IMAGE(seeds), IMAGE(mask), IMAGE(labels))
SLOT(regional, VtRegional, regional, 0, IMAGE(dst), IMAGE(src), IMAGE(inside), IMAGE(dst))
SLOT(geodesic, VtGeodesic, geodesic, 0, IMAGE(zones), IMAGE(seeds), IMAGE(mask), IMAGE(steps), IMAGE(zones))
SLOT(relabel, VtRelabel, relabel, 0, IMAGE(labels), IMAGE(labels))
SLOT(regions, VtRegions, regions, MAY_BE_MISSING, IMAGE(code), IMAGE(red), IMAGE(green), IMAGE(blue), IMAGE(code),
     IMAGE(score))

static VitrailStatus
fake_reconstruct(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  VtReconstruct local = *args;
  local.marker = here(args->marker);
  local.mask = here(args->mask);
  device->n_calls++;
  if (told("missing"))
    return VITRAIL_UNSUPPORTED;
  VitrailStatus status = vt_cpu_backend()->reconstruct->run(device->cpu, &local, cancel);
  if (told("lost") || lost_by_now())
    status = fail(device, VITRAIL_INTERNAL, "The device was lost.");
  return outcome(device, status, &local.marker);
}

static VitrailStatus
fake_distance(VtDevice *device, const VtDistance *args, const VtCancel *cancel)
{
  VtDistance local = *args;
  local.src = here(args->src);
  local.squared = here(args->squared);
  local.root = here(args->root);
  local.nearest = here(args->nearest);
  local.above = here(args->above);
  local.below = here(args->below);
  if (!told("many="))
    return VITRAIL_UNSUPPORTED;
  device->n_calls++;
  return outcome(device, vt_cpu_backend()->distance->run(device->cpu, &local, cancel),
                 local.root.data      ? &local.root
                 : local.squared.data ? &local.squared
                                      : &local.nearest);
}

static VitrailStatus
fake_number(VtDevice *device, const VtNumber *args, const VtCancel *cancel)
{
  const VtNumber local = { here(args->labels), here(args->a), here(args->b), args->stats, args->n_objects };
  const VitrailStatus before = call(device);
  if (before != VITRAIL_OK)
    return before;
  return outcome(device, vt_cpu_backend()->number(device->cpu, &local, cancel), &local.labels);
}

static VitrailStatus
fake_overlaps(VtDevice *device, const VtOverlaps *args, const VtCancel *cancel)
{
  const VtOverlaps local = { here(args->a), here(args->b), args->list, args->n };
  const VitrailStatus before = call(device);
  return before == VITRAIL_OK ? vt_cpu_backend()->overlaps(device->cpu, &local, cancel) : before;
}

static VitrailStatus
fake_windows(VtDevice *device, const VtGlrlmWindows *args, const VtCancel *cancel)
{
  VtGlrlmWindows local = *args;
  const VtImage map = here(args->dst[0]);
  local.src = here(args->src);
  local.dst = &map;
  device->n_calls++;
  if (told("missing"))
    return VITRAIL_UNSUPPORTED;
  return outcome(device, vt_cpu_backend()->glrlm_windows->run(device->cpu, &local, cancel), &map);
}

static VitrailStatus
fake_glrlm_rois(VtDevice *device, const VtGlrlmRois *args, const VtCancel *cancel)
{
  VtGlrlmRois local = *args;
  const VtImage values = { args->values, args->n_rois, 1, args->n_rois * 8, VT_I64 };
  local.levels = here(args->levels);
  local.masks = here(args->masks);
  const VitrailStatus before = call(device);
  if (before != VITRAIL_OK)
    return before;
  return outcome(device, vt_cpu_backend()->glrlm_rois(device->cpu, &local, cancel), &values);
}

/* The CPU has no such slot: its driver does that on all threads. */
static VitrailStatus
fake_region_labels(VtDevice *device, const VtRegionLabels *args, const VtCancel *cancel)
{
  const VtImage codes = here(args->codes);
  const VtGrid grid = { .x = args->grid_x, .y = args->grid_y, .width = codes.width, .height = codes.height };
  device->n_calls++;
  for (int64_t y = 0; y < codes.height; y++) {
    int32_t *row = vt_image_at(&codes, 0, y);
    for (int64_t x = 0; x < codes.width; x++)
      row[x] = vt_is_region_code(row[x]) ? (int32_t)vt_region_first(&grid, row[x], x, y) + 1 : row[x];
  }
  return outcome(device, VITRAIL_OK, &codes);
}

const VtBackend *
vt_gpu_backend(void)
{
  static const VtReconstructAlgorithm algorithms[] = { { "tile", "Pretended", fake_reconstruct }, { 0 } };
  static const VtDistanceAlgorithm distances[] = { { "exact", "Pretended", fake_distance }, { 0 } };
  static const VtGlrlmAlgorithm windows[] = { { "fast", "Pretended", fake_windows }, { 0 } };
  static VtBackend backend = {
    .id = "cuda",
    .title = "the pretended device",
    .max_concurrency = 1,
    .probe = fake_probe,
    .open = fake_open,
    .close = fake_close,
    .device_name = fake_name,
    .last_error = fake_error,
    .alloc = fake_alloc,
    .free = fake_free,
    .alloc_host = fake_alloc_host,
    .free_host = fake_free_host,
    .upload = fake_upload,
    .download = fake_download,
    .reconstruct = algorithms,
    .edt_columns = fake_columns,
    .edt_rows = fake_rows,
    .distance = distances,
    .lut3 = fake_lut3,
    .normalize = fake_normalize,
    .erode_disc = fake_erode_disc,
    .smooth = fake_smooth,
    .pointwise = fake_pointwise,
    .components = fake_components,
    .watershed = fake_watershed,
    .regional = fake_regional,
    .geodesic = fake_geodesic,
    .number = fake_number,
    .relabel = fake_relabel,
    .overlaps = fake_overlaps,
    .begin_upload = fake_begin_upload,
    .begin_download = fake_begin_download,
    .wait = fake_wait,
    .take_memory_peak = fake_take_peak,
    .spare_memory = fake_spare_memory,
    .glrlm_windows = windows,
    .glrlm_rois = fake_glrlm_rois,
    .windows_at_once = 5000,
    .regions = fake_regions,
    .region_labels = fake_region_labels,
  };
  if (told("few") != !backend.lut3) /* several threads may come here; only a change writes */
    backend.lut3 = backend.lut3 ? NULL : fake_lut3;
  return &backend;
}
