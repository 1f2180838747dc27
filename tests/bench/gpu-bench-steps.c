/* SPDX-License-Identifier: MIT
 *
 * gpu-bench-steps.c: times of the single steps of `nuclei` on the CUDA backend: images on the device, the call of a slot
 * from begin to end (launches and the wait for them included), medians. Each answer is compared with the CPU's.
 * Usage: gpu-bench-steps [WIDTH HEIGHT [RUNS]]. Exit status 1 when an answer is wrong, 77 when there is no device. */
#include "../support/mini-host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_RUNS = 200, MAX_IMAGES = 4 };

typedef struct {
  const VtBackend *cpu, *gpu;
  VtDevice *device;
  int64_t width, height;
  int n_runs, n_wrong;
  int32_t table[3 * 256], radius;
  uint32_t weights[513];
} Bench;

/* images: inputs, then the output; on the CPU in host memory. */
typedef VitrailStatus (*Step)(const Bench *bench, const VtBackend *backend, VtDevice *device, const VtImage *images);

static VitrailStatus
lut3(const Bench *bench, const VtBackend *backend, VtDevice *device, const VtImage *images)
{
  return backend->lut3(device, &(VtLut3){ images[0], images[1], bench->table }, NULL);
}

static VitrailStatus
erode(const Bench *bench, const VtBackend *backend, VtDevice *device, const VtImage *images)
{
  return backend->erode_disc(device, &(VtErodeDisc){ images[0], images[1], 0, 0, bench->radius }, NULL);
}

static VitrailStatus
smooth(const Bench *bench, const VtBackend *backend, VtDevice *device, const VtImage *images)
{
  return backend->smooth(device, &(VtSmooth){ images[0], images[1], 0, 0, bench->radius, bench->weights }, NULL);
}

static VitrailStatus
subtract(const Bench *bench, const VtBackend *backend, VtDevice *device, const VtImage *images)
{
  const VtPointwise args = { VT_PW_SUBTRACT_CLAMP, images[0], images[1], images[2], 0 };
  return backend->pointwise(device, &args, NULL);
}

static VitrailStatus
above(const Bench *bench, const VtBackend *backend, VtDevice *device, const VtImage *images)
{
  return backend->pointwise(device, &(VtPointwise){ VT_PW_ABOVE, images[0], images[0], images[1], 4000 }, NULL);
}

static VitrailStatus
distance(const Bench *bench, const VtBackend *backend, VtDevice *device, const VtImage *images)
{
  const VtDistance args = { .src = images[0], .root = images[1], .weight_x = 1, .weight_y = 1, .scale = 0.5F };
  if (backend->distance)
    return backend->distance->run(device, &args, NULL);
  VtImage columns = mini_image_new(VITRAIL_I32, images[0].width, images[0].height);
  VitrailStatus status = backend->edt_columns(device, &(VtEdt){ images[0], columns, 0.5F }, NULL);
  if (status == VITRAIL_OK)
    status = backend->edt_rows(device, &(VtEdt){ columns, images[1], 0.5F }, NULL);
  free(columns.data);
  return status;
}

static VitrailStatus
regional(const Bench *bench, const VtBackend *backend, VtDevice *device, const VtImage *images)
{
  const VtRegional args = { .src = images[0], .dst = images[1], .connectivity = 8 };
  return backend->regional ? backend->regional(device, &args, NULL) : VITRAIL_UNSUPPORTED;
}

static VitrailStatus
components(const Bench *bench, const VtBackend *backend, VtDevice *device, const VtImage *images)
{
  return backend->components(device, &(VtComponents){ images[0], images[1], 8 }, NULL);
}

static VitrailStatus
watershed(const Bench *bench, const VtBackend *backend, VtDevice *device, const VtImage *images)
{
  return backend->watershed(device, &(VtWatershed){ images[0], images[1], images[2], images[3] }, NULL);
}

/* In place: once numbers, always numbers. */
static VitrailStatus
number(const Bench *bench, const VtBackend *backend, VtDevice *device, const VtImage *images)
{
  VtObjectStats *stats = NULL;
  int64_t n = 0;
  const VitrailStatus status =
    backend->number(device, &(VtNumber){ images[1], images[0], images[0], &stats, &n }, NULL);
  free(stats);
  return status;
}

