/* SPDX-License-Identifier: MIT */
#include "canvas/vt-canvas-wipe.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "base/vt-define.h"
#include "layers/vt-layer.h"
#include "layers/vt-paint.h"

/* Logical pixels. */
#define LABEL_GAP 12
#define LABEL_WIDTH 280
#define LEAST_LABEL_WIDTH 120
#define LEVER_ROOM 120 /* along the line, from its middle */
#define ARC_ROOM 75
#define LABEL_ALONG 0.66 /* where along the line: below the cards, above the minimap and the scale bar */

#define PAUSE_PX 84 /* from the middle of the line to the sign that the pin is paused */
#define HATCH_PX 22

static const GdkRGBA pause_color = { 1, 0.69f, 0, 1 }; /* as the badges of what is not to be taken for final */

/* --- the picture --- */

/* The part of the line that is seen, in pixels from its middle. */
static void
get_chord(const VtWipeLine *line, double *from, double *to)
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
get_side_box(const VtWipeLine *line, gboolean of_pin)
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
    if ((of_pin ? 1 : -1) * vt_wipe_line_get_depth(line, x, y) >= 0)
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
push_side(GtkSnapshot *snapshot, const VtWipeLine *line, gboolean of_pin)
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

/* The outline of level-0 pixels as it is seen. */
static void
add_box(VtCanvas *self, cairo_t *cr, double scale, const double box[4])
{
  for (int i = 0; i < 4; i++) {
    double x, y;
    vt_viewport_from_l0(&self->view, box[i == 1 || i == 2 ? 2 : 0], box[i > 1 ? 3 : 1], &x, &y);
    cairo_line_to(cr, x / scale, y / scale);
  }
  cairo_close_path(cr);
}

/* A pin that is paused has no pixels beyond those that it had then. Hatched as nothing else is: a tile that cannot be read is red on grey. */
static void
draw_missing(VtCanvas *self, GtkSnapshot *snapshot, const VtWipeLine *line)
{
  const double slide[4] = { 0, 0, (double)self->width_l0, (double)self->height_l0 };
  if (!self->wipe.paused || !self->wipe.has_area)
    return;
  vt_paint_flush(snapshot);
  cairo_t *cr = gtk_snapshot_append_cairo(snapshot, &GRAPHENE_RECT_INIT(0, 0, (float)line->width, (float)line->height));
  const double scale = self->view.width_px / line->width;
  add_box(self, cr, scale, slide);
  cairo_clip(cr);
  cairo_set_fill_rule(cr, CAIRO_FILL_RULE_EVEN_ODD);
  cairo_rectangle(cr, 0, 0, line->width, line->height);
  add_box(self, cr, scale, self->wipe.area);
  cairo_clip(cr);
  for (double x = -line->height; x < line->width; x += HATCH_PX) {
    cairo_move_to(cr, x, 0);
    cairo_line_to(cr, x + line->height, line->height);
  }
  cairo_set_source_rgba(cr, 1, 1, 1, 0.75);
  cairo_set_line_width(cr, 5);
  cairo_stroke_preserve(cr);
  gdk_cairo_set_source_rgba(cr, &pause_color);
  cairo_set_line_width(cr, 2);
  cairo_stroke(cr);
  cairo_destroy(cr);
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
  vt_canvas_draw_stack(self, snapshot, vt_canvas_get_others(self), part, seen);
  gtk_snapshot_pop(snapshot);
  gtk_snapshot_append_color(snapshot, &(GdkRGBA){ 0 }, &GRAPHENE_RECT_INIT(0, 0, 1, 1));
  vt_canvas_draw_stack(self, snapshot, self->wipe.layers, part, seen);
  gtk_snapshot_pop(snapshot);
}

