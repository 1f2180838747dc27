/* SPDX-License-Identifier: MIT */
#include "canvas/vt-canvas-private.h"

#include <math.h>

#include "common/vt-settings.h"
#include "common/vt-test-log.h"

#define WHEEL_STEP 1.3    /* zoom per notch */
#define SURFACE_STEP 0.01 /* natural logarithm of the zoom per pixel of a touchpad */
#define ARROW_PX 64       /* logical pixels */
#define TURN_STEP 15      /* degrees, while Shift is held */
#define PINCH_ZOOMS 1.2   /* from this factor on two fingers zoom and do not turn */
#define PINCH_TURNS 15    /* degrees; from here on, if it comes first, they turn as well */
#define MIN_DRAG_PX 4     /* logical pixels: less is a click */

void
vt_canvas_update_cursor(VtCanvas *self)
{
  const char *name = self->drag != VT_DRAG_NONE && self->drag != VT_DRAG_RECTANGLE && self->drag != VT_DRAG_POLYGON
                       ? "grabbing"
                     : self->near_vertex                 ? "pointer"
                     : self->move_key || self->wipe.near ? "grab"
                     : self->tool != VT_TOOL_MOVE        ? "crosshair"
                                                         : "default";
  gtk_widget_set_cursor_from_name(GTK_WIDGET(self), name);
}

static double
get_time_ms(GtkGestureDrag *gesture)
{
  return gtk_event_controller_get_current_event_time(GTK_EVENT_CONTROLLER(gesture));
}

static void
on_drag_begin(GtkGestureDrag *gesture, double x, double y, VtCanvas *self)
{
  guint button = gtk_gesture_single_get_current_button(GTK_GESTURE_SINGLE(gesture));
  gtk_widget_grab_focus(GTK_WIDGET(self));
  if (!self->slide || (button != GDK_BUTTON_PRIMARY && button != GDK_BUTTON_MIDDLE)) {
    gtk_gesture_set_state(GTK_GESTURE(gesture), GTK_EVENT_SEQUENCE_DENIED);
    return;
  }
  self->last_x = self->last_y = 0;
  vt_canvas_stop(self);
  self->flick.n = 0;
  vt_flick_add(&self->flick, get_time_ms(gesture), 0, 0);
  GdkModifierType keys = gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(gesture));
  if (button == GDK_BUTTON_PRIMARY && !self->move_key && vt_canvas_take_wipe(self, x, y)) {
    gtk_gesture_set_state(GTK_GESTURE(gesture), GTK_EVENT_SEQUENCE_CLAIMED); /* no object is selected below it */
    self->drag = VT_DRAG_WIPE;
  } else if (button == GDK_BUTTON_PRIMARY && !self->move_key && vt_canvas_take_vertex(self, x, y)) {
    gtk_gesture_set_state(GTK_GESTURE(gesture), GTK_EVENT_SEQUENCE_CLAIMED);
    self->drag = VT_DRAG_VERTEX;
  } else if (keys & GDK_CONTROL_MASK) {
    self->drag = VT_DRAG_TURN;
    self->turn_view = self->view;
  } else if (self->tool != VT_TOOL_MOVE && button == GDK_BUTTON_PRIMARY && !self->move_key) {
    vt_canvas_begin_shape(self, x, y, keys);
  } else {
    self->drag = VT_DRAG_PAN;
    self->move_key_moved = TRUE;
  }
  vt_canvas_update_cursor(self);
}

/* The point that was taken hold of goes round the middle with the hand. */
static void
turn_by_hand(VtCanvas *self, GtkGestureDrag *gesture, double dx, double dy)
{
  double x0, y0;
  double middle_x = gtk_widget_get_width(GTK_WIDGET(self)) / 2.0,
         middle_y = gtk_widget_get_height(GTK_WIDGET(self)) / 2.0;
  GdkModifierType keys = gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(gesture));
  gtk_gesture_drag_get_start_point(gesture, &x0, &y0);
  double before = atan2(y0 - middle_y, x0 - middle_x), now = atan2(y0 + dy - middle_y, x0 + dx - middle_x);
  double angle = self->turn_view.angle + (now - before) * 180 / G_PI;
  if (keys & GDK_SHIFT_MASK)
    angle = round(angle / TURN_STEP) * TURN_STEP;
  self->view.angle = 0;
  vt_viewport_turn(&self->view, angle);
  if (self->fitted)
    vt_viewport_fit(&self->view, (double)self->width_l0, (double)self->height_l0);
  vt_canvas_view_changed(self);
}

