/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "host-support.h"
#include "raster/vt-coloring.h"
#include "raster/vt-stats.h"

static void
test_tables(void)
{
  guint8 a[3], b[3];
  for (int map = 0; map < VT_N_COLORMAPS; map++)
    g_assert_cmpint(vt_colormap_from_id(vt_colormap_get_id((VtColormap)map)), ==, map);
  g_assert_cmpint(vt_colormap_from_id("no such"), ==, VT_COLORMAP_GRAY);
  g_assert_cmpint(vt_colormap_from_id(NULL), ==, VT_COLORMAP_GRAY);
  for (int map = 0; vt_colormap_is_continuous((VtColormap)map); map++) {
    for (int i = 1; i <= 1000; i++) {
      vt_colormap_get_color((VtColormap)map, (i - 1) / 1000.0, a);
      vt_colormap_get_color((VtColormap)map, i / 1000.0, b);
      for (int c = 0; c < 3; c++)
        g_assert_cmpint(ABS(a[c] - b[c]), <=, 3);
    }
    vt_colormap_get_color((VtColormap)map, NAN, a);
    vt_colormap_get_color((VtColormap)map, 7, b);
  }
  vt_colormap_get_color(VT_COLORMAP_DIVERGING, 0.5, a);
  g_assert_cmpint(a[0] + a[1] + a[2], ==, 3 * 255);
  vt_colormap_get_color(VT_COLORMAP_VIRIDIS, 1, a);
  g_assert_cmpint(a[0], ==, 0xfd);
  for (gint64 label = 1; label < 100; label++) {
    vt_colormap_get_label_color(label, a);
    vt_colormap_get_label_color(label + 1, b);
    g_assert_cmpint(ABS(a[0] - b[0]) + ABS(a[1] - b[1]) + ABS(a[2] - b[2]), >, 90);
  }
}

static void
color(VtColoring coloring, const VtRaster *raster, gint64 x, gint64 y, gint64 width, gint64 height, guint8 *out)
{
  g_autoptr(VtColorizer) colorizer = vt_colorizer_new(&coloring, raster);
  vt_colorizer_apply(colorizer, x, y, width, height, out, (gsize)width * 4);
}

static void
test_apply(void)
{
  g_autoptr(VtRaster) raster = vt_raster_new(VITRAIL_F32, 3, 2, NULL);
  float *values = (float *)(gpointer)raster->data;
  _Alignas(4) guint8 out[3 * 2 * 4];
  memset(out, 7, sizeof out);
  values[1] = 1;
  values[2] = NAN;
  values[5] = INFINITY;
  color(vt_coloring_make(VT_COLORMAP_GRAY, 0, 1), raster, 0, 0, 3, 2, out);
  g_assert_cmpint(out[0], ==, 0);
  g_assert_cmpint(out[3], ==, 255);
  g_assert_cmpint(out[4], ==, 255);
  g_assert_cmpint(out[8] + out[11], ==, 0);
  g_assert_cmpint(out[23], ==, 0);
  color(vt_coloring_make(VT_COLORMAP_MASK, 0, 1), raster, 1, 0, 1, 1, out);
  g_assert_cmpint(out[3], ==, 255);
  color(vt_coloring_make(VT_COLORMAP_LABELS, 0, 1), raster, 0, 1, 1, 1, out);
  g_assert_cmpint(out[3], ==, 0);
  color(vt_coloring_make(VT_COLORMAP_MAGMA, 5, 5), raster, 0, 0, 3, 2, out);
}

