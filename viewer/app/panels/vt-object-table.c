/* SPDX-License-Identifier: MIT */
#include "panels/vt-object-table.h"

#include <glib/gi18n.h>

#include "base/vt-define.h"
#include "analysis/vt-caution.h"
#include "analysis/vt-surrounder.h"
#include "common/vt-file-dialog.h"
#include "common/vt-one-stop.h"
#include "common/vt-template.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "common/vt-widgets.h"
#include "panels/vt-gate-making.h"
#include "panels/vt-gate-panel.h"
#include "panels/vt-object-columns.h"
#include "panels/vt-object-hand.h"
#include "panels/vt-object-rows.h"
#include "panels/vt-object-saving.h"
#include "panels/vt-object-similar.h"
#include "panels/vt-plot-panel.h"
#include "panels/vt-side-list.h"

enum {
  SETTLE_MS = 300 /* until who types has typed */
};

struct _VtObjectTable {
  GtkBox parent;
  VtCanvas *canvas; /* weak */
  VtAnalysis *analysis;
  VtGates *gates;
  VtSurrounder *surrounder;
  char *gate;     /* whose objects the rows are; NULL: all of them */
  VtLayer *layer; /* of the objects; NULL: none */
  VtObjectRows *rows;
  GtkSingleSelection *selection;
  VtObjectColumns *columns;
  gboolean is_following;
  guint settle_id;

  /* template */
  GtkColumnView *pinned_heads, *pinned_view, *heads, *column_view;
  GtkScrolledWindow *pinned_scroller, *scroller;
  GtkStack *stack;
  GtkBox *head, *columns_box;
  GtkEntry *filter_entry;
  GtkLabel *count_label, *caution_label, *wrong_label, *empty_label;
  GtkToggleButton *plot_button, *gates_button;
  GtkCheckButton *bars_check, *surroundings_check;
  GtkPaned *paned, *gates_paned;
  VtGatePanel *gate_panel;
  VtPlotPanel *plot;
  VtSimilarBar *similar;
  gboolean wants_nearest; /* first, as soon as there is the column of similarity */
};

G_DEFINE_FINAL_TYPE(VtObjectTable, vt_object_table, GTK_TYPE_BOX)

/* --- columns --- */

static void
sort(gpointer table)
{
  VtObjectTable *self = table;
  gboolean falling = FALSE;
  const gint column = vt_object_columns_sort_rows(self->columns, &falling);
  vt_test_log("table-sorted %d %s", column, falling ? "falling" : "rising");
}

static void
on_bars(VtObjectTable *self)
{
  vt_object_columns_show_bars(self->columns, gtk_check_button_get_active(self->bars_check));
}

static void
on_surroundings(VtObjectTable *self)
{
  vt_surrounder_set_on(self->surrounder, gtk_check_button_get_active(self->surroundings_check));
}

static void
say_wrong(VtObjectTable *self, const char *sentence)
{
  gtk_label_set_text(self->wrong_label, sentence ? sentence : "");
  gtk_widget_set_visible(GTK_WIDGET(self->wrong_label), sentence != NULL);
}

static void
on_failed(VtObjectTable *self, const char *sentence)
{
  say_wrong(self, vt_translate(sentence));
}

static void
toggle_surroundings(GtkWidget *widget, const char *action, GVariant *parameter)
{
  GtkCheckButton *check = VT_OBJECT_TABLE(widget)->surroundings_check;
  gtk_check_button_set_active(check, !gtk_check_button_get_active(check));
}

/* --- what is in it --- */

