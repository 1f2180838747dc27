/* SPDX-License-Identifier: MIT
 *
 * A cell of the table of objects. Main thread only. */
#pragma once
#include <gtk/gtk.h>

#include "layers/vt-columns.h"

/* "Area µm²" of "Nucleus: Area µm²": the header has less room. Part of what is given. */
const char *vt_object_cell_get_short(const char *title);
GtkWidget *vt_object_cell_new(void);
/* Number or word of the object at that place. columns NULL, or no such place: nothing. */
void vt_object_cell_show(GtkWidget *cell, const VtColumns *columns, guint index, guint column);
