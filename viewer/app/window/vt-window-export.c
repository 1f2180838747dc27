/* SPDX-License-Identifier: MIT
 *
 * Results into a folder, regions into files. */
#include <glib/gi18n.h>
#include <string.h>

#include "base/vt-define.h"
#include "dialogs/vt-overwrite.h"
#include "common/vt-file-dialog.h"
#include "common/vt-test-log.h"
#include "common/vt-task.h"
#include "common/vt-translate.h"
#include "panels/vt-tables.h"
#include "results/vt-surroundings.h"
#include "window/vt-window-private.h"

static void
say_exported(VtWindow *self, const char *path)
{
  g_autofree char *shown = vt_error_dup_path(path);
  g_autofree char *sentence = g_strdup_printf(_("Exported to %s"), shown);
  vt_test_log("exported %s", path);
  vt_window_toast(self, sentence);
}

/* --- results --- */

typedef struct {
  VtWindow *window;
  VtResult *result;
  VtSlide *slide;
  GPtrArray
    *rois; /* VtRoi*: those to whose borders distances are measured; NULL: neighbours and borders are no columns */
  VtSurroundings *surroundings; /* until the result has them */
  char *dir, *numbered;
} Export;

VT_DEFINE_FREE(export_free, Export,
               VT_FREES(g_object_unref, window) VT_FREES(vt_result_unref, result) VT_FREES(vt_slide_unref, slide)
                 VT_FREES(g_ptr_array_unref, rois) VT_FREES(vt_surroundings_free, surroundings)
                   VT_FREES(g_free, dir, numbered))

static void
export_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Export *export = data;
  GError *error = NULL;
  g_autoptr(VtFolder) folder = vt_folder_lock(export->dir, &error);
  vt_task_return_done(task, folder && vt_result_save(export->result, export->slide, folder, &error), &error);
}

static void
export_done(GObject *source, GAsyncResult *result, gpointer user)
{
  VtWindow *self = VT_WINDOW(source);
  g_autoptr(GError) error = NULL;
  g_task_propagate_boolean(G_TASK(result), &error);
  if (!self->page)
    return;
  if (error)
    vt_pane_show_error(vt_window_get_pane(self), error->message, VT_MESSAGE_ANSWER);
  else
    say_exported(self, ((Export *)g_task_get_task_data(G_TASK(result)))->dir);
}

static void
start_export(Export *export)
{
  vt_task_run(export->window, NULL, export_done, NULL, export_in_thread, export, export_free);
}

static void
export_answered(VtOverwrite answer, gpointer user)
{
  Export *export = user;
  if (answer == VT_OVERWRITE_CANCEL) {
    export_free(export);
    return;
  }
  if (answer == VT_OVERWRITE_KEEP_BOTH) {
    g_free(export->dir);
    export->dir = g_steal_pointer(&export->numbered);
  }
  start_export(export);
}

/* The result has all that its files will have: what they replace can be told. */
static void
ask_or_start(Export *export)
{
  g_autofree char *obstacle = NULL;
  g_autofree char *holds = vt_overwrite_describe_folder(export->dir, export->result, &obstacle);
  if (holds)
    vt_overwrite_ask(GTK_WINDOW(export->window), export->dir, holds, obstacle, export->numbered, export_answered,
                     export);
  else
    start_export(export);
}

/* Made anew, of just these objects and regions: the table may be on its way to others. */
static void
surround_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Export *export = *(Export **)data;
  GError *error = NULL;
  export->surroundings = vt_surroundings_new(export->result, TRUE, export->rois, &error);
  if (export->surroundings && export->rois->len > 0)
    vt_surroundings_set_drawn(export->surroundings, export->rois);
  vt_task_return_done(task, export->surroundings != NULL, &error);
}

static void
surrounded(GObject *source, GAsyncResult *result, gpointer user)
{
  VtWindow *self = VT_WINDOW(source);
  Export *export = *(Export **)g_task_get_task_data(G_TASK(result));
  g_autoptr(GError) error = NULL;
  const gboolean done = g_task_propagate_boolean(G_TASK(result), &error);
  if (!self->page) {
    export_free(export);
  } else if (!done) {
    vt_pane_show_error(vt_window_get_pane(self), vt_translate(error->message), VT_MESSAGE_ANSWER);
    export_free(export);
  } else {
    vt_result_take_surroundings(export->result, g_steal_pointer(&export->surroundings));
    ask_or_start(export);
  }
}

static GPtrArray *
dup_areas(VtPane *pane)
{
  GPtrArray *rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  VT_EACH_ITEM (VtRoiItem, item, vt_regions_get_areas(vt_pane_get_regions(pane)))
    g_ptr_array_add(rois, vt_roi_copy_plain(vt_roi_item_get_roi(item)));
  return rois;
}

