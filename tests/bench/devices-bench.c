/* SPDX-License-Identifier: MIT
 *
 * devices-bench.c: one image on several devices, and an image that streams through one. Prints Markdown: reconstruction
 * (u8, 8-connected, h-max) and exact distances (f32) of resident images on 1, 2, ... devices; then reconstruction from host
 * memory to host memory on one device, in one piece and streamed, with and without the CPU, beside the time that copying
 * the images alone takes. The images repeat a block of the bench image. Usage: devices-bench [RESIDENT [STREAMED [BLOCK]]],
 * the sides of the images and of the block. Exit status 1 when two ways disagree, 77 when there is no device. */
#include "../support/bench-image.h"
#include "devices/several.h"
#include "scale/propagate.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEED = 1, MAX_THREADS = 32, RUNS = 5, PINNED_BYTES = 1 << 28, DEPTH = 256 };

const VitrailPlugin *vitrail_plugin_entry(uint32_t host_major, uint32_t host_minor);

typedef struct {
  VitrailSession *session;
  VitrailRequest request;
  VtRun run;
  int64_t block;
  uint8_t *pixels; /* the block */
  int n_wrong;
} Bench;

/* --- a host: threads that stand by, as the viewer's do --- */

typedef struct Loop {
  void (*job)(void *, uint32_t);
  void *user;
  uint32_t n;
  atomic_uint next;
  uint32_t n_inside; /* helpers; guarded by the lock */
  struct Loop *other;
} Loop;

static uint32_t n_threads;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the loops */
static pthread_cond_t begun = PTHREAD_COND_INITIALIZER, left = PTHREAD_COND_INITIALIZER;
static Loop *loops;

static void
take_part(Loop *loop)
{
  for (uint32_t i; (i = atomic_fetch_add(&loop->next, 1)) < loop->n;)
    loop->job(loop->user, i);
}

static void *
helper(void *data)
{
  (void)data;
  pthread_mutex_lock(&lock);
  for (;;) {
    Loop *loop = loops;
    while (loop && atomic_load(&loop->next) >= loop->n)
      loop = loop->other;
    if (!loop) {
      pthread_cond_wait(&begun, &lock);
      continue;
    }
    loop->n_inside++;
    pthread_mutex_unlock(&lock);
    take_part(loop);
    pthread_mutex_lock(&lock);
    loop->n_inside--;
    pthread_cond_broadcast(&left);
  }
  return NULL;
}

static void
parallel_for(void *user, uint32_t n, void (*job)(void *job_user, uint32_t index), void *job_user)
{
  Loop loop = { .job = job, .user = job_user, .n = n };
  pthread_mutex_lock(&lock);
  loop.other = loops;
  loops = &loop;
  for (uint32_t i = 1; i < n && i < n_threads; i++)
    pthread_cond_signal(&begun);
  pthread_mutex_unlock(&lock);
  take_part(&loop);
  pthread_mutex_lock(&lock);
  Loop **at = &loops;
  while (*at != &loop)
    at = &(*at)->other;
  *at = loop.other;
  while (loop.n_inside > 0)
    pthread_cond_wait(&left, &lock);
  pthread_mutex_unlock(&lock);
}

static bool
start_helpers(void)
{
  pthread_t thread;
  for (uint32_t i = 1; i < n_threads; i++)
    if (pthread_create(&thread, NULL, helper, NULL) != 0 || pthread_detach(thread) != 0)
      return false;
  return true;
}

static void
say(void *user, VitrailLogLevel level, const char *sentence)
{
  printf("<!-- %s -->\n", sentence);
}

static void
fact(void *user, const char *key, const char *text, double number)
{
  printf("<!-- %s %.0f -->\n", key, number);
}

/* --- images: rows by threads --- */

typedef enum { MASK, MARKER, FOREGROUND } Kind;

static uint8_t
value_of(Kind kind, uint8_t mask)
{
  return kind == MASK ? mask : kind == MARKER ? vt_bench_hmax(mask) : mask > 128;
}

