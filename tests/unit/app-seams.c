/* SPDX-License-Identifier: MIT
 *
 * Tiles lie edge to edge at every scale of the screen, also at 125 % and 150 %: a slide of one colour is painted in one
 * colour, without a line of the background or of a mixture where tiles meet, filtered or as squares, each by itself or put into cells. And what is drawn as
 * before keeps its node. */
#include "layers/vt-paint-cairo.h"
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

/* All tiles that a view of an endless slide touches; `owner`: into its cells, or NULL. */
static GskRenderNode *
make_node(const VtViewport *view, double scale, double ds, GBytes *bytes, GdkTexture *texture, GObject *owner)
{
  graphene_rect_t clip = GRAPHENE_RECT_INIT(0, 0, (float)(view->width_px / scale), (float)(view->height_px / scale));
  double side = VT_TILE_PX * ds, x0, y0, x1, y1;
  GtkSnapshot *snapshot = gtk_snapshot_new();
  vt_viewport_to_l0(view, 0, 0, &x0, &y0);
  vt_viewport_to_l0(view, view->width_px, view->height_px, &x1, &y1);
  if (owner)
    vt_paint_cairo_begin(owner, scale, TRUE);
  for (int row = (int)(y0 / side); row * side < y1; row++) {
    for (int col = (int)(x0 / side); col * side < x1; col++) {
      graphene_rect_t place;
      vt_paint_place(view, scale, col * side, row * side, (col + 1) * side, (row + 1) * side, &place);
      graphene_rect_t seen;
      if (!owner)
        vt_paint_pixels(snapshot, texture, bytes, VT_TILE_PX * 4, &place, &clip, view->downsample < ds);
      else if (graphene_rect_intersection(&place, &clip, &seen))
        vt_paint_cairo_add(texture, bytes, VT_TILE_PX * 4, &place, &seen, view->downsample < ds);
    }
  }
  if (owner) {
    vt_paint_cairo_flush(snapshot);
    vt_paint_cairo_end();
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
test_no_seams(gconstpointer in_cells)
{
  static const double scales[] = { 1, 1.25, 1.5, 1.75, 2, 3 };
  static const double downsamples[] = { 0.37, 1, 1.31, 2.9, 7.3 };
  g_autoptr(GBytes) bytes = make_pixels();
  g_autoptr(GdkTexture) texture =
    gdk_memory_texture_new(VT_TILE_PX, VT_TILE_PX, GDK_MEMORY_DEFAULT, bytes, (gsize)VT_TILE_PX * 4);
  g_autoptr(GObject) owner = in_cells ? g_object_new(G_TYPE_OBJECT, NULL) : NULL;
  for (guint s = 0; s < G_N_ELEMENTS(scales); s++) {
    for (guint d = 0; d < G_N_ELEMENTS(downsamples); d++) {
      for (int shift = 0; shift < 3; shift++) {
        VtViewport view = { 40000 + 0.37 * shift, 30000 + 0.61 * shift, downsamples[d], WIDTH_PX, HEIGHT_PX };
        GskRenderNode *node = make_node(&view, scales[s], downsamples[d] > 2 ? 2 : 1, bytes, texture, owner);
        guint n = count_others(node, scales[s]);
        if (n > 0)
          g_test_message("scale %g, downsample %g, shift %d: %u pixels", scales[s], downsamples[d], shift, n);
        g_assert_cmpuint(n, ==, 0);
        gsk_render_node_unref(node);
      }
    }
  }
}

/* Four tiles of one texture, one in each cell, and over the first of them another one. */
static GskRenderNode *
draw_cells(GObject *owner, GdkTexture *texture, GdkTexture *over, GBytes *bytes)
{
  GtkSnapshot *snapshot = gtk_snapshot_new();
  vt_paint_cairo_begin(owner, 1, TRUE);
  for (int i = 0; i < 4; i++) {
    const graphene_rect_t place =
      GRAPHENE_RECT_INIT((float)(i % 2 * VT_TILE_PX), (float)(i / 2 * VT_TILE_PX), VT_TILE_PX, VT_TILE_PX);
    vt_paint_cairo_add(texture, bytes, VT_TILE_PX * 4, &place, &place, FALSE);
  }
  const graphene_rect_t first = GRAPHENE_RECT_INIT(0, 0, VT_TILE_PX, VT_TILE_PX);
  vt_paint_cairo_set_opacity(0.5);
  vt_paint_cairo_add(over, bytes, VT_TILE_PX * 4, &first, &first, FALSE);
  vt_paint_cairo_flush(snapshot);
  vt_paint_cairo_end();
  return gtk_snapshot_free_to_node(snapshot);
}

static void
test_cells(void)
{
  g_autoptr(GBytes) bytes = make_pixels();
  g_autoptr(GObject) owner = g_object_new(G_TYPE_OBJECT, NULL);
  GskRenderNode *nodes[3];
  GdkTexture *textures[3];
  for (guint i = 0; i < 3; i++)
    textures[i] = gdk_memory_texture_new(VT_TILE_PX, VT_TILE_PX, GDK_MEMORY_DEFAULT, bytes, (gsize)VT_TILE_PX * 4);
  for (guint i = 0; i < 3; i++) {
    nodes[i] = draw_cells(owner, textures[0], textures[i < 2 ? 1 : 2], bytes);
    g_assert_cmpuint(gsk_container_node_get_n_children(nodes[i]), ==, 4);
  }
  for (guint i = 0; i < 4; i++) {
    g_assert_true(gsk_container_node_get_child(nodes[0], i) == gsk_container_node_get_child(nodes[1], i));
    g_assert_true((gsk_container_node_get_child(nodes[1], i) == gsk_container_node_get_child(nodes[2], i)) == (i > 0));
  }
  for (guint i = 0; i < 3; i++)
    g_object_unref(textures[i]); /* before what was drawn of them */
  g_assert_cmpuint(count_others(nodes[0], 1), ==, 0);
  for (guint i = 0; i < 3; i++)
    gsk_render_node_unref(nodes[i]);
}

/* Columns of 0 and 255 are seen as their mean at a half and at a quarter, where a filter that leaves pixels out would show one of the two; there is one
 * column too many for pairs. */
static void
test_smaller(void)
{
  const int width = 41, height = 9;
  g_autofree guint32 *words = g_new(guint32, (gsize)width * height);
  for (int i = 0; i < width * height; i++)
    words[i] = i % width % 2 ? 0xFFFFFFFFu : 0xFF000000u;
  g_autoptr(GBytes) bytes = g_bytes_new(words, (gsize)width * height * sizeof *words);
  g_autoptr(GdkTexture) texture =
    gdk_memory_texture_new(width, height, GDK_MEMORY_DEFAULT, bytes, (gsize)width * sizeof *words);
  g_autoptr(GObject) owner = g_object_new(G_TYPE_OBJECT, NULL);
  for (int n = 2; n <= 4; n *= 2) {
    GtkSnapshot *snapshot = gtk_snapshot_new();
    const graphene_rect_t place = GRAPHENE_RECT_INIT(0, 0, (float)width / (float)n, (float)height / (float)n);
    vt_paint_cairo_begin(owner, 1, TRUE);
    vt_paint_cairo_add(texture, bytes, (gsize)width * sizeof *words, &place, &place, FALSE);
    vt_paint_cairo_flush(snapshot);
    vt_paint_cairo_end();
    GskRenderNode *node = gtk_snapshot_free_to_node(snapshot);
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
    cairo_t *cr = cairo_create(surface);
    gsk_render_node_draw(node, cr);
    cairo_destroy(cr);
    cairo_surface_flush(surface);
    const guint32 *drawn = (const guint32 *)(gpointer)cairo_image_surface_get_data(surface);
    for (int x = 0; x < width / n - 1; x++)
      g_assert_cmpint(ABS((int)(drawn[x] & 255) - 128), <=, 8);
    cairo_surface_destroy(surface);
    gsk_render_node_unref(node);
  }
}

enum { SIDE = 64, N_LAYERS = 4, N_TILES = 6 };

typedef struct {
  GBytes *bytes;
  GdkTexture *texture;
} Tile;

static Tile
make_tile(GRand *rand)
{
  guint32 *words = g_new(guint32, (gsize)SIDE * SIDE);
  for (int i = 0; i < SIDE * SIDE; i++) {
    const guint32 alpha = (guint32)g_rand_int_range(rand, 0, 3) * 127, value = alpha * (guint32)(i % 7) / 7;
    words[i] = alpha << 24 | value << 16 | value / 2 << 8 | alpha;
  }
  GBytes *bytes = g_bytes_new_take(words, (gsize)SIDE * SIDE * sizeof *words);
  return (Tile){ bytes, gdk_memory_texture_new(SIDE, SIDE, GDK_MEMORY_DEFAULT, bytes, (gsize)SIDE * 4) };
}

/* Layers in one grid, but for one tile of the second that lies between two places. */
static cairo_surface_t *
draw_layers(GObject *owner, const Tile *tiles, int x, int y)
{
  GtkSnapshot *snapshot = gtk_snapshot_new();
  vt_paint_cairo_begin(owner, 1, TRUE);
  for (int i = 0; i < N_LAYERS * N_TILES; i++) {
    const int tile = i % N_TILES, odd = i == N_TILES + 1 ? SIDE / 2 : 0;
    const graphene_rect_t place =
      GRAPHENE_RECT_INIT((float)(x + odd + tile % 3 * SIDE), (float)(y + tile / 3 * SIDE), SIDE, SIDE);
    vt_paint_cairo_set_opacity(i / N_TILES == 2 ? 0.5 : 1);
    vt_paint_cairo_add(tiles[i].texture, tiles[i].bytes, SIDE * 4, &place, &place, FALSE);
  }
  vt_paint_cairo_flush(snapshot);
  vt_paint_cairo_end();
  GskRenderNode *node = gtk_snapshot_free_to_node(snapshot);
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, WIDTH_PX, HEIGHT_PX);
  cairo_t *cr = cairo_create(surface);
  gsk_render_node_draw(node, cr);
  cairo_destroy(cr);
  cairo_surface_flush(surface);
  gsk_render_node_unref(node);
  return surface;
}

static int
find_difference(cairo_surface_t *a, cairo_surface_t *b)
{
  const guchar *p = cairo_image_surface_get_data(a), *q = cairo_image_surface_get_data(b);
  int most = 0;
  for (gsize i = 0; i < (gsize)WIDTH_PX * HEIGHT_PX * 4; i++)
    most = MAX(most, ABS((int)p[i] - (int)q[i]));
  return most;
}

/* What moves on looks as if it had just come, but for rounding. */
static void
test_piles(void)
{
  g_autoptr(GObject) owner = g_object_new(G_TYPE_OBJECT, NULL);
  GRand *rand = g_rand_new_with_seed(1);
  Tile tiles[N_LAYERS * N_TILES];
  for (int i = 0; i < N_LAYERS * N_TILES; i++)
    tiles[i] = make_tile(rand);
  for (int frame = 0; frame < 14; frame++) {
    g_autoptr(GObject) fresh = g_object_new(G_TYPE_OBJECT, NULL);
    cairo_surface_t *a = draw_layers(owner, tiles, 20 * frame, 7 * frame),
                    *b = draw_layers(fresh, tiles, 20 * frame, 7 * frame);
    g_assert_cmpint(find_difference(a, b), <=, 3);
    cairo_surface_destroy(a);
    cairo_surface_destroy(b);
    const int changed = g_rand_int_range(rand, 0, N_LAYERS * N_TILES);
    if (frame == 8) { /* another picture in the place of one */
      g_object_unref(tiles[changed].texture);
      g_bytes_unref(tiles[changed].bytes);
      tiles[changed] = make_tile(rand);
    }
  }
  for (int i = 0; i < N_LAYERS * N_TILES; i++) {
    g_object_unref(tiles[i].texture);
    g_bytes_unref(tiles[i].bytes);
  }
  g_rand_free(rand);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  gtk_init_check(); /* for the types of its render nodes; no display is needed */
  g_test_add_data_func("/seams/none-at-any-scale", NULL, test_no_seams);
  g_test_add_data_func("/seams/none-between-cells", "cells", test_no_seams);
  g_test_add_func("/seams/cells-keep-their-nodes", test_cells);
  g_test_add_func("/seams/smaller", test_smaller);
  g_test_add_func("/seams/piles", test_piles);
  return g_test_run();
}
