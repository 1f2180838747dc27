/* SPDX-License-Identifier: MIT
 *
 * Regions, lines and points as they are drawn, what a hand draws at the moment, and the brush. */
#include "canvas/vt-canvas-private.h"

#include <glib/gi18n.h>
#include <math.h>

#include "base/vt-define.h"
#include "layers/vt-paint.h"
#include "run/vt-roi-sets.h"

#define POINT_PX 4             /* logical: its radius */
#define CELL_PX 2              /* of points in one cell one is drawn */
#define LEAST_EDGE_PX 0.5      /* of the screen */
#define MOST_FINE_CORNERS 1500 /* of all outlines together: some 8 ms a frame (view-bench regions) */
#define MOST_DISCS 500         /* points of a larger set are squares */

static const GdkRGBA halo_color = { 0, 0, 0, 0.55f };
static const GdkRGBA roi_color = { 0, 0.82f, 1, 1 };
static const GdkRGBA selected_color = { 1, 0.87f, 0.2f, 1 };

static void
draw_frame(GtkSnapshot *snapshot, const graphene_rect_t *place, float width, const GdkRGBA *color)
{
  GskRoundedRect outline;
  float widths[4] = { width, width, width, width };
  GdkRGBA colors[4] = { *color, *color, *color, *color };
  gsk_rounded_rect_init_from_rect(&outline, place, 0);
  gtk_snapshot_append_border(snapshot, &outline, widths, colors);
}

static void
draw_region(GtkSnapshot *snapshot, const VtViewport *sheet, double scale, const double box[4], const GdkRGBA *color)
{
  graphene_rect_t place, outer;
  vt_paint_place(sheet, scale, box[0], box[1], box[0] + box[2], box[1] + box[3], &place);
  graphene_rect_inset_r(&place, -2, -2, &outer);
  draw_frame(snapshot, &outer, 4, &halo_color);
  graphene_rect_inset_r(&place, -1, -1, &outer);
  draw_frame(snapshot, &outer, 2, color);
}

typedef struct {
  double x, y;
  guint beside; /* a bit for each side of what is seen that it lies beyond */
} Corner;

static Corner
place_corner(const double *p, const VtViewport *sheet, double scale, const graphene_rect_t *seen)
{
  Corner corner = { 0 };
  vt_viewport_from_l0(sheet, p[0], p[1], &corner.x, &corner.y);
  corner.x /= scale;
  corner.y /= scale;
  if (seen)
    corner.beside = (corner.x < seen->origin.x ? 1 : 0) | (corner.x > seen->origin.x + seen->size.width ? 2 : 0)
                    | (corner.y < seen->origin.y ? 4 : 0) | (corner.y > seen->origin.y + seen->size.height ? 8 : 0);
  return corner;
}

/* A ring or a line of n corners. seen: corners without which no pixel there looks otherwise are left out: those next to the one before, and those of
 * edges beyond one side; NULL: none is. */
static void
add_ring(cairo_t *cr, const double *p, guint32 n, const VtViewport *sheet, double scale, const graphene_rect_t *seen)
{
  const double least = seen ? LEAST_EDGE_PX / scale : 0;
  Corner last = { 0 }, corner = place_corner(p, sheet, scale, seen);
  for (guint32 i = 0; i < n; i++) {
    const Corner next = i + 1 < n ? place_corner(p + 2 * (i + 1), sheet, scale, seen) : (Corner){ 0 };
    const gboolean is_inner = i > 0 && i + 1 < n;
    if (!is_inner
        || (!(last.beside & corner.beside & next.beside)
            && fabs(corner.x - last.x) + fabs(corner.y - last.y) >= least)) {
      (i == 0 ? cairo_move_to : cairo_line_to)(cr, corner.x, corner.y);
      last = corner;
    }
    corner = next;
  }
}

static void
stroke_rings(cairo_t *cr, const VtRoi *roi, const VtViewport *sheet, double scale, const graphene_rect_t *seen,
             const GdkRGBA *color)
{
  const double *p = vt_roi_get_points(roi);
  for (guint ring = 0; ring < roi->ring_sizes->len; ring++) {
    const guint32 n = vt_roi_get_ring_sizes(roi)[ring];
    add_ring(cr, p, n, sheet, scale, seen);
    if (roi->kind == VT_SHAPE_AREA)
      cairo_close_path(cr);
    p += 2 * (gsize)n;
  }
  gdk_cairo_set_source_rgba(cr, &halo_color);
  cairo_set_line_width(cr, 4);
  cairo_stroke_preserve(cr);
  gdk_cairo_set_source_rgba(cr, color);
  cairo_set_line_width(cr, 2);
  cairo_stroke(cr);
}

