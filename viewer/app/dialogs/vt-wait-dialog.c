/* SPDX-License-Identifier: MIT */
#include "dialogs/vt-wait-dialog.h"

#include <glib/gi18n.h>

#include "common/vt-widgets.h"

#define BAR "vt-bar" /* on the dialog */

void
vt_wait_dialog_show(GtkWindow **dialog, GtkWindow *parent, const char *heading, GCancellable *cancellable)
{
  GtkWidget *message = adw_message_dialog_new(parent, heading, NULL), *bar = gtk_progress_bar_new();
  vt_widget_set_accessible_label(bar, heading);
  adw_message_dialog_set_extra_child(ADW_MESSAGE_DIALOG(message), bar);
  adw_message_dialog_add_response(ADW_MESSAGE_DIALOG(message), "cancel", _("_Cancel"));
  adw_message_dialog_set_close_response(ADW_MESSAGE_DIALOG(message), "cancel");
  g_object_set_data(G_OBJECT(message), BAR, bar);
  g_signal_connect_object(message, "response", G_CALLBACK(g_cancellable_cancel), cancellable, G_CONNECT_SWAPPED);
  g_set_weak_pointer(dialog, GTK_WINDOW(message));
  gtk_window_present(*dialog);
}

void
vt_wait_dialog_end(GtkWindow **dialog)
{
  GtkWindow *shown = *dialog;
  g_clear_weak_pointer(dialog);
  if (shown)
    gtk_window_destroy(shown);
}

void
vt_wait_dialog_tell(GtkWindow *dialog, const char *what, double part)
{
  if (!dialog)
    return;
  adw_message_dialog_set_body(ADW_MESSAGE_DIALOG(dialog), what);
  gtk_progress_bar_set_fraction(g_object_get_data(G_OBJECT(dialog), BAR), part);
}
