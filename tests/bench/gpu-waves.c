/* SPDX-License-Identifier: MIT
 *
 * gpu-waves.c: the wavefronts of the papers on the benchmark image: times, and how often pixels were raised.
 * Usage: gpu-waves SIZE [SCANS ROUNDS]... ; -1 scans: none, 0: as usual. Exit status 77 when there is no device. */
#include "../support/bench-image.h"
#include "gpu.h"

#include <cuda_runtime_api.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N_RUNS = 5, SEED = 1 };

typedef VitrailStatus (*Run)(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel,
                             const VtGpuWaveOptions *options, VtGpuWaveCounts *counts);
static const struct {
  const char *name;
  Run run;
  VtGpuQueueKind queue;
} systems[] = {
  { "fh", vt_gpu_reconstruct_fh_with, VT_GPU_QUEUE_THREAD },
  { "fh-naive", vt_gpu_reconstruct_fh_with, VT_GPU_QUEUE_NAIVE },
  { "fh-prefix", vt_gpu_reconstruct_fh_with, VT_GPU_QUEUE_PREFIX_SUM },
  { "heap", vt_gpu_reconstruct_heap_with, VT_GPU_QUEUE_THREAD },
};
enum { N_SYSTEMS = sizeof systems / sizeof *systems };

typedef struct Images {
  VtDevice *device;
  VtImage host[3], mask, start[2], marker; /* host: mask, h-max, sparse */
} Images;

static double
now_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static bool
device_image(Images *images, VtImage *image, const VtImage *host)
{
  *image = *host;
  return vt_gpu_alloc(images->device, (size_t)(host->stride * host->height), &image->data) == VITRAIL_OK
         && vt_gpu_upload(images->device, image, host) == VITRAIL_OK;
}

static bool
make_images(Images *images, int64_t size)
{
  for (int k = 0; k < 3; k++) {
    images->host[k] = (VtImage){ malloc((size_t)(size * size)), size, size, size, VITRAIL_U8 };
    if (!images->host[k].data)
      return false;
  }
  for (int64_t i = 0; i < size * size; i++) {
    const uint32_t x = (uint32_t)(i % size), y = (uint32_t)(i / size);
    const uint8_t mask = vt_bench_mask(x, y, SEED);
    ((uint8_t *)images->host[0].data)[i] = mask;
    ((uint8_t *)images->host[1].data)[i] = vt_bench_hmax(mask);
    ((uint8_t *)images->host[2].data)[i] = vt_bench_sparse(mask, x, y, SEED);
  }
  return device_image(images, &images->mask, &images->host[0])
         && device_image(images, &images->marker, &images->host[0])
         && device_image(images, &images->start[0], &images->host[1])
         && device_image(images, &images->start[1], &images->host[2]);
}

static uint64_t
sum_of(Images *images)
{
  uint64_t sum = 0;
  const VtImage *host = &images->host[1]; /* on the device by now */
  if (vt_gpu_download(images->device, host, &images->marker) == VITRAIL_OK)
    for (int64_t i = 0; i < host->width * host->height; i++)
      sum += ((const uint8_t *)host->data)[i];
  return sum;
}

static int
compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void
bench(Images *images, int system, int i_marker, int connectivity, const VtGpuWaveOptions *options)
{
  const size_t bytes = (size_t)(images->mask.stride * images->mask.height);
  const VtReconstruct args = { .marker = images->marker, .mask = images->mask, .connectivity = connectivity };
  VtGpuWaveCounts counts = { 0 };
  double ms[N_RUNS];
  for (int run = -1; run < N_RUNS; run++) {
    cudaMemcpy(images->marker.data, images->start[i_marker].data, bytes, cudaMemcpyDeviceToDevice);
    cudaDeviceSynchronize();
    counts = (VtGpuWaveCounts){ 0 };
    const double before = now_ms();
    if (systems[system].run(images->device, &args, NULL, options, &counts) != VITRAIL_OK) {
      printf("%s FAILED: %s\n", systems[system].name, vt_gpu_last_error(images->device));
      return;
    }
    if (run >= 0)
      ms[run] = now_ms() - before;
  }
  qsort(ms, N_RUNS, sizeof *ms, compare);
  printf("%-9s %d-conn %-6s %6" PRId64 " %5d %6d %10.3f %12" PRIu64 " %12" PRIu64 " %5" PRIu64 " %3u  %" PRIu64 "\n",
         systems[system].name, connectivity, i_marker ? "sparse" : "h-max", images->mask.width, options->n_scans,
         options->n_rounds, ms[N_RUNS / 2], counts.n_listed, counts.n_risen, counts.n_launches, counts.n_passes,
         sum_of(images));
  fflush(stdout);
}

int
main(int argc, char **argv)
{
  Images images = { 0 };
  char reason[256] = "";
  const int64_t size = argc > 1 ? strtoll(argv[1], NULL, 10) : 4096;
  if (vt_gpu_probe(reason, sizeof reason) == 0
      || vt_gpu_open(0, NULL, &images.device, reason, sizeof reason) != VITRAIL_OK) {
    printf("skipped: %s\n", reason);
    return 77;
  }
  if (size < 1 || !make_images(&images, size)) {
    fprintf(stderr, "No such size, or no memory for the images.\n");
    return 2;
  }
  printf("%-23s %6s %5s %6s %10s %12s %12s %5s %3s  sum\n", "system", "size", "scans", "rounds", "median ms", "listed",
         "risen", "runs", "passes");
  for (int a = argc > 3 ? 2 : 0; a == 0 || a + 1 < argc; a += 2) {
    const VtGpuWaveOptions options = { .n_scans = a ? atoi(argv[a]) : 0, .n_rounds = a ? atoi(argv[a + 1]) : 0 };
    for (int system = 0; system < N_SYSTEMS; system++)
      for (int k = 0; k < 4; k++) {
        VtGpuWaveOptions own = options;
        own.queue = systems[system].queue;
        bench(&images, system, k % 2, k < 2 ? 8 : 4, &own);
      }
    if (a == 0)
      break;
  }
  return 0;
}
