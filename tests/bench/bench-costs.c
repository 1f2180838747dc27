/* SPDX-License-Identifier: MIT
 *
 * bench-costs.c: finds the costs by which CUDA's maps of small windows share their work out, for the GPU that is there. One
 * cost after the other is changed, by less and less; what is faster twice is kept. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef VT_BENCH_CUDA
#include "gpu.h"

enum { N_RUNS = 15 };
static const double LARGEST_CHANGE = 0.5, SMALLEST_CHANGE = 0.05;

/* The median of some runs, in ms; < 0: one failed. */
static double
time_with(Bench *bench, float *at, const float *costs)
{
  double ms[N_RUNS];
  memcpy(at, costs, VT_GPU_GLRLM_COSTS * sizeof *at);
  for (int k = 0; k < N_RUNS; k++) {
    const double before = vt_now_ms();
    if (bench->at->run(bench, NULL) != VITRAIL_OK)
      return -1;
    ms[k] = vt_now_ms() - before;
  }
  return bench_median(ms, N_RUNS);
}

static void
print_costs(const char *what, double ms, const float *costs)
{
  printf("%s: %.4f ms\n", what, ms);
  for (int k = 0; k < VT_GPU_GLRLM_COSTS; k++)
    printf("%.4gf,%c", (double)costs[k], k % 12 == 11 ? '\n' : ' ');
  fflush(stdout);
}

static void
change_one(float *costs, double most)
{
  int k;
  do
    k = (int)(drand48() * VT_GPU_GLRLM_COSTS);
  while (costs[k] <= 0);
  costs[k] *= (float)exp((2 * drand48() - 1) * most);
}

bool
bench_find_costs(Bench *bench)
{
  if (strcmp(bench->backend->id, "cuda") != 0 || strncmp(bench->at->name, "glrlm-", 6) != 0)
    return fputs("vitrail-bench: only CUDA's glrlm-maps have costs to be found\n", stderr), false;
  float *at = vt_gpu_glrlm_costs(bench->device), best[VT_GPU_GLRLM_COSTS], tried[VT_GPU_GLRLM_COSTS];
  memcpy(best, at, sizeof best);
  time_with(bench, at, best); /* warms up */
  double ms = time_with(bench, at, best);
  print_costs("Costs of this device so far", ms, best);
  for (int k = 0; k < VT_GPU_GLRLM_COSTS; k++)
    tried[k] = k % 3 == 0 ? 15 : k % 3 == 1 ? 1 : best[k] > 0 ? 0.2f : 0;
  const double equal = time_with(bench, at, tried);
  print_costs("Equal costs", equal, tried);
  for (int i = 0; i < bench->n_tries && ms > 0; i++) {
    memcpy(tried, best, sizeof best);
    change_one(tried, LARGEST_CHANGE + (SMALLEST_CHANGE - LARGEST_CHANGE) * i / bench->n_tries);
    if (time_with(bench, at, tried) >= ms)
      continue;
    ms = time_with(bench, at, best); /* clocks change with time */
    const double again = time_with(bench, at, tried);
    if (again >= 0 && again < ms) {
      memcpy(best, tried, sizeof best);
      ms = again;
    }
  }
  memcpy(at, best, sizeof best);
  print_costs("Found", time_with(bench, at, best), best);
  return ms > 0 && equal > 0;
}
#else
bool
bench_find_costs(Bench *bench)
{
  fputs("vitrail-bench: this build has no CUDA\n", stderr);
  return false;
}
#endif
