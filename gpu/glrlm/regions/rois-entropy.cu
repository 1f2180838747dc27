/* SPDX-License-Identifier: MIT
 *
 * rois-entropy.cu: the entropy of small regions, from the counts that rois-small.cuh has listed. The device says which
 * terms p log2 p occur, by number of runs and count; the host makes those with its library's logarithm; the device adds
 * each matrix's up in the order of its cells. */
#include "rois-small.cuh"

#include <math.h>
#include <stdlib.h>

enum { THREADS = 128 };

double
vt_gpu_rois_term(uint64_t count, uint64_t n_runs)
{
  const double p = static_cast<double>(count) / static_cast<double>(n_runs);
  return p * log2(p);
}

/* A warp for a region: which terms occur. */
static __global__ void
mark_terms(const __grid_constant__ VtGpuRois j, VtGpuRoiLists lists, const uint32_t *order, uint32_t n,
           const uint32_t *places, unsigned char *marks)
{
  const uint32_t p = (blockIdx.x * THREADS + threadIdx.x) / 32;
  if (p >= n)
    return;
  const uint32_t room = vt_gpu_rois_room(j, j.rois[order[p]], false);
  const int n_slots = __popc(j.directions) + vt_gpu_rois_merged(j);
  for (int s = 0; s < n_slots; s++) {
    const uint2 size = lists.sizes[static_cast<int64_t>(p) * n_slots + s];
    for (uint32_t k = threadIdx.x % 32; k < size.y; k += 32)
      marks[places[size.x] + lists.list[lists.at[p] + s * room + k] - 1] = 1;
  }
}

/* The entropy of a matrix, by a warp; each lane has it. */
static __device__ __forceinline__ double
entropy_of(uint2 size, const uint32_t *list, const double *terms)
{
  double total = size.x == 0 ? __longlong_as_double(0x7ff8000000000000ll) : 0;
  for (uint32_t k = 0; k < size.y; k += 32) {
    const uint32_t own = k + threadIdx.x % 32, n = min(32u, size.y - k);
    const double term = own < size.y ? terms[list[own] - 1] : 0;
    for (uint32_t lane = 0; lane < n; lane++)
      total -= __shfl_sync(~0u, term, static_cast<int>(lane));
  }
  return total;
}

/* A warp for a region. */
static __global__ void
add_terms(const __grid_constant__ VtGpuRois j, VtGpuRoiLists lists, const uint32_t *order, uint32_t n,
          const uint32_t *places, const double *terms, double *values)
{
  const uint32_t p = (blockIdx.x * THREADS + threadIdx.x) / 32;
  if (p >= n)
    return;
  const uint32_t room = vt_gpu_rois_room(j, j.rois[order[p]], false);
  const int n_directions = __popc(j.directions), n_slots = n_directions + vt_gpu_rois_merged(j);
  double *to = values + static_cast<int64_t>(order[p]) * j.n_values, mean = 0;
  for (int s = 0; s < n_slots; s++) {
    const uint2 size = lists.sizes[static_cast<int64_t>(p) * n_slots + s];
    const double total = entropy_of(size, lists.list + lists.at[p] + s * room, terms + places[size.x]);
    const int a = s < n_directions ? static_cast<int>(__fns(j.directions, 0, s + 1)) : VT_GLRLM_MERGED;
    if (s < n_directions)
      mean += total;
    if (j.aggregates >> a & 1 && threadIdx.x % 32 == 0)
      to[vt_gpu_rois_value(j, a, VT_GLRLM_RE)] = total;
    if (s == VT_GLRLM_N_DIRECTIONS - 1 && j.aggregates >> VT_GLRLM_MEAN & 1 && threadIdx.x % 32 == 0)
      to[vt_gpu_rois_value(j, VT_GLRLM_MEAN, VT_GLRLM_RE)] = size.x == 0 ? total : mean / VT_GLRLM_N_DIRECTIONS;
  }
}

/* --- on the host --- */

/* Tables for the entropy of a chunk, by number of runs and count: places[runs] + count - 1. */
struct Terms {
  uint32_t *places, *places_there;
  double *terms, *terms_there;
  unsigned char *marks, *marks_there; /* of terms that occur */
  size_t n;
};

