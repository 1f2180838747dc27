/* SPDX-License-Identifier: MIT
 *
 * What is different between two sets of objects in a part of a slide: of another run, of other settings, or true ones. */
#pragma once
#include "results/vt-score.h"
#include "results/vt-true-objects.h"

typedef enum {
  VT_FATE_NEW,     /* only in the present set */
  VT_FATE_LOST,    /* only in the reference */
  VT_FATE_SPLIT,   /* in the reference, and holds more than half of each of several present ones */
  VT_FATE_MERGED,  /* a present one that holds more than half of each of several of the reference */
  VT_FATE_CHANGED, /* in both, with an intersection over union above 0.5 and below 1: the present one */
  VT_FATE_SAME,    /* in both, pixel by pixel */
  VT_N_FATES
} VtFate;

typedef struct {
  VtFate fate;
  guint32 n_rings;
  guint32 *ring_sizes;
  double *points; /* x, y pairs of all rings, level 0 */
  double box[4];  /* x0, y0, x1, y1 */
  double change;  /* its area in level-0 pixels; of a CHANGED one the part of that which its IoU leaves */
} VtDifference;

/* Of an outline; owned. */
VtDifference *vt_difference_new(VtFate fate, const VtRoi *roi, double change);
void vt_difference_free(VtDifference *difference);

/* Of an object of the reference. */
typedef enum {
  VT_FOUND_NOT, /* no present one has an IoU above 0.5 with it */
  VT_FOUND,
  VT_FOUND_CUT, /* at the edge: not compared */
} VtFound;

typedef struct {
  gint64 x_l0, y_l0, width_l0, height_l0; /* what was compared */
  double downsample;                      /* on pixels of so many level-0 pixels */
  guint counts[VT_N_FATES];
  guint n_reference;            /* of the reference that were compared */
  guint8 *found;                /* VtFound of each of the reference, in its order */
  guint n_cut;                  /* at the edge: not compared */
  GPtrArray *differences;       /* VtDifference of all fates but SAME, the largest change first */
  guint n_present;              /* of the present ones that were compared */
  double f1_50, f1_70, aji, pq; /* with the reference as truth */
  /* Of dots: one that is alone in its object is SAME; LOST where no object is; an object that holds several is MERGED, one without any NEW. */
  gboolean of_dots;
  double precision, recall; /* of dots; f1_50 is theirs, and the other figures are 0 */
  VtScoreSizes *sizes;      /* of outlines, by size in pixels of the grid */
  guint n_sizes;
} VtComparison;
void vt_comparison_free(VtComparison *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtComparison, vt_comparison_free)

/* On the pixels of a grid from the slide's corner whose centres lie in the rectangle of the truth. Objects that leave it are not compared. Any
 * thread; NULL: cancelled, or it is empty. known: areas in which the truth is complete, NULL: everywhere; what they cut is not
 * compared, what lies in none is not there. bounds: n_bounds rising sizes in pixels of the grid; NULL: none. */
VtComparison *vt_compare_truth(VtTrueObjects *truth, GPtrArray *present, double downsample, GPtrArray *known,
                               const double *bounds, guint n_bounds, GCancellable *cancellable);

/* The same of the objects of a result that holds the truth's rectangle. Where the run has counted their overlaps with this truth on that grid, they are not painted. */
VtComparison *vt_compare_result(VtTrueObjects *truth, const VtResult *result, double downsample, GPtrArray *known,
                                const double *bounds, guint n_bounds, GCancellable *cancellable);

/* Two results of an op over the same rectangle: what of them is not the same byte by byte, as a stage's title; NULL: nothing. A stage
 * that one of them alone has is not the same. `stages`: bits of those that are looked at. */
const char *vt_result_find_difference(const VtResult *a, const VtResult *b, guint64 stages);
