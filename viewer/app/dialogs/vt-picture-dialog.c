/* SPDX-License-Identifier: MIT */
#include "dialogs/vt-picture-dialog.h"

#include <glib/gi18n.h>

#include "common/vt-file-dialog.h"
#include "common/vt-settings.h"
#include "common/vt-test-log.h"

#define N_PARTS 4
#define N_FACTORS 3

typedef struct {
  char *name, *then;
  GtkSwitch *parts[N_PARTS];
  AdwComboRow *sizes;
} Dialog;

/* 1, 2, 4 times the screen's pixels on a side. */
static guint
get_factor(guint i)
{
  return 1u << MIN(i, N_FACTORS - 1);
}

static void
dialog_free(gpointer data, GClosure *closure)
{
  Dialog *self = data;
  g_free(self->name);
  g_free(self->then);
  g_free(self);
}

static void
answered(AdwMessageDialog *dialog, const char *response, Dialog *self)
{
  guint parts = 0;
  if (!g_str_equal(response, "save"))
    return;
  for (guint i = 0; i < N_PARTS; i++)
    parts |= gtk_switch_get_active(self->parts[i]) ? 1u << i : 0;
  const guint factor = get_factor(adw_combo_row_get_selected(self->sizes));
  g_object_set(vt_settings_get(), "picture-parts", parts, "picture-factor", factor, NULL);
  vt_test_log("picture-chosen %u %u", parts, factor);
  vt_file_dialog_ask(GTK_WIDGET(gtk_window_get_transient_for(GTK_WINDOW(dialog))),
                     _("Save the Picture (.png, .pdf, .svg)"), self->name, self->then);
}

static GtkSwitch *
add_switch(AdwPreferencesGroup *group, const char *title, const char *subtitle, gboolean is_on)
{
  GtkWidget *row = adw_action_row_new(), *toggle = gtk_switch_new();
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), title);
  adw_action_row_set_subtitle(ADW_ACTION_ROW(row), subtitle);
  gtk_widget_set_valign(toggle, GTK_ALIGN_CENTER);
  gtk_switch_set_active(GTK_SWITCH(toggle), is_on);
  adw_action_row_add_suffix(ADW_ACTION_ROW(row), toggle);
  adw_action_row_set_activatable_widget(ADW_ACTION_ROW(row), toggle);
  adw_preferences_group_add(group, row);
  return GTK_SWITCH(toggle);
}

static void
add_sizes(Dialog *self, AdwPreferencesGroup *group, double width, double height)
{
  g_autoptr(GtkStringList) sizes = gtk_string_list_new(NULL);
  self->sizes = ADW_COMBO_ROW(adw_combo_row_new());
  for (guint i = 0; i < N_FACTORS; i++) {
    const guint factor = get_factor(i);
    g_autofree char *text = factor == 1
                              ? g_strdup_printf(_("As on the screen: %'.0f × %'.0f px"), width, height)
                              : g_strdup_printf(_("%u×: %'.0f × %'.0f px"), factor, width * factor, height * factor);
    gtk_string_list_append(sizes, text);
  }
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(self->sizes), _("Resolution of the picture"));
  adw_action_row_set_subtitle(ADW_ACTION_ROW(self->sizes), _("Read again from the slide, not scaled"));
  adw_combo_row_set_model(self->sizes, G_LIST_MODEL(sizes));
  const guint factor = vt_settings_get_picture_factor(vt_settings_get());
  adw_combo_row_set_selected(self->sizes, factor >= 4 ? 2 : factor >= 2 ? 1 : 0);
  adw_preferences_group_add(group, GTK_WIDGET(self->sizes));
}

void
vt_picture_dialog_show(GtkWindow *parent, const char *heading, double width, double height, const char *name,
                       const char *then)
{
  const guint parts = vt_settings_get_picture_parts(vt_settings_get());
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG(adw_message_dialog_new(
    parent, heading, _("The kind of file is chosen by the end of its name: .png, .pdf or .svg.")));
  AdwPreferencesGroup *group = ADW_PREFERENCES_GROUP(adw_preferences_group_new());
  Dialog *self = g_new0(Dialog, 1);
  self->name = g_strdup(name);
  self->then = g_strdup(then);
  add_sizes(self, group, width, height);
  self->parts[0] = add_switch(group, _("Scale bar"), NULL, parts & 1);
  self->parts[1] = add_switch(group, _("Legend"), _("What the colours of the layers mean"), parts & 2);
  self->parts[2] = add_switch(group, _("Slide and place"), _("With magnification and resolution"), parts & 4);
  self->parts[3] =
    add_switch(group, _("Parameters of the analysis"), _("Those that the result was made with"), parts & 8);
  adw_message_dialog_set_extra_child(dialog, GTK_WIDGET(group));
  adw_message_dialog_add_responses(dialog, "cancel", _("_Cancel"), "save", _("_Save…"), NULL);
  adw_message_dialog_set_response_appearance(dialog, "save", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response(dialog, "save");
  adw_message_dialog_set_close_response(dialog, "cancel");
  g_signal_connect_data(dialog, "response", G_CALLBACK(answered), self, dialog_free, 0);
  vt_test_log("picture-dialog");
  gtk_window_present(GTK_WINDOW(dialog));
}
