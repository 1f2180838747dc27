/* SPDX-License-Identifier: MIT */
#include "common/vt-file-dialog.h"

#include <adwaita.h>
#include <glib/gi18n.h>

static void
say_no_path(GtkWindow *window, GFile *file)
{
  g_autofree char *place = g_file_get_parse_name(file);
  GtkWidget *dialog = adw_message_dialog_new(window, _("This Place Has No Path"), NULL);
  adw_message_dialog_format_body(ADW_MESSAGE_DIALOG(dialog),
                                 _("%s is not in a folder of this computer, nor on a drive that is mounted."), place);
  adw_message_dialog_add_response(ADW_MESSAGE_DIALOG(dialog), "close", _("_Close"));
  gtk_window_present(GTK_WINDOW(dialog));
}

char *
vt_file_dialog_dup_path(GtkNativeDialog *dialog, int response)
{
  g_autoptr(GFile) file = response == GTK_RESPONSE_ACCEPT ? gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog)) : NULL;
  char *path = file ? g_file_get_path(file) : NULL;
  if (file && !path)
    say_no_path(gtk_native_dialog_get_transient_for(dialog), file);
  return path;
}
