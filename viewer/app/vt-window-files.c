/* SPDX-License-Identifier: MIT */
#include "vt-window-private.h"

#include <glib/gi18n.h>

#include "vt-recent.h"
#include "vt-test-log.h"
#include "vt-widgets.h"

#define N_RECENT 10

static void
fill_recent(VtWindow *self)
{
  g_autoptr(GPtrArray) recent = vt_recent_dup(N_RECENT);
  g_autoptr(GMenu) menu = g_menu_new();
  for (guint i = 0; i < recent->len; i++) {
    const VtRecent *slide = g_ptr_array_index(recent, i);
    g_autoptr(GMenuItem) item = g_menu_item_new(slide->name, NULL);
    g_menu_item_set_action_and_target(item, "win.open-uri", "s", slide->uri);
    g_menu_append_item(menu, item);
  }
  if (g_menu_model_get_n_items(G_MENU_MODEL(menu)) == 0)
    g_menu_append(menu, _("No recent slides"), "win.none");
  adw_split_button_set_menu_model(self->open_button, G_MENU_MODEL(menu));
}

static void
slide_chosen(GtkNativeDialog *dialog, int response, VtWindow *self)
{
  if (response == GTK_RESPONSE_ACCEPT) {
    g_autoptr(GListModel) files = gtk_file_chooser_get_files(GTK_FILE_CHOOSER(dialog));
    for (guint i = 0; i < g_list_model_get_n_items(files); i++) {
      g_autoptr(GFile) file = g_list_model_get_item(files, i);
      vt_window_open(self, file, NULL);
    }
  }
  g_object_unref(dialog);
}

/* Neither: all files. */
static void
add_filter(GtkFileChooserNative *dialog, const char *name, gboolean slides, gboolean images)
{
  static const char *const of_slides[] = { "svs", "tif",  "tiff",    "ndpi", "vms", "vmu",
                                           "scn", "mrxs", "svslide", "bif",  "dcm", NULL };
  static const char *const of_images[] = { "png", "jpg", "jpeg", "tif", "tiff", NULL };
  g_autoptr(GtkFileFilter) filter = gtk_file_filter_new();
  gtk_file_filter_set_name(filter, name);
  for (guint i = 0; slides && of_slides[i]; i++)
    gtk_file_filter_add_suffix(filter, of_slides[i]);
  for (guint i = 0; images && of_images[i]; i++)
    gtk_file_filter_add_suffix(filter, of_images[i]);
  if (!slides && !images)
    gtk_file_filter_add_pattern(filter, "*");
  gtk_file_chooser_add_filter(GTK_FILE_CHOOSER(dialog), filter);
}

void
vt_window_choose_slide(VtWindow *self)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new(_("Open a slide"), GTK_WINDOW(self),
                                                             GTK_FILE_CHOOSER_ACTION_OPEN, _("_Open"), _("_Cancel"));
  add_filter(dialog, _("Slides and images"), TRUE, TRUE);
  add_filter(dialog, _("Slides"), TRUE, FALSE);
  add_filter(dialog, _("Images (PNG, JPEG, TIFF)"), FALSE, TRUE);
  add_filter(dialog, _("All files"), FALSE, FALSE);
  gtk_file_chooser_set_select_multiple(GTK_FILE_CHOOSER(dialog), TRUE);
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  g_signal_connect_object(dialog, "response", G_CALLBACK(slide_chosen), self, 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

static void
exported(VtWindow *self, const char *path, const GError *error)
{
  if (error) {
    vt_pane_show_error(vt_window_get_pane(self), error->message, FALSE);
    return;
  }
  g_autofree char *sentence = g_strdup_printf(_("Exported to %s"), path);
  vt_test_log("exported %s", path);
  vt_window_toast(self, sentence);
}

typedef struct {
  VtResult *result;
  VtSlide *slide;
  char *dir;
} Export;

static void
export_free(gpointer data)
{
  Export *export = data;
  vt_result_unref(export->result);
  vt_slide_unref(export->slide);
  g_free(export->dir);
  g_free(export);
}

static void
export_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Export *export = data;
  GError *error = NULL;
  if (vt_result_save(export->result, export->slide, export->dir, &error))
    g_task_return_boolean(task, TRUE);
  else
    g_task_return_error(task, error);
}

static void
export_done(GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr(GError) error = NULL;
  g_task_propagate_boolean(G_TASK(result), &error);
  if (VT_WINDOW(source)->page)
    exported(VT_WINDOW(source), ((Export *)g_task_get_task_data(G_TASK(result)))->dir, error);
}

void
vt_window_export_results(VtWindow *self, const char *path)
{
  VtPane *pane = vt_window_get_pane(self);
  VtResult *result = vt_analysis_get_result(vt_pane_get_analysis(pane));
  if (!result) {
    vt_pane_show_error(vt_window_get_pane(self), _("There are no results to export yet. Run the analysis first."),
                       FALSE);
    return;
  }
  Export *export = g_new0(Export, 1);
  export->result = vt_result_ref(result);
  export->slide = vt_slide_ref(vt_pane_get_slide(pane));
  export->dir = g_strdup(path);
  g_autoptr(GTask) task = g_task_new(self, NULL, export_done, NULL);
  g_task_set_task_data(task, export, export_free);
  g_task_run_in_thread(task, export_in_thread);
}

void
vt_window_export_rois(VtWindow *self, const char *path)
{
  g_autoptr(GError) error = NULL;
  vt_roi_table_export(vt_pane_get_roi_table(vt_window_get_pane(self)), path, &error);
  exported(self, path, error);
}

static void
results_folder_chosen(GtkNativeDialog *dialog, int response, VtWindow *self)
{
  if (response == GTK_RESPONSE_ACCEPT) {
    g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
    vt_window_export_results(self, g_file_peek_path(file));
  }
  g_object_unref(dialog);
}

void
vt_window_choose_results_folder(VtWindow *self)
{
  GtkFileChooserNative *dialog =
    gtk_file_chooser_native_new(_("Export the results into a folder"), GTK_WINDOW(self),
                                GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, _("_Export"), _("_Cancel"));
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  g_signal_connect_object(dialog, "response", G_CALLBACK(results_folder_chosen), self, 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

static void
rois_file_chosen(GtkNativeDialog *dialog, int response, VtWindow *self)
{
  if (response == GTK_RESPONSE_ACCEPT) {
    g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
    vt_window_export_rois(self, g_file_peek_path(file));
  }
  g_object_unref(dialog);
}

void
vt_window_choose_rois_file(VtWindow *self)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new(_("Export the table of regions"), GTK_WINDOW(self),
                                                             GTK_FILE_CHOOSER_ACTION_SAVE, _("_Export"), _("_Cancel"));
  gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(dialog), "regions.csv");
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  g_signal_connect_object(dialog, "response", G_CALLBACK(rois_file_chosen), self, 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

void
vt_window_init_files(VtWindow *self)
{
  g_signal_connect_object(gtk_recent_manager_get_default(), "changed", G_CALLBACK(fill_recent), self,
                          G_CONNECT_SWAPPED);
  for (GtkWidget *part = gtk_widget_get_first_child(GTK_WIDGET(self->open_button)); part;
       part = gtk_widget_get_next_sibling(part))
    if (GTK_IS_MENU_BUTTON(part))
      vt_widget_set_accessible_label(part, _("Recent slides"));
  fill_recent(self);
}
