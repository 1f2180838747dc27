/* SPDX-License-Identifier: MIT
 *
 * A reader's cairo_paint(), which is this program's, too, beside cairo's own: the same bytes for all pixels, places, clips, and what else may be asked of it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <glib.h>
#include <string.h>

#include "slide/vt-reader-paint.h"

#define SIDE 70

static void (*paint_by_cairo)(cairo_t *cr);

static cairo_surface_t *
make_image(GRand *rand, int width, int height, int least_alpha)
{
  const cairo_format_t format = g_rand_int_range(rand, 0, 4) == 0 ? CAIRO_FORMAT_RGB24 : CAIRO_FORMAT_ARGB32;
  cairo_surface_t *image = cairo_image_surface_create(format, width, height);
  for (int y = 0; y < height; y++) {
    guint8 *row = cairo_image_surface_get_data(image) + y * cairo_image_surface_get_stride(image);
    for (int x = 0; x < width; x++) {
      const int alpha = g_rand_int_range(rand, least_alpha, 256);
      for (int c = 0; c < 3; c++)
        row[4 * x + c] = (guint8)g_rand_int_range(rand, 0, alpha + 1);
      row[4 * x + 3] = (guint8)alpha;
    }
  }
  cairo_surface_mark_dirty(image);
  return image;
}

/* Each alpha (row) with each value (column), also of pixels brighter than their alpha, which no image should have. */
static void
test_all_pixels(gconstpointer format)
{
  cairo_surface_t *tile = cairo_image_surface_create((cairo_format_t)GPOINTER_TO_INT(format), 256, 256), *pictures[2];
  for (int i = 0; i < 256 * 256; i++) {
    const guint8 pixel[4] = { (guint8)i, (guint8)(255 - i), (guint8)(i * 7), (guint8)(i >> 8) };
    memcpy(cairo_image_surface_get_data(tile) + 4 * i, pixel, 4);
  }
  cairo_surface_mark_dirty(tile);
  for (int ours = 0; ours < 2; ours++) {
    pictures[ours] = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 256, 256);
    cairo_t *cr = cairo_create(pictures[ours]);
    cairo_set_operator(cr, CAIRO_OPERATOR_SATURATE);
    cairo_set_source_surface(cr, tile, 0, 0);
    if (ours)
      g_assert_true(vt_reader_paint_on_nothing(cr));
    else
      paint_by_cairo(cr);
    cairo_destroy(cr);
  }
  for (int i = 0; i < 256 * 256; i++) {
    const guint32 *theirs = (const guint32 *)(gconstpointer)cairo_image_surface_get_data(pictures[0]) + i,
                  *ours = (const guint32 *)(gconstpointer)cairo_image_surface_get_data(pictures[1]) + i;
    if (*theirs != *ours)
      g_error("pixel %d: %08x instead of %08x", i, *ours, *theirs);
  }
  cairo_surface_destroy(pictures[0]);
  cairo_surface_destroy(pictures[1]);
  cairo_surface_destroy(tile);
}

/* Mostly whole, so that many cases may be copies. */
static double
draw_place(GRand *rand, int least, int most)
{
  const double place = g_rand_int_range(rand, least, most);
  return g_rand_int_range(rand, 0, 12) == 0 ? place + g_rand_int_range(rand, 1, 16) / 16.0 : place;
}

/* Whether one in n. */
static gboolean
is_chosen(GRand *rand, int n)
{
  return g_rand_int_range(rand, 0, n) == 0;
}

/* What may come between the source and painting it, or be asked of the source itself. */
static void
disturb(cairo_t *cr, GRand *rand, cairo_surface_t *tile)
{
  cairo_matrix_t matrix;
  switch (g_rand_int_range(rand, 0, 30)) {
  case 0: cairo_translate(cr, 5, 3); break; /* a source stays where it was */
  case 1: cairo_scale(cr, 0.5, 2); break;
  case 2:
    cairo_matrix_init_translate(&matrix, -2, 1);
    cairo_pattern_set_matrix(cairo_get_source(cr), &matrix);
    break;
  case 3: cairo_pattern_set_extend(cairo_get_source(cr), CAIRO_EXTEND_REPEAT); break;
  case 4: cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_GAUSSIAN); break;
  case 5: cairo_set_operator(cr, CAIRO_OPERATOR_IN); break;
  case 6: cairo_set_source_rgba(cr, 0.2, 0.4, 0.6, 0.8); break;
  case 7: {
    cairo_pattern_t *other = cairo_pattern_create_for_surface(tile);
    cairo_set_source(cr, other);
    cairo_pattern_destroy(other);
    break;
  }
  case 8:
    cairo_move_to(cr, 10, 10), cairo_line_to(cr, 60, 30), cairo_line_to(cr, 20, 60);
    cairo_clip(cr);
    break;
  case 9:
    cairo_rectangle(cr, -40, -40, 60, 60), cairo_rectangle(cr, 20, 20, 50, 60);
    cairo_clip(cr);
    break;
  case 10:
  case 11: cairo_identity_matrix(cr); break;
  default: break;
  }
}

