/* SPDX-License-Identifier: MIT
 *
 * The corners of the selected region: a hand drags one, or the middle of an edge, which becomes one; Backspace removes the one under the
 * pointer. Lines and points likewise. Only where they are far enough apart to be told from one another, and not of a region that is locked. A cross in the middle of its bounds
 * moves all of it: in the middle of the bounds of an area, else above the first point. */
#include "canvas/vt-canvas-private.h"

#include <glib/gi18n.h>
#include <math.h>

#include "layers/vt-roi-item.h"

#define HANDLE_PX 6      /* logical: how near takes hold */
#define SPACING_PX 14    /* of corners, on average; closer ones have no handles */
#define MIDDLE_PX 40     /* an edge that is shorter has none in its middle */
#define CROSS_PX 8       /* how near takes the cross, and half its size */
#define LEAST_PX 48      /* a region that is smaller has none */
#define ABOVE_PX 24      /* the cross of a line or points is so far above the first of them */
#define MOST_POINTS 1000 /* a larger set has no handles */

/* A corner, or the middle of the edge from it to the next one. */
typedef struct {
  guint ring, point; /* point: of all rings */
  guint next;
  gboolean is_middle;
} Handle;

static VtRoiItem *
get_item(VtCanvas *self)
{
  VtRoiItem *item = self->selected_rois && self->selected_rois->len == 1 ? self->selected_rois->pdata[0] : NULL;
  const VtRoi *roi = item ? vt_roi_item_get_roi(item) : NULL;
  return roi && !roi->is_locked && !roi->is_hidden && !self->rois_hidden && self->tool == VT_TOOL_MOVE ? item : NULL;
}

static void
to_screen(VtCanvas *self, const VtRoi *roi, guint point, double *x, double *y)
{
  const double *p = &g_array_index(roi->points, double, 2 * point);
  const int scale = gtk_widget_get_scale_factor(GTK_WIDGET(self));
  vt_viewport_from_l0(&self->view, p[0], p[1], x, y);
  *x /= scale;
  *y /= scale;
}

static gboolean
has_handles(VtCanvas *self, const VtRoi *roi)
{
  double x, y, width, height;
  const double zoom = 1 / (self->view.downsample * gtk_widget_get_scale_factor(GTK_WIDGET(self)));
  if (roi->kind == VT_SHAPE_POINTS)
    return roi->points->len / 2 <= MOST_POINTS;
  vt_roi_get_bounds(roi, &x, &y, &width, &height);
  return 2 * (width + height) * zoom >= SPACING_PX * (double)(roi->points->len / 2);
}

/* Where the cross is; FALSE: it has none. */
static gboolean
find_cross(VtCanvas *self, const VtRoi *roi, double *x, double *y)
{
  double left, top, width, height;
  const int scale = gtk_widget_get_scale_factor(GTK_WIDGET(self));
  if (roi->kind != VT_SHAPE_AREA) {
    to_screen(self, roi, 0, x, y);
    *y -= ABOVE_PX;
    return TRUE;
  }
  vt_roi_get_bounds(roi, &left, &top, &width, &height);
  vt_viewport_from_l0(&self->view, left + width / 2, top + height / 2, x, y);
  *x /= scale;
  *y /= scale;
  return MIN(width, height) >= LEAST_PX * self->view.downsample * scale;
}

static gboolean
is_on_cross(VtCanvas *self, double x, double y)
{
  double cross_x, cross_y;
  VtRoiItem *item = get_item(self);
  return item && find_cross(self, vt_roi_item_get_roi(item), &cross_x, &cross_y)
         && hypot(x - cross_x, y - cross_y) <= CROSS_PX;
}

/* TRUE: ends. */
typedef gboolean (*EachHandle)(VtCanvas *self, const Handle *handle, double x, double y, gpointer user);

static gboolean
for_each_handle(VtCanvas *self, const VtRoi *roi, EachHandle each, gpointer user)
{
  guint first = 0;
  for (guint ring = 0; ring < roi->ring_sizes->len; ring++) {
    const guint n = g_array_index(roi->ring_sizes, guint32, ring);
    for (guint i = 0; i < n; i++) {
      Handle handle = { ring, first + i, first + (i + 1) % n, FALSE };
      double x, y, next_x, next_y;
      to_screen(self, roi, handle.point, &x, &y);
      to_screen(self, roi, handle.next, &next_x, &next_y);
      if (each(self, &handle, x, y, user))
        return TRUE;
      handle.is_middle = TRUE;
      if (roi->kind == VT_SHAPE_POINTS || (roi->kind == VT_SHAPE_LINE && i + 1 == n))
        continue; /* no edge begins here */
      if (hypot(next_x - x, next_y - y) >= MIDDLE_PX && each(self, &handle, (x + next_x) / 2, (y + next_y) / 2, user))
        return TRUE;
    }
    first += n;
  }
  return FALSE;
}

typedef struct {
  double x, y;
  Handle found;
} Search;

