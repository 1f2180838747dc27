/* SPDX-License-Identifier: MIT */
#include "panels/vt-layer-row.h"

#include <glib/gi18n.h>
#include <math.h>

#include "base/vt-define.h"
#include "panels/vt-layer-settings.h"
#include "layers/vt-legend.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-template.h"
#include "common/vt-widgets.h"

struct _VtLayerRow {
  GtkListBoxRow parent;
  VtLayer *layer;
  char *value;
  GtkWidget *menu; /* NULL until it was opened */
  guint info_id;

  /* template */
  GtkImage *handle_image;
  GtkLabel *title_label, *reason_label;
  GtkInscription *info_label;
  GtkToggleButton *eye_button, *more_button;
  GtkWidget *settings_box;
  VtLegend *legend;
};

G_DEFINE_FINAL_TYPE(VtLayerRow, vt_layer_row, GTK_TYPE_LIST_BOX_ROW)

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
  enum { UNCUT = 17 }; /* a number with its unit or time; what follows, or a unit of a user's recipe, may be cut */
  g_autofree char *info = dup_info(self);
  const gboolean is_long = g_utf8_strlen(info, -1) > UNCUT;
  vt_inscription_set_text(self->info_label, info, UNCUT);
  vt_widget_set_tooltip(GTK_WIDGET(self->info_label), is_long ? info : NULL);
  gtk_widget_set_opacity(GTK_WIDGET(self->info_label), self->value ? 1 : 0.55);
}

static gboolean
show_info_now(gpointer data)
{
  VtLayerRow *self = data;
  self->info_id = 0;
  show_info(self);
  return G_SOURCE_REMOVE;
}

/* In the frame after the picture: beside the whole picture, the times of all rows are more rectangles than GTK 4.8 keeps apart (some 30), and it would draw all of the window for
 * them. */
static void
queue_info(VtLayerRow *self)
{
  if (self->info_id == 0)
    self->info_id = g_idle_add_full(G_PRIORITY_DEFAULT_IDLE, show_info_now, self, NULL);
}

static void
show_eye(VtLayerRow *self)
{
  gboolean seen = vt_layer_get_seen(self->layer);
  gtk_toggle_button_set_active(self->eye_button, seen);
  const char *icon = seen ? "vt-reveal-symbolic" : "vt-conceal-symbolic";
  if (g_strcmp0(gtk_button_get_icon_name(GTK_BUTTON(self->eye_button)), icon)
      != 0) /* each time a new layout of the window */
    gtk_button_set_icon_name(GTK_BUTTON(self->eye_button), icon);
  gtk_widget_set_opacity(GTK_WIDGET(self->eye_button), seen ? 1 : 0.5);
  gtk_widget_set_opacity(GTK_WIDGET(self->title_label), seen || !vt_layer_get_shown(self->layer) ? 1 : 0.5);
}

/* When it is asked for: with each tooltip that is set, GTK asks the X server four times where the pointer is, and a result has other ranges. */
static gboolean
tell_range(VtLayerRow *self, int x, int y, gboolean by_keyboard, GtkTooltip *tooltip)
{
  const VtColoring *coloring = vt_layer_get_coloring(self->layer);
  const char *unit = vt_layer_get_unit(self->layer);
  if (!vt_layer_has_range(self->layer) || !(coloring->max > coloring->min))
    return FALSE;
  g_autofree char *range = g_strdup_printf(_("%.3g to %.3g%s%s"), coloring->min, coloring->max, *unit ? " " : "", unit);
  gtk_tooltip_set_text(tooltip, range);
  return TRUE;
}

static void
show_legend(VtLayerRow *self)
{
  gtk_label_set_text(self->title_label, vt_layer_get_title(self->layer));
  vt_legend_set_coloring(self->legend, vt_layer_get_coloring(self->layer));
  const gboolean has_map = vt_layer_get_stage(self->layer) && !vt_layer_is_colour(self->layer);
  gtk_widget_set_opacity(GTK_WIDGET(self->legend), has_map ? 1 : 0);
}

static void
update(VtLayerRow *self)
{
  gboolean locked = vt_layer_get_locked(self->layer);
  const char *reason = vt_layer_get_empty_reason(self->layer);
  queue_info(self);
  show_eye(self);
  show_legend(self);
  const char *handle = locked ? "vt-lock-symbolic" : "vt-drag-handle-symbolic";
  if (g_strcmp0(gtk_image_get_icon_name(self->handle_image), handle) != 0)
    gtk_image_set_from_icon_name(self->handle_image, handle);
  gtk_label_set_text(self->reason_label, reason ? reason : "");
  gtk_widget_set_visible(GTK_WIDGET(self->reason_label), reason != NULL);
}