static void
draw_outline(GtkSnapshot *snapshot, const VtViewport *sheet, double scale, const VtRoi *roi, const double box[4],
             const GdkRGBA *color, VtRoiQuality quality)
{
  graphene_rect_t place,
    seen = GRAPHENE_RECT_INIT(0, 0, (float)(sheet->width_px / scale), (float)(sheet->height_px / scale));
  vt_paint_place(sheet, scale, box[0], box[1], box[0] + box[2], box[1] + box[3], &place);
  graphene_rect_inset(&place, -4, -4);
  if (!graphene_rect_intersection(&place, &seen, &place))
    return;
  cairo_t *cr = gtk_snapshot_append_cairo(snapshot, &place);
  cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
  if (quality == VT_ROI_QUICK)
    cairo_set_antialias(cr, CAIRO_ANTIALIAS_FAST);
  graphene_rect_inset(&seen, -4, -4);
  stroke_rings(cr, roi, sheet, scale, quality == VT_ROI_EXACT ? NULL : &seen, color);
  cairo_destroy(cr);
}

/* Those that are seen; of several on one place one. */
static void
add_points(cairo_t *cr, const VtRoi *roi, const VtViewport *sheet, double scale, double radius,
           const graphene_rect_t *seen)
{
  const guint n = roi->points->len / 2, width = (guint)(seen->size.width / CELL_PX) + 1;
  const double *p = (const double *)(gpointer)roi->points->data;
  g_autofree guint8 *taken = g_new0(guint8, (gsize)width * ((guint)(seen->size.height / CELL_PX) + 1));
  for (guint i = 0; i < n; i++) {
    double x, y;
    vt_viewport_from_l0(sheet, p[2 * i], p[2 * i + 1], &x, &y);
    x = x / scale - seen->origin.x;
    y = y / scale - seen->origin.y;
    if (x < 0 || y < 0 || x > seen->size.width || y > seen->size.height)
      continue;
    guint8 *cell = &taken[(guint)(y / CELL_PX) * (gsize)width + (guint)(x / CELL_PX)];
    if (*cell)
      continue;
    *cell = 1;
    x += seen->origin.x;
    y += seen->origin.y;
    cairo_new_sub_path(cr);
    if (n <= MOST_DISCS) /* squares are much quicker */
      cairo_arc(cr, x, y, radius, 0, 2 * G_PI);
    else
      cairo_rectangle(cr, x - radius, y - radius, 2 * radius, 2 * radius);
  }
}

static void
draw_points(GtkSnapshot *snapshot, const VtViewport *sheet, double scale, const VtRoi *roi, const double box[4],
            const GdkRGBA *color)
{
  graphene_rect_t place,
    seen = GRAPHENE_RECT_INIT(0, 0, (float)(sheet->width_px / scale), (float)(sheet->height_px / scale));
  vt_paint_place(sheet, scale, box[0], box[1], box[0] + box[2], box[1] + box[3], &place);
  graphene_rect_inset(&place, -POINT_PX - 2, -POINT_PX - 2);
  if (!graphene_rect_intersection(&place, &seen, &place))
    return;
  cairo_t *cr = gtk_snapshot_append_cairo(snapshot, &place);
  add_points(cr, roi, sheet, scale, POINT_PX + 1, &place);
  gdk_cairo_set_source_rgba(cr, &halo_color);
  cairo_fill(cr);
  add_points(cr, roi, sheet, scale, POINT_PX, &place);
  gdk_cairo_set_source_rgba(cr, color);
  cairo_fill(cr);
  cairo_destroy(cr);
}

void
vt_canvas_draw_roi(GtkSnapshot *snapshot, const VtViewport *sheet, double scale, const VtRoi *roi, const GdkRGBA *color,
                   VtRoiQuality quality)
{
  double box[4];
  vt_roi_get_bounds(roi, &box[0], &box[1], &box[2], &box[3]);
  if (roi->kind == VT_SHAPE_POINTS)
    draw_points(snapshot, sheet, scale, roi, box, color);
  else if (roi->points->len == 8 && vt_roi_is_rectangle(roi))
    draw_region(snapshot, sheet, scale, box, color);
  else
    draw_outline(snapshot, sheet, scale, roi, box, color, quality);
}

GdkRGBA
vt_canvas_get_roi_color(VtCanvas *self, VtRoiItem *item)
{
  const gint32 color = vt_roi_item_get_roi(item)->color;
  if (!self->recording && self->selected_rois && g_ptr_array_find(self->selected_rois, item, NULL))
    return selected_color;
  if (color == VT_ROI_NO_COLOR)
    return roi_color;
  return (GdkRGBA){ (float)(color >> 16 & 255) / 255, (float)(color >> 8 & 255) / 255, (float)(color & 255) / 255, 1 };
}

