/* SPDX-License-Identifier: MIT
 *
 * The tables below the views: "regions" and "objects". */
#pragma once
#include "analysis/vt-analysis.h"
#include "canvas/vt-canvas.h"
#include "panels/vt-roi-table.h"

G_BEGIN_DECLS

/* Floating. *roi_table: in it. */
GtkStack *vt_tables_new(VtCanvas *canvas, VtAnalysis *analysis, VtRegions *regions, VtRoiTable **roi_table);

G_END_DECLS
