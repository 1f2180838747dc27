/* SPDX-License-Identifier: MIT */
#include "vt-layer-row.h"

#include <glib/gi18n.h>
#include <math.h>

#include "vt-layer-settings.h"
#include "vt-legend.h"
#include "vt-widgets.h"

struct _VtLayerRow {
  GtkListBoxRow parent;
  VtLayer *layer;
  char *value;

  /* template */
  GtkImage *handle_image;
  GtkSwitch *shown_switch;
  GtkLabel *title_label, *info_label, *min_label, *max_label;
  GtkToggleButton *solo_button, *more_button;
  GtkWidget *legend_box, *settings_box;
  VtLegend *legend;
};

G_DEFINE_FINAL_TYPE(VtLayerRow, vt_layer_row, GTK_TYPE_LIST_BOX_ROW)

enum { SIGNAL_MOVED, SIGNAL_DROPPED, N_SIGNALS };
static guint signals[N_SIGNALS];

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
  /* Pieces of a coarse grid are no count of anything. */
  if (!self->value && vt_layer_get_preview(self->layer) && vt_layer_has_data(self->layer))
    return g_strdup(_("preview"));
  /* A stage that was kept took no time. */
  g_autofree char *time = isfinite(ms) && ms >= 0.05 ? vt_dup_duration(ms) : NULL;
  if (self->value)
    return g_strdup(self->value);
  if (n >= 0 && isfinite(ms))
    return g_strdup_printf("%'" G_GINT64_FORMAT "%s%s", n, time ? " · " : "", time ? time : "");
  return g_strdup(time ? time : "");
}

static void
show_info(VtLayerRow *self)
{
  g_autofree char *info = dup_info(self);
  gtk_label_set_text(self->info_label, info);
  gtk_widget_set_opacity(GTK_WIDGET(self->info_label), self->value ? 1 : 0.55);
}

static void
update(VtLayerRow *self)
{
  gtk_label_set_text(self->title_label, vt_layer_get_title(self->layer));
  const VtColoring *coloring = vt_layer_get_coloring(self->layer);
  const char *unit = vt_layer_get_unit(self->layer);
  gboolean locked = vt_layer_get_locked(self->layer), seen = vt_layer_get_seen(self->layer);
  show_info(self);
  gtk_image_set_from_icon_name(self->handle_image, locked ? "changes-prevent-symbolic" : "list-drag-handle-symbolic");
  gtk_widget_set_opacity(GTK_WIDGET(self->title_label), seen || !vt_layer_get_shown(self->layer) ? 1 : 0.5);
  gtk_widget_set_visible(self->legend_box, vt_layer_is_scalar(self->layer) && seen && coloring->max > coloring->min);
  g_autofree char *min_text = dup_range_text(coloring->min, unit), *max_text = dup_range_text(coloring->max, unit);
  gtk_label_set_text(self->min_label, min_text);
  gtk_label_set_text(self->max_label, max_text);
  vt_legend_set_colormap(self->legend, coloring->map);
}

static void
on_more(VtLayerRow *self)
{
  gboolean open = gtk_toggle_button_get_active(self->more_button);
  if (open && !gtk_widget_get_first_child(self->settings_box)) {
    GtkWidget *settings = vt_layer_settings_new(self->layer);
    gtk_widget_set_hexpand(settings, TRUE);
    gtk_box_append(GTK_BOX(self->settings_box), settings);
  }
  gtk_widget_set_visible(self->settings_box, open);
}

static GdkContentProvider *
on_drag_prepare(GtkDragSource *source, double x, double y, VtLayerRow *self)
{
  if (vt_layer_get_locked(self->layer) || !vt_layer_get_stage(self->layer))
    return NULL;
  g_autoptr(GdkPaintable) picture = gtk_widget_paintable_new(GTK_WIDGET(self->title_label));
  gtk_drag_source_set_icon(source, picture, 0, 0);
  return gdk_content_provider_new_typed(VT_TYPE_LAYER, self->layer);
}

static gboolean
on_drop(GtkDropTarget *target, const GValue *value, double x, double y, VtLayerRow *self)
{
  g_signal_emit(self, signals[SIGNAL_DROPPED], 0, g_value_get_object(value));
  return TRUE;
}

static gboolean
move_by_key(GtkWidget *widget, GVariant *args, gpointer user_data)
{
  g_signal_emit(widget, signals[SIGNAL_MOVED], 0, g_variant_get_int32(args));
  return TRUE;
}

static void
add_dragging(VtLayerRow *self)
{
  GtkDragSource *source = gtk_drag_source_new();
  GtkDropTarget *target = gtk_drop_target_new(VT_TYPE_LAYER, GDK_ACTION_MOVE);
  gtk_drag_source_set_actions(source, GDK_ACTION_MOVE);
  g_signal_connect(source, "prepare", G_CALLBACK(on_drag_prepare), self);
  g_signal_connect(target, "drop", G_CALLBACK(on_drop), self);
  gtk_widget_add_controller(GTK_WIDGET(self->handle_image), GTK_EVENT_CONTROLLER(source));
  gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(target));
}

