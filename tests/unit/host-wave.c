/* SPDX-License-Identifier: MIT
 *
 * Waves as the program keeps them: pixels in the order of time, what happens on the way, where a value came from; and what a plugin tells that
 * makes no sense. */
#include <math.h>
#include <string.h>

#include "plugins/vt-tile-check.h"
#include "run/vt-wave.h"

static const VitrailInput image = {
  .size = sizeof image, .width_l0 = 100, .height_l0 = 100, .mpp_x = 0.5, .mpp_y = 0.5
};

/* A basin from the left, one from the right, and a late one in the corner. */
#define N VITRAIL_WAVE_NEVER
static const guint32 flood_ticks[] = {
  0, 1, 2, 3, 1, 0, N, //
  1, 1, 2, 2, 1, 1, N, //
  N, N, N, N, N, N, 2, //
};
static const gint32 flood_labels[] = {
  5, 5, 5, 9, 9, 9, 0, //
  5, 5, 5, 9, 9, 9, 0, //
  0, 0, 0, 0, 0, 0, 7, //
};
static const float flood_levels[] = { 4, 3, 3, 1 };

static VitrailWave
flood(void)
{
  return (VitrailWave){ .size = sizeof(VitrailWave),
                        .kind = VITRAIL_WAVE_WATERSHED,
                        .type = VITRAIL_I32,
                        .node = "pieces",
                        .x = 10,
                        .y = 20,
                        .width = 7,
                        .height = 3,
                        .downsample = 2,
                        .connectivity = 8,
                        .n_ticks = 4,
                        .ticks = flood_ticks,
                        .end = flood_labels,
                        .made = flood_labels,
                        .scale = 1,
                        .unit = "",
                        .levels = flood_levels,
                        .tick_scale = 0.25,
                        .tick_unit = "µm",
                        .stages = 1 };
}

static void
test_flood(void)
{
  const VitrailWave told = flood();
  g_autoptr(VtWave) wave = vt_wave_new(&told, &image, NULL);
  static const guint32 counts[] = { 2, 6, 4, 1 };
  double x, y;
  g_assert_cmpuint(wave->n_different, ==, 0);
  for (guint32 t = 0; t < 4; t++)
    g_assert_cmpuint(vt_wave_count(wave, t), ==, counts[t]);
  for (guint32 i = 1; i < wave->first[4]; i++) {
    const guint32 a = wave->order[i - 1], b = wave->order[i];
    g_assert_true(wave->ticks[a] < wave->ticks[b] || (wave->ticks[a] == wave->ticks[b] && a < b));
  }
  g_assert_cmpuint(vt_wave_get_plateau_step(wave, 2), ==, 1);
  g_assert_cmpuint(vt_wave_get_plateau_step(wave, 3), ==, 0);
  vt_wave_get_place(wave, 8, &x, &y);
  g_assert_cmpfloat(x, ==, 23);
  g_assert_cmpfloat(y, ==, 43);
  g_assert_cmpint(vt_wave_find_pixel(wave, 23, 43), ==, 8);
  g_assert_cmpint(vt_wave_find_pixel(wave, 19.9, 43), ==, -1);
}

/* In how many tiles it is at work: from both ends of a strip of three tiles to the middle; nothing is left for the last moment but one. */
static void
test_tiles(void)
{
  enum { WIDTH = 2 * VT_WAVE_TILE + 10, HEIGHT = 2, N_TICKS = WIDTH / 2 + 2 };
  static guint32 ticks[WIDTH * HEIGHT];
  static gint32 labels[WIDTH * HEIGHT];
  static float levels[N_TICKS];
  for (int i = 0; i < WIDTH * HEIGHT; i++) {
    ticks[i] = (guint32)MIN(i % WIDTH, WIDTH - 1 - i % WIDTH);
    labels[i] = 1;
  }
  ticks[WIDTH / 2] = N_TICKS - 1;
  VitrailWave told = flood();
  told.width = WIDTH;
  told.height = HEIGHT;
  told.n_ticks = N_TICKS;
  told.ticks = ticks;
  told.end = told.made = labels;
  told.levels = levels;
  g_autoptr(VtWave) wave = vt_wave_new(&told, &image, NULL);
  g_assert_cmpuint(wave->n_tiles, ==, 3);
  for (guint32 t = 0; t < WIDTH / 2; t++) /* the left end and the right one; in the middle tile both */
    g_assert_cmpuint(wave->tiles[t], ==, t < VT_WAVE_TILE ? 2 : 1);
  g_assert_cmpuint(wave->tiles[N_TICKS - 2], ==, 0);
  g_assert_cmpuint(wave->tiles[N_TICKS - 1], ==, 1);
}

/* Three seeds; each meeting is told once, and the last seed meets another at once, by a corner. */
static void
test_events(void)
{
  const VitrailWave told = flood();
  g_autoptr(VtWave) wave = vt_wave_new(&told, &image, NULL);
  static const VtWaveEvent events[] = { { VT_WAVE_BIRTH, 0, 0 },
                                        { VT_WAVE_BIRTH, 0, 5 },
                                        { VT_WAVE_MEETING, 2, 10 },
                                        { VT_WAVE_BIRTH, 2, 20 },
                                        { VT_WAVE_MEETING, 2, 20 } };
  g_assert_cmpuint(wave->events->len, ==, G_N_ELEMENTS(events));
  for (guint i = 0; i < wave->events->len; i++) {
    const VtWaveEvent *event = &g_array_index(wave->events, VtWaveEvent, i);
    g_assert_cmpint(event->kind, ==, events[i].kind);
    g_assert_cmpuint(event->tick, ==, events[i].tick);
    g_assert_cmpuint(event->at, ==, events[i].at);
  }
}

