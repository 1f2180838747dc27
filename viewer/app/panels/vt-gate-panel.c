/* SPDX-License-Identifier: MIT */
#include "panels/vt-gate-panel.h"

#include <glib/gi18n.h>

#include "common/vt-one-stop.h"
#include "common/vt-owned.h"
#include "common/vt-template.h"
#include "common/vt-widgets.h"
#include "panels/vt-gate-editor.h"

enum { INDENT_PX = 14, NAME_CHARS = 12, COUNT_CHARS = 7, PERCENT_CHARS = 7 };

typedef struct {
  GtkListBoxRow *row;
  GtkLabel *swatch, *name, *count, *of_parent, *of_all;
} Row;

struct _VtGatePanel {
  GtkBox parent;
  VtGates *gates;
  gboolean is_filling;
  GtkBox *titles;
  GtkListBox *list;
  GArray *rows; /* Row: all objects, then the gates */
  GtkLabel *definition;
  GtkToggleButton *colours;
  VtGateEditor *editor;
};

G_DEFINE_FINAL_TYPE(VtGatePanel, vt_gate_panel, GTK_TYPE_BOX)

/* --- rows --- */

static GtkLabel *
number_new(GtkBox *box, int chars)
{
  GtkWidget *label = vt_label_new(NULL, 1, "numeric caption");
  gtk_label_set_width_chars(GTK_LABEL(label), chars);
  gtk_box_append(box, label);
  return GTK_LABEL(label);
}

static GtkLabel *
name_new(GtkBox *box)
{
  GtkWidget *label = g_object_new(GTK_TYPE_LABEL, "xalign", 0.0, "ellipsize", PANGO_ELLIPSIZE_END, "width-chars",
                                  NAME_CHARS, "hexpand", TRUE, NULL);
  gtk_box_append(box, label);
  return GTK_LABEL(label);
}

static GtkBox *
line_new(void)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
  g_object_set(box, "margin-start", 6, "margin-end", 6, NULL);
  return GTK_BOX(box);
}

static void
add_row(VtGatePanel *self)
{
  GtkBox *box = line_new();
  Row row = { .row = GTK_LIST_BOX_ROW(gtk_list_box_row_new()), .swatch = GTK_LABEL(gtk_label_new(NULL)) };
  gtk_box_append(box, GTK_WIDGET(row.swatch));
  row.name = name_new(box);
  row.count = number_new(box, COUNT_CHARS);
  row.of_parent = number_new(box, PERCENT_CHARS);
  row.of_all = number_new(box, PERCENT_CHARS);
  gtk_list_box_row_set_child(row.row, GTK_WIDGET(box));
  gtk_list_box_append(self->list, GTK_WIDGET(row.row));
  g_array_append_val(self->rows, row);
}

static void
make_rows(VtGatePanel *self, guint n)
{
  while (self->rows->len < n)
    add_row(self);
  while (self->rows->len > n) {
    gtk_list_box_remove(self->list, GTK_WIDGET(g_array_index(self->rows, Row, self->rows->len - 1).row));
    g_array_set_size(self->rows, self->rows->len - 1);
  }
}

static void
set_percent(GtkLabel *label, guint n, guint of)
{
  g_autofree char *text = of > 0 ? g_strdup_printf("%.1f %%", 100.0 * n / of) : g_strdup("–");
  gtk_label_set_text(label, text);
}

/* "Gate 1: 1,374" */
static void
call_row(const Row *row)
{
  g_autofree char *name = g_strdup_printf(_("%s: %s"), gtk_label_get_text(row->name), gtk_label_get_text(row->count));
  vt_widget_set_accessible_label(GTK_WIDGET(row->row), name);
}

static void
fill_all(VtGatePanel *self, const VtGateTally *tally)
{
  const Row *row = &g_array_index(self->rows, Row, 0);
  g_autofree char *count = tally ? g_strdup_printf("%'u", tally->columns->objects->len) : g_strdup("");
  gtk_label_set_text(row->name, _("All objects"));
  gtk_label_set_text(row->count, count);
  call_row(row);
}

static void
fill_row(VtGatePanel *self, guint place, const VtGateTally *tally)
{
  const GPtrArray *gates = vt_gates_get(self->gates);
  const VtGate *gate = gates->pdata[place];
  const Row *row = &g_array_index(self->rows, Row, place + 1);
  const char *reason = tally ? tally->reasons[place] : NULL;
  g_autofree char *swatch = g_strdup_printf("<span foreground=\"#%06x\">■</span>", (guint)gate->color);
  gtk_label_set_markup(row->swatch, swatch);
  gtk_widget_set_margin_start(GTK_WIDGET(row->swatch), INDENT_PX * (int)(1 + vt_gate_list_get_depth(gates, place)));
  gtk_label_set_text(row->name, gate->name);
  vt_widget_set_tooltip(GTK_WIDGET(row->row), reason ? reason : gate->text);
  if (tally && !reason) {
    g_autofree char *count = g_strdup_printf("%'u", tally->counts[place]);
    gtk_label_set_text(row->count, count);
    set_percent(row->of_parent, tally->counts[place], vt_gate_tally_get_n_of_parent(tally, place));
    set_percent(row->of_all, tally->counts[place], tally->columns->objects->len);
  } else { /* it can't be counted, or is being counted */
    gtk_label_set_text(row->count, reason ? "–" : "…");
    gtk_label_set_text(row->of_parent, "");
    gtk_label_set_text(row->of_all, "");
  }
  call_row(row);
}