/* A hand that has gone far enough from where it began draws freehand. */
static void
pull_to(VtCanvas *self, GtkGestureDrag *gesture, double x, double y)
{
  double x0, y0;
  gtk_gesture_drag_get_start_point(gesture, &x0, &y0);
  if (self->drag == VT_DRAG_POLYGON && !self->freehand) {
    if (hypot(x - x0, y - y0) < MIN_DRAG_PX)
      return;
    vt_canvas_pull_shape(self, x0, y0);
  }
  vt_canvas_pull_shape(self, x, y);
}

/* Of the places that the hand went through since the last frame GTK delivers one: without the others a slow frame cuts corners. */
static void
pull_through(VtCanvas *self, GtkGestureDrag *gesture, double x, double y)
{
  GdkEvent *event = gtk_event_controller_get_current_event(GTK_EVENT_CONTROLLER(gesture));
  GtkNative *native = gtk_widget_get_native(GTK_WIDGET(self));
  double left = 0, top = 0;
  guint n = 0;
  const gboolean is_line = self->drag == VT_DRAG_POLYGON && self->tool != VT_TOOL_WAND;
  g_autofree GdkTimeCoord *history = event && is_line ? gdk_event_get_history(event, &n) : NULL;
  gtk_native_get_surface_transform(native, &left, &top);
  for (guint i = 0; i < n; i++) {
    const double *axes = history[i].axes;
    const graphene_point_t place =
      GRAPHENE_POINT_INIT((float)(axes[GDK_AXIS_X] - left), (float)(axes[GDK_AXIS_Y] - top));
    graphene_point_t here;
    if (gtk_widget_compute_point(GTK_WIDGET(native), GTK_WIDGET(self), &place, &here))
      pull_to(self, gesture, here.x, here.y);
  }
  pull_to(self, gesture, x, y);
}

static void
on_drag_update(GtkGestureDrag *gesture, double dx, double dy, VtCanvas *self)
{
  int scale = gtk_widget_get_scale_factor(GTK_WIDGET(self));
  if (self->drag == VT_DRAG_PAN && !self->pinching) {
    self->fitted = FALSE;
    vt_viewport_pan(&self->view, (self->last_x - dx) * scale, (self->last_y - dy) * scale);
    vt_flick_add(&self->flick, get_time_ms(gesture), dx, dy);
    vt_canvas_view_changed(self);
  } else if (self->drag == VT_DRAG_TURN) {
    turn_by_hand(self, gesture, dx, dy);
  } else if (self->drag == VT_DRAG_WIPE) {
    double x0, y0;
    GdkModifierType keys = gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(gesture));
    gtk_gesture_drag_get_start_point(gesture, &x0, &y0);
    vt_canvas_pull_wipe(self, x0, y0, dx, dy, keys & GDK_SHIFT_MASK);
  } else if (self->drag == VT_DRAG_VERTEX && self->reshaped) {
    double x0, y0;
    gtk_gesture_drag_get_start_point(gesture, &x0, &y0);
    vt_canvas_pull_vertex(self, x0 + dx, y0 + dy);
  } else if (self->drag == VT_DRAG_RECTANGLE || self->drag == VT_DRAG_POLYGON) {
    double x0, y0;
    gtk_gesture_drag_get_start_point(gesture, &x0, &y0);
    pull_through(self, gesture, x0 + dx, y0 + dy);
  }
  self->last_x = dx;
  self->last_y = dy;
}

