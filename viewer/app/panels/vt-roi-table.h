/* SPDX-License-Identifier: MIT
 *
 * Regions, one row each: area, perimeter, the objects in them (vt-roi-counts.h), and texture features; all are measured anew whenever a
 * region comes, goes or changes. Rows that were measured with other settings than the present ones are stale, and look so. Main thread only.
 *
 * Signals: "selected" (what is selected has changed), "activated" (VtRoiItem), "failed" (sentence). */
#pragma once
#include <gtk/gtk.h>

#include "plugins/vt-params.h"
#include "analysis/vt-analysis.h"
#include "analysis/vt-regions.h"
#include "slide/vt-slide.h"

#define VT_TYPE_ROI_TABLE (vt_roi_table_get_type())
G_DECLARE_FINAL_TYPE(VtRoiTable, vt_roi_table, VT, ROI_TABLE, GtkBox)

/* Where what leads to the other tables stands. */
GtkBox *vt_roi_table_get_head(VtRoiTable *self);
/* And the analysis whose objects are counted in them. */
void vt_roi_table_set_regions(VtRoiTable *self, VtRegions *regions, VtAnalysis *analysis);
/* The classes of the objects are others. */
void vt_roi_table_count(VtRoiTable *self);
/* Empties the list of regions: they belong to a slide. */
void vt_roi_table_set_slide(VtRoiTable *self, VtSlide *slide);
/* The present settings: what is set in `params`, of VT_ROI_OP, and defaults; NULL: the defaults. Copied. */
void vt_roi_table_set_params(VtRoiTable *self, const VtParams *params);
/* Measures the regions if a row is stale or missing. */
void vt_roi_table_measure(VtRoiTable *self);
/* Rows of regions that are not in the list, e.g. of the whole view. */
void vt_roi_table_show_result(VtRoiTable *self, VtResult *result);
/* Selects regions whose texture is like that of the selected one, and shows how much each differs; once more, with that alone selected: ends. FALSE and a
 * sentence: not one is selected, or the texture is not known. */
gboolean vt_roi_table_find_similar(VtRoiTable *self, GError **error);
/* Opens what changes names, classes and colours of the selected ones; not without one. */
void vt_roi_table_edit(VtRoiTable *self);
/* Selected regions of the list (VtRoiItem); free with g_ptr_array_unref(). */
GPtrArray *vt_roi_table_dup_selected(VtRoiTable *self);
/* Those of them that have an area. */
GPtrArray *vt_roi_table_dup_selected_areas(VtRoiTable *self);
/* That one alone is selected. */
void vt_roi_table_select(VtRoiTable *self, VtRoiItem *item);
/* Writes the files of vt_regions_save(), after a measurement if the rows are not those of the present settings. A path that ends
 * in .geojson gets the outlines alone, at once. Regions that are written count as saved. */
void vt_roi_table_save_async(VtRoiTable *self, const char *path, GAsyncReadyCallback callback, gpointer user);
/* FALSE and a sentence also when there is nothing to save. */
gboolean vt_roi_table_save_finish(VtRoiTable *self, GAsyncResult *result, GError **error);
