/* SPDX-License-Identifier: MIT
 *
 * Images of labels that other programs wrote: each number but 0 is an object. They say nothing about where they lie, so a person does. */
#pragma once
#include "raster/vt-placed.h"
#include "run/vt-shapes.h"

typedef struct {
  char *path, *file; /* file: to be shown */
  VtRaster *raster;  /* as in the file, with the place that it says */
  gboolean is_placed;
  guint n_labels; /* different numbers */
  gint32 highest;
  guint n_pieces;     /* pixels of one label that hang together by edges */
  VtRaster *pieces;   /* VITRAIL_I32: the piece of each pixel, from 1 on in the order of their first pixels; 0: none */
  GArray *labels;     /* gint32, by piece; the first stands for none */
  guint n_pages;      /* of which the first is read */
  gboolean is_turned; /* the file asks to be turned or mirrored, which is not done */
} VtLabelImage;

typedef enum { VT_LABELS_AS_FILE_SAYS, VT_LABELS_OVER_SLIDE, VT_LABELS_UNKNOWN } VtLabelGuess;

/* PNG or TIFF of whole numbers, blocking. NULL and a sentence: it is in colour, a JPEG, holds what is no label, or more pieces than can be outlined.
 * Cancelled: G_IO_ERROR_CANCELLED. context may be NULL. [any] */
VtLabelImage *vt_label_image_read(const char *path, const VtShapesContext *context, GError **error);
void vt_label_image_free(VtLabelImage *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtLabelImage, vt_label_image_free)
/* The place that the file says; else all over a slide of those proportions (to a pixel of the image, and to 5 %); else (0, 0), a pixel on each of the slide's. */
VtLabelGuess vt_label_image_guess(const VtLabelImage *self, gint64 width_l0, gint64 height_l0, VtLabelPlace *place);
/* The labels, or the pieces, for an op that measures them (VtParams.labels). NULL and a sentence: there is not enough memory. [any] */
VtPlacedLabels *vt_label_image_place(const VtLabelImage *self, const VtLabelPlace *place, gboolean by_piece,
                                     GError **error);
/* Outlines along the edges of pixels, valid, with exact holes: of each label, or of each piece. NULL and a sentence: they have too many corners.
 * [any] */
VtShapes *vt_label_image_trace(const VtLabelImage *self, const VtLabelPlace *place, gboolean by_piece,
                               const VtShapesContext *context, GError **error);
