/* SPDX-License-Identifier: MIT */
#include "panels/vt-layer-list.h"

#include <glib/gi18n.h>

#include "panels/vt-layer-row.h"
#include "layers/vt-layer-stack.h"
#include "common/vt-owned.h"
#include "common/vt-template.h"
#include "common/vt-test-log.h"

struct _VtLayerList {
  GtkBox parent;
  VtAnalysis *analysis;
  GtkButton *solo_button; /* says which layer is solo, and ends that; its place is kept */
  GtkListBox *list;
  GtkScrolledWindow *scroller;
  GtkWidget *opened;  /* weak: the row to be kept in sight while it grows, or NULL */
  guint tick;         /* show_opened(), or 0 */
  gboolean following; /* it is show_opened() that scrolls */
};

G_DEFINE_FINAL_TYPE(VtLayerList, vt_layer_list, GTK_TYPE_BOX)

static void
on_moved(VtLayerRow *row, int steps, VtLayerList *self)
{
  if (vt_analysis_move_layer(self->analysis, vt_layer_row_get_layer(row), steps))
    gtk_widget_grab_focus(GTK_WIDGET(row));
}

static void
on_dropped(VtLayerRow *row, VtLayer *layer, VtLayerList *self)
{
  vt_analysis_move_layer_to(self->analysis, layer, vt_layer_row_get_layer(row));
}

static void
set_solo(VtLayerList *self, VtLayer *layer)
{
  GListModel *layers = vt_analysis_get_layers(self->analysis);
  vt_layer_stack_set_solo(layers, layer);
}

static void
on_solo(VtLayerRow *row, gboolean solo, VtLayerList *self)
{
  set_solo(self, solo ? vt_layer_row_get_layer(row) : NULL);
}

static void
on_show_all(VtLayerList *self)
{
  set_solo(self, NULL);
}

static void
show_solo(VtLayerList *self)
{
  VtLayer *layer = vt_layer_stack_get_solo(vt_analysis_get_layers(self->analysis));
  g_autofree char *text = layer ? g_strdup_printf(_("Solo: %s — show all"), vt_layer_get_title(layer)) : g_strdup("");
  gtk_button_set_label(self->solo_button, text);
  gtk_widget_set_visible(GTK_WIDGET(self->solo_button), layer != NULL);
}

static void
forget_opened(VtLayerList *self)
{
  if (self->opened && !self->following)
    g_clear_weak_pointer(&self->opened);
}

/* All of the row that was opened last; its top, where there is no room for all. Set, not clamped to: newer GTK moves to where the
 * focus is over a while, and only a value that is set ends that. */
static gboolean
show_opened(GtkWidget *widget, GdkFrameClock *clock, gpointer user_data)
{
  VtLayerList *self = VT_LAYER_LIST(widget);
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment(self->scroller);
  graphene_rect_t box;
  self->tick = 0;
  if (!self->opened || !gtk_widget_compute_bounds(self->opened, GTK_WIDGET(self->list), &box))
    return G_SOURCE_REMOVE;
  double top = box.origin.y, bottom = top + box.size.height - gtk_adjustment_get_page_size(adjustment);
  self->following = TRUE;
  gtk_adjustment_set_value(adjustment, MIN(MAX(gtk_adjustment_get_value(adjustment), bottom), top));
  self->following = FALSE;
  return G_SOURCE_REMOVE;
}

/* The row has its new height now, but this is said amid the layout. */
static void
on_resized(VtLayerList *self)
{
  if (self->opened && !self->tick)
    self->tick = gtk_widget_add_tick_callback(GTK_WIDGET(self), show_opened, NULL, NULL);
}

/* Its settings come into sight, and statistics that come later, too, until somebody scrolls. */
static void
on_opened(VtLayerRow *row, VtLayerList *self)
{
  g_set_weak_pointer(&self->opened, GTK_WIDGET(row));
}

