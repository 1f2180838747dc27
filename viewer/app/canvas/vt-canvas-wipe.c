/* SPDX-License-Identifier: MIT
 *
 * Two sets of layers over the same slide: those of a pin on one side of a line, those of now on the other. The line stays where it is on
 * the screen while the slide moves below it. */
#include "canvas/vt-canvas-private.h"

#include <glib/gi18n.h>
#include <math.h>

#include "base/vt-define.h"
#include "common/vt-test-log.h"
#include "layers/vt-layer.h"

#define LEVER_PX 90 /* logical pixels, from the middle to the knob that turns the line */
#define ARC_PX 56   /* to the knob that dissolves */
#define REACH_PX 14 /* how near to a knob a pointer takes it */
#define LINE_REACH_PX 7
#define SNAP 4       /* degrees, to upright and level */
#define TURN_STEP 15 /* degrees, while Shift is held */
#define LABEL_GAP 12
#define LABEL_WIDTH 280
#define LEAST_LABEL_WIDTH 120
#define LEVER_ROOM_PX 120 /* along the line, from its middle */
#define ARC_ROOM_PX 75
#define LABEL_ALONG 0.66 /* where along the line: below the cards, above the minimap and the scale bar */

typedef struct {
  double width, height; /* of the canvas, logical pixels */
  double x, y;          /* of the middle */
  double along_x, along_y;
  double to_pin_x, to_pin_y; /* at a right angle */
} Line;

static Line
get_line(VtCanvas *self)
{
  const VtWipe *wipe = &self->wipe;
  const graphene_size_t size = vt_canvas_get_size(self);
  Line line = { size.width, size.height };
  const double radians = wipe->angle * G_PI / 180;
  const gboolean is_plumb = fmod(wipe->angle, 90) == 0;
  line.x = is_plumb ? round(wipe->x * line.width) : wipe->x * line.width;
  line.y = is_plumb ? round(wipe->y * line.height) : wipe->y * line.height;
  line.along_x = is_plumb ? round(sin(radians)) : sin(radians);
  line.along_y = is_plumb ? -round(cos(radians)) : -cos(radians);
  line.to_pin_x = wipe->swapped ? -line.along_y : line.along_y;
  line.to_pin_y = wipe->swapped ? line.along_x : -line.along_x;
  return line;
}

/* How far on the pin's side a point lies. */
static double
get_depth(const Line *line, double x, double y)
{
  return (x - line->x) * line->to_pin_x + (y - line->y) * line->to_pin_y;
}

gboolean
vt_canvas_get_comparing(VtCanvas *self)
{
  return self->wipe.layers && (self->wipe.on || self->wipe.key);
}

gboolean
vt_canvas_shows_pin_at(VtCanvas *self, double x_l0, double y_l0)
{
  const int scale = gtk_widget_get_scale_factor(GTK_WIDGET(self));
  const Line line = get_line(self);
  double x, y;
  if (!vt_canvas_get_comparing(self) || self->wipe.key)
    return vt_canvas_get_comparing(self);
  vt_viewport_from_l0(&self->view, x_l0, y_l0, &x, &y);
  return !self->wipe.is_difference && get_depth(&line, x / scale, y / scale) > 0 && self->wipe.share > 0;
}

/* --- the picture --- */

/* The part of the line that is seen, in pixels from its middle. */
static void
get_chord(const Line *line, double *from, double *to)
{
  const double at[2] = { line->x, line->y }, along[2] = { line->along_x, line->along_y },
               size[2] = { line->width, line->height };
  *from = -INFINITY;
  *to = INFINITY;
  for (int i = 0; i < 2; i++) {
    if (fabs(along[i]) < 1e-9)
      continue;
    const double a = -at[i] / along[i], b = (size[i] - at[i]) / along[i];
    *from = MAX(*from, MIN(a, b));
    *to = MIN(*to, MAX(a, b));
  }
}

