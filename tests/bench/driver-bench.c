/* SPDX-License-Identifier: MIT
 *
 * driver-bench [FILE.md] [--size N] [--threads N] [--memory MIB]: what the drivers cost. Reconstruction (u8, 8-connected, h-max)
 * of the benchmark image: the kernel alone in memory, the driver in memory, the driver under a byte budget with scratch
 * files. Ratios in one run, wall time, best of some. */
#include <inttypes.h>

#include "../support/bench-image.h"
#include "../support/test-parallel.h"
#include "bench.h"
#include "drivers/propagate.h"

const VitrailPlugin *vitrail_plugin_entry(uint32_t host_major, uint32_t host_minor);

typedef struct {
  int64_t size;
  uint32_t n_threads;
  uint64_t memory; /* bytes; 0: in memory */
  const uint8_t *mask;
  uint8_t *result;
  double peak_bytes, scratch_bytes, visits;
} Bench;

static void
parallel_for(void *user, uint32_t n, void (*job)(void *job_user, uint32_t index), void *job_user)
{
  vt_test_run(&((Bench *)user)->n_threads, n, job, job_user);
}

static VitrailStatus
read_region(void *user, uint32_t handle, uint32_t downsample, int64_t x, int64_t y, int64_t width, int64_t height,
            void *dst, size_t stride)
{
  const Bench *bench = user;
  for (int64_t row = 0; row < height; row++)
    memcpy((char *)dst + (size_t)row * stride, bench->mask + (y + row) * bench->size + x, (size_t)width);
  return VITRAIL_OK;
}

static VitrailStatus
emit_tile(void *user, const VitrailTile *tile)
{
  Bench *bench = user;
  for (int64_t row = 0; row < tile->height; row++)
    memcpy(bench->result + (tile->y + row) * bench->size + tile->x,
           (const char *)tile->data + (size_t)row * tile->stride, (size_t)tile->width);
  return VITRAIL_OK;
}

static VitrailStatus
emit_none(void *user, const VitrailObject *object)
{
  return VITRAIL_OK;
}

static VitrailStatus
emit_no_row(void *user, const VitrailRow *row)
{
  return VITRAIL_OK;
}

static bool
never(void *user)
{
  return false;
}

static void
keep_fact(void *user, const char *key, const char *text, double number)
{
  Bench *bench = user;
  if (strcmp(key, "memory-peak-bytes") == 0)
    bench->peak_bytes = number;
  if (strcmp(key, "scratch-bytes") == 0)
    bench->scratch_bytes = number;
  if (strcmp(key, "tile-visits") == 0)
    bench->visits = number;
}

static void
say(void *user, VitrailLogLevel level, const char *sentence)
{
  if (level >= VITRAIL_LOG_WARNING)
    fprintf(stderr, "%s\n", sentence);
}

/* Seconds of a whole run of the op, reading and emitting included; -1 when it failed. */
static double
time_run(Bench *bench)
{
  const VitrailPlugin *plugin = vitrail_plugin_entry(VITRAIL_ABI_MAJOR, VITRAIL_ABI_MINOR);
  VitrailSession *session = NULL;
  char message[256] = "";
  VitrailInput input = {
    .size = sizeof input, .id = "mask", .type = VITRAIL_U8, .width_l0 = bench->size, .height_l0 = bench->size
  };
  const VitrailInput *inputs[] = { &input };
  VitrailRequest request = { .size = sizeof request,
                             .op_id = "reconstruct",
                             .backend = "cpu",
                             .width_l0 = bench->size,
                             .height_l0 = bench->size,
                             .stages_wanted = 1,
                             .n_inputs = 1,
                             .inputs = inputs,
                             .scratch_dir = bench->memory ? "/tmp" : NULL,
                             .memory_budget = bench->memory };
  VitrailHost host = { .size = sizeof host,
                       .n_threads = bench->n_threads,
                       .user = bench,
                       .read_region = read_region,
                       .emit_tile = emit_tile,
                       .emit_object = emit_none,
                       .emit_row = emit_no_row,
                       .parallel_for = parallel_for,
                       .record = keep_fact,
                       .is_cancelled = never,
                       .log = say };
  if (plugin->session_open(&session) != VITRAIL_OK)
    return -1;
  const double before = vt_bench_wall();
  const VitrailStatus status = plugin->run(session, &request, &host, message, sizeof message);
  const double seconds = vt_bench_wall() - before;
  plugin->session_close(session);
  if (status != VITRAIL_OK)
    fprintf(stderr, "driver-bench: %s\n", message);
  return status == VITRAIL_OK ? seconds : -1;
}

