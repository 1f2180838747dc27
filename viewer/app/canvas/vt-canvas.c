/* SPDX-License-Identifier: MIT */
#include "canvas/vt-canvas-private.h"

#include <glib/gi18n.h>
#include <math.h>

#include "base/vt-define.h"
#include "layers/vt-layer-stack.h"
#include "common/vt-signals.h"

G_DEFINE_FINAL_TYPE(VtCanvas, vt_canvas, GTK_TYPE_WIDGET)

enum { PROP_TOOL = 1, PROP_COMPARING, N_PROPS };
static GParamSpec *properties[N_PROPS];

/* A slide that is switched off is not read, unless it is looked at alone. */
static gboolean
slide_is_shown(VtCanvas *self)
{
  g_autoptr(VtLayer) lowest = self->layers ? g_list_model_get_item(self->layers, 0) : NULL;
  return !lowest || self->bare || vt_layer_get_seen(lowest);
}

static gboolean
announce(gpointer data)
{
  VtCanvas *self = data;
  self->change_id = 0;
  if (self->store && self->view.width_px > 0 && slide_is_shown(self))
    vt_tile_store_set_view(self->store, &self->view);
  self->unshown = TRUE;
  g_signal_emit_by_name(self, "view-changed");
  vt_canvas_paint_view(self);
  if (self->has_pointer && !vt_canvas_get_moving(self))
    vt_canvas_emit_hover(self);
  return G_SOURCE_REMOVE;
}

static void
queue_announcement(VtCanvas *self)
{
  if (self->slide && self->view.width_px > 0)
    vt_viewport_clamp(&self->view, (double)self->width_l0, (double)self->height_l0);
  vt_canvas_pull_to_middle(self);
  if (self->change_id == 0)
    self->change_id = g_idle_add_full(G_PRIORITY_HIGH_IDLE, announce, self, NULL);
  if (vt_canvas_get_moving(self))
    vt_canvas_paint(self);
}

void
vt_canvas_view_changed(VtCanvas *self)
{
  self->following = self->led = FALSE;
  queue_announcement(self);
}

void
vt_canvas_follow(VtCanvas *self, const VtViewport *view, gboolean moving)
{
  if (self->view.width_px <= 0)
    return;
  vt_canvas_stop(self);
  self->fitted = FALSE;
  self->view = *view;
  self->following = TRUE;
  self->led = moving;
  queue_announcement(self);
}

VT_GETTER(gboolean, vt_canvas_is_following, VtCanvas, following)

void
vt_canvas_emit_hover(VtCanvas *self)
{
  double x_l0 = 0, y_l0 = 0;
  int scale = gtk_widget_get_scale_factor(GTK_WIDGET(self));
  if (!self->slide || self->view.width_px <= 0)
    return;
  vt_viewport_to_l0(&self->view, self->pointer_x * scale, self->pointer_y * scale, &x_l0, &y_l0);
  const gboolean inside =
    self->has_pointer && x_l0 >= 0 && y_l0 >= 0 && x_l0 < (double)self->width_l0 && y_l0 < (double)self->height_l0;
  g_signal_emit_by_name(self, "hover", x_l0, y_l0, inside);
}

void
vt_canvas_get_pointed(VtCanvas *self, double *x_l0, double *y_l0)
{
  const int scale = gtk_widget_get_scale_factor(GTK_WIDGET(self));
  const double x = self->has_pointer ? self->pointer_x * scale : self->view.width_px / 2.0;
  const double y = self->has_pointer ? self->pointer_y * scale : self->view.height_px / 2.0;
  vt_viewport_to_l0(&self->view, x, y, x_l0, y_l0);
}

