/* SPDX-License-Identifier: MIT
 *
 * Box plots of groups of objects beside each other. What a box means is written under them. Main thread only. */
#pragma once
#include <gtk/gtk.h>

#include "panels/vt-boxes-data.h"

#define VT_TYPE_BOXES (vt_boxes_get_type())
G_DECLARE_FINAL_TYPE(VtBoxes, vt_boxes, VT, BOXES, GtkWidget)

/* Takes the numbers; NULL: nothing is shown. `title` of the axis. */
void vt_boxes_set(VtBoxes *self, VtBoxesData *data, const char *title);
const VtBoxesData *vt_boxes_get_data(VtBoxes *self); /* or NULL */
/* The number of the selected object, as a line across; NaN: none. */
void vt_boxes_set_mark(VtBoxes *self, double value);
