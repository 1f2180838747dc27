/* SPDX-License-Identifier: MIT
 *
 * gpu-bench-glrlm.c: run length feature maps on the device: 15x15 windows, 32 levels, four directions, 11 features, for
 * every algorithm, beside a copy of as many bytes. CUDA events around the whole call, medians. Usage: gpu-bench-glrlm
 * [RUNS [ALGORITHM]]. Exit status 1 when two algorithms differ, 77 when there is no device. */
#include "../support/bench-image.h"
#include "vt-backend.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RUNS = 101, N_FEATURES = 11, N_MAPS = 4 * N_FEATURES, SEED = 1, N_LEVELS = 32 };

typedef struct Bench {
  const VtBackend *backend;
  VtDevice *device;
  cudaEvent_t begin, end;
  int n_runs;
  const char *only; /* NULL: every algorithm */
  VtGlrlmWindows args;
  VtImage maps[N_MAPS], reference;
  int n_wrong;
} Bench;

static int
compare_floats(const void *a, const void *b)
{
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

static bool
make(Bench *b, int64_t width, int64_t height, int half)
{
  uint8_t *host = malloc((size_t)(width * height));
  void *data = NULL;
  b->args = (VtGlrlmWindows){
    .dst = b->maps, .features = (1u << N_FEATURES) - 1, .aggregates = 15, .n_levels = N_LEVELS, .half = half, .step = 1
  };
  for (int64_t y = 0; host && y < height; y++)
    for (int64_t x = 0; x < width; x++)
      host[y * width + x] = (uint8_t)(1 + vt_bench_mask((uint32_t)x, (uint32_t)y, SEED) * N_LEVELS / 256);
  b->args.src = (VtImage){ NULL, width, height, width, VITRAIL_U8 };
  bool ok = host && b->backend->alloc(b->device, (size_t)(width * height), &b->args.src.data) == VITRAIL_OK;
  const VtImage source = { host, width, height, width, VITRAIL_U8 };
  ok = ok && b->backend->upload(b->device, &b->args.src, &source) == VITRAIL_OK;
  ok = ok && b->backend->alloc(b->device, (size_t)(width * height) * 4 * N_MAPS, &data) == VITRAIL_OK;
  for (int k = 0; ok && k < N_MAPS; k++)
    b->maps[k] =
      (VtImage){ (char *)data + (size_t)k * (size_t)(width * height) * 4, width, height, width * 4, VITRAIL_F32 };
  free(host);
  return ok;
}

static float
median_ms(Bench *b, const VtGlrlmAlgorithm *algorithm, int n_runs)
{
  float ms[MAX_RUNS];
  for (int run = -1; run < n_runs; run++) {
    cudaEventRecord(b->begin, NULL);
    if (algorithm) {
      if (algorithm->run(b->device, &b->args, NULL) != VITRAIL_OK)
        return -1;
    } else { /* a copy that reads and writes together as many bytes as no program can do without */
      const size_t n = (size_t)(b->args.src.width * b->args.src.height), half = n * 4 * N_MAPS / 2;
      cudaMemcpyAsync((char *)b->maps[0].data + half, b->maps[0].data, half, cudaMemcpyDeviceToDevice, NULL);
    }
    cudaEventRecord(b->end, NULL);
    cudaEventSynchronize(b->end);
    if (run >= 0)
      cudaEventElapsedTime(&ms[run], b->begin, b->end);
  }
  qsort(ms, (size_t)n_runs, sizeof *ms, compare_floats);
  return ms[n_runs / 2];
}

/* A sum of all bits of all maps. */
static uint64_t
sum_of(Bench *b)
{
  const size_t n = (size_t)(b->args.src.width * b->args.src.height) * N_MAPS;
  uint32_t *host = malloc(n * 4);
  uint64_t sum = 0;
  if (!host || cudaMemcpy(host, b->maps[0].data, n * 4, cudaMemcpyDeviceToHost) != cudaSuccess)
    return 0;
  for (size_t k = 0; k < n; k++)
    sum = sum * 0x9e3779b97f4a7c15u + host[k];
  free(host);
  return sum;
}

static void
bench(Bench *b, int64_t width, int64_t height, int half)
{
  uint64_t expected = 0;
  if (!make(b, width, height, half)) {
    printf("no memory for %ld x %ld\n", (long)width, (long)height);
    return;
  }
  const float copy = median_ms(b, NULL, b->n_runs);
  for (const VtGlrlmAlgorithm *a = b->backend->glrlm_windows; a->id; a++) {
    if (b->only && strcmp(a->id, b->only) != 0)
      continue;
    const bool is_slow = strcmp(a->id, "fast") != 0;
    const float ms = median_ms(b, a, is_slow ? 3 : b->n_runs);
    const uint64_t sum = sum_of(b);
    const bool wrong = expected && sum != expected;
    expected = expected ? expected : sum;
    b->n_wrong += wrong || ms < 0;
    printf("| %ld x %ld | %d x %d | %s | %.3f ms | copy %.3f ms | %.1f%% | %s |\n", (long)width, (long)height,
           2 * half + 1, 2 * half + 1, a->id, (double)ms, (double)copy, 100.0 * (double)(copy / ms),
           wrong || ms < 0 ? "WRONG" : "OK");
    fflush(stdout);
  }
  b->backend->free(b->device, b->args.src.data);
  b->backend->free(b->device, b->maps[0].data);
}

int
main(int argc, char **argv)
{
  char reason[256] = "";
  Bench b = { .backend = vt_gpu_backend(), .n_runs = argc > 1 ? atoi(argv[1]) : 21, .only = argc > 2 ? argv[2] : NULL };
  b.n_runs = b.n_runs < 1 ? 1 : b.n_runs > MAX_RUNS ? MAX_RUNS : b.n_runs;
  if (b.backend->probe(reason, sizeof reason) == 0
      || b.backend->open(0, NULL, &b.device, reason, sizeof reason) != VITRAIL_OK) {
    printf("%s\n", reason);
    return 77;
  }
  cudaEventCreate(&b.begin);
  cudaEventCreate(&b.end);
  printf("%s: %d levels, 4 directions, %d features\n", b.backend->device_name(b.device), N_LEVELS, N_FEATURES);
  bench(&b, 1920, 1080, 7);
  bench(&b, 4096, 4096, 7);
  bench(&b, 1920, 1080, 32);
  b.backend->close(b.device);
  return b.n_wrong > 0;
}