/* The rectangle round what is seen of a side. */
static graphene_rect_t
get_side_box(const Line *line, gboolean of_pin)
{
  double ends[2];
  graphene_rect_t box;
  get_chord(line, &ends[0], &ends[1]);
  graphene_rect_init(&box, (float)(line->x + ends[0] * line->along_x), (float)(line->y + ends[0] * line->along_y), 0,
                     0);
  const graphene_point_t end =
    GRAPHENE_POINT_INIT((float)(line->x + ends[1] * line->along_x), (float)(line->y + ends[1] * line->along_y));
  graphene_rect_expand(&box, &end, &box);
  for (int i = 0; i < 4; i++) {
    const double x = i & 1 ? line->width : 0, y = i & 2 ? line->height : 0;
    if ((of_pin ? 1 : -1) * get_depth(line, x, y) >= 0)
      graphene_rect_expand(&box, &GRAPHENE_POINT_INIT((float)x, (float)y), &box);
  }
  return box;
}

static gboolean
blends(GListModel *layers)
{
  VT_EACH_ITEM (VtLayer, layer, layers)
    if (vt_layer_get_seen(layer) && vt_layer_get_blend(layer) != VT_LAYER_BLEND_NORMAL)
      return TRUE;
  return FALSE;
}

/* Clips to one side. A line that leans is a level one in a turned sheet, which is turned back for what is drawn. */
static void
push_side(GtkSnapshot *snapshot, const Line *line, gboolean of_pin)
{
  const float far = (float)(line->width + line->height);
  const double side = of_pin ? 1 : -1, x = side * line->to_pin_x, y = side * line->to_pin_y;
  gtk_snapshot_save(snapshot);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT((float)line->x, (float)line->y));
  if (line->to_pin_x == 0 || line->to_pin_y == 0) {
    gtk_snapshot_push_clip(snapshot, &GRAPHENE_RECT_INIT(x > 0 ? 0 : -far, y > 0 ? 0 : -far, x == 0 ? 2 * far : far,
                                                         y == 0 ? 2 * far : far));
  } else {
    const float degrees = (float)(atan2(y, x) * 180 / G_PI);
    gtk_snapshot_rotate(snapshot, degrees);
    gtk_snapshot_push_clip(snapshot, &GRAPHENE_RECT_INIT(0, -far, far, 2 * far));
    gtk_snapshot_rotate(snapshot, -degrees);
  }
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT(-(float)line->x, -(float)line->y));
}

static void
pop_side(GtkSnapshot *snapshot)
{
  gtk_snapshot_pop(snapshot);
  gtk_snapshot_restore(snapshot);
}

static void
draw_pin(VtCanvas *self, GtkSnapshot *snapshot, VtStackPart part, const graphene_rect_t *seen)
{
  const double share = self->wipe.share;
  if (share >= 1) {
    vt_canvas_draw_stack(self, snapshot, self->wipe.layers, part, seen);
    return;
  }
  /* As for blends, nothing may be empty. */
  gtk_snapshot_push_cross_fade(snapshot, share);
  gtk_snapshot_append_color(snapshot, &(GdkRGBA){ 0 }, &GRAPHENE_RECT_INIT(0, 0, 1, 1));
  vt_canvas_draw_stack(self, snapshot, self->layers, part, seen);
  gtk_snapshot_pop(snapshot);
  gtk_snapshot_append_color(snapshot, &(GdkRGBA){ 0 }, &GRAPHENE_RECT_INIT(0, 0, 1, 1));
  vt_canvas_draw_stack(self, snapshot, self->wipe.layers, part, seen);
  gtk_snapshot_pop(snapshot);
}

