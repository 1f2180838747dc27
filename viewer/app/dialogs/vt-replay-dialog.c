/* SPDX-License-Identifier: MIT */
#include "dialogs/vt-replay-dialog.h"

#include <glib/gi18n.h>

#include "common/vt-file-dialog.h"
#include "common/vt-test-log.h"
#include "common/vt-widgets.h"

#define FEW 100
#define N_ZOOMS 3

static VtReplayChoice last = { 0, 1 };

typedef struct {
  AdwMessageDialog *dialog;
  GtkSpinButton *step;
  AdwComboRow *zoom;
  guint n_ticks;
  gint64 width, height;
  char *then;
} Dialog;

VtReplayChoice
vt_replay_dialog_get_choice(guint n_ticks)
{
  VtReplayChoice choice = last;
  if (choice.step == 0)
    choice.step = MAX(n_ticks / FEW, 1);
  return choice;
}

static void
dialog_free(gpointer data, GClosure *closure)
{
  Dialog *self = data;
  g_free(self->then);
  g_free(self);
}

static VtReplayChoice
get_choice(const Dialog *self)
{
  return (VtReplayChoice){ (guint)gtk_spin_button_get_value_as_int(self->step),
                           1u << MIN(adw_combo_row_get_selected(self->zoom), N_ZOOMS - 1) };
}

static void
show_count(Dialog *self)
{
  const VtReplayChoice choice = get_choice(self);
  const guint n = (self->n_ticks - 2) / choice.step + 2;
  g_autofree char *text =
    g_strdup_printf(g_dngettext(NULL, "%'u picture of %'.0f × %'.0f pixels (PNG), and a text that says what it is.",
                                "%'u pictures of %'.0f × %'.0f pixels (PNG), and a text that says what they are.", n),
                    n, (double)self->width * choice.zoom, (double)self->height * choice.zoom);
  adw_message_dialog_set_body(self->dialog, text);
}

static void
answered(AdwMessageDialog *dialog, const char *response, Dialog *self)
{
  if (!g_str_equal(response, "save"))
    return;
  last = get_choice(self);
  vt_test_log("replay-chosen %u %u", last.step, last.zoom);
  vt_file_dialog_ask_folder(GTK_WIDGET(gtk_window_get_transient_for(GTK_WINDOW(dialog))),
                            _("Save the pictures in a folder"), self->then);
}

static void
add_step(Dialog *self, AdwPreferencesGroup *group, guint step)
{
  GtkWidget *row = adw_action_row_new(), *spin = gtk_spin_button_new_with_range(1, MAX(self->n_ticks - 1, 1), 1);
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), _("Every so many moments"));
  adw_action_row_set_subtitle(ADW_ACTION_ROW(row), _("The last one is always among them"));
  gtk_widget_set_valign(spin, GTK_ALIGN_CENTER);
  vt_widget_set_accessible_label(spin, _("Every so many moments"));
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(spin), step);
  gtk_spin_button_set_update_policy(GTK_SPIN_BUTTON(spin), GTK_UPDATE_IF_VALID);
  adw_action_row_add_suffix(ADW_ACTION_ROW(row), spin);
  adw_preferences_group_add(group, row);
  self->step = GTK_SPIN_BUTTON(spin);
}

void
vt_replay_dialog_show(GtkWindow *parent, guint n_ticks, gint64 width, gint64 height, const char *then)
{
  const VtReplayChoice choice = vt_replay_dialog_get_choice(n_ticks);
  const char *const zooms[] = { _("1 × 1 pixel"), _("2 × 2 pixels"), _("4 × 4 pixels"), NULL };
  AdwPreferencesGroup *group = ADW_PREFERENCES_GROUP(adw_preferences_group_new());
  g_autoptr(GtkStringList) list = gtk_string_list_new(zooms);
  Dialog *self = g_new0(Dialog, 1);
  self->dialog = ADW_MESSAGE_DIALOG(adw_message_dialog_new(parent, _("Save the Replay as Pictures"), NULL));
  self->n_ticks = MAX(n_ticks, 2);
  self->width = width;
  self->height = height;
  self->then = g_strdup(then);
  add_step(self, group, choice.step);
  self->zoom = ADW_COMBO_ROW(adw_combo_row_new());
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(self->zoom), _("Size"));
  adw_action_row_set_subtitle(ADW_ACTION_ROW(self->zoom), _("What a pixel of the replay becomes"));
  adw_combo_row_set_model(self->zoom, G_LIST_MODEL(list));
  adw_combo_row_set_selected(self->zoom, choice.zoom >= 4 ? 2 : choice.zoom - 1);
  adw_preferences_group_add(group, GTK_WIDGET(self->zoom));
  adw_message_dialog_set_extra_child(self->dialog, GTK_WIDGET(group));
  adw_message_dialog_add_responses(self->dialog, "cancel", _("_Cancel"), "save", _("_Save…"), NULL);
  adw_message_dialog_set_response_appearance(self->dialog, "save", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response(self->dialog, "save");
  adw_message_dialog_set_close_response(self->dialog, "cancel");
  g_signal_connect_swapped(self->step, "value-changed", G_CALLBACK(show_count), self);
  g_signal_connect_swapped(self->zoom, "notify::selected", G_CALLBACK(show_count), self);
  g_signal_connect_data(self->dialog, "response", G_CALLBACK(answered), self, dialog_free, 0);
  show_count(self);
  gtk_window_present(GTK_WINDOW(self->dialog));
}
