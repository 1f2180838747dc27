/* SPDX-License-Identifier: MIT */
#include "dialogs/vt-wait-dialog.h"

#include <glib/gi18n.h>

#include "common/vt-widgets.h"
#include "common/vt-task.h"

#define BAR "vt-bar" /* on the dialog */
#define TELL_MS 100

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

/* --- a job --- */

typedef struct {
  const VtWaitKind *kind;
  gpointer job;
  GtkWindow *dialog; /* weak */
  guint tell_id;
} Waiting;

static gboolean
tell(gpointer user)
{
  const Waiting *waiting = user;
  double part = 0;
  g_autofree char *text = waiting->kind->tell(waiting->job, &part);
  vt_wait_dialog_tell(waiting->dialog, text, part);
  return G_SOURCE_CONTINUE;
}

static void
work_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Waiting *waiting = data;
  GError *error = NULL;
  vt_task_return_done(task, waiting->kind->work(waiting->job, cancellable, &error), &error);
}

static void
worked(GObject *parent, GAsyncResult *result, gpointer user)
{
  Waiting *waiting = user;
  g_autoptr(GError) error = NULL;
  g_task_propagate_boolean(G_TASK(result), &error);
  g_source_remove(waiting->tell_id);
  vt_wait_dialog_end(&waiting->dialog);
  waiting->kind->end(GTK_WINDOW(parent), waiting->job, error);
  g_free(waiting);
}

void
vt_wait_dialog_run(GtkWindow *parent, const VtWaitKind *kind, gpointer job)
{
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autoptr(GTask) task = NULL;
  Waiting *waiting = g_new0(Waiting, 1);
  waiting->kind = kind;
  waiting->job = job;
  waiting->tell_id = g_timeout_add(TELL_MS, tell, waiting);
  vt_wait_dialog_show(&waiting->dialog, parent, _(kind->heading), cancellable);
  task = g_task_new(parent, cancellable, worked, waiting);
  g_task_set_task_data(task, waiting, NULL);
  g_task_set_check_cancellable(task, FALSE); /* what is done was not cancelled */
  g_task_run_in_thread(task, work_in_thread);
}
