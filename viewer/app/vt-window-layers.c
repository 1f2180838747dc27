/* SPDX-License-Identifier: MIT */
#include "vt-window-private.h"

#include <glib/gi18n.h>

#include "vt-layer.h"
#include "vt-object-panel.h"

/* The topmost layer of objects that is seen and not locked; owned, NULL if there is none. */
static VtLayer *
find_objects(VtWindow *self)
{
  GListModel *layers = vt_analysis_get_layers(self->analysis);
  for (guint i = g_list_model_get_n_items(layers); i-- > 0;) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(layers, i);
    if (vt_layer_get_kind(layer) == VT_LAYER_OBJECTS && vt_layer_get_seen(layer) && !vt_layer_get_locked(layer))
      return g_steal_pointer(&layer);
  }
  return NULL;
}

static void
step_object(VtWindow *self, int step)
{
  g_autoptr(VtLayer) layer = find_objects(self);
  const VtViewport *view = vt_canvas_get_view(self->canvas);
  double x, y;
  if (!layer || !vt_layer_select_next(layer, step))
    return;
  const VtObject *object = vt_layer_get_selected(layer);
  vt_viewport_from_l0(view, object->centroid_x_l0, object->centroid_y_l0, &x, &y);
  if (x < 0 || y < 0 || x > view->width_px || y > view->height_px)
    vt_canvas_centre_on(self->canvas, object->centroid_x_l0, object->centroid_y_l0);
}

static void
act_next(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  step_object(VT_WINDOW(window), 1);
}

static void
act_previous(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  step_object(VT_WINDOW(window), -1);
}

static void
act_unselect(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  g_autoptr(VtLayer) layer = find_objects(VT_WINDOW(window));
  if (layer)
    vt_layer_unselect(layer);
}

static const GActionEntry entries[] = {
  { .name = "next-object", .activate = act_next },
  { .name = "previous-object", .activate = act_previous },
  { .name = "unselect-object", .activate = act_unselect },
};

/* A drag takes the gesture away, so this is a click that stayed where it was. */
static void
on_clicked(GtkGestureClick *gesture, int n_press, double x, double y, VtWindow *self)
{
  int scale = gtk_widget_get_scale_factor(GTK_WIDGET(self->canvas));
  double x_l0, y_l0;
  g_autoptr(VtLayer) layer = find_objects(self);
  if (!layer || n_press != 1 || vt_canvas_get_tool(self->canvas) != VT_TOOL_HAND)
    return;
  vt_viewport_to_l0(vt_canvas_get_view(self->canvas), x * scale, y * scale, &x_l0, &y_l0);
  vt_layer_select_at(layer, x_l0, y_l0);
}

static void
on_hover(VtWindow *self, double x_l0, double y_l0, gboolean inside)
{
  vt_layer_list_probe(self->layer_list, x_l0, y_l0, inside);
}

static void
add_shortcut(GtkEventController *keys, const char *trigger, const char *action)
{
  GtkShortcut *shortcut = gtk_shortcut_new(gtk_shortcut_trigger_parse_string(trigger), gtk_named_action_new(action));
  gtk_shortcut_controller_add_shortcut(GTK_SHORTCUT_CONTROLLER(keys), shortcut);
}

void
vt_window_init_layers(VtWindow *self)
{
  GtkEventController *keys = gtk_shortcut_controller_new();
  GtkGesture *click = gtk_gesture_click_new();
  GtkWidget *card = vt_object_panel_new(),
            *overlay = gtk_widget_get_ancestor(GTK_WIDGET(self->canvas), GTK_TYPE_OVERLAY);
  g_action_map_add_action_entries(G_ACTION_MAP(self), entries, G_N_ELEMENTS(entries), self);
  add_shortcut(keys, "n", "win.next-object");
  add_shortcut(keys, "<Shift>n", "win.previous-object");
  gtk_widget_add_controller(GTK_WIDGET(self), keys);
  g_signal_connect_object(click, "released", G_CALLBACK(on_clicked), self, 0);
  gtk_widget_add_controller(GTK_WIDGET(self->canvas), GTK_EVENT_CONTROLLER(click));
  g_signal_connect_object(self->canvas, "hover", G_CALLBACK(on_hover), self, G_CONNECT_SWAPPED);
  gtk_overlay_add_overlay(GTK_OVERLAY(overlay), card);
  vt_object_panel_set_layers(VT_OBJECT_PANEL(card), vt_analysis_get_layers(self->analysis));
  vt_layer_list_set_analysis(self->layer_list, self->analysis);
}
