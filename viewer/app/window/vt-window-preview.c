/* SPDX-License-Identifier: MIT
 *
 * A preview is not exported by mistake. */
#include <glib/gi18n.h>

#include "common/vt-test-log.h"
#include "base/vt-define.h"
#include "window/vt-window-private.h"

typedef struct {
  VtWindow *window;
  char *path;
  VtWindowExport export;
} Question;

VT_DEFINE_FREE(question_free, Question, VT_FREES(g_free, path))

static void
answered(AdwMessageDialog *dialog, const char *response, Question *question)
{
  vt_test_log("preview-answer %s", response);
  if (g_str_equal(response, "export"))
    question->export(question->window, question->path);
  else if (g_str_equal(response, "run"))
    vt_analysis_run(vt_pane_get_analysis(vt_window_get_pane(question->window)));
}

void
vt_window_export_asking(VtWindow *self, const char *path, VtWindowExport export)
{
  VtAnalysis *analysis = vt_pane_get_analysis(vt_window_get_pane(self));
  const VtResult *result = vt_analysis_get_result(analysis);
  if (!result || !result->is_preview) {
    export(self, path);
    return;
  }
  GtkWidget *dialog = adw_message_dialog_new(GTK_WINDOW(self), _("Export a Preview?"), NULL);
  g_autofree char *words = vt_analysis_dup_preview_words(result);
  adw_message_dialog_format_body(ADW_MESSAGE_DIALOG(dialog),
                                 _("%s. Its objects are pieces of a coarse grid, not the ones that you asked for. Run "
                                   "makes these; an export of the preview has a warning in its record."),
                                 words);
  adw_message_dialog_add_responses(ADW_MESSAGE_DIALOG(dialog), "cancel", _("_Cancel"), "export",
                                   _("_Export the Preview"), "run", _("_Run"), NULL);
  adw_message_dialog_set_response_appearance(ADW_MESSAGE_DIALOG(dialog), "run", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response(ADW_MESSAGE_DIALOG(dialog), "cancel");
  adw_message_dialog_set_close_response(ADW_MESSAGE_DIALOG(dialog), "cancel");
  Question *question = g_new0(Question, 1);
  *question = (Question){ self, g_strdup(path), export };
  g_signal_connect_data(dialog, "response", G_CALLBACK(answered), question, (GClosureNotify)(void *)question_free, 0);
  vt_test_log("preview-question");
  gtk_window_present(GTK_WINDOW(dialog));
}
