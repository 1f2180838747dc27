/* SPDX-License-Identifier: MIT
 *
 * cases-kernels.c: the table of the slots of a backend, but for texture. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef VT_BENCH_PAPERS
#include "gpu.h"
#endif

static const char *
one_variant(const Bench *bench, int i)
{
  return i == 0 ? "" : NULL;
}

/* --- reconstruction --- */

static const char *
reconstruct_variant(const Bench *bench, int i)
{
  return bench->backend->reconstruct[i].id;
}

static VitrailStatus
run_reconstruct(Bench *bench, const VtCancel *cancel)
{
  const VtReconstruct args = { .marker = bench->images[0],
                               .mask = bench->images[1],
                               .connectivity = bench->at->number[0],
                               .by_erosion = bench->at->by_erosion };
  return bench->backend->reconstruct[bench->variant].run(bench->device, &args, cancel);
}

#ifdef VT_BENCH_PAPERS
static const struct {
  const char *name;
  VitrailStatus (*run)(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel,
                       const VtGpuWaveOptions *options, VtGpuWaveCounts *counts);
  VtGpuQueueKind queue;
} waves[] = {
  { "fh", vt_gpu_reconstruct_fh_with, VT_GPU_QUEUE_THREAD },
  { "fh-naive", vt_gpu_reconstruct_fh_with, VT_GPU_QUEUE_NAIVE },
  { "fh-prefix", vt_gpu_reconstruct_fh_with, VT_GPU_QUEUE_PREFIX_SUM },
  { "heap", vt_gpu_reconstruct_heap_with, VT_GPU_QUEUE_THREAD },
};

static const char *
wave_variant(const Bench *bench, int i)
{
  return (size_t)i < VT_COUNT(waves) ? waves[i].name : NULL;
}

/* number[1]: rounds of scans to begin with. */
static VitrailStatus
run_wave(Bench *bench, const VtCancel *cancel)
{
  const VtReconstruct args = { .marker = bench->images[0],
                               .mask = bench->images[1],
                               .connectivity = bench->at->number[0] };
  const VtGpuWaveOptions options = { .n_scans = bench->at->number[1], .queue = waves[bench->variant].queue };
  VtGpuWaveCounts counts = { 0 };
  const VitrailStatus status = waves[bench->variant].run(bench->device, &args, cancel, &options, &counts);
  snprintf(bench->note, sizeof bench->note, "%llu listed, %llu raised, %llu launches, %u passes",
           (unsigned long long)counts.n_listed, (unsigned long long)counts.n_risen,
           (unsigned long long)counts.n_launches, counts.n_passes);
  return status;
}
#endif

/* --- distance --- */

static const char *
distance_variant(const Bench *bench, int i)
{
  return bench->backend->distance[i].id;
}

static VitrailStatus
run_distance(Bench *bench, const VtCancel *cancel)
{
  const VtDistance args = {
    .src = bench->images[0], .root = bench->images[1], .weight_x = 1, .weight_y = 1, .scale = 1
  };
  return bench->backend->distance[bench->variant].run(bench->device, &args, cancel);
}

static VitrailStatus
run_edt_columns(Bench *bench, const VtCancel *cancel)
{
  return bench->backend->edt_columns(bench->device, &(VtEdt){ bench->images[0], bench->images[1], 1 }, cancel);
}

static VitrailStatus
run_edt_rows(Bench *bench, const VtCancel *cancel)
{
  return bench->backend->edt_rows(bench->device, &(VtEdt){ bench->images[0], bench->images[1], 1 }, cancel);
}

/* --- the other steps of nuclei --- */

static VitrailStatus
run_lut3(Bench *bench, const VtCancel *cancel)
{
  int32_t table[3 * 256];
  for (int k = 0; k < 3 * 256; k++)
    table[k] = (int32_t)(16 * 4000 * log10(255.0 / (k % 256 + 1)));
  return bench->backend->lut3(bench->device, &(VtLut3){ bench->images[0], bench->images[1], table }, cancel);
}

static VitrailStatus
run_normalize(Bench *bench, const VtCancel *cancel)
{
  static uint8_t colour[VT_DENSITIES];
  int32_t table[2 * 768];
  for (int k = 0; k < 2 * 768; k++)
    table[k] = (int32_t)((k < 768 ? 24 : 12) * 4000 * log10(255.0 / (k % 256 + 1)));
  for (int k = 0; k < VT_DENSITIES; k++)
    colour[k] = (uint8_t)(255 * pow(10, -k * 1e-4));
  const VtNormalize args = {
    bench->images[0], bench->images[1], table, colour, { { 30000, 40000, 25000 }, { 12000, 45000, 30000 } }
  };
  return bench->backend->normalize(bench->device, &args, cancel);
}

