/* SPDX-License-Identifier: MIT */
#include "panels/vt-object-saving.h"

#include <glib/gi18n.h>

#include "base/vt-define.h"
#include "common/vt-test-log.h"
#include "common/vt-task.h"

static void
copy_in_thread(GTask *task, gpointer table, gpointer sheet, GCancellable *cancellable)
{
  g_task_return_pointer(task, vt_object_sheet_dup_text(sheet), g_free);
}

static void
copied(GObject *table, GAsyncResult *result, gpointer user)
{
  const VtObjectSheet *sheet = g_task_get_task_data(G_TASK(result));
  g_autofree char *text = g_task_propagate_pointer(G_TASK(result), NULL);
  gdk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(table)), text);
  vt_test_log("table-copied %u %u", sheet->rows->len, sheet->columns->len);
}

void
vt_object_saving_copy(GtkWidget *widget, VtObjectSheet *sheet)
{
  if (!sheet)
    return;
  vt_task_run(widget, NULL, copied, NULL, copy_in_thread, sheet, (GDestroyNotify)vt_object_sheet_free);
}

typedef struct {
  VtObjectSheet *sheet;
  char *path;
  GtkLabel *label;
} Saving;

VT_DEFINE_FREE(saving_free, Saving,
               VT_FREES(vt_object_sheet_free, sheet) VT_FREES(g_free, path) VT_FREES(g_object_unref, label))

static void
save_in_thread(GTask *task, gpointer table, gpointer data, GCancellable *cancellable)
{
  const Saving *saving = data;
  GError *error = NULL;
  vt_task_return_done(task, vt_object_sheet_save(saving->sheet, saving->path, &error), &error);
}

static void
saved(GObject *table, GAsyncResult *result, gpointer user)
{
  const Saving *saving = g_task_get_task_data(G_TASK(result));
  g_autoptr(GError) error = NULL;
  g_task_propagate_boolean(G_TASK(result), &error);
  g_autofree char *shown = vt_error_dup_path(saving->path);
  g_autofree char *text =
    error ? g_strdup(error->message) : g_strdup_printf(_("%u rows are in %s."), saving->sheet->rows->len, shown);
  gtk_label_set_text(saving->label, text);
  gtk_widget_set_visible(GTK_WIDGET(saving->label), TRUE);
  vt_test_log("table-saved %d %s", error == NULL, saving->path);
}

void
vt_object_saving_save(GtkWidget *widget, VtObjectSheet *sheet, const char *path, GtkLabel *label)
{
  if (!sheet)
    return;
  Saving *saving = g_new0(Saving, 1);
  *saving = (Saving){ sheet, g_strdup(path), g_object_ref(label) };
  vt_task_run(widget, NULL, saved, NULL, save_in_thread, saving, saving_free);
}
