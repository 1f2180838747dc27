/* SPDX-License-Identifier: MIT
 *
 * The pictures that come with a real slide. */
#include <string.h>

#include "slide/vt-slide.h"

static char *
dup_slide_path(void)
{
  const char *shared = g_getenv("VITRAIL_SHARED"), *root = g_getenv("VITRAIL_SOURCE_ROOT");
  g_autofree char *beside = root ? g_build_filename(root, "..", "shared", NULL) : NULL;
  char *path = g_build_filename(shared   ? shared
                                : beside ? beside
                                         : "../shared",
                                "slides", "aperio", "CMU-1-Small-Region.svs", NULL);
  if (!g_file_test(path, G_FILE_TEST_EXISTS))
    g_clear_pointer(&path, g_free);
  return path;
}

static void
test_associated(void)
{
  g_autofree char *path = dup_slide_path();
  g_autoptr(GError) error = NULL;
  if (!path) {
    g_test_skip("the shared slides are not here");
    return;
  }
  g_autoptr(VtSlide) slide = vt_slide_open(path, &error);
  g_assert_no_error(error);
  g_auto(GStrv) names = vt_slide_dup_associated_names(slide, &error);
  g_assert_no_error(error);
  g_assert_cmpstrv(names, ((const char *const[]){ "label", "macro", "thumbnail", NULL }));
  g_autoptr(VtTilePixels) macro = vt_slide_read_associated(slide, "macro", &error);
  g_assert_no_error(error);
  g_assert_cmpint(macro->width, ==, 1280);
  g_assert_cmpint(macro->height, ==, 431);
  g_assert_cmpuint(g_bytes_get_size(macro->bytes), ==, 1280 * 431 * 4);
  g_autoptr(VtTilePixels) none = vt_slide_read_associated(slide, "portrait", &error);
  g_assert_null(none);
  g_assert_nonnull(error);
  g_assert_nonnull(strstr(error->message, "portrait"));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/app/associated", test_associated);
  return g_test_run();
}