/* The kernel, with its threads, on images in memory. */
static double
time_kernel(Bench *bench, uint8_t *marker)
{
  const VtParallel parallel = { bench->n_threads, bench, parallel_for };
  const VtBackend *cpu = vt_cpu_backend();
  VtDevice *device = NULL;
  char reason[128];
  if (cpu->open(0, &parallel, &device, reason, sizeof reason) != VITRAIL_OK)
    return -1;
  for (int64_t i = 0; i < bench->size * bench->size; i++)
    marker[i] = vt_bench_hmax(bench->mask[i]);
  const VtReconstruct args = { .marker = { marker, bench->size, bench->size, bench->size, VITRAIL_U8 },
                               .mask = { (void *)bench->mask, bench->size, bench->size, bench->size, VITRAIL_U8 },
                               .connectivity = 8 };
  const double before = vt_bench_wall();
  const VitrailStatus status = cpu->reconstruct->run(device, &args, NULL);
  const double seconds = vt_bench_wall() - before;
  cpu->close(device);
  return status == VITRAIL_OK ? seconds : -1;
}

/* The driver on rasters in memory: what an op calls. */
static double
time_driver(Bench *bench, uint8_t *marker)
{
  VitrailRequest request = { .size = sizeof request };
  VtRun run = { .request = &request, .cpu = vt_cpu_backend() };
  char reason[128];
  run.host = (VitrailHost){ .size = sizeof run.host,
                            .n_threads = bench->n_threads,
                            .user = bench,
                            .parallel_for = parallel_for,
                            .is_cancelled = never };
  run.cancel = (VtCancel){ never, bench };
  run.backend = run.cpu;
  const VtParallel parallel = { bench->n_threads, bench, parallel_for };
  if (run.cpu->open(0, NULL, &run.cpu_device, reason, sizeof reason) != VITRAIL_OK
      || run.cpu->open(0, &parallel, &run.cpu_team, reason, sizeof reason) != VITRAIL_OK)
    return -1;
  run.device = run.cpu_device;
  for (int64_t i = 0; i < bench->size * bench->size; i++)
    marker[i] = vt_bench_hmax(bench->mask[i]);
  const VtImage images[2] = { { marker, bench->size, bench->size, bench->size, VITRAIL_U8 },
                              { (void *)bench->mask, bench->size, bench->size, bench->size, VITRAIL_U8 } };
  const double before = vt_bench_wall();
  const VitrailStatus status = vt_reconstruct(&run, &images[0], &images[1], 8, "auto");
  const double seconds = vt_bench_wall() - before;
  run.cpu->close(run.cpu_device);
  run.cpu->close(run.cpu_team);
  return status == VITRAIL_OK ? seconds : -1;
}

typedef struct {
  uint8_t *mask;
  int64_t size;
} Draw;

static void
draw_row(void *user, uint32_t y)
{
  const Draw *draw = user;
  for (int64_t x = 0; x < draw->size; x++)
    draw->mask[y * draw->size + x] = vt_bench_mask((uint32_t)x, y, 1);
}

static void
print_line(FILE *out, const char *what, double seconds, double against, bool same)
{
  fprintf(stdout, "%-58s %8.3f s  %5.2fx  %s\n", what, seconds, seconds / against, same ? "same bytes" : "WRONG");
  if (out)
    fprintf(out, "| %s | %.3f | %.2f | %s |\n", what, seconds, seconds / against, same ? "same bytes" : "WRONG");
  fflush(stdout);
}

