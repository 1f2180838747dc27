/* SPDX-License-Identifier: MIT
 *
 * A run length matrix as it is drawn: rows and columns hold every level and length once; and the picture of runs has just the pixels of the runs
 * that a cell counts. */

#include "layers/vt-run-picture.h"
#include "panels/vt-run-bins.h"

/* --- bins --- */

static void
check_bins(guint top, guint longest)
{
  g_autoptr(VtRunBins) bins = vt_run_bins_new(top, longest), same = vt_run_bins_new(top, longest);
  VtRunCell cell = { 0 };
  guint row, column, next = 1;
  g_assert_cmpmem(bins->level_to, bins->n_rows * sizeof(guint), same->level_to, same->n_rows * sizeof(guint));
  g_assert_cmpmem(bins->length_to, bins->n_columns * sizeof(guint), same->length_to, same->n_columns * sizeof(guint));
  g_assert_cmpuint(bins->n_rows, <=, VT_RUN_BINS_ROWS);
  for (guint i = 0; i < bins->n_columns; i++) {
    vt_run_bins_get_cell(bins, 0, i, &cell);
    g_assert_cmpuint(cell.length_from, ==, next);
    g_assert_true(cell.length_from == cell.length_to || cell.length_from > VT_RUN_BINS_SINGLE);
    next = cell.length_to + 1;
  }
  g_assert_cmpuint(next, ==, longest + 1);
  for (guint level = 1; level <= top; level++) {
    g_assert_true(vt_run_bins_find(bins, level, longest, &row, &column));
    vt_run_bins_get_cell(bins, row, column, &cell);
    g_assert_true(cell.level_from <= level && level <= cell.level_to && cell.length_to == longest);
  }
  g_assert_false(vt_run_bins_find(bins, top + 1, 1, &row, &column));
  g_assert_false(vt_run_bins_find(bins, 1, longest + 1, &row, &column));
  g_assert_false(vt_run_bins_find(bins, 1, 0, &row, &column));
}

static void
test_bins(void)
{
  static const guint tops[] = { 1, 2, 31, 32, 64, 65, 200, 256 }, lengths[] = { 1, 3, 31, 32, 33, 40, 41, 500, 4096 };
  for (guint i = 0; i < G_N_ELEMENTS(tops); i++)
    for (guint k = 0; k < G_N_ELEMENTS(lengths); k++)
      check_bins(tops[i], lengths[k]);
}

/* --- pictures --- */

enum { WIDTH = 300, HEIGHT = 270 /* more than a tile of the picture, and not a whole number of them */ };

static VtRunLengths *
draw_lengths(GRand *random)
{
  guint32 *levels = g_new(guint32, WIDTH * HEIGHT), counts[VT_RUN_DIRECTIONS * 3 * WIDTH] = { 0 };
  const VitrailRunLengths told = { .size = sizeof told,
                                   .downsample = 2,
                                   .x = 10,
                                   .y = 20,
                                   .width = WIDTH,
                                   .height = HEIGHT,
                                   .n_pixels = WIDTH * HEIGHT,
                                   .n_levels = 3,
                                   .longest = WIDTH,
                                   .n_counts = VT_RUN_DIRECTIONS * 3 * WIDTH,
                                   .levels = levels,
                                   .counts = counts,
                                   .unit = "" };
  for (guint i = 0; i < WIDTH * HEIGHT; i++)
    levels[i] = i % 7 > 0 && i > 0 ? levels[i - 1] : (guint32)g_rand_int_range(random, 0, 4);
  VtRunLengths *lengths = vt_run_lengths_new(&told);
  g_free(levels);
  return lengths;
}

static guint32
get_pixel(const VtPainted *painted, gint64 x, gint64 y)
{
  for (guint i = 0; i < painted->tiles->len; i++) {
    const VtPaintedTile *tile = &g_array_index(painted->tiles, VtPaintedTile, i);
    const guint32 *pixels = g_bytes_get_data(tile->bytes, NULL);
    if (x >= tile->x && y >= tile->y && x < tile->x + tile->width && y < tile->y + tile->height)
      return pixels[(y - tile->y) * tile->width + x - tile->x];
  }
  return 0;
}

/* The pixel's run, by going both ways from it. */
static gboolean
is_of(const VtRunLengths *l, int x, int y, guint d, const VtRunCell *cell)
{
  const guint32 level = l->levels[y * WIDTH + x];
  guint length = 1;
  int dx, dy;
  vt_run_direction_get_step(d, &dx, &dy);
  for (int sign = -1; sign <= 1; sign += 2)
    for (int at_x = x + sign * dx, at_y = y + sign * dy;
         at_x >= 0 && at_y >= 0 && at_x < WIDTH && at_y < HEIGHT && l->levels[at_y * WIDTH + at_x] == level;
         at_x += sign * dx, at_y += sign * dy)
      length++;
  return level >= MAX(cell->level_from, 1) && level <= cell->level_to && length >= cell->length_from
         && length <= cell->length_to;
}

static void
test_picture(void)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(4);
  g_autoptr(VtRunLengths) lengths = draw_lengths(random);
  const VtRunCell cells[] = { { 1, 2, 2, 3, 9 }, { 4, 1, 3, 2, 2 }, { 10, 3, 3, 1, 4 }, { 15, 1, 1, 5, 99 } };
  for (guint i = 0; i < G_N_ELEMENTS(cells); i++) {
    guint n;
    g_autoptr(VtPainted) painted = vt_run_picture_new(lengths, &cells[i], &n);
    g_autoptr(GArray) places = vt_run_lengths_find(lengths, &cells[i]);
    g_assert_cmpuint(n, ==, places->len);
    g_assert_cmpfloat(painted->x_l0, ==, 20);
    g_assert_cmpfloat(painted->y_l0, ==, 40);
    g_assert_cmpfloat(painted->pixel_l0, ==, 2);
    for (int y = 0; y < HEIGHT; y++)
      for (int x = 0; x < WIDTH; x++) {
        gboolean is_run = FALSE;
        for (guint d = 0; d < VT_RUN_DIRECTIONS; d++)
          is_run |= cells[i].directions >> d & 1 && is_of(lengths, x, y, d, &cells[i]);
        g_assert_cmpint(get_pixel(painted, x, y) != 0, ==, is_run);
      }
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/runs/bins", test_bins);
  g_test_add_func("/runs/picture", test_picture);
  return g_test_run();
}
