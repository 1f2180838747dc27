/* SPDX-License-Identifier: MIT */
#include "vt-layer-row.h"

#include <glib/gi18n.h>
#include <math.h>

#include "vt-legend.h"
#include "vt-widgets.h"

struct _VtLayerRow {
  GtkBox parent;
  VtLayer *layer;

  /* template */
  GtkSwitch *shown_switch;
  GtkLabel *title_label, *info_label, *min_label, *max_label;
  GtkToggleButton *more_button;
  GtkWidget *legend_box, *settings_box, *colormap_line;
  VtLegend *legend;
  GtkScale *opacity_scale;
  GtkDropDown *colormap_dropdown;
};

G_DEFINE_FINAL_TYPE(VtLayerRow, vt_layer_row, GTK_TYPE_BOX)

static char *
dup_range_text(double value, const char *unit)
{
  return g_strdup_printf("%.3g%s%s", value, *unit ? " " : "", unit);
}

static char *
dup_info(VtLayerRow *self)
{
  gint64 n = vt_layer_get_n_objects(self->layer);
  double ms = vt_layer_get_stage_ms(self->layer);
  g_autofree char *time = isfinite(ms) ? vt_dup_duration(ms) : NULL;
  if (n >= 0 && time)
    return g_strdup_printf(_("%'" G_GINT64_FORMAT " · %s"), n, time);
  return g_strdup(time ? time : "");
}

static void
update(VtLayerRow *self)
{
  double min, max;
  const VitrailStage *stage = vt_layer_get_stage(self->layer);
  const char *unit = vt_layer_get_unit(self->layer);
  g_autofree char *info = dup_info(self);
  gtk_label_set_text(self->info_label, info);
  gboolean scalar = stage && stage->kind == VITRAIL_STAGE_SCALAR;
  vt_layer_get_range(self->layer, &min, &max);
  gtk_widget_set_visible(self->legend_box, scalar && vt_layer_get_shown(self->layer) && max > min);
  g_autofree char *min_text = dup_range_text(min, unit), *max_text = dup_range_text(max, unit);
  gtk_label_set_text(self->min_label, min_text);
  gtk_label_set_text(self->max_label, max_text);
  vt_legend_set_colormap(self->legend, vt_layer_get_colormap(self->layer));
}

static void
on_colormap_selected(GtkDropDown *dropdown, GParamSpec *pspec, VtLayerRow *self)
{
  guint selected = gtk_drop_down_get_selected(dropdown);
  if (selected < VT_N_COLORMAPS && selected != vt_layer_get_colormap(self->layer)) {
    g_object_set(self->layer, "colormap", selected, NULL);
    update(self);
  }
}

static void
setup_colormap_item(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer user_data)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8), *legend = vt_legend_new(), *label = gtk_label_new(NULL);
  gtk_widget_set_size_request(legend, 48, 12);
  gtk_widget_set_valign(legend, GTK_ALIGN_CENTER);
  gtk_box_append(GTK_BOX(box), legend);
  gtk_box_append(GTK_BOX(box), label);
  gtk_list_item_set_child(item, box);
}

static void
bind_colormap_item(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer user_data)
{
  GtkWidget *legend = gtk_widget_get_first_child(gtk_list_item_get_child(item));
  guint map = gtk_list_item_get_position(item);
  GtkStringObject *title = gtk_list_item_get_item(item);
  /* The button shows a list of one: its position says nothing, its text does. */
  for (guint i = 0; i < VT_N_COLORMAPS; i++) {
    if (g_str_equal(gtk_string_object_get_string(title), vt_colormap_get_title((VtColormap)i)))
      map = i;
  }
  vt_legend_set_colormap(VT_LEGEND(legend), (VtColormap)map);
  gtk_label_set_text(GTK_LABEL(gtk_widget_get_next_sibling(legend)), gtk_string_object_get_string(title));
}

static void
fill_colormaps(VtLayerRow *self)
{
  GtkStringList *titles = gtk_string_list_new(NULL);
  g_autoptr(GtkListItemFactory) factory = gtk_signal_list_item_factory_new();
  for (guint i = 0; i < VT_N_COLORMAPS; i++)
    gtk_string_list_append(titles, vt_colormap_get_title((VtColormap)i));
  g_signal_connect(factory, "setup", G_CALLBACK(setup_colormap_item), NULL);
  g_signal_connect(factory, "bind", G_CALLBACK(bind_colormap_item), NULL);
  gtk_drop_down_set_factory(self->colormap_dropdown, factory);
  gtk_drop_down_set_model(self->colormap_dropdown, G_LIST_MODEL(titles));
  g_object_unref(titles);
}

