/* SPDX-License-Identifier: MIT
 *
 * bench-measure.c: the one place that times a call: by the clock on the wall, with the median, the least and the spread of its
 * runs, a copy of as many bytes beside it, the memory it takes, and the answer compared. */
#include "bench.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef VT_BENCH_CUDA
#include <cuda_runtime_api.h>
#endif

enum { N_COPIES = 5, MOST_COPIED = 1 << 30 };

/* Sums of whole answers, of value and of value * (index * 2654435761 mod 2^32), on which three or more independent programs
 * agree (the distances of 16384²: two). Distances: of the squares. */
static const struct {
  const char *name;
  int64_t side;
  uint64_t plain, weighted;
} published[] = {
  { "reconstruct-8-h-max", 2048, 568312711, 0x10efe2790b14108d },
  { "reconstruct-8-sparse", 2048, 571124716, 0x1105559daa6523a8 },
  { "reconstruct-4-h-max", 2048, 563665704, 0x10cc726095d14f2d },
  { "reconstruct-4-sparse", 2048, 566184432, 0x10dfaa20f36bec31 },
  { "reconstruct-8-h-max", 4096, 2144158823, 0x3fe6a46353789962 },
  { "reconstruct-8-sparse", 4096, 2150769036, 0x40190de37b37dac1 },
  { "reconstruct-4-h-max", 4096, 2125569429, 0x3f58d2c6e33d0783 },
  { "reconstruct-4-sparse", 4096, 2130852015, 0x3f811e1926ac894e },
  { "reconstruct-8-h-max", 16384, 33681133202, 0xebc6bf7b719d829f },
  { "reconstruct-8-sparse", 16384, 33851095962, 0xf0d77526b0e485f7 },
  { "reconstruct-4-h-max", 16384, 33383698756, 0xe2e9685c3b9f646c },
  { "reconstruct-4-sparse", 16384, 33533164132, 0xe75db48f6a799f98 },
  { "distance", 2048, 13163294216, 0x88509b90f32c8cea },
  { "distance", 4096, 37203910369, 0x54b82c8ad2c16424 },
  { "distance", 16384, 545662519471, 0x85fcd765ac0f53b2 },
};

uint64_t
bench_hash(uint64_t hash, const void *data, size_t n)
{
  const uint8_t *p = data;
  uint64_t word;
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    memcpy(&word, p + i, 8);
    hash = (hash ^ word) * 0x100000001B3u;
    hash ^= hash >> 29;
  }
  for (; i < n; i++)
    hash = (hash ^ p[i]) * 0x100000001B3u;
  return hash;
}

enum { COPY_PART = 1 << 20 };
typedef struct {
  char *from, *to;
  size_t bytes;
} Copy;

static void
copy_part(void *user, uint32_t i)
{
  const Copy *copy = user;
  const size_t at = (size_t)i * COPY_PART;
  memcpy(copy->to + at, copy->from + at, copy->bytes - at < COPY_PART ? copy->bytes - at : COPY_PART);
}

static bool
copy_once(Bench *bench, const Copy *copy)
{
  if (strcmp(bench->backend->id, "cpu") == 0) {
    bench_parallel(&bench->n_threads, (uint32_t)((copy->bytes + COPY_PART - 1) / COPY_PART), copy_part, (void *)copy);
    return true;
  }
#ifdef VT_BENCH_CUDA
  return cudaMemcpy(copy->to, copy->from, copy->bytes, cudaMemcpyDeviceToDevice) == cudaSuccess
         && cudaDeviceSynchronize() == cudaSuccess;
#else
  return false;
#endif
}

/* --- images --- */

static bool
to_device(Bench *bench, int k)
{
  const VtImage to = bench_as_bytes(&bench->images[k]), from = bench_as_bytes(&bench->host[k]);
  return bench->backend->upload(bench->device, &to, &from) == VITRAIL_OK;
}