static void
show_count(VtObjectTable *self)
{
  const VtColumns *columns = vt_object_rows_get_columns(self->rows);
  const guint n = g_list_model_get_n_items(G_LIST_MODEL(self->rows)), of = columns ? columns->objects->len : 0;
  g_autofree char *some = g_strdup_printf("%'u", n), *all = g_strdup_printf("%'u", of);
  g_autofree char *text = self->gate ? g_strdup_printf(_("%s of %s objects, in “%s”"), some, all, self->gate)
                          : n == of  ? g_strdup_printf(g_dngettext(NULL, "%s object", "%s objects", n), all)
                                     : g_strdup_printf(_("%s of %s objects"), some, all);
  gtk_label_set_text(self->count_label, text);
  vt_widget_set_tooltip(GTK_WIDGET(self->count_label), text);
  gtk_stack_set_visible_child_name(self->stack, of > 0 ? "table" : "empty");
  vt_test_log("table-objects %u", n);
}

/* Instead of gates and plot, too, if their buttons are pressed. */
static void
tell_why_empty(VtObjectTable *self)
{
  const char *what = gtk_toggle_button_get_active(self->gates_button)  ? _("No objects here that gates could choose.")
                     : gtk_toggle_button_get_active(self->plot_button) ? _("No objects here to plot.")
                                                                       : _("No objects here.");
  g_autofree char *text = g_strdup_printf(
    "%s %s", what, _("Either none were found, or no analysis that makes objects, such as Nuclei, has run yet (F5)."));
  gtk_label_set_text(self->empty_label, text);
}

/* GTK 4.8 has no call for it, but the action of the list inside. */
static void
scroll_to(VtObjectTable *self, guint position)
{
  GtkWidget *list = gtk_widget_get_last_child(GTK_WIDGET(self->column_view));
  gtk_widget_activate_action(list, "list.scroll-to-item", "u", position);
}

static void
follow_selection(VtObjectTable *self)
{
  const gint64 index = self->layer ? vt_layer_get_selected_index(self->layer) : -1;
  vt_plot_panel_set_selected(self->plot, self->layer ? vt_layer_get_selected(self->layer) : NULL, index);
  const guint position = index >= 0 ? vt_object_rows_find(self->rows, (guint)index) : G_MAXUINT;
  if (!gtk_widget_get_mapped(GTK_WIDGET(self)) || gtk_single_selection_get_selected(self->selection) == position)
    return;
  self->is_following = TRUE;
  gtk_single_selection_set_selected(self->selection, position == G_MAXUINT ? GTK_INVALID_LIST_POSITION : position);
  self->is_following = FALSE;
  if (position != G_MAXUINT)
    scroll_to(self, position);
  vt_test_log("table-row %d", position == G_MAXUINT ? -1 : (int)position);
}

/* On the slide: what passes the filter and the plot's range; all, where nobody sees why some are faint. */
static void
show_filter(VtObjectTable *self)
{
  g_autoptr(VtObjectFilter) filter =
    gtk_widget_get_mapped(GTK_WIDGET(self)) ? vt_plot_panel_dup_filter(self->plot) : NULL;
  if (self->layer)
    vt_layer_set_filter(self->layer, filter);
}

/* What is typed, for these columns; NULL: nothing, or what is wrong with it, which is said. */
static VtObjectFilter *
read_filter(VtObjectTable *self, const VtColumns *columns, GError **error)
{
  const char *text = gtk_editable_get_text(GTK_EDITABLE(self->filter_entry));
  g_autofree char *stripped = g_strstrip(g_strdup(text));
  const gboolean is_there = *stripped && columns && columns->objects->len > 0;
  g_autoptr(GError) wrong = NULL;
  VtObjectFilter *filter = is_there ? vt_object_filter_new(text, columns, &wrong) : NULL;
  gtk_label_set_text(self->wrong_label, wrong ? wrong->message : "");
  gtk_widget_set_visible(GTK_WIDGET(self->wrong_label), wrong != NULL);
  vt_test_log("table-filter %s", wrong ? wrong->message : is_there ? "good" : "none");
  if (wrong)
    g_propagate_error(error, g_steal_pointer(&wrong));
  return filter;
}