/* How the chosen gate is defined, or why it can't be counted. */
static void
show_definition(VtGatePanel *self, const VtGateTally *tally)
{
  const gint chosen = vt_gates_get_chosen(self->gates);
  const VtGate *gate = chosen >= 0 ? vt_gates_get(self->gates)->pdata[chosen] : NULL;
  const char *reason = gate && tally ? tally->reasons[chosen] : NULL;
  const char *text = reason ? reason
                     : gate ? gate->text
                     : vt_gates_get(self->gates)->len > 0
                       ? ""
                       : _("Choose objects on the plot, or by the filter, and press Alt+G: the choice becomes a gate.");
  gtk_label_set_text(self->definition, text);
  vt_widget_set_tooltip(GTK_WIDGET(self->definition), text);
  if (reason)
    gtk_widget_add_css_class(GTK_WIDGET(self->definition), "warning");
  else
    gtk_widget_remove_css_class(GTK_WIDGET(self->definition), "warning");
}

/* Rows stay as long as there are as many: one may have the keyboard. */
static void
fill(VtGatePanel *self)
{
  const VtGateTally *tally = vt_gates_get_tally(self->gates);
  const guint n = vt_gates_get(self->gates)->len;
  const gboolean has_keys = gtk_widget_get_focus_child(GTK_WIDGET(self->list)) != NULL;
  self->is_filling = TRUE;
  make_rows(self, n + 1);
  fill_all(self, tally);
  for (guint i = 0; i < n; i++)
    fill_row(self, i, tally);
  GtkListBoxRow *chosen = g_array_index(self->rows, Row, (guint)(vt_gates_get_chosen(self->gates) + 1)).row;
  gtk_list_box_select_row(self->list, chosen);
  if (has_keys) /* a row that went takes the keyboard to wherever is next, where Ctrl+Z means something else */
    gtk_widget_grab_focus(GTK_WIDGET(chosen));
  show_definition(self, tally);
  gtk_toggle_button_set_active(self->colours, vt_gates_get_coloured(self->gates));
  self->is_filling = FALSE;
}

static void
on_selected(VtGatePanel *self, GtkListBoxRow *row)
{
  if (!self->is_filling && row)
    vt_gates_choose(self->gates, gtk_list_box_row_get_index(row) - 1);
}

void
vt_gate_panel_edit(VtGatePanel *self)
{
  vt_gate_editor_open(self->editor);
}

/* They mean regions elsewhere. */
static gboolean
on_key(VtGatePanel *self, guint key, guint code, GdkModifierType state)
{
  if (state & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SHIFT_MASK) || (key != GDK_KEY_F2 && key != GDK_KEY_Delete))
    return GDK_EVENT_PROPAGATE;
  gtk_widget_activate_action(GTK_WIDGET(self), key == GDK_KEY_F2 ? "win.gate-edit" : "win.gate-delete", NULL);
  return GDK_EVENT_STOP;
}

static void
on_colours(VtGatePanel *self)
{
  if (!self->is_filling)
    vt_gates_set_coloured(self->gates, gtk_toggle_button_get_active(self->colours));
}

/* --- the widget --- */

static void
add_titles(GtkBox *box)
{
  GtkLabel *labels[] = { name_new(box), number_new(box, COUNT_CHARS), number_new(box, PERCENT_CHARS),
                         number_new(box, PERCENT_CHARS) };
  const char *const titles[] = { _("Gate"), _("Objects"), _("of parent"), _("of all") };
  for (guint i = 0; i < G_N_ELEMENTS(labels); i++) {
    gtk_label_set_text(labels[i], titles[i]);
    vt_widget_add_classes(GTK_WIDGET(labels[i]), "caption dim-label");
  }
}

static void
vt_gate_panel_class_init(VtGatePanelClass *klass)
{
  VT_OWNS(klass, VtGatePanel, g_object_unref, gates);
  VT_OWNS(klass, VtGatePanel, g_array_unref, rows);
  g_type_ensure(VT_TYPE_GATE_EDITOR);
  g_type_ensure(VT_TYPE_ONE_STOP);
  VT_TEMPLATE(klass, VtGatePanel, "vt-gate-panel", editor, colours, titles, list, definition);
  VT_TEMPLATE_CALLBACKS(klass, on_colours, on_selected, on_key);
}

static void
vt_gate_panel_init(VtGatePanel *self)
{
  self->rows = g_array_new(FALSE, FALSE, sizeof(Row));
  gtk_widget_init_template(GTK_WIDGET(self));
  vt_widget_set_accessible_label(GTK_WIDGET(self->colours), gtk_widget_get_tooltip_text(GTK_WIDGET(self->colours)));
  add_titles(self->titles);
}

GtkWidget *
vt_gate_panel_new(VtGates *gates)
{
  VtGatePanel *self = g_object_new(VT_TYPE_GATE_PANEL, NULL);
  self->gates = g_object_ref(gates);
  vt_gate_editor_set_gates(self->editor, gates);
  g_signal_connect_object(gates, "changed", G_CALLBACK(fill), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(gates, "counted", G_CALLBACK(fill), self, G_CONNECT_SWAPPED);
  fill(self);
  return GTK_WIDGET(self);
}
