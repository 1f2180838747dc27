/* SPDX-License-Identifier: MIT */
#include "panels/vt-gate-editor.h"

#include <glib/gi18n.h>

#include "common/vt-test-log.h"
#include "common/vt-widgets.h"

struct _VtGateEditor {
  AdwBin parent;
  VtGates *gates;
  char *name_of; /* the gate that is shown; NULL: none */
  gboolean is_filling;
  GtkMenuButton *button;
  GtkEntry *name, *filter;
  GtkColorButton *color;
  GtkDropDown *within;
  GPtrArray *parents; /* names of what `within` lists, the first NULL: all objects */
  GtkLabel *wrong;
};

G_DEFINE_FINAL_TYPE(VtGateEditor, vt_gate_editor, ADW_TYPE_BIN)

static gint
get_place(VtGateEditor *self)
{
  return vt_gate_list_find(vt_gates_get(self->gates), self->name_of);
}

/* --- what there is --- */

static void
set_text(GtkEntry *entry, const char *text)
{
  if (!g_str_equal(gtk_editable_get_text(GTK_EDITABLE(entry)), text))
    gtk_editable_set_text(GTK_EDITABLE(entry), text);
}

/* A gate can lie in all others but those below it. */
static void
fill_parents(VtGateEditor *self, const GPtrArray *gates, guint place)
{
  g_autoptr(GtkStringList) titles = gtk_string_list_new(NULL);
  const VtGate *gate = gates->pdata[place];
  guint chosen = 0;
  g_ptr_array_set_size(self->parents, 0);
  g_ptr_array_add(self->parents, NULL);
  gtk_string_list_append(titles, _("All objects"));
  for (guint i = 0; i < gates->len; i++) {
    const VtGate *other = gates->pdata[i];
    if (vt_gate_list_is_within(gates, i, place))
      continue;
    if (g_strcmp0(gate->parent, other->name) == 0)
      chosen = self->parents->len;
    g_ptr_array_add(self->parents, g_strdup(other->name));
    gtk_string_list_append(titles, other->name);
  }
  gtk_drop_down_set_model(self->within, G_LIST_MODEL(titles));
  gtk_drop_down_set_selected(self->within, chosen);
}

static void
fill(VtGateEditor *self)
{
  const GPtrArray *gates = vt_gates_get(self->gates);
  const gint place = vt_gates_get_chosen(self->gates);
  const VtGate *gate = place >= 0 ? gates->pdata[place] : NULL;
  g_free(self->name_of);
  self->name_of = g_strdup(gate ? gate->name : NULL);
  gtk_widget_set_sensitive(GTK_WIDGET(self->button), gate != NULL);
  gtk_widget_set_visible(GTK_WIDGET(self->wrong), FALSE);
  if (!gate)
    return;
  const GdkRGBA color = vt_rgba_from_packed(gate->color);
  self->is_filling = TRUE;
  set_text(self->name, gate->name);
  set_text(self->filter, gate->text);
  gtk_color_chooser_set_rgba(GTK_COLOR_CHOOSER(self->color), &color);
  fill_parents(self, gates, (guint)place);
  self->is_filling = FALSE;
}

/* --- what a person does --- */

/* What is wrong is said, and the gate stays as it was. */
static void
take(VtGateEditor *self)
{
  const gint place = get_place(self);
  const guint parent = gtk_drop_down_get_selected(self->within);
  if (self->is_filling || place < 0 || parent >= self->parents->len)
    return;
  g_autofree char *name = g_strstrip(g_strdup(gtk_editable_get_text(GTK_EDITABLE(self->name))));
  g_autoptr(VtGate) gate =
    vt_gate_new(name, self->parents->pdata[parent], gtk_editable_get_text(GTK_EDITABLE(self->filter)),
                vt_color_button_get_packed(self->color));
  g_autoptr(GError) error = NULL;
  const gboolean good = vt_gates_change(self->gates, (guint)place, gate, &error);
  gtk_label_set_text(self->wrong, good ? "" : error->message);
  gtk_widget_set_visible(GTK_WIDGET(self->wrong), !good);
}

