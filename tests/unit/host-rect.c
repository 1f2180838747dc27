/* SPDX-License-Identifier: MIT
 *
 * All arithmetic of regions against what it means, pixel by pixel: cut to an image, put round an outline, laid on a grid. Small numbers are
 * looked at one after the other; large ones at every place where an answer may change, in integers that cannot overflow. */
#include <math.h>

#include "base/vt-rect.h"
#include "host-support.h"
#include "raster/vt-raster-private.h"
#include "run/vt-run-private.h"

#define ROUNDS 20000
#define FAR 60 /* no small rectangle of these tests reaches beyond */

typedef __int128 Wide;

static const gint64 nasty[] = {
  G_MININT64, G_MININT64 + 1,          -((gint64)1 << 53),    G_MININT32,     -3,        -1, 0, 1, 2, 511, 512,
  G_MAXINT32, (gint64)G_MAXUINT32 + 1, ((gint64)1 << 53) + 1, G_MAXINT64 - 1, G_MAXINT64
};

static gint64
pick(GRand *rand)
{
  return nasty[g_rand_int_range(rand, 0, G_N_ELEMENTS(nasty))];
}

static gint64
pick_size(GRand *rand)
{
  const gint64 size = pick(rand); /* MAX() looks at it twice */
  return MAX(size, 1);
}

static gboolean
has(gint64 start, gint64 length, Wide at)
{
  return at >= start && at < (Wide)start + length;
}

/* Along one axis: the pixels of `got` are those of `asked` that an image of `limit` pixels has. */
static void
check_cut(gboolean is_left, gint64 start, gint64 length, gint64 asked, gint64 asked_length, gint64 limit, Wide at)
{
  const gboolean meant = has(asked, asked_length, at) && at >= 0 && at < limit;
  g_assert_true(!meant || is_left);
  if (is_left)
    g_assert_cmpint(has(start, length, at), ==, meant);
}

static void
test_cut(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(18);
  for (int i = 0; i < ROUNDS; i++) {
    const VtRect asked = { g_rand_int_range(rand, -25, 25), 0, g_rand_int_range(rand, -2, 30), 1 };
    const gint64 limit = g_rand_int_range(rand, 1, 25);
    VtRect got = asked;
    gboolean is_any = FALSE;
    const gboolean is_left = vt_rect_clip(&got, limit, 1);
    for (gint64 at = -FAR; at < FAR; at++) {
      check_cut(is_left, got.x, got.width, asked.x, asked.width, limit, at);
      is_any |= has(asked.x, asked.width, at) && at >= 0 && at < limit;
    }
    g_assert_cmpint(is_left, ==, is_any);
  }
}

/* An answer changes at the ends of the rectangles and of the image alone. */
static void
test_cut_far(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(19);
  for (int i = 0; i < ROUNDS; i++) {
    const VtRect asked = { 0, pick(rand), 1, pick(rand) };
    const gint64 limit = pick_size(rand);
    VtRect got = asked;
    const gboolean is_left = vt_rect_clip(&got, 1, limit);
    const Wide ends[] = { asked.y, (Wide)asked.y + asked.height, 0,
                          limit,   is_left ? got.y : 0,          is_left ? (Wide)got.y + got.height : 0 };
    gboolean is_any = FALSE;
    for (guint k = 0; k < G_N_ELEMENTS(ends); k++)
      for (int step = -1; step <= 1; step++) {
        check_cut(is_left, got.y, got.height, asked.y, asked.height, limit, ends[k] + step);
        is_any |= has(asked.y, asked.height, ends[k] + step) && ends[k] + step >= 0 && ends[k] + step < limit;
      }
    g_assert_cmpint(is_left, ==, is_any);
  }
}

/* Of an outline: a pixel of each axis is covered if the outline has places on both sides of its middle, or in it. The fractions are none of binary numbers: left plus width is
 * now and then more than right. */