static GtkWidget *
row_new(VtLayerList *self, VtLayer *layer)
{
  GtkWidget *row = vt_layer_row_new(layer);
  g_signal_connect_object(row, "opened", G_CALLBACK(on_opened), self, 0);
  g_signal_connect_object(row, "solo", G_CALLBACK(on_solo), self, 0);
  g_signal_connect_object(layer, "notify::solo", G_CALLBACK(show_solo), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(row, "moved", G_CALLBACK(on_moved), self, 0);
  g_signal_connect_object(row, "dropped", G_CALLBACK(on_dropped), self, 0);
  return row;
}

/* The row of a layer among those taken out, which then goes on as it was: open, with the focus. */
static GtkWidget *
take_row(GPtrArray *rows, VtLayer *layer)
{
  for (guint i = 0; i < rows->len; i++)
    if (vt_layer_row_get_layer(g_ptr_array_index(rows, i)) == layer)
      return g_ptr_array_index(rows, i);
  return NULL;
}

static gboolean
scroll_back(GtkWidget *list, GdkFrameClock *clock, gpointer value)
{
  gtk_adjustment_set_value(gtk_scrolled_window_get_vadjustment(VT_LAYER_LIST(list)->scroller), *(double *)value);
  return G_SOURCE_REMOVE;
}

/* A row that is put elsewhere takes the keyboard away for a moment, and the view would follow it to the end of the list. */
static void
keep_scrolled(VtLayerList *self)
{
  double *value = g_new(double, 1);
  *value = gtk_adjustment_get_value(gtk_scrolled_window_get_vadjustment(self->scroller));
  gtk_widget_add_tick_callback(GTK_WIDGET(self), scroll_back, value, g_free);
}

/* The list is upside down: the last layer is drawn last and stands first. */
static void
on_layers_changed(VtLayerList *self, guint position, guint n_removed, guint n_added, GListModel *layers)
{
  g_autoptr(GPtrArray) old = g_ptr_array_new_with_free_func(g_object_unref);
  guint n_before = g_list_model_get_n_items(layers) - n_added + n_removed;
  int first = (int)(n_before - position - n_removed);
  keep_scrolled(self);
  for (guint i = 0; i < n_removed; i++) {
    GtkWidget *row = GTK_WIDGET(gtk_list_box_get_row_at_index(self->list, first));
    g_ptr_array_add(old, g_object_ref(row));
    gtk_list_box_remove(self->list, row);
  }
  for (guint i = 0; i < n_added; i++) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(layers, position + i);
    GtkWidget *row = take_row(old, layer);
    gtk_list_box_insert(self->list, row ? row : row_new(self, layer), first);
  }
  show_solo(self);
}

void
vt_layer_list_set_analysis(VtLayerList *self, VtAnalysis *analysis)
{
  GListModel *layers = vt_analysis_get_layers(analysis);
  self->analysis = g_object_ref(analysis);
  g_signal_connect_object(layers, "items-changed", G_CALLBACK(on_layers_changed), self, G_CONNECT_SWAPPED);
  on_layers_changed(self, 0, 0, g_list_model_get_n_items(layers), layers);
}

void
vt_layer_list_probe(VtLayerList *self, double x_l0, double y_l0, gboolean inside)
{
  g_autoptr(GString) text = g_string_new(NULL);
  GtkListBoxRow *item;
  for (int i = 0; (item = gtk_list_box_get_row_at_index(self->list, i)); i++) {
    VtLayer *layer = vt_layer_row_get_layer(VT_LAYER_ROW(item));
    g_autofree char *value = inside && vt_layer_get_seen(layer) ? vt_layer_dup_value(layer, x_l0, y_l0) : NULL;
    vt_layer_row_set_value(VT_LAYER_ROW(item), value);
    if (value)
      g_string_append_printf(text, " %s=%s;", vt_layer_get_title(layer), value);
  }
  if (inside)
    vt_test_log("probe %.2f %.2f%s", x_l0, y_l0, text->str);
}

gboolean
vt_layer_list_take_down(VtLayerList *self)
{
  GtkListBoxRow *row = gtk_list_box_get_row_at_index(self->list, 0);
  if (row)
    gtk_list_box_remove(self->list, GTK_WIDGET(row));
  return row != NULL;
}

static void
vt_layer_list_class_init(VtLayerListClass *klass)
{
  VT_OWNS(klass, VtLayerList, g_object_unref, analysis);
  VT_KNOWS(klass, VtLayerList, opened);
  VT_TEMPLATE(klass, VtLayerList, "vt-layer-list", solo_button, list, scroller);
}

static void
vt_layer_list_init(VtLayerList *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  g_signal_connect_swapped(self->solo_button, "clicked", G_CALLBACK(on_show_all), self);
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment(self->scroller);
  g_signal_connect_object(adjustment, "changed", G_CALLBACK(on_resized), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(adjustment, "value-changed", G_CALLBACK(forget_opened), self, G_CONNECT_SWAPPED);
}
