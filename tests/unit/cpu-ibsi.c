/* SPDX-License-Identifier: MIT
 *
 * The digital phantom of the Image Biomarker Standardisation Initiative (A. Zwanenburg, CC BY 4.0) and its published
 * GLRLM values, to three significant digits. */
#include "vt-backend.h"

#include "../support/vt-test.h"

#include <string.h>

enum { SLICES = 4, LEVELS = 6, LENGTH = 5, CELLS = LEVELS * LENGTH };

/* 0 = outside the region. */
static const uint8_t phantom[SLICES][4][5] = {
  { { 1, 4, 4, 1, 1 }, { 1, 4, 6, 1, 1 }, { 4, 1, 6, 4, 1 }, { 4, 4, 6, 4, 1 } },
  { { 1, 4, 4, 1, 1 }, { 1, 1, 6, 1, 1 }, { 0, 1, 3, 1, 1 }, { 4, 4, 6, 1, 1 } },
  { { 1, 4, 4, 0, 0 }, { 1, 1, 1, 1, 1 }, { 1, 1, 0, 1, 1 }, { 1, 1, 6, 1, 1 } },
  { { 1, 4, 4, 0, 0 }, { 1, 1, 1, 1, 1 }, { 1, 1, 1, 1, 1 }, { 1, 1, 6, 1, 1 } },
};

enum { AVERAGED_2D, SLICE_MERGED_2D, DIRECTION_AVERAGED_25D, MERGED_25D, N_AGGREGATIONS };
static const char *const aggregations[N_AGGREGATIONS] = { "2D averaged", "2D slice-merged", "2.5D direction-merged",
                                                          "2.5D merged" };
static const struct {
  const char *name;
  int32_t feature;
  double published[N_AGGREGATIONS];
} rows[] = {
  { "SRE", VT_GLRLM_SRE, { 0.641, 0.661, 0.665, 0.68 } },
  { "LRE", VT_GLRLM_LRE, { 3.78, 3.51, 3.46, 3.27 } },
  { "LGRE", VT_GLRLM_LGRE, { 0.604, 0.609, 0.58, 0.585 } },
  { "HGRE", VT_GLRLM_HGRE, { 9.82, 9.74, 10.3, 10.2 } },
  { "SRLGE", VT_GLRLM_SRLGE, { 0.294, 0.311, 0.296, 0.312 } },
  { "SRHGE", VT_GLRLM_SRHGE, { 8.57, 8.67, 9.03, 9.05 } },
  { "LRLGE", VT_GLRLM_LRLGE, { 3.14, 2.92, 2.79, 2.63 } },
  { "LRHGE", VT_GLRLM_LRHGE, { 17.4, 16.1, 17.9, 17 } },
  { "GLN", VT_GLRLM_GLN, { 5.2, 20.5, 19.5, 77.1 } },
  { "GLNN", VT_GLRLM_GLNN, { 0.46, 0.456, 0.413, 0.412 } },
  { "RLN", VT_GLRLM_RLN, { 6.12, 21.6, 22.3, 83.2 } },
  { "RLNN", VT_GLRLM_RLNN, { 0.492, 0.441, 0.461, 0.445 } },
  { "RP", VT_GLRLM_RP, { 0.627, 0.627, 0.632, 0.632 } },
  { "GLV", VT_GLRLM_GLV, { 3.35, 3.37, 3.58, 3.59 } },
  { "RV", VT_GLRLM_RV, { 0.761, 0.778, 0.758, 0.767 } },
  { "RE", VT_GLRLM_RE, { 2.17, 2.57, 2.52, 2.76 } },
};

/* Merges matrices [slice][direction] over what the aggregation merges and averages the features over the rest. */
static void
aggregate(uint64_t matrices[SLICES][4][CELLS], const uint64_t pixels[SLICES], int how, double mean[VT_GLRLM_N_FEATURES])
{
  const int n = how == AVERAGED_2D ? 16 : how == MERGED_25D ? 1 : 4;
  memset(mean, 0, sizeof(double) * VT_GLRLM_N_FEATURES);
  for (int group = 0; group < n; group++) {
    uint64_t sum[CELLS] = { 0 }, n_pixels = 0;
    double features[VT_GLRLM_N_FEATURES];
    for (int slice = 0; slice < SLICES; slice++)
      for (int direction = 0; direction < 4; direction++) {
        const int of[N_AGGREGATIONS] = { 4 * slice + direction, slice, direction, 0 };
        if (of[how] != group)
          continue;
        n_pixels += pixels[slice];
        for (int k = 0; k < CELLS; k++)
          sum[k] += matrices[slice][direction][k];
      }
    vt_cpu_backend()->glrlm_features(sum, LEVELS, LENGTH, n_pixels, features);
    for (int f = 0; f < VT_GLRLM_N_FEATURES; f++)
      mean[f] += features[f] / n;
  }
}

static bool
agrees(double value, double published)
{
  char text[32];
  snprintf(text, sizeof text, "%.3g", value);
  return atof(text) == published;
}

int
main(void)
{
  uint64_t matrices[SLICES][4][CELLS] = { 0 }, pixels[SLICES] = { 0 };
  for (int slice = 0; slice < SLICES; slice++) {
    uint8_t levels[4][5];
    memcpy(levels, phantom[slice], sizeof levels);
    const VtGlrlmRuns args = { { levels, 5, 4, 5, VITRAIL_U8 }, 0, 0, 5, 4, LEVELS, LENGTH, matrices[slice][0] };
    vt_ok(vt_cpu_backend()->glrlm_runs(NULL, &args, NULL) == VITRAIL_OK, "runs of slice %d", slice + 1);
    for (int k = 0; k < 20; k++)
      pixels[slice] += levels[k / 5][k % 5] != 0;
  }
  for (int how = 0; how < N_AGGREGATIONS; how++) {
    double mean[VT_GLRLM_N_FEATURES];
    aggregate(matrices, pixels, how, mean);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
      vt_ok(agrees(mean[rows[k].feature], rows[k].published[how]), "%s %s: %.10g", aggregations[how], rows[k].name,
            mean[rows[k].feature]);
  }
  return vt_test_done();
}
