/* SPDX-License-Identifier: MIT
 *
 * The runs of grey levels that a row of texture features is worked out from (VITRAIL_RUN_LENGTHS, docs/texture.md): how many there are of each
 * level and length, and where they lie. Immutable; any thread. */
#pragma once
#include "run/vt-roi.h"
#include "vitrail-plugin.h"

#define VT_RUN_DIRECTIONS VITRAIL_LENGTHS_DIRECTIONS
#define VT_RUN_ALL_DIRECTIONS 0xfu /* a bit per direction */

typedef struct {
  gint64 x, y; /* of the first pixel, on the analysis grid */
  guint width, height, downsample;
  guint n_levels, longest;
  guint top;                /* the highest level that occurs */
  guint64 n_pixels;         /* that have a level */
  guint32 *levels, *counts; /* as in VitrailRunLengths */
  double level_from, level_step;
  const char *unit; /* interned */
} VtRunLengths;

/* A part of the matrix: levels and lengths from..to, both included, 1..; bits of directions. */
typedef struct {
  guint directions, level_from, level_to, length_from, length_to;
} VtRunCell;

typedef struct {
  guint x, y; /* the first pixel, in the rectangle */
  guint direction, length;
} VtRunPlace;

/* A copy of what a plugin tells, which is sound (vt_run_lengths_doubt()). NULL: there is no memory. */
VtRunLengths *vt_run_lengths_new(const VitrailRunLengths *told);
VtRunLengths *vt_run_lengths_ref(VtRunLengths *lengths);
void vt_run_lengths_unref(VtRunLengths *lengths);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtRunLengths, vt_run_lengths_unref)
/* Half a sentence on what makes no sense: sizes, levels, counts that do not add up to the pixels of each level. NULL: nothing. */
const char *vt_run_lengths_doubt(const VitrailRunLengths *told);

/* How many runs the matrix counts there; what lies beyond it has none. */
guint64 vt_run_lengths_count(const VtRunLengths *lengths, const VtRunCell *cell);
/* And which: VtRunPlace, by direction, and row by row of their first pixels. Owned. */
GArray *vt_run_lengths_find(const VtRunLengths *lengths, const VtRunCell *cell);
/* (dx,dy) of a direction. */
void vt_run_direction_get_step(guint direction, int *dx, int *dy);
/* The run of each direction that a pixel is of. FALSE: it lies outside of the rectangle, or of the region. */
gboolean vt_run_lengths_find_through(const VtRunLengths *lengths, guint x, guint y,
                                     VtRunPlace places[VT_RUN_DIRECTIONS]);
/* Its pixels on the slide; owned. */
VtRoi *vt_run_lengths_dup_roi(const VtRunLengths *lengths, const VtRunPlace *place);
/* "Level 16 (119.5 – 127.5)": the levels of a cell, with their values. Owned. */
char *vt_run_lengths_dup_levels(const VtRunLengths *lengths, const VtRunCell *cell);