static void
ask_solo(VtLayerRow *self, gboolean solo)
{
  g_signal_emit_by_name(self, "solo", solo);
}

/* What was pressed is what is seen: a layer that another one's solo hides ends that solo. */
static void
on_eye(VtLayerRow *self)
{
  gboolean wanted = gtk_toggle_button_get_active(self->eye_button);
  if (wanted == vt_layer_get_seen(self->layer))
    return;
  ask_solo(self, FALSE);
  vt_layer_set_shown(self->layer, wanted);
  show_eye(self);
}

/* The row hears of it before the button does, and then the button does not. */
static void
on_pressed(GtkGestureClick *click, int n_press, double x, double y, VtLayerRow *self)
{
  GdkModifierType state = gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(click));
  GtkWidget *under = gtk_widget_pick(GTK_WIDGET(self), x, y, GTK_PICK_DEFAULT), *eye = GTK_WIDGET(self->eye_button);
  if (!(state & GDK_ALT_MASK) || !under || (under != eye && !gtk_widget_is_ancestor(under, eye))) {
    gtk_gesture_set_state(GTK_GESTURE(click), GTK_EVENT_SEQUENCE_DENIED);
    return;
  }
  gtk_gesture_set_state(GTK_GESTURE(click), GTK_EVENT_SEQUENCE_CLAIMED);
  ask_solo(self, !vt_layer_get_solo(self->layer));
}

static void
act_solo(GtkWidget *widget, const char *action, GVariant *target)
{
  ask_solo(VT_LAYER_ROW(widget), g_str_equal(action, "layer.solo"));
}

static void
act_move(GtkWidget *widget, const char *action, GVariant *target)
{
  g_signal_emit_by_name(widget, "moved", g_str_equal(action, "layer.up") ? 1 : -1);
}

static GMenuModel *
menu_new(VtLayerRow *self)
{
  GMenu *menu = g_menu_new();
  g_autoptr(GMenu) order = g_menu_new();
  if (vt_layer_get_solo(self->layer))
    g_menu_append(menu, _("_Show All Layers"), "layer.all");
  else
    g_menu_append(menu, _("_Only This Layer"), "layer.solo");
  g_menu_append(order, _("Move _Up"), "layer.up");
  g_menu_append(order, _("Move _Down"), "layer.down");
  if (vt_layer_get_stage(self->layer))
    g_menu_append_section(menu, NULL, G_MENU_MODEL(order));
  if (vt_layer_get_kind(self->layer) == VT_LAYER_RASTER && vt_layer_has_data(self->layer)) {
    g_autofree char *export = g_strdup_printf("win.export-layer('%s')", vt_layer_get_stage(self->layer)->id);
    g_menu_append(menu, _("_Export as OME-TIFF…"), export);
  }
  return G_MENU_MODEL(menu);
}

static void
open_menu(VtLayerRow *self, const GdkRectangle *at)
{
  g_autoptr(GMenuModel) menu = menu_new(self);
  g_clear_pointer(&self->menu, gtk_widget_unparent);
  self->menu = gtk_popover_menu_new_from_model(menu);
  gtk_widget_set_parent(self->menu, GTK_WIDGET(self));
  gtk_popover_set_pointing_to(GTK_POPOVER(self->menu), at);
  gtk_popover_popup(GTK_POPOVER(self->menu));
}

static void
on_secondary_click(GtkGestureClick *click, int n_press, double x, double y, VtLayerRow *self)
{
  gtk_gesture_set_state(GTK_GESTURE(click), GTK_EVENT_SEQUENCE_CLAIMED);
  open_menu(self, &(GdkRectangle){ (int)x, (int)y, 1, 1 });
}

static gboolean
open_menu_by_key(GtkWidget *widget, GVariant *args, gpointer user_data)
{
  open_menu(VT_LAYER_ROW(widget), NULL);
  return TRUE;
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
  if (open)
    g_signal_emit_by_name(self, "opened");
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
  g_signal_emit_by_name(self, "dropped", g_value_get_object(value));
  return TRUE;
}