/* The slide is drawn once, and not cut, unless a layer blends with it. */
void
vt_canvas_draw_compared(VtCanvas *self, GtkSnapshot *snapshot)
{
  const VtStackPart part =
    blends(vt_canvas_get_others(self)) || blends(self->wipe.layers) ? VT_STACK_WHOLE : VT_STACK_WITHOUT_SLIDE;
  const VtWipeLine line = vt_wipe_line_get(self);
  const graphene_rect_t pin_box = get_side_box(&line, TRUE), now_box = get_side_box(&line, FALSE);
  if (part == VT_STACK_WITHOUT_SLIDE)
    vt_canvas_draw_stack(self, snapshot, self->layers, VT_STACK_SLIDE, NULL);
  if (self->wipe.key) {
    vt_canvas_draw_stack(self, snapshot, self->wipe.layers, part, NULL);
    draw_missing(self, snapshot, &line);
    return;
  }
  if (self->wipe.is_difference) {
    gtk_snapshot_push_blend(snapshot, GSK_BLEND_MODE_DIFFERENCE);
    vt_canvas_draw_stack(self, snapshot, vt_canvas_get_others(self), VT_STACK_WHOLE, NULL);
    gtk_snapshot_pop(snapshot);
    vt_canvas_draw_stack(self, snapshot, self->wipe.layers, VT_STACK_WHOLE, NULL);
    gtk_snapshot_pop(snapshot);
    draw_missing(self, snapshot, &line);
    return;
  }
  push_side(snapshot, &line, TRUE);
  draw_pin(self, snapshot, part, &pin_box);
  draw_missing(self, snapshot, &line);
  pop_side(snapshot);
  push_side(snapshot, &line, FALSE);
  vt_canvas_draw_stack(self, snapshot, vt_canvas_get_others(self), part, &now_box);
  pop_side(snapshot);
}

/* --- the widget on it --- */

/* Two bars on the pin's side, beside the knobs. */
static void
draw_pause(GtkSnapshot *snapshot, const VtWipeLine *line)
{
  const float x = (float)round(line->x + PAUSE_PX * line->to_pin_x - PAUSE_PX / 6.0 * line->along_x);
  const float y = (float)round(line->y + PAUSE_PX * line->to_pin_y - PAUSE_PX / 6.0 * line->along_y);
  GskRoundedRect round;
  gsk_rounded_rect_init_from_rect(&round, &GRAPHENE_RECT_INIT(x - 13, y - 13, 26, 26), 6);
  gtk_snapshot_push_rounded_clip(snapshot, &round);
  gtk_snapshot_append_color(snapshot, &pause_color, &round.bounds);
  gtk_snapshot_pop(snapshot);
  for (int i = 0; i < 2; i++)
    gtk_snapshot_append_color(snapshot, &(GdkRGBA){ 0, 0, 0, 0.9f }, &GRAPHENE_RECT_INIT(x - 6 + 7 * i, y - 7, 5, 14));
}

static void
draw_line(GtkSnapshot *snapshot, const VtWipeLine *line)
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
draw_handles(GtkSnapshot *snapshot, const VtWipeLine *line, double share)
{
  const float reach = VT_WIPE_LEVER_PX + 12;
  double lever_x, lever_y, x, y;
  cairo_t *cr = gtk_snapshot_append_cairo(
    snapshot, &GRAPHENE_RECT_INIT((float)line->x - reach, (float)line->y - reach, 2 * reach, 2 * reach));
  cairo_new_path(cr);
  for (int i = 0; i <= 12; i++) {
    vt_wipe_line_get_arc(line, i / 12.0, &x, &y);
    cairo_line_to(cr, x, y);
  }
  stroke_with_halo(cr, 1.5);
  vt_wipe_line_get_lever(line, &lever_x, &lever_y);
  cairo_move_to(cr, line->x, line->y);
  cairo_line_to(cr, lever_x, lever_y);
  stroke_with_halo(cr, 4);
  vt_wipe_line_get_arc(line, share, &x, &y);
  draw_knob(cr, lever_x, lever_y, 6, FALSE);
  draw_knob(cr, x, y, 6, TRUE);
  draw_knob(cr, line->x, line->y, 8, FALSE);
  cairo_destroy(cr);
}