/* Takes `other`; either may be NULL: all pass. Owned. */
static VtObjectFilter *
join(VtObjectFilter *filter, VtObjectFilter *other)
{
  g_autoptr(VtObjectFilter) taken = other;
  if (!filter || !other)
    return filter ? vt_object_filter_ref(filter) : g_steal_pointer(&taken);
  return vt_object_filter_join(other, filter); /* what most fail is cheap, and comes first */
}

/* Of what passes `typed` (NULL: all) that which is similar to what is looked for, and in the gate that is chosen. */
static void
set_rows(VtObjectTable *self, VtColumns *columns, VtObjectFilter *typed)
{
  gboolean falling;
  const gint chosen = vt_gates_get_chosen(self->gates);
  const VtGate *gate = chosen >= 0 ? vt_gates_get(self->gates)->pdata[chosen] : NULL;
  g_autoptr(VtObjectFilter) similar = join(typed, vt_similar_bar_dup_filter(self->similar, columns));
  g_autoptr(VtObjectFilter) filter = join(similar, vt_gates_dup_filter(self->gates, columns));
  g_free(self->gate);
  self->gate = g_strdup(gate ? gate->name : NULL);
  self->is_following = TRUE; /* the rows that go take the selection with them */
  vt_object_rows_set(self->rows, columns, filter);
  vt_object_columns_sort_rows(self->columns, &falling); /* the same column may have another number now */
  self->is_following = FALSE;
  vt_plot_panel_set_columns(self->plot, columns, self->layer ? vt_layer_get_coloured_by(self->layer) : NULL, filter);
  show_filter(self);
  show_count(self);
  follow_selection(self);
}

/* What is wrong is said, and the table stays as it is. */
static gboolean
filter(gpointer table)
{
  VtObjectTable *self = table;
  VtColumns *columns = vt_object_rows_get_columns(self->rows);
  g_autoptr(GError) error = NULL;
  g_autoptr(VtObjectFilter) filter = read_filter(self, columns, &error);
  self->settle_id = 0;
  if (!error && columns)
    set_rows(self, columns, filter);
  return G_SOURCE_REMOVE;
}

/* Another one is chosen, or the chosen one has another name. */
static void
on_gates(VtObjectTable *self)
{
  const gint chosen = vt_gates_get_chosen(self->gates);
  const VtGate *gate = chosen >= 0 ? vt_gates_get(self->gates)->pdata[chosen] : NULL;
  vt_plot_panel_set_gates(self->plot, vt_gates_get_tally(self->gates), chosen);
  if (g_strcmp0(self->gate, gate ? gate->name : NULL) == 0)
    return;
  g_clear_handle_id(&self->settle_id, g_source_remove);
  filter(self);
}

static void
filter_soon(VtObjectTable *self)
{
  g_clear_handle_id(&self->settle_id, g_source_remove);
  self->settle_id = g_timeout_add(SETTLE_MS, filter, self);
}

static void
show_nearest(VtObjectTable *self)
{
  if (!self->wants_nearest || !vt_object_columns_sort_by(self->columns, VT_SIMILAR_COLUMN, FALSE))
    return;
  self->wants_nearest = FALSE;
  if (g_list_model_get_n_items(G_LIST_MODEL(self->rows)) > 0)
    scroll_to(self, 0);
}

static void
fill(VtObjectTable *self)
{
  VtColumns *columns = self->layer ? vt_layer_get_columns(self->layer) : NULL;
  if (columns == vt_object_rows_get_columns(self->rows))
    return;
  if (!gtk_widget_get_mapped(GTK_WIDGET(self))) { /* a result that nobody sees is not kept */
    if (!vt_object_rows_get_columns(self->rows))
      return; /* emptied again, lists and the window round them would be laid out anew */
    self->is_following = TRUE;
    vt_object_rows_set(self->rows, NULL, NULL);
    self->is_following = FALSE;
    vt_plot_panel_set_columns(self->plot, NULL, NULL, NULL);
    return;
  }
  if (columns && columns->objects->len > 0) /* without objects the columns stay for the next ones */
    vt_object_columns_set(self->columns, columns);
  g_autoptr(VtObjectFilter) filter = read_filter(self, columns, NULL);
  set_rows(self, columns, filter);
  vt_object_columns_restore_sort(self->columns);
  show_nearest(self);
}