/* Every type and map against the definition, pixel by pixel, with a threshold. */
static void
test_types(void)
{
  static const VitrailPixelType types[] = { VITRAIL_U8, VITRAIL_U16, VITRAIL_I32, VITRAIL_F32 };
  for (guint t = 0; t < G_N_ELEMENTS(types); t++) {
    g_autoptr(VtRaster) raster = vt_raster_new(types[t], 37, 11, NULL);
    g_autofree guint8 *out = g_malloc(37 * 11 * 4);
    raster->scale = 0.5;
    raster->offset = -1;
    raster->zero_is_empty = t % 2 == 1;
    for (gsize i = 0; i < 37 * 11; i++) {
      const int value = g_test_rand_int_range(0, 200);
      if (types[t] == VITRAIL_U8)
        raster->data[i] = (guint8)value;
      else if (types[t] == VITRAIL_U16)
        ((guint16 *)(gpointer)raster->data)[i] = (guint16)value;
      else if (types[t] == VITRAIL_I32)
        ((gint32 *)(gpointer)raster->data)[i] = value;
      else
        ((float *)(gpointer)raster->data)[i] = (float)value;
    }
    for (int map = 0; map < VT_N_COLORMAPS; map++) {
      VtColoring coloring = vt_coloring_make((VtColormap)map, 0, 60);
      coloring.shown_min = 5;
      coloring.shown_max = 80;
      color(coloring, raster, 0, 0, 37, 11, out);
      for (gint64 i = 0; i < 37 * 11; i++) {
        const double raw = vt_raster_get_raw(raster, i % 37, i / 37), value = raw * 0.5 - 1;
        guint8 rgb[3];
        if (map == VT_COLORMAP_LABELS)
          vt_colormap_get_label_color((gint64)raw, rgb);
        else if (vt_colormap_is_solid((VtColormap)map))
          vt_colormap_get_solid_color((VtColormap)map, rgb);
        else
          vt_colormap_get_color((VtColormap)map, floor(CLAMP(value / 60, 0, 1) * 255 + 0.5) / 255, rgb);
        const gboolean shown = value >= 5 && value <= 80;
        g_assert_cmpint(out[4 * i + 3], ==, shown ? 255 : 0);
        g_assert_cmpint(out[4 * i], ==, shown ? rgb[2] : 0);
        g_assert_cmpint(out[4 * i + 1], ==, shown ? rgb[1] : 0);
        g_assert_cmpint(out[4 * i + 2], ==, shown ? rgb[0] : 0);
      }
    }
  }
}

/* CIELAB of linear sRGB, D65. */
static void
to_lab(const double linear[3], double lab[3])
{
  static const double to_xyz[3][3] = { { 0.4124564, 0.3575761, 0.1804375 },
                                       { 0.2126729, 0.7151522, 0.0721750 },
                                       { 0.0193339, 0.1191920, 0.9503041 } };
  static const double white[3] = { 0.95047, 1, 1.08883 };
  double f[3];
  for (int i = 0; i < 3; i++) {
    double value = 0;
    for (int c = 0; c < 3; c++)
      value += to_xyz[i][c] * CLAMP(linear[c], 0.0, 1.0);
    value /= white[i];
    f[i] = value > 216.0 / 24389 ? cbrt(value) : (24389.0 / 27 * value + 16) / 116;
  }
  lab[0] = 116 * f[1] - 16;
  lab[1] = 500 * (f[0] - f[1]);
  lab[2] = 200 * (f[1] - f[2]);
}