void
vt_canvas_set_mark(VtCanvas *self, gboolean shown, double x_l0, double y_l0)
{
  self->has_mark = shown;
  self->mark_x_l0 = x_l0;
  self->mark_y_l0 = y_l0;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
vt_canvas_emit_roi(VtCanvas *self, VtRoi *roi)
{
  g_signal_emit_by_name(self, "roi-drawn", roi, self->shape_use);
  vt_roi_free(roi);
}

static void
colour_tiles(VtCanvas *self)
{
  g_autoptr(VtColour) colour = vt_colour_new(&self->colour, vt_slide_get_colour_table(self->slide));
  vt_tile_store_set_colour(self->store, colour);
}

const VtColourSettings *
vt_canvas_get_colour(VtCanvas *self)
{
  return &self->colour;
}

void
vt_canvas_set_colour(VtCanvas *self, const VtColourSettings *settings)
{
  self->colour = *settings;
  if (self->store)
    colour_tiles(self);
  g_signal_emit_by_name(self, "colour");
}

static void
on_tiles_changed(VtCanvas *self)
{
  self->has_pixels = TRUE;
  vt_canvas_paint_arrivals(self);
}

void
vt_canvas_set_slide(VtCanvas *self, VtSlide *slide)
{
  double mpp_y = 0;
  g_clear_pointer(&self->slide, vt_slide_unref);
  g_clear_object(&self->store);
  self->slide = vt_slide_ref(slide);
  self->store = vt_tile_store_new(slide);
  self->has_pixels = self->has_painted = FALSE;
  colour_tiles(self);
  vt_slide_get_level_size(slide, 0, &self->width_l0, &self->height_l0);
  vt_slide_get_mpp(slide, &self->mpp, &mpp_y);
  self->objective_power = vt_slide_get_objective_power(slide);
  g_clear_pointer(&self->selected_rois, g_ptr_array_unref);
  vt_canvas_drop_shape(self);
  vt_canvas_let_go_of_vertex(self, FALSE);
  self->drag = VT_DRAG_NONE;
  vt_canvas_stop(self);
  self->wanted_downsample = 0;
  self->wanted_x_l0 = self->wanted_y_l0 = NAN;
  self->view.angle = 0;
  self->view.mirrored = FALSE;
  g_signal_connect_object(self->store, "changed", G_CALLBACK(on_tiles_changed), self, G_CONNECT_SWAPPED);
  vt_canvas_fit(self);
  vt_canvas_finish(self);
}

VT_GETTER(VtTileStore *, vt_canvas_get_store, VtCanvas, store)

/* Also under a pointer that rests. */
static void
on_layer_redraw(VtCanvas *self)
{
  self->layers_changed = TRUE;
  gtk_widget_queue_draw(GTK_WIDGET(self));
  if (self->has_pointer)
    vt_canvas_emit_hover(self);
}

static void
on_layers_changed(VtCanvas *self, guint position, guint n_removed, guint n_added, GListModel *layers)
{
  for (guint i = position; i < position + n_added; i++) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(layers, i);
    /* A layer that was moved is here again. */
    g_signal_handlers_disconnect_by_func(layer, vt_canvas_view_changed, self);
    g_signal_handlers_disconnect_by_func(layer, on_layer_redraw, self);
    if (vt_layer_get_kind(layer) == VT_LAYER_SLIDE)
      g_signal_connect_object(layer, "notify::shown", G_CALLBACK(vt_canvas_view_changed), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(layer, "redraw", G_CALLBACK(on_layer_redraw), self, G_CONNECT_SWAPPED);
  }
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
vt_canvas_watch_layers(VtCanvas *self, GListModel *layers)
{
  g_signal_connect_object(layers, "items-changed", G_CALLBACK(on_layers_changed), self, G_CONNECT_SWAPPED);
  on_layers_changed(self, 0, 0, g_list_model_get_n_items(layers), layers);
}

void
vt_canvas_unwatch_layers(VtCanvas *self, GListModel *layers)
{
  g_signal_handlers_disconnect_by_func(layers, on_layers_changed, self);
}

void
vt_canvas_set_layers(VtCanvas *self, GListModel *layers)
{
  g_return_if_fail(!self->layers);
  self->layers = g_object_ref(layers);
  vt_canvas_watch_layers(self, layers);
}

void
vt_canvas_set_rois(VtCanvas *self, GListModel *rois)
{
  g_return_if_fail(!self->rois);
  self->rois = g_object_ref(rois);
  g_signal_connect_object(rois, "items-changed", G_CALLBACK(gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
}

gboolean
vt_canvas_get_rois_shown(VtCanvas *self)
{
  return !self->rois_hidden;
}

void
vt_canvas_set_rois_shown(VtCanvas *self, gboolean shown)
{
  self->rois_hidden = !shown;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
vt_canvas_set_selected_rois(VtCanvas *self, GPtrArray *items)
{
  g_clear_pointer(&self->selected_rois, g_ptr_array_unref);
  self->selected_rois = g_ptr_array_ref(items);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

const VtViewport *
vt_canvas_get_view(VtCanvas *self)
{
  return &self->view;
}

gboolean
vt_canvas_get_moving(VtCanvas *self)
{
  return self->drag == VT_DRAG_PAN || self->drag == VT_DRAG_TURN || self->pinching || self->held || self->led
         || self->motion != VT_MOTION_NONE;
}

gboolean
vt_canvas_get_sharp(VtCanvas *self)
{
  /* A change that waits to be announced is not known to the store yet. */
  return self->store && self->change_id == 0 && slide_is_shown(self) && vt_tile_store_get_sharp(self->store);
}

void
vt_canvas_set_held(VtCanvas *self, gboolean held)
{
  if (held)
    vt_canvas_finish(self);
  self->held = held;
  vt_canvas_view_changed(self);
}

void
vt_canvas_notify_comparing(VtCanvas *self)
{
  g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_COMPARING]);
}

void
vt_canvas_fit(VtCanvas *self)
{
  VtViewport goal = vt_canvas_get_goal(self);
  self->fitted = TRUE;
  if (!self->slide)
    return;
  if (goal.width_px > 0)
    vt_viewport_fit(&goal, (double)self->width_l0, (double)self->height_l0);
  vt_canvas_ease_to(self, &goal);
}

void
vt_canvas_zoom_by(VtCanvas *self, double factor)
{
  VtViewport goal = vt_canvas_get_goal(self);
  self->fitted = FALSE;
  vt_viewport_zoom_at(&goal, goal.downsample / factor, goal.width_px / 2, goal.height_px / 2);
  vt_canvas_ease_to(self, &goal);
}

void
vt_canvas_set_downsample(VtCanvas *self, double downsample)
{
  if (downsample <= 0)
    return;
  if (self->view.width_px <= 0) {
    self->wanted_downsample = downsample;
    return;
  }
  VtViewport goal = vt_canvas_get_goal(self);
  self->fitted = FALSE;
  goal.downsample = downsample;
  vt_canvas_ease_to(self, &goal);
}

void
vt_canvas_centre_on(VtCanvas *self, double x_l0, double y_l0)
{
  if (self->view.width_px <= 0) {
    self->wanted_x_l0 = x_l0;
    self->wanted_y_l0 = y_l0;
    return;
  }
  VtViewport goal = vt_canvas_get_goal(self);
  self->fitted = FALSE;
  goal.centre_x_l0 = x_l0;
  goal.centre_y_l0 = y_l0;
  vt_canvas_ease_to(self, &goal);
}

static void
go_turned(VtCanvas *self, VtViewport *goal)
{
  if (self->fitted && goal->width_px > 0)
    vt_viewport_fit(goal, (double)self->width_l0, (double)self->height_l0);
  vt_canvas_ease_to(self, goal);
}

void
vt_canvas_turn(VtCanvas *self, double degrees)
{
  VtViewport goal = vt_canvas_get_goal(self);
  vt_viewport_turn(&goal, degrees);
  go_turned(self, &goal);
}

void
vt_canvas_mirror(VtCanvas *self)
{
  VtViewport goal = vt_canvas_get_goal(self);
  vt_viewport_mirror(&goal);
  go_turned(self, &goal);
}

void
vt_canvas_set_upright(VtCanvas *self)
{
  VtViewport goal = vt_canvas_get_goal(self);
  goal.angle = 0;
  goal.mirrored = FALSE;
  go_turned(self, &goal);
}

VT_GETTER(gboolean, vt_canvas_get_fitted, VtCanvas, fitted)

void
vt_canvas_set_view(VtCanvas *self, const VtViewport *view)
{
  self->view.angle = view->angle;
  self->view.mirrored = view->mirrored;
  self->fitted = view->downsample <= 0;
  if (!self->fitted) {
    vt_canvas_set_downsample(self, view->downsample);
    vt_canvas_centre_on(self, view->centre_x_l0, view->centre_y_l0);
  }
  vt_canvas_finish(self);
}

void
vt_canvas_copy_view(VtCanvas *self, VtCanvas *other)
{
  VtViewport view = *vt_canvas_get_view(other);
  if (other->view.width_px <= 0)
    return;
  if (other->fitted)
    view.downsample = 0;
  vt_canvas_set_colour(self, &other->colour);
  vt_canvas_set_view(self, &view);
}

static void
do_what_was_wanted(VtCanvas *self)
{
  if (self->wanted_downsample > 0)
    vt_canvas_set_downsample(self, self->wanted_downsample);
  if (isfinite(self->wanted_x_l0))
    vt_canvas_centre_on(self, self->wanted_x_l0, self->wanted_y_l0);
  vt_canvas_finish(self);
  self->wanted_downsample = 0;
  self->wanted_x_l0 = NAN;
}

static void
vt_canvas_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  VtCanvas *self = VT_CANVAS(widget);
  int scale = gtk_widget_get_scale_factor(widget);
  if (self->view.width_px == width * scale && self->view.height_px == height * scale)
    return;
  vt_canvas_finish(self);
  /* The left upper corner stays where it is: what a person looks at must not jump when a drawer opens. Before anything is seen the middle stays, which a
   * session or a command asked for: a window may come in one size and be given another one. */
  if (self->view.width_px > 0 && self->has_painted)
    vt_viewport_pan(&self->view, (width * scale - self->view.width_px) / 2,
                    (height * scale - self->view.height_px) / 2);
  self->view.width_px = width * scale;
  self->view.height_px = height * scale;
  if (self->slide && self->fitted)
    vt_viewport_fit(&self->view, (double)self->width_l0, (double)self->height_l0);
  if (self->slide && (self->wanted_downsample > 0 || isfinite(self->wanted_x_l0)))
    do_what_was_wanted(self);
  queue_announcement(self);
}

static void
on_scale_factor(GtkWidget *widget)
{
  vt_canvas_size_allocate(widget, gtk_widget_get_width(widget), gtk_widget_get_height(widget), -1);
}

static void
vt_canvas_realize(GtkWidget *widget)
{
  GTK_WIDGET_CLASS(vt_canvas_parent_class)->realize(widget);
  vt_canvas_watch_painting(VT_CANVAS(widget));
}

static void
vt_canvas_unrealize(GtkWidget *widget)
{
  vt_canvas_unwatch_painting(VT_CANVAS(widget));
  GTK_WIDGET_CLASS(vt_canvas_parent_class)->unrealize(widget);
}

static void
vt_canvas_map(GtkWidget *widget)
{
  GTK_WIDGET_CLASS(vt_canvas_parent_class)->map(widget);
  vt_canvas_unhide(VT_CANVAS(widget));
  if (VT_CANVAS(widget)->store)
    queue_announcement(VT_CANVAS(widget));
}

static void
vt_canvas_unmap(GtkWidget *widget)
{
  GTK_WIDGET_CLASS(vt_canvas_parent_class)->unmap(widget);
  vt_canvas_hide(VT_CANVAS(widget));
}

static void
vt_canvas_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  vt_canvas_set_tool(VT_CANVAS(object), (VtTool)g_value_get_uint(value));
}

static void
vt_canvas_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_COMPARING)
    g_value_set_boolean(value, vt_canvas_get_comparing(VT_CANVAS(object)));
  else
    g_value_set_uint(value, VT_CANVAS(object)->tool);
}