static void
test_around(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(20);
  guint n_beside = 0;
  for (int i = 0; i < ROUNDS; i++) {
    double points[6], box[4];
    const double unit = (double[]){ 1, 0.5, 0.1, 0.3 }[i % 4];
    for (guint k = 0; k < 6; k++)
      points[k] = g_rand_int_range(rand, -90, 90) * unit / 2;
    g_autoptr(VtRoi) roi = vt_roi_new_polygon("a", points, 3);
    vt_roi_get_box(roi, box);
    const VtRect got = vt_rect_around(box);
    for (int axis = 0; axis < 2; axis++) {
      const double first = MIN(MIN(points[axis], points[axis + 2]), points[axis + 4]),
                   last = MAX(MAX(points[axis], points[axis + 2]), points[axis + 4]);
      for (gint64 at = -FAR; at < FAR; at++)
        g_assert_cmpint(has(axis ? got.y : got.x, axis ? got.height : got.width, at), ==,
                        first < (double)(at + 1) && last > (double)at);
      n_beside += ceil(first + (last - first)) > ceil(last);
    }
  }
  g_assert_cmpuint(n_beside, >, 0);
}

static void
test_to_grid(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(21);
  for (int i = 0; i < ROUNDS; i++) {
    const VtRect rect = { g_rand_int_range(rand, 0, 25), 3, g_rand_int_range(rand, 1, 30), 1 };
    const guint d = (guint)g_rand_int_range(rand, 1, 20);
    const VtRect got = vt_rect_to_grid(&rect, d);
    gboolean is_touched[FAR] = { FALSE };
    for (gint64 at = rect.x; at < rect.x + rect.width; at++)
      is_touched[at / d] = TRUE;
    for (gint64 at = 0; at < FAR; at++)
      g_assert_cmpint(has(got.x, got.width, at), ==, is_touched[at]);
  }
  const VtRect all = { 0, G_MAXINT64 - 1, G_MAXINT64, 1 }, got = vt_rect_to_grid(&all, 2);
  g_assert_true(got.width == G_MAXINT64 / 2 + 1 && got.y == G_MAXINT64 / 2 && got.height == 1);
}

/* A grid has a pixel if the image has its first one. */
static gboolean
grid_has(Wide pixel, gint64 size, guint d)
{
  return pixel >= 0 && pixel * d < size;
}

static void
test_on_grid(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(22);
  guint n_on = 0;
  for (int i = 0; i < ROUNDS; i++) {
    const gboolean is_small = i % 2;
    const gint64 size = is_small ? g_rand_int_range(rand, 1, 40) : pick_size(rand);
    const guint d =
      is_small ? (guint)g_rand_int_range(rand, 0, 12) : (guint[]){ 1, 2, 3, 7, G_MAXINT32, G_MAXUINT32 }[i / 2 % 6];
    const VtRect rect = { is_small ? g_rand_int_range(rand, -3, 12) : pick(rand), 0,
                          is_small ? g_rand_int_range(rand, -1, 12) : pick(rand), 1 };
    const VtRect turned = { 0, rect.x, 1, rect.width };
    const Wide last = (Wide)rect.x + rect.width - 1;
    gboolean is_on = d > 0 && rect.width > 0 && grid_has(rect.x, size, d) && grid_has(last, size, d);
    for (gint64 at = rect.x; is_small && is_on && at <= last; at++)
      is_on = grid_has(at, size, d);
    g_assert_cmpint(vt_rect_is_on_grid(&rect, size, 1, d), ==, is_on);
    g_assert_cmpint(vt_rect_is_on_grid(&turned, 1, size, d), ==, is_on);
    n_on += is_on;
  }
  g_assert_cmpuint(n_on, >, ROUNDS / 20);
}