static void
on_drag_end(GtkGestureDrag *gesture, double dx, double dy, VtCanvas *self)
{
  VtDrag drag = self->drag;
  self->drag = VT_DRAG_NONE;
  vt_canvas_let_go_of_wipe(self);
  vt_canvas_let_go_of_vertex(self, fabs(dx) >= MIN_DRAG_PX || fabs(dy) >= MIN_DRAG_PX);
  vt_canvas_update_cursor(self);
  if (drag == VT_DRAG_RECTANGLE || drag == VT_DRAG_POLYGON) {
    double x0, y0;
    gtk_gesture_drag_get_start_point(gesture, &x0, &y0);
    vt_canvas_end_shape(self, x0 + dx, y0 + dy, fabs(dx) < MIN_DRAG_PX || fabs(dy) < MIN_DRAG_PX);
  }
  if (drag == VT_DRAG_PAN && self->slide && !self->pinching) {
    double x_px_s, y_px_s;
    vt_flick_get_speed(&self->flick, get_time_ms(gesture), &x_px_s, &y_px_s);
    vt_canvas_glide(self, x_px_s, y_px_s);
  }
  if (self->slide && drag != VT_DRAG_WIPE)
    vt_canvas_view_changed(self);
}

static void
on_drag_cancel(GtkGesture *gesture, GdkEventSequence *sequence, VtCanvas *self)
{
  if (self->freehand)
    vt_canvas_drop_shape(self);
  self->drag = VT_DRAG_NONE;
  vt_canvas_let_go_of_vertex(self, FALSE);
  vt_canvas_let_go_of_wipe(self);
  vt_canvas_update_cursor(self);
  vt_canvas_view_changed(self);
}

static void
pan_by_wheel(VtCanvas *self, GtkEventControllerScroll *scroll, double dx, double dy)
{
  int scale = gtk_widget_get_scale_factor(GTK_WIDGET(self));
  gboolean wheel = gtk_event_controller_scroll_get_unit(scroll) == GDK_SCROLL_UNIT_WHEEL;
  double step = wheel ? ARROW_PX * scale : scale;
  VtViewport goal = vt_canvas_get_goal(self);
  self->fitted = FALSE;
  vt_viewport_pan(&goal, dx * step, dy * step);
  if (wheel) {
    vt_canvas_ease_to(self, &goal);
  } else {
    vt_canvas_stop(self);
    self->view = goal;
    vt_canvas_view_changed(self);
  }
}

static gboolean
on_scroll(GtkEventControllerScroll *scroll, double dx, double dy, VtCanvas *self)
{
  int scale = gtk_widget_get_scale_factor(GTK_WIDGET(self));
  GdkModifierType keys = gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(scroll));
  if (self->slide && vt_settings_get_wheel_pans(vt_settings_get()) && !(keys & GDK_CONTROL_MASK)) {
    pan_by_wheel(self, scroll, dx, dy);
    return GDK_EVENT_STOP;
  }
  if (!self->slide || dy == 0)
    return GDK_EVENT_PROPAGATE;
  gboolean wheel = gtk_event_controller_scroll_get_unit(scroll) == GDK_SCROLL_UNIT_WHEEL;
  double factor = wheel ? pow(WHEEL_STEP, -dy) : exp(-dy * SURFACE_STEP);
  double x = self->pointer_x * scale, y = self->pointer_y * scale, x_l0, y_l0;
  VtViewport goal = vt_canvas_get_goal(self);
  goal.downsample /= factor;
  /* Clamped first: at the end of the range the slide must not creep towards the pointer. */
  vt_viewport_clamp(&goal, (double)self->width_l0, (double)self->height_l0);
  self->fitted = FALSE;
  /* About what is under the pointer now, also when the last step is still on its way. */
  vt_viewport_to_l0(&self->view, x, y, &x_l0, &y_l0);
  vt_viewport_put(&goal, x_l0, y_l0, x, y);
  if (!wheel) {
    /* The fingers on a touchpad are their own animation. */
    vt_canvas_stop(self);
    self->view = goal;
    vt_canvas_view_changed(self);
  } else {
    vt_canvas_ease_to(self, &goal);
  }
  vt_canvas_emit_hover(self);
  return GDK_EVENT_STOP;
}

