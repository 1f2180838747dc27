/* SPDX-License-Identifier: MIT
 *
 * What lies round each object of a result: how many Delaunay neighbours it has, and how far it is from the borders of regions. Columns beside its
 * measurements, which are of the run. [any] thread. */
#pragma once
#include "run/vt-run.h"

#define VT_DELAUNAY_COLUMN "Delaunay neighbours"
#define VT_BORDER_COLUMN_UM "Signed distance to region border µm"
#define VT_BORDER_COLUMN_PX "Signed distance to region border px"

#define VT_BORDERS_FILE "borders.geojson"

enum { VT_SURROUNDINGS_MOST = 2 };

typedef struct VtSurroundings {
  GPtrArray *of; /* the objects, to be compared with only */
  guint n;       /* columns */
  const char *names[VT_SURROUNDINGS_MOST];
  double *values[VT_SURROUNDINGS_MOST]; /* of each object; NaN: not known */
  guint n_borders;                      /* regions whose borders those are */
  GPtrArray *drawn; /* VtRoi*: these regions, which are in no file: the result's files have them; or NULL */
  struct VtSurroundings *before; /* those that a result had before: a worker may be writing them; or NULL */
} VtSurroundings;

/* Neighbours (vt_delaunay_count()) are among the objects of a result, or of its part of one region. `rois`: whose borders count
 * (vt_rois_measure_borders()); NULL, or without an area: there is no such column. NULL and a sentence: neighbours can't be counted. Blocking. Owned. */
VtSurroundings *vt_surroundings_new(const VtResult *result, gboolean counts_neighbours, const GPtrArray *rois,
                                    GError **error);
void vt_surroundings_free(VtSurroundings *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtSurroundings, vt_surroundings_free)
/* The regions of `rois` are drawn, and in no file: vt_result_save() writes them as VT_BORDERS_FILE, which is an input of the record. Takes a reference. */
void vt_surroundings_set_drawn(VtSurroundings *self, GPtrArray *rois);
/* Gives a result them in place of those that it has: its files have them, and its record says so; NULL: it has none. Takes them. On the thread that hands
 * the result on. */
void vt_result_take_surroundings(VtResult *result, VtSurroundings *surroundings);
