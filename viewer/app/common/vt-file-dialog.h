/* SPDX-License-Identifier: MIT
 *
 * What was chosen in a file dialog. Main thread. */
#pragma once
#include <gtk/gtk.h>

/* For the "response" of a GtkFileChooserNative: the path of the file, owned. NULL: cancelled, or nothing was chosen, or the place
 * has no path (a server that is not mounted), which a dialog says. */
char *vt_file_dialog_dup_path(GtkNativeDialog *dialog, int response);
/* Lets go of a dialog that has answered. */
void vt_file_dialog_end(GtkNativeDialog *dialog);
/* Shows the dialog, and activates the widget's action `then` with the path that was chosen as the target, unless the widget is gone by then. */
void vt_file_dialog_show(GtkFileChooserNative *dialog, GtkWidget *widget, const char *then);
/* The same with a dialog of its own. `name`: that is offered for a new file; NULL: one to be opened. */
void vt_file_dialog_ask(GtkWidget *widget, const char *title, const char *name, const char *then);
/* The same of a folder that something is saved in. */
void vt_file_dialog_ask_folder(GtkWidget *widget, const char *title, const char *then);
