/* SPDX-License-Identifier: MIT */
#include "layers/vt-paint.h"

#include <math.h>

#include "layers/vt-magnify.h"

static gboolean by_cairo = FALSE;

gboolean
vt_paint_begin(GtkWidget *widget, gboolean upright)
{
  GtkNative *native = gtk_widget_get_native(widget);
  by_cairo = native && GSK_IS_CAIRO_RENDERER(gtk_native_get_renderer(native));
  return upright && !by_cairo && vt_magnify_begin(widget);
}

void
vt_paint_end(void)
{
  vt_magnify_end();
  by_cairo = FALSE;
}

void
vt_paint_place(const VtViewport *view, double scale, double x0_l0, double y0_l0, double x1_l0, double y1_l0,
               graphene_rect_t *rect)
{
  double x0, y0, x1, y1;
  vt_viewport_from_l0(view, x0_l0, y0_l0, &x0, &y0);
  vt_viewport_from_l0(view, x1_l0, y1_l0, &x1, &y1);
  x0 = floor(x0 + 0.5);
  y0 = floor(y0 + 0.5);
  x1 = floor(x1 + 0.5);
  y1 = floor(y1 + 0.5);
  graphene_rect_init(rect, (float)(x0 / scale), (float)(y0 / scale), (float)((x1 - x0) / scale),
                     (float)((y1 - y0) / scale));
}

void
vt_paint_turn(const VtViewport *view, const VtViewport *sheet, GtkSnapshot *snapshot, double scale)
{
  float across = (float)(view->width_px / 2 / scale), down = (float)(view->height_px / 2 / scale);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT(across, down));
  gtk_snapshot_rotate(snapshot, (float)view->angle);
  if (view->mirrored)
    gtk_snapshot_scale(snapshot, -1, 1);
  across = (float)(sheet->width_px / 2 / scale);
  down = (float)(sheet->height_px / 2 / scale);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT(-across, -down));
}

/* Kept with the texture: a surface that is recorded and then given up is copied whole, in every frame. */
static cairo_surface_t *
get_surface(GdkTexture *texture, GBytes *bytes, gsize stride)
{
  static const cairo_user_data_key_t bytes_key;
  cairo_surface_t *surface = g_object_get_data(G_OBJECT(texture), "vt-surface");
  if (surface)
    return surface;
  surface =
    cairo_image_surface_create_for_data((guchar *)(gsize)g_bytes_get_data(bytes, NULL), CAIRO_FORMAT_ARGB32,
                                        gdk_texture_get_width(texture), gdk_texture_get_height(texture), (int)stride);
  cairo_surface_set_user_data(surface, &bytes_key, g_bytes_ref(bytes), (cairo_destroy_func_t)g_bytes_unref);
  g_object_set_data_full(G_OBJECT(texture), "vt-surface", surface, (GDestroyNotify)cairo_surface_destroy);
  return surface;
}

/* What was drawn of a texture last: where that is drawn again the same node says so to GTK, which then leaves its pixels as they are. */
typedef struct {
  graphene_rect_t place, seen;
  gboolean squares;
  GskRenderNode *node;
} Drawn;

static void
drawn_free(gpointer data)
{
  Drawn *drawn = data;
  gsk_render_node_unref(drawn->node);
  g_free(drawn);
}

static GskRenderNode *
node_new(cairo_surface_t *surface, const graphene_rect_t *place, const graphene_rect_t *seen, gboolean squares)
{
  const double width = cairo_image_surface_get_width(surface), height = cairo_image_surface_get_height(surface);
  /* At 125 % or 300 % an edge between device pixels is a fraction of a logical one. What is recorded must begin at a whole
   * one and have colour beyond its edges, else cairo mixes the edge with what is below. */
  graphene_rect_t whole;
  graphene_rect_round_extents(seen, &whole);
  GskRenderNode *node = gsk_cairo_node_new(&whole);
  cairo_t *cr = gsk_cairo_node_get_draw_context(node);
  cairo_rectangle(cr, seen->origin.x, seen->origin.y, seen->size.width, seen->size.height);
  cairo_clip(cr);
  cairo_translate(cr, place->origin.x, place->origin.y);
  cairo_scale(cr, place->size.width / width, place->size.height / height);
  cairo_set_source_surface(cr, surface, 0, 0);
  if (squares)
    cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
  cairo_pattern_set_extend(cairo_get_source(cr), CAIRO_EXTEND_PAD);
  cairo_paint(cr);
  cairo_destroy(cr);
  return node;
}

static void
append_cairo(GtkSnapshot *snapshot, GdkTexture *texture, GBytes *bytes, gsize stride, const graphene_rect_t *place,
             const graphene_rect_t *seen, gboolean squares)
{
  Drawn *drawn = g_object_get_data(G_OBJECT(texture), "vt-drawn");
  if (!drawn || drawn->squares != squares || !graphene_rect_equal(&drawn->place, place)
      || !graphene_rect_equal(&drawn->seen, seen)) {
    drawn = g_new(Drawn, 1);
    *drawn = (Drawn){ *place, *seen, squares, node_new(get_surface(texture, bytes, stride), place, seen, squares) };
    g_object_set_data_full(G_OBJECT(texture), "vt-drawn", drawn, drawn_free);
  }
  gtk_snapshot_append_node(snapshot, drawn->node);
}

void
vt_paint_pixels(GtkSnapshot *snapshot, GdkTexture *texture, GBytes *bytes, gsize stride, const graphene_rect_t *place,
                const graphene_rect_t *clip, gboolean squares)
{
  graphene_rect_t seen;
  if (!graphene_rect_intersection(place, clip, &seen))
    return;
  /* GTK 4.8 filters textures linearly, whatever their size; cairo can be told not to. And each time it draws a texture by cairo it makes
   * all of it anew, by way of floating point numbers: that takes eleven times as long as cairo itself. */
  if (squares && vt_magnify_append(snapshot, texture, place, &seen))
    return;
  if (squares || by_cairo)
    append_cairo(snapshot, texture, bytes, stride, place, &seen, squares);
  else
    gtk_snapshot_append_texture(snapshot, texture, place);
}

typedef struct {
  GBytes *bytes;
  gsize stride;
} Pixels;

static void
pixels_free(gpointer data)
{
  Pixels *pixels = data;
  g_bytes_unref(pixels->bytes);
  g_free(pixels);
}

GdkTexture *
vt_paint_texture_new(int width, int height, GBytes *bytes, gsize stride)
{
  GdkTexture *texture = gdk_memory_texture_new(width, height, GDK_MEMORY_DEFAULT, bytes, stride);
  Pixels *pixels = g_new(Pixels, 1);
  *pixels = (Pixels){ g_bytes_ref(bytes), stride };
  g_object_set_data_full(G_OBJECT(texture), "vt-pixels", pixels, pixels_free);
  return texture;
}

void
vt_paint_texture(GtkWidget *widget, GtkSnapshot *snapshot, GdkTexture *texture, const graphene_rect_t *place)
{
  const Pixels *pixels = g_object_get_data(G_OBJECT(texture), "vt-pixels");
  vt_paint_begin(widget, FALSE);
  vt_paint_pixels(snapshot, texture, pixels->bytes, pixels->stride, place, place, FALSE);
  vt_paint_end();
}
