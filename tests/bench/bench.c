/* SPDX-License-Identifier: MIT
 *
 * vitrail-bench: times the kernels of the CPU and of CUDA, the drivers, and whole runs of ops; see usage() below. */
#include "bench.h"

#include "../../cpu/simd.h"
#include "../support/test-parallel.h"

#include <fnmatch.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEAST_SIDE = 512 /* of a call that is cancelled over its whole run */, MOST_SIDE = 1 << 18 };

static void
usage(FILE *out)
{
  fputs(
    "vitrail-bench [OPTION...] [CASE...]\n"
    "Times the cases whose names begin so, or match a pattern (reconstruct-*-u16); all of them without a name.\n"
    "Answers are compared with published sums, and with each other from algorithm to algorithm, from one number of\n"
    "threads to the next and from backend to backend.\n"
    "  --list              what there is, and stop\n"
    "  --picture FILE      made of this grey picture (PGM, P5), repeated, instead of a made-up tissue\n"
    "  --size LIST         2048,1920x1080: instead of the sizes of each case\n"
    "  --backend LIST      cpu (the default), cuda, or both: cpu,cuda\n"
    "  --threads LIST      of kernels on the CPU, and of the host of whole runs (default: 1, and all)\n"
    "  --simd LIST         baseline,avx2,avx512: on the CPU, at most these instructions; all: each of them\n"
    "  --algorithm ID      only this one\n"
    "  --repeat N          at most so many runs (11), after one to warm up\n"
    "  --seconds S         for a line, at most (4)\n"
    "  --memory MIB        instead of the budgets of streamed runs\n"
    "  --json              a line of JSON for each measurement\n"
    "  --write FOLDER      the images and the answer of each case, as raw files\n"
    "  --cancel            cancel the calls instead: how long they go on\n"
    "  --limit MS          of an answer to a cancel; --moments N cancels (12), --within MS of a run (2000)\n"
    "Exit status: 1 an answer is wrong, a call failed, or a cancel took too long; 2 usage; 77 no such device.\n",
    out);
}

static const BenchCase *const tables[] = { bench_kernel_cases, bench_texture_cases, bench_run_cases };

static bool
is_name(const char *name)
{
  for (size_t t = 0; t < VT_COUNT(tables); t++)
    for (const BenchCase *c = tables[t]; c->name; c++)
      if (strcmp(c->name, name) == 0)
        return true;
  return false;
}

static bool
is_wanted(const BenchCase *c, char **names, int n_names)
{
  for (int k = 0; k < n_names; k++)
    if (is_name(names[k]) ? strcmp(c->name, names[k]) == 0
                          : strncmp(c->name, names[k], strlen(names[k])) == 0 || fnmatch(names[k], c->name, 0) == 0)
      return true;
  return n_names == 0;
}

/* --- devices: opened when first asked for, and kept --- */

static void
device_threads(void *user, uint32_t n, void (*job)(void *job_user, uint32_t index), void *job_user)
{
  bench_watched_parallel(user, n, job, job_user);
}

static VtDevice *
open_device(Bench *bench)
{
  static struct {
    const VtBackend *backend;
    uint32_t n_threads;
    VtDevice *device;
  } open[VT_MAX_BACKENDS * BENCH_MAX_LIST];
  const bool is_cpu = strcmp(bench->backend->id, "cpu") == 0;
  const VtParallel parallel = { bench->n_threads, bench, device_threads };
  char reason[256] = "";
  size_t k = 0;
  while (open[k].device && (open[k].backend != bench->backend || (is_cpu && open[k].n_threads != bench->n_threads)))
    k++;
  if (!open[k].device && bench->backend->open(0, &parallel, &open[k].device, reason, sizeof reason) != VITRAIL_OK) {
    fprintf(stderr, "vitrail-bench: %s does not open: %s\n", bench->backend->id, reason);
    bench->n_bad++;
    return NULL;
  }
  open[k].backend = bench->backend;
  open[k].n_threads = bench->n_threads;
  return open[k].device;
}

/* --- one case --- */

static void
drop(Bench *bench)
{
  if (bench->at->clear)
    bench->at->clear(bench);
  bench_drop_images(bench);
}

static bool
take(Bench *bench)
{
  char size[32];
  if (bench_take_images(bench) && (!bench->at->prepare || bench->at->prepare(bench)))
    return true;
  fprintf(stderr, "vitrail-bench: %s: no memory for images of %s, or they are too small\n", bench->at->name,
          bench_size_text(bench->width, bench->height, size));
  bench->n_bad++;
  drop(bench);
  return false;
}

