/* SPDX-License-Identifier: MIT */
#include "panels/vt-gate-editor.h"

#include <glib/gi18n.h>

#include "common/vt-owned.h"
#include "common/vt-template.h"
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

/* --- the widget --- */

static void
vt_gate_editor_class_init(VtGateEditorClass *klass)
{
  VT_OWNS(klass, VtGateEditor, g_object_unref, gates);
  VT_OWNS_TO_THE_END(klass, VtGateEditor, g_free, name_of);
  VT_OWNS_TO_THE_END(klass, VtGateEditor, g_ptr_array_unref, parents);
  VT_TEMPLATE(klass, VtGateEditor, "vt-gate-editor", button, name, filter, color, within, wrong);
  VT_TEMPLATE_CALLBACKS(klass, take);
}

static void
vt_gate_editor_init(VtGateEditor *self)
{
  self->parents = g_ptr_array_new_with_free_func(g_free);
  gtk_widget_init_template(GTK_WIDGET(self));
}

void
vt_gate_editor_set_gates(VtGateEditor *self, VtGates *gates)
{
  self->gates = g_object_ref(gates);
  g_signal_connect_object(gates, "changed", G_CALLBACK(fill), self, G_CONNECT_SWAPPED);
  fill(self);
}
