/* SPDX-License-Identifier: MIT
 *
 * The numbers of box plots: of each group of objects how many there are, and five quantiles of one of their measurements. A group is a word of a
 * column: a class, a gate, a region. Quantiles are of all objects of the group that have a number (up to 1e300), on whatever axis they are drawn:
 * the one for a part p of n sorted numbers lies at place (n - 1) p, counted from 0, on straight lines between neighbours (definition 7 of Hyndman and
 * Fan, Sample Quantiles in Statistical Packages, 1996; the one of NumPy and R). Immutable once made, any thread. */
#pragma once
#include "layers/vt-object-filter.h"
#include "panels/vt-plot-axis.h"

enum { VT_BOX_LOW, VT_BOX_LOWER_QUARTILE, VT_BOX_MEDIAN, VT_BOX_UPPER_QUARTILE, VT_BOX_HIGH, VT_BOX_N };

typedef struct {
  char *name;
  guint n;
  double quantiles[VT_BOX_N]; /* for 0.05, 0.25, 0.5, 0.75, 0.95; NaN: n is 0 */
  double lowest, highest;     /* of all; the axis need not reach them */
} VtBox;

typedef struct {
  guint n_objects, n_passing; /* of all; that pass the filter */
  guint n_none;               /* pass it, but are in no group */
  guint n_absent;             /* pass it and are in a group, but have no number */
  guint n_several;            /* are in more than one group, and so in more than one box */
  guint n_below;              /* in boxes: of zero or less, which a logarithmic axis does not reach */
  VtPlotAxis axis;            /* round ends, with all quantiles (above zero) between them */
  guint n;
  VtBox *boxes; /* in the order of the words */
} VtBoxesData;

/* `filter` NULL: all pass. words: a column of words. Owned. */
VtBoxesData *vt_boxes_data_new(const VtColumns *columns, const VtObjectFilter *filter, guint column, guint words,
                               gboolean is_log);
void vt_boxes_data_free(VtBoxesData *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtBoxesData, vt_boxes_data_free)
/* Of n sorted numbers; NaN: there are none. */
double vt_boxes_get_quantile(const double *sorted, guint n, double part);