/* Full size, then, if that is long, the first smaller one whose whole run is not. False: the images are gone. */
static bool
cancel_variant(Bench *bench)
{
  const int64_t width = bench->width, height = bench->height;
  bool through = bench_cancel(bench);
  if (through || width / 2 < LEAST_SIDE)
    return true;
  while (!through && bench->width / 2 >= LEAST_SIDE) {
    drop(bench);
    bench->width /= 2;
    bench->height /= 2;
    if (!take(bench))
      return false;
    through = bench_is_through(bench);
  }
  bench_cancel(bench);
  drop(bench);
  bench->width = width;
  bench->height = height;
  return take(bench);
}

static void
measure_variants(Bench *bench)
{
  const char *id;
  for (bench->variant = 0; (id = bench->at->variant(bench, bench->variant)); bench->variant++) {
    if (bench->algorithm && *id && strcmp(id, bench->algorithm) != 0)
      continue;
    if (!bench->cancels)
      bench_time(bench);
    else if (!cancel_variant(bench))
      return;
  }
}

static void
measure_simd(Bench *bench)
{
  const VtCpuSimd usual = vt_cpu_simd();
  const bool is_cpu = strcmp(bench->backend->id, "cpu") == 0;
  bench->simd_name = "";
  for (int k = 0; is_cpu && k < bench->n_simd; k++)
    if (vt_cpu_simd_limit((VtCpuSimd)bench->simd[k]) == (VtCpuSimd)bench->simd[k]) {
      bench->simd_name = vt_cpu_simd_name((VtCpuSimd)bench->simd[k]);
      measure_variants(bench);
    }
  vt_cpu_simd_limit(usual);
  if (!is_cpu || bench->n_simd == 0)
    measure_variants(bench);
}

static void
measure_size(Bench *bench)
{
  const bool counts = bench->at->on_host || strcmp(bench->backend->id, "cpu") == 0;
  for (uint32_t k = 0; k == 0 || (counts && k < bench->n_thread_counts); k++) {
    bench->n_threads = bench->n_thread_counts > 0             ? bench->thread_counts[k]
                       : bench->at->on_host || bench->cancels ? bench->n_cores
                                                              : 1;
    bench->device = open_device(bench);
    if (!bench->device || !take(bench))
      return;
    measure_simd(bench);
    drop(bench);
  }
}

/* The next size of a list, "2048,1920x1080"; false at its end or where it is none. */
static bool
next_size(const char **list, int64_t *width, int64_t *height)
{
  char *end;
  *width = *height = strtoll(*list, &end, 10);
  if (*end == 'x')
    *height = strtoll(end + 1, &end, 10);
  const bool fine = end != *list && (*end == ',' || *end == '\0') && *width > 0 && *height > 0 && *width <= MOST_SIDE
                    && *height <= MOST_SIDE;
  *list = *end == ',' ? end + 1 : end;
  return fine;
}

static void
measure_case(Bench *bench, const BenchCase *c)
{
  bench->at = c;
  for (uint32_t b = 0; b < bench->n_backends; b++) {
    bench->backend = bench->backends[b];
    const char *own = c->sizes[strcmp(bench->backend->id, "cpu") != 0];
    const char *list = !own ? "" : bench->sizes ? bench->sizes : own;
    while (*list && next_size(&list, &bench->width, &bench->height))
      measure_size(bench);
  }
}

/* --- options --- */

static bool
take_backends(Bench *bench, const char *list)
{
  const VitrailPlugin *plugin = vitrail_plugin_entry(VITRAIL_ABI_MAJOR, VITRAIL_ABI_MINOR);
  if (!bench->session && plugin->session_open(&bench->session) != VITRAIL_OK)
    return false;
  bench->n_backends = 0;
  for (uint32_t i = 0; i < bench->session->n_backends; i++) {
    const VtBackendState *state = &bench->session->backends[i];
    if (state->backend && strstr(list, state->backend->id) && state->device)
      bench->backends[bench->n_backends++] = state->backend;
    else if (state->backend && strstr(list, state->backend->id))
      fprintf(stderr, "vitrail-bench: %s\n", state->reason);
  }
  return bench->n_backends > 0 && bench->n_backends == 1u + (strchr(list, ',') != NULL);
}

