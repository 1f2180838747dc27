/* SPDX-License-Identifier: MIT
 *
 * oracle.h: every slot of VtBackend once more, by the shortest way from its definition: no queue, no envelope, no
 * run-length array. Slow, and only for valid arguments. Images in host memory. */
#pragma once

#include "vt-backend.h"

const VtBackend *vt_oracle_backend(void);

VitrailStatus vt_oracle_lut3(VtDevice *device, const VtLut3 *args, const VtCancel *cancel);
VitrailStatus vt_oracle_normalize(VtDevice *device, const VtNormalize *args, const VtCancel *cancel);
VitrailStatus vt_oracle_erode_disc(VtDevice *device, const VtErodeDisc *args, const VtCancel *cancel);
VitrailStatus vt_oracle_smooth(VtDevice *device, const VtSmooth *args, const VtCancel *cancel);
VitrailStatus vt_oracle_pointwise(VtDevice *device, const VtPointwise *args, const VtCancel *cancel);
VitrailStatus vt_oracle_reconstruct(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel);
VitrailStatus vt_oracle_edt_columns(VtDevice *device, const VtEdt *args, const VtCancel *cancel);
VitrailStatus vt_oracle_edt_rows(VtDevice *device, const VtEdt *args, const VtCancel *cancel);
VitrailStatus vt_oracle_components(VtDevice *device, const VtComponents *args, const VtCancel *cancel);
VitrailStatus vt_oracle_watershed(VtDevice *device, const VtWatershed *args, const VtCancel *cancel);
VitrailStatus vt_oracle_number(VtDevice *device, const VtNumber *args, const VtCancel *cancel);
VitrailStatus vt_oracle_relabel(VtDevice *device, const VtRelabel *args, const VtCancel *cancel);
VitrailStatus vt_oracle_overlaps(VtDevice *device, const VtOverlaps *args, const VtCancel *cancel);
VitrailStatus vt_oracle_distance_exact(VtDevice *device, const VtDistance *args, const VtCancel *cancel);
VitrailStatus vt_oracle_distance_danielsson(VtDevice *device, const VtDistance *args, const VtCancel *cancel);
VitrailStatus vt_oracle_regional(VtDevice *device, const VtRegional *args, const VtCancel *cancel);
VitrailStatus vt_oracle_geodesic(VtDevice *device, const VtGeodesic *args, const VtCancel *cancel);
VitrailStatus vt_oracle_glrlm_windows(VtDevice *device, const VtGlrlmWindows *args, const VtCancel *cancel);
VitrailStatus vt_oracle_glrlm_runs(VtDevice *device, const VtGlrlmRuns *args, const VtCancel *cancel);
void vt_oracle_glrlm_features(const uint64_t *matrix, int32_t n_levels, int32_t max_length, uint64_t n_pixels,
                              double features[VT_GLRLM_N_FEATURES]);

/* One pixel as a double: exact for every type but VT_I64, which no oracle reads. */
static inline double
vt_oracle_get(const VtImage *image, int64_t x, int64_t y)
{
  const void *p = vt_image_at(image, x, y);
  switch (image->type) {
  case VITRAIL_U8: return *(const uint8_t *)p;
  case VITRAIL_U16: return *(const uint16_t *)p;
  case VITRAIL_I32: return *(const int32_t *)p;
  default: return *(const float *)p;
  }
}

static inline void
vt_oracle_set(const VtImage *image, int64_t x, int64_t y, double v)
{
  void *p = vt_image_at(image, x, y);
  switch (image->type) {
  case VITRAIL_U8: *(uint8_t *)p = (uint8_t)v; break;
  case VITRAIL_U16: *(uint16_t *)p = (uint16_t)v; break;
  case VITRAIL_I32: *(int32_t *)p = (int32_t)v; break;
  default: *(float *)p = (float)v; break;
  }
}

static inline bool
vt_oracle_inside(const VtImage *image, int64_t x, int64_t y)
{
  return x >= 0 && y >= 0 && x < image->width && y < image->height;
}
