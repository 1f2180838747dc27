/* SPDX-License-Identifier: MIT
 *
 * cases-runs.c: the table of what stands above the slots: drivers, several devices, images that stream through one, and whole
 * runs of ops through the plugin, RGB in host memory in, layers and objects in host memory out. */
#include "bench.h"

#include "devices/several.h"
#include "devices/workers.h"
#include "drivers/propagate.h"
#include "scale/propagate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PINNED_BYTES = 1 << 28 };

static const char *
one_variant(const Bench *bench, int i)
{
  return i == 0 ? "" : NULL;
}

/* The marker is worked on in place: each run has it from the image after the mask, and gives back its answer there. */
static void
refill_marker(Bench *bench)
{
  memcpy(bench->images[0].data, bench->images[2].data, bench_image_bytes(&bench->images[0]));
}

/* --- the driver on rasters in memory: what an op calls --- */

static VitrailStatus
run_driver(Bench *bench, const VtCancel *cancel)
{
  VtRun run = bench_driver_run(bench, cancel);
  refill_marker(bench);
  const double before = vt_now_ms();
  const VitrailStatus status = vt_reconstruct(&run, &bench->images[0], &bench->images[1], 8, "auto");
  bench->own_ms = vt_now_ms() - before;
  return status;
}

/* --- resident images on several devices --- */

static const int64_t depths[] = { 0, 128, 64, 1 }; /* rows shared with a neighbour; 0: as usual */

/* One device; then two, four ... with each number of shared rows; then the rows of the busiest of them by itself, which is the
 * best that they could do. */
static bool
find_arrangement(const Bench *bench, int i, int32_t *n_devices, int64_t *depth, bool *is_part)
{
  const VtBackendState *state = &bench->session->backends[bench->session->n_backends - 1];
  *n_devices = 1;
  *depth = 0;
  *is_part = false;
  for (int32_t n = 1; n <= state->n_devices; n *= 2) {
    const int each = n == 1 ? 1 : (int)VT_COUNT(depths) + 1;
    if (i < each) {
      *n_devices = n;
      *is_part = i == (int)VT_COUNT(depths);
      *depth = *is_part ? 0 : depths[i];
      return true;
    }
    i -= each;
  }
  return false;
}

static const char *
devices_variant(const Bench *bench, int i)
{
  static char text[64];
  int32_t n;
  int64_t depth;
  bool is_part;
  if (!find_arrangement(bench, i, &n, &depth, &is_part))
    return NULL;
  if (is_part)
    snprintf(text, sizeof text, "the rows of one of %d", (int)n);
  else if (depth > 0)
    snprintf(text, sizeof text, "%d devices, %lld rows shared", (int)n, (long long)depth);
  else
    snprintf(text, sizeof text, "%d device%s", (int)n, n > 1 ? "s" : "");
  return text;
}

/* What is timed is all that happens between upload and download. */
static VitrailStatus
run_resident(Bench *bench, const VtImage images[2], int32_t n_devices, int64_t depth, const VtCancel *cancel)
{
  const bool is_distance = bench->images[1].type == VITRAIL_F32;
  VtRun run = bench_driver_run(bench, cancel);
  VtResident *r;
  VitrailStatus status = vt_resident_new(&run, &(VtResidentPlan){ n_devices, depth, 0 }, &r);
  if (status != VITRAIL_OK)
    return status;
  for (int k = 0; k < 2 && status == VITRAIL_OK; k++) { /* the first one warms up what the stripes need */
    if (!is_distance)
      refill_marker(bench);
    status = is_distance ? vt_resident_take_distance(r, &images[0], &images[1], 1)
                         : vt_resident_take_reconstruct(r, &images[0], &images[1], 8, "auto");
    if (status == VITRAIL_OK)
      status = vt_resident_run(r);
  }
  const VtResidentCounts counts = vt_resident_counts(r);
  bench->own_ms = counts.ms[1];
  snprintf(bench->note, sizeof bench->note, "upload %.0f, download %.0f ms; %lld rounds, %lld rows again%s",
           counts.ms[0], counts.ms[2], (long long)counts.rounds, (long long)counts.rows_again,
           is_distance && !counts.is_near ? ", carried" : "");
  vt_resident_free(r);
  return status;
}

