/* SPDX-License-Identifier: MIT
 *
 * What an image looks like: made ones, and those of the shared data. */
#include <string.h>

#include "host-support.h"
#include "run/vt-look.h"

/* An image of `background` with a square of `ink` in a sixteenth of it. */
static VtLook
look_at(guint32 background, guint32 ink, gint64 side)
{
  g_autoptr(VtRaster) raster = vt_raster_new(VITRAIL_RGBA8, side, side, NULL);
  for (gint64 i = 0; i < side * side; i++) {
    const guint32 rgb = i % side < side / 4 && i / side < side / 4 ? ink : background;
    raster->data[4 * i] = (guint8)(rgb >> 16);
    raster->data[4 * i + 1] = (guint8)(rgb >> 8);
    raster->data[4 * i + 2] = (guint8)rgb;
  }
  return vt_look_at_raster(raster);
}

static void
test_look(void)
{
  g_assert_cmpint(look_at(0xf4f3f4, 0x8050a0, 300), ==, VT_LOOK_USUAL);
  g_assert_cmpint(look_at(0x804090, 0xf0e0f0, 300), ==, VT_LOOK_USUAL);      /* densely stained */
  g_assert_cmpint(look_at(0x000000, 0xd0a0d0, 300), ==, VT_LOOK_USUAL);      /* black where nothing was scanned */
  g_assert_cmpint(look_at(0x020202, 0x3c3c3c, 300), ==, VT_LOOK_DARK);       /* grey fluorescence */
  g_assert_cmpint(look_at(0x000004, 0x1010ff, 300), ==, VT_LOOK_DARK);       /* blue, as DAPI */
  g_assert_cmpint(look_at(0xe0e0e0, 0x606060, 300), ==, VT_LOOK_COLOURLESS); /* scanned in grey */
  g_assert_cmpint(look_at(0xf4f3f4, 0xf4f3f4, 300), ==, VT_LOOK_BLANK);
  g_assert_cmpint(look_at(0xf4d3f4, 0xf4d3f4, 300), ==, VT_LOOK_BLANK);
  g_assert_cmpint(look_at(0x000000, 0x000000, 300), ==, VT_LOOK_BLANK);
  g_assert_cmpint(look_at(0xf4f3f4, 0x8050a0, 31), ==, VT_LOOK_TINY);
  for (int look = VT_LOOK_DARK; look <= VT_LOOK_TINY; look++)
    g_assert_nonnull(vt_look_get_sentence((VtLook)look));
}

/* Grey in a light that is not white, and with noise in each channel, is colourless; a pale stain is not. */
static void
test_tint(void)
{
  g_autoptr(GRand) chance = g_rand_new_with_seed(3);
  g_assert_cmpint(look_at(0xe6e6d4, 0x808076, 300), ==, VT_LOOK_COLOURLESS);
  g_assert_cmpint(look_at(0xd4e6e6, 0x768080, 300), ==, VT_LOOK_COLOURLESS);
  g_assert_cmpint(look_at(0xe6e6e6, 0xc0a8d0, 300), ==, VT_LOOK_USUAL);
  for (int amplitude = 12; amplitude <= 120; amplitude += 108) {
    g_autoptr(VtRaster) raster = vt_raster_new(VITRAIL_RGBA8, 300, 300, NULL);
    for (gint64 i = 0; i < 4 * 300 * 300; i++)
      raster->data[i] = (guint8)(130 + g_rand_int_range(chance, -amplitude, amplitude + 1));
    g_assert_cmpint(vt_look_at_raster(raster), ==, amplitude == 12 ? VT_LOOK_COLOURLESS : VT_LOOK_USUAL);
  }
}

enum { FRAMED = 120, FRAME = 20, LATTICE = 16 };