static VitrailStatus
run_erode(Bench *bench, const VtCancel *cancel)
{
  const VtErodeDisc args = { bench->images[0], bench->images[1], 0, 0, bench->at->number[0] };
  return bench->backend->erode_disc(bench->device, &args, cancel);
}

static VitrailStatus
run_smooth(Bench *bench, const VtCancel *cancel)
{
  uint32_t weights[513], sum = 0;
  const int32_t radius = bench->at->number[0];
  for (int32_t k = 1; k <= radius; k++) {
    weights[k] = (uint32_t)(60000 / (2 * radius + 1));
    sum += 2 * weights[k];
  }
  weights[0] = 65536 - sum;
  const VtSmooth args = { bench->images[0], bench->images[1], 0, 0, radius, weights };
  return bench->backend->smooth(bench->device, &args, cancel);
}

/* number[0]: the operation. */
static VitrailStatus
run_pointwise(Bench *bench, const VtCancel *cancel)
{
  const VtPointwise args = { bench->at->number[0], bench->images[0], bench->images[0], bench->images[1], 4000 };
  return bench->backend->pointwise(bench->device, &args, cancel);
}

static VitrailStatus
run_regional(Bench *bench, const VtCancel *cancel)
{
  const VtRegional args = { .src = bench->images[0], .dst = bench->images[1], .connectivity = 8 };
  return bench->backend->regional ? bench->backend->regional(bench->device, &args, cancel) : VITRAIL_UNSUPPORTED;
}

static VitrailStatus
run_components(Bench *bench, const VtCancel *cancel)
{
  const VtComponents args = { bench->images[0], bench->images[1], 8 };
  return bench->backend->components(bench->device, &args, cancel);
}

static VitrailStatus
run_geodesic(Bench *bench, const VtCancel *cancel)
{
  const VtGeodesic args = {
    .seeds = bench->images[0], .mask = bench->images[1], .zones = bench->images[2], .connectivity = 8
  };
  return bench->backend->geodesic ? bench->backend->geodesic(bench->device, &args, cancel) : VITRAIL_UNSUPPORTED;
}

static VitrailStatus
run_watershed(Bench *bench, const VtCancel *cancel)
{
  const VtWatershed args = { bench->images[0], bench->images[1], bench->images[2], bench->images[3] };
  return bench->backend->watershed(bench->device, &args, cancel);
}

static VitrailStatus
run_number(Bench *bench, const VtCancel *cancel)
{
  VtObjectStats *stats = NULL;
  int64_t n = 0;
  const VtNumber args = { bench->images[1], bench->images[0], bench->images[0], &stats, &n };
  const VitrailStatus status = bench->backend->number(bench->device, &args, cancel);
  free(stats);
  return status;
}

static VitrailStatus
run_overlaps(Bench *bench, const VtCancel *cancel)
{
  VtOverlap *list = NULL;
  int64_t n = 0;
  const VtOverlaps args = { bench->images[0], bench->images[1], &list, &n };
  const VitrailStatus status = bench->backend->overlaps(bench->device, &args, cancel);
  free(list);
  return status;
}

/* --- the table --- */

#define GREY "2048,4096", "1920x1080,2048,4096,16384"
#define RECONSTRUCT(name_, what_, marker_, mask_, type_, conn, erosion, bytes_, ...) \
  { \
    .name = "reconstruct-" name_, .what = what_, .images = { { marker_, type_ }, { mask_, type_ } }, \
    .sizes = { __VA_ARGS__ }, .bytes = bytes_, .number = { conn }, .by_erosion = erosion, \
    .variant = reconstruct_variant, .run = run_reconstruct \
  }
/* A type of pixels, both connectivities, by dilation and by erosion; small and large. */
#define TYPE(name_, type_, bytes_) \
  RECONSTRUCT("8-" name_, "h-max, " name_, BENCH_H_MAX, BENCH_MASK, type_, 8, false, bytes_, "64,256,1024", \
              "64,256,1024,4096"), \
    RECONSTRUCT("4-" name_, "h-max, " name_, BENCH_H_MAX, BENCH_MASK, type_, 4, false, bytes_, "64,256,1024", \
                "64,256,1024,4096"), \
    RECONSTRUCT("8-" name_ "-erosion", "h-max, by erosion, " name_, BENCH_H_MAX, BENCH_MASK, type_, 8, true, bytes_, \
                "1024", "4096"), \
    RECONSTRUCT("4-" name_ "-erosion", "h-max, by erosion, " name_, BENCH_H_MAX, BENCH_MASK, type_, 4, true, bytes_, \
                "1024", "4096")
