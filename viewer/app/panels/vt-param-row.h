/* SPDX-License-Identifier: MIT
 *
 * The widgets of one declared parameter. Signal: "changed" (the value in the VtParams is new). */
#pragma once
#include <gtk/gtk.h>

#include "analysis/vt-sweep.h"
#include "plugins/vt-params.h"

#define VT_TYPE_PARAM_ROW (vt_param_row_get_type())
G_DECLARE_FINAL_TYPE(VtParamRow, vt_param_row, VT, PARAM_ROW, GtkBox)

/* `params` must outlive the row. */
GtkWidget *vt_param_row_new(VtParams *params, guint index, VtSweep *sweep);
/* A choice stands beside its title instead of below it, where there is little height. */
void vt_param_row_set_low(VtParamRow *self, gboolean is_low);
/* It has two lines of editors even there: a vector. */
gboolean vt_param_row_is_tall(VtParamRow *self);
/* Draws the curve over the slider, or takes it away. FALSE: it has none. */
gboolean vt_param_row_toggle_curve(VtParamRow *self);
/* Takes several values in the place of one, or one again; those of a list of which each is run. FALSE: it can have one alone. */
gboolean vt_param_row_toggle_values(VtParamRow *self);
/* Somebody else may have changed the value. */
void vt_param_row_refresh(VtParamRow *self);