/* Discs of `ink` on a ground, with a frame of which `missing` sides are the ground. */
static VtRaster *
new_framed(guint8 frame, guint8 ground, guint8 ink, gint64 missing)
{
  VtRaster *raster = vt_raster_new(VITRAIL_U8, FRAMED, FRAMED, NULL);
  for (gint64 i = 0; i < FRAMED * FRAMED; i++) {
    const gint64 x = i % FRAMED, y = i / FRAMED, u = x % LATTICE - LATTICE / 2, v = y % LATTICE - LATTICE / 2;
    const gboolean is_frame = x < FRAME || y < FRAME || x >= FRAMED - FRAME || (y >= FRAMED - FRAME && missing == 0);
    raster->data[i] = is_frame ? frame : u * u + v * v < 9 ? ink : ground;
  }
  return raster;
}

/* What is inside a frame counts; discs on a ground that is of one colour have no frame, nor does what has three sides. */
static void
test_frame(void)
{
  g_autoptr(VtRaster) dark = new_framed(255, 2, 60, 0), light = new_framed(0, 230, 100, 0);
  g_autoptr(VtRaster) three = new_framed(255, 2, 60, 1), ground = new_framed(230, 230, 100, 0);
  g_autoptr(VtRaster) blank = vt_raster_new(VITRAIL_RGBA8, FRAMED, FRAMED, NULL);
  VtRaster *const framed[] = { dark, light }, *const others[] = { three, ground, blank };
  gint64 inside[4];
  for (guint i = 0; i < G_N_ELEMENTS(framed); i++) {
    g_assert_true(vt_look_find_frame(framed[i], inside));
    g_assert_true(inside[0] == FRAME && inside[1] == FRAME && inside[2] == FRAMED - 2 * FRAME
                  && inside[3] == inside[2]);
    g_assert_cmpfloat(vt_look_measure_raster(framed[i]), <, 10);
  }
  for (guint i = 0; i < G_N_ELEMENTS(others); i++) {
    g_assert_false(vt_look_find_frame(others[i], inside));
    g_assert_true(inside[0] == 0 && inside[1] == 0 && inside[2] == FRAMED && inside[3] == FRAMED);
  }
  g_assert_cmpint(vt_look_at_raster(dark), ==, VT_LOOK_DARK);
  g_assert_cmpint(vt_look_at_raster(light), ==, VT_LOOK_USUAL);
}

/* Of 58 fields with known nuclei: three are fluorescence or grey by their names, and all others are stained. */
static void
test_look_fields(void)
{
  static const char *const folders[] = { "nuclei/bbbc038", "nuclei/bbbc038-tissue" };
  for (guint i = 0; i < G_N_ELEMENTS(folders); i++) {
    g_autofree char *folder = shared_path(folders[i]);
    g_autoptr(GDir) dir = folder ? g_dir_open(folder, 0, NULL) : NULL;
    const char *name = NULL;
    while (dir && (name = g_dir_read_name(dir))) {
      g_autofree char *path = g_build_filename(folder, name, NULL);
      if (!g_str_has_suffix(name, ".png") || g_str_has_suffix(name, "-labels.png"))
        continue;
      g_autoptr(VtSlide) slide = vt_slide_open_image(path, NULL);
      const VtLook want = strstr(name, "fluorescence") ? VT_LOOK_DARK
                          : strstr(name, "cytology")   ? VT_LOOK_COLOURLESS
                                                       : VT_LOOK_USUAL;
      g_test_message("%s: %d", name, vt_look_at_slide(slide));
      g_assert_cmpint(vt_look_at_slide(slide), ==, want);
      if (want == VT_LOOK_USUAL)
        g_test_message("%s: %.2f px", name, vt_look_measure_slide(slide));
      g_assert_false(want == VT_LOOK_USUAL && vt_look_is_small(0, vt_look_measure_slide(slide)));
    }
  }
}