/* In sixteenths of a level-0 pixel, which are whole numbers. */
static void
test_under(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(23);
  for (int i = 0; i < ROUNDS; i++) {
    const gint64 pixel = g_rand_int_range(rand, -9, 20), begin = g_rand_int_range(rand, -9, 9),
                 n = g_rand_int_range(rand, 1, 30);
    const gint64 origin = g_rand_int_range(rand, -500, 500), size = g_rand_int_range(rand, 1, 200);
    const guint d = (guint)g_rand_int_range(rand, 1, 9);
    const gint64 middle = (2 * pixel + 1) * d * 8;
    gint64 meant = -1;
    for (gint64 k = 0; k < n; k++)
      if (origin + (begin + k) * size <= middle && middle < origin + (begin + k + 1) * size)
        meant = k;
    g_assert_cmpint(vt_grid_find_under(pixel, d, (double)origin / 16, (double)size / 16, begin, n), ==, meant);
  }
}

/* The picture of a region covers it, and is no larger than its grid makes it. */
static void
test_overlay(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(24);
  for (int i = 0; i < ROUNDS; i++) {
    const gint64 x = g_rand_int_range(rand, 0, 99), width = g_rand_int_range(rand, 1, 99),
                 y = g_rand_int_range(rand, 0, 99), height = g_rand_int_range(rand, 1, 99);
    const VtOverlayGrid grid = vt_overlay_choose_grid(x, y, width, height, g_rand_int_range(rand, 0, 20));
    for (gint64 at = 0; at < 200; at++) {
      gboolean is_column = FALSE, is_row = FALSE;
      for (gint64 k = at * grid.downsample; k < (at + 1) * grid.downsample; k++) {
        is_column |= has(x, width, k);
        is_row |= has(y, height, k);
      }
      g_assert_true(has(grid.x, grid.width, at) == is_column && has(grid.y, grid.height, at) == is_row);
    }
  }
}

/* What is read of an image on a grid: for each pixel the mean of those of the image that lie in it, halves up. */
static guint8
get_mean(const VtRaster *raster, gint64 column, gint64 row, gint64 d)
{
  gint64 sum = 0, n = 0;
  for (gint64 y = 0; y < raster->height; y++)
    for (gint64 x = 0; x < raster->width; x++)
      if (x / d == column && y / d == row) {
        sum += raster->data[(gsize)y * raster->stride + (gsize)x];
        n++;
      }
  return (guint8)((2 * sum + n) / (2 * n));
}

static void
test_read(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(25);
  for (int i = 0; i < 3000; i++) {
    g_autoptr(VtRaster) raster =
      vt_raster_new(VITRAIL_U8, g_rand_int_range(rand, 1, 14), g_rand_int_range(rand, 1, 14), NULL);
    const gint64 x = g_rand_int_range(rand, -1, 8), y = g_rand_int_range(rand, -1, 8),
                 width = g_rand_int_range(rand, 1, 8), height = g_rand_int_range(rand, 1, 8);
    const guint d = (guint)g_rand_int_range(rand, 1, 16);
    guint8 got[8 * 8];
    g_autoptr(GError) error = NULL;
    for (gsize k = 0; k < (gsize)raster->height * raster->stride; k++)
      raster->data[k] = (guint8)g_rand_int(rand);
    const gboolean is_on = grid_has(x, raster->width, d) && grid_has(x + width - 1, raster->width, d)
                           && grid_has(y, raster->height, d) && grid_has(y + height - 1, raster->height, d);
    g_assert_cmpint(vt_raster_read_region(raster, d, x, y, width, height, got, 8, &error), ==, is_on);
    g_assert_true(is_on == !error);
    for (gint64 row = 0; is_on && row < height; row++)
      for (gint64 column = 0; column < width; column++)
        g_assert_cmpuint(got[row * 8 + column], ==, get_mean(raster, x + column, y + row, d));
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rect/cut", test_cut);
  g_test_add_func("/rect/cut-far", test_cut_far);
  g_test_add_func("/rect/around", test_around);
  g_test_add_func("/rect/to-grid", test_to_grid);
  g_test_add_func("/rect/on-grid", test_on_grid);
  g_test_add_func("/rect/under", test_under);
  g_test_add_func("/rect/overlay", test_overlay);
  g_test_add_func("/rect/read", test_read);
  return g_test_run();
}
