/* SPDX-License-Identifier: MIT
 *
 * bench.h: what the benchmark programs share. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Seconds of this thread's own work. */
static inline double
vt_bench_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline double
vt_bench_wall(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The shortest: what is longer was disturbed. */
static inline double
vt_bench_best(const double *values, int n)
{
  double best = values[0];
  for (int k = 1; k < n; k++)
    best = values[k] < best ? values[k] : best;
  return best;
}

/* The best of five copies, bytes read and written counted; 0 without memory. */
static inline double
vt_bench_copy_gb_per_s(size_t bytes)
{
  char *from = malloc(bytes), *to = malloc(bytes);
  double best = 0;
  for (int run = 0; run < 6 && from && to; run++) {
    memset(from, run, bytes);
    const double before = vt_bench_now();
    memcpy(to, from, bytes);
    const double speed = 2 * (double)bytes / (vt_bench_now() - before) * 1e-9;
    best = run > 0 && to[bytes - 1] == run && speed > best ? speed : best; /* the first one makes the pages */
  }
  free(from);
  free(to);
  return best;
}

static inline void
vt_bench_machine(FILE *out)
{
  char line[256];
  FILE *info = fopen("/proc/cpuinfo", "r");
  while (info && fgets(line, sizeof line, info))
    if (strncmp(line, "model name", 10) == 0 && strchr(line, ':')) {
      fprintf(out, "Machine: %s\n", strchr(line, ':') + 2);
      break;
    }
  if (info)
    fclose(info);
}