static bool
take_threads(Bench *bench, const char *list)
{
  for (char *end; *list && bench->n_thread_counts < BENCH_MAX_LIST; list = *end ? end + 1 : end) {
    const long n = strtol(list, &end, 10);
    if (end == list || n < 1 || n > BENCH_MAX_THREADS)
      return false;
    bench->thread_counts[bench->n_thread_counts++] = (uint32_t)n;
  }
  return *list == '\0';
}

static bool
take_simd(Bench *bench, const char *list)
{
  for (int k = 0; k < VT_CPU_N_SIMD; k++)
    if (strcmp(list, "all") == 0 || strstr(list, vt_cpu_simd_name((VtCpuSimd)k)))
      bench->simd[bench->n_simd++] = k;
  return bench->n_simd > 0;
}

static const struct option options[] = {
  { "list", no_argument, NULL, 'l' },          { "size", required_argument, NULL, 's' },
  { "backend", required_argument, NULL, 'b' }, { "threads", required_argument, NULL, 't' },
  { "simd", required_argument, NULL, 'v' },    { "algorithm", required_argument, NULL, 'a' },
  { "repeat", required_argument, NULL, 'r' },  { "seconds", required_argument, NULL, 'e' },
  { "memory", required_argument, NULL, 'm' },  { "json", no_argument, NULL, 'j' },
  { "write", required_argument, NULL, 'w' },   { "cancel", no_argument, NULL, 'c' },
  { "limit", required_argument, NULL, 'i' },   { "moments", required_argument, NULL, 'n' },
  { "within", required_argument, NULL, 'h' },  { "picture", required_argument, NULL, 'p' },
  { "help", no_argument, NULL, '?' },          { 0 }
};

static bool
take_option(Bench *bench, int letter, const char *text)
{
  const double number = text ? atof(text) : 0;
  const char *sizes = text;
  int64_t width, height;
  switch (letter) {
  case 's':
    bench->sizes = text;
    while (*sizes)
      if (!next_size(&sizes, &width, &height))
        return false;
    return true;
  case 't': return take_threads(bench, text);
  case 'v': return take_simd(bench, text);
  case 'a': bench->algorithm = text; return true;
  case 'r': bench->n_runs = (int)number; return number >= 1 && number < BENCH_MAX_RUNS;
  case 'e': bench->seconds = number; return number > 0;
  case 'm': bench->memory = (uint64_t)(number * 1048576); return number >= 1;
  case 'j': return bench->json = true;
  case 'w': bench->folder = text; return true;
  case 'p': bench->picture = text; return bench_image_take_picture(text);
  case 'c': return bench->cancels = true;
  case 'i': bench->limit_ms = number; return number > 0;
  case 'n': bench->n_moments = (int)number; return number >= 1;
  case 'h': bench->within_ms = number; return number > 0;
  default: return false;
  }
}

int
main(int argc, char **argv)
{
  const long n_cores = sysconf(_SC_NPROCESSORS_ONLN);
  Bench bench = { .n_runs = 11, .seconds = 4, .n_moments = 12, .within_ms = 2000 };
  const char *backends = "cpu";
  bool fine = true;
  bench.n_cores = n_cores < BENCH_MAX_THREADS ? (uint32_t)n_cores : BENCH_MAX_THREADS;
  for (int letter; fine && (letter = getopt_long(argc, argv, "", options, NULL)) != -1;)
    if (letter == 'l')
      return bench_list(), 0;
    else if (letter == 'b')
      backends = optarg;
    else
      fine = take_option(&bench, letter, optarg);
  int n_found = 0;
  for (size_t t = 0; t < VT_COUNT(tables); t++)
    for (const BenchCase *c = tables[t]; c->name; c++)
      n_found += is_wanted(c, argv + optind, argc - optind);
  if (!fine || n_found == 0)
    return usage(stderr), 2;
  if (!take_backends(&bench, backends))
    return 77;
  bench_print_head(&bench);
  for (size_t t = 0; t < VT_COUNT(tables); t++)
    for (const BenchCase *c = tables[t]; c->name; c++)
      if (is_wanted(c, argv + optind, argc - optind))
        measure_case(&bench, c);
  bench_image_clear();
  vitrail_plugin_entry(VITRAIL_ABI_MAJOR, VITRAIL_ABI_MINOR)->session_close(bench.session);
  for (size_t k = 0; k < bench.n_lines; k++)
    free(bench.lines[k]);
  free(bench.lines);
  return bench.n_bad > 0;
}
