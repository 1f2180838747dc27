/* SPDX-License-Identifier: MIT */
#include "panels/vt-object-panel.h"

#include <glib/gi18n.h>
#include <math.h>

#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "common/vt-widgets.h"
#include "layers/vt-layer-stack.h"

struct _VtObjectPanel {
  GtkBox parent;
  VtLayer *layer;
  GtkLabel *title;
  GtkGrid *grid;
};

G_DEFINE_FINAL_TYPE(VtObjectPanel, vt_object_panel, GTK_TYPE_BOX)

static void
add_text(VtObjectPanel *self, int row, const char *name, const char *text)
{
  GtkWidget *label = vt_label_new_dim(name), *number = vt_label_new(text, 1, "numeric caption");
  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_tooltip_text(label, name);
  gtk_widget_set_hexpand(label, TRUE);
  gtk_label_set_selectable(GTK_LABEL(number), TRUE);
  gtk_widget_set_can_focus(number, FALSE);
  gtk_grid_attach(self->grid, label, 0, row, 1, 1);
  gtk_grid_attach(self->grid, number, 1, row, 1, 1);
}

static void
add_line(VtObjectPanel *self, int row, const char *name, double value)
{
  g_autofree char *text = isfinite(value) ? g_strdup_printf("%.5g", value) : g_strdup("–");
  add_text(self, row, name, text);
}

/* What was added to the objects' columns, if it is still one of them. */
static void
add_added(VtObjectPanel *self, const VtColumns *columns, int row)
{
  const gint64 index = vt_layer_get_selected_index(self->layer);
  for (guint i = columns->n_own; index >= 0 && i < columns->n; i++) {
    g_autofree char *word = vt_columns_dup_word(columns, (guint)index, i);
    const double value = vt_columns_get_value(columns, (guint)index, i);
    g_autofree char *title = vt_columns_dup_title(columns, i);
    if (word)
      add_text(self, row++, title, word);
    else if (vt_columns_is_number(columns, i) && !isnan(value))
      add_line(self, row++, title, value);
  }
}

static void
fill(VtObjectPanel *self)
{
  const VtObject *object = self->layer ? vt_layer_get_selected(self->layer) : NULL;
  const VtColumns *columns = self->layer ? vt_layer_get_columns(self->layer) : NULL;
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child(GTK_WIDGET(self->grid))))
    gtk_grid_remove(self->grid, child);
  gtk_widget_set_visible(GTK_WIDGET(self), object != NULL);
  if (!object)
    return;
  g_autofree char *id = g_strdup_printf("%'" G_GINT64_FORMAT, object->id);
  g_autofree char *title = g_strdup_printf(_("Object %s"), id);
  gtk_label_set_text(self->title, title);
  add_line(self, 0, _("Centroid X, px"), object->centroid_x_l0);
  add_line(self, 1, _("Centroid Y, px"), object->centroid_y_l0);
  for (guint i = 0; i < object->n_measurements; i++) {
    g_autofree char *name = vt_dup_shown_name(object->measurement_names[i]);
    add_line(self, (int)i + 2, name, object->measurements[i]);
  }
  if (columns)
    add_added(self, columns, (int)object->n_measurements + 2);
}

static void
show_selected(VtObjectPanel *self)
{
  const VtObject *object = self->layer ? vt_layer_get_selected(self->layer) : NULL;
  fill(self);
  if (!object)
    vt_test_log("selected none");
  else
    vt_test_log("selected %" G_GINT64_FORMAT " %.2f %.2f %u", object->id, object->centroid_x_l0, object->centroid_y_l0,
                object->n_measurements);
}

static void
on_layers_changed(VtObjectPanel *self, guint position, guint n_removed, guint n_added, GListModel *layers)
{
  g_autoptr(VtLayer) found = vt_layers_dup_objects(layers);
  if (found == self->layer)
    return;
  if (self->layer)
    g_signal_handlers_disconnect_by_data(self->layer, self);
  g_set_object(&self->layer, found);
  if (found) {
    g_signal_connect_object(found, "selection", G_CALLBACK(show_selected), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(found, "columns", G_CALLBACK(fill), self, G_CONNECT_SWAPPED);
  }
  show_selected(self);
}

void
vt_object_panel_set_layers(VtObjectPanel *self, GListModel *layers)
{
  g_signal_connect_object(layers, "items-changed", G_CALLBACK(on_layers_changed), self, G_CONNECT_SWAPPED);
  on_layers_changed(self, 0, 0, 0, layers);
}

static void
vt_object_panel_dispose(GObject *object)
{
  g_clear_object(&VT_OBJECT_PANEL(object)->layer);
  G_OBJECT_CLASS(vt_object_panel_parent_class)->dispose(object);
}

static void
vt_object_panel_class_init(VtObjectPanelClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = vt_object_panel_dispose;
}

static void
vt_object_panel_init(VtObjectPanel *self)
{
  GtkWidget *head = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing(GTK_BOX(self), 4);
  self->title = GTK_LABEL(vt_label_new(NULL, 0, "heading"));
  gtk_widget_set_hexpand(GTK_WIDGET(self->title), TRUE);
  gtk_box_append(GTK_BOX(head), GTK_WIDGET(self->title));
  gtk_box_append(GTK_BOX(head),
                 vt_button_new_icon("vt-previous-symbolic", _("Previous object (,)"), "win.previous-object"));
  gtk_box_append(GTK_BOX(head), vt_button_new_icon("vt-next-symbolic", _("Next object (.)"), "win.next-object"));
  gtk_box_append(GTK_BOX(head),
                 vt_button_new_icon("vt-question-symbolic", _("Why is it an object?"), "win.why-object"));
  gtk_box_append(GTK_BOX(head),
                 vt_button_new_icon("vt-close-symbolic", _("Unselect the object"), "win.unselect-object"));
  self->grid = GTK_GRID(gtk_grid_new());
  gtk_grid_set_column_spacing(self->grid, 8);
  gtk_box_append(GTK_BOX(self), head);
  gtk_box_append(GTK_BOX(self), GTK_WIDGET(self->grid));
  gtk_widget_add_css_class(GTK_WIDGET(self), "osd");
  gtk_widget_add_css_class(GTK_WIDGET(self), "object-card");
  gtk_widget_set_halign(GTK_WIDGET(self), GTK_ALIGN_START);
  gtk_widget_set_valign(GTK_WIDGET(self), GTK_ALIGN_START);
  gtk_widget_set_visible(GTK_WIDGET(self), FALSE);
}

GtkWidget *
vt_object_panel_new(void)
{
  return g_object_new(VT_TYPE_OBJECT_PANEL, NULL);
}
