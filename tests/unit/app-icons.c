/* SPDX-License-Identifier: MIT
 * Every icon of ours is in the program, in every size, as a picture that GTK reads without the SVG reader of gdk-pixbuf; it is
 * neither empty nor full, and black, which GTK takes for the colour of the text. */
#include <gtk/gtk.h>

#define ICONS "/io/github/vitrail/Vitrail/icons"

/* The part of the picture that is drawn on. */
static double
covered(GdkTexture *texture)
{
  int width = gdk_texture_get_width(texture), height = gdk_texture_get_height(texture);
  g_autofree guint32 *pixels = g_new(guint32, (gsize)width * height);
  gdk_texture_download(texture, (guchar *)pixels, (gsize)width * sizeof *pixels);
  double sum = 0;
  for (int i = 0; i < width * height; i++) {
    g_assert_cmpuint(pixels[i] & 0xffffff, ==, 0);
    sum += (pixels[i] >> 24) / 255.0;
  }
  return sum / width / height;
}

static void
test_icon(gconstpointer name)
{
  static const int sizes[] = { 16, 32, 48, 64, 128, 256 };
  double expected = 0;
  for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
    g_autofree char *path =
      g_strdup_printf(ICONS "/%dx%d/actions/vt-%s-symbolic.symbolic.png", sizes[i], sizes[i], (const char *)name);
    g_autoptr(GdkTexture) texture = gdk_texture_new_from_resource(path);
    g_assert_cmpint(gdk_texture_get_width(texture), ==, sizes[i]);
    g_assert_cmpint(gdk_texture_get_height(texture), ==, sizes[i]);
    double part = covered(texture);
    g_test_message("%s %d: %.3f", (const char *)name, sizes[i], part);
    g_assert_cmpfloat(part, >, 0.05);
    g_assert_cmpfloat(part, <, 0.8);
    if (i == 0)
      expected = part;
    g_assert_cmpfloat(ABS(part - expected), <, 0.02);
  }
}

int
main(int argc, char **argv)
{
  g_setenv("GDK_PIXBUF_MODULE_FILE", "/dev/null", TRUE);
  g_test_init(&argc, &argv, NULL);
  for (int i = 1; i < argc; i++) {
    g_autofree char *path = g_strdup_printf("/icons/%s", argv[i]);
    g_test_add_data_func(path, argv[i], test_icon);
  }
  return g_test_run();
}
