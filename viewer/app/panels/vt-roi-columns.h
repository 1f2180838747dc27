/* SPDX-License-Identifier: MIT
 *
 * The columns of a table of regions: a name and a feature each; sorted by a click on the header, which explains the feature. */
#pragma once
#include <gtk/gtk.h>

#include "plugins/vt-params.h"
#include "results/vt-roi-measures.h"

/* Adds them to a view of rows (vt-roi-rows.h), those of VtRoiMeasures behind the name. `op` is resident; NULL: there are no features. */
void vt_roi_columns_add(GtkColumnView *view, const VitrailOp *op);
/* The features of a result whose rows the items have: of each of its settings. */
void vt_roi_columns_set_features(GtkColumnView *view, const VtResult *result);
/* The measures that the items have now: units, classes, and whose objects they are. `is_large`: areas are shown in mm². */
void vt_roi_columns_set_measures(GtkColumnView *view, const VtRoiMeasures *measures, gboolean is_large,
                                 gboolean is_stale);
/* How much each differs from the one that others are compared with, the rows from the nearest on; or no more. */
void vt_roi_columns_show_difference(GtkColumnView *view, gboolean shown);
/* Values have changed: rows are sorted again. */
void vt_roi_columns_resort(GtkColumnView *view);
/* What a column is: the feature's name and formula; NULL: the title says it. Owned. */
char *vt_roi_columns_dup_help(const char *column);
