/* SPDX-License-Identifier: MIT
 *
 * What the texture browser looks at: frames, and the pixels of runs. */
#include "canvas/vt-canvas-private.h"

#include "layers/vt-layer.h"

#define RUNS "vt-runs" /* on the canvas */
#define STALE "vt-runs-stale"

static const char *const frame_keys[VT_CANVAS_FRAMES] = { "vt-frame-a", "vt-frame-b" };

void
vt_canvas_draw_runs(VtCanvas *self, GtkSnapshot *snapshot, const VtViewport *sheet, double scale)
{
  const VtPainted *runs = g_object_get_data(G_OBJECT(self), RUNS);
  const graphene_rect_t all =
    GRAPHENE_RECT_INIT(0, 0, (float)(sheet->width_px / scale), (float)(sheet->height_px / scale));
  const gboolean is_stale = g_object_get_data(G_OBJECT(self), STALE) != NULL;
  if (!runs)
    return;
  vt_paint_push_opacity(snapshot, is_stale ? VT_LAYER_STALE_OPACITY : 1);
  vt_painted_snapshot(runs, snapshot, sheet, scale, &all);
  vt_paint_pop_opacity(snapshot);
  vt_paint_flush(snapshot);
}

/* White in black, seen on any tissue; the second one is dashed. What is drawn is no larger than it must be: all of it is painted anew, with what lies below it, each time the frame
 * moves. */
static void
draw_frame(VtCanvas *self, GtkSnapshot *snapshot, guint which, double scale)
{
  const double *box = g_object_get_data(G_OBJECT(self), frame_keys[which]);
  graphene_rect_t seen = GRAPHENE_RECT_INIT(0, 0, (float)gtk_widget_get_width(GTK_WIDGET(self)),
                                            (float)gtk_widget_get_height(GTK_WIDGET(self)));
  double x[4], y[4], left = G_MAXDOUBLE, top = G_MAXDOUBLE, right = -G_MAXDOUBLE, bottom = -G_MAXDOUBLE;
  if (!box)
    return;
  for (guint i = 0; i < 4; i++) {
    vt_viewport_from_l0(&self->view, box[i == 1 || i == 2 ? 2 : 0], box[i >= 2 ? 3 : 1], &x[i], &y[i]);
    left = MIN(left, x[i] / scale);
    right = MAX(right, x[i] / scale);
    top = MIN(top, y[i] / scale);
    bottom = MAX(bottom, y[i] / scale);
  }
  graphene_rect_t place = GRAPHENE_RECT_INIT((float)left, (float)top, (float)(right - left), (float)(bottom - top));
  graphene_rect_inset(&place, -4, -4);
  if (!graphene_rect_intersection(&place, &seen, &place))
    return;
  cairo_t *cr = gtk_snapshot_append_cairo(snapshot, &place);
  for (guint turn = 0; turn < 2; turn++) {
    for (guint i = 0; i < 4; i++)
      cairo_line_to(cr, x[i] / scale, y[i] / scale);
    cairo_close_path(cr);
    cairo_set_line_width(cr, turn == 0 ? 4 : 2);
    cairo_set_source_rgba(cr, turn, turn, turn, turn == 0 ? 0.6 : 1);
    if (which == 1 && turn == 1)
      cairo_set_dash(cr, (const double[]){ 6, 4 }, 2, 0);
    cairo_stroke(cr);
  }
  cairo_destroy(cr);
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), which == 0 ? "A" : "B");
  vt_canvas_draw_label(snapshot, layout, (float)left, (float)top - 24);
}

void
vt_canvas_draw_frames(VtCanvas *self, GtkSnapshot *snapshot, double scale)
{
  for (guint i = 0; i < VT_CANVAS_FRAMES; i++)
    draw_frame(self, snapshot, i, scale);
}

void
vt_canvas_set_runs(VtCanvas *self, VtPainted *runs, gboolean is_stale)
{
  g_object_set_data_full(G_OBJECT(self), RUNS, runs ? vt_painted_ref(runs) : NULL,
                         runs ? (GDestroyNotify)vt_painted_unref : NULL);
  g_object_set_data(G_OBJECT(self), STALE, GINT_TO_POINTER(is_stale));
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
vt_canvas_set_frame(VtCanvas *self, guint which, const double box_l0[4])
{
  g_object_set_data_full(G_OBJECT(self), frame_keys[which], box_l0 ? g_memdup2(box_l0, 4 * sizeof *box_l0) : NULL,
                         g_free);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}
