/* SPDX-License-Identifier: MIT */
#include "dialogs/vt-shortcuts-window.h"

#include <glib/gi18n.h>

#include "common/vt-action-list.h"
#include "common/vt-template.h"

struct _VtShortcutsWindow {
  AdwWindow parent;
  GtkSearchEntry *search;
  GtkListBox *list;
};
G_DEFINE_FINAL_TYPE(VtShortcutsWindow, vt_shortcuts_window, ADW_TYPE_WINDOW)

static GQuark
info_quark(void)
{
  return g_quark_from_static_string("vt-shortcut-info");
}

static const VtActionInfo *
info_of(GtkListBoxRow *row)
{
  return g_object_get_qdata(G_OBJECT(row), info_quark());
}

/* Each word that is looked for begins one of the section's, of what the key does or of its name. */
static gboolean
matches(GtkListBoxRow *row, gpointer data)
{
  VtShortcutsWindow *self = data;
  const VtActionInfo *info = info_of(row);
  g_autofree char *key = vt_action_info_dup_key(info, GTK_WIDGET(row));
  g_autofree char *text = g_strdup_printf("%s %s %s", _(info->section), _(info->title), key);
  const char *needle = gtk_editable_get_text(GTK_EDITABLE(self->search));
  return !*needle || g_str_match_string(needle, text, TRUE);
}

/* The section's name above its first key. */
static void
update_header(GtkListBoxRow *row, GtkListBoxRow *before, gpointer none)
{
  const VtActionInfo *info = info_of(row);
  if (before && g_str_equal(info_of(before)->section, info->section)) {
    gtk_list_box_row_set_header(row, NULL);
    return;
  }
  GtkWidget *label = gtk_label_new(_(info->section));
  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_widget_set_margin_start(label, 12);
  gtk_widget_set_margin_top(label, 18);
  gtk_widget_set_margin_bottom(label, 6);
  gtk_widget_add_css_class(label, "heading");
  gtk_list_box_row_set_header(row, label);
}

static void
append_key(VtShortcutsWindow *self, const VtActionInfo *info)
{
  const char *trigger = vt_action_info_get_trigger(info);
  if (!trigger)
    return;
  GtkWidget *row = adw_action_row_new();
  adw_preferences_row_set_use_markup(ADW_PREFERENCES_ROW(row), FALSE);
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), _(info->title));
  GtkWidget *keys = gtk_shortcut_label_new(trigger);
  gtk_widget_set_valign(keys, GTK_ALIGN_CENTER);
  adw_action_row_add_suffix(ADW_ACTION_ROW(row), keys);
  g_object_set_qdata(G_OBJECT(row), info_quark(), (gpointer)info);
  gtk_list_box_append(self->list, row);
}

static void
vt_shortcuts_window_class_init(VtShortcutsWindowClass *klass)
{
  VT_TEMPLATE(klass, VtShortcutsWindow, "vt-shortcuts-window", search, list);
  VT_TEMPLATE_CALLBACKS(klass, gtk_list_box_invalidate_filter, gtk_window_close);
  gtk_widget_class_add_binding_action(GTK_WIDGET_CLASS(klass), GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
vt_shortcuts_window_init(VtShortcutsWindow *self)
{
  guint n;
  const VtActionInfo *list = vt_action_list_get(&n);
  gtk_widget_init_template(GTK_WIDGET(self));
  gtk_list_box_set_filter_func(self->list, matches, self, NULL);
  gtk_list_box_set_header_func(self->list, update_header, NULL, NULL);
  for (guint i = 0; i < n; i++)
    append_key(self, &list[i]);
}

GtkWidget *
vt_shortcuts_window_new(GtkWindow *parent)
{
  return g_object_new(VT_TYPE_SHORTCUTS_WINDOW, "transient-for", parent, NULL);
}
