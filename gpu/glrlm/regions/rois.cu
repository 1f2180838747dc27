/* SPDX-License-Identifier: MIT
 *
 * rois.cu: texture of many regions. Small ones get a block each (rois-small.cuh), in the order of the shared memory that
 * they take; large ones share blocks (rois-large.cu). The entropy of small ones is found in a second step from lists of
 * their counts (rois-entropy.cu). */
#include "../../gpu.h"
#include "rois-small.cuh"

#include <stdlib.h>
#include <string.h>

enum { FEW_THREADS = 64, MANY_THREADS = 256, N_BINS = 9, STATIC_BYTES = 4096, FLAG_WORD = VT_GPU_N_WORDS - 3 };
static const int64_t chunk_listed = INT64_C(1) << 26, chunk_px = INT64_C(1) << 27;
static const size_t bin_bytes[N_BINS] = { 6 << 10,  8 << 10,  11 << 10, 16 << 10, 24 << 10,
                                          32 << 10, 48 << 10, 96 << 10, 224 << 10 };
static const int few_threads_bins = 4;

struct Places {
  uint32_t *order, *at;
  VtGlrlmRoi *rois;
  double *values;
  int64_t *n_pixels;
  uint2 *sizes;
  uint32_t *list, *most;
};

struct Call {
  VtDevice *device;
  const VtGlrlmRois *args;
  const VtCancel *cancel;
  VtGpuRois job;
  bool wide, entropy;
  int n_slots;
  uint32_t *order; /* host: regions by bin, large ones last */
  uint32_t *at;    /* host: where the lists of order[p] begin in their chunk's */
  int64_t bins[N_BINS + 2];
  int64_t listed; /* the most that a chunk lists */
  uint32_t most_runs;
  Places there;
};

/* --- the kernels of small regions --- */

struct Finished { /* in shared memory: by matrix */
  double features[VT_GPU_MAX_SLOTS][VT_GLRLM_N_FEATURES];
  uint32_t runs[VT_GPU_MAX_SLOTS];
  int32_t longest[VT_GPU_MAX_SLOTS];
  uint32_t n_pixels;
};

static __device__ __forceinline__ double
nan_value()
{
  return __longlong_as_double(0x7ff8000000000000ll);
}

template <int THREADS>
static __device__ __forceinline__ void
one_matrix(const VtGpuRois &j, const VtGpuRoiLists &lists, const VtGlrlmRoi &roi, const VtGpuRoiBlock &b,
           const uint32_t *matrix, int slot, Finished *f)
{
  const uint32_t p = blockIdx.x;
  const int n_directions = __popc(j.directions);
  if (threadIdx.x < 32) {
    uint32_t *list = lists.list ? lists.list + lists.at[p] + slot * vt_gpu_rois_room(j, roi, false) : NULL;
    const VtGpuRoiScan scan = vt_gpu_rois_scan(b, matrix, f->longest[slot], j.features >> VT_GLRLM_SRLGE & 1, list);
    if (threadIdx.x == 0) {
      f->runs[slot] = scan.runs;
      f->features[slot][VT_GLRLM_SRLGE] = scan.short_low / scan.runs;
    }
    if (threadIdx.x == 0 && list) {
      lists.sizes[p * (n_directions + vt_gpu_rois_merged(j)) + slot] = make_uint2(scan.runs, scan.cells);
      atomicMax(&lists.most[scan.runs], scan.most);
    }
  } else {
    vt_gpu_rois_fold<THREADS>(b, matrix, slot, f->longest[slot], 32);
  }
}

template <int THREADS>
static __device__ __forceinline__ void
one_direction(const VtGpuRoiBlock &b, int direction, bool merged, int slot, Finished *f)
{
  const int32_t n_cells = b.n_levels * b.row;
  for (int32_t k = static_cast<int32_t>(threadIdx.x); k < n_cells; k += THREADS)
    b.matrix[k] = 0;
  __syncthreads();
  int32_t longest = vt_gpu_rois_count<THREADS>(b, direction);
  for (int d = 16; d > 0; d /= 2)
    longest = max(longest, __shfl_xor_sync(~0u, longest, d));
  if (threadIdx.x % 32 == 0)
    atomicMax(&f->longest[slot], longest);
  __syncthreads();
  for (int32_t k = static_cast<int32_t>(threadIdx.x); merged && k < n_cells; k += THREADS)
    b.merged[k] += b.matrix[k];
}

