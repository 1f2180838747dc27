/* SPDX-License-Identifier: MIT
 *
 * Each way in which a plain image is stored tells how far its decoder is, step by step, and gives the same pixels. */
#include <png.h>
#include <stdio.h>
#include <tiffio.h>

#include <jpeglib.h>

#include "host-support.h"
#include "raster/vt-raster-private.h"

enum { WIDTH = 61, HEIGHT = 97 };

static guint8
get_pixel(int x, int y, int channel)
{
  return (guint8)(3 * x + 5 * y + 80 * channel + (x * y) % 7);
}

static void
fill_row(guint8 *row, int y, int n_channels)
{
  for (int i = 0; i < WIDTH * n_channels; i++)
    row[i] = get_pixel(i / n_channels, y, i % n_channels);
}

static void
write_png(const char *path, int interlace)
{
  guint8 pixels[HEIGHT][WIDTH], *rows[HEIGHT];
  FILE *file = fopen(path, "wb");
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct(png);
  for (int y = 0; y < HEIGHT; y++) {
    fill_row(pixels[y], y, 1);
    rows[y] = pixels[y];
  }
  png_init_io(png, file);
  png_set_IHDR(png, info, WIDTH, HEIGHT, 8, PNG_COLOR_TYPE_GRAY, interlace, PNG_COMPRESSION_TYPE_BASE,
               PNG_FILTER_TYPE_BASE);
  png_set_rows(png, info, rows);
  png_write_png(png, info, PNG_TRANSFORM_IDENTITY, NULL);
  png_destroy_write_struct(&png, &info);
  fclose(file);
}

static void
write_jpeg(const char *path, gboolean is_progressive)
{
  struct jpeg_compress_struct jpeg;
  struct jpeg_error_mgr errors;
  guint8 row[WIDTH * 3], *rows[] = { row };
  FILE *file = fopen(path, "wb");
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  jpeg_stdio_dest(&jpeg, file);
  jpeg.image_width = WIDTH;
  jpeg.image_height = HEIGHT;
  jpeg.input_components = 3;
  jpeg.in_color_space = JCS_RGB;
  jpeg_set_defaults(&jpeg);
  if (is_progressive)
    jpeg_simple_progression(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  for (int y = 0; y < HEIGHT; y++) {
    fill_row(row, y, 3);
    jpeg_write_scanlines(&jpeg, rows, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  fclose(file);
}

/* In strips of `n_rows`, or (n_rows 0) in tiles of 16. */
static void
write_tiff(const char *path, int n_channels, guint32 n_rows)
{
  guint8 row[WIDTH * 3], tile[16 * 16 * 3];
  TIFF *tiff = TIFFOpen(path, "w");
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, WIDTH);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, HEIGHT);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, n_channels);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, n_channels == 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
  if (n_rows > 0) {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, n_rows);
    for (int y = 0; y < HEIGHT; y++) {
      fill_row(row, y, n_channels);
      TIFFWriteScanline(tiff, row, (guint32)y, 0);
    }
  } else {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, 16);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, 16);
    for (int y = 0; y < HEIGHT; y += 16)
      for (int x = 0; x < WIDTH; x += 16) {
        for (int i = 0; i < 16 * 16 * n_channels; i++)
          tile[i] = get_pixel(x + i / n_channels % 16, y + i / n_channels / 16, i % n_channels);
        TIFFWriteTile(tiff, tile, (guint32)x, (guint32)y, 0, 0);
      }
  }
  TIFFClose(tiff);
}

typedef struct {
  gint64 n, last, of;
} Told;

static void
on_told(gint64 done, gint64 of, gpointer user)
{
  Told *told = user;
  g_assert_cmpint(done, >, told->last);
  g_assert_cmpint(of, >=, done);
  told->last = done;
  told->of = of;
  told->n++;
}

/* loss: how far a pixel may be off; -1: not looked at. */
static void
check(const char *path, gint64 at_least, int loss)
{
  Told told = { 0 };
  g_autoptr(GError) error = NULL;
  vt_raster_set_told(on_told, &told);
  g_autoptr(VtRaster) raster = vt_raster_read(path, &error);
  vt_raster_set_told(NULL, NULL);
  g_assert_no_error(error);
  g_test_message("%s: %" G_GINT64_FORMAT " times, %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT, path, told.n, told.last,
                 told.of);
  g_assert_cmpint(told.n, >=, at_least);
  g_assert_cmpint(told.last, >=, told.of * 9 / 10);
  const int size = raster->type == VITRAIL_RGBA8 ? 4 : 1;
  for (int i = 0; loss >= 0 && i < WIDTH * HEIGHT; i++)
    for (int c = 0; c < MIN(size, 3); c++)
      g_assert_cmpint(ABS(raster->data[i * size + c] - get_pixel(i % WIDTH, i / WIDTH, c)), <=, loss);
}

static void
test_told(void)
{
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "image", NULL);
  write_png(path, PNG_INTERLACE_NONE);
  check(path, HEIGHT, 0);
  write_png(path, PNG_INTERLACE_ADAM7);
  check(path, 7 * HEIGHT, 0);
  write_jpeg(path, FALSE);
  check(path, HEIGHT, -1);
  write_jpeg(path, TRUE);
  check(path, HEIGHT + 50, -1); /* scans, then rows */
  for (int n_channels = 1; n_channels <= 3; n_channels += 2) {
    write_tiff(path, n_channels, 0);
    check(path, (HEIGHT + 15) / 16, 0);
    write_tiff(path, n_channels, 1);
    check(path, HEIGHT, 0);
    write_tiff(path, n_channels, 10);
    check(path, (HEIGHT + 9) / 10, 0);
    write_tiff(path, n_channels, HEIGHT);
    check(path, 1, 0);
  }
  remove_folder(folder);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/told/all", test_told);
  return g_test_run();
}
