/* SPDX-License-Identifier: MIT
 *
 * texture.h: run lengths of grey levels (Galloway 1975): what the files of the steps glrlm-map and glrlm-rois share. */
#pragma once

#include "drivers/levels.h"
#include "steps/step.h"

/* Words of settings; the last is NULL. */
extern const char *const vt_texture_features[], *const vt_texture_aggregates[], *const vt_texture_binnings[],
                                                                                  *const vt_texture_algorithms[];
/* Of the rows; the last is NULL. */
enum { VT_TEXTURE_COLUMNS = 2 + VT_GLRLM_N_FEATURES, VT_TEXTURE_VALUES = VT_TEXTURE_COLUMNS - 1 };
extern const char *const vt_texture_columns[];

/* What is looked at. */
typedef struct {
  const VitrailInput *image, *mask; /* mask: NULL without one */
  const VtChannel *channel;
  VtBinning binning;
  VtGlrlmAggregate aggregate;
  uint32_t stage; /* that shows it */
} VtTexture;

/* Reads, makes and hands over the map of one feature in a sliding window. */
typedef struct {
  VtTexture of;
  const char *algorithm;
  int32_t window, stride; /* in analysis pixels; a window is made odd */
  int32_t feature;
} VtTextureMap;
VitrailStatus vt_texture_map(VtExec *x, const VtTextureMap *map);

/* Hands over a row of features for each of the run's regions, or for the whole one. own_range: levels are those of each
 * region's own range. */
VitrailStatus vt_texture_regions(VtExec *x, const VtTexture *of, bool own_range);
/* The levels of a region in its rectangle, 0 outside of it, in a raster of the run. */
VitrailStatus vt_texture_levels(VtRun *run, const VtTexture *of, bool own_range, const VitrailRoi *roi, VtRect rect,
                                VtImage *levels, VtLevels *made);
/* values: VT_TEXTURE_VALUES of them. */
VitrailStatus vt_texture_emit_row(VtRun *run, const VtTexture *of, const VitrailRoi *roi, const double *values);

/* --- texture-lengths.c --- */

/* The rows of the regions, and after each what it is worked out from (VITRAIL_RUN_LENGTHS). */
VitrailStatus vt_texture_tell(VtRun *run, const VtTexture *of, bool own_range, const VitrailRoi *const *rois,
                              uint32_t n_rois);

/* --- texture-large-region.c --- */

typedef struct {
  const VtTexture *of;
  bool own_range;
  const VitrailRoi *roi;
  VtRect rect;        /* on the grid, inside the image */
  double progress[2]; /* what the host is told at the beginning and at the end */
} VtLargeRegion;
/* values: pixels, then the features. */
VitrailStatus vt_texture_large_region(VtRun *run, const VtLargeRegion *region, double *values);
