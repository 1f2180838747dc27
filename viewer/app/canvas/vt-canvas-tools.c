/* SPDX-License-Identifier: MIT
 *
 * Drawing regions: rectangle and ellipse by a drag, a polygon by clicks and freehand, a brush, a wand; a line by a drag or by clicks, points by clicks. Objects are drawn as polygons are, and a line that divides one.
 * By keys, corners are put at the middle of the view, under which the slide moves.
 * Shapes never leave the slide. */
#include "canvas/vt-canvas-private.h"

#include <math.h>

#include "base/vt-define.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "run/vt-roi-sets.h"

#define CLOSE_PX 6    /* logical pixels: a click so near to the first or the last vertex closes */
#define FREEHAND_PX 3 /* between the vertices of a drag */
#define ELLIPSE_VERTICES 96

VT_GETTER(VtTool, vt_canvas_get_tool, VtCanvas, tool)

void
vt_canvas_set_tool(VtCanvas *self, VtTool tool)
{
  if (self->tool == tool)
    return;
  vt_canvas_drop_shape(self);
  self->tool = tool;
  vt_canvas_update_cursor(self);
  g_object_notify(G_OBJECT(self), "tool");
}

gboolean
vt_canvas_is_drawing(VtCanvas *self)
{
  return self->drag == VT_DRAG_RECTANGLE || self->drag == VT_DRAG_POLYGON || self->outline->len > 0 || self->reshaped;
}

