/* SPDX-License-Identifier: MIT */
#include "dialogs/vt-replay-dialog.h"

#include <glib/gi18n.h>

#include "common/vt-file-dialog.h"
#include "common/vt-owned.h"
#include "common/vt-template.h"
#include "common/vt-test-log.h"

#define FEW 100
#define N_ZOOMS 3

static VtReplayChoice last = { 0, 1 };

struct _VtReplayDialog {
  AdwMessageDialog parent;
  GtkSpinButton *step; /* template */
  AdwComboRow *zoom;
  guint n_ticks;
  gint64 width, height;
  char *then;
};

#define VT_TYPE_REPLAY_DIALOG (vt_replay_dialog_get_type())
G_DECLARE_FINAL_TYPE(VtReplayDialog, vt_replay_dialog, VT, REPLAY_DIALOG, AdwMessageDialog)
G_DEFINE_FINAL_TYPE(VtReplayDialog, vt_replay_dialog, ADW_TYPE_MESSAGE_DIALOG)

VtReplayChoice
vt_replay_dialog_get_choice(guint n_ticks)
{
  VtReplayChoice choice = last;
  if (choice.step == 0)
    choice.step = MAX(n_ticks / FEW, 1);
  return choice;
}

static VtReplayChoice
get_choice(VtReplayDialog *self)
{
  return (VtReplayChoice){ (guint)gtk_spin_button_get_value_as_int(self->step),
                           1u << MIN(adw_combo_row_get_selected(self->zoom), N_ZOOMS - 1) };
}

static void
show_count(VtReplayDialog *self)
{
  const VtReplayChoice choice = get_choice(self);
  const guint n = (self->n_ticks - 2) / choice.step + 2;
  g_autofree char *text =
    g_strdup_printf(g_dngettext(NULL, "%'u picture of %'.0f × %'.0f pixels (PNG), and a text that says what it is.",
                                "%'u pictures of %'.0f × %'.0f pixels (PNG), and a text that says what they are.", n),
                    n, (double)self->width * choice.zoom, (double)self->height * choice.zoom);
  adw_message_dialog_set_body(ADW_MESSAGE_DIALOG(self), text);
}

static void
answered(VtReplayDialog *self, const char *response)
{
  if (!g_str_equal(response, "save"))
    return;
  last = get_choice(self);
  vt_test_log("replay-chosen %u %u", last.step, last.zoom);
  vt_file_dialog_ask_folder(GTK_WIDGET(gtk_window_get_transient_for(GTK_WINDOW(self))),
                            _("Save the pictures in a folder"), self->then);
}

static void
vt_replay_dialog_class_init(VtReplayDialogClass *klass)
{
  VT_TEMPLATE(klass, VtReplayDialog, "vt-replay-dialog", step, zoom);
  VT_TEMPLATE_CALLBACKS(klass, show_count, answered);
  VT_OWNS_TO_THE_END(klass, VtReplayDialog, g_free, then);
}

static void
vt_replay_dialog_init(VtReplayDialog *self)
{
  self->n_ticks = 2;
  gtk_widget_init_template(GTK_WIDGET(self));
}

void
vt_replay_dialog_show(GtkWindow *parent, guint n_ticks, gint64 width, gint64 height, const char *then)
{
  const VtReplayChoice choice = vt_replay_dialog_get_choice(n_ticks);
  VtReplayDialog *self = g_object_new(VT_TYPE_REPLAY_DIALOG, "transient-for", parent, NULL);
  self->n_ticks = MAX(n_ticks, 2);
  self->width = width;
  self->height = height;
  self->then = g_strdup(then);
  gtk_spin_button_set_range(self->step, 1, MAX(self->n_ticks - 1, 1));
  gtk_spin_button_set_increments(self->step, 1, 10);
  gtk_spin_button_set_value(self->step, choice.step);
  adw_combo_row_set_selected(self->zoom, choice.zoom >= 4 ? 2 : choice.zoom - 1);
  show_count(self);
  gtk_window_present(GTK_WINDOW(self));
}
