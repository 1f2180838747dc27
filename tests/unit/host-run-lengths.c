/* SPDX-License-Identifier: MIT
 *
 * Runs as the program keeps them: how many there are in a part of the matrix, and which; against a walk that marks pixels. And what a plugin tells
 * that makes no sense. */
#include <math.h>
#include <string.h>

#include "host-support.h"
#include "run/vt-run-lengths.h"

#define MOST 24

typedef struct {
  guint32 levels[MOST * MOST], counts[VT_RUN_DIRECTIONS * 6 * MOST];
  VitrailRunLengths told;
} Drawn;

static guint32
get_level(const VitrailRunLengths *told, int x, int y)
{
  return x >= 0 && y >= 0 && x < (int)told->width && y < (int)told->height ? told->levels[y * (int)told->width + x] : 0;
}

/* Each pixel that no run has yet goes as far as it can both ways. */
static void
count_by_marks(Drawn *drawn, guint d)
{
  const VitrailRunLengths *told = &drawn->told;
  gboolean marked[MOST * MOST] = { FALSE };
  int dx, dy;
  vt_run_direction_get_step(d, &dx, &dy);
  for (int y = 0; y < (int)told->height; y++)
    for (int x = 0; x < (int)told->width; x++) {
      const guint32 level = get_level(told, x, y);
      guint length = 1;
      if (level == 0 || marked[y * (int)told->width + x])
        continue;
      for (int sign = -1; sign <= 1; sign += 2)
        for (int n = 1; get_level(told, x + sign * n * dx, y + sign * n * dy) == level; n++, length++)
          marked[(y + sign * n * dy) * (int)told->width + x + sign * n * dx] = TRUE;
      drawn->counts[(d * told->n_levels + level - 1) * told->longest + length - 1]++;
    }
}

static void
draw(Drawn *drawn, GRand *random)
{
  const guint width = (guint)g_rand_int_range(random, 1, MOST + 1),
              height = (guint)g_rand_int_range(random, 1, MOST + 1);
  const gint32 most = g_rand_int_range(random, 2, 8);
  memset(drawn, 0, sizeof *drawn);
  drawn->told = (VitrailRunLengths){ .size = sizeof drawn->told,
                                     .downsample = 2,
                                     .x = 7,
                                     .y = 9,
                                     .width = width,
                                     .height = height,
                                     .n_pixels = width * height,
                                     .n_levels = 6,
                                     .longest = MAX(width, height),
                                     .n_counts = VT_RUN_DIRECTIONS * 6 * MAX(width, height),
                                     .levels = drawn->levels,
                                     .counts = drawn->counts,
                                     .level_from = -1,
                                     .level_step = 0.25,
                                     .unit = "OD" };
  for (guint i = 0; i < width * height; i++) /* runs, too */
    drawn->levels[i] =
      i > 0 && g_rand_boolean(random) ? drawn->levels[i - 1] : (guint32)g_rand_int_range(random, 0, most);
  for (guint d = 0; d < VT_RUN_DIRECTIONS; d++)
    count_by_marks(drawn, d);
}

/* Each place is a whole run of that cell, none is there twice, and there are as many as the matrix counts. */
static void
check_places(const VtRunLengths *lengths, const VitrailRunLengths *told, const VtRunCell *cell)
{
  g_autoptr(GArray) places = vt_run_lengths_find(lengths, cell);
  g_assert_cmpuint(places->len, ==, vt_run_lengths_count(lengths, cell));
  for (guint i = 0; i < places->len; i++) {
    const VtRunPlace *p = &g_array_index(places, VtRunPlace, i),
                     *last = &g_array_index(places, VtRunPlace, i > 0 ? i - 1 : 0);
    const guint32 level = get_level(told, (int)p->x, (int)p->y);
    int dx, dy;
    vt_run_direction_get_step(p->direction, &dx, &dy);
    g_assert_true(level >= cell->level_from && level <= cell->level_to);
    g_assert_true(p->length >= cell->length_from && p->length <= cell->length_to
                  && cell->directions >> p->direction & 1);
    for (int n = -1; n <= (int)p->length; n++)
      g_assert_true((get_level(told, (int)p->x + n * dx, (int)p->y + n * dy) == level)
                    == (n >= 0 && n < (int)p->length));
    g_assert_true(i == 0 || last->direction < p->direction || last->y < p->y || (last->y == p->y && last->x < p->x));
  }
}

