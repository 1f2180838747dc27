/* SPDX-License-Identifier: MIT
 *
 * gpu-bench.h: what the parts of gpu-bench share. */
#pragma once

#include "vt-backend.h"

#include <stdbool.h>
#include <stdint.h>

enum { N_SIZES = 3, MAX_RUNS = 21 };
extern const int64_t gpu_bench_sizes[N_SIZES];

typedef struct GpuBenchSums {
  uint64_t plain, weighted; /* of value, and of value * (index * 2654435761 mod 2^32) */
} GpuBenchSums;

typedef struct GpuBench {
  const VtBackend *backend;
  VtDevice *device;
  int64_t size;     /* of the host images, the largest of the gpu_bench_sizes */
  uint8_t *host[4]; /* mask, h-max marker, sparse marker, foreground */
  double copy_ns;   /* of a byte read or written by a copy of the largest image; 0 until it has been timed */
  int n_wrong;
} GpuBench;

int gpu_bench_compare(const void *a, const void *b); /* doubles */
/* Images on the device, compact; filled from the corner of host image `k` unless k < 0. False: no memory, no device. */
bool gpu_bench_corner(GpuBench *bench, VtImage *image, int64_t width, int64_t height, VtType type, int k);
bool gpu_bench_image(GpuBench *bench, VtImage *image, int64_t size, VtType type, int k);
bool gpu_bench_made_image(GpuBench *bench, VtImage *image, int64_t size, uint8_t (*pixel)(int64_t x, int64_t y));
bool gpu_bench_add_up(GpuBench *bench, const VtImage *image, GpuBenchSums *sums);
GpuBenchSums gpu_bench_sums_of(int64_t size, uint64_t (*answer)(int64_t x, int64_t y));
/* Sorts ms. `bytes` per pixel at the speed of a copy, over the time taken, is the share of the copy bandwidth. */
void gpu_bench_print(GpuBench *bench, const char *what, int64_t size, int bytes, double *ms, int n,
                     const GpuBenchSums *got, const GpuBenchSums *expected);
void gpu_bench_failed(GpuBench *bench, const char *what, int64_t size);

/* gpu-bench-recon.c: the lines of screens, of size number i_size, of corridors, and other programs' figures. NULL: all. */
void gpu_bench_screens(GpuBench *bench, const char *only);
void gpu_bench_reconstruct(GpuBench *bench, const char *only, int i_size);
void gpu_bench_corridors(GpuBench *bench, const char *only);
void gpu_bench_peers(void);
/* *n runs at most MAX_RUNS, in ms, each from marker `start`. */
bool gpu_bench_time(GpuBench *bench, const VtReconstructAlgorithm *algorithm, const VtReconstruct *args,
                    const VtImage *start, double *ms, int *n);
/* gpu-bench-types.c: `tile` on images of other pixels than bytes, and by erosion; small images, by several algorithms. */
void gpu_bench_types(GpuBench *bench, int i_size);
void gpu_bench_small(GpuBench *bench);