/* The slide is drawn once, and not cut, unless a layer blends with it. */
void
vt_canvas_draw_compared(VtCanvas *self, GtkSnapshot *snapshot)
{
  const VtStackPart part = blends(self->layers) || blends(self->wipe.layers) ? VT_STACK_WHOLE : VT_STACK_WITHOUT_SLIDE;
  const Line line = get_line(self);
  const graphene_rect_t pin_box = get_side_box(&line, TRUE), now_box = get_side_box(&line, FALSE);
  if (part == VT_STACK_WITHOUT_SLIDE)
    vt_canvas_draw_stack(self, snapshot, self->layers, VT_STACK_SLIDE, NULL);
  if (self->wipe.key) {
    vt_canvas_draw_stack(self, snapshot, self->wipe.layers, part, NULL);
    return;
  }
  if (self->wipe.is_difference) {
    gtk_snapshot_push_blend(snapshot, GSK_BLEND_MODE_DIFFERENCE);
    vt_canvas_draw_stack(self, snapshot, self->layers, VT_STACK_WHOLE, NULL);
    gtk_snapshot_pop(snapshot);
    vt_canvas_draw_stack(self, snapshot, self->wipe.layers, VT_STACK_WHOLE, NULL);
    gtk_snapshot_pop(snapshot);
    return;
  }
  push_side(snapshot, &line, TRUE);
  draw_pin(self, snapshot, part, &pin_box);
  pop_side(snapshot);
  push_side(snapshot, &line, FALSE);
  vt_canvas_draw_stack(self, snapshot, self->layers, part, &now_box);
  pop_side(snapshot);
}

/* --- the widget on it --- */

static void
get_lever(const Line *line, double *x, double *y)
{
  *x = line->x + LEVER_PX * line->along_x;
  *y = line->y + LEVER_PX * line->along_y;
}

/* From the line, where nothing is seen of the pin, to a right angle with it. */
static void
get_arc(const Line *line, double share, double *x, double *y)
{
  const double turn = share * G_PI / 2;
  *x = line->x + ARC_PX * (-cos(turn) * line->along_x + sin(turn) * line->to_pin_x);
  *y = line->y + ARC_PX * (-cos(turn) * line->along_y + sin(turn) * line->to_pin_y);
}

static void
draw_line(GtkSnapshot *snapshot, const Line *line)
{
  const float far = (float)(line->width + line->height);
  gtk_snapshot_save(snapshot);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT((float)line->x, (float)line->y));
  gtk_snapshot_rotate(snapshot, (float)(atan2(line->along_y, line->along_x) * 180 / G_PI));
  gtk_snapshot_append_color(snapshot, &(GdkRGBA){ 0, 0, 0, 0.65f }, &GRAPHENE_RECT_INIT(-far, -2, 2 * far, 4));
  gtk_snapshot_append_color(snapshot, &(GdkRGBA){ 1, 1, 1, 1 }, &GRAPHENE_RECT_INIT(-far, -1, 2 * far, 2));
  gtk_snapshot_restore(snapshot);
}

static void
stroke_with_halo(cairo_t *cr, double width)
{
  cairo_set_source_rgba(cr, 0, 0, 0, 0.65);
  cairo_set_line_width(cr, width + 2);
  cairo_stroke_preserve(cr);
  cairo_set_source_rgb(cr, 1, 1, 1);
  cairo_set_line_width(cr, width);
  cairo_stroke(cr);
}

static void
draw_knob(cairo_t *cr, double x, double y, double radius, gboolean is_filled)
{
  cairo_arc(cr, x, y, radius, 0, 2 * G_PI);
  cairo_set_source_rgba(cr, is_filled, is_filled, is_filled, is_filled ? 1 : 0.65);
  cairo_fill_preserve(cr);
  stroke_with_halo(cr, 2);
}

static void
draw_handles(GtkSnapshot *snapshot, const Line *line, double share)
{
  const float reach = LEVER_PX + 12;
  double lever_x, lever_y, x, y;
  cairo_t *cr = gtk_snapshot_append_cairo(
    snapshot, &GRAPHENE_RECT_INIT((float)line->x - reach, (float)line->y - reach, 2 * reach, 2 * reach));
  cairo_new_path(cr);
  for (int i = 0; i <= 12; i++) {
    get_arc(line, i / 12.0, &x, &y);
    cairo_line_to(cr, x, y);
  }
  stroke_with_halo(cr, 1.5);
  get_lever(line, &lever_x, &lever_y);
  cairo_move_to(cr, line->x, line->y);
  cairo_line_to(cr, lever_x, lever_y);
  stroke_with_halo(cr, 4);
  get_arc(line, share, &x, &y);
  draw_knob(cr, lever_x, lever_y, 6, FALSE);
  draw_knob(cr, x, y, 6, TRUE);
  draw_knob(cr, line->x, line->y, 8, FALSE);
  cairo_destroy(cr);
}