static VitrailStatus
run_devices(Bench *bench, const VtCancel *cancel)
{
  int32_t n;
  int64_t depth;
  bool is_part;
  find_arrangement(bench, bench->variant, &n, &depth, &is_part);
  const int64_t shared = depth > 0 ? depth : 256, own = bench->height / n + (n > 2 ? 2 : 1) * shared;
  const int64_t rows = is_part && own < bench->height ? own : bench->height;
  const VtImage images[2] = { vt_image_window(&bench->images[0], 0, 0, bench->width, rows),
                              vt_image_window(&bench->images[1], 0, 0, bench->width, rows) };
  return run_resident(bench, images, is_part ? 1 : n, depth, cancel);
}

/* Of the rows of one device by itself nothing is compared. */
static uint64_t
devices_answer(Bench *bench)
{
  const VtImage *image = &bench->images[bench->at->answer];
  int32_t n;
  int64_t depth;
  bool is_part;
  static uint64_t last;
  find_arrangement(bench, bench->variant, &n, &depth, &is_part);
  return is_part ? last : (last = bench_hash(1, image->data, bench_image_bytes(image)));
}

/* --- from host memory to host memory through one device --- */

static const char *
through_variant(const Bench *bench, int i)
{
  static const char *const names[] = { "in one piece",           "copies alone: both images in, one out",
                                       "the same from pinned",   "streamed, the device alone",
                                       "streamed, with the CPU", NULL };
  return names[i];
}

/* ms that pinned memory would take for both images in and one out, from copies of 256 MiB. */
static VitrailStatus
time_pinned(Bench *bench, double bytes)
{
  const VtBackend *backend = bench->backend;
  VtImage host = { NULL, PINNED_BYTES, 1, PINNED_BYTES, VITRAIL_U8 }, device = host;
  double best[2] = { 1e9, 1e9 };
  if (!backend->alloc_host || backend->alloc_host(bench->device, PINNED_BYTES, &host.data) != VITRAIL_OK)
    return VITRAIL_UNSUPPORTED;
  VitrailStatus status = backend->alloc(bench->device, PINNED_BYTES, &device.data);
  memset(host.data, 1, PINNED_BYTES);
  for (int k = 0; k < 6 && status == VITRAIL_OK; k++) {
    const double start = vt_now_ms();
    status = k % 2 ? backend->download(bench->device, &host, &device) : backend->upload(bench->device, &device, &host);
    const double ms = vt_now_ms() - start;
    best[k % 2] = ms < best[k % 2] ? ms : best[k % 2];
  }
  backend->free(bench->device, device.data);
  backend->free_host(bench->device, host.data);
  bench->own_ms = bytes / PINNED_BYTES * (2 * best[0] + best[1]);
  return status;
}

static VitrailStatus
run_streamed(Bench *bench, bool with_cpu, const VtCancel *cancel)
{
  VtRun run = bench_driver_run(bench, cancel);
  VtStorePool *pool = vt_store_pool_new(0, NULL, false);
  const VtRect all = { 0, 0, bench->width, bench->height };
  VtTileMemories memories;
  VtStream stream = { .own = all, .connectivity = 8, .algorithm = "auto", .memories = &memories };
  VtWorkers workers;
  vt_tile_memories_init(&memories);
  VitrailStatus status = vt_store_new(pool, "mask", VITRAIL_U8, all.width, all.height, &stream.mask);
  if (status == VITRAIL_OK)
    status = vt_store_new(pool, "marker", VITRAIL_U8, all.width, all.height, &stream.marker);
  if (status == VITRAIL_OK)
    status = vt_store_put(stream.mask, all, &bench->images[1]);
  if (status == VITRAIL_OK)
    status = vt_store_put(stream.marker, all, &bench->images[2]);
  if (status == VITRAIL_OK)
    status = vt_workers_open(&run, &workers);
  if (status == VITRAIL_OK) {
    const uint32_t n = workers.n;
    workers.n = with_cpu ? n : workers.n_devices;
    const double start = vt_now_ms();
    status = vt_stream_reconstruct(&run, &workers, &stream);
    bench->own_ms = vt_now_ms() - start;
    workers.n = n;
    vt_workers_close(&workers);
  }
  if (status == VITRAIL_OK)
    status = vt_store_get(stream.marker, all, &bench->images[0]);
  vt_store_free(stream.mask);
  vt_store_free(stream.marker);
  vt_tile_memories_clear(&run, &memories);
  vt_store_pool_free(pool);
  return status;
}

