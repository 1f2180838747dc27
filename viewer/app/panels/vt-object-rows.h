/* SPDX-License-Identifier: MIT
 *
 * The objects of a result, in the order of one of their numbers, as a list of VtObjectRow. Items are made when they are asked for,
 * so that a million rows cost four bytes each. Main thread only. */
#pragma once
#include <gio/gio.h>

#include "layers/vt-object-filter.h"

#define VT_TYPE_OBJECT_ROW (vt_object_row_get_type())
G_DECLARE_FINAL_TYPE(VtObjectRow, vt_object_row, VT, OBJECT_ROW, GObject)
/* The position of the object in the array. */
guint vt_object_row_get_index(VtObjectRow *self);

#define VT_TYPE_OBJECT_ROWS (vt_object_rows_get_type())
G_DECLARE_FINAL_TYPE(VtObjectRows, vt_object_rows, VT, OBJECT_ROWS, GObject)
VtObjectRows *vt_object_rows_new(void);
/* Of these objects those that pass the filter (NULL: all), in the order of before. NULL: none. Keeps both. */
void vt_object_rows_set(VtObjectRows *self, VtColumns *columns, VtObjectFilter *filter);
VtColumns *vt_object_rows_get_columns(VtObjectRows *self); /* borrowed, or NULL */
/* Of equals, the first in the array comes first; what has no such number comes last, whichever way. */
void vt_object_rows_sort(VtObjectRows *self, guint column, gboolean falling);
/* The object at a place of the list; NULL: there is none. */
const VtObject *vt_object_rows_get_object(VtObjectRows *self, guint position, guint *index);
/* The place of an object of the array in the list; G_MAXUINT: it is not there. */
guint vt_object_rows_find(VtObjectRows *self, guint index);