/* The fingers left a touchpad that was moving the slide; the system says how fast. */
static void
on_decelerate(GtkEventControllerScroll *scroll, double x_per_s, double y_per_s, VtCanvas *self)
{
  gboolean wheel = gtk_event_controller_scroll_get_unit(scroll) == GDK_SCROLL_UNIT_WHEEL;
  double step = wheel ? ARROW_PX : 1;
  if (self->slide && vt_settings_get_wheel_pans(vt_settings_get()))
    vt_canvas_glide(self, -x_per_s * step, -y_per_s * step);
}

/* Without fingers on the screen they are where the pointer is. */
static void
get_fingers(VtCanvas *self, GtkGesture *gesture, double *x, double *y)
{
  *x = self->pointer_x;
  *y = self->pointer_y;
  if (gtk_gesture_is_active(gesture))
    gtk_gesture_get_bounding_box_center(gesture, x, y);
}

static void
on_pinch_begin(GtkGesture *gesture, GdkEventSequence *sequence, VtCanvas *self)
{
  vt_canvas_stop(self);
  self->pinching = self->slide != NULL;
  self->pinch = VT_PINCH_OPEN;
  self->pinch_factor = 1;
  self->pinch_turn = 0;
  self->pinch_view = self->view;
  get_fingers(self, gesture, &self->pinch_x, &self->pinch_y);
}

/* Two fingers that zoom always turn a little as well: whichever is meant shows itself first. */
static void
decide_pinch(VtCanvas *self)
{
  if (self->pinch != VT_PINCH_OPEN)
    return;
  if (self->pinch_factor >= PINCH_ZOOMS || self->pinch_factor <= 1 / PINCH_ZOOMS) {
    self->pinch = VT_PINCH_ZOOMS;
  } else if (fabs(self->pinch_turn) >= PINCH_TURNS) {
    self->pinch = VT_PINCH_TURNS;
    self->pinch_turn_from = copysign(PINCH_TURNS, self->pinch_turn);
  }
}

/* What was between the fingers stays between them. */
static void
follow_fingers(VtCanvas *self, GtkGesture *gesture)
{
  int scale = gtk_widget_get_scale_factor(GTK_WIDGET(self));
  double x, y, x_l0, y_l0;
  VtViewport view = self->pinch_view;
  decide_pinch(self);
  get_fingers(self, gesture, &x, &y);
  vt_viewport_to_l0(&view, self->pinch_x * scale, self->pinch_y * scale, &x_l0, &y_l0);
  view.downsample /= self->pinch_factor;
  if (self->pinch == VT_PINCH_TURNS)
    vt_viewport_turn(&view, self->pinch_turn - self->pinch_turn_from);
  vt_viewport_clamp(&view, (double)self->width_l0, (double)self->height_l0);
  vt_viewport_put(&view, x_l0, y_l0, x * scale, y * scale);
  self->view = view;
  self->fitted = FALSE;
  vt_canvas_view_changed(self);
}

static void
on_pinch(GtkGesture *gesture, double factor, VtCanvas *self)
{
  if (!self->pinching || factor <= 0)
    return;
  self->pinch_factor = factor;
  follow_fingers(self, gesture);
}

static void
on_pinch_turn(GtkGesture *gesture, double angle, double delta, VtCanvas *self)
{
  if (!self->pinching)
    return;
  self->pinch_turn = remainder(delta * 180 / G_PI, 360);
  follow_fingers(self, gesture);
}

static void
on_pinch_end(GtkGesture *gesture, GdkEventSequence *sequence, VtCanvas *self)
{
  self->pinching = FALSE;
  vt_canvas_view_changed(self);
}

