/* SPDX-License-Identifier: MIT
 *
 * The rows of the table of objects. GTK keeps some 200 rows of a list, and in a GtkColumnView a cell of each column in each of them: of sixty columns
 * 12,000, which all are styled again while the rows scroll. Here a row is one widget, which has cells where it is in sight; a row that is selected
 * or has the keyboard has all of them, for screen readers. The heads of the columns are a GtkColumnView without rows. Main thread only. */
#pragma once
#include "analysis/vt-analysis.h"
#include "panels/vt-object-bars.h"
#include "panels/vt-object-rows.h"

typedef struct _VtObjectLines VtObjectLines;

/* `heads` has the columns, with their names as "name" in their data; `view` has no column yet, and shows VtObjectRow of `rows`. Both are in scrolled
 * windows, and go from side to side together. Borrows all. Owned; outlives the views. */
VtObjectLines *vt_object_lines_new(GtkColumnView *heads, GtkColumnView *view, VtObjectRows *rows, VtObjectBars *bars);
void vt_object_lines_free(VtObjectLines *self);
/* Whose slide the pictures of objects are of; borrowed. */
void vt_object_lines_set_analysis(VtObjectLines *self, VtAnalysis *analysis);