/* What the greatest counts, by number of runs, make room for. */
static VitrailStatus
terms_new(VtDevice *device, Terms *t, const VtGpuRoiLists &lists, const uint32_t *most)
{
  const size_t bytes = (lists.most_runs + 1) * sizeof(uint32_t), head = (bytes + 255) / 256 * 256;
  void *there = NULL;
  for (uint32_t runs = 0; runs <= lists.most_runs; runs++) {
    t->places[runs] = static_cast<uint32_t>(t->n);
    t->n += most[runs];
  }
  t->terms = static_cast<double *>(malloc(t->n * sizeof(double) + 1));
  t->marks = static_cast<unsigned char *>(malloc(t->n + 1));
  if (!t->terms || !t->marks)
    return VITRAIL_OUT_OF_MEMORY;
  VT_TRY(vt_gpu_spare(device, head + t->n * (sizeof(double) + 1), &there));
  t->places_there = static_cast<uint32_t *>(there);
  t->terms_there = reinterpret_cast<double *>(static_cast<char *>(there) + head);
  t->marks_there = reinterpret_cast<unsigned char *>(t->terms_there + t->n);
  VT_GPU_TRY(device, cudaMemsetAsync(t->marks_there, 0, t->n, device->stream));
  VT_GPU_TRY(device, cudaMemcpyAsync(t->places_there, t->places, bytes, cudaMemcpyHostToDevice, device->stream));
  return VITRAIL_OK;
}

/* Logarithms take the host's time: of the terms only those that some region needs. */
static VitrailStatus
terms_fill(VtDevice *device, const Terms *t, const VtGpuRoiLists &lists, const uint32_t *most)
{
  VT_GPU_TRY(device, cudaMemcpyAsync(t->marks, t->marks_there, t->n, cudaMemcpyDeviceToHost, device->stream));
  VT_TRY(vt_gpu_sync(device));
  for (uint32_t runs = 1; runs <= lists.most_runs; runs++)
    for (uint32_t k = 0; k < most[runs]; k++)
      if (t->marks[t->places[runs] + k])
        t->terms[t->places[runs] + k] = vt_gpu_rois_term(k + 1, runs);
      else
        t->terms[t->places[runs] + k] = 0;
  VT_GPU_TRY(device,
             cudaMemcpyAsync(t->terms_there, t->terms, t->n * sizeof(double), cudaMemcpyHostToDevice, device->stream));
  return vt_gpu_sync(device);
}

static VitrailStatus
use_terms(VtDevice *device, Terms *t, uint32_t *most, const VtGpuRois &j, const VtGpuRoiLists &lists,
          const uint32_t *order, uint32_t n, double *values)
{
  const size_t bytes = (lists.most_runs + 1) * sizeof(uint32_t);
  const int64_t blocks = vt_gpu_blocks(INT64_C(32) * n, THREADS);
  VT_GPU_TRY(device, cudaMemcpyAsync(most, lists.most, bytes, cudaMemcpyDeviceToHost, device->stream));
  VT_TRY(vt_gpu_sync(device));
  VT_TRY(terms_new(device, t, lists, most));
  const uint32_t *places = t->places_there;
  VT_TRY(vt_gpu_launch(device, "mark_terms", mark_terms, blocks, THREADS, j, lists, order, n, places, t->marks_there));
  VT_TRY(terms_fill(device, t, lists, most));
  return vt_gpu_launch(device, "add_terms", add_terms, blocks, THREADS, j, lists, order, n, places, t->terms_there,
                       values);
}

VitrailStatus
vt_gpu_rois_entropy(VtDevice *device, const VtGpuRois &job, const VtGpuRoiLists &lists, const uint32_t *order,
                    uint32_t n, double *values)
{
  Terms t = {};
  uint32_t *most = static_cast<uint32_t *>(malloc(2 * (lists.most_runs + 1) * sizeof(uint32_t)));
  VitrailStatus status = VITRAIL_OUT_OF_MEMORY;
  if (most) {
    t.places = most + lists.most_runs + 1;
    status = use_terms(device, &t, most, job, lists, order, n, values);
  }
  if (status != VITRAIL_OK)
    cudaStreamSynchronize(device->stream); /* what is under way reads the tables */
  free(t.terms);
  free(t.marks);
  free(most);
  return status;
}
