/* SPDX-License-Identifier: MIT */
#include "panels/vt-snapshots-card.h"

#include <glib/gi18n.h>

#include "common/vt-owned.h"
#include "common/vt-params-words.h"
#include "common/vt-template.h"
#include "common/vt-widgets.h"

#define NAME_CHARS 34

struct _VtSnapshotsCard {
  AdwBin parent;

  /* template */
  GtkBox *rows_box;
  GtkWidget *none_label, *scroller;

  VtSnapshots *snapshots;
  VtAnalysis *analysis;
  GPtrArray *rows; /* Row; they stay while names change, and the keyboard in them */
  gboolean is_filling;
};

typedef struct {
  GtkWidget *box, *a, *name, *words, *use, *delete; /* borrowed */
} Row;

G_DEFINE_FINAL_TYPE(VtSnapshotsCard, vt_snapshots_card, ADW_TYPE_BIN)

/* What the row's one has other than what is set now. */
static void
show_words(VtSnapshotsCard *self)
{
  const VtParams *now = vt_analysis_get_params(self->analysis);
  for (guint i = 0; now && i < MIN(self->rows->len, vt_snapshots_get_n(self->snapshots)); i++) {
    g_autofree char *side = vt_params_dup_side(vt_snapshots_get(self->snapshots, i)->params, now);
    gtk_label_set_text(GTK_LABEL(((Row *)self->rows->pdata[i])->words), *side ? side : _("As it is set now"));
  }
}

static void
on_a_toggled(GtkToggleButton *button, VtSnapshotsCard *self)
{
  GtkWidget *widget = GTK_WIDGET(button);
  const guint place = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(button), "place"));
  if (self->is_filling)
    return;
  if (gtk_toggle_button_get_active(button))
    gtk_widget_activate_action(widget, "win.snapshot-compare", "u", place);
  else
    gtk_widget_activate_action(widget, "win.compare-end", NULL);
}

static void
take_name(GtkWidget *name, VtSnapshotsCard *self)
{
  const guint place = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(name), "place"));
  if (!self->is_filling && place < vt_snapshots_get_n(self->snapshots))
    vt_snapshots_rename(self->snapshots, place, gtk_editable_get_text(GTK_EDITABLE(name)));
}

static void
on_left(GtkEventController *controller, VtSnapshotsCard *self)
{
  take_name(gtk_event_controller_get_widget(controller), self);
}