void
vt_gate_editor_open(VtGateEditor *self)
{
  if (!self->name_of)
    return;
  gtk_menu_button_popup(self->button);
  gtk_widget_grab_focus(GTK_WIDGET(self->name));
  vt_test_log("gate-editor %s", self->name_of);
}

/* --- the widgets --- */

static GtkGrid *
new_grid(VtGateEditor *self)
{
  GtkGrid *grid = GTK_GRID(gtk_grid_new());
  vt_grid_attach_named(grid, 0, _("_Name"), GTK_WIDGET(self->name));
  vt_grid_attach_named(grid, 1, _("C_olour"), GTK_WIDGET(self->color));
  vt_grid_attach_named(grid, 2, _("Lies _in"), GTK_WIDGET(self->within));
  vt_grid_attach_named(grid, 3, _("_Filter"), GTK_WIDGET(self->filter));
  gtk_grid_attach(grid, GTK_WIDGET(self->wrong), 0, 4, 2, 1);
  return grid;
}

static void
vt_gate_editor_dispose(GObject *object)
{
  g_clear_object(&VT_GATE_EDITOR(object)->gates);
  G_OBJECT_CLASS(vt_gate_editor_parent_class)->dispose(object);
}

static void
vt_gate_editor_finalize(GObject *object)
{
  VtGateEditor *self = VT_GATE_EDITOR(object);
  g_free(self->name_of);
  g_ptr_array_unref(self->parents);
  G_OBJECT_CLASS(vt_gate_editor_parent_class)->finalize(object);
}

static void
vt_gate_editor_class_init(VtGateEditorClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = vt_gate_editor_dispose;
  G_OBJECT_CLASS(klass)->finalize = vt_gate_editor_finalize;
}

static void
vt_gate_editor_init(VtGateEditor *self)
{
  self->parents = g_ptr_array_new_with_free_func(g_free);
  self->name = GTK_ENTRY(gtk_entry_new());
  self->filter = GTK_ENTRY(gtk_entry_new());
  self->color = GTK_COLOR_BUTTON(gtk_color_button_new());
  self->within =
    GTK_DROP_DOWN(gtk_drop_down_new(NULL, gtk_property_expression_new(GTK_TYPE_STRING_OBJECT, NULL, "string")));
  self->wrong = GTK_LABEL(vt_label_new(NULL, 0, "warning"));
  gtk_label_set_wrap(self->wrong, TRUE);
  gtk_label_set_max_width_chars(self->wrong, 48);
  gtk_editable_set_width_chars(GTK_EDITABLE(self->filter), 44);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->filter),
                              _("As the filter of the table; gates = \"name\" asks for another gate, "
                                "regions = \"name\" for a region"));
  self->button = vt_menu_button_new_edit(_("Name, colour, place and filter of the chosen gate (F2)"), new_grid(self));
  adw_bin_set_child(ADW_BIN(self), GTK_WIDGET(self->button));
  vt_editable_connect_done(GTK_EDITABLE(self->name), G_CALLBACK(take), self);
  vt_editable_connect_done(GTK_EDITABLE(self->filter), G_CALLBACK(take), self);
  g_signal_connect_object(self->color, "color-set", G_CALLBACK(take), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->within, "notify::selected", G_CALLBACK(take), self, G_CONNECT_SWAPPED);
}

GtkWidget *
vt_gate_editor_new(VtGates *gates)
{
  VtGateEditor *self = g_object_new(VT_TYPE_GATE_EDITOR, NULL);
  self->gates = g_object_ref(gates);
  g_signal_connect_object(gates, "changed", G_CALLBACK(fill), self, G_CONNECT_SWAPPED);
  fill(self);
  return GTK_WIDGET(self);
}
