/* SPDX-License-Identifier: MIT
 *
 * The columns of the table of objects: which there are, which of them are shown, in which order, which are pinned, and by which the rows go; all of it as a session keeps
 * it. The pinned ones have a view of their own beside the one that scrolls sideways: with its rows, selection and height. Main thread only. */
#pragma once
#include <gtk/gtk.h>

#include "analysis/vt-analysis.h"
#include "panels/vt-object-rows.h"
#include "results/vt-session-file.h"

typedef struct _VtObjectColumns VtObjectColumns;

typedef enum { VT_OBJECT_PINNED, VT_OBJECT_OTHERS, VT_OBJECT_VIEWS } VtObjectView;

/* Borrows all: the heads of the columns of each view and its rows, the box with a check for each column, the objects. `sorted` is called when other
 * rows come first by a header. Owned; outlives the views. */
VtObjectColumns *vt_object_columns_new(GtkColumnView *const views[VT_OBJECT_VIEWS],
                                       GtkColumnView *const bodies[VT_OBJECT_VIEWS], GtkBox *checks, VtObjectRows *rows,
                                       void (*sorted)(gpointer user), gpointer user);
/* GtkColumnViewColumn of both views as they are seen, from left to right, with those that are hidden. Owned. */
GPtrArray *vt_object_columns_dup_all(VtObjectColumns *self);
void vt_object_columns_free(VtObjectColumns *self);
/* One of its own, before all others: it is no measurement. Borrows the analysis, whose slide it is. */
void vt_object_columns_add_pictures(VtObjectColumns *self, VtAnalysis *analysis);
/* Those that the objects have now. What was added stands behind the number, where it is seen. A person's choice and order stay as long as the objects
 * have the same measurements. */
void vt_object_columns_set(VtObjectColumns *self, const VtColumns *columns);
/* By the header that was clicked last; its place among the columns, -1: none. */
gint vt_object_columns_sort_rows(VtObjectColumns *self, gboolean *falling);
/* As a click on its header does. FALSE: there is no such column. */
gboolean vt_object_columns_sort_by(VtObjectColumns *self, const char *name, gboolean falling);
/* Without a pointer: by the next of the columns that are shown (step 1), by the one before (-1), or by the same the other way (0). */
void vt_object_columns_sort_on(VtObjectColumns *self, int step);
/* A bar in each cell of a measurement: its percentile. */
void vt_object_columns_show_bars(VtObjectColumns *self, gboolean shown);
/* Of a column of the view; interned. */
const char *vt_object_columns_get_name(GtkColumnViewColumn *column);
/* Into an empty one, and out of it: before there are columns, each of them then comes as it is told. */
void vt_object_columns_store(VtObjectColumns *self, VtSessionTable *stored);
void vt_object_columns_restore(VtObjectColumns *self, const VtSessionTable *stored);
/* Sorts as was told, once there is that column. After the rows are set. */
void vt_object_columns_restore_sort(VtObjectColumns *self);
