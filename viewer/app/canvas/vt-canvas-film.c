/* SPDX-License-Identifier: MIT
 *
 * A replay over the layers, and the ways along which a pixel's value came: that of the replay, and that of a question. */
#include "canvas/vt-canvas-private.h"

#include "layers/vt-layer.h"
#include "layers/vt-painted.h"

#define FILM "vt-film" /* on the canvas */
#define WAY "vt-way"
#define TRACE "vt-trace"
#define SPOKEN_OF "vt-spoken-of"
#define STALE "vt-film-stale"

static void
draw_way(cairo_t *cr, const GArray *points, const VtViewport *sheet, double scale)
{
  double x = 0, y = 0;
  cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
  for (guint turn = 0; turn < 2; turn++) {
    for (guint i = 0; i + 1 < points->len; i += 2) {
      vt_viewport_from_l0(sheet, g_array_index(points, double, i), g_array_index(points, double, i + 1), &x, &y);
      cairo_line_to(cr, x / scale, y / scale);
    }
    cairo_new_sub_path(cr);
    cairo_arc(cr, x / scale, y / scale, 5, 0, 2 * G_PI); /* where it began */
    cairo_set_source_rgba(cr, turn, turn * 0.25, turn * 0.85, turn == 0 ? 0.75 : 1);
    cairo_set_line_width(cr, turn == 0 ? 4.5 : 2);
    cairo_stroke(cr);
  }
}

static void
draw_spoken_of(cairo_t *cr, const VtRoi *outline, const VtViewport *sheet, double scale)
{
  const double *point = (const double *)(gpointer)outline->points->data;
  for (guint ring = 0; ring < outline->ring_sizes->len; ring++) {
    cairo_new_sub_path(cr);
    for (guint i = 0; i < g_array_index(outline->ring_sizes, guint32, ring); i++, point += 2) {
      double x, y;
      vt_viewport_from_l0(sheet, point[0], point[1], &x, &y);
      cairo_line_to(cr, x / scale, y / scale);
    }
    cairo_close_path(cr);
  }
  cairo_set_fill_rule(cr, CAIRO_FILL_RULE_EVEN_ODD);
  cairo_set_source_rgba(cr, 1, 0.25, 0.85, 0.18);
  cairo_fill_preserve(cr);
  cairo_set_source_rgba(cr, 0, 0, 0, 0.75);
  cairo_set_line_width(cr, 4);
  cairo_stroke_preserve(cr);
  cairo_set_source_rgb(cr, 1, 0.25, 0.85);
  cairo_set_dash(cr, (const double[]){ 6, 3 }, 2, 0);
  cairo_set_line_width(cr, 2);
  cairo_stroke(cr);
}

gboolean
vt_canvas_has_film(VtCanvas *self)
{
  return g_object_get_data(G_OBJECT(self), FILM) != NULL;
}

void
vt_canvas_draw_film(VtCanvas *self, GtkSnapshot *snapshot, const VtViewport *sheet, double scale)
{
  const VtPainted *film = g_object_get_data(G_OBJECT(self), FILM);
  const graphene_rect_t all =
    GRAPHENE_RECT_INIT(0, 0, (float)(sheet->width_px / scale), (float)(sheet->height_px / scale));
  const gboolean is_stale = g_object_get_data(G_OBJECT(self), STALE) != NULL;
  g_autoptr(VtPainted) own = film && self->recording ? vt_painted_copy(film) : NULL;
  if (!film)
    return;
  vt_paint_push_opacity(snapshot, is_stale ? VT_LAYER_STALE_OPACITY : 1);
  vt_painted_snapshot(own ? own : film, snapshot, sheet, scale, &all);
  vt_paint_pop_opacity(snapshot);
}

void
vt_canvas_draw_way(VtCanvas *self, GtkSnapshot *snapshot, const VtViewport *sheet, double scale)
{
  const GArray *ways[] = { vt_canvas_has_film(self) ? g_object_get_data(G_OBJECT(self), WAY) : NULL,
                           g_object_get_data(G_OBJECT(self), TRACE) };
  const graphene_rect_t all =
    GRAPHENE_RECT_INIT(0, 0, (float)(sheet->width_px / scale), (float)(sheet->height_px / scale));
  const VtRoi *spoken_of = g_object_get_data(G_OBJECT(self), SPOKEN_OF);
  if (spoken_of) {
    cairo_t *cr = gtk_snapshot_append_cairo(snapshot, &all);
    draw_spoken_of(cr, spoken_of, sheet, scale);
    cairo_destroy(cr);
  }
  for (guint i = 0; i < G_N_ELEMENTS(ways); i++) {
    cairo_t *cr = ways[i] ? gtk_snapshot_append_cairo(snapshot, &all) : NULL;
    if (!cr)
      continue;
    draw_way(cr, ways[i], sheet, scale);
    cairo_destroy(cr);
  }
}

void
vt_canvas_set_film(VtCanvas *self, VtPainted *film, gboolean is_stale)
{
  g_object_set_data_full(G_OBJECT(self), FILM, film ? vt_painted_ref(film) : NULL, (GDestroyNotify)vt_painted_unref);
  g_object_set_data(G_OBJECT(self), STALE, GINT_TO_POINTER(is_stale));
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
set_points(VtCanvas *self, const char *key, GArray *points)
{
  g_object_set_data_full(G_OBJECT(self), key, points ? g_array_ref(points) : NULL,
                         points ? (GDestroyNotify)g_array_unref : NULL);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
vt_canvas_set_way(VtCanvas *self, GArray *points)
{
  set_points(self, WAY, points);
}

void
vt_canvas_set_trace(VtCanvas *self, GArray *points)
{
  set_points(self, TRACE, points);
}

void
vt_canvas_set_spoken_of(VtCanvas *self, const VtRoi *outline)
{
  g_object_set_data_full(G_OBJECT(self), SPOKEN_OF, outline ? vt_roi_copy(outline) : NULL,
                         outline ? (GDestroyNotify)vt_roi_free : NULL);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}
