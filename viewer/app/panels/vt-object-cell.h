/* SPDX-License-Identifier: MIT
 *
 * A cell of the table of objects. Main thread only. */
#pragma once
#include <gtk/gtk.h>

#include "layers/vt-columns.h"

#define VT_TYPE_OBJECT_CELL (vt_object_cell_get_type())
G_DECLARE_FINAL_TYPE(VtObjectCell, vt_object_cell, VT, OBJECT_CELL, GtkWidget)

/* "Area µm²" of "Nucleus: Area µm²": the header has less room. "Cell: Area µm²" and what a file calls its own stay as they are, or two would be alike. Part of what is given. */
const char *vt_object_cell_get_short(const char *title);
/* Number or word of the object at that place. columns NULL, or no such place: nothing. */
void vt_object_cell_show(VtObjectCell *self, const VtColumns *columns, guint index, guint column);
/* A bar below it, 0 to 100; NaN: none. */
void vt_object_cell_set_percent(VtObjectCell *self, double percent);
/* Of its text; the cell itself asks for none: it is as wide as its column. */
int vt_object_cell_get_text_width(VtObjectCell *self);
/* What a cell shows, and how, without a cell: as wide as `widget` would have it. Owned. */
char *vt_object_cell_dup_text(const VtColumns *columns, guint index, guint column);
PangoLayout *vt_object_cell_lay_out(GtkWidget *widget, const char *text);