static VitrailStatus
run_through(Bench *bench, const VtCancel *cancel)
{
  static double copies_ms; /* of the run in one piece, which is the first variant */
  if (bench->variant == 1) {
    bench->own_ms = copies_ms;
    return VITRAIL_OK;
  }
  if (bench->variant == 2)
    return time_pinned(bench, (double)bench_image_bytes(&bench->images[0]));
  if (bench->variant > 2)
    return run_streamed(bench, bench->variant == 4, cancel);
  const VitrailStatus status = run_resident(bench, bench->images, 1, 0, cancel);
  float up = 0, down = 0;
  sscanf(bench->note, "upload %f, download %f", &up, &down);
  copies_ms = (double)(up + down);
  bench->own_ms += copies_ms;
  return status;
}

/* --- the table --- */

#define MARKER_AND_MASK \
  { BENCH_OUT, VITRAIL_U8 }, { BENCH_MASK, VITRAIL_U8 }, \
  { \
    BENCH_H_MAX, VITRAIL_U8 \
  }
#define OP(name_, what_, op_, kind_, type_, stages_, copies_, memory_, against_, ...) \
  { \
    .name = "run-" name_, .what = what_, .images = { { kind_, type_ } }, .sizes = { __VA_ARGS__ }, \
    .against = against_, .on_host = true, .op = op_, .stages = stages_, .copies = copies_, .memory = memory_, \
    .variant = one_variant, .run = bench_run_op, .answer_of = bench_op_answer \
  }
#define NUCLEI(name_, what_, stages_, copies_) \
  OP("nuclei-threshold-" name_, "nuclei: " what_, "nuclei-threshold", BENCH_TISSUE, VITRAIL_RGBA8, stages_, copies_, \
     0, NULL, "1920x1080", "1920x1080,8192")
#define OTHER(op_) \
  OP(op_, "all stages", op_, BENCH_COLOUR, VITRAIL_RGBA8, ~UINT64_C(0), false, 0, NULL, "1920x1080", "1920x1080")

const BenchCase bench_run_cases[] = {
  { .name = "driver-reconstruct",
    .what = "the driver on images in memory, u8, h-max",
    .images = { MARKER_AND_MASK },
    .sizes = { "8192", NULL },
    .bytes = 3,
    .against = "reconstruct-8-h-max",
    .on_host = true,
    .variant = one_variant,
    .run = run_driver },
  OP("reconstruct", "reconstruct of u8, reading and emitting included", "reconstruct", BENCH_MASK, VITRAIL_U8, 1, true,
     0, NULL, "8192", "8192"),
  OP("reconstruct-streamed", "the same under a budget of 4 bytes a pixel", "reconstruct", BENCH_MASK, VITRAIL_U8, 1,
     true, 4, "run-reconstruct", "8192", "8192"),
  NUCLEI("labels", "labels", 1 << 7, false),
  NUCLEI("layers", "all layers", 0xff, false),
  NUCLEI("layers-copied", "all layers, copied by the host", 0xff, true),
  NUCLEI("objects", "objects with outlines", 1 << 8, false),
  NUCLEI("all", "all layers, copied by the host, and objects", 0x1ff, true),
  OP("nuclei", "labels", "nuclei", BENCH_TISSUE, VITRAIL_RGBA8, 1 << 1, false, 0, NULL, "1920x1080", "1920x1080"),
  OP("glrlm-map", "a map, copied by the host", "glrlm-map", BENCH_TISSUE, VITRAIL_RGBA8, 1, true, 0, NULL, "1920x1080",
     "1920x1080"),
  OTHER("distance"),
  OTHER("morphology"),
  OTHER("zones"),
  OTHER("watershed"),
  { .name = "devices-reconstruct",
    .what = "u8, h-max, between upload and download, on 1, 2, 4 ... devices",
    .images = { MARKER_AND_MASK },
    .sizes = { NULL, "32768" },
    .on_host = true,
    .variant = devices_variant,
    .run = run_devices,
    .answer_of = devices_answer },
  { .name = "devices-distance",
    .what = "exact, f32, between upload and download, on 1, 2, 4 ... devices",
    .images = { { BENCH_FOREGROUND, VITRAIL_U8 }, { BENCH_OUT, VITRAIL_F32 } },
    .answer = 1,
    .sizes = { NULL, "32768" },
    .on_host = true,
    .variant = devices_variant,
    .run = run_devices,
    .answer_of = devices_answer },
  { .name = "through-reconstruct",
    .what = "u8, h-max, from host memory through one device to host memory",
    .images = { MARKER_AND_MASK },
    .sizes = { NULL, "98304" },
    .on_host = true,
    .variant = through_variant,
    .run = run_through },
  { 0 },
};