static void
get_label_point(const VtWipeLine *line, double *x, double *y)
{
  double from, to;
  get_chord(line, &from, &to);
  const gboolean is_down = line->along_y > 0 || (line->along_y == 0 && line->along_x > 0);
  double t = 0;
  for (int i = 0; i < 2 && t < LEVER_ROOM && -t < ARC_ROOM; i++) /* the handles stay free */
    t = from + (to - from) * (is_down == (i == 0) ? LABEL_ALONG : 1 - LABEL_ALONG);
  *x = line->x + t * line->along_x;
  *y = line->y + t * line->along_y;
}

/* "Pinned" of "Pinned: Threshold 0.10 OD". Owned. */
static char *
dup_first_word(const char *text)
{
  const char *end = strpbrk(text, ": ");
  return end ? g_strndup(text, (gsize)(end - text)) : g_strdup(text);
}

/* Wholly on its side of the line; where there is no room, its first word, or nothing: a label on the other side would lie. */
static void
draw_label(VtCanvas *self, GtkSnapshot *snapshot, const VtWipeLine *line, const char *text, gboolean of_pin)
{
  const double side = of_pin ? 1 : -1, away_x = side * line->to_pin_x, away_y = side * line->to_pin_y;
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), text);
  g_autofree char *word = dup_first_word(text);
  int width, height;
  double x, y;
  get_label_point(line, &x, &y);
  const double room =
    fabs(away_x) > 0.7 ? (away_x > 0 ? line->width - x : x) / fabs(away_x) - 2 * LABEL_GAP - 12 : LABEL_WIDTH;
  pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
  if (room < LEAST_LABEL_WIDTH)
    pango_layout_set_text(layout, word, -1);
  else
    pango_layout_set_width(layout, (int)(MIN(room, LABEL_WIDTH) * PANGO_SCALE));
  pango_layout_get_pixel_size(layout, &width, &height);
  const double half_width = width / 2.0 + 6, half_height = height / 2.0 + 2;
  const double out = LABEL_GAP + fabs(away_x) * half_width + fabs(away_y) * half_height;
  x = CLAMP(x + out * away_x, half_width + 4, MAX(line->width - half_width - 4, half_width + 4));
  y = CLAMP(y + out * away_y, half_height + 4, MAX(line->height - half_height - 4, half_height + 4));
  if (side * vt_wipe_line_get_depth(line, x, y) < fabs(away_x) * half_width + fabs(away_y) * half_height)
    return;
  vt_canvas_draw_label(snapshot, layout, (float)floor(x - half_width), (float)floor(y - half_height));
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
  const VtWipeLine line = vt_wipe_line_get(self);
  if (!vt_canvas_get_comparing(self))
    return;
  if (self->wipe.key) {
    draw_key_label(self, snapshot, self->wipe.pinned);
    return;
  }
  if (self->wipe.is_difference) {
    g_autofree char *text = vt_canvas_dup_difference(self);
    draw_key_label(self, snapshot, text);
    return;
  }
  if (self->wipe.paused)
    draw_pause(snapshot, &line);
  draw_line(snapshot, &line);
  if (!self->recording)
    draw_handles(snapshot, &line, self->wipe.share);
  const char *rest = self->wipe.others ? _("%s · %.0f %%, the rest is B") : _("%s · %.0f %%, the rest is now");
  g_autofree char *mixed =
    self->wipe.share < 1 ? g_strdup_printf(rest, self->wipe.pinned, 100 * self->wipe.share) : NULL;
  draw_label(self, snapshot, &line, mixed ? mixed : self->wipe.pinned, TRUE);
  draw_label(self, snapshot, &line, self->wipe.now, FALSE);
}