/* What an eye sees: 0 all cones; without those for red, green, blue (Machado, Oliveira, Fernandes 2009). */
static void
see(int eye, const guint8 rgb[3], double lab[3])
{
  static const double cones[4][3][3] = {
    { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
    { { 0.152286, 1.052583, -0.204868 }, { 0.114503, 0.786281, 0.099216 }, { -0.003882, -0.048116, 1.051998 } },
    { { 0.367322, 0.860646, -0.227968 }, { 0.280085, 0.672501, 0.047413 }, { -0.011820, 0.042940, 0.968881 } },
    { { 1.255528, -0.076749, -0.178779 }, { -0.078411, 0.930809, 0.147602 }, { 0.004733, 0.691367, 0.303900 } },
  };
  double linear[3] = { 0 };
  for (int c = 0; c < 3; c++) {
    const double value = rgb[c] / 255.0, light = value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
    for (int i = 0; i < 3; i++)
      linear[i] += cones[eye][i][c] * light;
  }
  to_lab(linear, lab);
}

/* The least difference to any eye, in CIELAB; 2.3 can just be seen. */
static double
differ(const guint8 a[3], const guint8 b[3])
{
  double least = INFINITY;
  for (int eye = 0; eye < 4; eye++) {
    double first[3], second[3];
    see(eye, a, first);
    see(eye, b, second);
    least = MIN(least, hypot(hypot(first[0] - second[0], first[1] - second[1]), first[2] - second[2]));
  }
  return least;
}

/* Masks are told apart by every eye, from each other, from stained tissue, from glass, and from viridis' yellow end. */
static void
test_eyes(void)
{
  static const guint8 around[][3] = { { 0xe7, 0xa8, 0xc8 }, { 0x6b, 0x4a, 0x94 }, { 0xf4, 0xf2, 0xf4 } };
  guint8 yellow[3];
  vt_colormap_get_color(VT_COLORMAP_VIRIDIS, 1, yellow);
  for (int map = VT_COLORMAP_MASK; map < VT_COLORMAP_LABELS; map++) {
    guint8 rgb[3], other[3];
    vt_colormap_get_solid_color((VtColormap)map, rgb);
    for (guint i = 0; i < G_N_ELEMENTS(around); i++)
      g_assert_cmpfloat(differ(rgb, around[i]), >, 20);
    g_assert_cmpfloat(differ(rgb, yellow), >, 20);
    for (int second = map + 1; second < VT_COLORMAP_LABELS; second++) {
      vt_colormap_get_solid_color((VtColormap)second, other);
      g_assert_cmpfloat(differ(rgb, other), >, 30);
    }
  }
}

/* Where zero means nothing the values fade in from it: no step, and no dark veil over the tissue. */
static void
test_fade(void)
{
  g_autoptr(VtRaster) raster = vt_raster_new(VITRAIL_U16, 1001, 1, NULL);
  g_autoptr(VtRaster) same = vt_raster_new(VITRAIL_F32, 1001, 1, NULL);
  _Alignas(4) guint8 out[1001 * 4], floats[1001 * 4];
  VtColoring coloring = vt_coloring_make(VT_COLORMAP_MAGMA, 0, 1);
  coloring.fades = TRUE;
  raster->scale = same->scale = 0.001;
  raster->zero_is_empty = same->zero_is_empty = TRUE;
  for (int i = 0; i <= 1000; i++) {
    ((guint16 *)(gpointer)raster->data)[i] = (guint16)i;
    ((float *)(gpointer)same->data)[i] = (float)i;
  }
  color(coloring, raster, 0, 0, 1001, 1, out);
  color(coloring, same, 0, 0, 1001, 1, floats);
  g_assert_cmpmem(out, sizeof out, floats, sizeof floats);
  g_assert_cmpint(out[3], ==, 0);
  for (int i = 1; i <= 1000; i++) {
    g_assert_cmpint(ABS(out[4 * i + 3] - out[4 * i - 1]), <=, 6);
    g_assert_cmpint(out[4 * i + 3], >=, out[4 * i - 1]);
    if (i > 1000 * VT_COLORING_FADE + 2)
      g_assert_cmpint(out[4 * i + 3], ==, 255);
  }
  g_assert_cmpint(out[4 * 20 + 3], <, 32);
}

static void
test_outline(void)
{
  /* Object 1 touches the border of the raster, where it goes on; object 2 lies inside it. */
  static const char *const rows[] = { "1111..", "1111..", "1122..", "1122..", "......" };
  static const char *const expected[] = { "   x  ", "  xx  ", " xxx  ", "xxxx  ", "      " };
  g_autoptr(VtRaster) raster = vt_raster_new(VITRAIL_I32, 6, 5, NULL);
  _Alignas(4) guint8 out[6 * 5 * 4];
  VtColoring coloring = vt_coloring_make(VT_COLORMAP_LABELS, 0, 1);
  coloring.outline = TRUE;
  for (int i = 0; i < 30; i++)
    ((gint32 *)(gpointer)raster->data)[i] = rows[i / 6][i % 6] == '.' ? 0 : rows[i / 6][i % 6] - '0';
  color(coloring, raster, 0, 0, 6, 5, out);
  for (int i = 0; i < 30; i++)
    g_assert_cmpint(out[4 * i + 3], ==, expected[i / 6][i % 6] == 'x' ? 255 : 0);
  /* A part is coloured as it is in the whole. */
  guint8 whole[4];
  memcpy(whole, out + 4 * (6 * 2 + 1), 4);
  color(coloring, raster, 1, 2, 1, 1, out);
  g_assert_cmpmem(out, 4, whole, 4);
}

static int
compare(gconstpointer a, gconstpointer b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Against sorting, of every type, also with a scale that turns the order round. */
static void
test_stats(void)
{
  static const VitrailPixelType types[] = { VITRAIL_U8, VITRAIL_U16, VITRAIL_I32, VITRAIL_F32 };
  for (guint round = 0; round < 40; round++) {
    const VitrailPixelType type = types[round % 4];
    const gint64 width = g_test_rand_int_range(1, 60), height = g_test_rand_int_range(1, 40);
    g_autoptr(VtRaster) raster = vt_raster_new(type, width + 3, height + 2, NULL);
    g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(double));
    VtStats stats, plain;
    double sum = 0, squares = 0;
    raster->scale = round % 3 == 2 ? -0.25 : 0.001;
    raster->offset = 1e4;
    raster->zero_is_empty = round % 5 == 0;
    for (gint64 i = 0; i < (width + 3) * (height + 2); i++) {
      const gint32 value = g_test_rand_int_range(-5, 90);
      switch (type) {
      case VITRAIL_U8: raster->data[i] = (guint8)ABS(value); break;
      case VITRAIL_U16: ((guint16 *)(gpointer)raster->data)[i] = (guint16)(ABS(value) * 700); break;
      case VITRAIL_I32: ((gint32 *)(gpointer)raster->data)[i] = value * 20000000; break;
      default: ((float *)(gpointer)raster->data)[i] = value == 7 ? NAN : (float)value * 0.37f;
      }
    }
    for (gint64 y = 2; y < height + 2; y++)
      for (gint64 x = 3; x < width + 3; x++) {
        const double raw = vt_raster_get_raw(raster, x, y), value = raw * raster->scale + raster->offset;
        if (isfinite(raw) && !(raw == 0 && raster->zero_is_empty))
          g_array_append_val(values, value);
      }
    /* In two parts, one of which may be empty. */
    const VtStatsPart parts[] = { { raster, 3, 2, width, height / 3 },
                                  { raster, 3, 2 + height / 3, width, height - height / 3 } };
    vt_stats_of_rasters(parts, 2, &stats);
    g_assert_cmpuint(stats.n, ==, values->len);
    g_assert_cmpuint(stats.n_places, ==, (guint64)(width * height));
    if (values->len == 0)
      continue;
    g_array_sort(values, compare);
    const double *sorted = (const double *)(gpointer)values->data;
    for (guint i = 0; i < values->len; i++)
      sum += sorted[i];
    for (guint i = 0; i < values->len; i++)
      squares += pow(sorted[i] - sum / values->len, 2);
    g_assert_cmpfloat(stats.min, ==, sorted[0]);
    g_assert_cmpfloat(stats.max, ==, sorted[values->len - 1]);
    g_assert_cmpfloat_with_epsilon(stats.mean, sum / values->len, 1e-6 * (1 + fabs(stats.max)));
    g_assert_cmpfloat_with_epsilon(stats.sd, sqrt(squares / values->len), 1e-6 * (1 + fabs(stats.max)));
    for (int p = 0; p < VT_STATS_N_PERCENTILES; p++)
      g_assert_cmpfloat(stats.percentiles[p], ==,
                        sorted[(guint)ceil(vt_stats_percents[p] / 100.0 * values->len - 1e-9) - 1]);
    guint64 total = 0;
    for (int bin = 0; bin < VT_STATS_N_BINS; bin++)
      total += stats.bins[bin];
    g_assert_cmpuint(total, ==, stats.n);
    vt_stats_of_values((double *)(gpointer)values->data, values->len, &plain);
    g_assert_cmpmem(plain.percentiles, sizeof plain.percentiles, stats.percentiles, sizeof stats.percentiles);
    g_assert_cmpmem(plain.bins, sizeof plain.bins, stats.bins, sizeof stats.bins);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/colormap/tables", test_tables);
  g_test_add_func("/colormap/apply", test_apply);
  g_test_add_func("/coloring/types", test_types);
  g_test_add_func("/coloring/outline", test_outline);
  g_test_add_func("/coloring/eyes", test_eyes);
  g_test_add_func("/coloring/fade", test_fade);
  g_test_add_func("/stats/raster", test_stats);
  return g_test_run();
}