template <int THREADS>
static __device__ __forceinline__ void
write_values(const VtGpuRois &j, const Finished &f, double *to)
{
  for (int code = static_cast<int>(threadIdx.x); code < VT_GLRLM_N_AGGREGATES * VT_GLRLM_N_FEATURES; code += THREADS) {
    const int a = code / VT_GLRLM_N_FEATURES, k = code % VT_GLRLM_N_FEATURES;
    double value = nan_value();
    if (!(j.aggregates >> a & j.features >> k & 1) || k == VT_GLRLM_RE)
      continue;
    if (f.n_pixels == 0)
      ;
    else if (a == VT_GLRLM_MEAN)
      value = (f.features[0][k] + f.features[1][k] + f.features[2][k] + f.features[3][k]) / VT_GLRLM_N_DIRECTIONS;
    else
      value = f.features[a == VT_GLRLM_MERGED ? VT_GLRLM_N_DIRECTIONS : __popc(j.directions & ((1u << a) - 1))][k];
    to[vt_gpu_rois_value(j, a, k)] = value;
  }
}

template <int THREADS>
static __device__ __forceinline__ void
prepare(const VtGpuRoiBlock &b, bool merged, Finished *f)
{
  if (threadIdx.x < VT_GPU_MAX_SLOTS)
    f->longest[threadIdx.x] = 0;
  if (threadIdx.x == 0)
    f->n_pixels = 0;
  for (int32_t k = static_cast<int32_t>(threadIdx.x); merged && k < b.n_levels * b.row; k += THREADS)
    b.merged[k] = 0;
  __syncthreads();
}

template <typename T, int THREADS>
static __global__ void
__launch_bounds__(THREADS) small_rois(const __grid_constant__ VtGpuRois j, const __grid_constant__ VtGpuRoiLists lists,
                                      const uint32_t *order, double *values, int64_t *n_pixels)
{
  extern __shared__ uint32_t memory[];
  __shared__ Finished f;
  const uint32_t r = order[blockIdx.x];
  const VtGlrlmRoi roi = j.rois[r];
  const VtGpuRoiBlock b = vt_gpu_rois_block(j, roi, memory);
  const bool merged = vt_gpu_rois_merged(j);
  int slot = 0;
  prepare<THREADS>(b, merged, &f);
  uint32_t n = vt_gpu_rois_lay<T, THREADS>(j, roi, b);
  for (int d = 16; d > 0; d /= 2)
    n += __shfl_xor_sync(~0u, n, d);
  if (threadIdx.x % 32 == 0)
    atomicAdd(&f.n_pixels, n);
  for (int d = 0; d < VT_GLRLM_N_DIRECTIONS; d++) {
    if (!(j.directions >> d & 1))
      continue;
    one_direction<THREADS>(b, d, merged, slot, &f);
    one_matrix<THREADS>(j, lists, roi, b, b.matrix, slot++, &f);
    __syncthreads();
  }
  if (merged) {
    if (threadIdx.x == 0)
      f.longest[slot] = max(max(f.longest[0], f.longest[1]), max(f.longest[2], f.longest[3]));
    __syncthreads();
    one_matrix<THREADS>(j, lists, roi, b, b.merged, slot++, &f);
    __syncthreads();
  }
  if (threadIdx.x < VT_GPU_N_SUMS * slot) {
    const int kind = threadIdx.x % VT_GPU_N_SUMS, s = threadIdx.x / VT_GPU_N_SUMS;
    vt_gpu_rois_features<uint64_t>(kind, b.sums_of(s, kind), kind < VT_GPU_BY_LEVEL ? f.longest[s] : b.n_levels,
                                   f.runs[s], f.n_pixels * (s == VT_GLRLM_N_DIRECTIONS ? 4u : 1u), f.features[s]);
  }
  __syncthreads();
  write_values<THREADS>(j, f, values + static_cast<int64_t>(r) * j.n_values);
  if (threadIdx.x == 0)
    n_pixels[r] = f.n_pixels;
}

/* --- the way of a call --- */

