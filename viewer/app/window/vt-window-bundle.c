/* SPDX-License-Identifier: MIT
 *
 * Everything that is open as a folder for a colleague. */
#include "window/vt-window-private.h"

#include <glib/gi18n.h>

#include "common/vt-file-dialog.h"
#include "common/vt-test-log.h"
#include "dialogs/vt-wait-dialog.h"
#include "results/vt-bundle.h"

typedef struct {
  VtBundle *bundle;
  char *folder;
  gint percent; /* atomic */
} Saving;

static void
add_pane(VtBundle *bundle, VtPane *pane)
{
  VtSlide *slide = vt_pane_get_slide(pane);
  VtResult *shown = slide ? vt_analysis_get_shown(vt_pane_get_analysis(pane)) : NULL;
  g_autofree char *caution = shown ? vt_analysis_dup_caution(vt_pane_get_analysis(pane)) : NULL;
  if (slide && vt_slide_has_more_files(slide))
    g_hash_table_add(bundle->partial, g_canonicalize_filename(vt_slide_get_path(slide), NULL));
  if (!shown)
    return;
  if (caution) {
    g_ptr_array_add(bundle->notes, g_strdup_printf("results of %s that are not the final ones: %s",
                                                   vt_slide_get_name(slide), caution));
    return;
  }
  g_ptr_array_add(bundle->results, vt_result_ref(shown));
  g_ptr_array_add(bundle->slides, vt_slide_ref(slide));
}

static VtBundle *
make_bundle(VtWindow *self)
{
  VtBundle *bundle = vt_bundle_new(vt_session_file_new());
  g_autoptr(GPtrArray) panes = vt_window_list_panes(self);
  vt_window_store(self, bundle->session);
  for (guint i = 0; i < panes->len; i++)
    add_pane(bundle, panes->pdata[i]);
  return bundle;
}

static char *
tell(gpointer job, double *part)
{
  const gint percent = g_atomic_int_get(&((Saving *)job)->percent);
  *part = percent / 100.0;
  return g_strdup_printf(_("Copying: %d %%"), percent);
}

static void
on_progress(double part, gpointer user)
{
  g_atomic_int_set(&((Saving *)user)->percent, (gint)(100 * part));
}

static gboolean
work(gpointer job, GCancellable *cancellable, GError **error)
{
  Saving *saving = job;
  return vt_bundle_save(saving->bundle, saving->folder, on_progress, saving, cancellable, error);
}

static void
end(GtkWindow *window, gpointer job, const GError *error)
{
  Saving *saving = job;
  g_autofree char *name = vt_error_dup_name(saving->folder);
  g_autofree char *sentence = g_strdup_printf(_("%s is ready; %s in it says what it holds."), name, VT_BUNDLE_TEXT);
  vt_window_tell_saved(VT_WINDOW(window), sentence, "bundle", saving->folder, error);
  vt_bundle_free(saving->bundle);
  g_free(saving->folder);
  g_free(saving);
}

static void
save(VtWindow *self, const char *folder, gboolean has_slides)
{
  static const VtWaitKind kind = { N_("Putting the Folder Together"), work, tell, end };
  Saving *saving = g_new0(Saving, 1);
  saving->bundle = make_bundle(self);
  saving->bundle->has_slides = has_slides;
  saving->folder = g_strdup(folder);
  vt_wait_dialog_run(GTK_WINDOW(self), &kind, saving);
}

static void
answered(AdwMessageDialog *dialog, const char *response, GtkWidget *window)
{
  const gboolean has_slides = g_str_equal(response, "slides");
  if (has_slides || g_str_equal(response, "without"))
    vt_file_dialog_ask(window, _("Name of a New Folder, or of a File That Ends in .zip"), "case.zip",
                       has_slides ? "win.export-bundle-slides-to" : "win.export-bundle-to");
}

/* The size of the slides is said before they are copied. */
static void
act_export(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  g_autoptr(VtBundle) bundle = make_bundle(window);
  guint n = 0;
  const guint64 bytes = vt_bundle_count_slides(bundle, &n);
  g_autofree char *size = g_format_size(bytes);
  g_autofree char *slides =
    n == 1 ? g_strdup_printf(_("_With the Slide (%s)"), size) : g_strdup_printf(_("_With %u Slides (%s)"), n, size);
  GtkWidget *dialog =
    adw_message_dialog_new(window, _("Export for a Colleague"),
                           _("A folder, or a ZIP file, with this session, its recipes and models, and the results "
                             "that are shown. It opens elsewhere; without the "
                             "slides they are to be put into it there."));
  adw_message_dialog_add_responses(ADW_MESSAGE_DIALOG(dialog), "cancel", _("_Cancel"), "without",
                                   _("With_out the Slides"), NULL);
  if (n > 0)
    adw_message_dialog_add_response(ADW_MESSAGE_DIALOG(dialog), "slides", slides);
  adw_message_dialog_set_close_response(ADW_MESSAGE_DIALOG(dialog), "cancel");
  g_signal_connect_object(dialog, "response", G_CALLBACK(answered), window, 0);
  vt_test_log("bundle-question %u %" G_GUINT64_FORMAT, n, bytes);
  gtk_window_present(GTK_WINDOW(dialog));
}

VT_ACT(export_to, save(window, g_variant_get_string(parameter, NULL), FALSE))
VT_ACT(export_slides_to, save(window, g_variant_get_string(parameter, NULL), TRUE))

const GActionEntry vt_window_bundle_actions[] = {
  { .name = "export-bundle", .activate = act_export },
  { .name = "export-bundle-to", .parameter_type = "s", .activate = act_export_to },
  { .name = "export-bundle-slides-to", .parameter_type = "s", .activate = act_export_slides_to },
  { NULL },
};
