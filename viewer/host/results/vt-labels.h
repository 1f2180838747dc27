/* SPDX-License-Identifier: MIT
 *
 * Objects as rows of labels, from a label image or from outlines, so that the two can be compared pixel by pixel. One thread. */
#pragma once
#include "raster/vt-raster.h"
#include "run/vt-roi.h"

typedef struct VtLabels VtLabels;

/* The pixels on which objects are compared: a rectangle of a grid whose pixels cover downsample x downsample level-0 pixels. */
typedef struct {
  gint64 x, y; /* of the first pixel, in the grid */
  gint64 width, height;
  double downsample;
  double origin_x_l0, origin_y_l0; /* of grid pixel (0, 0) */
} VtFrame;

/* A label image (PNG or TIFF of whole numbers, 0 is background, each other number is one object) or GeoJSON (each area is one object; the
 * label is its place among the areas of the file, from 1; points are dots). A TIFF is read row by row; another image larger than the room
 * is in a file. There may be no object. NULL and a sentence on failure. */
VtLabels *vt_labels_read(const char *path, const VtRasterRoom *room, GError **error);
/* Of outlines (VtRoi), which are kept. */
VtLabels *vt_labels_new(GPtrArray *outlines);
/* Of one outline, begun. */
VtLabels *vt_labels_new_of(const VtRoi *outline, const VtFrame *frame);
void vt_labels_free(VtLabels *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtLabels, vt_labels_free)

const char *vt_labels_get_name(const VtLabels *self); /* of the file */
gboolean vt_labels_is_image(const VtLabels *self);
/* Of outlines: how many; of an image 0. */
guint vt_labels_get_n_outlines(const VtLabels *self);
/* double x, y in level-0 pixels; NULL: none. Borrowed. */
const GArray *vt_labels_get_dots(const VtLabels *self);
/* Of a file that was read in part; NULL: nothing to say. Borrowed. */
const char *vt_labels_get_note(const VtLabels *self);

/* The pixel under a level-0 point; FALSE outside. */
gboolean vt_frame_find_pixel(const VtFrame *frame, double x_l0, double y_l0, gint64 *x, gint64 *y);
/* The one frame of two sets: that of an image; of outlines, the level-0 pixels around all of them. Two images must be of one size and,
 * where the files say so, at one place. FALSE and a sentence. */
gboolean vt_labels_find_frame(const VtLabels *a, const VtLabels *b, VtFrame *frame, GError **error);
/* Begins anew at row 0. FALSE and a sentence: an image of another size than the frame. */
gboolean vt_labels_begin(VtLabels *self, const VtFrame *frame, GError **error);
/* The next row of frame->width labels. A pixel belongs to an outline that holds its centre, and of several to the first in the file. FALSE
 * and a sentence: a number that is no label, or a damaged file. */
gboolean vt_labels_next_row(VtLabels *self, gint32 *row, GError **error);
/* Pixels so far that several outlines hold. */
guint64 vt_labels_get_n_shared(const VtLabels *self);
/* Whether a part of an outline lies outside of the frame. Outlines only, label 1..n. */
gboolean vt_labels_leaves_frame(const VtLabels *self, guint label);
/* Outlines no part of which lies in the frame. */
guint vt_labels_get_n_outside(const VtLabels *self);