static double
now_us(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int
compare_doubles(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static bool
time_on_device(Bench *bench, Step step, const VtImage *images, int n, double *us, VtImage *answer)
{
  VtImage on_device[MAX_IMAGES];
  bool ok = true;
  for (int k = 0; k < n; k++) {
    on_device[k] = images[k];
    ok &=
      bench->gpu->alloc(bench->device, (size_t)(images[k].height * images[k].stride), &on_device[k].data) == VITRAIL_OK
      && bench->gpu->upload(bench->device, &on_device[k], &images[k]) == VITRAIL_OK;
  }
  for (int run = -3; run < bench->n_runs && ok; run++) {
    const double begin = now_us();
    ok = step(bench, bench->gpu, bench->device, on_device) == VITRAIL_OK;
    us[run < 0 ? 0 : run] = now_us() - begin;
  }
  ok = ok && bench->gpu->download(bench->device, answer, &on_device[n - 1]) == VITRAIL_OK;
  for (int k = 0; k < n; k++)
    bench->gpu->free(bench->device, on_device[k].data);
  return ok;
}

/* The host's images[n - 1] gets the CPU's answer, which later steps go on from. */
static void
line(Bench *bench, const char *what, Step step, const VtImage *images, int n)
{
  static double us[MAX_RUNS];
  VtImage answer = mini_image_new(images[n - 1].type, bench->width, bench->height);
  const bool ran = time_on_device(bench, step, images, n, us, &answer);
  double cpu_us = now_us();
  const VitrailStatus status = step(bench, bench->cpu, NULL, images);
  cpu_us = now_us() - cpu_us;
  const bool equal = ran && memcmp(answer.data, images[n - 1].data, (size_t)(answer.height * answer.stride)) == 0;
  qsort(us, (size_t)bench->n_runs, sizeof *us, compare_doubles);
  printf("| %-28s | %9.1f | %9.1f | %9.0f | %s |\n", what, us[bench->n_runs / 2], us[0],
         status == VITRAIL_OK ? cpu_us : NAN,
         !ran                            ? "failed"
         : status == VITRAIL_UNSUPPORTED ? "only here"
         : equal                         ? "equal"
                                         : "WRONG");
  bench->n_wrong += !ran || (status != VITRAIL_UNSUPPORTED && !equal);
  if (status == VITRAIL_UNSUPPORTED && ran)
    memcpy(images[n - 1].data, answer.data, (size_t)(answer.height * answer.stride));
  free(answer.data);
}

static void
set_smoothing(Bench *bench, int32_t radius)
{
  uint32_t rest = 0;
  bench->radius = radius;
  for (int32_t k = 1; k <= radius; k++) {
    bench->weights[k] = (uint32_t)(60000 / (2 * radius + 1));
    rest += 2 * bench->weights[k];
  }
  bench->weights[0] = 65536 - rest;
}

/* The flood level: height at seeds, reconstructed under height. */
static void
flood(const Bench *bench, const VtImage *height, const VtImage *seeds, const VtImage *level)
{
  for (int64_t i = 0; i < height->width * height->height; i++)
    ((float *)level->data)[i] = ((const int32_t *)seeds->data)[i] ? ((const float *)height->data)[i] : -1;
  const VtReconstruct args = { .marker = *level, .mask = *height, .connectivity = 8 };
  bench->cpu->reconstruct->run(NULL, &args, NULL);
}

static void
bench_all(Bench *bench)
{
  const int64_t w = bench->width, h = bench->height;
  const VtImage rgb = mini_tissue_new(w, h, 3), stain = mini_image_new(VITRAIL_U16, w, h),
                other = mini_image_new(VITRAIL_U16, w, h), mask = mini_image_new(VITRAIL_U8, w, h),
                height = mini_image_new(VITRAIL_F32, w, h), level = mini_image_new(VITRAIL_F32, w, h),
                tops = mini_image_new(VITRAIL_U8, w, h), seeds = mini_image_new(VITRAIL_I32, w, h),
                labels = mini_image_new(VITRAIL_I32, w, h);
  for (int k = 0; k < 3 * 256; k++)
    bench->table[k] = (int32_t)(16 * 4000 * log10(255.0 / (k % 256 + 1)));
  printf("steps on %s, %lld x %lld, microseconds of a call, median and least of %d\n\n",
         bench->gpu->device_name(bench->device), (long long)w, (long long)h, bench->n_runs);
  printf("| %-28s | %9s | %9s | %9s | answer |\n| --- | --: | --: | --: | --- |\n", "step", "median", "least",
         "one core");
  line(bench, "tables", lut3, (VtImage[]){ rgb, stain }, 2);
  for (int k = 0; k < 3; k++) {
    static const int32_t radii[] = { 16, 30, 512 };
    char what[40];
    bench->radius = radii[k];
    snprintf(what, sizeof what, "erosion, radius %d", bench->radius);
    line(bench, what, erode, (VtImage[]){ stain, other }, 2);
  }
  set_smoothing(bench, 3);
  line(bench, "smoothing, radius 3", smooth, (VtImage[]){ stain, other }, 2);
  set_smoothing(bench, 27);
  line(bench, "smoothing, radius 27", smooth, (VtImage[]){ stain, other }, 2);
  line(bench, "difference", subtract, (VtImage[]){ stain, other, other }, 3);
  line(bench, "threshold", above, (VtImage[]){ stain, mask }, 2);
  line(bench, "distance", distance, (VtImage[]){ mask, height }, 2);
  line(bench, "regional maxima", regional, (VtImage[]){ height, tops }, 2);
  for (int64_t i = 0; i < w * h; i++)
    ((uint8_t *)tops.data)[i] &= ((const uint8_t *)mask.data)[i];
  line(bench, "components", components, (VtImage[]){ tops, seeds }, 2);
  flood(bench, &height, &seeds, &level);
  line(bench, "watershed", watershed, (VtImage[]){ level, seeds, mask, labels }, 4);
  line(bench, "numbering", number, (VtImage[]){ stain, labels }, 2);
  const VtImage all[] = { rgb, stain, other, mask, height, level, tops, seeds, labels };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    free(all[k].data);
}

int
main(int argc, char **argv)
{
  Bench bench = { .cpu = vt_cpu_backend(), .gpu = vt_gpu_backend() };
  char reason[256] = "";
  bench.width = argc > 2 ? atoll(argv[1]) : 1920;
  bench.height = argc > 2 ? atoll(argv[2]) : 1080;
  bench.n_runs = argc > 3 ? atoi(argv[3]) : 25;
  if (bench.width < 1 || bench.height < 1 || bench.n_runs < 1 || bench.n_runs > MAX_RUNS)
    return 2;
  if (bench.gpu->probe(reason, sizeof reason) < 1
      || bench.gpu->open(0, NULL, &bench.device, reason, sizeof reason) != VITRAIL_OK) {
    printf("no CUDA device: %s\n", reason);
    return 77;
  }
  bench_all(&bench);
  bench.gpu->close(bench.device);
  return bench.n_wrong ? 1 : 0;
}