/* --- gates --- */

VT_GETTER(VtGates *, vt_object_table_get_gates, VtObjectTable, gates)

void
vt_object_table_show_gates(VtObjectTable *self, gboolean shows)
{
  gtk_toggle_button_set_active(self->gates_button, shows);
}

gboolean
vt_object_table_has_gates(VtObjectTable *self)
{
  return gtk_toggle_button_get_active(self->gates_button);
}

void
vt_object_table_edit_gate(VtObjectTable *self)
{
  vt_gate_panel_edit(self->gate_panel);
}

gboolean
vt_object_table_make_gates(VtObjectTable *self, gboolean four, GError **error)
{
  return vt_gate_making_do(self->gates, self->plot, vt_object_rows_get_columns(self->rows),
                           gtk_editable_get_text(GTK_EDITABLE(self->filter_entry)), four, error);
}

/* There is another column of similarity, or none any more. */
static void
on_similar(VtObjectTable *self)
{
  vt_object_similar_show(self->similar, self->layer);
}

static void
follow_similar(VtObjectTable *self)
{
  VtColumns *columns = vt_layer_get_columns(self->layer);
  if (columns)
    vt_similar_bar_follow(self->similar, columns);
}

/* Of the selected object. */
static void
find_similar(GtkWidget *widget, const char *action, GVariant *parameter)
{
  VtObjectTable *self = VT_OBJECT_TABLE(widget);
  g_autoptr(GError) error = NULL;
  self->wants_nearest = vt_object_similar_to_selected(self->similar, self->layer, &error);
  say_wrong(self, error ? error->message : NULL);
}

gboolean
vt_object_table_find_like(VtObjectTable *self, const GPtrArray *rois, GError **error)
{
  self->wants_nearest = vt_object_similar_to_regions(self->similar, self->layer, rois, error);
  return self->wants_nearest;
}

static void
on_map(VtObjectTable *self)
{
  fill(self);
  show_filter(self);
  show_count(self);
}

static void
on_selected(VtObjectTable *self)
{
  guint index;
  const guint position = gtk_single_selection_get_selected(self->selection);
  if (self->is_following || !self->layer || !self->canvas || !vt_object_rows_get_object(self->rows, position, &index)
      || vt_object_rows_get_columns(self->rows) != vt_layer_get_columns(self->layer))
    return;
  vt_layer_select(self->layer, index);
  vt_object_hand_show(self->canvas, self->analysis);
}

static void
on_activated(VtObjectTable *self, guint position)
{
  guint index;
  const VtObject *object = vt_object_rows_get_object(self->rows, position, &index);
  if (object && self->canvas)
    vt_canvas_centre_on(self->canvas, object->centroid_x_l0, object->centroid_y_l0);
}

