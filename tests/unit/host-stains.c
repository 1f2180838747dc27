/* SPDX-License-Identifier: MIT
 *
 * Stains that are known are found again, in made pixels and on the shared slide. */
#include <math.h>
#include <string.h>

#include "host-support.h"
#include "run/vt-stains.h"

static const double white[3] = { 243, 240, 244 };

/* A tile whose pixels have densities a * first + b * second, with a quarter of glass and some noise. To amounts: a and b of the others. */
static VtTilePixels *
make_tile(GRand *rand, const double first[3], const double second[3], double most, GArray *const amounts[2])
{
  guint8 *bgra = g_malloc((gsize)4 * VT_TILE_PX * VT_TILE_PX);
  for (int i = 0; i < VT_TILE_PX * VT_TILE_PX; i++) {
    const gboolean is_glass = g_rand_int_range(rand, 0, 4) == 0;
    const double a = is_glass ? 0 : g_rand_double(rand) * most,
                 b = is_glass ? 0 : (1 - a / most) * g_rand_double(rand) * most;
    if (amounts && !is_glass && (a + b) * 1.5 > 0.3) { /* as dense as what counts as stained, about */
      g_array_append_val(amounts[0], a);
      g_array_append_val(amounts[1], b);
    }
    for (int c = 0; c < 3; c++) {
      const double value =
        white[c] * pow(10, -a * first[c] - b * second[c]) + (is_glass ? 0 : g_rand_double_range(rand, -1, 1));
      bgra[4 * i + 2 - c] = (guint8)CLAMP(lround(value), 0, 255);
    }
    bgra[4 * i + 3] = 255;
  }
  g_autoptr(GBytes) bytes = g_bytes_new_take(bgra, (gsize)4 * VT_TILE_PX * VT_TILE_PX);
  return vt_tile_pixels_new(g_bytes_ref(bytes), VT_TILE_PX, VT_TILE_PX, 4 * VT_TILE_PX);
}

static int
compare(gconstpointer a, gconstpointer b)
{
  const double p = *(const double *)a, q = *(const double *)b;
  return (p > q) - (p < q);
}

/* What 99 % do not exceed. */
static double
get_strength(GArray *amounts)
{
  g_array_sort(amounts, compare);
  return g_array_index(amounts, double, amounts->len * 99 / 100);
}