/* The same each time for one seed. n_ours: of the paintings those that were copies; NULL: all by cairo. The picture's bytes. */
static GBytes *
draw(guint seed, guint *n_ours)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
  cairo_surface_t *picture = is_chosen(rand, 3) ? make_image(rand, SIDE, SIDE, g_rand_boolean(rand) ? 0 : 255)
                                                : cairo_image_surface_create(CAIRO_FORMAT_ARGB32, SIDE, SIDE);
  if (is_chosen(rand, 6))
    cairo_surface_set_device_offset(picture, draw_place(rand, -9, 9), draw_place(rand, -9, 9));
  cairo_t *cr = cairo_create(picture);
  if (is_chosen(rand, 4)) {
    cairo_rectangle(cr, draw_place(rand, -5, 20), draw_place(rand, -5, 20), draw_place(rand, 1, 60), 50);
    cairo_clip(cr);
  }
  const gboolean is_group = g_rand_boolean(rand);
  if (is_group)
    cairo_push_group(cr);
  for (guint i = 0; i < 6; i++) {
    cairo_surface_t *tile =
      make_image(rand, g_rand_int_range(rand, 1, 50), g_rand_int_range(rand, 1, 50), is_chosen(rand, 4) ? 0 : 255);
    if (is_chosen(rand, 10))
      cairo_surface_set_device_offset(tile, 3, -2);
    if (is_chosen(rand, 15))
      cairo_surface_set_device_scale(tile, 2, 2);
    cairo_save(cr);
    cairo_set_operator(cr, CAIRO_OPERATOR_SATURATE);
    cairo_translate(cr, draw_place(rand, -30, SIDE), draw_place(rand, -30, SIDE));
    if (is_chosen(rand, 12))
      cairo_scale(cr, 1.5, 1.5);
    cairo_set_source_surface(cr, tile, is_chosen(rand, 4) ? draw_place(rand, -9, 9) : 0, 0);
    disturb(cr, rand, tile);
    if (n_ours && vt_reader_paint_on_nothing(cr))
      *n_ours += 1;
    else
      paint_by_cairo(cr);
    cairo_restore(cr);
    cairo_surface_destroy(tile);
  }
  if (is_group) {
    cairo_pop_group_to_source(cr);
    paint_by_cairo(cr);
  }
  g_assert_cmpint(cairo_status(cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy(cr);
  cairo_surface_flush(picture);
  GBytes *bytes =
    g_bytes_new(cairo_image_surface_get_data(picture), (gsize)cairo_image_surface_get_stride(picture) * SIDE);
  cairo_surface_destroy(picture);
  return bytes;
}

static void
test_same(void)
{
  guint n_ours = 0;
  for (guint seed = 0; seed < 3000; seed++) {
    g_autoptr(GBytes) theirs = draw(seed, NULL), ours = draw(seed, &n_ours);
    if (!g_bytes_equal(theirs, ours))
      g_error("seed %u", seed);
  }
  g_test_message("%u of %u were copies", n_ours, 3000 * 6);
  g_assert_cmpuint(n_ours, >, 2000);
}

/* By the names that OpenSlide calls. What was painted once is not remembered. */
static void
test_names(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(1);
  cairo_surface_t *tile = make_image(rand, 20, 20, 255),
                  *picture = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 20, 20);
  cairo_t *cr = cairo_create(picture);
  g_assert_true((gpointer)cairo_paint != (gpointer)paint_by_cairo);
  cairo_set_operator(cr, CAIRO_OPERATOR_SATURATE);
  cairo_set_source_surface(cr, tile, 0, 0);
  cairo_paint(cr);
  g_assert_cmpmem(cairo_image_surface_get_data(picture), 1600, cairo_image_surface_get_data(tile), 1600);
  memset(cairo_image_surface_get_data(picture), 0, 1600);
  g_assert_false(vt_reader_paint_on_nothing(cr));
  cairo_paint(cr);
  g_assert_cmpmem(cairo_image_surface_get_data(picture), 1600, cairo_image_surface_get_data(tile), 1600);
  cairo_destroy(cr);
  g_assert_cmpuint(cairo_surface_get_reference_count(tile), ==, 1);
  cairo_surface_destroy(tile);
  cairo_surface_destroy(picture);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  *(void **)&paint_by_cairo = dlsym(RTLD_NEXT, "cairo_paint");
  g_test_add_data_func("/reader-paint/all-pixels", GINT_TO_POINTER(CAIRO_FORMAT_ARGB32), test_all_pixels);
  g_test_add_data_func("/reader-paint/all-opaque-pixels", GINT_TO_POINTER(CAIRO_FORMAT_RGB24), test_all_pixels);
  g_test_add_func("/reader-paint/same", test_same);
  g_test_add_func("/reader-paint/names", test_names);
  return g_test_run();
}