static void
set_up(GtkWidget *button, const char *tooltip)
{
  gtk_widget_set_valign(button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class(button, "flat");
  gtk_widget_set_tooltip_text(button, tooltip);
}

static GtkWidget *
a_button_new(VtSnapshotsCard *self, guint place)
{
  GtkWidget *button = gtk_toggle_button_new_with_label("A");
  set_up(button, _("A: what the present result is compared with (wipe, differences)"));
  g_object_set_data(G_OBJECT(button), "place", GUINT_TO_POINTER(place));
  g_signal_connect_object(button, "toggled", G_CALLBACK(on_a_toggled), self, 0);
  return button;
}

static GtkWidget *
name_new(VtSnapshotsCard *self, guint place)
{
  GtkWidget *name =
    g_object_new(GTK_TYPE_ENTRY, "has-frame", FALSE, "width-chars", NAME_CHARS, "max-width-chars", NAME_CHARS, NULL);
  GtkEventController *focus = gtk_event_controller_focus_new();
  g_signal_connect_object(focus, "leave", G_CALLBACK(on_left), self, 0);
  gtk_widget_add_controller(name, focus);
  g_object_set_data(G_OBJECT(name), "place", GUINT_TO_POINTER(place));
  g_signal_connect_object(name, "activate", G_CALLBACK(take_name), self, 0);
  return name;
}

static GtkWidget *
action_new(GtkWidget *button, const char *action, guint place, const char *tooltip)
{
  set_up(button, tooltip);
  gtk_actionable_set_action_name(GTK_ACTIONABLE(button), action);
  gtk_actionable_set_action_target(GTK_ACTIONABLE(button), "u", place);
  return button;
}

static void
add_row(VtSnapshotsCard *self)
{
  const guint place = self->rows->len;
  GtkWidget *use = gtk_button_new_with_label(_("Use")), *delete = gtk_button_new_from_icon_name("vt-trash-symbolic");
  Row *row = g_new0(Row, 1);
  row->a = a_button_new(self, place);
  row->name = name_new(self, place);
  row->words = vt_label_new(NULL, 0, "dim-label caption");
  row->use = action_new(use, "win.snapshot-use", place, _("Take its parameters over again"));
  row->delete = action_new(delete, "win.snapshot-delete", place, _("Delete this snapshot"));
  g_object_set(row->words, "ellipsize", PANGO_ELLIPSIZE_END, "width-chars", NAME_CHARS, "max-width-chars", NAME_CHARS,
               NULL);
  GtkWidget *names = vt_box_new(GTK_ORIENTATION_VERTICAL, 0, row->name, row->words, NULL);
  gtk_widget_set_hexpand(names, TRUE);
  row->box = vt_box_new(GTK_ORIENTATION_HORIZONTAL, 2, row->a, names, row->use, row->delete, NULL);
  gtk_box_append(self->rows_box, row->box);
  g_ptr_array_add(self->rows, row);
}

static void
set_name(GtkWidget *widget, const char *format, const char *name)
{
  g_autofree char *label = g_strdup_printf(format, name);
  vt_widget_set_accessible_label(widget, label);
}

static void
show_row(VtSnapshotsCard *self, guint i)
{
  const Row *row = self->rows->pdata[i];
  const char *name = vt_snapshots_get(self->snapshots, i)->name;
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(row->a), vt_snapshots_get_a(self->snapshots) == (gint)i);
  if (!gtk_widget_has_focus(GTK_WIDGET(gtk_editable_get_delegate(GTK_EDITABLE(row->name)))))
    gtk_editable_set_text(GTK_EDITABLE(row->name), name);
  g_autofree char *tooltip = g_strdup_printf("%s\n%s", name, _("The name; Enter takes it")); /* a long one is cut */
  vt_widget_set_tooltip(row->name, tooltip);
  set_name(row->a, _("Compare with %s"), name);
  set_name(row->name, _("Name of %s"), name);
  set_name(row->use, _("Take over %s"), name);
  set_name(row->delete, _("Delete %s"), name);
}

static gboolean
fill(gpointer data)
{
  VtSnapshotsCard *self = data;
  const guint n = vt_snapshots_get_n(self->snapshots);
  self->is_filling = TRUE;
  while (self->rows->len < n)
    add_row(self);
  while (self->rows->len > n) {
    gtk_box_remove(self->rows_box, ((Row *)self->rows->pdata[self->rows->len - 1])->box);
    g_ptr_array_set_size(self->rows, (gint)self->rows->len - 1);
  }
  for (guint i = 0; i < n; i++)
    show_row(self, i);
  gtk_widget_set_visible(self->none_label, n == 0);
  gtk_widget_set_visible(self->scroller, n > 0);
  show_words(self);
  self->is_filling = FALSE;
  return G_SOURCE_REMOVE;
}

/* The row that told of it may be at work still. */
static void
fill_later(VtSnapshotsCard *self)
{
  g_idle_add_full(G_PRIORITY_DEFAULT, fill, g_object_ref(self), g_object_unref);
}

static void
vt_snapshots_card_class_init(VtSnapshotsCardClass *klass)
{
  VT_OWNS(klass, VtSnapshotsCard, g_object_unref, snapshots, analysis);
  VT_OWNS(klass, VtSnapshotsCard, g_ptr_array_unref, rows);
  VT_TEMPLATE(klass, VtSnapshotsCard, "vt-snapshots-card", rows_box, none_label, scroller);
}

static void
vt_snapshots_card_init(VtSnapshotsCard *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->rows = g_ptr_array_new_with_free_func(g_free);
}

GtkWidget *
vt_snapshots_card_new(VtSnapshots *snapshots, VtAnalysis *analysis)
{
  VtSnapshotsCard *self = g_object_new(VT_TYPE_SNAPSHOTS_CARD, NULL);
  self->snapshots = g_object_ref(snapshots);
  self->analysis = g_object_ref(analysis);
  g_signal_connect_object(snapshots, "changed", G_CALLBACK(fill_later), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "params-changed", G_CALLBACK(show_words), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "op-changed", G_CALLBACK(show_words), self, G_CONNECT_SWAPPED);
  fill(self);
  return GTK_WIDGET(self);
}
