/* SPDX-License-Identifier: MIT
 *
 * A run length matrix as a heat map: grey levels downwards, lengths to the right. A click, or the arrow keys, choose a cell.
 *
 * Signals: "picked" (uint row, uint column), "pointed" (int row, int column: what lies under the pointer; -1: nothing). */
#pragma once
#include <gtk/gtk.h>

#include "panels/vt-run-bins.h"

typedef enum {
  VT_RUN_MAP_COUNTS,     /* colours by the logarithm; 0 is empty */
  VT_RUN_MAP_DIFFERENCE, /* around 0 */
} VtRunMapKind;

#define VT_TYPE_RUN_MAP (vt_run_map_get_type())
G_DECLARE_FINAL_TYPE(VtRunMap, vt_run_map, VT, RUN_MAP, GtkWidget)

GtkWidget *vt_run_map_new(VtRunMapKind kind);
/* A value for each cell, row by row, taken; unit: of the numbers of the legend. NULL bins: there is nothing. Copied. */
void vt_run_map_set(VtRunMap *self, const VtRunBins *bins, double *values, const char *unit);
double vt_run_map_get_most(VtRunMap *self); /* value */
/* Maps whose colours are to mean the same: the last colour is that of `most`, if that is more; one of them shows the legend. After vt_run_map_set(). */
void vt_run_map_set_scale(VtRunMap *self, double most, gboolean has_legend);
void vt_run_map_set_title(VtRunMap *self, const char *title);
void vt_run_map_set_stale(VtRunMap *self, gboolean stale); /* faint */
/* Marked; -1: none. */
void vt_run_map_set_chosen(VtRunMap *self, int row, int column);