static void
test_look_slides(void)
{
  static const struct {
    const char *path;
    VtLook look;
  } slides[] = { { "slides/hamamatsu/test3-DAPI-2-387.ndpi", VT_LOOK_DARK },
                 { "slides/aperio/CMU-1-Small-Region.svs", VT_LOOK_USUAL },
                 { "slides/generic-tiff/he-patch-3-levels.tif", VT_LOOK_USUAL },
                 { "slides/aperio/small.svs", VT_LOOK_TINY } };
  for (guint i = 0; i < G_N_ELEMENTS(slides); i++) {
    g_autofree char *path = shared_path(slides[i].path);
    g_autoptr(VtSlide) slide = path ? vt_slide_open_image(path, NULL) : NULL;
    if (slide)
      g_assert_cmpint(vt_look_at_slide(slide), ==, slides[i].look);
    if (slide && strstr(slides[i].path, "CMU-1"))
      g_assert_true(vt_look_is_small(0, vt_look_measure_slide(slide)));
  }
}

/* What "auto" stands for, of a parameter that has this choice; and only while it is made. */
static void
test_choose(void)
{
  static const char *const keys[] = { "auto", "tissue", "tissue-small", "cytology", "fluorescence" };
  static const VitrailParam preset = {
    .size = sizeof preset, .type = VITRAIL_PARAM_CHOICE, .key = VT_LOOK_PRESET, .n_choices = 5, .choices = keys
  };
  static const VitrailParam fixed = {
    .size = sizeof fixed, .type = VITRAIL_PARAM_CHOICE, .key = VT_LOOK_PRESET, .n_choices = 4, .choices = keys + 1
  };
  static const VitrailParam *const lists[] = { &preset, &fixed };
  const VitrailOp ops[] = { { .size = sizeof *ops, .n_params = 1, .params = lists },
                            { .size = sizeof *ops, .n_params = 1, .params = lists + 1 } };
  static const guint wanted[] = { 1, 4, 3, 1, 1 }; /* by VtLook */
  guint index = 9, choice = 9;
  g_autoptr(VtParams) params = vt_params_new(&ops[0], TRUE), without = vt_params_new(&ops[1], TRUE);
  for (int look = VT_LOOK_USUAL; look <= VT_LOOK_TINY; look++) {
    g_assert_true(vt_look_choose((VtLook)look, FALSE, params, &index, &choice));
    g_assert_cmpuint(index, ==, 0);
    g_assert_cmpuint(choice, ==, wanted[look]);
    g_assert_false(vt_look_choose((VtLook)look, TRUE, without, &index, &choice));
    g_assert_true(vt_look_choose((VtLook)look, TRUE, params, &index, &choice));
    g_assert_cmpuint(choice, ==, wanted[look] == 1 ? 2 : wanted[look]); /* small nuclei */
  }
  params->values[0][0] = 2;
  g_assert_false(vt_look_choose(VT_LOOK_DARK, TRUE, params, &index, &choice));
}

/* Discs on a light ground, as wide as they are said to be within a third; and nothing. */
static void
test_width(void)
{
  for (int radius = 0; radius <= 12; radius += 4) {
    g_autoptr(VtRaster) raster = vt_raster_new(VITRAIL_U8, 700, 600, NULL);
    for (int y = 0; y < 600; y++)
      for (int x = 0; x < 700; x++) {
        const int u = x % 60 - 30, v = y % 60 - 30;
        raster->data[(gsize)y * raster->stride + (gsize)x] = radius > 0 && u * u + v * v <= radius * radius ? 60 : 230;
      }
    const double width = vt_look_measure_raster(raster);
    g_test_message("discs %d wide: %.2f", 2 * radius + 1, width);
    g_assert_true(radius ? width > 1.33 * radius && width < 2.67 * radius : width == 0);
  }
  g_assert_true(vt_look_is_small(0.5, 40) && vt_look_is_small(0, 9));
  g_assert_true(vt_look_is_wide(39) && !vt_look_is_wide(37));
  g_assert_false(vt_look_is_small(0.25, 9) || vt_look_is_small(0, 11) || vt_look_is_small(0, 0));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/look/made", test_look);
  g_test_add_func("/look/tint", test_tint);
  g_test_add_func("/look/frame", test_frame);
  g_test_add_func("/look/fields", test_look_fields);
  g_test_add_func("/look/choose", test_choose);
  g_test_add_func("/look/width", test_width);
  g_test_add_func("/look/slides", test_look_slides);
  return g_test_run();
}
