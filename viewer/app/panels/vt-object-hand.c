/* SPDX-License-Identifier: MIT */
#include "panels/vt-object-hand.h"

#include "panels/vt-object-panel.h"
#include "run/vt-why.h"

#define EDGE_PX 24 /* logical; nearer to the edge too little of an object and of what is round it is seen */

/* The topmost layer of objects that is seen and not locked; owned, NULL if there is none. */
static VtLayer *
find_objects(VtAnalysis *analysis)
{
  GListModel *layers = vt_analysis_get_layers(analysis);
  for (guint i = g_list_model_get_n_items(layers); i-- > 0;) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(layers, i);
    if (vt_layer_get_kind(layer) == VT_LAYER_OBJECTS && vt_layer_get_seen(layer) && !vt_layer_get_locked(layer))
      return g_steal_pointer(&layer);
  }
  return NULL;
}

/* Out of the view, or under something that lies over the canvas: a card, the minimap, a message, a sidebar. */
static gboolean
is_hidden(VtCanvas *canvas, double x_l0, double y_l0)
{
  GtkWidget *widget = GTK_WIDGET(canvas), *root = GTK_WIDGET(gtk_widget_get_root(widget));
  const VtViewport *view = vt_canvas_get_view(canvas);
  const int scale = gtk_widget_get_scale_factor(widget);
  double x, y, root_x, root_y;
  vt_viewport_from_l0(view, x_l0, y_l0, &x, &y);
  const double edge = EDGE_PX * scale;
  if (x < edge || y < edge || x >= view->width_px - edge || y >= view->height_px - edge)
    return TRUE;
  if (!root || !gtk_widget_translate_coordinates(widget, root, x / scale, y / scale, &root_x, &root_y))
    return FALSE;
  return gtk_widget_pick(root, root_x, root_y, GTK_PICK_DEFAULT) != widget;
}

typedef struct {
  VtAnalysis *analysis;
  guint n_frames;
} Look;

static void
look_free(gpointer data)
{
  g_object_unref(((Look *)data)->analysis);
  g_free(data);
}

/* In the frame after the one that lays out the object's card, which may be what hides it. */
static gboolean
show_selected(GtkWidget *canvas, GdkFrameClock *clock, gpointer data)
{
  Look *look = data;
  if (look->n_frames++ == 0)
    return G_SOURCE_CONTINUE;
  g_autoptr(VtLayer) layer = find_objects(look->analysis);
  const VtObject *object = layer ? vt_layer_get_selected(layer) : NULL;
  if (object && is_hidden(VT_CANVAS(canvas), object->centroid_x_l0, object->centroid_y_l0))
    vt_canvas_centre_on(VT_CANVAS(canvas), object->centroid_x_l0, object->centroid_y_l0);
  return G_SOURCE_REMOVE;
}

void
vt_object_hand_show(VtCanvas *canvas, VtAnalysis *analysis)
{
  Look *look = g_new0(Look, 1);
  look->analysis = g_object_ref(analysis);
  gtk_widget_add_tick_callback(GTK_WIDGET(canvas), show_selected, look, look_free);
}

gboolean
vt_object_hand_step(VtCanvas *canvas, VtAnalysis *analysis, int step)
{
  g_autoptr(VtLayer) layer = find_objects(analysis);
  if (!layer || !vt_layer_select_next(layer, step))
    return FALSE;
  vt_object_hand_show(canvas, analysis);
  return TRUE;
}

gboolean
vt_object_hand_select_at(VtCanvas *canvas, VtAnalysis *analysis, gint64 x_l0, gint64 y_l0)
{
  g_autoptr(VtLayer) layer = find_objects(analysis);
  const GPtrArray *objects = layer ? vt_layer_get_objects(layer) : NULL;
  for (guint i = 0; objects && i < objects->len; i++) { /* the layer's own index is made anew after each result */
    if (!vt_object_has_point(objects->pdata[i], (double)x_l0 + 0.5, (double)y_l0 + 0.5))
      continue;
    vt_layer_select(layer, i);
    vt_object_hand_show(canvas, analysis);
    return TRUE;
  }
  return FALSE;
}

void
vt_object_hand_unselect(VtAnalysis *analysis)
{
  g_autoptr(VtLayer) layer = find_objects(analysis);
  if (layer)
    vt_layer_unselect(layer);
}

gboolean
vt_object_hand_get_place(VtAnalysis *analysis, gint64 *x_l0, gint64 *y_l0)
{
  g_autoptr(VtLayer) layer = find_objects(analysis);
  const VtObject *object = layer ? vt_layer_get_selected(layer) : NULL;
  return object && vt_why_find_pixel(object, x_l0, y_l0);
}

/* A drag takes the gesture away, so this is a click that stayed where it was. */
static void
on_clicked(GtkGestureClick *gesture, int n_press, double x, double y, VtAnalysis *analysis)
{
  VtCanvas *canvas = VT_CANVAS(gtk_event_controller_get_widget(GTK_EVENT_CONTROLLER(gesture)));
  int scale = gtk_widget_get_scale_factor(GTK_WIDGET(canvas));
  double x_l0, y_l0;
  g_autoptr(VtLayer) layer = find_objects(analysis);
  if (!layer || n_press != 1 || vt_canvas_get_tool(canvas) != VT_TOOL_MOVE)
    return;
  vt_viewport_to_l0(vt_canvas_get_view(canvas), x * scale, y * scale, &x_l0, &y_l0);
  g_autoptr(VtLayer) there = vt_layers_dup_objects(vt_canvas_get_layers_at(canvas, x_l0, y_l0));
  if (!there || vt_canvas_shows_pin_at(canvas, x_l0, y_l0)) /* what lies there is not seen there */
    return;
  if (gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(gesture)) & GDK_SHIFT_MASK)
    vt_layer_select_more_at(layer, x_l0, y_l0);
  else
    vt_layer_select_at(layer, x_l0, y_l0);
}

void
vt_object_hand_attach(VtCanvas *canvas, VtAnalysis *analysis, GtkBox *cards)
{
  GtkGesture *click = gtk_gesture_click_new();
  GtkWidget *card = g_object_new(VT_TYPE_OBJECT_PANEL, NULL);
  g_signal_connect_object(click, "released", G_CALLBACK(on_clicked), analysis, 0);
  gtk_widget_add_controller(GTK_WIDGET(canvas), GTK_EVENT_CONTROLLER(click));
  gtk_box_append(cards, card);
  vt_object_panel_set_layers(VT_OBJECT_PANEL(card), vt_analysis_get_layers(analysis));
}