static void
on_layers_changed(VtObjectTable *self, guint position, guint n_removed, guint n_added, GListModel *layers)
{
  g_autoptr(VtLayer) found = vt_layers_dup_objects(layers);
  if (found == self->layer)
    return;
  vt_similar_bar_stop(self->similar); /* of the layer before */
  if (self->layer) {
    g_signal_handlers_disconnect_by_data(self->layer, self);
    vt_layer_set_filter(self->layer, NULL);
  }
  g_set_object(&self->layer, found);
  if (found) {
    g_signal_connect_object(found, "data", G_CALLBACK(follow_similar), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(found, "data", G_CALLBACK(fill), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(found, "columns", G_CALLBACK(fill), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(found, "selection", G_CALLBACK(follow_selection), self, G_CONNECT_SWAPPED);
  }
  fill(self);
}

gboolean
vt_object_table_has_surroundings(VtObjectTable *self)
{
  return gtk_check_button_get_active(self->surroundings_check);
}

/* --- sessions --- */

void
vt_object_table_store(VtObjectTable *self, VtSessionTable *stored)
{
  const gint chosen = vt_gates_get_chosen(self->gates);
  const char *filter = gtk_editable_get_text(GTK_EDITABLE(self->filter_entry));
  vt_object_columns_store(self->columns, stored);
  vt_plot_panel_store(self->plot, stored);
  stored->filter = *filter ? g_strdup(filter) : NULL;
  stored->gate = chosen >= 0 ? g_strdup(((const VtGate *)vt_gates_get(self->gates)->pdata[chosen])->name) : NULL;
  stored->has_gates = vt_object_table_has_gates(self);
  stored->has_surroundings = vt_object_table_has_surroundings(self);
  stored->has_bars = gtk_check_button_get_active(self->bars_check);
  stored->has_plot = gtk_toggle_button_get_active(self->plot_button);
}

void
vt_object_table_restore(VtObjectTable *self, const VtSessionTable *stored)
{
  const gint chosen = stored->gate ? vt_gate_list_find(vt_gates_get(self->gates), stored->gate) : -1;
  vt_object_columns_restore(self->columns, stored);
  vt_plot_panel_restore(self->plot, stored);
  gtk_editable_set_text(GTK_EDITABLE(self->filter_entry), stored->filter ? stored->filter : "");
  vt_gates_choose(self->gates, chosen);
  vt_object_table_show_gates(self, stored->has_gates);
  gtk_check_button_set_active(self->bars_check, stored->has_bars);
  gtk_check_button_set_active(self->surroundings_check, stored->has_surroundings);
  gtk_toggle_button_set_active(self->plot_button, stored->has_plot);
}

/* --- out of it --- */

static void
sort_on(GtkWidget *widget, const char *action, GVariant *parameter)
{
  VtObjectTable *self = VT_OBJECT_TABLE(widget);
  const gboolean has_keys = gtk_widget_get_focus_child(GTK_WIDGET(self->column_view)) != NULL;
  vt_object_columns_sort_on(self->columns, g_variant_get_int32(parameter));
  if (has_keys) /* rows that go to another place lose the keyboard */
    gtk_widget_child_focus(GTK_WIDGET(self->column_view), GTK_DIR_TAB_FORWARD);
}

/* The columns and rows that are shown, in their order; NULL: there are none. `for_people`: titles as they are shown, else as files have them. */
static VtObjectSheet *
dup_sheet(VtObjectTable *self, gboolean for_people)
{
  VtColumns *all = vt_object_rows_get_columns(self->rows);
  guint index;
  if (!all || !all->result)
    return NULL;
  g_autoptr(GPtrArray) columns = vt_object_columns_dup_all(self->columns);
  VtObjectSheet *sheet = vt_object_sheet_new(all);
  for (guint i = 0; i < columns->len; i++) {
    const gint number = vt_columns_find(all, vt_object_columns_get_name(columns->pdata[i]));
    if (number < 0 || !gtk_column_view_column_get_visible(columns->pdata[i]))
      continue;
    g_array_append_val(sheet->columns, number);
    g_ptr_array_add(sheet->titles, for_people ? vt_columns_dup_title(all, (guint)number)
                                              : g_strdup(vt_columns_get_name(all, (guint)number)));
  }
  while (vt_object_rows_get_object(self->rows, sheet->rows->len, &index))
    g_array_append_val(sheet->rows, index);
  return sheet;
}

static void
copy(GtkWidget *widget, const char *action, GVariant *parameter)
{
  vt_object_saving_copy(widget, dup_sheet(VT_OBJECT_TABLE(widget), TRUE));
}

static void
save_to(GtkWidget *widget, const char *action, GVariant *parameter)
{
  VtObjectTable *self = VT_OBJECT_TABLE(widget);
  vt_object_saving_save(widget, dup_sheet(self, FALSE), g_variant_get_string(parameter, NULL), self->wrong_label);
}

static void
save(GtkWidget *widget, const char *action, GVariant *parameter)
{
  vt_file_dialog_ask(widget, _("Save these rows (.csv, .tsv)"), "objects.csv", "table.save-to");
}

static void
vt_object_table_dispose(GObject *object)
{
  VtObjectTable *self = VT_OBJECT_TABLE(object);
  g_clear_handle_id(&self->settle_id, g_source_remove);
  g_clear_weak_pointer(&self->canvas);
  g_clear_object(&self->layer);
  g_clear_object(&self->analysis);
  g_clear_object(&self->gates);
  g_clear_object(&self->surrounder);
  g_clear_pointer(&self->gate, g_free);
  g_clear_object(&self->selection);
  G_OBJECT_CLASS(vt_object_table_parent_class)->dispose(object);
}

/* The rows and columns are asked as long as there is the view. */
static void
vt_object_table_finalize(GObject *object)
{
  VtObjectTable *self = VT_OBJECT_TABLE(object);
  vt_object_columns_free(self->columns);
  g_clear_object(&self->rows);
  G_OBJECT_CLASS(vt_object_table_parent_class)->finalize(object);
}

static void
vt_object_table_class_init(VtObjectTableClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = vt_object_table_dispose;
  G_OBJECT_CLASS(klass)->finalize = vt_object_table_finalize;
  g_type_ensure(VT_TYPE_ONE_STOP);
  VT_TEMPLATE(klass, VtObjectTable, "vt-object-table", pinned_view, column_view, pinned_scroller, scroller, stack, head,
              columns_box, filter_entry, wrong_label, count_label, caution_label, bars_check, plot_button, gates_button,
              paned, gates_paned);
  VT_TEMPLATE_CHILDREN(klass, VtObjectTable, surroundings_check, heads, pinned_heads, empty_label);
  gtk_widget_class_install_action(widget_class, "table.copy", NULL, copy);
  gtk_widget_class_install_action(widget_class, "table.save", NULL, save);
  gtk_widget_class_install_action(widget_class, "table.similar", NULL, find_similar);
  gtk_widget_class_install_action(widget_class, "table.surroundings", NULL, toggle_surroundings);
  gtk_widget_class_install_action(widget_class, "table.save-to", "s", save_to);
  gtk_widget_class_install_action(widget_class, "table.sort-on", "i", sort_on);
  gtk_widget_class_add_binding_action(widget_class, GDK_KEY_c, GDK_CONTROL_MASK, "table.copy", NULL);
  gtk_widget_class_add_binding_action(widget_class, GDK_KEY_Page_Down, GDK_ALT_MASK, "table.sort-on", "i", 1);
  gtk_widget_class_add_binding_action(widget_class, GDK_KEY_Page_Up, GDK_ALT_MASK, "table.sort-on", "i", -1);
  gtk_widget_class_add_binding_action(widget_class, GDK_KEY_Home, GDK_ALT_MASK, "table.sort-on", "i", 0);
}

static void
vt_object_table_init(VtObjectTable *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->rows = vt_object_rows_new();
  self->columns = vt_object_columns_new((GtkColumnView *[]){ self->pinned_heads, self->heads },
                                        (GtkColumnView *[]){ self->pinned_view, self->column_view }, self->columns_box,
                                        self->rows, sort, self);
  self->selection = gtk_single_selection_new(g_object_ref(G_LIST_MODEL(self->rows)));
  gtk_single_selection_set_autoselect(self->selection, FALSE);
  gtk_single_selection_set_can_unselect(self->selection, TRUE);
  vt_side_list_link(self->pinned_scroller, self->scroller, G_LIST_MODEL(self->selection));
  vt_side_list_add_head(self->pinned_scroller, GTK_WIDGET(self->heads));
  vt_side_list_add_head(self->pinned_scroller, GTK_WIDGET(self->pinned_heads));
  self->similar = g_object_new(VT_TYPE_SIMILAR_BAR, NULL);
  gtk_box_insert_child_after(GTK_BOX(self), GTK_WIDGET(self->similar), GTK_WIDGET(self->head));
  g_signal_connect_object(self->similar, "found", G_CALLBACK(on_similar), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->similar, "changed", G_CALLBACK(filter), self, G_CONNECT_SWAPPED);
  self->plot = g_object_new(VT_TYPE_PLOT_PANEL, NULL);
  gtk_paned_set_end_child(self->paned, GTK_WIDGET(self->plot));
  g_object_bind_property(self->plot_button, "active", self->plot, "visible", G_BINDING_SYNC_CREATE);
  g_signal_connect_object(self->plot, "choice", G_CALLBACK(show_filter), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->plot, "map", G_CALLBACK(show_filter), self, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect_object(self->plot, "unmap", G_CALLBACK(show_filter), self, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  gtk_column_view_set_model(self->column_view, GTK_SELECTION_MODEL(self->selection));
  g_signal_connect_object(self->selection, "notify::selected", G_CALLBACK(on_selected), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->pinned_view, "activate", G_CALLBACK(on_activated), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->column_view, "activate", G_CALLBACK(on_activated), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->filter_entry, "changed", G_CALLBACK(filter_soon), self, G_CONNECT_SWAPPED);
  g_signal_connect_swapped(self->bars_check, "toggled", G_CALLBACK(on_bars), self);
  g_signal_connect_swapped(self->surroundings_check, "toggled", G_CALLBACK(on_surroundings), self);
  g_signal_connect(self, "map", G_CALLBACK(on_map), NULL);
  g_signal_connect_after(self, "unmap", G_CALLBACK(show_filter), NULL);
}

GtkWidget *
vt_object_table_new(VtCanvas *canvas, VtAnalysis *analysis, VtRegions *regions, VtGates *gates)
{
  VtObjectTable *self = g_object_new(VT_TYPE_OBJECT_TABLE, NULL);
  GListModel *layers = vt_analysis_get_layers(analysis);
  g_set_weak_pointer(&self->canvas, canvas);
  self->analysis = g_object_ref(analysis);
  self->gates = g_object_ref(gates);
  self->surrounder = vt_surrounder_new(analysis, regions);
  g_signal_connect_object(self->surrounder, "failed", G_CALLBACK(on_failed), self, G_CONNECT_SWAPPED);
  self->gate_panel = VT_GATE_PANEL(vt_gate_panel_new(gates));
  gtk_paned_set_start_child(self->gates_paned, GTK_WIDGET(self->gate_panel));
  g_object_bind_property(self->gates_button, "active", self->gate_panel, "visible", G_BINDING_SYNC_CREATE);
  g_signal_connect_swapped(self->gates_button, "toggled", G_CALLBACK(tell_why_empty), self);
  g_signal_connect_swapped(self->plot_button, "toggled", G_CALLBACK(tell_why_empty), self);
  tell_why_empty(self);
  g_signal_connect_object(gates, "changed", G_CALLBACK(on_gates), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(gates, "counted", G_CALLBACK(on_gates), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(layers, "items-changed", G_CALLBACK(on_layers_changed), self, G_CONNECT_SWAPPED);
  on_layers_changed(self, 0, 0, 0, layers);
  vt_caution_attach(self->caution_label, analysis, TRUE);
  vt_plot_panel_set_analysis(self->plot, analysis);
  vt_gate_making_follow(gates, self->plot);
  vt_object_columns_add_pictures(self->columns, analysis);
  show_count(self);
  return GTK_WIDGET(self);
}

GtkBox *
vt_object_table_get_head(VtObjectTable *self)
{
  return self->head;
}
