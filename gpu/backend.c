/* SPDX-License-Identifier: MIT
 *
 * backend.c: the table of the CUDA backend, the face towards the plugin. */
#include "gpu.h"

static const VtReconstructAlgorithm reconstruct_algorithms[] = {
  { "tile", "Active tiles in shared memory", vt_gpu_reconstruct_tile },
  { "fh", "Scans and block queues (Teodoro 2012)", vt_gpu_reconstruct_fh },
#ifdef VT_PAPERS
  { "sr", "Directional sweeps (Karas 2010)", vt_gpu_reconstruct_sr },
  { "heap", "Parallel heaps, brightest first (He 2014)", vt_gpu_reconstruct_heap },
  { "fh-naive", "Scans and one queue, pixel by pixel (Teodoro 2012)", vt_gpu_reconstruct_fh_naive },
  { "fh-prefix-sum", "Scans and one queue, block by block (Teodoro 2012)", vt_gpu_reconstruct_fh_prefix_sum },
#endif
  { NULL, NULL, NULL },
};

static const VtDistanceAlgorithm distance_algorithms[] = {
  { "exact", "Exact, in one go", vt_gpu_distance_exact },
#ifdef VT_PAPERS
  { "danielsson", "Nearest pixels by propagation (Danielsson 1980)", vt_gpu_distance_danielsson },
#endif
  { NULL, NULL, NULL },
};

static const VtGlrlmAlgorithm glrlm_algorithms[] = {
  { "fast", "Sliding windows", vt_gpu_glrlm_fast },
#ifdef VT_PAPERS
  { "primitives", "Parallel primitives (Zhang 2019)", vt_gpu_glrlm_primitives },
#endif
  { NULL, NULL, NULL },
};

static const VtBackend backend = {
  .id = "cuda",
  .title = "NVIDIA CUDA",
  .max_concurrency = 1,
  .probe = vt_gpu_probe,
  .open = vt_gpu_open,
  .close = vt_gpu_close,
  .device_name = vt_gpu_device_name,
  .last_error = vt_gpu_last_error,
  .alloc = vt_gpu_alloc,
  .free = vt_gpu_free,
  .alloc_host = vt_gpu_alloc_host,
  .free_host = vt_gpu_free_host,
  .upload = vt_gpu_upload,
  .download = vt_gpu_download,
  .reconstruct = reconstruct_algorithms,
  .distance = distance_algorithms,
  .edt_columns = vt_gpu_edt_columns,
  .edt_rows = vt_gpu_edt_rows,
  .geodesic = vt_gpu_geodesic,
  .glrlm_windows = glrlm_algorithms,
  .glrlm_runs = vt_gpu_glrlm_runs,
  .lut3 = vt_gpu_lut3,
  .normalize = vt_gpu_normalize,
  .erode_disc = vt_gpu_erode_disc,
  .smooth = vt_gpu_smooth,
  .pointwise = vt_gpu_pointwise,
  .components = vt_gpu_components,
  .watershed = vt_gpu_watershed,
  .regional = vt_gpu_regional,
  .number = vt_gpu_number,
  .relabel = vt_gpu_relabel,
  .overlaps = vt_gpu_overlaps,
  .begin_upload = vt_gpu_begin_upload,
  .begin_download = vt_gpu_begin_download,
  .wait = vt_gpu_wait,
  .take_memory_peak = vt_gpu_take_memory_peak,
  .spare_memory = vt_gpu_spare_memory,
  .glrlm_rois = vt_gpu_glrlm_rois,
  .windows_at_once = INT64_C(1) << 26,
  .regions = vt_gpu_regions,
  .region_labels = vt_gpu_region_labels,
};

const VtBackend *
vt_gpu_backend(void)
{
  return &backend;
}