static gboolean
move_by_key(GtkWidget *widget, GVariant *args, gpointer user_data)
{
  g_signal_emit_by_name(widget, "moved", g_variant_get_int32(args));
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
  g_autofree char *eye_name = g_strdup_printf(_("Show %s"), title);
  g_autofree char *more_name = g_strdup_printf(_("Settings of %s"), title);
  g_autofree char *handle_name = g_strdup_printf(_("Move %s"), title);
  g_autofree char *about = g_strjoin("\n", title, vt_layer_get_help(layer), NULL); /* the title may be cut in the row */
  self->layer = g_object_ref(layer);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->title_label), about);
  vt_widget_set_accessible_label(GTK_WIDGET(self), title);
  vt_widget_set_accessible_label(GTK_WIDGET(self->eye_button), eye_name);
  vt_widget_set_accessible_label(GTK_WIDGET(self->more_button), more_name);
  vt_widget_set_accessible_label(GTK_WIDGET(self->handle_image), handle_name);
  if (vt_layer_get_stage(layer)) {
    gtk_widget_set_tooltip_text(GTK_WIDGET(self->handle_image), _("Drag, or Alt+Up and Alt+Down, to change the order"));
    gtk_widget_set_cursor_from_name(GTK_WIDGET(self->handle_image), "grab");
    add_dragging(self);
  } else {
    gtk_widget_set_opacity(GTK_WIDGET(self->handle_image), 0);
  }
  g_signal_connect_object(layer, "notify::shown", G_CALLBACK(update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(layer, "data", G_CALLBACK(update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(layer, "notify::seen", G_CALLBACK(update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(layer, "notify::locked", G_CALLBACK(update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(layer, "notify::muted", G_CALLBACK(update), self, G_CONNECT_SWAPPED);
  update(self);
}

static void
vt_layer_row_class_init(VtLayerRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  VT_OWNS(klass, VtLayerRow, gtk_widget_unparent, menu);
  VT_OWNS(klass, VtLayerRow, g_object_unref, layer);
  VT_OWNS(klass, VtLayerRow, g_free, value);
  VT_SOURCES(klass, VtLayerRow, info_id);
  g_type_ensure(VT_TYPE_LEGEND);
  VT_TEMPLATE(klass, VtLayerRow, "vt-layer-row", handle_image, title_label, info_label, reason_label, eye_button,
              more_button, settings_box, legend);
  VT_TEMPLATE_CALLBACKS(klass, tell_range, on_pressed, on_secondary_click, on_eye, on_more);
  gtk_widget_class_install_action(widget_class, "layer.solo", NULL, act_solo);
  gtk_widget_class_install_action(widget_class, "layer.all", NULL, act_solo);
  gtk_widget_class_install_action(widget_class, "layer.up", NULL, act_move);
  gtk_widget_class_install_action(widget_class, "layer.down", NULL, act_move);
  gtk_widget_class_add_binding(widget_class, GDK_KEY_Menu, 0, open_menu_by_key, NULL);
  gtk_widget_class_add_binding(widget_class, GDK_KEY_F10, GDK_SHIFT_MASK, open_menu_by_key, NULL);
  gtk_widget_class_add_binding(widget_class, GDK_KEY_Up, GDK_ALT_MASK, move_by_key, "i", 1);
  gtk_widget_class_add_binding(widget_class, GDK_KEY_Down, GDK_ALT_MASK, move_by_key, "i", -1);
  vt_signals_new(VT_TYPE_LAYER_ROW, "opened", NULL);
  vt_signal_new(VT_TYPE_LAYER_ROW, "moved", G_TYPE_INT, G_TYPE_NONE);
  vt_signal_new(VT_TYPE_LAYER_ROW, "dropped", VT_TYPE_LAYER, G_TYPE_NONE);
  vt_signal_new(VT_TYPE_LAYER_ROW, "solo", G_TYPE_BOOLEAN, G_TYPE_NONE);
}

static void
vt_layer_row_init(VtLayerRow *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  gtk_widget_set_visible(self->settings_box, FALSE);
}

GtkWidget *
vt_layer_row_new(VtLayer *layer)
{
  VtLayerRow *self = g_object_new(VT_TYPE_LAYER_ROW, NULL);
  set_layer(self, layer);
  return GTK_WIDGET(self);
}

VT_GETTER(VtLayer *, vt_layer_row_get_layer, VtLayerRow, layer)

void
vt_layer_row_set_value(VtLayerRow *self, const char *value)
{
  if (g_strcmp0(self->value, value) == 0)
    return;
  g_free(self->value);
  self->value = g_strdup(value);
  show_info(self);
}
