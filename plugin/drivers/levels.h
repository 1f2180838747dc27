/* SPDX-License-Identifier: MIT
 *
 * levels.h: grey levels for run lengths. */
#pragma once

#include "run/run.h"

/* How levels are made. */
typedef enum { VT_BIN_NUMBER, VT_BIN_AS_IS, VT_BIN_WIDTH } VtBinningKind;
typedef struct {
  VtBinningKind kind;
  int32_t n;       /* of VT_BIN_NUMBER */
  double width;    /* of VT_BIN_WIDTH, in the channel's units */
  double min, max; /* the range; both 0: the channel's own */
} VtBinning;

typedef struct {
  VtBinningKind kind;
  int32_t n;                /* levels are 1..n */
  double scale, min, width; /* width: of all of them, of VT_BIN_WIDTH that of one */
} VtLevels;

/* Levels (U16) of src, where mask and roi are not 0 (NULL: everywhere). own: the range is that of the pixels inside. *made:
 * how they were made. */
VitrailStatus vt_discretise(VtRun *run, const VtBinning *binning, const VtImage *src, double scale, const VtImage *mask,
                            const VtImage *roi, bool own, VtImage *levels, VtLevels *made);
/* The same in steps, for tiles. own: the least and the greatest value of the region, or NULL; a range that holds nothing goes
 * from +inf to -inf. */
void vt_levels_widen(const VtImage *src, double scale, const VtImage *mask, const VtImage *roi, double range[2]);
VitrailStatus vt_levels_resolve(VtRun *run, const VtBinning *binning, VtType type, double scale, const double *own,
                                VtLevels *levels);
/* On the caller's thread; dst U16. */
VitrailStatus vt_levels_apply(VtRun *run, const VtLevels *levels, const VtImage *src, const VtImage *mask,
                              const VtImage *roi, const VtImage *dst);