static void
set_layer(VtLayerRow *self, VtLayer *layer)
{
  const char *title = vt_layer_get_title(layer);
  g_autofree char *switch_name = g_strdup_printf(_("Show %s"), title);
  g_autofree char *solo_name = g_strdup_printf(_("Only %s"), title);
  g_autofree char *more_name = g_strdup_printf(_("Settings of %s"), title);
  g_autofree char *handle_name = g_strdup_printf(_("Move %s"), title);
  GBindingFlags both = G_BINDING_SYNC_CREATE | G_BINDING_BIDIRECTIONAL;
  self->layer = g_object_ref(layer);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->title_label), vt_layer_get_help(layer));
  vt_widget_set_accessible_label(GTK_WIDGET(self), title);
  vt_widget_set_accessible_label(GTK_WIDGET(self->shown_switch), switch_name);
  vt_widget_set_accessible_label(GTK_WIDGET(self->solo_button), solo_name);
  vt_widget_set_accessible_label(GTK_WIDGET(self->more_button), more_name);
  vt_widget_set_accessible_label(GTK_WIDGET(self->handle_image), handle_name);
  if (vt_layer_get_stage(layer)) {
    gtk_widget_set_tooltip_text(GTK_WIDGET(self->handle_image), _("Drag, or Alt+Up and Alt+Down, to change the order"));
    gtk_widget_set_cursor_from_name(GTK_WIDGET(self->handle_image), "grab");
    add_dragging(self);
  } else {
    gtk_widget_set_opacity(GTK_WIDGET(self->handle_image), 0);
    gtk_widget_set_visible(GTK_WIDGET(self->solo_button), FALSE);
  }
  g_object_bind_property(layer, "shown", self->shown_switch, "active", both);
  g_object_bind_property(layer, "solo", self->solo_button, "active", both);
  g_signal_connect_object(layer, "data", G_CALLBACK(update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(layer, "notify::seen", G_CALLBACK(update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(layer, "notify::locked", G_CALLBACK(update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(layer, "notify::muted", G_CALLBACK(update), self, G_CONNECT_SWAPPED);
  update(self);
}

static void
vt_layer_row_dispose(GObject *object)
{
  g_clear_object(&VT_LAYER_ROW(object)->layer);
  g_clear_pointer(&VT_LAYER_ROW(object)->value, g_free);
  G_OBJECT_CLASS(vt_layer_row_parent_class)->dispose(object);
}

static void
vt_layer_row_class_init(VtLayerRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = vt_layer_row_dispose;
  g_type_ensure(VT_TYPE_LEGEND);
  gtk_widget_class_set_template_from_resource(widget_class, "/io/github/vitrail/Vitrail/vt-layer-row.ui");
  gtk_widget_class_bind_template_child(widget_class, VtLayerRow, handle_image);
  gtk_widget_class_bind_template_child(widget_class, VtLayerRow, shown_switch);
  gtk_widget_class_bind_template_child(widget_class, VtLayerRow, title_label);
  gtk_widget_class_bind_template_child(widget_class, VtLayerRow, info_label);
  gtk_widget_class_bind_template_child(widget_class, VtLayerRow, min_label);
  gtk_widget_class_bind_template_child(widget_class, VtLayerRow, max_label);
  gtk_widget_class_bind_template_child(widget_class, VtLayerRow, solo_button);
  gtk_widget_class_bind_template_child(widget_class, VtLayerRow, more_button);
  gtk_widget_class_bind_template_child(widget_class, VtLayerRow, legend_box);
  gtk_widget_class_bind_template_child(widget_class, VtLayerRow, settings_box);
  gtk_widget_class_bind_template_child(widget_class, VtLayerRow, legend);
  gtk_widget_class_add_binding(widget_class, GDK_KEY_Up, GDK_ALT_MASK, move_by_key, "i", 1);
  gtk_widget_class_add_binding(widget_class, GDK_KEY_Down, GDK_ALT_MASK, move_by_key, "i", -1);
  signals[SIGNAL_MOVED] =
    g_signal_new("moved", VT_TYPE_LAYER_ROW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_INT);
  signals[SIGNAL_DROPPED] =
    g_signal_new("dropped", VT_TYPE_LAYER_ROW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, VT_TYPE_LAYER);
}

static void
vt_layer_row_init(VtLayerRow *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  gtk_widget_set_visible(self->settings_box, FALSE);
  g_signal_connect_swapped(self->more_button, "toggled", G_CALLBACK(on_more), self);
}

GtkWidget *
vt_layer_row_new(VtLayer *layer)
{
  VtLayerRow *self = g_object_new(VT_TYPE_LAYER_ROW, NULL);
  set_layer(self, layer);
  return GTK_WIDGET(self);
}

VtLayer *
vt_layer_row_get_layer(VtLayerRow *self)
{
  return self->layer;
}

void
vt_layer_row_set_value(VtLayerRow *self, const char *value)
{
  if (g_strcmp0(self->value, value) == 0)
    return;
  g_free(self->value);
  self->value = g_strdup(value);
  show_info(self);
}