void
vt_canvas_drop_shape(VtCanvas *self)
{
  if (self->drag == VT_DRAG_RECTANGLE || self->drag == VT_DRAG_POLYGON || self->drag == VT_DRAG_VERTEX)
    self->drag = VT_DRAG_NONE;
  vt_canvas_let_go_of_vertex(self, FALSE);
  self->by_keys = FALSE;
  g_array_set_size(self->outline, 0);
  vt_canvas_clear_wand(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

gboolean
vt_canvas_escape(VtCanvas *self)
{
  const gboolean any = vt_canvas_is_drawing(self) || self->tool != VT_TOOL_MOVE || vt_canvas_get_wipe(self);
  if (vt_canvas_is_drawing(self))
    vt_canvas_drop_shape(self);
  else if (self->tool != VT_TOOL_MOVE)
    vt_canvas_set_tool(self, VT_TOOL_MOVE);
  else
    vt_canvas_set_wipe(self, FALSE);
  gtk_widget_queue_draw(GTK_WIDGET(self));
  return any;
}

static gboolean
draws_vertices(VtTool tool)
{
  return tool == VT_TOOL_POLYGON || tool == VT_TOOL_LINE || tool == VT_TOOL_POINTS || tool >= VT_TOOL_OBJECT;
}

/* What is drawn freehand, and round shapes, go where the hand goes. */
static gboolean
may_snap(VtCanvas *self)
{
  return self->tool == VT_TOOL_RECTANGLE || self->tool == VT_TOOL_LINE
         || (draws_vertices(self->tool) && !self->freehand);
}

/* Not beyond the slide's edges. */
static void
point_to_l0(VtCanvas *self, double x, double y, double *x_l0, double *y_l0)
{
  const int scale = gtk_widget_get_scale_factor(GTK_WIDGET(self));
  vt_viewport_to_l0(&self->view, x * scale, y * scale, x_l0, y_l0);
  if (may_snap(self))
    vt_canvas_snap(self, NULL, x_l0, y_l0);
  *x_l0 = CLAMP(*x_l0, 0, (double)self->width_l0);
  *y_l0 = CLAMP(*y_l0, 0, (double)self->height_l0);
}

static gboolean
is_near(VtCanvas *self, guint vertex, double x, double y, double reach_px)
{
  const double *p = &g_array_index(self->outline, double, 2 * vertex);
  const int scale = gtk_widget_get_scale_factor(GTK_WIDGET(self));
  double its_x, its_y;
  vt_viewport_from_l0(&self->view, p[0], p[1], &its_x, &its_y);
  return hypot(its_x / scale - x, its_y / scale - y) <= reach_px;
}

/* On whole pixels; not the same one twice. */
static void
add_vertex(VtCanvas *self, double x, double y)
{
  double p[2];
  point_to_l0(self, x, y, &p[0], &p[1]);
  p[0] = round(p[0]);
  p[1] = round(p[1]);
  const double *last = self->outline->len > 0 ? &g_array_index(self->outline, double, self->outline->len - 2) : NULL;
  if (!last || last[0] != p[0] || last[1] != p[1])
    g_array_append_vals(self->outline, p, 2);
}

/* Its points keep their order. */
static VtRoi *
shape_new(VtShapeKind kind, const GArray *points)
{
  return vt_roi_new_shape(kind, (const double *)(gpointer)points->data, points->len / 2);
}

/* By its line an object is divided, or it is a line. */
static void
finish_line(VtCanvas *self)
{
  VtRoi *line = self->outline->len >= 4 ? shape_new(VT_SHAPE_LINE, self->outline) : NULL;
  vt_canvas_drop_shape(self);
  if (line)
    vt_canvas_emit_roi(self, line);
  else
    g_signal_emit_by_name(self, "failed",
                          self->tool == VT_TOOL_SPLIT ? _("A line has at least two points: nothing was divided.")
                                                      : _("A line has at least two points: nothing was added."));
}

/* An outline that crosses itself may be right but for a loop at its ends: it is made valid rather than refused, and that is said. */
static void
close_polygon(VtCanvas *self)
{
  const guint n = self->outline->len / 2;
  const double *points = (const double *)(gpointer)self->outline->data;
  const guint8 no_hole = 0;
  guint n_parts = 1;
  g_autofree char *sentence = NULL;
  g_autoptr(GError) error = NULL;
  if (self->tool == VT_TOOL_SPLIT || self->tool == VT_TOOL_LINE) {
    finish_line(self);
    return;
  }
  g_autoptr(VtRoi) roi = n >= 3 ? vt_roi_new_polygon(NULL, points, n) : NULL;
  if (roi && (vt_ring_get_turn(points, n) == 0 || !vt_roi_is_plain(roi, &no_hole))) {
    vt_roi_free(roi);
    roi = vt_roi_new_enclosed(points, n, &n_parts, &error);
    if (roi)
      sentence =
        g_strdup_printf(g_dngettext(NULL, "The outline crosses itself: what it goes round was taken, %u part.",
                                    "The outline crosses itself: what it goes round was taken, %u parts.", n_parts),
                        n_parts);
  }
  if (n < 3)
    sentence = g_strdup(_("A polygon has at least three corners: nothing was added."));
  else if (error)
    sentence = g_strdup(vt_translate(error->message));
  else if (!roi)
    sentence = g_strdup(_("This outline has no area: nothing was added."));
  vt_canvas_drop_shape(self);
  if (roi)
    vt_canvas_emit_roi(self, g_steal_pointer(&roi));
  if (sentence)
    g_signal_emit_by_name(self, "failed", sentence);
}

gboolean
vt_canvas_take_shape_key(VtCanvas *self, guint key)
{
  if (key == GDK_KEY_Escape && (vt_canvas_is_drawing(self) || self->tool != VT_TOOL_MOVE)) {
    vt_canvas_escape(self);
    return TRUE;
  }
  if (key == GDK_KEY_BackSpace && !vt_canvas_is_drawing(self) && self->has_pointer)
    return vt_canvas_remove_vertex(self, self->pointer_x, self->pointer_y);
  if (self->outline->len == 0)
    return FALSE;
  if (key == GDK_KEY_Return || key == GDK_KEY_KP_Enter)
    close_polygon(self);
  else if (key == GDK_KEY_BackSpace)
    g_array_set_size(self->outline, self->outline->len - 2);
  else
    return FALSE;
  gtk_widget_queue_draw(GTK_WIDGET(self));
  return TRUE;
}

void
vt_canvas_begin_shape(VtCanvas *self, double x, double y, GdkModifierType keys)
{
  if (self->outline->len == 0)
    self->shape_use = self->tool >= VT_TOOL_OBJECT ? VT_SHAPE_IS_OBJECT + (self->tool - VT_TOOL_OBJECT)
                      : keys & GDK_SHIFT_MASK      ? VT_SHAPE_ADDS
                      : keys & GDK_ALT_MASK        ? VT_SHAPE_TAKES_AWAY
                                                   : VT_SHAPE_IS_NEW;
  self->drag = draws_vertices(self->tool) || self->tool == VT_TOOL_BRUSH || self->tool == VT_TOOL_WAND
                 ? VT_DRAG_POLYGON
                 : VT_DRAG_RECTANGLE;
  self->freehand = self->by_keys = FALSE;
  self->began_by_hand = self->outline->len == 0;
  point_to_l0(self, x, y, &self->draft_x0_l0, &self->draft_y0_l0);
  self->draft_x1_l0 = self->draft_x0_l0;
  self->draft_y1_l0 = self->draft_y0_l0;
  if (self->tool == VT_TOOL_WAND)
    vt_canvas_begin_wand(self, x, y);
}

void
vt_canvas_pull_shape(VtCanvas *self, double x, double y)
{
  point_to_l0(self, x, y, &self->draft_x1_l0, &self->draft_y1_l0);
  if (self->tool == VT_TOOL_WAND) {
    vt_canvas_pull_wand(self, x, y);
    return;
  }
  if (self->drag == VT_DRAG_POLYGON && self->tool != VT_TOOL_POINTS) {
    if (self->tool == VT_TOOL_LINE && self->began_by_hand) /* straight, from where the hand came down to where it is */
      g_array_set_size(self->outline, MIN(self->outline->len, 2));
    const guint n = self->outline->len / 2;
    if (n == 0 || !is_near(self, n - 1, x, y, FREEHAND_PX))
      add_vertex(self, x, y);
    self->freehand = TRUE;
  }
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static VtRoi *
make_box(VtCanvas *self)
{
  const double x0 = round(MIN(self->draft_x0_l0, self->draft_x1_l0)),
               x1 = round(MAX(self->draft_x0_l0, self->draft_x1_l0));
  const double y0 = round(MIN(self->draft_y0_l0, self->draft_y1_l0)),
               y1 = round(MAX(self->draft_y0_l0, self->draft_y1_l0));
  double points[2 * ELLIPSE_VERTICES];
  if (self->tool != VT_TOOL_ELLIPSE)
    return vt_roi_new_rectangle(NULL, x0, y0, x1 - x0, y1 - y0);
  for (guint i = 0; i < ELLIPSE_VERTICES; i++) {
    const double angle = 2 * G_PI * i / ELLIPSE_VERTICES;
    points[2 * i] = (x0 + x1 + (x1 - x0) * cos(angle)) / 2;
    points[2 * i + 1] = (y0 + y1 + (y1 - y0) * sin(angle)) / 2;
  }
  return vt_roi_new_polygon(NULL, points, ELLIPSE_VERTICES);
}

static void
finish_box(VtCanvas *self)
{
  double x, y, width, height;
  g_autoptr(VtRoi) roi = make_box(self);
  vt_roi_get_bounds(roi, &x, &y, &width, &height);
  if (width >= 1 && height >= 1)
    vt_canvas_emit_roi(self, g_steal_pointer(&roi));
}

/* A click is a dot. Nothing of it lies outside of the slide. */
static void
finish_stroke(VtCanvas *self, double x, double y)
{
  const double radius = VT_BRUSH_PX * gtk_widget_get_scale_factor(GTK_WIDGET(self)) * self->view.downsample;
  g_autoptr(VtRoi) slide = vt_roi_new_rectangle(NULL, 0, 0, (double)self->width_l0, (double)self->height_l0);
  g_autoptr(GError) error = NULL;
  if (self->outline->len == 0)
    add_vertex(self, x, y);
  const double *points = (const double *)(gpointer)self->outline->data;
  g_autoptr(VtRoi) stroke = vt_roi_new_stroke(points, self->outline->len / 2, radius, &error);
  VtRoi *roi = stroke ? vt_roi_combine(stroke, slide, VT_ROI_INTERSECTION, &error) : NULL;
  vt_canvas_drop_shape(self);
  if (roi)
    vt_canvas_emit_roi(self, roi);
  else if (error)
    g_signal_emit_by_name(self, "failed", vt_translate(error->message));
}

void
vt_canvas_end_shape(VtCanvas *self, double x, double y, gboolean is_click)
{
  const guint n = self->outline->len / 2;
  const gboolean is_closed = self->tool != VT_TOOL_LINE && n >= 3 && is_near(self, 0, x, y, CLOSE_PX);
  if (self->tool == VT_TOOL_WAND) {
    vt_canvas_end_wand(self);
  } else if (self->tool == VT_TOOL_BRUSH) {
    finish_stroke(self, x, y);
  } else if (self->tool == VT_TOOL_POINTS) {
    g_array_set_size(self->outline, 0);
    add_vertex(self, x, y);
    VtRoi *point = shape_new(VT_SHAPE_POINTS, self->outline);
    vt_canvas_drop_shape(self);
    vt_canvas_emit_roi(self, point);
  } else if (!draws_vertices(self->tool)) {
    if (!is_click)
      finish_box(self);
  } else if (self->freehand) {
    if (self->began_by_hand || is_closed)
      close_polygon(self);
  } else if (is_closed || (n > 0 && is_near(self, n - 1, x, y, CLOSE_PX))) {
    close_polygon(self);
  } else {
    add_vertex(self, x, y);
    vt_test_log("vertices %u", self->outline->len / 2);
  }
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
get_middle(VtCanvas *self, double *x, double *y)
{
  *x = gtk_widget_get_width(GTK_WIDGET(self)) / 2.0;
  *y = gtk_widget_get_height(GTK_WIDGET(self)) / 2.0;
}

gboolean
vt_canvas_put_corner(VtCanvas *self)
{
  double x, y;
  const gboolean is_second = self->by_keys && self->drag == VT_DRAG_RECTANGLE;
  if (!self->slide || self->tool == VT_TOOL_MOVE || (self->drag != VT_DRAG_NONE && !is_second))
    return FALSE;
  vt_canvas_finish(self);
  get_middle(self, &x, &y);
  if (!is_second)
    vt_canvas_begin_shape(self, x, y, 0);
  self->by_keys = TRUE;
  if (is_second || self->drag != VT_DRAG_RECTANGLE) {
    vt_canvas_pull_to_middle(self);
    self->drag = VT_DRAG_NONE;
    if (is_second
        && (fabs(self->draft_x1_l0 - self->draft_x0_l0) < 1 || fabs(self->draft_y1_l0 - self->draft_y0_l0) < 1))
      g_signal_emit_by_name(self, "failed", _("The two corners have no area between them: nothing was added."));
    vt_canvas_end_shape(self, x, y, !is_second);
  }
  gtk_widget_queue_draw(GTK_WIDGET(self));
  return TRUE;
}

void
vt_canvas_pull_to_middle(VtCanvas *self)
{
  double x, y;
  get_middle(self, &x, &y);
  if (self->by_keys && self->drag == VT_DRAG_RECTANGLE)
    point_to_l0(self, x, y, &self->draft_x1_l0, &self->draft_y1_l0);
}

VtRoi *
vt_canvas_dup_draft(VtCanvas *self)
{
  if (self->drag == VT_DRAG_RECTANGLE)
    return make_box(self);
  if (self->wand.draft)
    return vt_roi_copy(self->wand.draft);
  if (self->outline->len == 0 || self->tool == VT_TOOL_BRUSH)
    return NULL;
  g_autoptr(GArray) points = g_array_copy(self->outline);
  double p[2], x = self->pointer_x, y = self->pointer_y;
  if (self->by_keys)
    get_middle(self, &x, &y);
  point_to_l0(self, x, y, &p[0], &p[1]);
  if (self->tool != VT_TOOL_LINE || !self->freehand)
    g_array_append_vals(points, p, 2);
  return shape_new(self->tool == VT_TOOL_SPLIT || self->tool == VT_TOOL_LINE ? VT_SHAPE_LINE : VT_SHAPE_AREA, points);
}