static int
bin_of(const VtGpuRois &job, const VtGlrlmRoi &roi, size_t most)
{
  if (roi.width > VT_GPU_SMALL_PX / roi.height)
    return N_BINS;
  const size_t bytes = vt_gpu_rois_shared(job, roi);
  int bin = 0;
  while (bin < N_BINS && bytes > bin_bytes[bin])
    bin++;
  return bytes <= most ? bin : N_BINS;
}

/* Sorts the regions into bins. */
static VitrailStatus
sort_rois(Call *c)
{
  int most = 0;
  const int64_t n = c->args->n_rois;
  VT_GPU_TRY(c->device, cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, c->device->ordinal));
  c->order = static_cast<uint32_t *>(malloc(static_cast<size_t>(n) * sizeof(uint32_t)));
  c->at = static_cast<uint32_t *>(malloc(static_cast<size_t>(n) * sizeof(uint32_t)));
  unsigned char *bin = static_cast<unsigned char *>(malloc(static_cast<size_t>(n)));
  int64_t next[N_BINS + 2] = {};
  if (!c->order || !c->at || !bin) {
    free(bin);
    return VITRAIL_OUT_OF_MEMORY;
  }
  for (int64_t r = 0; r < n; r++) {
    bin[r] = static_cast<unsigned char>(bin_of(c->job, c->args->rois[r], static_cast<size_t>(most - STATIC_BYTES)));
    next[bin[r] + 1]++;
  }
  for (int k = 0; k <= N_BINS; k++)
    next[k + 1] += next[k];
  memcpy(c->bins, next, sizeof next);
  for (int64_t r = 0; r < n; r++)
    c->order[next[bin[r]]++] = static_cast<uint32_t>(r);
  free(bin);
  return VITRAIL_OK;
}

/* Places of the lists of the chunk that begins at region `first` of the order; returns its end. */
static int64_t
cut_chunk(Call *c, int64_t first, int64_t *listed)
{
  const int64_t end = c->bins[N_BINS];
  int64_t px = 0, p = first;
  for (*listed = 0; p < end; p++) {
    const VtGlrlmRoi &roi = c->args->rois[c->order[p]];
    const int64_t room = c->entropy ? vt_gpu_rois_lists_room(c->job, roi) : 0;
    if (p > first && (*listed + room > chunk_listed || px > chunk_px))
      break;
    c->at[p] = static_cast<uint32_t>(*listed);
    *listed += room;
    px += roi.width * roi.height;
  }
  return p;
}

/* Hands out scratch: the same walk counts the bytes (memory NULL). */
static size_t
take(Call *c, char *memory)
{
  const size_t n = static_cast<size_t>(c->args->n_rois), lists = c->entropy ? n : 0;
  const size_t sizes[] = { n * sizeof(VtGlrlmRoi),
                           n * sizeof(uint32_t),
                           lists * sizeof(uint32_t),
                           n * static_cast<size_t>(c->job.n_values) * sizeof(double),
                           n * sizeof(int64_t),
                           lists * static_cast<size_t>(c->n_slots) * sizeof(uint2),
                           static_cast<size_t>(c->listed) * sizeof(uint32_t),
                           c->entropy ? (c->most_runs + 1) * sizeof(uint32_t) : 0 };
  void **places[] = { reinterpret_cast<void **>(&c->there.rois),     reinterpret_cast<void **>(&c->there.order),
                      reinterpret_cast<void **>(&c->there.at),       reinterpret_cast<void **>(&c->there.values),
                      reinterpret_cast<void **>(&c->there.n_pixels), reinterpret_cast<void **>(&c->there.sizes),
                      reinterpret_cast<void **>(&c->there.list),     reinterpret_cast<void **>(&c->there.most) };
  size_t used = 0;
  for (int k = 0; k < 8; k++) {
    *places[k] = memory ? memory + used : NULL;
    used += (sizes[k] + 255) / 256 * 256;
  }
  return used;
}

