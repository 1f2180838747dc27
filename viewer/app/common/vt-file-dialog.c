/* SPDX-License-Identifier: MIT */
#include "common/vt-file-dialog.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "base/vt-error.h"

static void
say_no_path(GtkWindow *window, GFile *file)
{
  g_autofree char *name = g_file_get_parse_name(file), *place = vt_error_dup_shown(name);
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

/* GTK 4.8 goes on reading the folder after its dialog is gone, and tells what it finds to what it has freed. */
#define READS_FOR_S 60

static gboolean
let_go(gpointer dialog)
{
  g_object_unref(dialog);
  return G_SOURCE_REMOVE;
}

void
vt_file_dialog_end(GtkNativeDialog *dialog)
{
  g_timeout_add_seconds(READS_FOR_S, let_go, dialog);
}

static void
chosen(GtkNativeDialog *dialog, int response, GtkWidget *widget)
{
  g_autofree char *path = vt_file_dialog_dup_path(dialog, response);
  if (path)
    gtk_widget_activate_action(widget, g_object_get_data(G_OBJECT(dialog), "then"), "s", path);
  vt_file_dialog_end(dialog);
}

void
vt_file_dialog_show(GtkFileChooserNative *dialog, GtkWidget *widget, const char *then)
{
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  g_object_set_data_full(G_OBJECT(dialog), "then", g_strdup(then), g_free);
  g_signal_connect_object(dialog, "response", G_CALLBACK(chosen), widget, 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

static void
ask(GtkWidget *widget, const char *title, GtkFileChooserAction action, const char *name, const char *then)
{
  GtkFileChooserNative *dialog =
    gtk_file_chooser_native_new(title, GTK_WINDOW(gtk_widget_get_root(widget)), action,
                                action == GTK_FILE_CHOOSER_ACTION_OPEN ? _("_Open") : _("_Save"), _("_Cancel"));
  if (name)
    gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(dialog), name);
  vt_file_dialog_show(dialog, widget, then);
}

void
vt_file_dialog_ask(GtkWidget *widget, const char *title, const char *name, const char *then)
{
  ask(widget, title, name ? GTK_FILE_CHOOSER_ACTION_SAVE : GTK_FILE_CHOOSER_ACTION_OPEN, name, then);
}

void
vt_file_dialog_ask_folder(GtkWidget *widget, const char *title, const char *then)
{
  ask(widget, title, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, NULL, then);
}