static void
get_label_point(const Line *line, double *x, double *y)
{
  double from, to;
  get_chord(line, &from, &to);
  const gboolean is_down = line->along_y > 0 || (line->along_y == 0 && line->along_x > 0);
  double t = 0;
  for (int i = 0; i < 2 && t < LEVER_ROOM_PX && -t < ARC_ROOM_PX; i++) /* the handles stay free */
    t = from + (to - from) * (is_down == (i == 0) ? LABEL_ALONG : 1 - LABEL_ALONG);
  *x = line->x + t * line->along_x;
  *y = line->y + t * line->along_y;
}

/* Wholly on its side of the line; where there is no room, its first word, or nothing: a label on the other side would lie. */
static void
draw_label(VtCanvas *self, GtkSnapshot *snapshot, const Line *line, const char *text, gboolean of_pin)
{
  const double side = of_pin ? 1 : -1, away_x = side * line->to_pin_x, away_y = side * line->to_pin_y;
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), text);
  int width, height;
  double x, y;
  get_label_point(line, &x, &y);
  const double room =
    fabs(away_x) > 0.7 ? (away_x > 0 ? line->width - x : x) / fabs(away_x) - 2 * LABEL_GAP - 12 : LABEL_WIDTH;
  pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
  if (room < LEAST_LABEL_WIDTH)
    pango_layout_set_text(layout, of_pin ? _("Pinned") : _("Now"), -1);
  else
    pango_layout_set_width(layout, (int)(MIN(room, LABEL_WIDTH) * PANGO_SCALE));
  pango_layout_get_pixel_size(layout, &width, &height);
  const double half_width = width / 2.0 + 6, half_height = height / 2.0 + 2;
  const double out = LABEL_GAP + fabs(away_x) * half_width + fabs(away_y) * half_height;
  x = CLAMP(x + out * away_x, half_width + 4, MAX(line->width - half_width - 4, half_width + 4));
  y = CLAMP(y + out * away_y, half_height + 4, MAX(line->height - half_height - 4, half_height + 4));
  if (side * get_depth(line, x, y) < fabs(away_x) * half_width + fabs(away_y) * half_height)
    return;
  vt_canvas_draw_label(snapshot, layout, (float)floor(x - half_width), (float)floor(y - half_height));
}

/* What both sides are, and what black means. */
static char *
dup_difference(VtCanvas *self)
{
  return g_strdup_printf(_("Difference: black is the same. %s. %s."), self->wipe.pinned, self->wipe.now);
}

static void
draw_key_label(VtCanvas *self, GtkSnapshot *snapshot, const char *text)
{
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), text);
  int width, height;
  pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
  pango_layout_set_width(layout, LABEL_WIDTH * PANGO_SCALE);
  pango_layout_get_pixel_size(layout, &width, &height);
  const graphene_size_t size = vt_canvas_get_size(self);
  vt_canvas_draw_label(snapshot, layout, floorf((size.width - (float)width) / 2), size.height * 0.75f);
}

void
vt_canvas_draw_wipe(VtCanvas *self, GtkSnapshot *snapshot)
{
  const Line line = get_line(self);
  if (!vt_canvas_get_comparing(self))
    return;
  if (self->wipe.key) {
    draw_key_label(self, snapshot, self->wipe.pinned);
    return;
  }
  if (self->wipe.is_difference) {
    g_autofree char *text = dup_difference(self);
    draw_key_label(self, snapshot, text);
    return;
  }
  draw_line(snapshot, &line);
  if (!self->recording)
    draw_handles(snapshot, &line, self->wipe.share);
  g_autofree char *mixed = self->wipe.share < 1 ? g_strdup_printf(_("%s · %.0f %%, the rest is now"), self->wipe.pinned,
                                                                  100 * self->wipe.share)
                                                : NULL;
  draw_label(self, snapshot, &line, mixed ? mixed : self->wipe.pinned, TRUE);
  draw_label(self, snapshot, &line, self->wipe.now, FALSE);
}

/* --- hands and keys --- */

static gboolean
is_near(double x, double y, double knob_x, double knob_y)
{
  return hypot(x - knob_x, y - knob_y) <= REACH_PX;
}

