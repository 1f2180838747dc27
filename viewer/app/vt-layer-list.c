/* SPDX-License-Identifier: MIT */
#include "vt-layer-list.h"

#include "vt-layer-row.h"

struct _VtLayerList {
  GtkBox parent;
  GtkListBox *list;
};

G_DEFINE_FINAL_TYPE(VtLayerList, vt_layer_list, GTK_TYPE_BOX)

static GtkWidget *
create_row(gpointer item, gpointer user_data)
{
  return vt_layer_row_new(item);
}

void
vt_layer_list_set_layers(VtLayerList *self, GListModel *layers)
{
  gtk_list_box_bind_model(self->list, layers, create_row, NULL, NULL);
}

static void
vt_layer_list_class_init(VtLayerListClass *klass)
{
}

static void
vt_layer_list_init(VtLayerList *self)
{
  self->list = GTK_LIST_BOX(gtk_list_box_new());
  gtk_list_box_set_selection_mode(self->list, GTK_SELECTION_NONE);
  gtk_widget_add_css_class(GTK_WIDGET(self->list), "boxed-list");
  gtk_widget_set_hexpand(GTK_WIDGET(self->list), TRUE);
  gtk_box_append(GTK_BOX(self), GTK_WIDGET(self->list));
}