static bool
is_in_place(const Bench *bench)
{
  const int k = bench->at->answer;
  return !bench->at->on_host && k < bench->n_images && bench->at->images[k].kind != BENCH_OUT;
}

/* A copy in CUDA's memory, so that between two runs nothing crosses the bus. */
static bool
keep_start(Bench *bench)
{
#ifdef VT_BENCH_CUDA
  const VtImage *image = &bench->images[bench->at->answer];
  if (!is_in_place(bench) || strcmp(bench->backend->id, "cpu") == 0)
    return true;
  if (bench->backend->alloc(bench->device, bench_image_bytes(image), &bench->start) != VITRAIL_OK)
    return false;
  return copy_once(bench, &(Copy){ image->data, bench->start, bench_image_bytes(image) });
#else
  return true;
#endif
}

bool
bench_take_images(Bench *bench)
{
  const BenchCase *at = bench->at;
  for (bench->n_images = 0; bench->n_images < BENCH_MAX_IMAGES && at->images[bench->n_images].kind;) {
    const int k = bench->n_images++;
    bench->host[k] = bench_image_new(bench, &at->images[k], bench->width, bench->height);
    bench->images[k] = bench->host[k];
    if (!bench->host[k].data)
      return false;
    if (at->on_host)
      continue;
    bench->images[k].data = NULL;
    if (bench->backend->alloc(bench->device, bench_image_bytes(&bench->host[k]), &bench->images[k].data) != VITRAIL_OK
        || !to_device(bench, k)) /* an output, too: its pages are not the call's */
      return false;
  }
  return keep_start(bench);
}

void
bench_drop_images(Bench *bench)
{
  for (int k = 0; k < bench->n_images; k++) {
    if (!bench->at->on_host && bench->images[k].data)
      bench->backend->free(bench->device, bench->images[k].data);
    free(bench->host[k].data);
    bench->host[k].data = bench->images[k].data = NULL;
  }
  bench->n_images = 0;
  if (bench->start)
    bench->backend->free(bench->device, bench->start);
  bench->start = NULL;
}

bool
bench_refill(Bench *bench)
{
  const VtImage *image = &bench->images[bench->at->answer];
  if (!is_in_place(bench))
    return true;
  return bench->start ? copy_once(bench, &(Copy){ bench->start, image->data, bench_image_bytes(image) })
                      : to_device(bench, bench->at->answer);
}

/* --- memory --- */

/* A line of /proc/self/status in bytes; < 0 where there is none. */
static double
memory_line(const char *name)
{
  char line[256];
  double kib = -1;
  FILE *status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status))
    if (strncmp(line, name, strlen(name)) == 0)
      kib = atof(line + strlen(name));
  if (status)
    fclose(status);
  return kib * 1024;
}

/* The peak starts again from what is in use now, which is returned. */
static double
start_peak(Bench *bench)
{
  if (bench->backend->take_memory_peak) {
    double images = 0;
    for (int k = 0; k < bench->n_images && !bench->at->on_host; k++)
      images += (double)bench_image_bytes(&bench->images[k]) * (bench->start && k == bench->at->answer ? 2 : 1);
    bench->backend->take_memory_peak(0);
    return images;
  }
  malloc_trim(0); /* what was freed before must not hide what the call takes */
  FILE *file = fopen("/proc/self/clear_refs", "w");
  if (file) {
    fputs("5", file);
    fclose(file);
  }
  return memory_line("VmRSS:");
}

static double
peak_beyond(Bench *bench, double start)
{
  if (bench->backend->take_memory_peak)
    return (double)bench->backend->take_memory_peak(0) - start;
  const double peak = memory_line("VmHWM:");
  return start < 0 || peak < 0 ? -1 : peak - start;
}

/* --- the copy --- */

