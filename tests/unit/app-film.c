/* SPDX-License-Identifier: MIT
 *
 * The pictures of a wave: however one came to a tick, by steps, leaps, forwards or back, its picture is the one that is painted anew. */
#include "layers/vt-film.h"

enum { WIDTH = 600, HEIGHT = 300, N_TICKS = 40 };

static VtWave *
draw_wave(GRand *random, gboolean has_begin)
{
  const gsize n = WIDTH * HEIGHT;
  g_autofree guint32 *ticks = g_new(guint32, n);
  g_autofree guint16 *begin = g_new(guint16, n), *end = g_new(guint16, n);
  g_autofree float *root = g_new(float, n);
  for (gsize i = 0; i < n; i++) {
    ticks[i] = g_rand_int_range(random, 0, 9) == 0 ? VITRAIL_WAVE_NEVER : (guint32)g_rand_int_range(random, 0, N_TICKS);
    begin[i] = (guint16)g_rand_int_range(random, 0, 1000);
    end[i] = (guint16)(begin[i] + g_rand_int_range(random, 0, 1000));
    root[i] = end[i] / 7.0f;
  }
  ticks[0] = N_TICKS - 1;
  const VitrailInput image = { .size = sizeof image, .width_l0 = WIDTH, .height_l0 = HEIGHT };
  const VitrailWave told = { .size = sizeof told,
                             .kind = has_begin ? VITRAIL_WAVE_RECONSTRUCTION : VITRAIL_WAVE_DISTANCE,
                             .type = has_begin ? VITRAIL_U16 : VITRAIL_F32,
                             .node = "n",
                             .width = WIDTH,
                             .height = HEIGHT,
                             .downsample = 1,
                             .connectivity = 8,
                             .n_ticks = N_TICKS,
                             .ticks = ticks,
                             .begin = has_begin ? begin : NULL,
                             .end = has_begin ? (const void *)end : root,
                             .made = has_begin ? (const void *)end : root,
                             .scale = 1,
                             .unit = "",
                             .tick_unit = "" };
  return vt_wave_new(&told, &image, NULL);
}

static void
on_shown(gpointer user)
{
  *(gboolean *)user = TRUE;
}

static void
seek(VtFilm *film, guint32 tick, gboolean *shown)
{
  *shown = FALSE;
  vt_film_seek(film, tick);
  while (!*shown)
    g_main_context_iteration(NULL, TRUE);
}

static void
test_leaps(gconstpointer has_begin)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(11);
  g_autoptr(VtWave) wave = draw_wave(random, has_begin != NULL);
  gboolean shown = FALSE, shown_anew = FALSE;
  VtFilm *film = vt_film_new(wave, VT_COLORMAP_MAGMA, on_shown, &shown);
  for (guint turn = 0; turn < 30; turn++) {
    const guint32 goal = (guint32)g_rand_int_range(random, 0, N_TICKS);
    guint32 tick, tick_anew;
    VtFilm *anew = vt_film_new(wave, VT_COLORMAP_MAGMA, on_shown, &shown_anew);
    seek(film, goal, &shown);
    seek(anew, goal, &shown_anew);
    const VtPainted *a = vt_film_get_painted(film, &tick), *b = vt_film_get_painted(anew, &tick_anew);
    g_assert_cmpuint(tick, ==, goal);
    g_assert_cmpuint(tick_anew, ==, goal);
    g_assert_cmpuint(a->tiles->len, ==, 6);
    for (guint i = 0; i < a->tiles->len; i++)
      g_assert_true(g_bytes_equal(g_array_index(a->tiles, VtPaintedTile, i).bytes,
                                  g_array_index(b->tiles, VtPaintedTile, i).bytes));
    vt_film_free(anew);
  }
  vt_film_seek(film, 3);
  vt_film_free(film); /* while it is painted */
  for (guint i = 0; i < 50; i++) {
    g_main_context_iteration(NULL, FALSE);
    g_usleep(1000);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/film/leaps/distance", NULL, test_leaps);
  g_test_add_data_func("/film/leaps/reconstruction", "begin", test_leaps);
  return g_test_run();
}