VtWipePart
vt_canvas_find_wipe(VtCanvas *self, double x, double y)
{
  const Line line = get_line(self);
  double lever_x, lever_y, arc_x, arc_y;
  if (!vt_canvas_get_wipe(self) || self->wipe.is_difference)
    return VT_WIPE_NOTHING;
  get_lever(&line, &lever_x, &lever_y);
  get_arc(&line, self->wipe.share, &arc_x, &arc_y);
  return is_near(x, y, line.x, line.y)                                                 ? VT_WIPE_LINE
         : is_near(x, y, arc_x, arc_y)                                                 ? VT_WIPE_ARC
         : is_near(x, y, lever_x, lever_y)                                             ? VT_WIPE_LEVER
         : self->tool == VT_TOOL_MOVE && fabs(get_depth(&line, x, y)) <= LINE_REACH_PX ? VT_WIPE_LINE
                                                                                       : VT_WIPE_NOTHING;
}

static void
say_sides(VtCanvas *self)
{
  const Line line = get_line(self);
  const gboolean is_beside = fabs(line.to_pin_x) >= fabs(line.to_pin_y);
  const gboolean pin_is_first = is_beside ? line.to_pin_x < 0 : line.to_pin_y < 0;
  const char *first = pin_is_first ? self->wipe.pinned : self->wipe.now;
  const char *second = pin_is_first ? self->wipe.now : self->wipe.pinned;
  g_autofree char *text =
    !vt_canvas_get_comparing(self) ? g_strdup("")
    : self->wipe.key               ? g_strdup(self->wipe.pinned)
    : self->wipe.is_difference
      ? dup_difference(self)
      : g_strdup_printf(is_beside ? _("Left: %s. Right: %s.") : _("Above: %s. Below: %s."), first, second);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
}

