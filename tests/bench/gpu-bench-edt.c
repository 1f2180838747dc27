/* SPDX-License-Identifier: MIT
 *
 * gpu-bench-edt.c: distances on the device, easy and adversarial images, beside a copy of as many bytes. CUDA events around
 * the whole call, medians. Usage: gpu-bench-edt [LARGEST_SIDE [RUNS [ALGORITHM]]]. Exit status 1 when a call fails, 77 when there is no
 * device. */
#include "../support/bench-image.h"
#include "vt-backend.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RUNS = 101, SEED = 1, N_THREADS = 16 };
typedef enum Kind { NOISE, FULL_DISC, ONE_PIXEL, CORNER_DISC, ZOOMED, NO_BACKGROUND, N_KINDS } Kind;
static const char *const names[N_KINDS] = { "tissue",           "foreground disc", "one background pixel",
                                            "disc in a corner", "tissue, 4x zoom", "no background" };

typedef struct Bench {
  const VtBackend *backend;
  VtDevice *device;
  cudaEvent_t begin, end;
  int n_runs, n_failed;
  const char *only; /* an algorithm; NULL: all */
  int64_t width, height;
  Kind kind;
  uint8_t *host;
} Bench;

typedef struct Rows {
  const Bench *bench;
  int64_t first;
  pthread_t thread;
} Rows;

static uint8_t
pixel(const Bench *b, int64_t x, int64_t y)
{
  const int64_t dx = x - b->width / 2, dy = y - b->height / 2, radius = b->height * 8000 / 16384;
  switch (b->kind) {
  case NOISE: return vt_bench_mask((uint32_t)x, (uint32_t)y, SEED) > 128;
  case FULL_DISC: return dx * dx + dy * dy <= radius * radius;
  case ONE_PIXEL: return x != b->width / 3 || y != b->height / 3;
  case CORNER_DISC: return (x - 100) * (x - 100) + (y - 100) * (y - 100) > 50 * 50;
  case ZOOMED: return vt_bench_mask((uint32_t)(x / 4), (uint32_t)(y / 4), SEED) > 128;
  default: return 1;
  }
}

static void *
fill_rows(void *data)
{
  const Rows *rows = data;
  const Bench *b = rows->bench;
  for (int64_t y = rows->first; y < b->height; y += N_THREADS)
    for (int64_t x = 0; x < b->width; x++)
      b->host[y * b->width + x] = pixel(b, x, y);
  return NULL;
}

static void
fill(Bench *b)
{
  Rows rows[N_THREADS];
  for (int k = 0; k < N_THREADS; k++) {
    rows[k] = (Rows){ .bench = b, .first = k };
    if (pthread_create(&rows[k].thread, NULL, fill_rows, &rows[k]) != 0) {
      fill_rows(&rows[k]);
      rows[k].first = -1;
    }
  }
  for (int k = 0; k < N_THREADS; k++)
    if (rows[k].first >= 0)
      pthread_join(rows[k].thread, NULL);
}

static int
compare_floats(const void *a, const void *b)
{
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* algorithm NULL: a copy that reads and writes together the 5 bytes a pixel that no program can do without. */
static float
median_ms(Bench *b, const VtDistanceAlgorithm *algorithm, const VtDistance *args, int n_runs)
{
  float ms[MAX_RUNS];
  for (int run = -1; run < n_runs; run++) {
    cudaEventRecord(b->begin, NULL);
    if (!algorithm) {
      const size_t half = (size_t)(b->width * b->height) * 2;
      cudaMemcpyAsync((char *)args->root.data + half, args->root.data, half, cudaMemcpyDeviceToDevice, NULL);
    } else if (algorithm->run(b->device, args, NULL) != VITRAIL_OK) {
      b->n_failed++;
      return -1;
    }
    cudaEventRecord(b->end, NULL);
    cudaEventSynchronize(b->end);
    if (run >= 0)
      cudaEventElapsedTime(&ms[run], b->begin, b->end);
  }
  qsort(ms, (size_t)n_runs, sizeof *ms, compare_floats);
  return ms[n_runs / 2];
}

static void
bench(Bench *b, int64_t width, int64_t height, Kind last)
{
  const size_t n = (size_t)(width * height);
  const VtImage host = { b->host, width, height, width, VITRAIL_U8 };
  VtDistance args = { .src = { NULL, width, height, width, VITRAIL_U8 },
                      .root = { NULL, width, height, width * 4, VITRAIL_F32 },
                      .weight_x = 1,
                      .weight_y = 1,
                      .scale = 1 };
  b->width = width;
  b->height = height;
  if (b->backend->alloc(b->device, n, &args.src.data) != VITRAIL_OK
      || b->backend->alloc(b->device, 4 * n, &args.root.data) != VITRAIL_OK)
    return;
  const float copy = median_ms(b, NULL, &args, b->n_runs) * 1.25f; /* 4 of 5 bytes were copied */
  for (b->kind = NOISE; b->kind <= last; b->kind++) {
    fill(b);
    b->backend->upload(b->device, &args.src, &host);
    for (const VtDistanceAlgorithm *a = b->backend->distance; a->id; a++) {
      const bool is_wave = strcmp(a->id, "exact") != 0;
      if ((is_wave && b->kind != NOISE) || (b->only && strcmp(a->id, b->only) != 0))
        continue;
      const float ms = median_ms(b, a, &args, is_wave ? 3 : b->n_runs);
      printf("| %ld x %ld | %s | %s | %.3f ms | copy %.3f ms | %.1f%% |\n", (long)width, (long)height, names[b->kind],
             a->id, (double)ms, (double)copy, 100.0 * (double)(copy / ms));
      fflush(stdout);
    }
  }
  b->backend->free(b->device, args.src.data);
  b->backend->free(b->device, args.root.data);
}

int
main(int argc, char **argv)
{
  char reason[256] = "";
  const int64_t largest = argc > 1 ? atoll(argv[1]) : 16384;
  Bench b = { .backend = vt_gpu_backend(), .n_runs = argc > 2 ? atoi(argv[2]) : 21, .only = argc > 3 ? argv[3] : NULL };
  b.n_runs = b.n_runs < 1 ? 1 : b.n_runs > MAX_RUNS ? MAX_RUNS : b.n_runs;
  if (b.backend->probe(reason, sizeof reason) == 0
      || b.backend->open(0, NULL, &b.device, reason, sizeof reason) != VITRAIL_OK) {
    printf("%s\n", reason);
    return 77;
  }
  b.host = malloc((size_t)(largest * largest > 1920 * 1080 ? largest * largest : 1920 * 1080));
  if (!b.host)
    return 1;
  cudaEventCreate(&b.begin);
  cudaEventCreate(&b.end);
  printf("%s: exact distance to f32\n", b.backend->device_name(b.device));
  bench(&b, 1920, 1080, NOISE);
  bench(&b, 4096 < largest ? 4096 : largest, 4096 < largest ? 4096 : largest, NOISE);
  bench(&b, largest, largest, N_KINDS - 1);
  free(b.host);
  b.backend->close(b.device);
  return b.n_failed > 0;
}