static gboolean
is_here(VtCanvas *self, const Handle *handle, double x, double y, gpointer user)
{
  Search *search = user;
  if (hypot(x - search->x, y - search->y) > HANDLE_PX)
    return FALSE;
  search->found = *handle;
  return TRUE;
}

static gboolean
find(VtCanvas *self, double x, double y, Handle *handle)
{
  VtRoiItem *item = get_item(self);
  Search search = { x, y, { 0 } };
  const VtRoi *roi = item ? vt_roi_item_get_roi(item) : NULL;
  if (!roi || !has_handles(self, roi) || !for_each_handle(self, roi, is_here, &search))
    return FALSE;
  *handle = search.found;
  return TRUE;
}

gboolean
vt_canvas_is_on_vertex(VtCanvas *self, double x, double y)
{
  Handle handle;
  return find(self, x, y, &handle) || is_on_cross(self, x, y);
}

/* No two points that follow one another are at one place. */
static gboolean
is_sound_line(const VtRoi *line)
{
  const double *p = (const double *)(gpointer)line->points->data;
  for (guint k = 0; k < line->ring_sizes->len; k++) {
    const guint n = g_array_index(line->ring_sizes, guint32, k);
    for (guint i = 1; i < n; i++)
      if (p[2 * i] == p[2 * i - 2] && p[2 * i + 1] == p[2 * i - 1])
        return FALSE;
    p += 2 * (gsize)n;
  }
  return TRUE;
}

/* Parts and holes stay what they are: each ring runs as before, or the outline is refused. */
static gboolean
is_sound(const VtRoi *before, const VtRoi *after)
{
  g_autofree guint8 *is_hole = g_new0(guint8, after->ring_sizes->len);
  const double *p = (const double *)(gpointer)after->points->data,
               *old = (const double *)(gpointer)before->points->data;
  for (guint i = 0; i < after->ring_sizes->len; i++) {
    const guint n = g_array_index(after->ring_sizes, guint32, i), m = g_array_index(before->ring_sizes, guint32, i);
    is_hole[i] = vt_ring_get_turn(old, m) < 0;
    if (vt_ring_get_turn(p, n) == 0 || (vt_ring_get_turn(p, n) < 0) != is_hole[i])
      return FALSE;
    p += 2 * (gsize)n;
    old += 2 * (gsize)m;
  }
  return vt_roi_is_plain(after, is_hole);
}

static void
hand_over(VtCanvas *self, VtRoiItem *item, VtRoi *shape)
{
  const VtRoi *before = vt_roi_item_get_roi(item);
  if (shape->kind == VT_SHAPE_LINE && !is_sound_line(shape))
    g_signal_emit_by_name(self, "failed", _("Two points of the line would be one: it stays as it was."));
  else if (shape->kind == VT_SHAPE_AREA && !is_sound(before, shape))
    g_signal_emit_by_name(self, "failed", _("The outline would cross itself: it stays as it was."));
  else
    g_signal_emit_by_name(self, "roi-reshaped", item, shape);
  vt_roi_free(shape);
}

static gboolean
take_cross(VtCanvas *self, double x, double y)
{
  const int scale = gtk_widget_get_scale_factor(GTK_WIDGET(self));
  if (!is_on_cross(self, x, y))
    return FALSE;
  VtRoiItem *item = get_item(self);
  vt_viewport_to_l0(&self->view, x * scale, y * scale, &self->grip_x, &self->grip_y);
  self->vertex = VT_ALL_VERTICES;
  self->reshaped = vt_roi_copy(vt_roi_item_get_roi(item));
  self->reshaped_item = g_object_ref(item);
  return TRUE;
}

gboolean
vt_canvas_take_vertex(VtCanvas *self, double x, double y)
{
  Handle handle;
  if (!find(self, x, y, &handle))
    return take_cross(self, x, y);
  VtRoiItem *item = get_item(self);
  VtRoi *shape = vt_roi_copy(vt_roi_item_get_roi(item));
  self->vertex = handle.point;
  if (handle.is_middle) {
    const double *a = &g_array_index(shape->points, double, 2 * handle.point);
    const double *b = &g_array_index(shape->points, double, 2 * handle.next);
    const double middle[2] = { round((a[0] + b[0]) / 2), round((a[1] + b[1]) / 2) };
    self->vertex = handle.point + 1;
    g_array_insert_vals(shape->points, 2 * self->vertex, middle, 2);
    g_array_index(shape->ring_sizes, guint32, handle.ring)++;
  }
  self->reshaped = shape;
  self->reshaped_item = g_object_ref(item);
  return TRUE;
}

/* By whole pixels, as far as the slide goes; what reaches beyond it already may come back, and goes no farther. */
static double
get_shift(double by, double begin, double end, double limit)
{
  return round(CLAMP(by, MIN(-begin, 0), MAX(limit - end, 0)));
}