static void
set_layer(VtLayerRow *self, VtLayer *layer)
{
  const char *title = vt_layer_get_title(layer);
  g_autofree char *switch_name = g_strdup_printf(_("Show %s"), title);
  g_autofree char *more_name = g_strdup_printf(_("Settings of %s"), title);
  g_autofree char *opacity_name = g_strdup_printf(_("Opacity of %s"), title);
  g_autofree char *colormap_name = g_strdup_printf(_("Colours of %s"), title);
  self->layer = g_object_ref(layer);
  gtk_label_set_text(self->title_label, title);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self), vt_layer_get_help(layer));
  vt_widget_set_accessible_label(GTK_WIDGET(self->shown_switch), switch_name);
  vt_widget_set_accessible_label(GTK_WIDGET(self->more_button), more_name);
  vt_widget_set_accessible_label(GTK_WIDGET(self->opacity_scale), opacity_name);
  vt_widget_set_accessible_label(GTK_WIDGET(self->colormap_dropdown), colormap_name);
  gtk_widget_set_visible(self->colormap_line, vt_layer_get_stage(layer) != NULL);
  gtk_drop_down_set_selected(self->colormap_dropdown, vt_layer_get_colormap(layer));
  GBindingFlags both = G_BINDING_SYNC_CREATE | G_BINDING_BIDIRECTIONAL;
  g_object_bind_property(layer, "shown", self->shown_switch, "active", both);
  g_object_bind_property(layer, "opacity", gtk_range_get_adjustment(GTK_RANGE(self->opacity_scale)), "value", both);
  g_object_bind_property(self->more_button, "active", self->settings_box, "visible", G_BINDING_SYNC_CREATE);
  g_signal_connect_object(layer, "data", G_CALLBACK(update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(layer, "notify::shown", G_CALLBACK(update), self, G_CONNECT_SWAPPED);
  g_signal_connect(self->colormap_dropdown, "notify::selected", G_CALLBACK(on_colormap_selected), self);
  update(self);
}

static void
vt_layer_row_dispose(GObject *object)
{
  g_clear_object(&VT_LAYER_ROW(object)->layer);
  G_OBJECT_CLASS(vt_layer_row_parent_class)->dispose(object);
}

static void
vt_layer_row_class_init(VtLayerRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = vt_layer_row_dispose;
  g_type_ensure(VT_TYPE_LEGEND);
  gtk_widget_class_set_template_from_resource(widget_class, "/io/github/vitrail/Vitrail/vt-layer-row.ui");
  gtk_widget_class_bind_template_child(widget_class, VtLayerRow, shown_switch);
  gtk_widget_class_bind_template_child(widget_class, VtLayerRow, title_label);
  gtk_widget_class_bind_template_child(widget_class, VtLayerRow, info_label);
  gtk_widget_class_bind_template_child(widget_class, VtLayerRow, min_label);
  gtk_widget_class_bind_template_child(widget_class, VtLayerRow, max_label);
  gtk_widget_class_bind_template_child(widget_class, VtLayerRow, more_button);
  gtk_widget_class_bind_template_child(widget_class, VtLayerRow, legend_box);
  gtk_widget_class_bind_template_child(widget_class, VtLayerRow, settings_box);
  gtk_widget_class_bind_template_child(widget_class, VtLayerRow, colormap_line);
  gtk_widget_class_bind_template_child(widget_class, VtLayerRow, legend);
  gtk_widget_class_bind_template_child(widget_class, VtLayerRow, opacity_scale);
  gtk_widget_class_bind_template_child(widget_class, VtLayerRow, colormap_dropdown);
}

static void
vt_layer_row_init(VtLayerRow *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  vt_widget_ignore_wheel(GTK_WIDGET(self->opacity_scale));
  fill_colormaps(self);
}

GtkWidget *
vt_layer_row_new(VtLayer *layer)
{
  VtLayerRow *self = g_object_new(VT_TYPE_LAYER_ROW, NULL);
  set_layer(self, layer);
  return GTK_WIDGET(self);
}
