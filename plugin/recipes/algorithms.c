/* SPDX-License-Identifier: MIT */
#include "recipes/algorithms.h"
#include "run/run.h"

#define ALGORITHM(name, ...) static const VitrailAlgorithm name = { .size = sizeof(VitrailAlgorithm), __VA_ARGS__ }
ALGORITHM(cpu_tile, .op_id = "reconstruct", .backend = "cpu", .id = "tile", .title = "Active tiles, vector sweeps");
ALGORITHM(cpu_fh, .op_id = "reconstruct", .backend = "cpu", .id = "fh", .title = "Fast hybrid (Vincent 1993)");
ALGORITHM(cpu_exact, .op_id = "distance", .backend = "cpu", .id = "exact",
          .title = "Columns, then lower envelopes of rows");
ALGORITHM(cpu_fast, .op_id = "glrlm-map", .backend = "cpu", .id = "fast", .title = "Sliding sums");
ALGORITHM(cpu_serial, .op_id = "glrlm-map", .backend = "cpu", .id = "serial", .title = "Serial walk (Zhang 2019)");
ALGORITHM(cpu_runs, .op_id = "glrlm-rois", .backend = "cpu", .id = "runs",
          .title = "Runs by their start, tile by tile");
ALGORITHM(gpu_tile, .op_id = "reconstruct", .backend = "cuda", .id = "tile", .title = "Active tiles in shared memory");
ALGORITHM(gpu_fh, .op_id = "reconstruct", .backend = "cuda", .id = "fh",
          .title = "Scans and block queues (Teodoro 2012)");
ALGORITHM(gpu_exact, .op_id = "distance", .backend = "cuda", .id = "exact", .title = "Columns, then exact rows");
ALGORITHM(gpu_windows, .op_id = "glrlm-map", .backend = "cuda", .id = "fast", .title = "Sliding windows");
ALGORITHM(gpu_rois, .op_id = "glrlm-rois", .backend = "cuda", .id = "rois", .title = "A block for each region");
#ifdef VT_PAPERS
ALGORITHM(cpu_qb, .op_id = "reconstruct", .backend = "cpu", .id = "qb",
          .title = "Queue from regional maxima (Vincent 1993)");
ALGORITHM(cpu_downhill, .op_id = "reconstruct", .backend = "cpu", .id = "downhill",
          .title = "Downhill, by falling value (Robinson 2004)");
ALGORITHM(cpu_sr, .op_id = "reconstruct", .backend = "cpu", .id = "sr", .title = "Alternating raster scans");
ALGORITHM(cpu_danielsson, .op_id = "distance", .backend = "cpu", .id = "danielsson",
          .title = "Wavefront of nearest pixels (Danielsson 1980)");
ALGORITHM(gpu_heap, .op_id = "reconstruct", .backend = "cuda", .id = "heap",
          .title = "Parallel heaps, brightest first (He 2014)");
ALGORITHM(gpu_sr, .op_id = "reconstruct", .backend = "cuda", .id = "sr", .title = "Directional sweeps (Karas 2010)");
ALGORITHM(gpu_primitives, .op_id = "glrlm-map", .backend = "cuda", .id = "primitives",
          .title = "Parallel primitives (Zhang 2019)");
ALGORITHM(gpu_danielsson, .op_id = "distance", .backend = "cuda", .id = "danielsson",
          .title = "Nearest pixels by propagation (Danielsson 1980)");
enum { N_CPU = 10 };
#else
enum { N_CPU = 6 };
#endif
const VitrailAlgorithm *const vt_algorithms[] = {
  &cpu_tile,
  &cpu_fh,
  &cpu_exact,
  &cpu_fast,
  &cpu_serial,
  &cpu_runs PAPERS(&cpu_qb, &cpu_downhill, &cpu_sr, &cpu_danielsson),
  &gpu_tile,
  &gpu_fh,
  &gpu_exact,
  &gpu_windows,
  &gpu_rois PAPERS(&gpu_heap, &gpu_sr, &gpu_primitives, &gpu_danielsson),
};
const uint32_t vt_n_algorithms = VT_COUNT(vt_algorithms), vt_n_cpu_algorithms = N_CPU;