static void
move_all(VtCanvas *self, double x, double y)
{
  const int scale = gtk_widget_get_scale_factor(GTK_WIDGET(self));
  const VtRoi *from = vt_roi_item_get_roi(self->reshaped_item);
  double x_l0, y_l0, left, top, width, height;
  vt_viewport_to_l0(&self->view, x * scale, y * scale, &x_l0, &y_l0);
  vt_roi_get_bounds(from, &left, &top, &width, &height);
  const double dx = get_shift(x_l0 - self->grip_x, left, left + width, (double)self->width_l0);
  const double dy = get_shift(y_l0 - self->grip_y, top, top + height, (double)self->height_l0);
  for (guint i = 0; i < from->points->len; i++)
    g_array_index(self->reshaped->points, double, i) = g_array_index(from->points, double, i) + (i % 2 ? dy : dx);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
vt_canvas_pull_vertex(VtCanvas *self, double x, double y)
{
  const int scale = gtk_widget_get_scale_factor(GTK_WIDGET(self));
  if (self->vertex == VT_ALL_VERTICES) {
    move_all(self, x, y);
    return;
  }
  double *p = &g_array_index(self->reshaped->points, double, 2 * self->vertex);
  vt_viewport_to_l0(&self->view, x * scale, y * scale, &p[0], &p[1]);
  vt_canvas_snap(self, self->reshaped_item, &p[0], &p[1]);
  p[0] = round(CLAMP(p[0], 0, (double)self->width_l0));
  p[1] = round(CLAMP(p[1], 0, (double)self->height_l0));
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
vt_canvas_let_go_of_vertex(VtCanvas *self, gboolean keep)
{
  g_autoptr(VtRoiItem) item = g_steal_pointer(&self->reshaped_item);
  VtRoi *shape = g_steal_pointer(&self->reshaped);
  const gboolean is_kept = shape && keep && get_item(self) == item;
  if (is_kept && self->vertex != VT_ALL_VERTICES) {
    hand_over(self, item, shape);
  } else {
    if (is_kept) /* whatever it is, it is the same elsewhere */
      g_signal_emit_by_name(self, "roi-reshaped", item, shape);
    g_clear_pointer(&shape, vt_roi_free);
  }
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

gboolean
vt_canvas_remove_vertex(VtCanvas *self, double x, double y)
{
  static const guint least[] = { [VT_SHAPE_AREA] = 3, [VT_SHAPE_LINE] = 2, [VT_SHAPE_POINTS] = 1 };
  static const char *const words[] = {
    [VT_SHAPE_AREA] = N_("An outline has at least three corners: it stays as it was."),
    [VT_SHAPE_LINE] = N_("A line has at least two points: it stays as it was."),
    [VT_SHAPE_POINTS] = N_("This is the last of the points: Delete removes them."),
  };
  Handle handle;
  if (!find(self, x, y, &handle) || handle.is_middle)
    return FALSE;
  VtRoiItem *item = get_item(self);
  VtRoi *shape = vt_roi_copy(vt_roi_item_get_roi(item));
  guint32 *size = &g_array_index(shape->ring_sizes, guint32, handle.ring);
  if (*size <= least[shape->kind]) {
    g_signal_emit_by_name(self, "failed", _(words[shape->kind]));
    vt_roi_free(shape);
    return TRUE;
  }
  --*size;
  g_array_remove_range(shape->points, 2 * handle.point, 2);
  hand_over(self, item, shape);
  return TRUE;
}

static gboolean
draw_handle(VtCanvas *self, const Handle *handle, double x, double y, gpointer snapshot)
{
  static const GdkRGBA dark = { 0, 0, 0, 1 }, light = { 1, 0.87f, 0.2f, 1 };
  const float side = handle->is_middle ? 2 : 3.5f;
  const float left = (float)x - side, top = (float)y - side;
  gtk_snapshot_append_color(snapshot, &dark, &GRAPHENE_RECT_INIT(left - 1, top - 1, 2 * side + 2, 2 * side + 2));
  gtk_snapshot_append_color(snapshot, &light, &GRAPHENE_RECT_INIT(left, top, 2 * side, 2 * side));
  return FALSE;
}

static void
draw_cross(VtCanvas *self, const VtRoi *roi, GtkSnapshot *snapshot)
{
  static const GdkRGBA dark = { 0, 0, 0, 1 }, light = { 1, 0.87f, 0.2f, 1 };
  double x, y;
  if (!find_cross(self, roi, &x, &y))
    return;
  for (int i = 0; i < 4; i++) { /* both bars in the dark, a pixel wider, before both in the light */
    const float rim = i < 2 ? 1 : 0, length = CROSS_PX + rim, half = 1 + rim;
    const float width = i % 2 ? length : half, height = i % 2 ? half : length;
    gtk_snapshot_append_color(snapshot, i < 2 ? &dark : &light,
                              &GRAPHENE_RECT_INIT((float)x - width, (float)y - height, 2 * width, 2 * height));
  }
}

void
vt_canvas_draw_vertices(VtCanvas *self, GtkSnapshot *snapshot)
{
  VtRoiItem *item = get_item(self);
  const VtRoi *roi = self->reshaped ? self->reshaped : item ? vt_roi_item_get_roi(item) : NULL;
  if (roi && has_handles(self, roi))
    for_each_handle(self, roi, draw_handle, snapshot);
  if (roi)
    draw_cross(self, roi, snapshot);
}
