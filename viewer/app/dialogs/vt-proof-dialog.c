/* SPDX-License-Identifier: MIT */
#include "dialogs/vt-proof-dialog.h"

#include <glib/gi18n.h>

#include "analysis/vt-proof.h"
#include "base/vt-define.h"
#include "common/vt-widgets.h"

typedef struct {
  VtProof *proof;
  AdwMessageDialog *dialog; /* owns this */
  GtkLabel *lines;
} Dialog;

static void
add_line(const char *text, gpointer user)
{
  Dialog *self = user;
  const char *before = gtk_label_get_text(self->lines);
  g_autofree char *all = g_strdup_printf("%s%s%s", before, *before ? "\n" : "", text);
  gtk_label_set_text(self->lines, all);
}

static void
end(gboolean holds, const char *sentence, gpointer user)
{
  Dialog *self = user;
  adw_message_dialog_set_heading(self->dialog, holds ? _("The Same Answer") : _("Not Shown to Be the Same"));
  adw_message_dialog_set_body(self->dialog, sentence);
  adw_message_dialog_set_response_label(self->dialog, "close", _("_Done"));
}

VT_DEFINE_FREE(dialog_free, Dialog, VT_FREES(vt_proof_free, proof))

gboolean
vt_proof_dialog_show(GtkWindow *parent, VtAnalysis *analysis, GError **error)
{
  static const VtProofCallbacks callbacks = { add_line, end };
  Dialog *self = g_new0(Dialog, 1);
  self->proof = vt_proof_start(analysis, &callbacks, self, error);
  if (!self->proof) {
    dialog_free(self);
    return FALSE;
  }
  self->dialog = ADW_MESSAGE_DIALOG(adw_message_dialog_new(
    parent, _("The Same Answer?"), _("What is shown is run in other ways, and every byte of every stage compared.")));
  self->lines = GTK_LABEL(vt_label_new("", 0, "numeric"));
  adw_message_dialog_set_extra_child(self->dialog, GTK_WIDGET(self->lines));
  adw_message_dialog_add_response(self->dialog, "close", _("_Stop"));
  adw_message_dialog_set_close_response(self->dialog, "close");
  g_object_set_data_full(G_OBJECT(self->dialog), "proof", self, dialog_free);
  gtk_window_present(GTK_WINDOW(self->dialog));
  return TRUE;
}
