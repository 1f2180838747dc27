/* SPDX-License-Identifier: MIT
 *
 * The tables below the views: "regions", "objects" and "classes". */
#pragma once
#include "analysis/vt-grader.h"
#include "analysis/vt-gates.h"
#include "analysis/vt-teacher.h"
#include "canvas/vt-canvas.h"
#include "panels/vt-plot-panel.h"
#include "panels/vt-roi-table.h"

/* Floating. *roi_table: in it. */
GtkStack *vt_tables_new(VtCanvas *canvas, VtAnalysis *analysis, VtRegions *regions, VtRoiTable **roi_table);

/* The panel of classes, which is made when it is first shown or asked for; borrowed. */
GtkWidget *vt_tables_get_classes(GtkStack *tables);
VtTeacher *vt_tables_get_teacher(GtkStack *tables); /* borrowed */
VtGrader *vt_tables_get_grader(GtkStack *tables);   /* borrowed */
/* The plot beside the table of objects; borrowed. */
VtPlotPanel *vt_tables_get_plot(GtkStack *tables);
VtGates *vt_tables_get_gates(GtkStack *tables); /* borrowed */
/* The classes of a result's objects: those that are shown, or, while the layer shows the objects of a first look or these are on their
 * way, the same made anew, so that nothing that leaves the program goes without them. Blocking. Owned; NULL: they have none. */
VtClassified *vt_tables_classify(GtkStack *tables, VtResult *result);
/* Whether the objects have columns of neighbours and borders, which files are to have, too. */
gboolean vt_tables_has_surroundings(GtkStack *tables);
/* Before it is let go: it is held by what is in it. */
void vt_tables_take_down(GtkStack *tables);
/* Which one is seen, and what a person chose of that of the objects, into an empty one and out of it. */
void vt_tables_store(GtkStack *tables, VtSessionTable *stored);
void vt_tables_restore(GtkStack *tables, const VtSessionTable *stored);
