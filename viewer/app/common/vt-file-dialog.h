/* SPDX-License-Identifier: MIT
 *
 * What was chosen in a file dialog. Main thread. */
#pragma once
#include <gtk/gtk.h>

G_BEGIN_DECLS

/* For the "response" of a GtkFileChooserNative: the path of the file, owned. NULL: cancelled, or nothing was chosen, or the place
 * has no path (a server that is not mounted), which a dialog says. */
char *vt_file_dialog_dup_path(GtkNativeDialog *dialog, int response);

G_END_DECLS
