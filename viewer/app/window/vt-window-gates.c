/* SPDX-License-Identifier: MIT */
#include "window/vt-window-private.h"

#include <glib/gi18n.h>

#include "common/vt-file-dialog.h"
#include "common/vt-test-log.h"
#include "layers/vt-gate-xml.h"
#include "panels/vt-object-table.h"
#include "panels/vt-tables.h"

static VtGates *
get_gates(gpointer window)
{
  return vt_tables_get_gates(vt_pane_get_tables(vt_window_get_pane(window)));
}

/* The table of objects with its gates, which is shown. */
static VtObjectTable *
show_table(gpointer window)
{
  GtkStack *tables = vt_pane_get_tables(vt_window_get_pane(window));
  VtObjectTable *table = VT_OBJECT_TABLE(gtk_stack_get_child_by_name(tables, "objects"));
  gtk_stack_set_visible_child_name(tables, "objects");
  gtk_widget_set_visible(GTK_WIDGET(VT_WINDOW(window)->roi_stack), TRUE);
  vt_object_table_show_gates(table, TRUE);
  return table;
}

static void
tell(gpointer window, const char *sentence)
{
  vt_pane_show_error(vt_window_get_pane(window), sentence, VT_MESSAGE_ANSWER);
}

/* Hides the gates if they are seen. */
static void
act_gates(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  GtkStack *tables = vt_pane_get_tables(vt_window_get_pane(window));
  VtObjectTable *table = VT_OBJECT_TABLE(gtk_stack_get_child_by_name(tables, "objects"));
  if (gtk_widget_get_mapped(GTK_WIDGET(table)) && vt_object_table_has_gates(table))
    vt_object_table_show_gates(table, FALSE);
  else
    show_table(window);
}

static void
act_make(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  g_autoptr(GError) error = NULL;
  const gboolean has_four = g_str_equal(g_action_get_name(G_ACTION(action)), "gate-quadrants");
  if (!vt_object_table_make_gates(show_table(window), has_four, &error))
    tell(window, error->message);
}

/* One for each region that is selected in their table, of its name. */
static void
act_regions(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  g_autoptr(GPtrArray) selected = vt_roi_table_dup_selected_areas(vt_pane_get_roi_table(vt_window_get_pane(window)));
  if (selected->len == 0)
    tell(window, _("Select the regions in their table first that are to be gates; lines and points have no area."));
  else
    show_table(window);
  g_autoptr(GPtrArray) names = g_ptr_array_new(), texts = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GError) error = NULL;
  for (guint i = 0; i < selected->len; i++) {
    const char *name = vt_roi_item_get_roi(selected->pdata[i])->name;
    GString *text = g_string_new(NULL);
    vt_gate_text_add_word(text, VT_REGIONS_COLUMN, name);
    g_ptr_array_add(texts, g_string_free(text, FALSE));
    g_ptr_array_add(names, (gpointer)name);
  }
  if (selected->len > 0 && !vt_gates_add(get_gates(window), names, texts, &error))
    tell(window, error->message);
}

static gboolean
has_chosen(gpointer window)
{
  const gboolean has = vt_gates_get_chosen(get_gates(window)) >= 0;
  if (!has)
    tell(window, _("Select a gate first."));
  return has;
}

static void
act_edit(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  if (has_chosen(window))
    vt_object_table_edit_gate(show_table(window));
}

static void
act_delete(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtGates *gates = get_gates(window);
  if (!has_chosen(window))
    return;
  const guint n = vt_gates_remove(gates, (guint)vt_gates_get_chosen(gates));
  g_autofree char *sentence = g_strdup_printf(
    g_dngettext(NULL, "%u gate deleted. Ctrl+Z brings it back.", "%u gates deleted. Ctrl+Z brings them back.", n), n);
  vt_window_toast(window, sentence);
}

static void
act_colours(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtGates *gates = get_gates(window);
  if (vt_gates_get(gates)->len == 0)
    tell(window, _("There are no gates that could give colours: make one first (Alt+G)."));
  else
    vt_gates_set_coloured(gates, !vt_gates_get_coloured(gates));
}

/* In the panel of classes, which is shown. */
static void
act_classes(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  GtkStack *tables = vt_pane_get_tables(vt_window_get_pane(window));
  VtGates *gates = get_gates(window);
  if (vt_gates_get(gates)->len == 0 && !vt_gates_get_classes(gates)) {
    tell(window, _("There are no gates that could give classes: make one first (Alt+G)."));
    return;
  }
  gtk_stack_set_visible_child_name(tables, "classes");
  gtk_widget_set_visible(GTK_WIDGET(VT_WINDOW(window)->roi_stack), TRUE);
  vt_tables_get_classes(tables); /* which switches off what gave the classes before */
  vt_gates_set_classes(gates, !vt_gates_get_classes(gates));
}

static void
act_export_to(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  const char *path = g_variant_get_string(parameter, NULL);
  const GPtrArray *gates = vt_gates_get(get_gates(window));
  const VtGateTally *tally = vt_gates_get_tally(get_gates(window));
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) missing = NULL;
  if (gates->len == 0 || !tally) {
    tell(window, _("There are no gates of the objects that are shown."));
    return;
  }
  if (!vt_gate_xml_save(tally, path, &missing, &error)) {
    tell(window, error->message);
    return;
  }
  vt_test_log("gates-saved %u %s", missing->len, path);
  g_ptr_array_add(missing, NULL);
  g_autofree char *shown = vt_error_dup_path(path);
  g_autofree char *names = g_strjoinv(", ", (char **)missing->pdata);
  g_autofree char *sentence =
    missing->len == 1
      ? g_strdup_printf(_("The gates are in %s."), shown)
      : g_strdup_printf(_("The gates are in %s, but for those that GatingML has no form for: %s."), shown, names);
  if (missing->len == 1)
    vt_window_toast(window, sentence);
  else
    tell(window, sentence);
}

VT_ACT(export, vt_file_dialog_ask(window, _("Export the gates (GatingML 2.0)"), "gates.xml", "win.export-gates-to"))

const GActionEntry vt_window_gates_actions[] = {
  { .name = "gates", .activate = act_gates },
  { .name = "gate", .activate = act_make },
  { .name = "gate-quadrants", .activate = act_make },
  { .name = "gate-regions", .activate = act_regions },
  { .name = "gate-edit", .activate = act_edit },
  { .name = "gate-delete", .activate = act_delete },
  { .name = "gate-colours", .activate = act_colours },
  { .name = "gate-classes", .activate = act_classes },
  { .name = "export-gates", .activate = act_export },
  { .name = "export-gates-to", .parameter_type = "s", .activate = act_export_to },
  { NULL },
};