static void
test_cells(void)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(5);
  for (guint turn = 0; turn < 200; turn++) {
    Drawn drawn;
    draw(&drawn, random);
    g_assert_null(vt_run_lengths_doubt(&drawn.told));
    g_autoptr(VtRunLengths) lengths = vt_run_lengths_new(&drawn.told);
    guint64 n = 0;
    for (guint d = 0; d < VT_RUN_DIRECTIONS; d++)
      for (guint level = 1; level <= 6; level++)
        for (guint length = 1; length <= lengths->longest; length++) {
          const VtRunCell cell = { 1u << d, level, level, length, length };
          g_assert_cmpuint(vt_run_lengths_count(lengths, &cell), ==,
                           drawn.counts[(d * 6 + level - 1) * lengths->longest + length - 1]);
          n += vt_run_lengths_count(lengths, &cell);
        }
    const VtRunCell all = { VT_RUN_ALL_DIRECTIONS, 1, 999, 1, 999 };
    g_assert_cmpuint(vt_run_lengths_count(lengths, &all), ==, n);
    for (guint k = 0; k < 20; k++) {
      const guint level = (guint)g_rand_int_range(random, 1, 7), length = (guint)g_rand_int_range(random, 1, 6);
      const VtRunCell cell = { (guint)g_rand_int_range(random, 1, 16), level,
                               level + (guint)g_rand_int_range(random, 0, 3), length,
                               length + (guint)g_rand_int_range(random, 0, 5) };
      check_places(lengths, &drawn.told, &cell);
    }
  }
}

/* The one run of each direction that has the pixel, of all that there are, and its pixels on the slide. */
static void
check_through(const VtRunLengths *lengths, guint x, guint y)
{
  const VtRunCell all = { VT_RUN_ALL_DIRECTIONS, 1, 999, 1, 999 };
  g_autoptr(GArray) places = vt_run_lengths_find(lengths, &all);
  VtRunPlace through[VT_RUN_DIRECTIONS];
  guint n = 0;
  const gboolean is_of_one = vt_run_lengths_find_through(lengths, x, y, through);
  for (guint i = 0; i < places->len; i++) {
    const VtRunPlace *p = &g_array_index(places, VtRunPlace, i), *own = &through[p->direction];
    int dx, dy;
    vt_run_direction_get_step(p->direction, &dx, &dy);
    for (int k = 0; k < (int)p->length; k++) {
      if ((int)p->x + k * dx != (int)x || (int)p->y + k * dy != (int)y)
        continue;
      n++;
      g_assert_true(own->x == p->x && own->y == p->y && own->direction == p->direction && own->length == p->length);
      g_autoptr(VtRoi) roi = vt_run_lengths_dup_roi(lengths, own);
      for (int m = -1; m <= (int)p->length; m++) { /* level 0 is twice as fine, from 7, 9 on */
        const double x_l0 = (7 + (int)p->x + m * dx) * 2 + 0.5, y_l0 = (9 + (int)p->y + m * dy) * 2 + 1.5;
        g_assert_true(vt_roi_contains(roi, x_l0, y_l0) == (m >= 0 && m < (int)p->length));
      }
    }
  }
  g_assert_cmpuint(n, ==, is_of_one ? VT_RUN_DIRECTIONS : 0);
}