typedef struct {
  const Bench *bench;
  VtImage image;
  Kind kind;
  uint64_t *sums;
  VtStore *store;
} Fill;

static void
make_block_row(void *user, uint32_t y)
{
  const Bench *bench = user;
  for (int64_t x = 0; x < bench->block; x++)
    bench->pixels[(int64_t)y * bench->block + x] = vt_bench_mask((uint32_t)x, y, SEED);
}

static void
fill_row(void *user, uint32_t y)
{
  const Fill *fill = user;
  const int64_t block = fill->bench->block, width = fill->image.width;
  const uint8_t *from = fill->bench->pixels + y % block * block;
  uint8_t *row = vt_image_at(&fill->image, 0, y);
  for (int64_t x = 0; x < block && x < width; x++)
    row[x] = value_of(fill->kind, from[x]);
  for (int64_t x = block; x < width; x += block)
    memcpy(row + x, row, (size_t)(width - x < block ? width - x : block));
}

static void
fill(const Bench *bench, const VtImage *image, Kind kind)
{
  Fill job = { .bench = bench, .image = *image, .kind = kind };
  parallel_for(NULL, (uint32_t)image->height, fill_row, &job);
}

static void
sum_row(void *user, uint32_t y)
{
  const Fill *job = user;
  const uint32_t *words = vt_image_at(&job->image, 0, y);
  uint64_t sum = 0;
  for (int64_t x = 0; x < job->image.stride / 4; x++)
    sum = (sum ^ words[x]) * 0x9E3779B97F4A7C15u;
  job->sums[y] = sum;
}

static uint64_t
sum_of(const VtImage *image)
{
  Fill job = { .image = *image, .sums = malloc((size_t)image->height * sizeof(uint64_t)) };
  uint64_t sum = 0;
  parallel_for(NULL, (uint32_t)image->height, sum_row, &job);
  for (int64_t y = 0; y < image->height; y++)
    sum = (sum ^ job.sums[y]) * 0x9E3779B97F4A7C15u;
  free(job.sums);
  return sum;
}

static bool
image_new(VtImage *image, VtType type, int64_t size)
{
  const int64_t stride = size * (int64_t)vt_type_size(type);
  *image = (VtImage){ malloc((size_t)(stride * size)), size, size, stride, type };
  return image->data != NULL;
}

/* --- resident images --- */

typedef struct {
  double upload, work, download;
  VtResidentCounts counts;
  VitrailStatus status;
  uint64_t sum;
} Timing;

