/* SPDX-License-Identifier: MIT
 *
 * A cell of the table of objects. Main thread only. */
#pragma once
#include <gtk/gtk.h>

#include "layers/vt-columns.h"

#define VT_TYPE_OBJECT_CELL (vt_object_cell_get_type())
G_DECLARE_FINAL_TYPE(VtObjectCell, vt_object_cell, VT, OBJECT_CELL, GtkWidget)

/* "Area µm²" of "Nucleus: Area µm²": the header has less room. Part of what is given. */
const char *vt_object_cell_get_short(const char *title);
/* Number or word of the object at that place. columns NULL, or no such place: nothing. */
void vt_object_cell_show(VtObjectCell *self, const VtColumns *columns, guint index, guint column);
/* A bar below it, 0 to 100; NaN: none. */
void vt_object_cell_set_percent(VtObjectCell *self, double percent);
/* It draws nothing while it is far from what its scroller shows from side to side. This looks again, after columns moved. */
void vt_object_cell_look_again(VtObjectCell *self);