static void
test_through(void)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(7);
  for (guint turn = 0; turn < 100; turn++) {
    Drawn drawn;
    draw(&drawn, random);
    g_autoptr(VtRunLengths) lengths = vt_run_lengths_new(&drawn.told);
    for (guint k = 0; k < 10; k++)
      check_through(lengths, (guint)g_rand_int_range(random, 0, (gint32)lengths->width),
                    (guint)g_rand_int_range(random, 0, (gint32)lengths->height));
    g_assert_false(vt_run_lengths_find_through(lengths, lengths->width, 0, (VtRunPlace[VT_RUN_DIRECTIONS]){ 0 }));
  }
}

static void
test_unsound(void)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(6);
  Drawn drawn;
  do
    draw(&drawn, random);
  while (drawn.told.width < 3 || drawn.told.height < 3);
  VitrailRunLengths told[16];
  for (guint i = 0; i < G_N_ELEMENTS(told); i++)
    told[i] = drawn.told;
  told[0].downsample = 0;
  told[1].x = -1;
  told[2].y = G_MAXINT64;
  told[3].width = 0;
  told[4].width = told[4].height = 1u << 16;
  told[5].n_pixels++;
  told[6].n_levels = 0;
  told[7].n_levels = 1u << 30;
  told[8].longest = 0;
  told[9].longest = 99;
  told[10].n_counts--;
  told[11].levels = NULL;
  told[12].counts = NULL;
  told[13].level_from = NAN;
  told[14].level_step = -1;
  told[15].unit = NULL;
  for (guint i = 0; i < G_N_ELEMENTS(told); i++)
    g_assert_nonnull(vt_run_lengths_doubt(&told[i]));
  drawn.counts[0]++;
  g_assert_nonnull(strstr(vt_run_lengths_doubt(&drawn.told), "add up"));
  drawn.counts[0]--;
  drawn.levels[0] = 7;
  g_assert_nonnull(strstr(vt_run_lengths_doubt(&drawn.told), "a level"));
}

/* --- by way of a plugin --- */

static VtRunRequest *
make_request(const char *mode, gboolean tells)
{
  VtRunRequest *request = make_fake_request("fake", mode, VITRAIL_U8, 60, 50);
  request->rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  request->tells_lengths = tells;
  g_ptr_array_add(request->rois, vt_roi_new_rectangle("One", 0, 0, 3, 2));
  return request;
}

static void
test_told(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(VtRunRequest) request = make_request("work", TRUE), silent = make_request("work", FALSE);
  g_autoptr(VtResult) result = vt_run(request, NULL, NULL, NULL, &error);
  g_assert_no_error(error);
  const VtRow *row = g_ptr_array_index(result->rows, 0);
  const VtRunCell twos = { VT_RUN_ALL_DIRECTIONS, 2, 2, 2, 2 };
  g_assert_cmpuint(row->lengths->n_pixels, ==, 5);
  g_assert_cmpuint(row->lengths->top, ==, 2);
  g_assert_cmpstr(row->lengths->unit, ==, "OD");
  g_assert_cmpuint(vt_run_lengths_count(row->lengths, &twos), ==, 1);
  g_autoptr(VtResult) without = vt_run(silent, NULL, NULL, NULL, &error);
  g_assert_no_error(error);
  g_assert_null(((const VtRow *)g_ptr_array_index(without->rows, 0))->lengths);
}

/* A second time of one row, or by a plugin that was not asked. */
static void
test_broken(void)
{
  for (int tells = 0; tells < 2; tells++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(VtRunRequest) request = make_request("bad-lengths", tells);
    g_assert_null(vt_run(request, NULL, NULL, NULL, &error));
    assert_says(error, "of no row");
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/run-lengths/cells", test_cells);
  g_test_add_func("/run-lengths/through", test_through);
  g_test_add_func("/run-lengths/unsound", test_unsound);
  g_test_add_func("/run-lengths/told", test_told);
  g_test_add_func("/run-lengths/broken", test_broken);
  return g_test_run();
}