char *
vt_canvas_dup_roi_words(VtCanvas *self, const VtRoi *roi)
{
  double mpp_x = 0, mpp_y = 0;
  GString *words = g_string_new(roi->name);
  if (roi->class_name)
    g_string_append_printf(words, " · %s", roi->class_name);
  if (roi->kind == VT_SHAPE_POINTS)
    g_string_append_printf(words, " · %'u", roi->points->len / 2);
  if (roi->kind != VT_SHAPE_LINE)
    return g_string_free(words, FALSE);
  const gboolean calibrated = vt_slide_get_mpp(self->slide, &mpp_x, &mpp_y);
  const double length = vt_roi_get_perimeter(roi, calibrated ? mpp_x : 1, calibrated ? mpp_y : 1);
  g_string_append_printf(words, calibrated ? _(" · %.*f µm") : _(" · %.*f px"), length < 100 ? 1 : 0, length);
  return g_string_free(words, FALSE);
}

/* The best that leaves time for a frame. */
static VtRoiQuality
choose_quality(VtCanvas *self)
{
  guint n = 0;
  if (self->recording)
    return VT_ROI_EXACT;
  VT_EACH_ITEM (VtRoiItem, item, self->rois)
    n += vt_roi_item_get_roi(item)->kind == VT_SHAPE_POINTS ? 0 : vt_roi_item_get_roi(item)->points->len / 2;
  return n > MOST_FINE_CORNERS ? VT_ROI_QUICK : VT_ROI_SEEN;
}

void
vt_canvas_draw_rois(VtCanvas *self, GtkSnapshot *snapshot, const VtViewport *sheet, double scale)
{
  const VtRoiQuality quality = choose_quality(self);
  for (guint i = 0; !self->rois_hidden && i < g_list_model_get_n_items(self->rois); i++) {
    g_autoptr(VtRoiItem) item = g_list_model_get_item(self->rois, i);
    const GdkRGBA color = vt_canvas_get_roi_color(self, item);
    const VtRoi *roi = item == self->reshaped_item ? self->reshaped : vt_roi_item_get_roi(item);
    if (!roi->is_hidden)
      vt_canvas_draw_roi(snapshot, sheet, scale, roi, &color, quality);
  }
  g_autoptr(VtRoi) draft = self->recording ? NULL : vt_canvas_dup_draft(self);
  if (draft)
    vt_canvas_draw_roi(snapshot, sheet, scale, draft, &selected_color, quality);
}

/* The stroke so far, and the brush itself under the pointer; on the canvas, not on the sheet. */
void
vt_canvas_draw_brush(VtCanvas *self, GtkSnapshot *snapshot, double scale)
{
  const double *p = (const double *)(gpointer)self->outline->data;
  if (self->tool != VT_TOOL_BRUSH || (!self->has_pointer && self->outline->len == 0))
    return;
  cairo_t *cr =
    gtk_snapshot_append_cairo(snapshot, &GRAPHENE_RECT_INIT(0, 0, (float)gtk_widget_get_width(GTK_WIDGET(self)),
                                                            (float)gtk_widget_get_height(GTK_WIDGET(self))));
  for (guint i = 0; i < self->outline->len / 2; i++) {
    double x, y;
    vt_viewport_from_l0(&self->view, p[2 * i], p[2 * i + 1], &x, &y);
    cairo_line_to(cr, x / scale, y / scale);
  }
  cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
  cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_width(cr, 2 * VT_BRUSH_PX);
  cairo_set_source_rgba(cr, selected_color.red, selected_color.green, selected_color.blue, 0.4);
  cairo_stroke(cr);
  cairo_arc(cr, self->pointer_x, self->pointer_y, VT_BRUSH_PX, 0, 2 * G_PI);
  gdk_cairo_set_source_rgba(cr, &halo_color);
  cairo_set_line_width(cr, 3);
  cairo_stroke_preserve(cr);
  gdk_cairo_set_source_rgba(cr, &selected_color);
  cairo_set_line_width(cr, 1.5);
  cairo_stroke(cr);
  cairo_destroy(cr);
}

void
vt_canvas_draw_pen(VtCanvas *self, GtkSnapshot *snapshot)
{
  const int width = gtk_widget_get_width(GTK_WIDGET(self)), height = gtk_widget_get_height(GTK_WIDGET(self));
  if (self->tool == VT_TOOL_MOVE || (self->has_pointer && !self->by_keys))
    return;
  cairo_t *cr =
    gtk_snapshot_append_cairo(snapshot, &GRAPHENE_RECT_INIT((float)width / 2 - 16, (float)height / 2 - 16, 32, 32));
  cairo_move_to(cr, width / 2.0 - 12, height / 2.0);
  cairo_line_to(cr, width / 2.0 + 12, height / 2.0);
  cairo_move_to(cr, width / 2.0, height / 2.0 - 12);
  cairo_line_to(cr, width / 2.0, height / 2.0 + 12);
  gdk_cairo_set_source_rgba(cr, &halo_color);
  cairo_set_line_width(cr, 4);
  cairo_stroke_preserve(cr);
  gdk_cairo_set_source_rgba(cr, &selected_color);
  cairo_set_line_width(cr, 1.5);
  cairo_stroke(cr);
  cairo_destroy(cr);
}