static void
on_motion(GtkEventControllerMotion *motion, double x, double y, VtCanvas *self)
{
  self->pointer_x = x;
  self->pointer_y = y;
  self->has_pointer = TRUE;
  const VtWipePart near = vt_canvas_find_wipe(self, x, y);
  const gboolean near_vertex = self->drag == VT_DRAG_NONE && vt_canvas_is_on_vertex(self, x, y);
  if (near != self->wipe.near || near_vertex != self->near_vertex) {
    self->wipe.near = near;
    self->near_vertex = near_vertex;
    vt_canvas_update_cursor(self);
  }
  if (self->outline->len > 0 || self->tool == VT_TOOL_BRUSH)
    gtk_widget_queue_draw(GTK_WIDGET(self)); /* the line to the pointer, the brush */
  vt_canvas_emit_hover(self);
}

static void
on_leave(GtkEventControllerMotion *motion, VtCanvas *self)
{
  self->has_pointer = FALSE;
  vt_canvas_emit_hover(self);
}

static void
set_bare(VtCanvas *self, gboolean bare)
{
  if (self->bare == bare)
    return;
  self->bare = bare;
  vt_test_log("bare %d", bare);
  vt_canvas_view_changed(self); /* its tiles may be wanted only now */
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
let_go_of_key(VtCanvas *self)
{
  self->move_key = 0;
  vt_canvas_hold_pin(self, 0);
  vt_canvas_update_cursor(self);
}

static void
let_go_of_keys(VtCanvas *self)
{
  let_go_of_key(self);
  set_bare(self, FALSE);
}

/* Space and M move the slide while they are held, S shows it without layers, and so does Space where a drag moves it anyway; X shows the pin;
 * Return exchanges the sides of the wipe. */
static gboolean
on_key_pressed(GtkEventControllerKey *keys, guint key, guint code, GdkModifierType state, VtCanvas *self)
{
  if (state & gtk_accelerator_get_default_mod_mask())
    return GDK_EVENT_PROPAGATE;
  if (vt_canvas_take_shape_key(self, key))
    return GDK_EVENT_STOP;
  if (self->slide && (key == GDK_KEY_s || (key == GDK_KEY_space && self->tool == VT_TOOL_MOVE)))
    set_bare(self, TRUE);
  if (key == GDK_KEY_s && self->slide)
    return GDK_EVENT_STOP;
  if (key == GDK_KEY_x && self->wipe.layers) {
    vt_canvas_hold_pin(self, key);
    return GDK_EVENT_STOP;
  }
  if ((key == GDK_KEY_Return || key == GDK_KEY_KP_Enter) && vt_canvas_get_wipe(self)) {
    vt_canvas_swap_wipe(self);
    return GDK_EVENT_STOP;
  }
  if (key != GDK_KEY_space && key != GDK_KEY_m)
    return GDK_EVENT_PROPAGATE;
  if (self->move_key == 0) /* it repeats */
    self->move_key_moved = FALSE;
  self->move_key = key;
  vt_canvas_update_cursor(self);
  return GDK_EVENT_STOP;
}

/* M alone chooses the tool for good. */
static void
on_key_released(GtkEventControllerKey *keys, guint key, guint code, GdkModifierType state, VtCanvas *self)
{
  if (key == self->wipe.key)
    vt_canvas_hold_pin(self, 0);
  if (key == GDK_KEY_s || key == GDK_KEY_S || key == GDK_KEY_space) /* Shift may have come meanwhile */
    set_bare(self, FALSE);
  if (key != self->move_key)
    return;
  let_go_of_key(self);
  if (key == GDK_KEY_m && !self->move_key_moved)
    vt_canvas_set_tool(self, VT_TOOL_MOVE);
}

static gboolean
pan_by_key(GtkWidget *widget, GVariant *args, gpointer user_data)
{
  VtCanvas *self = VT_CANVAS(widget);
  int scale = gtk_widget_get_scale_factor(widget);
  int dx, dy;
  gboolean page;
  g_variant_get(args, "(iib)", &dx, &dy, &page);
  if (!self->slide)
    return FALSE;
  VtViewport goal = vt_canvas_get_goal(self);
  self->fitted = FALSE;
  vt_viewport_pan(&goal, dx * (page ? goal.width_px * 0.9 : ARROW_PX * scale),
                  dy * (page ? goal.height_px * 0.9 : ARROW_PX * scale));
  vt_canvas_ease_to(self, &goal);
  return TRUE;
}

void
vt_canvas_class_init_input(GtkWidgetClass *widget_class)
{
  static const struct {
    guint key, keypad;
    int dx, dy;
  } arrows[] = {
    { GDK_KEY_Left, GDK_KEY_KP_Left, -1, 0 },
    { GDK_KEY_Right, GDK_KEY_KP_Right, 1, 0 },
    { GDK_KEY_Up, GDK_KEY_KP_Up, 0, -1 },
    { GDK_KEY_Down, GDK_KEY_KP_Down, 0, 1 },
  };
  for (guint i = 0; i < G_N_ELEMENTS(arrows); i++) {
    int dx = arrows[i].dx, dy = arrows[i].dy;
    gtk_widget_class_add_binding(widget_class, arrows[i].key, 0, pan_by_key, "(iib)", dx, dy, FALSE);
    gtk_widget_class_add_binding(widget_class, arrows[i].keypad, 0, pan_by_key, "(iib)", dx, dy, FALSE);
    gtk_widget_class_add_binding(widget_class, arrows[i].key, GDK_SHIFT_MASK, pan_by_key, "(iib)", dx, dy, TRUE);
    gtk_widget_class_add_binding(widget_class, arrows[i].keypad, GDK_SHIFT_MASK, pan_by_key, "(iib)", dx, dy, TRUE);
  }
}

static void
init_keys(VtCanvas *self)
{
  GtkEventController *keys = gtk_event_controller_key_new(), *focus = gtk_event_controller_focus_new();
  g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key_pressed), self);
  g_signal_connect(keys, "key-released", G_CALLBACK(on_key_released), self);
  gtk_widget_add_controller(GTK_WIDGET(self), keys);
  g_signal_connect_swapped(focus, "leave", G_CALLBACK(let_go_of_keys), self);
  gtk_widget_add_controller(GTK_WIDGET(self), focus);
}

