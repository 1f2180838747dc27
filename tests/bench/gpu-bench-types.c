/* SPDX-License-Identifier: MIT
 *
 * gpu-bench-types.c: the bench's images as every type of pixel, worked on by `tile`, and small ones by other algorithms, too.
 * The values keep their order, so the work is the same, and the answer is that of the bytes, in the other type: of bits, cut
 * at a level. */
#include "gpu-bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVEL = 96 }; /* what is above is a bit */

typedef struct Kind {
  const char *name;
  VtType type;
  bool by_erosion;
} Kind;

static const Kind kinds[] = {
  { "u8", VITRAIL_U8, false },           { "u8, erosion", VITRAIL_U8, true }, { "u16", VITRAIL_U16, false },
  { "u16, erosion", VITRAIL_U16, true }, { "i32", VITRAIL_I32, false },       { "f32", VITRAIL_F32, false },
  { "f32, erosion", VITRAIL_F32, true }, { "bits", VT_BIT, false },           { "bits, erosion", VT_BIT, true },
};

static void
put(const VtImage *image, int64_t x, int64_t y, uint8_t byte, bool by_erosion)
{
  char *row = (char *)image->data + y * image->stride;
  const uint8_t v = by_erosion ? (uint8_t)(255 - byte) : byte;
  switch (image->type) {
  case VITRAIL_U8: ((uint8_t *)row)[x] = v; break;
  case VITRAIL_U16: ((uint16_t *)row)[x] = (uint16_t)(v * 257); break;
  case VITRAIL_I32: ((int32_t *)row)[x] = (v - 128) * 1000003; break;
  case VITRAIL_F32: ((float *)row)[x] = (float)(v - 128) * 0.37f; break;
  default:
    if ((byte > LEVEL) != by_erosion)
      ((uint64_t *)row)[x / 64] |= UINT64_C(1) << x % 64;
  }
}

/* An image of the kind with the values of `bytes`, in host memory. */
static bool
convert(const Kind *kind, const uint8_t *bytes, int64_t pitch, int64_t size, VtImage *image)
{
  const int64_t stride = kind->type == VT_BIT ? size / 8 : size * (int64_t)vt_type_size(kind->type);
  *image = (VtImage){ calloc((size_t)size, (size_t)stride), size, size, stride, kind->type };
  for (int64_t y = 0; image->data && y < size; y++)
    for (int64_t x = 0; x < size; x++)
      put(image, x, y, bytes[y * pitch + x], kind->by_erosion);
  return image->data;
}

/* Copies go as bytes, whatever the pixels. */
static VtImage
as_bytes(const VtImage *image)
{
  return (VtImage){ image->data, image->stride, image->height, image->stride, VITRAIL_U8 };
}

static bool
to_device(GpuBench *bench, const VtImage *host, VtImage *device)
{
  *device = *host;
  device->data = NULL;
  if (bench->backend->alloc(bench->device, (size_t)(host->stride * host->height), &device->data) != VITRAIL_OK)
    return false;
  const VtImage to = as_bytes(device), from = as_bytes(host);
  return bench->backend->upload(bench->device, &to, &from) == VITRAIL_OK;
}

/* answer: of the bytes. Whether the marker on the device is the same one. */
static bool
is_right(GpuBench *bench, const Kind *kind, const VtImage *marker, const uint8_t *answer)
{
  VtImage expected = { 0 };
  const size_t bytes = (size_t)(marker->stride * marker->height);
  uint8_t *got = malloc(bytes);
  const VtImage to = { got, marker->stride, marker->height, marker->stride, VITRAIL_U8 }, from = as_bytes(marker);
  const bool right = got && convert(kind, answer, marker->width, marker->width, &expected)
                     && bench->backend->download(bench->device, &to, &from) == VITRAIL_OK
                     && memcmp(got, expected.data, bytes) == 0;
  free(got);
  free(expected.data);
  return right;
}

/* *answer is made by the first kind, bytes. */
static void
time_kind(GpuBench *bench, const VtReconstructAlgorithm *algorithm, const Kind *kind, int64_t size, int connectivity,
          uint8_t **answer)
{
  VtImage host[2] = { { 0 } }, start = { 0 }, scratch = { 0 };
  VtReconstruct args = { .connectivity = connectivity, .by_erosion = kind->by_erosion };
  double ms[MAX_RUNS];
  int n = 0;
  bool done = convert(kind, bench->host[0], bench->size, size, &host[0])
              && convert(kind, bench->host[1], bench->size, size, &host[1]) && to_device(bench, &host[0], &args.mask)
              && to_device(bench, &host[1], &start) && to_device(bench, &host[1], &args.marker)
              && gpu_bench_time(bench, algorithm, &args, &start, ms, &n);
  if (done && !*answer && (*answer = malloc((size_t)(size * size)))) {
    scratch = (VtImage){ *answer, size, size, size, VITRAIL_U8 };
    done = bench->backend->download(bench->device, &scratch, &args.marker) == VITRAIL_OK;
  }
  const bool right = done && *answer && is_right(bench, kind, &args.marker, *answer);
  qsort(ms, (size_t)n, sizeof *ms, gpu_bench_compare);
  if (n > 0)
    printf("%-5s %-15s %d-conn h-max %6" PRId64 " %10.3f %10.3f %4d  %s\n", algorithm->id, kind->name, connectivity,
           size, ms[n / 2], ms[0], n, right ? "OK" : "WRONG");
  else
    gpu_bench_failed(bench, kind->name, size);
  bench->n_wrong += n > 0 && !right;
  for (int k = 0; k < 2; k++)
    free(host[k].data);
  bench->backend->free(bench->device, start.data);
  bench->backend->free(bench->device, args.marker.data);
  bench->backend->free(bench->device, args.mask.data);
}

void
gpu_bench_types(GpuBench *bench, int i_size)
{
  for (int connectivity = 8; connectivity >= 4; connectivity -= 4) {
    uint8_t *answer = NULL;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
      time_kind(bench, bench->backend->reconstruct, &kinds[k], gpu_bench_sizes[i_size], connectivity, &answer);
    free(answer);
  }
}

void
gpu_bench_small(GpuBench *bench)
{
  static const int64_t sizes[] = { 64, 256, 1024 };
  enum { N_ALGORITHMS = 4 /* the others are variants of fh */ };
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int connectivity = 8; connectivity >= 4; connectivity -= 4) {
      uint8_t *answer = NULL;
      for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int a = 0; a < N_ALGORITHMS && !kinds[k].by_erosion; a++)
          time_kind(bench, &bench->backend->reconstruct[a], &kinds[k], sizes[i], connectivity, &answer);
      free(answer);
    }
}