#define DISTANCE(name_, what_, kind_, ...) \
  { \
    .name = name_, .what = "exact distance to f32, " what_, \
    .images = { { kind_, VITRAIL_U8 }, { BENCH_OUT, VITRAIL_F32 } }, .answer = 1, .sizes = { __VA_ARGS__ }, \
    .bytes = 5, .variant = distance_variant, .run = run_distance \
  }
#define STEP(name_, what_, kind_, from_, to_, bytes_, run_, number_) \
  { \
    .name = name_, .what = what_, .images = { { kind_, from_ }, { BENCH_OUT, to_ } }, .answer = 1, .bytes = bytes_, \
    .sizes = { "1920x1080", "1920x1080,8192" }, .number = { number_ }, .variant = one_variant, .run = run_ \
  }
#define WAVE(name_, marker_, conn, scans) \
  { \
    .name = "wave-" name_, .what = "the papers' queues and heap on u8, and how often pixels were raised", \
    .images = { { marker_, VITRAIL_U8 }, { BENCH_MASK, VITRAIL_U8 } }, .sizes = { NULL, "4096" }, .bytes = 3, \
    .number = { conn, scans }, .variant = wave_variant, .run = run_wave \
  }

const BenchCase bench_kernel_cases[] = {
  RECONSTRUCT("8-h-max", "h-maxima of tissue, u8", BENCH_H_MAX, BENCH_MASK, VITRAIL_U8, 8, false, 3, GREY),
  RECONSTRUCT("8-sparse", "sparse marker, u8", BENCH_SPARSE, BENCH_MASK, VITRAIL_U8, 8, false, 3, GREY),
  RECONSTRUCT("4-h-max", "h-maxima of tissue, u8", BENCH_H_MAX, BENCH_MASK, VITRAIL_U8, 4, false, 3, GREY),
  RECONSTRUCT("4-sparse", "sparse marker, u8", BENCH_SPARSE, BENCH_MASK, VITRAIL_U8, 4, false, 3, GREY),
  RECONSTRUCT("8-corridor", "one value walks 2^21 pixels, u8", BENCH_CORRIDOR_START, BENCH_CORRIDOR, VITRAIL_U8, 8,
              false, 3, "2048", "2048"),
  RECONSTRUCT("4-corridor", "one value walks 2^21 pixels, u8", BENCH_CORRIDOR_START, BENCH_CORRIDOR, VITRAIL_U8, 4,
              false, 3, "2048", "2048"),
  RECONSTRUCT("8-corridor-bits", "the same in packed bits", BENCH_CORRIDOR_START, BENCH_CORRIDOR, VT_BIT, 8, false,
              0.375, "2048", "2048"),
  TYPE("u8", VITRAIL_U8, 3),
  TYPE("u16", VITRAIL_U16, 6),
  TYPE("i32", VITRAIL_I32, 12),
  TYPE("f32", VITRAIL_F32, 12),
  TYPE("bits", VT_BIT, 0.375),
  DISTANCE("distance", "tissue", BENCH_FOREGROUND, "2048,4096,16384", "1920x1080,2048,4096,16384"),
  DISTANCE("distance-one-background", "one background pixel", BENCH_ONE_BACKGROUND, "4096,16384", "16384"),
  DISTANCE("distance-few-background", "sparse background", BENCH_FEW_BACKGROUND, "4096", "16384"),
  DISTANCE("distance-no-background", "no background", BENCH_NO_BACKGROUND, "4096", "16384"),
  DISTANCE("distance-disc", "a disc of foreground", BENCH_DISC, "4096", "16384"),
  DISTANCE("distance-corner-disc", "a disc of background in a corner", BENCH_CORNER_DISC, "4096", "16384"),
  DISTANCE("distance-zoomed", "tissue, 4x zoom", BENCH_ZOOMED, "4096", "16384"),
  { .name = "edt-columns",
    .what = "the pass along columns alone",
    .images = { { BENCH_FOREGROUND, VITRAIL_U8 }, { BENCH_OUT, VITRAIL_I32 } },
    .answer = 1,
    .sizes = { "2048,4096", "4096,16384" },
    .bytes = 5,
    .variant = one_variant,
    .run = run_edt_columns },
  { .name = "edt-rows",
    .what = "the pass along rows alone",
    .images = { { BENCH_COLUMNS, VITRAIL_I32 }, { BENCH_OUT, VITRAIL_F32 } },
    .answer = 1,
    .sizes = { "2048,4096", "4096,16384" },
    .bytes = 8,
    .against = "distance",
    .variant = one_variant,
    .run = run_edt_rows },
  STEP("stain", "optical density of a stain by tables", BENCH_COLOUR, VITRAIL_RGBA8, VITRAIL_U16, 6, run_lut3, 0),
  STEP("normalised", "stains of a reference, by tables", BENCH_COLOUR, VITRAIL_RGBA8, VITRAIL_RGBA8, 8, run_normalize,
       0),
  STEP("erosion-16", "by a disc of radius 16", BENCH_STAIN, VITRAIL_U16, VITRAIL_U16, 4, run_erode, 16),
  STEP("erosion-30", "by a disc of radius 30", BENCH_STAIN, VITRAIL_U16, VITRAIL_U16, 4, run_erode, 30),
  STEP("erosion-512", "by a disc of radius 512", BENCH_STAIN, VITRAIL_U16, VITRAIL_U16, 4, run_erode, 512),
  STEP("smoothing-3", "separable, radius 3", BENCH_STAIN, VITRAIL_U16, VITRAIL_U16, 4, run_smooth, 3),
  STEP("smoothing-27", "separable, radius 27", BENCH_STAIN, VITRAIL_U16, VITRAIL_U16, 4, run_smooth, 27),
  STEP("difference", "of two images, not below 0", BENCH_STAIN, VITRAIL_U16, VITRAIL_U16, 6, run_pointwise,
       VT_PW_SUBTRACT_CLAMP),
  STEP("threshold", "of u16", BENCH_STAIN, VITRAIL_U16, VITRAIL_U8, 3, run_pointwise, VT_PW_ABOVE),
  STEP("regional", "maxima of tissue, u8", BENCH_MASK, VITRAIL_U8, VITRAIL_U8, 2, run_regional, 0),
  STEP("regional-f32", "maxima of distances", BENCH_HEIGHT, VITRAIL_F32, VITRAIL_U8, 5, run_regional, 0),
  STEP("components", "of tissue", BENCH_FOREGROUND, VITRAIL_U8, VITRAIL_I32, 5, run_components, 0),
  { .name = "zones",
    .what = "influence zones of one seed in 10,000 pixels, inside tissue",
    .images = { { BENCH_SEEDS, VITRAIL_I32 }, { BENCH_FOREGROUND, VITRAIL_U8 }, { BENCH_OUT, VITRAIL_I32 } },
    .answer = 2,
    .sizes = { "1920x1080", "1920x1080,8192" },
    .bytes = 9,
    .variant = one_variant,
    .run = run_geodesic },
  { .name = "watershed",
    .what = "of the h-maxima of distances, as in nuclei",
    .images = { { BENCH_FLOOD, VITRAIL_F32 },
                { BENCH_FLOOD_SEEDS, VITRAIL_I32 },
                { BENCH_FOREGROUND, VITRAIL_U8 },
                { BENCH_OUT, VITRAIL_I32 } },
    .answer = 3,
    .sizes = { "1448,1920x1080", "1920x1080,8192" },
    .bytes = 13,
    .variant = one_variant,
    .run = run_watershed },
  { .name = "numbering",
    .what = "objects in the order of their first pixels",
    .images = { { BENCH_STAIN, VITRAIL_U16 }, { BENCH_FLOOD_SEEDS, VITRAIL_I32 } },
    .answer = 1,
    .sizes = { "1920x1080", "1920x1080,8192" },
    .bytes = 10,
    .variant = one_variant,
    .run = run_number },
  { .name = "overlaps",
    .what = "the histogram of the pairs of labels of two images",
    .images = { { BENCH_FLOOD_SEEDS, VITRAIL_I32 }, { BENCH_SEEDS, VITRAIL_I32 } },
    .sizes = { "1920x1080", "1920x1080,8192" },
    .bytes = 8,
    .variant = one_variant,
    .run = run_overlaps },
#ifdef VT_BENCH_PAPERS
  WAVE("8-h-max", BENCH_H_MAX, 8, 0),
  WAVE("8-sparse", BENCH_SPARSE, 8, 0),
  WAVE("4-h-max", BENCH_H_MAX, 4, 0),
  WAVE("4-sparse", BENCH_SPARSE, 4, 0),
  WAVE("8-h-max-no-scans", BENCH_H_MAX, 8, -1),
  WAVE("8-sparse-no-scans", BENCH_SPARSE, 8, -1),
  WAVE("4-h-max-no-scans", BENCH_H_MAX, 4, -1),
  WAVE("4-sparse-no-scans", BENCH_SPARSE, 4, -1),
#endif
  { 0 },
};