void
vt_canvas_init_input(VtCanvas *self)
{
  GtkWidget *widget = GTK_WIDGET(self);
  GtkGesture *drag = gtk_gesture_drag_new();
  gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(drag), 0);
  g_signal_connect(drag, "drag-begin", G_CALLBACK(on_drag_begin), self);
  g_signal_connect(drag, "drag-update", G_CALLBACK(on_drag_update), self);
  g_signal_connect(drag, "drag-end", G_CALLBACK(on_drag_end), self);
  g_signal_connect(drag, "cancel", G_CALLBACK(on_drag_cancel), self);
  gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(drag));

  GtkGesture *pinch = gtk_gesture_zoom_new();
  g_signal_connect(pinch, "begin", G_CALLBACK(on_pinch_begin), self);
  g_signal_connect(pinch, "scale-changed", G_CALLBACK(on_pinch), self);
  g_signal_connect(pinch, "end", G_CALLBACK(on_pinch_end), self);
  g_signal_connect(pinch, "cancel", G_CALLBACK(on_pinch_end), self);
  gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(pinch));

  GtkGesture *turn = gtk_gesture_rotate_new();
  g_signal_connect(turn, "angle-changed", G_CALLBACK(on_pinch_turn), self);
  gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(turn));
  gtk_gesture_group(turn, pinch);

  GtkEventController *scroll =
    gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES | GTK_EVENT_CONTROLLER_SCROLL_KINETIC);
  g_signal_connect(scroll, "scroll", G_CALLBACK(on_scroll), self);
  g_signal_connect(scroll, "decelerate", G_CALLBACK(on_decelerate), self);
  gtk_widget_add_controller(widget, scroll);

  GtkEventController *motion = gtk_event_controller_motion_new();
  g_signal_connect(motion, "enter", G_CALLBACK(on_motion), self);
  g_signal_connect(motion, "motion", G_CALLBACK(on_motion), self);
  g_signal_connect(motion, "leave", G_CALLBACK(on_leave), self);
  gtk_widget_add_controller(widget, motion);
  init_keys(self);
}