/* ms of a copy that reads and writes together so many bytes, in the device's memory; 0: not known. */
static double
time_copy(Bench *bench, double bytes)
{
  Copy copy = { .bytes = bytes / 2 < MOST_COPIED ? (size_t)(bytes / 2) : MOST_COPIED };
  void *from = NULL, *to = NULL;
  double best = 0;
  if (copy.bytes > 0 && bench->backend->alloc(bench->device, copy.bytes, &from) == VITRAIL_OK
      && bench->backend->alloc(bench->device, copy.bytes, &to) == VITRAIL_OK) {
    copy.from = from;
    copy.to = to;
    for (int run = -1; run < N_COPIES; run++) { /* the first one touches the pages */
      const double before = vt_now_ms();
      if (!copy_once(bench, &copy))
        break;
      const double ms = vt_now_ms() - before;
      best = run == 0 || (run > 0 && ms < best) ? ms : best;
    }
  }
  bench->backend->free(bench->device, from);
  bench->backend->free(bench->device, to);
  return copy.bytes > 0 ? best * bytes / 2 / (double)copy.bytes : 0;
}

/* --- answers --- */

static void
write_file(Bench *bench, const char *name, const VtImage *image)
{
  static const char *const types[] = {
    [VITRAIL_U8] = "u8", [VITRAIL_U16] = "u16", [VITRAIL_I32] = "i32", [VITRAIL_F32] = "f32", [VITRAIL_RGBA8] = "rgba8"
  };
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.%s", bench->folder, name, types[image->type]);
  FILE *file = fopen(path, "wb");
  const bool written = file && fwrite(image->data, 1, bench_image_bytes(image), file) == bench_image_bytes(image);
  if ((file && fclose(file) != 0) || !written) {
    fprintf(stderr, "vitrail-bench: %s cannot be written\n", path);
    bench->n_bad++;
  }
}

/* Whether the sums are the published ones; true where there are none. */
static bool
is_published(const Bench *bench, const VtImage *answer)
{
  uint64_t plain = 0, weighted = 0;
  size_t k = 0;
  while (k < VT_COUNT(published)
         && (strcmp(published[k].name, bench->at->name) != 0 || published[k].side != answer->width
             || published[k].side != answer->height))
    k++;
  if (k == VT_COUNT(published) || bench->picture)
    return true;
  for (int64_t i = 0; i < answer->width * answer->height; i++) {
    const double d = answer->type == VITRAIL_F32 ? ((const float *)answer->data)[i] : 0;
    /* A square under 2^24 comes back from its root exactly. */
    const uint64_t value = answer->type == VITRAIL_F32 ? (uint64_t)(d * d + 0.5) : ((const uint8_t *)answer->data)[i];
    plain += value;
    weighted += value * (uint32_t)((uint64_t)i * 2654435761u);
  }
  return plain == published[k].plain && weighted == published[k].weighted;
}

static void
take_answer(Bench *bench, BenchLine *line, bool is_first)
{
  const uint64_t begin = 0xCBF29CE484222325u;
  const int k = bench->at->answer;
  if (bench->at->answer_of) {
    line->answer = bench->at->answer_of(bench);
    return;
  }
  VtImage answer = bench->images[k];
  if (!bench->at->on_host && !(answer.data = malloc(bench_image_bytes(&answer)))) {
    line->status = VITRAIL_OUT_OF_MEMORY;
    return;
  }
  const VtImage to = bench_as_bytes(&answer), from = bench_as_bytes(&bench->images[k]);
  if (!bench->at->on_host)
    line->status = bench->backend->download(bench->device, &to, &from);
  line->answer = bench_hash(begin, answer.data, bench_image_bytes(&answer));
  line->right = strcmp(line->variant, "danielsson") == 0 || is_published(bench, &answer);
  for (int i = 0; bench->folder && is_first && i < bench->n_images; i++)
    if (bench->at->images[i].kind != BENCH_OUT)
      write_file(bench, bench_kind_name(bench->at->images[i].kind), &bench->host[i]);
  if (bench->folder && is_first)
    write_file(bench, bench->at->name, &answer);
  if (!bench->at->on_host)
    free(answer.data);
}

