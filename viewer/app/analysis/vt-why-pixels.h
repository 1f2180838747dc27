/* SPDX-License-Identifier: MIT
 *
 * Of which pixels a test of an answer speaks: the piece of the mask that it makes, or of the labels that it measures, in which the pixel that
 * was asked about lies. The recipe is run once more with a stage for the step that makes them. Main thread only. */
#pragma once
#include "analysis/vt-why.h"

typedef struct _VtWhyPixels VtWhyPixels;
/* outline NULL: there is none, failure has the sentence. Both borrowed. */
typedef void (*VtWhyPixelsDone)(const VtRoi *outline, const char *failure, gpointer user);

VtWhyPixels *vt_why_pixels_new(VtWhyPixelsDone done, gpointer user);
/* Nothing comes after it. */
void vt_why_pixels_free(VtWhyPixels *self);
/* Of a verdict of the present answer; what was asked for before is dropped. FALSE: it speaks of no pixels but the one and a saddle. */
gboolean vt_why_pixels_find(VtWhyPixels *self, VtWhy *why, guint verdict);
void vt_why_pixels_stop(VtWhyPixels *self);
