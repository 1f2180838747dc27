/* SPDX-License-Identifier: MIT
 *
 * vt-cpu.h: what the kernels of cpu/ share. Every vt_cpu_<op> is the slot <op> of vt-backend.h. */
#pragma once

#include "vt-backend-checks.h"

/* Asks every 16 rows: an answer within milliseconds, at no cost on narrow images. */
static inline bool
vt_cpu_cancelled_at(const VtCancel *cancel, int64_t y)
{
  return (y & 15) == 0 && vt_cancelled(cancel);
}

/* The threads that a kernel may use on this device (NULL: one), and work for them: the contract's VtParallel. */
uint32_t vt_cpu_n_threads(const VtDevice *device);
void vt_cpu_parallel_for(VtDevice *device, uint32_t n, void (*job)(void *job_user, uint32_t index), void *job_user);

/* Memory of the size of an image, contents undefined, on a 64-byte boundary; NULL: there is none. What is given back (NULL: nothing) is kept
 * for the next call on the device (NULL: none is), until it is closed; of much, its pages are (pages.h). Whoever has it may free() it instead. */
void *vt_cpu_scratch_take(VtDevice *device, size_t bytes);
void vt_cpu_scratch_give(VtDevice *device, void *memory);

VitrailStatus vt_cpu_lut3(VtDevice *device, const VtLut3 *args, const VtCancel *cancel);
VitrailStatus vt_cpu_normalize(VtDevice *device, const VtNormalize *args, const VtCancel *cancel);
VitrailStatus vt_cpu_erode_disc(VtDevice *device, const VtErodeDisc *args, const VtCancel *cancel);
VitrailStatus vt_cpu_smooth(VtDevice *device, const VtSmooth *args, const VtCancel *cancel);
VitrailStatus vt_cpu_pointwise(VtDevice *device, const VtPointwise *args, const VtCancel *cancel);
VitrailStatus vt_cpu_reconstruct_fh(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel);
VitrailStatus vt_cpu_reconstruct_sr(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel);
VitrailStatus vt_cpu_reconstruct_qb(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel);
VitrailStatus vt_cpu_reconstruct_downhill(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel);
VitrailStatus vt_cpu_reconstruct_tile(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel);
VitrailStatus vt_cpu_distance_exact(VtDevice *device, const VtDistance *args, const VtCancel *cancel);
VitrailStatus vt_cpu_distance_danielsson(VtDevice *device, const VtDistance *args, const VtCancel *cancel);
VitrailStatus vt_cpu_edt_columns(VtDevice *device, const VtEdt *args, const VtCancel *cancel);
VitrailStatus vt_cpu_edt_rows(VtDevice *device, const VtEdt *args, const VtCancel *cancel);
VitrailStatus vt_cpu_components(VtDevice *device, const VtComponents *args, const VtCancel *cancel);
VitrailStatus vt_cpu_watershed(VtDevice *device, const VtWatershed *args, const VtCancel *cancel);
VitrailStatus vt_cpu_number(VtDevice *device, const VtNumber *args, const VtCancel *cancel);
VitrailStatus vt_cpu_relabel(VtDevice *device, const VtRelabel *args, const VtCancel *cancel);
VitrailStatus vt_cpu_overlaps(VtDevice *device, const VtOverlaps *args, const VtCancel *cancel);
VitrailStatus vt_cpu_regions(VtDevice *device, const VtRegions *args, const VtCancel *cancel);
VitrailStatus vt_cpu_regions_teach(const VtRegionsLesson *lesson, VtRegionsTaught **taught);
void vt_cpu_regions_forget(VtRegionsTaught *taught);
void vt_cpu_regions_drop(VtRegionsScored *scored);
size_t vt_cpu_regions_bytes(const VtRegionsScored *scored);
const char *vt_cpu_regions_model(VtRegionsPreset preset);
VitrailStatus vt_cpu_regional(VtDevice *device, const VtRegional *args, const VtCancel *cancel);
VitrailStatus vt_cpu_geodesic(VtDevice *device, const VtGeodesic *args, const VtCancel *cancel);
VitrailStatus vt_cpu_glrlm_serial(VtDevice *device, const VtGlrlmWindows *args, const VtCancel *cancel);
VitrailStatus vt_cpu_glrlm_fast(VtDevice *device, const VtGlrlmWindows *args, const VtCancel *cancel);
VitrailStatus vt_cpu_glrlm_runs(VtDevice *device, const VtGlrlmRuns *args, const VtCancel *cancel);
VitrailStatus vt_cpu_glrlm_rois(VtDevice *device, const VtGlrlmRois *args, const VtCancel *cancel);
void vt_cpu_glrlm_features(const uint64_t *matrix, int32_t n_levels, int32_t max_length, uint64_t n_pixels,
                           double features[VT_GLRLM_N_FEATURES]);