void
vt_window_export_results(VtWindow *self, const char *path)
{
  VtPane *pane = vt_window_get_pane(self);
  VtResult *result = vt_analysis_get_corrected(vt_pane_get_analysis(pane));
  if (!path) {
    vt_file_dialog_ask_folder(GTK_WIDGET(self), _("Export the results into a folder"), "win.export-results-to");
    return;
  }
  if (!result) {
    vt_pane_show_error(pane, _("There are no results to export yet. Run the analysis first."), VT_MESSAGE_ANSWER);
    return;
  }
  g_autoptr(VtClassified) classified = vt_tables_classify(vt_pane_get_tables(pane), result);
  vt_result_set_classified(result, classified);
  Export *export = g_new0(Export, 1);
  export->window = g_object_ref(self);
  export->result = vt_result_ref(result);
  export->slide = vt_slide_ref(vt_pane_get_slide(pane));
  export->dir = g_strdup(path);
  export->numbered = vt_overwrite_number_folder(path);
  if (result->objects && vt_tables_has_surroundings(vt_pane_get_tables(pane))) {
    export->rois = dup_areas(pane);
    vt_task_run(self, NULL, surrounded, NULL, surround_in_thread, g_memdup2(&export, sizeof export), g_free);
    return;
  }
  if (result->surroundings)
    vt_result_take_surroundings(result, NULL);
  ask_or_start(export);
}

/* --- regions --- */

typedef struct {
  VtPane *pane;
  char *path, *numbered;
} Saving;

VT_DEFINE_FREE(saving_free, Saving, VT_FREES(g_object_unref, pane) VT_FREES(g_free, path, numbered))

static void
regions_saved(GObject *source, GAsyncResult *result, gpointer user)
{
  g_autoptr(GTask) task = user;
  g_autoptr(GError) error = NULL;
  VtWindow *self = g_task_get_source_object(task);
  const Saving *saving = g_task_get_task_data(task);
  const gboolean saved = vt_roi_table_save_finish(VT_ROI_TABLE(source), result, &error);
  if (self->page && saved)
    say_exported(self, saving->path);
  else if (self->page)
    vt_pane_show_error(saving->pane, error->message, VT_MESSAGE_ANSWER);
  g_task_return_boolean(task, saved);
}

static void
save_regions_answered(VtOverwrite answer, gpointer user)
{
  GTask *task = user;
  Saving *saving = g_task_get_task_data(task);
  if (answer == VT_OVERWRITE_CANCEL) {
    g_task_return_boolean(task, FALSE);
    g_object_unref(task);
    return;
  }
  if (answer == VT_OVERWRITE_KEEP_BOTH) {
    g_free(saving->path);
    saving->path = g_steal_pointer(&saving->numbered);
  }
  vt_roi_table_save_async(vt_pane_get_roi_table(saving->pane), saving->path, regions_saved, task);
}

static void
save_regions_to(GTask *task, const char *path)
{
  Saving *saving = g_task_get_task_data(task);
  gboolean has_ending = g_str_has_suffix(path, ".csv") || g_str_has_suffix(path, ".geojson");
  saving->path = has_ending ? g_strdup(path) : g_strconcat(path, ".csv", NULL);
  saving->numbered = vt_overwrite_number_regions(saving->path);
  g_autofree char *obstacle = NULL;
  g_autofree char *holds = vt_overwrite_describe_regions(saving->path, &obstacle);
  if (holds)
    vt_overwrite_ask(GTK_WINDOW(g_task_get_source_object(task)), saving->path, holds, obstacle, saving->numbered,
                     save_regions_answered, task);
  else
    save_regions_answered(VT_OVERWRITE_REPLACE, task);
}

static void
regions_file_chosen(GtkNativeDialog *dialog, int response, GTask *task)
{
  g_autofree char *path = vt_file_dialog_dup_path(dialog, response);
  if (path)
    save_regions_to(task, path);
  else
    save_regions_answered(VT_OVERWRITE_CANCEL, task);
  vt_file_dialog_end(dialog);
}

/* The name is offered without its ending: the toolkit would ask about a file that is there already, without saying what it is. */
static void
choose_regions_file(GTask *task)
{
  GtkFileChooserNative *dialog =
    gtk_file_chooser_native_new(_("Save the regions and their table"), g_task_get_source_object(task),
                                GTK_FILE_CHOOSER_ACTION_SAVE, _("_Save"), _("_Cancel"));
  VtSlide *slide = vt_pane_get_slide(((Saving *)g_task_get_task_data(task))->pane);
  const char *slide_name = vt_slide_get_name(slide), *dot = strrchr(slide_name, '.');
  g_autofree char *stem = g_strndup(slide_name, dot ? (gsize)(dot - slide_name) : strlen(slide_name));
  g_autofree char *name = g_strconcat(stem, "-regions", NULL);
  gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(dialog), name);
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  g_signal_connect(dialog, "response", G_CALLBACK(regions_file_chosen), task);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

void
vt_window_save_regions_async(VtWindow *self, VtPane *pane, const char *path, GAsyncReadyCallback callback,
                             gpointer user)
{
  GTask *task = g_task_new(self, NULL, callback, user);
  Saving *saving = g_new0(Saving, 1);
  saving->pane = g_object_ref(pane);
  g_task_set_task_data(task, saving, saving_free);
  if (path)
    save_regions_to(task, path);
  else
    choose_regions_file(task);
}

gboolean
vt_window_save_regions_finish(VtWindow *self, GAsyncResult *result)
{
  return g_task_propagate_boolean(G_TASK(result), NULL);
}
