/* SPDX-License-Identifier: MIT */
#include "dialogs/vt-palette.h"

#include <glib/gi18n.h>

#include "common/vt-action-list.h"
#include "common/vt-template.h"
#include "common/vt-test-log.h"
#include "common/vt-widgets.h"

struct _VtPalette {
  AdwWindow parent;

  /* template */
  GtkSearchEntry *entry;
  GtkListBox *list;
};

G_DEFINE_FINAL_TYPE(VtPalette, vt_palette, ADW_TYPE_WINDOW)

static const VtActionInfo *
get_info(GtkListBoxRow *row)
{
  return g_object_get_data(G_OBJECT(row), "info");
}

/* Lower case and without accents, so that "legende" finds "Légende". */
static char *
dup_plain(const char *text)
{
  g_autofree char *folded = g_utf8_casefold(text, -1);
  g_autofree char *apart = g_utf8_normalize(folded, -1, G_NORMALIZE_NFD);
  GString *plain = g_string_new(NULL);
  for (const char *p = apart; *p; p = g_utf8_next_char(p))
    if (!g_unichar_ismark(g_utf8_get_char(p)))
      g_string_append_unichar(plain, g_utf8_get_char(p));
  return g_string_free(plain, FALSE);
}

/* Every word that was typed occurs, in any order. */
static gboolean
matches(GtkListBoxRow *row, gpointer palette)
{
  VtPalette *self = VT_PALETTE(palette);
  const VtActionInfo *info = get_info(row);
  g_autofree char *all = g_strdup_printf("%s %s", _(info->section), _(info->title));
  g_autofree char *text = dup_plain(all);
  g_autofree char *typed = dup_plain(gtk_editable_get_text(GTK_EDITABLE(self->entry)));
  g_auto(GStrv) words = g_strsplit(typed, " ", -1);
  for (guint i = 0; words[i]; i++)
    if (!strstr(text, words[i]))
      return FALSE;
  return TRUE;
}

static GtkListBoxRow *
find_shown(VtPalette *self)
{
  GtkListBoxRow *row;
  for (int i = 0; (row = gtk_list_box_get_row_at_index(self->list, i)); i++)
    if (gtk_widget_get_child_visible(GTK_WIDGET(row)) && gtk_widget_get_sensitive(GTK_WIDGET(row)))
      return row;
  return NULL;
}

static void
on_typed(VtPalette *self)
{
  gtk_list_box_invalidate_filter(self->list);
  gtk_list_box_select_row(self->list, find_shown(self));
}

static void
activate(VtPalette *self, GtkListBoxRow *row)
{
  g_autofree char *name = NULL;
  g_autoptr(GVariant) target = NULL;
  g_autoptr(GtkWindow) window = g_object_ref(gtk_window_get_transient_for(GTK_WINDOW(self)));
  if (!g_action_parse_detailed_name(get_info(row)->action, &name, &target, NULL))
    return;
  vt_test_log("palette %s", get_info(row)->action);
  gtk_window_destroy(GTK_WINDOW(self));
  gtk_widget_activate_action_variant(GTK_WIDGET(window), name, target);
}

static void
on_entered(VtPalette *self)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row(self->list);
  if (row)
    activate(self, row);
}

/* Up and down move through the list while the focus stays where one types. */
static gboolean
on_key(GtkEventControllerKey *keys, guint key, guint code, GdkModifierType modifiers, VtPalette *self)
{
  int step = key == GDK_KEY_Down ? 1 : key == GDK_KEY_Up ? -1 : 0;
  GtkListBoxRow *row = gtk_list_box_get_selected_row(self->list);
  if (step == 0 || !row)
    return GDK_EVENT_PROPAGATE;
  do
    row = gtk_list_box_get_row_at_index(self->list, gtk_list_box_row_get_index(row) + step);
  while (row && !(gtk_widget_get_child_visible(GTK_WIDGET(row)) && gtk_widget_get_sensitive(GTK_WIDGET(row))));
  if (row) {
    gtk_list_box_select_row(self->list, row);
    gtk_widget_grab_focus(GTK_WIDGET(row));
    gtk_widget_grab_focus(GTK_WIDGET(self->entry));
  }
  return GDK_EVENT_STOP;
}

/* What cannot be done now is greyed, not gone. `state` of an action that says by it what it would do, "ROI 3 added"; owned; or NULL. */
static gboolean
is_enabled(GtkWindow *window, const VtActionInfo *info, char **state)
{
  g_autofree char *name = NULL;
  g_autoptr(GVariant) target = NULL, said = NULL;
  gboolean enabled = FALSE;
  if (!g_action_parse_detailed_name(info->action, &name, &target, NULL))
    return FALSE;
  GActionGroup *group =
    g_str_has_prefix(name, "app.") ? G_ACTION_GROUP(gtk_window_get_application(window)) : G_ACTION_GROUP(window);
  if (!g_action_group_query_action(group, strchr(name, '.') + 1, &enabled, NULL, NULL, NULL, &said))
    return FALSE;
  if (!target && said && g_variant_is_of_type(said, G_VARIANT_TYPE_STRING) && *g_variant_get_string(said, NULL))
    *state = g_variant_dup_string(said, NULL);
  return enabled;
}

static void
add_row(VtPalette *self, GtkWindow *window, const VtActionInfo *info)
{
  g_autofree char *state = NULL;
  const gboolean enabled = is_enabled(window, info, &state);
  g_autofree char *text = state ? g_strdup_printf("%s: %s", _(info->title), state) : g_strdup(_(info->title));
  GtkWidget *row = gtk_list_box_row_new(), *title = vt_label_new(text, 0, "");
  g_autofree char *key = vt_action_info_dup_key(info, GTK_WIDGET(window));
  GtkWidget *key_label = vt_label_new(key, 1, "palette-key");
  g_object_set(title, "ellipsize", PANGO_ELLIPSIZE_END, "hexpand", TRUE, NULL);
  gtk_label_set_width_chars(GTK_LABEL(key_label), 12);
  gtk_list_box_row_set_child(GTK_LIST_BOX_ROW(row), vt_box_new(GTK_ORIENTATION_HORIZONTAL, 12, title,
                                                               vt_label_new_dim(_(info->section)), key_label, NULL));
  gtk_widget_set_sensitive(row, enabled);
  gtk_accessible_update_property(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
  g_object_set_data(G_OBJECT(row), "info", (gpointer)info);
  gtk_list_box_append(self->list, row);
}

static void
vt_palette_class_init(VtPaletteClass *klass)
{
  VT_TEMPLATE(klass, VtPalette, "vt-palette", entry, list);
  VT_TEMPLATE_CALLBACKS(klass, on_typed, on_entered, gtk_window_close, activate, on_key);
  gtk_widget_class_add_binding_action(GTK_WIDGET_CLASS(klass), GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
vt_palette_init(VtPalette *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  gtk_list_box_set_filter_func(self->list, matches, self, NULL);
}

GtkWidget *
vt_palette_new(GtkWindow *window)
{
  VtPalette *self = g_object_new(VT_TYPE_PALETTE, "transient-for", window, "modal", TRUE, NULL);
  guint n;
  const VtActionInfo *list = vt_action_list_get(&n);
  for (guint i = 0; i < n; i++)
    if (list[i].action && !g_str_equal(list[i].action, "win.palette"))
      add_row(self, window, &list[i]);
  on_typed(self);
  return GTK_WIDGET(self);
}
