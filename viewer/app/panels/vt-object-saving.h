/* SPDX-License-Identifier: MIT
 *
 * Rows of the table of objects on their way out of it, by workers. Main thread only. */
#pragma once
#include <gtk/gtk.h>

#include "panels/vt-object-sheet.h"

/* Takes the sheet, which may be NULL: nothing is done. */
void vt_object_saving_copy(GtkWidget *widget, VtObjectSheet *sheet);
/* The same as a file; `label`, which is in the widget, says what became of it. */
void vt_object_saving_save(GtkWidget *widget, VtObjectSheet *sheet, const char *path, GtkLabel *label);