static double
get_length(const double v[3])
{
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static double
get_degrees(const double a[3], const double b[3])
{
  double dot = 0, aa = 0, bb = 0;
  for (int i = 0; i < 3; i++) {
    dot += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return acos(CLAMP(dot / sqrt(aa * bb), -1, 1)) * 180 / G_PI;
}

static void
test_made(void)
{
  static const double stains[][2][3] = {
    { { 0.65, 0.70, 0.29 }, { 0.2159, 0.8012, 0.5581 } }, /* H&E */
    { { 0.65, 0.70, 0.29 }, { 0.27, 0.57, 0.78 } },       /* H-DAB */
    { { 0.55, 0.75, 0.36 }, { 0.09, 0.95, 0.28 } },
    { { 0.80, 0.55, 0.23 }, { 0.10, 0.90, 0.40 } },
  };
  g_autoptr(GRand) rand = g_rand_new_with_seed(5);
  for (guint k = 0; k < G_N_ELEMENTS(stains); k++) {
    g_autoptr(GPtrArray) tiles = g_ptr_array_new_with_free_func((GDestroyNotify)vt_tile_pixels_unref);
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) a = g_array_new(FALSE, FALSE, sizeof(double)), b = g_array_new(FALSE, FALSE, sizeof(double));
    GArray *const amounts[2] = { a, b };
    VtStains found, again;
    for (int i = 0; i < 3; i++)
      g_ptr_array_add(tiles, make_tile(rand, stains[k][0], stains[k][1], 0.9, amounts));
    g_assert_true(vt_stains_estimate_tiles(tiles, &found, &error));
    g_assert_no_error(error);
    g_test_message("%u: %.2f and %.2f degrees off", k, get_degrees(found.hematoxylin, stains[k][0]),
                   get_degrees(found.other, stains[k][1]));
    g_assert_cmpfloat(get_degrees(found.hematoxylin, stains[k][0]), <, 2.5);
    g_assert_cmpfloat(get_degrees(found.other, stains[k][1]), <, 2.5);
    for (int c = 0; c < 3; c++)
      g_assert_cmpfloat(found.white[c], ==, white[c]);
    for (int i = 0; i < 2; i++) {
      const double strength = get_strength(amounts[i]) * get_length(stains[k][i]);
      g_test_message("strength %.3f, in truth %.3f", found.strengths[i], strength);
      g_assert_cmpfloat_with_epsilon(found.strengths[i], strength, 0.04);
    }
    for (guint i = 0; i < tiles->len / 2; i++) { /* the order of tiles changes nothing */
      gpointer kept = tiles->pdata[i];
      tiles->pdata[i] = tiles->pdata[tiles->len - 1 - i];
      tiles->pdata[tiles->len - 1 - i] = kept;
    }
    g_assert_true(vt_stains_estimate_tiles(tiles, &again, NULL));
    g_assert_cmpmem(&found, sizeof found, &again, sizeof again);
  }
}

static void
test_refused(void)
{
  static const double stain[3] = { 0.65, 0.70, 0.29 };
  g_autoptr(GRand) rand = g_rand_new_with_seed(6);
  g_autoptr(GPtrArray) tiles = g_ptr_array_new_with_free_func((GDestroyNotify)vt_tile_pixels_unref);
  g_autoptr(GError) none = NULL, glass = NULL, one = NULL;
  VtStains found;
  g_assert_false(vt_stains_estimate_tiles(tiles, &found, &none));
  g_assert_error(none, VT_ERROR, VITRAIL_BAD_ARGUMENT);
  g_ptr_array_add(tiles, make_tile(rand, stain, stain, 0.01, NULL));
  g_assert_false(vt_stains_estimate_tiles(tiles, &found, &glass));
  g_assert_nonnull(strstr(glass->message, "too little"));
  g_ptr_array_set_size(tiles, 0);
  g_ptr_array_add(tiles, make_tile(rand, stain, stain, 0.9, NULL));
  g_assert_false(vt_stains_estimate_tiles(tiles, &found, &one));
  g_assert_nonnull(strstr(one->message, "one stain"));
}

static void
test_slide(void)
{
  static const double usual[2][3] = { { 0.65, 0.70, 0.29 }, { 0.07, 0.99, 0.11 } };
  g_autofree char *path = shared_path("slides/aperio/CMU-1-Small-Region.svs");
  g_autoptr(VtSlide) slide = path ? vt_slide_open(path, NULL) : NULL;
  g_autoptr(GError) error = NULL;
  VtStains found;
  if (!slide) {
    g_test_skip("no shared slide (VITRAIL_SHARED)");
    return;
  }
  g_assert_true(vt_stains_estimate(slide, NULL, &found, &error));
  g_assert_no_error(error);
  g_test_message(
    "hematoxylin %g %g %g, eosin %g %g %g, white %g %g %g, %g degrees, %g um, %" G_GUINT64_FORMAT " stained",
    found.hematoxylin[0], found.hematoxylin[1], found.hematoxylin[2], found.other[0], found.other[1], found.other[2],
    found.white[0], found.white[1], found.white[2], found.degrees, found.pixel_size, found.n_stained);
  g_assert_cmpfloat(get_degrees(found.hematoxylin, usual[0]), <, 15);
  g_assert_cmpfloat(get_degrees(found.other, usual[1]), <, 25);
  g_test_message("strengths %g %g", found.strengths[0], found.strengths[1]);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/stains/made", test_made);
  g_test_add_func("/stains/refused", test_refused);
  g_test_add_func("/stains/slide", test_slide);
  return g_test_run();
}