static void
vt_canvas_dispose(GObject *object)
{
  VtCanvas *self = VT_CANVAS(object);
  vt_canvas_unhide(self);
  vt_canvas_stop(self);
  g_clear_handle_id(&self->change_id, g_source_remove);
  g_clear_handle_id(&self->paint_id, g_source_remove);
  g_clear_handle_id(&self->corner_id, g_source_remove);
  g_clear_object(&self->store);
  g_clear_pointer(&self->slide, vt_slide_unref);
  g_clear_object(&self->layers);
  vt_canvas_let_go_of_vertex(self, FALSE);
  g_clear_object(&self->rois);
  g_clear_pointer(&self->selected_rois, g_ptr_array_unref);
  g_clear_pointer(&self->differences, g_ptr_array_unref);
  vt_canvas_clear_wand(self);
  g_clear_pointer(&self->outline, g_array_unref);
  vt_canvas_clear_wipe(self);
  G_OBJECT_CLASS(vt_canvas_parent_class)->dispose(object);
}

static void
vt_canvas_class_init(VtCanvasClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  GType number = G_TYPE_DOUBLE;
  object_class->dispose = vt_canvas_dispose;
  object_class->set_property = vt_canvas_set_property;
  object_class->get_property = vt_canvas_get_property;
  widget_class->realize = vt_canvas_realize;
  widget_class->unrealize = vt_canvas_unrealize;
  widget_class->map = vt_canvas_map;
  widget_class->unmap = vt_canvas_unmap;
  widget_class->size_allocate = vt_canvas_size_allocate;
  widget_class->snapshot = vt_canvas_snapshot;
  gtk_widget_class_set_css_name(widget_class, "vt-canvas");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  vt_canvas_class_init_input(widget_class);
  properties[PROP_TOOL] = g_param_spec_uint("tool", NULL, NULL, 0, VT_N_TOOLS - 1, VT_TOOL_MOVE,
                                            G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  properties[PROP_COMPARING] =
    g_param_spec_boolean("comparing", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties(object_class, N_PROPS, properties);
  vt_signals_new(VT_TYPE_CANVAS, "view-changed", "view-shown", "painted", "colour", "corner", NULL);
  vt_signal_new(VT_TYPE_CANVAS, "hover", number, number, G_TYPE_BOOLEAN, G_TYPE_NONE);
  vt_signal_new(VT_TYPE_CANVAS, "roi-drawn", G_TYPE_POINTER, G_TYPE_INT, G_TYPE_NONE);
  vt_signal_new(VT_TYPE_CANVAS, "roi-reshaped", VT_TYPE_ROI_ITEM, G_TYPE_POINTER, G_TYPE_NONE);
  vt_signal_new(VT_TYPE_CANVAS, "failed", G_TYPE_STRING, G_TYPE_NONE);
}

static void
vt_canvas_init(VtCanvas *self)
{
  self->view.downsample = 1;
  self->colour = VT_COLOUR_SETTINGS_DEFAULT;
  self->wanted_x_l0 = self->wanted_y_l0 = NAN;
  gtk_widget_set_focusable(GTK_WIDGET(self), TRUE);
  gtk_widget_set_overflow(GTK_WIDGET(self), GTK_OVERFLOW_HIDDEN);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Slide"), -1);
  g_signal_connect(self, "notify::scale-factor", G_CALLBACK(on_scale_factor), NULL);
  self->outline = g_array_new(FALSE, FALSE, sizeof(double));
  vt_canvas_init_wipe(self);
  vt_canvas_init_input(self);
}