static int
compare_doubles(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* images: marker and mask, or foreground and distances. The first of n_runs + 1 warms up. */
static Timing
time_resident(Bench *bench, const VtImage images[2], bool is_distance, int32_t n_devices, int64_t depth, int n_runs)
{
  Timing t = { 0 };
  double work[RUNS + 1];
  VtResident *r;
  t.status = vt_resident_new(&bench->run, &(VtResidentPlan){ n_devices, depth, 0 }, &r);
  for (int run = 0; run <= n_runs && t.status == VITRAIL_OK; run++) {
    if (is_distance)
      t.status = vt_resident_take_distance(r, &images[0], &images[1], 1);
    else
      t.status = vt_resident_take_reconstruct(r, &images[0], &images[1], 8, "auto");
    if (t.status == VITRAIL_OK)
      t.status = vt_resident_run(r);
    t.counts = vt_resident_counts(r);
    t.upload = t.counts.ms[0];
    work[run] = t.counts.ms[1];
    t.download = t.counts.ms[2];
    if (run < n_runs && !is_distance) /* the marker was worked on */
      fill(bench, &images[0], MARKER);
  }
  vt_resident_free(r);
  qsort(work + (n_runs > 0), (size_t)(n_runs > 0 ? n_runs : 1), sizeof *work, compare_doubles);
  t.work = n_runs > 0 ? work[1 + n_runs / 2] : work[0];
  t.sum = t.status == VITRAIL_OK ? sum_of(&images[is_distance ? 1 : 0]) : 0;
  return t;
}

static void
resident_rows(Bench *bench, const VtImage images[2], bool is_distance, int32_t n_devices)
{
  static const int64_t depths[] = { DEPTH, 128, 64, 1 };
  Timing one = { 0 };
  for (int32_t n = 1; n <= n_devices; n *= 2)
    for (size_t k = 0; k < VT_COUNT(depths) && (n > 1 || k == 0); k++) {
      if (!is_distance)
        fill(bench, &images[0], MARKER);
      const Timing t = time_resident(bench, images, is_distance, n, depths[k], RUNS);
      if (n == 1)
        one = t;
      const bool fine = t.status == VITRAIL_OK && t.sum == one.sum;
      bench->n_wrong += !fine;
      printf("| %s | %lld² | %d | %lld | %.0f | **%.3f** | %.0f | %.2fx | %.2fx | %lld | %lld | %s |\n",
             is_distance ? "EDT f32" : "reconstruction h-max", (long long)images[0].width, n, (long long)depths[k],
             t.upload, t.work, t.download, one.work / t.work,
             (one.upload + one.work + one.download) / (t.upload + t.work + t.download), (long long)t.counts.rounds,
             (long long)t.counts.rows_again,
             !fine                              ? "WRONG"
             : is_distance && !t.counts.is_near ? "carried"
                                                : "same");
      fflush(stdout);
    }
}

/* What the busiest of n_devices has to do, by itself: the prediction for them. */
static void
part_row(Bench *bench, const VtImage images[2], bool is_distance, int32_t n_devices)
{
  const int64_t size = images[0].width, rows = size / n_devices + (n_devices > 2 ? 2 : 1) * DEPTH;
  const int64_t n = rows < size ? rows : size;
  const VtImage part[2] = { vt_image_window(&images[0], 0, 0, size, n), vt_image_window(&images[1], 0, 0, size, n) };
  if (!is_distance)
    fill(bench, &part[0], MARKER);
  const Timing t = time_resident(bench, part, is_distance, 1, DEPTH, RUNS);
  bench->n_wrong += t.status != VITRAIL_OK;
  printf("| %s, the rows of one of %d | %lldx%lld | 1 | | %.0f | %.3f | %.0f | | | | | |\n",
         is_distance ? "EDT f32" : "reconstruct h-max", (int)n_devices, (long long)size, (long long)n, t.upload, t.work,
         t.download);
}

static void
part_rows(Bench *bench, const VtImage images[2], bool is_distance, int32_t n_devices)
{
  for (int32_t n = 2; n <= n_devices; n *= 2)
    part_row(bench, images, is_distance, n);
}

static void
bench_resident(Bench *bench, int64_t size, int32_t n_devices)
{
  VtImage marker, mask, distances;
  if (!image_new(&marker, VITRAIL_U8, size) || !image_new(&mask, VITRAIL_U8, size)
      || !image_new(&distances, VITRAIL_F32, size))
    exit(1);
  printf("| work | image | devices | rows shared | upload ms | resident ms | download ms | ratio resident | ratio with "
         "copies | rounds | rows worked again | bytes |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  fill(bench, &mask, MASK);
  resident_rows(bench, (VtImage[2]){ marker, mask }, false, n_devices);
  part_rows(bench, (VtImage[2]){ marker, mask }, false, n_devices);
  fill(bench, &mask, FOREGROUND);
  memset(distances.data, 0, (size_t)(distances.stride * size)); /* so that no page is new when it is timed */
  resident_rows(bench, (VtImage[2]){ mask, distances }, true, n_devices);
  part_rows(bench, (VtImage[2]){ mask, distances }, true, n_devices);
  free(marker.data);
  free(mask.data);
  free(distances.data);
}

/* --- from host memory to host memory --- */

static void
put_block(void *user, uint32_t index)
{
  const Fill *job = user;
  const int64_t n = (vt_store_width(job->store) - 1) / job->bench->block + 1, block = job->bench->block;
  VtRect r = { index % n * block, index / n * block, block, block };
  r.width = r.width < vt_store_width(job->store) - r.x ? r.width : vt_store_width(job->store) - r.x;
  r.height = r.height < vt_store_height(job->store) - r.y ? r.height : vt_store_height(job->store) - r.y;
  vt_store_put(job->store, r, &(VtImage){ job->image.data, r.width, r.height, block, VITRAIL_U8 });
}

static void
fill_store(const Bench *bench, VtStore *store, Kind kind)
{
  Fill job = { .bench = bench, .kind = kind, .store = store };
  const int64_t n = (vt_store_width(store) - 1) / bench->block + 1;
  if (!image_new(&job.image, VITRAIL_U8, bench->block))
    exit(1);
  fill(bench, &job.image, kind);
  parallel_for(NULL, (uint32_t)(n * n), put_block, &job);
  free(job.image.data);
}

static uint64_t
sum_of_store(VtStore *store)
{
  VtImage image;
  if (!image_new(&image, VITRAIL_U8, vt_store_width(store)))
    exit(1);
  const VitrailStatus status = vt_store_get(store, (VtRect){ 0, 0, image.width, image.height }, &image);
  const uint64_t sum = status == VITRAIL_OK ? sum_of(&image) : 0;
  free(image.data);
  return sum;
}

static void
bench_streamed(Bench *bench, int64_t size, double copy_ms, uint64_t expected, bool with_cpu)
{
  VtStorePool *pool = vt_store_pool_new(0, NULL, false);
  VtStream stream = { .own = { 0, 0, size, size }, .connectivity = 8, .algorithm = "auto" };
  VtWorkers workers;
  if (vt_store_new(pool, "mask", VITRAIL_U8, size, size, &stream.mask) != VITRAIL_OK
      || vt_store_new(pool, "marker", VITRAIL_U8, size, size, &stream.marker) != VITRAIL_OK
      || vt_workers_open(&bench->run, &workers) != VITRAIL_OK)
    exit(1);
  fill_store(bench, stream.mask, MASK);
  fill_store(bench, stream.marker, MARKER);
  const uint32_t n = workers.n;
  if (!with_cpu)
    workers.n = workers.n_devices;
  const double start = vt_now_ms();
  const VitrailStatus status = vt_stream_reconstruct(&bench->run, &workers, &stream);
  const double ms = vt_now_ms() - start;
  workers.n = n;
  vt_workers_close(&workers);
  const bool fine = status == VITRAIL_OK && (!expected || sum_of_store(stream.marker) == expected);
  bench->n_wrong += !fine;
  printf("| streamed by tiles, %s | %lld² | %.2f | %.2f | %s |\n",
         with_cpu ? "one device and the CPU" : "one device alone", (long long)size, ms / 1e3,
         copy_ms > 0 ? ms / copy_ms : 0, fine ? "same" : "WRONG");
  fflush(stdout);
  vt_store_free(stream.mask);
  vt_store_free(stream.marker);
  vt_store_pool_free(pool);
}

/* What pinned memory would take for both images in and one out; 0: not known. */
static double
pinned_ms(Bench *bench, int64_t bytes)
{
  const VtBackend *backend = bench->run.backend;
  VtImage host = { NULL, PINNED_BYTES, 1, PINNED_BYTES, VITRAIL_U8 }, device = host;
  double best[2] = { 1e9, 1e9 };
  if (!backend->alloc_host || backend->alloc_host(bench->run.device, PINNED_BYTES, &host.data) != VITRAIL_OK)
    return 0;
  if (backend->alloc(bench->run.device, PINNED_BYTES, &device.data) != VITRAIL_OK)
    exit(1);
  memset(host.data, 1, PINNED_BYTES);
  for (int run = 0; run < 6; run++) {
    const double start = vt_now_ms();
    if (run % 2)
      backend->download(bench->run.device, &host, &device);
    else
      backend->upload(bench->run.device, &device, &host);
    const double ms = vt_now_ms() - start;
    best[run % 2] = ms < best[run % 2] ? ms : best[run % 2];
  }
  backend->free(bench->run.device, device.data);
  backend->free_host(bench->run.device, host.data);
  printf("<!-- pinned: %.1f GB/s to the device, %.1f back -->\n", PINNED_BYTES / best[0] / 1e6,
         PINNED_BYTES / best[1] / 1e6);
  return (double)bytes / PINNED_BYTES * (2 * best[0] + best[1]);
}

static void
bench_through(Bench *bench, int64_t size)
{
  VtImage marker, mask;
  if (!image_new(&marker, VITRAIL_U8, size) || !image_new(&mask, VITRAIL_U8, size))
    exit(1);
  printf("\n| reconstruction h-max, host memory to host memory | image | s | over the copies | bytes "
         "|\n|---|---|---|---|---|\n");
  fill(bench, &mask, MASK);
  fill(bench, &marker, MARKER);
  const Timing t = time_resident(bench, (VtImage[2]){ marker, mask }, false, 1, 1, 0);
  const double copies = t.upload + t.download, pinned = pinned_ms(bench, size * size);
  printf("| copies alone: both images in, one out | %lld² | %.2f | 1.00 | |\n", (long long)size, copies / 1e3);
  printf("| the same from pinned memory | %lld² | %.2f | %.2f | |\n", (long long)size, pinned / 1e3, pinned / copies);
  printf("| in one piece, one device (%.0f ms of work) | %lld² | %.2f | %.2f | %s |\n", t.work, (long long)size,
         (copies + t.work) / 1e3, (copies + t.work) / copies, t.status == VITRAIL_OK ? "same" : "WRONG");
  fflush(stdout);
  bench->n_wrong += t.status != VITRAIL_OK;
  free(marker.data);
  free(mask.data);
  bench_streamed(bench, size, copies, t.sum, false);
  bench_streamed(bench, size, copies, t.sum, true);
}

int
main(int argc, char **argv)
{
  const int64_t resident = argc > 1 ? atoll(argv[1]) : 32768, streamed = argc > 2 ? atoll(argv[2]) : 98304;
  const VitrailPlugin *plugin = vitrail_plugin_entry(VITRAIL_ABI_MAJOR, VITRAIL_ABI_MINOR);
  const long n_cores = sysconf(_SC_NPROCESSORS_ONLN);
  Bench bench = { .request = { .size = sizeof bench.request }, .block = argc > 3 ? atoll(argv[3]) : 8192 };
  n_threads = n_cores < MAX_THREADS ? (uint32_t)n_cores : MAX_THREADS;
  bench.pixels = malloc((size_t)(bench.block * bench.block));
  if (!start_helpers() || !bench.pixels || plugin->session_open(&bench.session) != VITRAIL_OK)
    return 1;
  VtBackendState *chosen = &bench.session->backends[1], *cpu = &bench.session->backends[0];
  if (!chosen->device) {
    printf("%s\n", chosen->reason);
    return 77;
  }
  bench.run = (VtRun){ .session = bench.session, .request = &bench.request, .cpu = cpu->backend };
  bench.run.cpu_device = cpu->device;
  bench.run.backend = chosen->backend;
  bench.run.device = chosen->device;
  bench.run.host = (VitrailHost){ .n_threads = n_threads, .parallel_for = parallel_for, .log = say, .record = fact };
  parallel_for(NULL, (uint32_t)bench.block, make_block_row, &bench);
  printf("%d x %s, %u threads\n\n", chosen->n_devices, chosen->info.device, n_threads);
  fflush(stdout);
  bench_resident(&bench, resident, chosen->n_devices);
  chosen->n_devices = 1;
  if (streamed > 0)
    bench_through(&bench, streamed);
  plugin->session_close(bench.session);
  free(bench.pixels);
  return bench.n_wrong > 0;
}
