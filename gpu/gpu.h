/* SPDX-License-Identifier: MIT
 *
 * gpu.h: the entries of the CUDA backend. Slots have run when they return. */
#pragma once

#include "vt-backend.h"

#ifdef __cplusplus
extern "C" {
#endif

int32_t vt_gpu_probe(char *reason, size_t reason_size);
VitrailStatus vt_gpu_open(int32_t index, const VtParallel *parallel, VtDevice **device, char *reason,
                          size_t reason_size);
void vt_gpu_close(VtDevice *device);
const char *vt_gpu_device_name(VtDevice *device);
const char *vt_gpu_last_error(VtDevice *device);
VitrailStatus vt_gpu_alloc(VtDevice *device, size_t bytes, void **data);
void vt_gpu_free(VtDevice *device, void *data);
VitrailStatus vt_gpu_alloc_host(VtDevice *device, size_t bytes, void **data);
void vt_gpu_free_host(VtDevice *device, void *data);
VitrailStatus vt_gpu_upload(VtDevice *device, const VtImage *dst, const VtImage *src);
VitrailStatus vt_gpu_download(VtDevice *device, const VtImage *dst, const VtImage *src);
VitrailStatus vt_gpu_begin_upload(VtDevice *device, uint32_t queue, const VtImage *dst, const VtImage *src);
VitrailStatus vt_gpu_begin_download(VtDevice *device, uint32_t queue, const VtImage *dst, const VtImage *src);
VitrailStatus vt_gpu_wait(VtDevice *device, uint32_t queue);
uint64_t vt_gpu_take_memory_peak(int32_t index);
uint64_t vt_gpu_spare_memory(VtDevice *device);
/* CUDA's number of the device with that index; -1: there is none. */
int vt_gpu_ordinal(int32_t index);

/* Karas 2010: sweeps along rows, columns and (8-connected) diagonals until a whole round changes nothing. */
VitrailStatus vt_gpu_reconstruct_sr(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel);
/* Teodoro 2012 (FH_GPU): scans, then queues in registers, shared and global memory, a set of them for each block. */
VitrailStatus vt_gpu_reconstruct_fh(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel);
/* He 2014 (MR_GPU): scans, then a parallel heap for each block, brightest pixels first. */
VitrailStatus vt_gpu_reconstruct_heap(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel);
/* Active tiles, worked on in shared memory until no pixel changes; a neighbour is visited again only if one of its pixels can
 * rise. */
VitrailStatus vt_gpu_reconstruct_tile(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel);
/* The same with one queue in global memory for all blocks, a launch for each round: for the papers' comparison. Pixels are
 * queued one by one, or a block's together. */
VitrailStatus vt_gpu_reconstruct_fh_naive(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel);
VitrailStatus vt_gpu_reconstruct_fh_prefix_sum(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel);
/* For tests (tiny queues) and benches: the measures of a wavefront, each the usual one when 0, and its counts. */
typedef enum VtGpuQueueKind {
  VT_GPU_QUEUE_THREAD, /* three levels: registers, shared memory, a block's own part of global memory */
  VT_GPU_QUEUE_NAIVE,  /* an atomic operation for each pixel */
  VT_GPU_QUEUE_PREFIX_SUM,
} VtGpuQueueKind;
typedef struct VtGpuWaveOptions {
  int64_t queue_limit; /* pixels in a list or in a block's queue in global memory */
  int32_t n_blocks, n_rounds;
  int32_t n_scans;      /* rounds of scans to begin with; -1: none */
  VtGpuQueueKind queue; /* of fh */
} VtGpuWaveOptions;
typedef struct VtGpuWaveCounts {
  uint64_t n_listed, n_risen; /* active pixels after the scans; pixels raised since, each time it happened */
  uint64_t n_launches;
  uint32_t n_passes; /* 1 unless a queue was full */
} VtGpuWaveCounts;
VitrailStatus vt_gpu_reconstruct_fh_with(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel,
                                         const VtGpuWaveOptions *options, VtGpuWaveCounts *counts);
VitrailStatus vt_gpu_reconstruct_heap_with(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel,
                                           const VtGpuWaveOptions *options, VtGpuWaveCounts *counts);
/* Both passes of VtEdt; exact for every input, see distance/exact.cu. */
VitrailStatus vt_gpu_edt_columns(VtDevice *device, const VtEdt *args, const VtCancel *cancel);
VitrailStatus vt_gpu_edt_rows(VtDevice *device, const VtEdt *args, const VtCancel *cancel);
/* Both in one: squares or roots several times as fast (distance/fused.cu), or all outputs (distance/general.cu). */
VitrailStatus vt_gpu_distance_exact(VtDevice *device, const VtDistance *args, const VtCancel *cancel);
/* Danielsson 1980; Teodoro 2012: the nearest background pixel as a wavefront. */
VitrailStatus vt_gpu_distance_danielsson(VtDevice *device, const VtDistance *args, const VtCancel *cancel);
VitrailStatus vt_gpu_geodesic(VtDevice *device, const VtGeodesic *args, const VtCancel *cancel);
/* Windows that slide, at a cost that does not grow with their area; see glrlm/maps/sliding.cuh. */
VitrailStatus vt_gpu_glrlm_fast(VtDevice *device, const VtGlrlmWindows *args, const VtCancel *cancel);
/* Zhang 2019: reduce by key, sort, reduce by key; a baseline. */
VitrailStatus vt_gpu_glrlm_primitives(VtDevice *device, const VtGlrlmWindows *args, const VtCancel *cancel);
/* A block for each small region, tiles of large ones; see glrlm/regions/rois.cu. */
VitrailStatus vt_gpu_glrlm_rois(VtDevice *device, const VtGlrlmRois *args, const VtCancel *cancel);
VitrailStatus vt_gpu_glrlm_runs(VtDevice *device, const VtGlrlmRuns *args, const VtCancel *cancel);

VitrailStatus vt_gpu_lut3(VtDevice *device, const VtLut3 *args, const VtCancel *cancel);
VitrailStatus vt_gpu_normalize(VtDevice *device, const VtNormalize *args, const VtCancel *cancel);
VitrailStatus vt_gpu_erode_disc(VtDevice *device, const VtErodeDisc *args, const VtCancel *cancel);
VitrailStatus vt_gpu_smooth(VtDevice *device, const VtSmooth *args, const VtCancel *cancel);
VitrailStatus vt_gpu_pointwise(VtDevice *device, const VtPointwise *args, const VtCancel *cancel);
VitrailStatus vt_gpu_components(VtDevice *device, const VtComponents *args, const VtCancel *cancel);
VitrailStatus vt_gpu_watershed(VtDevice *device, const VtWatershed *args, const VtCancel *cancel);
VitrailStatus vt_gpu_regional(VtDevice *device, const VtRegional *args, const VtCancel *cancel);
VitrailStatus vt_gpu_number(VtDevice *device, const VtNumber *args, const VtCancel *cancel);
VitrailStatus vt_gpu_relabel(VtDevice *device, const VtRelabel *args, const VtCancel *cancel);
VitrailStatus vt_gpu_overlaps(VtDevice *device, const VtOverlaps *args, const VtCancel *cancel);
/* Nuclei as regions that are chosen; regions/, docs/nuclei.md. */
VitrailStatus vt_gpu_regions(VtDevice *device, const VtRegions *args, const VtCancel *cancel);
VitrailStatus vt_gpu_region_labels(VtDevice *device, const VtRegionLabels *args, const VtCancel *cancel);

#ifdef __cplusplus
}
#endif
