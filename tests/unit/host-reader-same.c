/* SPDX-License-Identifier: MIT
 *
 * Slides by a reader, which opens files and paints in ways of its own, beside the same slides as this program reads them. */

#include "host-support.h"
#include "slide/vt-reader-private.h"

/* All tiles of all stored levels. */
static void
test_same(gconstpointer name)
{
  g_autofree char *path = shared_path(name);
  guint n = 0;
  if (!path)
    return;
  vt_reader_set_program(NULL);
  g_autoptr(VtSlide) here = vt_slide_open(path, NULL);
  vt_reader_set_program(g_getenv("READER"));
  g_autoptr(VtSlide) apart = vt_slide_open(path, NULL);
  g_assert_nonnull(here);
  g_assert_nonnull(apart);
  for (int level = 0; level < vt_slide_get_n_stored_levels(here); level++) {
    gint64 width = 0, height = 0;
    vt_slide_get_level_size(here, level, &width, &height);
    const gint64 columns = (width + VT_TILE_PX - 1) / VT_TILE_PX, rows = (height + VT_TILE_PX - 1) / VT_TILE_PX;
    for (gint64 i = 0; i < columns * rows; i++, n++) {
      g_autoptr(VtTilePixels) a = vt_slide_read_tile(here, level, i % columns, i / columns, NULL, NULL),
                              b = vt_slide_read_tile(apart, level, i % columns, i / columns, NULL, NULL);
      g_assert_true(g_bytes_equal(a->bytes, b->bytes));
    }
  }
  g_test_message("%u tiles", n);
}

int
main(int argc, char **argv)
{
  static const char *const slides[] = { "slides/aperio/CMU-1-Small-Region.svs", "slides/generic-tiff/boxes.tiff",
                                        "slides/generic-tiff/he-patch-3-levels.tif",
                                        "slides/hamamatsu/test3-DAPI-2-387.ndpi" };
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(slides); i++) {
    g_autofree char *name = g_strconcat("/reader-same/", slides[i], NULL);
    g_test_add_data_func(name, slides[i], test_same);
  }
  return g_test_run();
}
