/* SPDX-License-Identifier: MIT
 *
 * exact.cu: the two passes of the exact distance transform (Meijster 2000), in parallel form: columns from bands
 * (bands.cuh), rows by rows.cuh. */
#include "../gpu.h"
#include "bands.cuh"
#include "rows.cuh"

#include <math.h>

enum { BAND = VT_GPU_BAND, COLUMN_THREADS = 128 };

static __global__ void
write_columns(VtGpuBands bands, VtGpuView<int32_t> dst)
{
  const int64_t n = bands.n_bands * bands.width;
  for (int64_t at = static_cast<int64_t>(blockIdx.x) * COLUMN_THREADS + threadIdx.x; at < n;
       at += static_cast<int64_t>(gridDim.x) * COLUMN_THREADS) {
    const int64_t x = at % bands.width, y0 = at / bands.width * BAND;
    const int n_rows = static_cast<int>(min(dst.height - y0, static_cast<int64_t>(BAND)));
    const VtGpuColumn column = vt_gpu_bands_column(bands, at);
    for (int r = 0; r < n_rows; r++)
      dst.row(y0 + r)[x] = vt_gpu_column_distance(column, static_cast<int32_t>(y0), r);
  }
}

static VitrailStatus
run_columns(VtDevice *device, const VtEdt *args)
{
  const VtImage none = {};
  VtGpuBands bands = {};
  void *scratch = NULL;
  VT_TRY(vt_gpu_scratch(device, vt_gpu_bands_size(&args->src), &scratch));
  VT_TRY(vt_gpu_bands_make(device, &args->src, &none, &none, scratch, &bands));
  const int64_t blocks = vt_gpu_blocks(bands.n_bands * bands.width, COLUMN_THREADS);
  VT_TRY(vt_gpu_launch(device, "write_columns", write_columns, blocks, COLUMN_THREADS, bands,
                       VtGpuView<int32_t>(args->dst)));
  return vt_gpu_sync(device);
}

VitrailStatus
vt_gpu_edt_columns(VtDevice *device, const VtEdt *args, const VtCancel *cancel)
{
  VT_GPU_USE(device, vt_edt_columns_ok(args));
  if (args->src.height >= INT32_MAX - BAND)
    return VITRAIL_UNSUPPORTED;
  return vt_cancelled(cancel) ? VITRAIL_CANCELLED : run_columns(device, args);
}

template <typename T>
static __global__ void
transform_rows(VtGpuView<int32_t> src, VtGpuView<T> dst, float scale, int32_t *nearest_of_blocks, int32_t n_nodes)
{
  int32_t *nearest = nearest_of_blocks + static_cast<int64_t>(blockIdx.x) * (n_nodes + 1);
  for (int64_t y = blockIdx.x; y < src.height; y += gridDim.x)
    transform_row(src.row(y), dst.row(y), static_cast<int32_t>(src.width), scale, nearest, n_nodes);
}

template <typename T>
static VitrailStatus
run_rows(VtDevice *device, const VtEdt *args, const VtCancel *cancel)
{
  const int64_t rows_per_launch = 16384;
  void *scratch = NULL;
  const int64_t n_nodes = vt_gpu_blocks(args->src.width, WARP);
  const int64_t room = 16 * device->n_multiprocessors;
  const int64_t blocks = args->src.height < room ? args->src.height : room;
  VT_TRY(vt_gpu_scratch(device, static_cast<size_t>(blocks * (n_nodes + 1)) * sizeof(int32_t), &scratch));
  for (int64_t y = 0; y < args->src.height; y += rows_per_launch) {
    const int64_t n_rows = args->src.height - y < rows_per_launch ? args->src.height - y : rows_per_launch;
    if (vt_cancelled(cancel)) {
      vt_gpu_sync(device);
      return VITRAIL_CANCELLED;
    }
    VtGpuView<int32_t> src(vt_image_window(&args->src, 0, y, args->src.width, n_rows));
    VtGpuView<T> dst(vt_image_window(&args->dst, 0, y, args->dst.width, n_rows));
    VT_TRY(vt_gpu_launch(device, "transform_rows", transform_rows<T>, n_rows < blocks ? n_rows : blocks, ROW_THREADS,
                         src, dst, args->scale, static_cast<int32_t *>(scratch), n_nodes));
  }
  return vt_gpu_sync(device);
}

VitrailStatus
vt_gpu_edt_rows(VtDevice *device, const VtEdt *args, const VtCancel *cancel)
{
  VT_GPU_USE(device, vt_edt_rows_ok(args));
  const bool is_plain = args->weight_x <= 1 && args->weight_y <= 1 && args->cap == 0 && !args->above.data;
  if (!is_plain || args->src.width >= INT32_MAX - 2 * WARP)
    return VITRAIL_UNSUPPORTED;
  return args->dst.type == VT_I64 ? run_rows<int64_t>(device, args, cancel) : run_rows<float>(device, args, cancel);
}
