/* SPDX-License-Identifier: MIT
 *
 * Colours for the eye: the curve, pixels through it, and a profile against lcms2 itself. */
#include <lcms2.h>
#include <math.h>

#include "common/vt-colour.h"
#include "slide/vt-colour-table.h"

static VtTilePixels *
pixels_new(void)
{
  guint8 *data = g_malloc(256 * 4 * 2);
  for (int i = 0; i < 512; i++) {
    data[4 * i] = (guint8)i;
    data[4 * i + 1] = (guint8)(i * 7);
    data[4 * i + 2] = (guint8)(255 - i);
    data[4 * i + 3] = 255;
  }
  return vt_tile_pixels_new(g_bytes_new_take(data, 256 * 4 * 2), 256, 2, 1024);
}

static void
test_curve(void)
{
  VtColourSettings settings = VT_COLOUR_SETTINGS_DEFAULT;
  for (double v = 0; v <= 1; v += 0.125)
    g_assert_cmpfloat_with_epsilon(vt_colour_map(&settings, v), v, 1e-12);
  settings.brightness = 0.25;
  g_assert_cmpfloat_with_epsilon(vt_colour_map(&settings, 0.5), 0.75, 1e-12);
  settings = VT_COLOUR_SETTINGS_DEFAULT;
  settings.contrast = -1;
  g_assert_cmpfloat_with_epsilon(vt_colour_map(&settings, 0), vt_colour_map(&settings, 1), 0.01);
  settings.contrast = 1;
  g_assert_cmpfloat(vt_colour_map(&settings, 0.49), ==, 0);
  g_assert_cmpfloat(vt_colour_map(&settings, 0.51), ==, 1);
  settings = VT_COLOUR_SETTINGS_DEFAULT;
  settings.gamma = 2;
  g_assert_cmpfloat_with_epsilon(vt_colour_map(&settings, 0.25), 0.5, 1e-12);
  for (settings.contrast = -1; settings.contrast <= 1; settings.contrast += 0.25) {
    for (double v = 0, before = 0; v <= 1; v += 0.01) {
      double now = vt_colour_map(&settings, v);
      g_assert_true(now >= 0 && now <= 1 && now >= before);
      before = now;
    }
  }
}

static void
test_nothing_to_do(void)
{
  g_autoptr(GBytes) rubbish = g_bytes_new_static("not a profile", 13);
  g_assert_null(vt_colour_new(&VT_COLOUR_SETTINGS_DEFAULT, NULL));
  g_assert_null(vt_colour_table_new(rubbish));
}

static void
test_pixels(void)
{
  VtColourSettings settings = VT_COLOUR_SETTINGS_DEFAULT;
  g_autoptr(VtTilePixels) plain = pixels_new();
  settings.brightness = -0.1;
  settings.gamma = 1.5;
  g_autoptr(VtColour) colour = vt_colour_new(&settings, NULL);
  g_autoptr(VtTilePixels) shown = vt_colour_apply(colour, plain);
  const guint8 *from = g_bytes_get_data(plain->bytes, NULL), *to = g_bytes_get_data(shown->bytes, NULL);
  g_assert_cmpint(shown->height, ==, 2);
  for (int i = 0; i < 512 * 4; i++) {
    double expected = i % 4 == 3 ? 255 : 255 * vt_colour_map(&settings, from[i] / 255.0);
    g_assert_cmpint(to[i], ==, (int)lrint(expected));
  }
}

static GBytes *
save(cmsHPROFILE profile)
{
  cmsUInt32Number size = 0;
  g_assert_true(cmsSaveProfileToMem(profile, NULL, &size));
  guint8 *data = g_malloc(size);
  g_assert_true(cmsSaveProfileToMem(profile, data, &size));
  return g_bytes_new_take(data, size);
}

/* Every pixel as lcms2 gives it one by one, in the order R G B. */
static void
check(cmsHPROFILE profile, gsize n_table, int limit)
{
  cmsHPROFILE srgb = cmsCreate_sRGBProfile();
  VtColourSettings settings = VT_COLOUR_SETTINGS_DEFAULT;
  g_autoptr(GBytes) bytes = save(profile), table = vt_colour_table_new(bytes);
  g_assert_cmpuint(g_bytes_get_size(table), ==, n_table);
  g_autoptr(VtColour) colour = vt_colour_new(&settings, table);
  g_autoptr(VtTilePixels) plain = pixels_new(), shown = vt_colour_apply(colour, plain);
  cmsHTRANSFORM transform =
    cmsCreateTransform(profile, TYPE_RGB_8, srgb, TYPE_RGB_8, INTENT_PERCEPTUAL, cmsFLAGS_NOOPTIMIZE);
  const guint8 *from = g_bytes_get_data(plain->bytes, NULL), *to = g_bytes_get_data(shown->bytes, NULL);
  int changed = 0;
  for (int i = 0; i < 512; i++) {
    guint8 rgb[3] = { from[4 * i + 2], from[4 * i + 1], from[4 * i] };
    cmsDoTransform(transform, rgb, rgb, 1);
    for (int c = 0; c < 3; c++) {
      g_assert_cmpint(ABS(to[4 * i + 2 - c] - rgb[c]), <=, limit);
      changed += to[4 * i + c] != from[4 * i + c];
    }
    g_assert_cmpint(to[4 * i + 3], ==, 255);
  }
  g_assert_cmpint(changed, >, 500);
  settings.managed = FALSE;
  g_assert_null(vt_colour_new(&settings, table));
  cmsDeleteTransform(transform);
  cmsCloseProfile(srgb);
}

/* A profile with other primaries and gamma, and one that is a table of Lab colours made of it. */
static void
test_profile(void)
{
  cmsCIExyY white = { 0.3127, 0.3290, 1 };
  cmsCIExyYTRIPLE primaries = { { 0.64, 0.33, 1 }, { 0.21, 0.71, 1 }, { 0.15, 0.06, 1 } };
  cmsToneCurve *curve = cmsBuildGamma(NULL, 1.8), *curves[3] = { curve, curve, curve };
  cmsHPROFILE profile = cmsCreateRGBProfile(&white, &primaries, curves), lab = cmsCreateLab4Profile(NULL);
  check(profile, VT_COLOUR_SUMS_BYTES, 1);
  cmsHTRANSFORM to_lab = cmsCreateTransform(profile, TYPE_RGB_16, lab, TYPE_Lab_16, INTENT_PERCEPTUAL, 0);
  cmsHPROFILE cube = cmsTransform2DeviceLink(to_lab, 4.3, cmsFLAGS_GRIDPOINTS(33));
  cmsSetDeviceClass(cube, cmsSigInputClass);
  cmsSetPCS(cube, cmsSigLabData);
  check(cube, VT_COLOUR_CUBE_BYTES, 3);
  cmsDeleteTransform(to_lab);
  cmsCloseProfile(cube);
  cmsCloseProfile(lab);
  cmsCloseProfile(profile);
  cmsFreeToneCurve(curve);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/app/colour/curve", test_curve);
  g_test_add_func("/app/colour/nothing", test_nothing_to_do);
  g_test_add_func("/app/colour/pixels", test_pixels);
  g_test_add_func("/app/colour/profile", test_profile);
  return g_test_run();
}
