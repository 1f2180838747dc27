/* SPDX-License-Identifier: MIT
 *
 * Labels of another program with the place on the slide that a person or a file gave them. A parameter of the op that measures them. Immutable, counted,
 * any thread. vt-label-image.h makes them. */
#pragma once
#include "raster/vt-raster.h"

/* Where pixel (0, 0) has its upper left corner, and how many level-0 pixels wide and high each pixel is. */
typedef struct {
  double x_l0, y_l0, downsample;
} VtLabelPlace;

#define VT_LABEL_LEAST_PIXEL 1e-3 /* a pixel of theirs, in level-0 pixels */
#define VT_LABEL_LARGEST_PIXEL 1e5
#define VT_LABEL_FARTHEST 1e9

typedef struct {
  char *path; /* of the file */
  VtLabelPlace place;
  VtRaster
    *raster;      /* VITRAIL_I32: 0, or the place of a label in `labels`: few numbers, whatever those of the file are */
  GArray *labels; /* gint32: those of the file; NULL: they are pieces, which have none */
} VtPlacedLabels;

/* Takes over the raster and the labels, of which the first stands for none. NULL: the objects are pieces. */
VtPlacedLabels *vt_placed_labels_new(const char *path, const VtLabelPlace *place, VtRaster *raster, GArray *labels);
VtPlacedLabels *vt_placed_labels_ref(VtPlacedLabels *self);
void vt_placed_labels_unref(VtPlacedLabels *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtPlacedLabels, vt_placed_labels_unref)
/* The same file at the same place, read once or twice. Either may be NULL. */
gboolean vt_placed_labels_equal(const VtPlacedLabels *a, const VtPlacedLabels *b);
/* Of pixels of the analysis grid what `raster` has under the middle of each; 0 where there is nothing. */
void vt_placed_labels_read(const VtPlacedLabels *self, guint downsample, gint64 x, gint64 y, gint64 width,
                           gint64 height, guint8 *dst, gsize stride);