/* Memory for the largest chunk, with the regions and their order in it. */
static VitrailStatus
bring(Call *c)
{
  const size_t n = static_cast<size_t>(c->args->n_rois);
  void *scratch = NULL;
  int64_t listed;
  for (int64_t p = 0; p < c->bins[N_BINS];) {
    p = cut_chunk(c, p, &listed);
    c->listed = listed > c->listed ? listed : c->listed;
  }
  for (int64_t p = 0; p < c->bins[N_BINS]; p++) {
    const VtGlrlmRoi &roi = c->args->rois[c->order[p]];
    const uint32_t runs = static_cast<uint32_t>(roi.width * roi.height) * (vt_gpu_rois_merged(c->job) ? 4 : 1);
    c->most_runs = runs > c->most_runs ? runs : c->most_runs;
  }
  VT_TRY(vt_gpu_scratch(c->device, take(c, NULL), &scratch));
  take(c, static_cast<char *>(scratch));
  c->job.rois = c->there.rois;
  cudaStream_t stream = c->device->stream;
  VT_GPU_TRY(c->device,
             cudaMemcpyAsync(c->there.rois, c->args->rois, n * sizeof(VtGlrlmRoi), cudaMemcpyHostToDevice, stream));
  VT_GPU_TRY(c->device,
             cudaMemcpyAsync(c->there.order, c->order, n * sizeof(uint32_t), cudaMemcpyHostToDevice, stream));
  if (c->entropy)
    VT_GPU_TRY(c->device, cudaMemcpyAsync(c->there.at, c->at, n * sizeof(uint32_t), cudaMemcpyHostToDevice, stream));
  VT_GPU_TRY(c->device, cudaMemsetAsync(c->job.bad, 0, sizeof(uint32_t), stream));
  if (c->bins[N_BINS] < c->args->n_rois) { /* those of large regions are copied, too, before they are known */
    const size_t n_values = static_cast<size_t>(c->job.n_values);
    VT_GPU_TRY(c->device, cudaMemsetAsync(c->there.values, 0, n * n_values * sizeof(double), stream));
    VT_GPU_TRY(c->device, cudaMemsetAsync(c->there.n_pixels, 0, n * sizeof(int64_t), stream));
  }
  return VITRAIL_OK;
}

static VtGpuRoiLists
lists_from(const Call *c, int64_t p)
{
  if (!c->entropy)
    return VtGpuRoiLists{ NULL, NULL, NULL, NULL, 0 };
  return VtGpuRoiLists{ c->there.list, c->there.at + p, c->there.sizes + p * c->n_slots, c->there.most, c->most_runs };
}

