/* SPDX-License-Identifier: MIT
 *
 * vt-cpu.h: what the kernels of cpu/ share. Every vt_cpu_<op> is the slot <op> of vt-backend.h. */
#pragma once

#include "vt-backend.h"

/* Images that may be read as rows of `type`: not empty, rows that do not overlap, pixels on their natural boundary. */
static inline bool
vt_cpu_image_ok(const VtImage *image, VtType type)
{
  const int64_t size = (int64_t)vt_type_size(type);
  const uintptr_t grain = type == VITRAIL_RGBA8 ? 1 : (uintptr_t)size;
  return image->type == type && image->data && image->width > 0 && image->height > 0 && image->width <= INT64_MAX / 8
         && image->stride >= image->width * size && (uintptr_t)image->data % grain == 0
         && (uintptr_t)image->stride % grain == 0;
}

static inline bool
vt_cpu_same_size(const VtImage *a, const VtImage *b)
{
  return a->width == b->width && a->height == b->height;
}

/* The rectangle lies inside the image; no sum of it overflows. */
static inline bool
vt_cpu_inside(const VtImage *image, int64_t x, int64_t y, int64_t width, int64_t height)
{
  return x >= 0 && y >= 0 && width > 0 && height > 0 && width <= image->width && height <= image->height
         && x <= image->width - width && y <= image->height - height;
}

/* Asks every 16 rows: an answer within milliseconds, at no cost on narrow images. */
static inline bool
vt_cpu_cancelled_at(const VtCancel *cancel, int64_t y)
{
  return (y & 15) == 0 && vt_cancelled(cancel);
}

/* The threads that a kernel may use on this device (NULL: one), and work for them: the contract's VtParallel. */
uint32_t vt_cpu_n_threads(const VtDevice *device);
void vt_cpu_parallel_for(VtDevice *device, uint32_t n, void (*job)(void *job_user, uint32_t index), void *job_user);

VitrailStatus vt_cpu_lut3(VtDevice *device, const VtLut3 *args, const VtCancel *cancel);
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
VitrailStatus vt_cpu_edt_carry(VtDevice *device, const VtEdtCarry *args, const VtCancel *cancel);
VitrailStatus vt_cpu_components(VtDevice *device, const VtComponents *args, const VtCancel *cancel);
VitrailStatus vt_cpu_watershed(VtDevice *device, const VtWatershed *args, const VtCancel *cancel);
VitrailStatus vt_cpu_number(VtDevice *device, const VtNumber *args, const VtCancel *cancel);
VitrailStatus vt_cpu_relabel(VtDevice *device, const VtRelabel *args, const VtCancel *cancel);
VitrailStatus vt_cpu_regional(VtDevice *device, const VtRegional *args, const VtCancel *cancel);
VitrailStatus vt_cpu_geodesic(VtDevice *device, const VtGeodesic *args, const VtCancel *cancel);
VitrailStatus vt_cpu_glrlm_serial(VtDevice *device, const VtGlrlmWindows *args, const VtCancel *cancel);
VitrailStatus vt_cpu_glrlm_fast(VtDevice *device, const VtGlrlmWindows *args, const VtCancel *cancel);
VitrailStatus vt_cpu_glrlm_runs(VtDevice *device, const VtGlrlmRuns *args, const VtCancel *cancel);
VitrailStatus vt_cpu_glrlm_rois(VtDevice *device, const VtGlrlmRois *args, const VtCancel *cancel);
void vt_cpu_glrlm_features(const uint64_t *matrix, int32_t n_levels, int32_t max_length, uint64_t n_pixels,
                           double features[VT_GLRLM_N_FEATURES]);
