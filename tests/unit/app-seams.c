/* SPDX-License-Identifier: MIT
 *
 * Tiles lie edge to edge at every scale of the screen, also at 125 % and 150 %: a slide of one colour is painted in one
 * colour, without a line of the background or of a mixture where tiles meet, filtered or as squares. */
#include "layers/vt-painted.h"

#define WIDTH_PX 900
#define HEIGHT_PX 700
#define COLOR 0xFF3060A0u

static GBytes *
make_pixels(void)
{
  const gsize n = (gsize)VT_TILE_PX * VT_TILE_PX;
  guint32 *words = g_new(guint32, n);
  for (gsize i = 0; i < n; i++)
    words[i] = COLOR;
  return g_bytes_new_take(words, n * sizeof *words);
}

/* All tiles that a view of an endless slide touches. */
static GskRenderNode *
make_node(const VtViewport *view, double scale, double ds, GBytes *bytes, GdkTexture *texture)
{
  graphene_rect_t clip = GRAPHENE_RECT_INIT(0, 0, (float)(view->width_px / scale), (float)(view->height_px / scale));
  double side = VT_TILE_PX * ds, x0, y0, x1, y1;
  GtkSnapshot *snapshot = gtk_snapshot_new();
  vt_viewport_to_l0(view, 0, 0, &x0, &y0);
  vt_viewport_to_l0(view, view->width_px, view->height_px, &x1, &y1);
  for (int row = (int)(y0 / side); row * side < y1; row++) {
    for (int col = (int)(x0 / side); col * side < x1; col++) {
      graphene_rect_t place;
      vt_paint_place(view, scale, col * side, row * side, (col + 1) * side, (row + 1) * side, &place);
      vt_paint_pixels(snapshot, texture, bytes, VT_TILE_PX * 4, &place, &clip, view->downsample < ds);
    }
  }
  return gtk_snapshot_free_to_node(snapshot);
}

/* Up to 2 of 255: cairo's edges lie at 1/256 of a pixel, which nobody sees. */
static gboolean
is_color(guint32 word)
{
  for (int shift = 0; shift < 32; shift += 8)
    if (ABS((int)(word >> shift & 255) - (int)(COLOR >> shift & 255)) > 2)
      return FALSE;
  return TRUE;
}

/* How many pixels have another colour. */
static guint
count_others(GskRenderNode *node, double scale)
{
  guint n = 0;
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, WIDTH_PX, HEIGHT_PX);
  cairo_surface_set_device_scale(surface, scale, scale);
  cairo_t *cr = cairo_create(surface);
  cairo_set_source_rgb(cr, 1, 1, 0);
  cairo_paint(cr);
  gsk_render_node_draw(node, cr);
  cairo_destroy(cr);
  cairo_surface_flush(surface);
  const guint32 *words = (const guint32 *)(gpointer)cairo_image_surface_get_data(surface);
  g_assert_cmpint(cairo_image_surface_get_stride(surface), ==, WIDTH_PX * 4);
  for (gsize i = 0; i < (gsize)WIDTH_PX * HEIGHT_PX; i++)
    n += !is_color(words[i]);
  cairo_surface_destroy(surface);
  return n;
}

static void
test_no_seams(void)
{
  static const double scales[] = { 1, 1.25, 1.5, 1.75, 2, 3 };
  static const double downsamples[] = { 0.37, 1, 1.31, 2.9 };
  g_autoptr(GBytes) bytes = make_pixels();
  g_autoptr(GdkTexture) texture =
    gdk_memory_texture_new(VT_TILE_PX, VT_TILE_PX, GDK_MEMORY_DEFAULT, bytes, (gsize)VT_TILE_PX * 4);
  for (guint s = 0; s < G_N_ELEMENTS(scales); s++) {
    for (guint d = 0; d < G_N_ELEMENTS(downsamples); d++) {
      for (int shift = 0; shift < 3; shift++) {
        VtViewport view = { 40000 + 0.37 * shift, 30000 + 0.61 * shift, downsamples[d], WIDTH_PX, HEIGHT_PX };
        GskRenderNode *node = make_node(&view, scales[s], downsamples[d] > 2 ? 2 : 1, bytes, texture);
        guint n = count_others(node, scales[s]);
        if (n > 0)
          g_test_message("scale %g, downsample %g, shift %d: %u pixels", scales[s], downsamples[d], shift, n);
        g_assert_cmpuint(n, ==, 0);
        gsk_render_node_unref(node);
      }
    }
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  gtk_init_check(); /* for the types of its render nodes; no display is needed */
  g_test_add_func("/seams/none-at-any-scale", test_no_seams);
  return g_test_run();
}