/* The first line of a case and size; alike: with the same backend and number of threads, too. */
static const BenchLine *
first_line(const Bench *bench, const char *name, const BenchLine *line, bool alike)
{
  for (size_t k = 0; k < bench->n_lines; k++) {
    const BenchLine *l = bench->lines[k];
    const bool same_run = strcmp(l->backend, line->backend) == 0 && l->n_threads == line->n_threads;
    if (strcmp(l->at->name, name) == 0 && l->width == line->width && l->height == line->height
        && l->status == VITRAIL_OK && (same_run || !alike))
      return l;
  }
  return NULL;
}

/* --- the call --- */

static int
compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double
bench_median(double *ms, int n)
{
  qsort(ms, (size_t)n, sizeof *ms, compare);
  return ms[n / 2];
}

static void
sum_up(BenchLine *line, double *ms, int n)
{
  line->n = n;
  line->median = bench_median(ms, n);
  line->least = ms[0];
  line->spread = ms[n / 2] > 0 ? (ms[(3 * n - 1) / 4] - ms[n / 4]) / ms[n / 2] : 0;
}

/* The first run warms up, unless it took the time of a line. */
static VitrailStatus
time_runs(Bench *bench, BenchLine *line)
{
  double ms[BENCH_MAX_RUNS], total = 0;
  int n = 0;
  for (int run = -1; run < bench->n_runs && (n == 0 || total < bench->seconds * 1e3); run++) {
    if (!bench_refill(bench))
      return VITRAIL_OUT_OF_MEMORY;
    const double start = run < 0 ? start_peak(bench) : 0;
    bench->own_ms = -1;
    const double before = vt_now_ms();
    const VitrailStatus status = bench->at->run(bench, NULL);
    const double passed = vt_now_ms() - before;
    if (status != VITRAIL_OK)
      return status;
    if (run < 0)
      line->extra_bytes = peak_beyond(bench, start);
    total += passed;
    if (run >= 0 || total >= bench->seconds * 1e3)
      ms[n++] = bench->own_ms >= 0 ? bench->own_ms : passed;
  }
  sum_up(line, ms, n);
  return VITRAIL_OK;
}

void
bench_time(Bench *bench)
{
  BenchLine *line = malloc(sizeof *line), **lines = realloc(bench->lines, (bench->n_lines + 1) * sizeof *lines);
  if (!line || !lines)
    exit(EXIT_FAILURE);
  bench->lines = lines;
  *line = (BenchLine){ .at = bench->at,
                       .backend = bench->backend->id,
                       .simd = bench->simd_name,
                       .n_threads = bench->n_threads,
                       .width = bench->width,
                       .height = bench->height,
                       .right = true };
  snprintf(line->variant, sizeof line->variant, "%s", bench->at->variant(bench, bench->variant));
  const BenchLine *first = first_line(bench, bench->at->name, line, false);
  const BenchLine *other = bench->at->against ? first_line(bench, bench->at->against, line, true) : NULL;
  line->against = other ? other : first;
  bench->note[0] = '\0';
  line->status = time_runs(bench, line);
  if (line->status == VITRAIL_OK)
    take_answer(bench, line, !first);
  if (line->status == VITRAIL_OK && line->against && strcmp(line->variant, "danielsson") != 0)
    line->right = line->right && line->answer == line->against->answer && (!first || line->answer == first->answer);
  if (line->status == VITRAIL_OK && bench->at->bytes > 0)
    line->copy_ms = time_copy(bench, bench->at->bytes * (double)bench->width * (double)bench->height);
  memcpy(line->note, bench->note, sizeof line->note);
  bench->n_bad += (line->status != VITRAIL_OK && line->status != VITRAIL_UNSUPPORTED) || !line->right;
  lines[bench->n_lines++] = line;
  bench_print(bench, line);
}