static void
test_way_to_seed(void)
{
  const VitrailWave told = flood();
  g_autoptr(VtWave) wave = vt_wave_new(&told, &image, NULL);
  g_autoptr(GArray) way = vt_wave_find_way(wave, 9);
  static const guint32 pixels[] = { 9, 1, 0 };
  g_assert_cmpmem(way->data, way->len * sizeof(guint32), pixels, sizeof pixels);
  g_assert_null(vt_wave_find_way(wave, 6));
}

/* --- reconstruction --- */

#define SIDE 24

typedef struct {
  guint8 mask[SIDE * SIDE], begin[SIDE * SIDE], end[SIDE * SIDE];
  guint32 ticks[SIDE * SIDE], n_ticks;
} Growth;

/* Dilations of the whole image. */
static void
grow(Growth *g, GRand *random, gboolean turned)
{
  g->n_ticks = 1;
  for (guint i = 0; i < SIDE * SIDE; i++) {
    g->mask[i] = (guint8)g_rand_int_range(random, 0, 9);
    g->begin[i] = (guint8)(g_rand_int_range(random, 0, 12) == 0 ? g->mask[i] : 0);
    g->ticks[i] = 0;
  }
  memcpy(g->end, g->begin, sizeof g->end);
  for (gboolean changes = TRUE; changes; g->n_ticks += changes) {
    guint8 next[SIDE * SIDE];
    changes = FALSE;
    for (int i = 0; i < SIDE * SIDE; i++) {
      guint8 most = 0;
      for (int y = MAX(i / SIDE - 1, 0); y <= MIN(i / SIDE + 1, SIDE - 1); y++)
        for (int x = MAX(i % SIDE - 1, 0); x <= MIN(i % SIDE + 1, SIDE - 1); x++)
          most = MAX(most, g->end[y * SIDE + x]);
      next[i] = MIN(most, g->mask[i]);
      if (next[i] == g->end[i])
        continue;
      g->ticks[i] = g->n_ticks;
      changes = TRUE;
    }
    memcpy(g->end, next, sizeof next);
  }
  for (int i = 0; turned && i < SIDE * SIDE; i++) {
    g->begin[i] = (guint8)(255 - g->begin[i]);
    g->end[i] = (guint8)(255 - g->end[i]);
  }
}

/* It has as many steps as the pixel's tick, each to a neighbour that is as high, and ends where the marker is. */
static void
check_way(const VtWave *wave, const Growth *g, guint32 pixel, int sign)
{
  g_autoptr(GArray) way = vt_wave_find_way(wave, pixel);
  const int height = sign * g->end[pixel];
  g_assert_nonnull(way);
  g_assert_cmpuint(way->len, ==, g->ticks[pixel] + 1);
  g_assert_cmpuint(g_array_index(way, guint32, 0), ==, pixel);
  for (guint i = 0; i < way->len; i++) {
    const int at = (int)g_array_index(way, guint32, i), before = (int)g_array_index(way, guint32, i > 0 ? i - 1 : 0);
    g_assert_true(ABS(at / SIDE - before / SIDE) <= 1 && ABS(at % SIDE - before % SIDE) <= 1);
    g_assert_cmpint(sign * g->end[at], >=, height);
  }
  g_assert_cmpint(sign * g->begin[g_array_index(way, guint32, way->len - 1)], >=, height);
}

static void
test_way_to_marker(void)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(3);
  for (guint turn = 0; turn < 40; turn++) {
    Growth g;
    grow(&g, random, turn % 2);
    const VitrailWave told = { .size = sizeof told,
                               .kind = VITRAIL_WAVE_RECONSTRUCTION,
                               .type = VITRAIL_U8,
                               .node = "n",
                               .width = SIDE,
                               .height = SIDE,
                               .downsample = 1,
                               .connectivity = 8,
                               .n_ticks = g.n_ticks,
                               .ticks = g.ticks,
                               .begin = g.begin,
                               .end = g.end,
                               .made = g.mask,
                               .scale = 1,
                               .unit = "",
                               .tick_unit = "" };
    g_autoptr(VtWave) wave = vt_wave_new(&told, &image, NULL);
    g_assert_true(vt_wave_is_sound(&told));
    g_assert_cmpuint(wave->n_different, >, 0);
    for (guint32 i = 0; i < SIDE * SIDE; i++)
      check_way(wave, &g, i, turn % 2 ? -1 : 1);
  }
}

/* --- nonsense --- */

static void
test_unsound(void)
{
  VitrailWave waves[12];
  for (guint i = 0; i < G_N_ELEMENTS(waves); i++)
    waves[i] = flood();
  g_assert_true(vt_wave_is_sound(&waves[0]));
  waves[0].kind = 4;
  waves[1].type = VITRAIL_U8;
  waves[2].width = 0;
  waves[3].height = G_MAXINT64;
  waves[4].n_ticks = 0;
  waves[5].levels = NULL;
  waves[6].begin = flood_labels;
  waves[7].made = NULL;
  waves[8].downsample = 0;
  waves[9].connectivity = 6;
  waves[10].tick_scale = NAN;
  waves[11].tick_unit = NULL;
  for (guint i = 0; i < G_N_ELEMENTS(waves); i++)
    g_assert_false(vt_wave_is_sound(&waves[i]));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/wave/flood", test_flood);
  g_test_add_func("/wave/tiles", test_tiles);
  g_test_add_func("/wave/events", test_events);
  g_test_add_func("/wave/way-to-seed", test_way_to_seed);
  g_test_add_func("/wave/way-to-marker", test_way_to_marker);
  g_test_add_func("/wave/unsound", test_unsound);
  return g_test_run();
}
