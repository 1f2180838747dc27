/* SPDX-License-Identifier: MIT
 *
 * Which objects a person wants to see in the table:
 *
 *   area > 40 and "hematoxylin od mean" < 0.3          not (touches = 1) and (x - 500) * 2 < y
 *
 * A name is that of a measurement, or a part of it that no other has, in any case; in quotes if it has blanks. number, x and y are the
 * object's. From the loosest: or ||, and &&, not !, comparisons (< <= > >= = == !=), + -, * /. What has no such number is neither more
 * nor less than anything. A column of words is asked for one of them, by = or !=: class = "tumour"; where an object may have several of them
 * (gates, regions), = asks whether it has this one. In quotes two of them stand for one. A polygon on a plot of two measurements, each with
 * log before it where its axis is logarithmic, and then the corners:
 *
 *   polygon(log area, "hematoxylin od mean"; 40 0.1; 90 0.15; 60 0.4) */
#pragma once
#include "layers/vt-columns.h"
#include "layers/vt-object-shape.h"

typedef struct VtObjectFilter VtObjectFilter;

/* Keeps what was added to the columns, and nothing else of them: it holds for other objects with the same measurements, of which what was
 * added says nothing. NULL: a sentence that says where the text is wrong. Owned. */
VtObjectFilter *vt_object_filter_new(const char *text, const VtColumns *columns, GError **error);
/* What has a number of from to to in the column, both ends included; what is in a polygon. Owned. */
VtObjectFilter *vt_object_filter_new_range(const VtColumns *columns, guint column, double from, double to);
VtObjectFilter *vt_object_filter_new_shape(const VtColumns *columns, VtObjectShape *shape);
/* What has the word of the column, which is one of sets. Owned. */
VtObjectFilter *vt_object_filter_new_member(const VtColumns *columns, guint column, guint word);
/* Whether it asks a column of sets for that word. */
gboolean vt_object_filter_asks(const VtObjectFilter *filter, const VtColumn *column, guint word);
/* What passes both. NULL: together they are too long. Owned. */
VtObjectFilter *vt_object_filter_join(const VtObjectFilter *a, const VtObjectFilter *b);
VtObjectFilter *vt_object_filter_ref(VtObjectFilter *filter);
void vt_object_filter_unref(VtObjectFilter *filter);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtObjectFilter, vt_object_filter_unref)
/* The object at that place of a list. Any thread. */
gboolean vt_object_filter_passes(const VtObjectFilter *filter, const GPtrArray *objects, guint index);
