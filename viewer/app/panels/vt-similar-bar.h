/* SPDX-License-Identifier: MIT
 *
 * Which rows of a table are like one that is looked for: how much each differs becomes a column of theirs, a slider says how much may pass, and a sentence what
 * those have in common. The rows are objects, or regions in their form. The same numbers are looked for among later rows. Worked out by workers. Hidden until
 * it is started. Main thread only. Signals: "found" (there is another column, or none any more), "changed" (what passes, while the column stays). */
#pragma once
#include <gtk/gtk.h>

#include "layers/vt-columns.h"
#include "layers/vt-object-filter.h"

#define VT_SIMILAR_COLUMN "Similarity: Difference (sd)"

#define VT_TYPE_SIMILAR_BAR (vt_similar_bar_get_type())
G_DECLARE_FINAL_TYPE(VtSimilarBar, vt_similar_bar, VT, SIMILAR_BAR, GtkBox)

/* What rows are called where some are counted, "%s of %s regions" (borrowed), and how many pass to begin with, the nearest: the one that is looked for among
 * them. Of objects, and 50, until it is called. */
void vt_similar_bar_set_rows(VtSimilarBar *self, const char *counted, guint n_first);
/* Looks for what is like these numbers, one for each of the columns' own, NaN where there is none; `title` says what that is. Of the numbers
 * that are looked for already: ends. Takes the numbers. */
void vt_similar_bar_start(VtSimilarBar *self, VtColumns *columns, double *numbers, const char *title);
/* There are other rows; with other measurements, and where there are none for good (NULL), what is looked for is forgotten. */
void vt_similar_bar_follow(VtSimilarBar *self, VtColumns *columns);
/* Looks for nothing any more. */
void vt_similar_bar_stop(VtSimilarBar *self);
/* VT_SIMILAR_COLUMN of the last rows; borrowed; NULL: nothing is looked for, or not found yet. */
VtColumn *vt_similar_bar_get_column(VtSimilarBar *self);
/* How much may differ, in standard deviations. */
double vt_similar_bar_get_most(VtSimilarBar *self);
/* What passes; NULL: nothing is looked for, or not found yet among these objects. Owned. */
VtObjectFilter *vt_similar_bar_dup_filter(VtSimilarBar *self, const VtColumns *columns);
