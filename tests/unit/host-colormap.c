/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "host-support.h"
#include "vt-colormap.h"

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
test_apply(void)
{
  g_autoptr(VtRaster) raster = vt_raster_new(VITRAIL_F32, 3, 2, NULL);
  float *values = (float *)(gpointer)raster->data;
  guint8 out[3 * 2 * 4];
  memset(out, 7, sizeof out);
  values[1] = 1;
  values[2] = NAN;
  values[5] = INFINITY;
  vt_colormap_apply(VT_COLORMAP_GRAY, raster, 0, 1, 0, 0, 3, 2, out, 12);
  g_assert_cmpint(out[0], ==, 0);
  g_assert_cmpint(out[3], ==, 255);
  g_assert_cmpint(out[4], ==, 255);
  g_assert_cmpint(out[8] + out[11], ==, 0);
  g_assert_cmpint(out[23], ==, 0);
  vt_colormap_apply(VT_COLORMAP_MASK, raster, 0, 1, 1, 0, 1, 1, out, 4);
  g_assert_cmpint(out[3], ==, 255);
  vt_colormap_apply(VT_COLORMAP_LABELS, raster, 0, 1, 0, 1, 1, 1, out, 4);
  g_assert_cmpint(out[3], ==, 0);
  vt_colormap_apply(VT_COLORMAP_MAGMA, raster, 5, 5, 0, 0, 3, 2, out, 12);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/colormap/tables", test_tables);
  g_test_add_func("/colormap/apply", test_apply);
  return g_test_run();
}