/* Regions p..end of the order, all of one bin. */
static VitrailStatus
launch_bin(Call *c, int bin, int64_t p, int64_t end)
{
  const bool few = bin < few_threads_bins;
  auto *kernel = c->wide ? few ? small_rois<uint16_t, FEW_THREADS> : small_rois<uint16_t, MANY_THREADS>
                 : few ? small_rois<uint8_t, FEW_THREADS>
                         : small_rois<uint8_t, MANY_THREADS>;
  size_t bytes = 0;
  for (int64_t k = p; k < end; k++) {
    const size_t one = vt_gpu_rois_shared(c->job, c->args->rois[c->order[k]]);
    bytes = one > bytes ? one : bytes;
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(end - p));
  config.blockDim = dim3(few ? FEW_THREADS : MANY_THREADS);
  config.dynamicSmemBytes = bytes;
  config.stream = c->device->stream;
  VT_GPU_TRY(c->device,
             cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  VT_GPU_TRY(c->device,
             cudaLaunchKernelEx(&config, kernel, c->job, lists_from(c, p),
                                static_cast<const uint32_t *>(c->there.order + p), c->there.values, c->there.n_pixels));
  return VITRAIL_OK;
}

static VitrailStatus
run_small(Call *c)
{
  const int64_t n_small = c->bins[N_BINS];
  int64_t listed, end;
  for (int64_t p = 0; p < n_small; p = end) {
    end = cut_chunk(c, p, &listed);
    if (vt_cancelled(c->cancel))
      return VITRAIL_CANCELLED;
    if (c->entropy)
      VT_GPU_TRY(c->device,
                 cudaMemsetAsync(c->there.most, 0, (c->most_runs + 1) * sizeof(uint32_t), c->device->stream));
    for (int bin = 0; bin < N_BINS; bin++) {
      const int64_t from = c->bins[bin] > p ? c->bins[bin] : p, to = c->bins[bin + 1] < end ? c->bins[bin + 1] : end;
      if (from < to)
        VT_TRY(launch_bin(c, bin, from, to));
    }
    if (c->entropy)
      VT_TRY(vt_gpu_rois_entropy(c->device, c->job, lists_from(c, p), c->there.order + p,
                                 static_cast<uint32_t>(end - p), c->there.values));
  }
  return VITRAIL_OK;
}

/* Nothing is written before it is known that all levels are right. */
static VitrailStatus
fetch(Call *c, const double *large_values, const int64_t *large_pixels)
{
  const size_t n = static_cast<size_t>(c->args->n_rois), n_values = static_cast<size_t>(c->job.n_values);
  VT_TRY(vt_gpu_read_words(c->device));
  if (c->device->words_host[FLAG_WORD])
    return VITRAIL_BAD_ARGUMENT;
  if (c->bins[N_BINS] > 0) {
    VT_GPU_TRY(c->device, cudaMemcpyAsync(c->args->values, c->there.values, n * n_values * sizeof(double),
                                          cudaMemcpyDeviceToHost, c->device->stream));
    VT_GPU_TRY(c->device, cudaMemcpyAsync(c->args->n_pixels, c->there.n_pixels, n * sizeof(int64_t),
                                          cudaMemcpyDeviceToHost, c->device->stream));
    VT_TRY(vt_gpu_sync(c->device));
  }
  for (int64_t p = c->bins[N_BINS]; p < c->bins[N_BINS + 1]; p++) {
    const uint32_t r = c->order[p];
    const int64_t k = p - c->bins[N_BINS];
    memcpy(c->args->values + r * n_values, large_values + k * c->job.n_values, n_values * sizeof(double));
    c->args->n_pixels[r] = large_pixels[k];
  }
  return VITRAIL_OK;
}

static VitrailStatus
run_call(Call *c)
{
  VT_TRY(sort_rois(c));
  VT_TRY(bring(c));
  VT_TRY(run_small(c));
  const int64_t n_large = c->bins[N_BINS + 1] - c->bins[N_BINS];
  double *values = static_cast<double *>(malloc(static_cast<size_t>(n_large * c->job.n_values + 1) * sizeof(double)));
  int64_t *n_pixels = static_cast<int64_t *>(malloc(static_cast<size_t>(n_large + 1) * sizeof(int64_t)));
  VitrailStatus status = values && n_pixels ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  if (status == VITRAIL_OK && n_large > 0)
    status = vt_gpu_rois_large(c->device, c->job, c->wide, c->args->rois, c->order + c->bins[N_BINS], n_large, values,
                               n_pixels, c->cancel);
  if (status == VITRAIL_OK)
    status = fetch(c, values, n_pixels);
  free(values);
  free(n_pixels);
  return status;
}

VitrailStatus
vt_gpu_glrlm_rois(VtDevice *device, const VtGlrlmRois *args, const VtCancel *cancel)
{
  VtGpuUse use(device);
  Call c = {};
  VT_GPU_TRY(device, use.status());
  if (!vt_glrlm_rois_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  if (args->n_rois == 0)
    return VITRAIL_OK;
  if (args->n_rois > INT32_MAX)
    return VITRAIL_UNSUPPORTED;
  const int n_features = __builtin_popcount(args->features);
  c.device = device;
  c.args = args;
  c.cancel = cancel;
  c.wide = args->levels.type == VITRAIL_U16;
  c.entropy = args->features >> VT_GLRLM_RE & 1;
  c.job = VtGpuRois{ args->levels.data,
                     static_cast<const uint8_t *>(args->masks.data),
                     NULL,
                     device->words + FLAG_WORD,
                     args->n_levels,
                     n_features,
                     n_features * __builtin_popcount(args->aggregates),
                     args->features,
                     args->aggregates,
                     args->aggregates >> VT_GLRLM_MEAN ? 15u : args->aggregates };
  c.n_slots = vt_gpu_rois_bits(c.job.directions) + vt_gpu_rois_merged(c.job);
  const VitrailStatus status = run_call(&c);
  if (status != VITRAIL_OK)
    cudaStreamSynchronize(device->stream); /* what is under way reads the order */
  free(c.order);
  free(c.at);
  return status;
}