static void
show(VtCanvas *self)
{
  const VtWipe *wipe = &self->wipe;
  vt_test_log("wipe %d %d %.4f %.4f %.1f %.2f %d %d", wipe->on, wipe->key != 0, wipe->x, wipe->y, wipe->angle,
              wipe->share, wipe->swapped, wipe->is_difference);
  if (vt_canvas_get_comparing(self))
    vt_test_log("sides %s | %s", wipe->pinned, wipe->now);
  say_sides(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
  if (self->has_pointer)
    vt_canvas_emit_hover(self);
}

static void
put(VtCanvas *self, double x, double y)
{
  self->wipe.x = CLAMP(x / MAX(gtk_widget_get_width(GTK_WIDGET(self)), 1), 0, 1);
  self->wipe.y = CLAMP(y / MAX(gtk_widget_get_height(GTK_WIDGET(self)), 1), 0, 1);
}

static void
turn_to(VtCanvas *self, double degrees)
{
  const double plumb = round(degrees / 90) * 90;
  degrees = fmod(fabs(degrees - plumb) < SNAP ? plumb : degrees, 360);
  self->wipe.angle = degrees < 0 ? degrees + 360 : degrees;
}

gboolean
vt_canvas_take_wipe(VtCanvas *self, double x, double y)
{
  const Line line = get_line(self);
  self->wipe.taken = vt_canvas_find_wipe(self, x, y);
  self->wipe.grip_x = line.x;
  self->wipe.grip_y = line.y;
  return self->wipe.taken != VT_WIPE_NOTHING;
}

void
vt_canvas_pull_wipe(VtCanvas *self, double x0, double y0, double dx, double dy, gboolean in_steps)
{
  const Line line = get_line(self);
  const double x = x0 + dx - line.x, y = y0 + dy - line.y;
  if (self->wipe.taken == VT_WIPE_LINE) {
    put(self, self->wipe.grip_x + dx, self->wipe.grip_y + dy);
  } else if (self->wipe.taken == VT_WIPE_LEVER) {
    const double degrees = atan2(x, -y) * 180 / G_PI;
    turn_to(self, in_steps ? round(degrees / TURN_STEP) * TURN_STEP : degrees);
  } else {
    const double turn = atan2(x * line.to_pin_x + y * line.to_pin_y, -(x * line.along_x + y * line.along_y));
    self->wipe.share = turn < -3 * G_PI / 4 ? 1 : CLAMP(turn / (G_PI / 2), 0, 1);
  }
  show(self);
}

void
vt_canvas_let_go_of_wipe(VtCanvas *self)
{
  self->wipe.taken = VT_WIPE_NOTHING;
}

gboolean
vt_canvas_get_wipe(VtCanvas *self)
{
  return self->wipe.layers && self->wipe.on;
}

void
vt_canvas_set_wipe(VtCanvas *self, gboolean on)
{
  if (on == self->wipe.on || (on && !self->wipe.layers))
    return;
  self->wipe.on = on;
  self->wipe.is_difference = FALSE;
  vt_canvas_watch_wipe_keys(self, on);
  show(self);
  vt_canvas_notify_comparing(self);
}

void
vt_canvas_toggle_difference(VtCanvas *self)
{
  self->wipe.is_difference = !self->wipe.is_difference;
  show(self);
}

void
vt_canvas_hold_pin(VtCanvas *self, guint key)
{
  if (self->wipe.key == key || !self->wipe.layers)
    return;
  self->wipe.key = key;
  show(self);
  vt_canvas_notify_comparing(self);
}

void
vt_canvas_move_wipe(VtCanvas *self, double px)
{
  const Line line = get_line(self);
  const double forth = fabs(line.to_pin_x) >= fabs(line.to_pin_y) ? line.to_pin_x : line.to_pin_y;
  const double step = forth > 0 ? px : -px;
  put(self, line.x + step * line.to_pin_x, line.y + step * line.to_pin_y);
  show(self);
}

void
vt_canvas_turn_wipe(VtCanvas *self, double degrees)
{
  turn_to(self, self->wipe.angle + degrees);
  show(self);
}

void
vt_canvas_dissolve_wipe(VtCanvas *self, double step)
{
  self->wipe.share = CLAMP(round((self->wipe.share + step) * 100) / 100, 0, 1);
  show(self);
}

void
vt_canvas_swap_wipe(VtCanvas *self)
{
  self->wipe.swapped = !self->wipe.swapped;
  show(self);
}

void
vt_canvas_centre_wipe(VtCanvas *self)
{
  const double x = self->has_pointer ? self->pointer_x : gtk_widget_get_width(GTK_WIDGET(self)) / 2.0;
  const double y = self->has_pointer ? self->pointer_y : gtk_widget_get_height(GTK_WIDGET(self)) / 2.0;
  put(self, x, y);
  show(self);
}

/* --- what is compared --- */

void
vt_canvas_set_pin(VtCanvas *self, GListModel *layers)
{
  if (self->wipe.layers == layers)
    return;
  if (self->wipe.layers)
    vt_canvas_unwatch_layers(self, self->wipe.layers);
  g_set_object(&self->wipe.layers, layers);
  if (layers)
    vt_canvas_watch_layers(self, layers);
  self->wipe.key = 0;
  if (!layers && self->wipe.on) {
    self->wipe.on = FALSE;
    vt_canvas_watch_wipe_keys(self, FALSE);
    show(self);
  }
  vt_canvas_notify_comparing(self);
}

void
vt_canvas_set_side_words(VtCanvas *self, const char *pinned, const char *now)
{
  if (g_strcmp0(pinned, self->wipe.pinned) == 0 && g_strcmp0(now, self->wipe.now) == 0)
    return;
  g_free(self->wipe.pinned);
  g_free(self->wipe.now);
  self->wipe.pinned = g_strdup(pinned);
  self->wipe.now = g_strdup(now);
  if (vt_canvas_get_comparing(self))
    show(self);
}

void
vt_canvas_init_wipe(VtCanvas *self)
{
  self->wipe = (VtWipe){ .x = 0.5, .y = 0.5, .share = 1, .pinned = g_strdup(""), .now = g_strdup("") };
}

void
vt_canvas_clear_wipe(VtCanvas *self)
{
  vt_canvas_watch_wipe_keys(self, FALSE);
  g_clear_object(&self->wipe.layers);
  g_clear_pointer(&self->wipe.pinned, g_free);
  g_clear_pointer(&self->wipe.now, g_free);
}