static int
measure(Bench *bench, FILE *out, uint8_t *marker, uint8_t *reference)
{
  const size_t n = (size_t)(bench->size * bench->size);
  double kernel = 1e9, driver = 1e9, whole = 1e9, streamed = 1e9;
  bool driver_same = true, whole_same = true, streamed_same = true;
  const uint64_t memory = bench->memory;
  for (int i = 0; i < 3; i++) {
    double t = time_kernel(bench, reference);
    kernel = t > 0 && t < kernel ? t : kernel;
    t = time_driver(bench, marker);
    driver = t > 0 && t < driver ? t : driver;
    driver_same &= memcmp(marker, reference, n) == 0;
    bench->memory = 0;
    t = time_run(bench);
    whole = t > 0 && t < whole ? t : whole;
    whole_same &= memcmp(bench->result, reference, n) == 0;
    bench->memory = memory;
    memset(bench->result, 0, n);
    t = time_run(bench);
    streamed = t > 0 && t < streamed ? t : streamed;
    streamed_same &= memcmp(bench->result, reference, n) == 0;
  }
  char line[256];
  if (out) {
    fprintf(out, "# What the drivers cost\n\n");
    vt_bench_machine(out);
    fprintf(out,
            "Reconstruction of the benchmark image, u8, 8-connected, h-max, %" PRId64 " x %" PRId64
            ", %u threads, best of 3, "
            "wall time.\n\n| what | s | ratio | bytes |\n| --- | --- | --- | --- |\n",
            bench->size, bench->size, bench->n_threads);
  }
  print_line(out, "kernel in memory", kernel, kernel, true);
  print_line(out, "driver in memory, against the kernel", driver, kernel, driver_same);
  print_line(out, "whole run in memory, with reading and emitting", whole, whole, whole_same);
  snprintf(line, sizeof line, "whole run under %" PRIu64 " MiB, against the run in memory", memory >> 20);
  print_line(out, line, streamed, whole, streamed_same);
  snprintf(line, sizeof line, "memory of blocks at most %.0f MiB, scratch files %.0f MiB, %.0f tile visits",
           bench->peak_bytes / 1048576, bench->scratch_bytes / 1048576, bench->visits);
  printf("%s\n", line);
  if (out)
    fprintf(out, "\nUnder the budget: %s.\n", line);
  return driver_same && whole_same && streamed_same ? 0 : 1;
}

int
main(int argc, char **argv)
{
  Bench bench = { .size = 8192, .n_threads = 2, .memory = 256 << 20 };
  FILE *out = NULL;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--size") == 0 && i + 1 < argc)
      bench.size = atoll(argv[++i]);
    else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
      bench.n_threads = (uint32_t)atoi(argv[++i]);
    else if (strcmp(argv[i], "--memory") == 0 && i + 1 < argc)
      bench.memory = (uint64_t)atoll(argv[++i]) << 20;
    else if (!out)
      out = fopen(argv[i], "w");
  }
  if (bench.size < 1 || bench.size > 1 << 16 || bench.n_threads < 1 || bench.n_threads > 64 || bench.memory == 0) {
    fprintf(stderr, "driver-bench: sides are 1 to 65536, threads 1 to 64, memory at least 1 MiB\n");
    return 2;
  }
  const size_t n = (size_t)(bench.size * bench.size);
  uint8_t *pixels = malloc(4 * n);
  if (!pixels)
    return 1;
  Draw draw = { pixels, bench.size };
  parallel_for(&bench, (uint32_t)bench.size, draw_row, &draw);
  bench.mask = pixels;
  bench.result = pixels + n;
  const int status = measure(&bench, out, pixels + 2 * n, pixels + 3 * n);
  free(pixels);
  if (out)
    fclose(out);
  return status;
}
