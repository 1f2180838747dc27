/* SPDX-License-Identifier: MIT
 *
 * Slides: made by the test, and those of the shared data; read here, and by a reader process (APART=PROGRAM). */
#include <openslide/openslide.h>
#include <string.h>
#include <tiffio.h>

#include <jpeglib.h>

#include "host-support.h"
#include "raster/vt-raster-private.h"
#include "slide/vt-reader-private.h"
#include "slide/vt-tile-memory.h"

#define TILE_BYTES ((gsize)VT_TILE_PX * VT_TILE_PX * 4)

/* Colour of level-0 pixel (x,y) of the slide that the test makes. */
static void
paint(int x, int y, guint8 rgb[3])
{
  rgb[0] = (guint8)(x * 3 + y);
  rgb[1] = (guint8)(y * 5);
  rgb[2] = (guint8)((x / 7 + y / 3) * 11);
}

/* One more level of a tiled generic TIFF, tiles of `tile`. */
static void
add_level(TIFF *tiff, int width, int height, int tile, guint16 compression, gboolean is_reduced)
{
  g_autofree guint8 *pixels = g_malloc0((gsize)tile * (gsize)tile * 3);
  if (is_reduced)
    TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE);
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, height);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 3);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, compression);
  TIFFSetField(tiff, TIFFTAG_TILEWIDTH, tile);
  TIFFSetField(tiff, TIFFTAG_TILELENGTH, tile);
  for (int y0 = 0; y0 < height; y0 += tile) {
    for (int x0 = 0; x0 < width; x0 += tile) {
      for (int y = 0; y < tile; y++)
        for (int x = 0; x < tile; x++)
          paint(x0 + x, y0 + y, pixels + (y * tile + x) * 3);
      TIFFWriteTile(tiff, pixels, (guint32)x0, (guint32)y0, 0, 0);
    }
  }
  TIFFWriteDirectory(tiff);
}

static void
write_slide(const char *path, int width, int height, int tile)
{
  TIFF *tiff = TIFFOpen(path, "w");
  add_level(tiff, width, height, tile, COMPRESSION_ADOBE_DEFLATE, FALSE);
  TIFFClose(tiff);
}

static void
assert_pixel(const guint8 *rgba, int d, int X, int Y, int width, int height)
{
  const int x1 = MIN((X + 1) * d, width), y1 = MIN((Y + 1) * d, height), n = (x1 - X * d) * (y1 - Y * d);
  guint sum[3] = { 0 };
  for (int y = Y * d; y < y1; y++) {
    for (int x = X * d; x < x1; x++) {
      guint8 rgb[3];
      paint(x, y, rgb);
      for (int c = 0; c < 3; c++)
        sum[c] += rgb[c];
    }
  }
  for (int c = 0; c < 3; c++)
    g_assert_cmpuint(rgba[c], ==, (2 * sum[c] + (guint)n) / (2 * (guint)n));
  g_assert_cmpuint(rgba[3], ==, 255);
}

static void
test_made(void)
{
  enum { W = 1300, H = 700 };
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "a.tif", NULL);
  g_autoptr(GError) error = NULL;
  double mpp_x = 1, mpp_y = 1;
  gint64 width = 0, height = 0;
  write_slide(path, W, H, 256);
  g_autoptr(VtSlide) slide = vt_slide_open(path, &error);
  g_assert_no_error(error);
  g_assert_false(vt_slide_get_mpp(slide, &mpp_x, &mpp_y));
  g_assert_cmpint(vt_slide_get_n_stored_levels(slide), ==, 1);
  g_assert_cmpint(vt_slide_get_n_levels(slide), ==, 3);
  vt_slide_get_level_size(slide, 2, &width, &height);
  g_assert_cmpint(width, ==, 325);
  g_assert_cmpint(vt_slide_get_best_level(slide, 3.9), ==, 1);
  g_assert_cmpint(vt_slide_get_best_level(slide, 0.1), ==, 0);
  for (guint d = 1; d <= 7; d += 3) {
    const int grid_width = (W + (int)d - 1) / (int)d, grid_height = (H + (int)d - 1) / (int)d;
    const gsize stride = (gsize)grid_width * 4;
    g_autofree guint8 *all = g_malloc(stride * (gsize)grid_height);
    g_assert_true(vt_slide_read_region(slide, d, 0, 0, grid_width, grid_height, all, stride, NULL, &error));
    for (int y = 0; y < grid_height; y++)
      for (int x = 0; x < grid_width; x += (y + 1) % 5 + 1)
        assert_pixel(all + (gsize)y * stride + (gsize)x * 4, (int)d, x, y, W, H);
    /* A part gives the same bytes as the whole. */
    guint8 part[50 * 40 * 4];
    g_assert_true(vt_slide_read_region(slide, d, grid_width - 50, grid_height - 40, 50, 40, part, 200, NULL, &error));
    for (int y = 0; y < 40; y++)
      g_assert_cmpmem(part + y * 200, 200, all + (gsize)(grid_height - 40 + y) * stride + (gsize)(grid_width - 50) * 4,
                      200);
  }
  guint8 pixel[4];
  g_assert_false(vt_slide_read_region(slide, 1, W, 0, 1, 1, pixel, 4, NULL, &error));
  assert_sentence(error);
  remove_folder(folder);
}

/* OpenSlide shears an image that is smaller than its tile; we must not. */
static void
test_smaller_than_tile(void)
{
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "a.tif", NULL);
  g_autoptr(GError) error = NULL;
  write_slide(path, 100, 40, 256);
  g_autoptr(VtSlide) slide = vt_slide_open(path, &error);
  g_assert_no_error(error);
  guint8 rgba[100 * 40 * 4];
  g_assert_true(vt_slide_read_region(slide, 1, 0, 0, 100, 40, rgba, 400, NULL, &error));
  for (int y = 0; y < 40; y++)
    for (int x = 0; x < 100; x++)
      assert_pixel(rgba + y * 400 + x * 4, 1, x, y, 100, 40);
  remove_folder(folder);
}

static void
test_cache(void)
{
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "a.tif", NULL);
  write_slide(path, 1300, 700, 256);
  VtSlide *slide = vt_slide_open(path, NULL);
  g_assert_null(vt_slide_peek_tile(slide, 0, 0, 0));
  g_autoptr(VtTilePixels) tile = vt_slide_read_tile(slide, 0, 0, 0, NULL, NULL);
  g_autoptr(VtTilePixels) again = vt_slide_peek_tile(slide, 0, 0, 0);
  g_assert_true(tile == again);
  g_assert_cmpuint(vt_tile_cache_get_used(), >=, 512 * 512 * 4);
  /* Both tiles of a block go back to the system together, so the one beside ours is kept. */
  vt_tile_cache_set_budget(0);
  g_assert_cmpuint(vt_tile_cache_get_used(), ==, TILE_BYTES);
  g_assert_cmpint(tile->width, ==, 512);
  g_assert_cmpuint(((const guint8 *)g_bytes_get_data(tile->bytes, NULL))[3], ==, 255);
  vt_tile_cache_set_budget((gsize)512 << 20);
  g_autoptr(VtTilePixels) edge = vt_slide_read_tile(slide, 0, 2, 1, NULL, NULL);
  g_assert_cmpint(edge->width, ==, 1300 - 1024);
  g_assert_null(vt_slide_read_tile(slide, 0, 3, 0, NULL, NULL));
  g_assert_null(vt_slide_read_tile(slide, 9, 0, 0, NULL, NULL));
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_cancellable_cancel(cancellable);
  g_assert_null(vt_slide_read_tile(slide, 0, 1, 0, cancellable, NULL));
  vt_slide_unref(slide);
  g_assert_cmpuint(vt_tile_cache_get_used(), ==, TILE_BYTES);
  g_clear_pointer(&tile, vt_tile_pixels_unref);
  g_clear_pointer(&again, vt_tile_pixels_unref);
  g_assert_cmpuint(vt_tile_cache_get_used(), ==, 0);
  remove_folder(folder);
}

static void
wait_for_spare(gsize bytes)
{
  for (int i = 0; i < 2000 && vt_tile_memory_get_spare() != bytes; i++)
    g_usleep(1000);
  g_assert_cmpuint(vt_tile_memory_get_spare(), ==, bytes);
}

static void
test_memory(void)
{
  guint8 *a = NULL, *b = NULL, *small = NULL;
  vt_tile_memory_enter();
  vt_tile_memory_set_spare(8 * TILE_BYTES);
  GBytes *first = vt_tile_memory_new(TILE_BYTES, &a), *second = vt_tile_memory_new(TILE_BYTES, &b);
  g_autoptr(GBytes) other = vt_tile_memory_new(12, &small);
  memset(a, 1, TILE_BYTES);
  memset(b, 2, TILE_BYTES);
  memset(small, 3, 12);
  g_assert_cmpint(a[TILE_BYTES - 1], ==, 1);
  g_assert_true(g_bytes_get_data(second, NULL) == b);
  g_assert_cmpuint(vt_tile_memory_get_spare(), ==, 0);
  /* What was given back is what comes next. */
  const guint8 *place = a;
  g_bytes_unref(first);
  g_assert_cmpuint(vt_tile_memory_get_spare(), ==, TILE_BYTES);
  first = vt_tile_memory_new(TILE_BYTES, &a);
  g_assert_true(a == place);
  /* So much is prepared, and no more is kept. */
  vt_tile_memory_prepare();
  wait_for_spare(8 * TILE_BYTES);
  g_bytes_unref(first);
  g_bytes_unref(second);
  g_assert_cmpuint(vt_tile_memory_get_spare(), ==, 8 * TILE_BYTES);
  vt_tile_memory_set_spare(4 * TILE_BYTES);
  g_assert_cmpuint(vt_tile_memory_get_spare(), ==, 4 * TILE_BYTES);
  vt_tile_memory_leave();
  g_assert_cmpuint(vt_tile_memory_get_spare(), ==, 0);
  vt_tile_memory_prepare();
  g_usleep(20000);
  g_assert_cmpuint(vt_tile_memory_get_spare(), ==, 0);
  vt_tile_cache_set_budget((gsize)512 << 20);
}

static gpointer
read_many(gpointer data)
{
  for (int i = 0; i < 40; i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(VtTilePixels) tile = vt_slide_read_tile(data, i % 3, i % 2, 0, NULL, &error);
    g_assert_true(tile || i % 3 == 2);
    if (i % 16 == 0)
      vt_tile_cache_set_budget((gsize)(i + 1) << 18);
  }
  return NULL;
}

static void
test_threads(void)
{
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "a.tif", NULL);
  write_slide(path, 1300, 700, 256);
  g_autoptr(VtSlide) slide = vt_slide_open(path, NULL);
  GThread *threads[6];
  for (int i = 0; i < 6; i++)
    threads[i] = g_thread_new("read", read_many, slide);
  for (int i = 0; i < 6; i++)
    g_thread_join(threads[i]);
  vt_tile_cache_set_budget((gsize)512 << 20);
  remove_folder(folder);
}

/* Strips, one channel. */
static void
write_strips(const char *path, const char *mode, int width, int height, const guint16 *pixels)
{
  TIFF *tiff = TIFFOpen(path, mode);
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, height);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 16);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 16);
  for (int y = 0; y < height; y++)
    TIFFWriteScanline(tiff, (gpointer)(pixels + y * width), (guint32)y, 0);
  TIFFClose(tiff);
}

/* Pixels of both readers on a grid, odd edges included. */
static void
assert_same_region(VtSlide *slide, const VtRaster *raster, guint d)
{
  const gint64 width = (raster->width + d - 1) / d, height = (raster->height + d - 1) / d;
  const gsize n = (gsize)(width * height) * 4;
  g_autofree guint8 *a = g_malloc(n), *b = g_malloc(n);
  g_assert_true(vt_slide_read_region(slide, d, 0, 0, width, height, a, (gsize)width * 4, NULL, NULL));
  g_assert_true(vt_raster_read_region(raster, d, 0, 0, width, height, b, (gsize)width * 4, NULL));
  g_assert_cmpmem(a, n, b, n);
}

static void
test_plain_colour(void)
{
  enum { W = 1200, H = 650 };
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "a.png", NULL);
  g_autofree guint8 *rgba = g_malloc(W * H * 4);
  g_autoptr(GError) error = NULL;
  double mpp_x = 1, mpp_y = 1;
  for (int i = 0; i < W * H; i++) {
    paint(i % W, i / W, rgba + 4 * i);
    rgba[4 * i + 3] = 255;
  }
  g_assert_true(vt_png_write_rgba(path, rgba, W, H, 2, &error));
  g_autoptr(VtSlide) slide = vt_slide_open_image(path, &error);
  g_assert_no_error(error);
  g_assert_cmpint(vt_slide_get_n_stored_levels(slide), ==, 1);
  g_assert_cmpint(vt_slide_get_n_levels(slide), ==, 3);
  g_assert_false(vt_slide_get_mpp(slide, &mpp_x, &mpp_y));
  g_assert_cmpmem(vt_slide_get_raster(slide)->data, W * H * 4, rgba, W * H * 4);
  g_assert_cmpstr(vt_slide_get_property(slide, "vitrail.format"), ==, "png");
  g_auto(GStrv) names = vt_slide_dup_associated_names(slide, &error);
  g_assert_cmpuint(g_strv_length(names), ==, 0);
  for (guint d = 1; d < 9; d++)
    assert_same_region(slide, vt_slide_get_raster(slide), d);
  g_autoptr(VtTilePixels) tile = vt_slide_read_tile(slide, 0, 2, 1, NULL, &error);
  const guint8 *bgra = g_bytes_get_data(tile->bytes, NULL);
  g_assert_cmpint(tile->width, ==, W - 2 * VT_TILE_PX);
  g_assert_cmpuint(bgra[2], ==, rgba[(VT_TILE_PX * W + 2 * VT_TILE_PX) * 4]);
  remove_folder(folder);
}

/* A result is tiled as slides are, and opens as the numbers it holds. */
static void
test_result(void)
{
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "labels.tif", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(VtRaster) labels = vt_raster_new(VITRAIL_I32, 700, 300, NULL);
  ((gint32 *)(gpointer)labels->data)[700 * 299 + 1] = 70000;
  g_assert_true(vt_raster_write_tiff(labels, &(VtTiffOptions){ .n_threads = 2 }, path, &error));
  g_assert_null(vt_slide_open(path, &error));
  assert_sentence(error);
  g_clear_error(&error);
  g_autoptr(VtSlide) slide = vt_slide_open_image(path, &error);
  g_assert_no_error(error);
  g_assert_cmpfloat(vt_raster_get_raw(vt_slide_get_raster(slide), 1, 299), ==, 70000);
  g_assert_cmpstr(vt_slide_get_property(slide, VT_SLIDE_PAGES), ==, "1");
  remove_folder(folder);
}

static void
test_plain_grey(void)
{
  enum { W = 90, H = 70 };
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "a.tif", NULL);
  g_autofree char *svs = g_build_filename(folder, "a.svs", NULL), *tiled = g_build_filename(folder, "b.tif", NULL);
  g_autofree guint16 *pixels = g_new0(guint16, W * H);
  g_autoptr(GError) error = NULL;
  for (int i = 0; i < W * H; i++)
    pixels[i] = (guint16)(1000 + i);
  write_strips(path, "w", W, H, pixels);
  write_strips(svs, "w", W, H, pixels);
  g_autoptr(VtSlide) slide = vt_slide_open_image(path, &error);
  g_assert_no_error(error);
  g_assert_cmpint(vt_slide_get_raster(slide)->type, ==, VITRAIL_U16);
  g_autoptr(VtTilePixels) tile = vt_slide_read_tile(slide, 0, 0, 0, NULL, &error);
  const guint8 *bgra = g_bytes_get_data(tile->bytes, NULL);
  g_assert_cmpuint(bgra[0], ==, 0);
  g_assert_cmpuint(bgra[4 * (W * H - 1)], ==, 255);
  g_assert_cmpuint(bgra[4 * (W * H / 2)], ==, 128);
  g_assert_cmpstr(vt_slide_get_property(slide, VT_SLIDE_PAGES), ==, "1");
  write_strips(path, "a", W, H, pixels);
  g_autoptr(VtSlide) pages = vt_slide_open_image(path, &error);
  g_assert_cmpstr(vt_slide_get_property(pages, VT_SLIDE_PAGES), ==, "2");
  /* A damaged slide is not read as less. */
  g_assert_null(vt_slide_open_image(svs, &error));
  assert_sentence(error);
  g_clear_error(&error);
  write_slide(tiled, 300, 200, 256);
  g_autoptr(VtSlide) real = vt_slide_open_image(tiled, &error);
  g_assert_no_error(error);
  g_assert_null(vt_slide_get_raster(real));
  remove_folder(folder);
}

/* The smallest JPEGs that say something: 8 x 8, grey and colour, written by libjpeg. */
static void
write_jpeg(const char *path, int channels)
{
  struct jpeg_compress_struct jpeg;
  struct jpeg_error_mgr manager;
  guint8 row[40 * 3];
  JSAMPROW rows[] = { row };
  FILE *file = fopen(path, "wb");
  jpeg.err = jpeg_std_error(&manager);
  jpeg_create_compress(&jpeg);
  jpeg_stdio_dest(&jpeg, file);
  jpeg.image_width = 40;
  jpeg.image_height = 30;
  jpeg.input_components = channels;
  jpeg.in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, 100, TRUE);
  jpeg_start_compress(&jpeg, TRUE);
  for (int i = 0; i < 40 * channels; i++)
    row[i] = (guint8)(i % channels * 100 + 20);
  while (jpeg.next_scanline < jpeg.image_height)
    jpeg_write_scanlines(&jpeg, rows, 1);
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  fclose(file);
}

static void
test_jpeg(void)
{
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "a.jpg", NULL), *bytes = NULL;
  g_autoptr(GError) error = NULL;
  gsize n = 0;
  write_jpeg(path, 1);
  g_autoptr(VtSlide) grey = vt_slide_open_image(path, &error);
  g_assert_no_error(error);
  g_assert_cmpint(vt_slide_get_raster(grey)->type, ==, VITRAIL_U8);
  g_assert_cmpfloat_with_epsilon(vt_raster_get_raw(vt_slide_get_raster(grey), 5, 5), 20, 2);
  write_jpeg(path, 3);
  g_autoptr(VtSlide) colour = vt_slide_open_image(path, &error);
  g_assert_no_error(error);
  const VtRaster *raster = vt_slide_get_raster(colour);
  g_assert_cmpint(raster->width * raster->height, ==, 40 * 30);
  for (int c = 0; c < 3; c++)
    g_assert_cmpint(ABS(raster->data[4 * 41 + c] - (20 + 100 * c)), <, 5);
  g_assert_true(g_file_get_contents(path, &bytes, &n, NULL));
  for (gsize cut = 3; cut < n; cut += 37) {
    g_assert_true(g_file_set_contents(path, bytes, (gssize)cut, NULL));
    g_assert_null(vt_slide_open_image(path, &error));
    if (cut >= 4)
      g_assert_nonnull(strstr(error->message, "damaged JPEG"));
    assert_sentence(error);
    g_clear_error(&error);
  }
  remove_folder(folder);
}

static void
test_dicom(void)
{
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "a.dcm", NULL);
  g_autoptr(GError) error = NULL;
  char bytes[200] = "";
  memcpy(bytes + 128, "DICM", 4);
  g_assert_true(g_file_set_contents(path, bytes, sizeof bytes, NULL));
  g_assert_null(vt_slide_open_image(path, &error));
  assert_sentence(error);
  if (openslide_get_version()[0] == '3')
    g_assert_nonnull(strstr(error->message, "OpenSlide 4"));
  remove_folder(folder);
}

static void
test_aspect(void)
{
  static const struct {
    int width, height;
    gboolean is_sound;
  } levels[] = { { 513, 257, TRUE }, { 520, 256, TRUE }, { 256, 256, FALSE }, { 1000, 300, FALSE } };
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "a.tif", NULL);
  for (guint i = 0; i < G_N_ELEMENTS(levels); i++) {
    TIFF *tiff = TIFFOpen(path, "w");
    add_level(tiff, 1025, 513, 256, COMPRESSION_ADOBE_DEFLATE, FALSE);
    add_level(tiff, levels[i].width, levels[i].height, 256, COMPRESSION_ADOBE_DEFLATE, TRUE);
    TIFFClose(tiff);
    g_autoptr(GError) error = NULL;
    g_autoptr(VtSlide) slide = vt_slide_open(path, &error);
    g_assert_true((slide != NULL) == levels[i].is_sound);
    g_assert_cmpint(slide ? vt_slide_get_n_stored_levels(slide) : 2, ==, 2);
    if (error)
      assert_sentence(error);
    g_assert_true(!error || strstr(error->message, "other proportions"));
  }
  remove_folder(folder);
}

/* OpenSlide would mirror tile by tile what libtiff decodes for it; JPEG it decodes itself. */
static void
test_orientation(void)
{
  static const struct {
    guint16 compression, orientation;
    gboolean is_sound;
  } cases[] = { { COMPRESSION_ADOBE_DEFLATE, ORIENTATION_TOPLEFT, TRUE },
                { COMPRESSION_ADOBE_DEFLATE, ORIENTATION_BOTRIGHT, FALSE },
                { COMPRESSION_JPEG, ORIENTATION_BOTRIGHT, TRUE } };
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "a.tif", NULL);
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    TIFF *tiff = TIFFOpen(path, "w");
    TIFFSetField(tiff, TIFFTAG_ORIENTATION, cases[i].orientation);
    add_level(tiff, 512, 512, 256, cases[i].compression, FALSE);
    TIFFClose(tiff);
    g_autoptr(GError) error = NULL;
    g_autoptr(VtSlide) slide = vt_slide_open(path, &error);
    g_assert_true((slide != NULL) == cases[i].is_sound);
    if (error)
      assert_sentence(error);
    g_assert_cmpuint(vt_raster_read_orientation(path), ==, cases[i].orientation);
    g_assert_true(
      !slide || g_ascii_strtoull(vt_slide_get_property(slide, VT_SLIDE_ORIENTATION), NULL, 10) == cases[i].orientation);
  }
  remove_folder(folder);
}

static void
test_refusals(void)
{
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "a.svs", NULL);
  g_autoptr(GError) error = NULL;
  g_assert_null(vt_slide_open(path, &error));
  assert_sentence(error);
  g_clear_error(&error);
  g_assert_null(vt_slide_open(folder, &error));
  assert_sentence(error);
  g_clear_error(&error);
  g_assert_true(g_file_set_contents(path, "version https://git-lfs.github.com/spec/v1\noid x\n", -1, NULL));
  g_assert_null(vt_slide_open(path, &error));
  g_assert_nonnull(strstr(error->message, "LFS"));
  g_clear_error(&error);
  g_assert_true(g_file_set_contents(path, "", 0, NULL));
  g_assert_null(vt_slide_open(path, &error));
  g_assert_nonnull(strstr(error->message, "empty"));
  remove_folder(folder);
}

static void
test_shared_refusals(void)
{
  for (int i = 0; i < 2; i++) {
    g_autofree char *folder = shared_path(i == 0 ? "slides/damaged" : "slides/unsupported");
    g_autoptr(GDir) dir = folder ? g_dir_open(folder, 0, NULL) : NULL;
    const char *name = NULL;
    while (dir && (name = g_dir_read_name(dir))) {
      g_autofree char *path = g_build_filename(folder, name, NULL);
      g_autoptr(GError) error = NULL;
      g_autoptr(VtSlide) slide = vt_slide_open(path, &error);
      if (slide)
        g_assert_true(strstr(name, "unreadable") || strstr(name, "Mirax2"));
      else
        assert_sentence(error);
      g_clear_error(&error);
      g_autoptr(VtSlide) image = vt_slide_open_image(path, &error);
      g_test_message("%s: %s", name, image ? vt_slide_get_vendor(image) : error->message);
      if (g_str_has_suffix(name, ".mrxs"))
        g_assert_true(!image || !vt_slide_get_raster(image));
    }
  }
}

static void
test_bad_tiles(void)
{
  g_autofree char *path = shared_path("slides/damaged/Mirax2-Fluorescence-2.mrxs");
  if (!path)
    return;
  g_autoptr(GError) error = NULL;
  g_autoptr(VtSlide) slide = vt_slide_open(path, &error);
  g_assert_no_error(error);
  /* A tile inside the tissue that cannot be read; then one of a good level, and the bad one again. */
  const gint64 col = (9153 + 5000) / VT_TILE_PX, row = (102664 + 4000) / VT_TILE_PX;
  g_assert_null(vt_slide_read_tile(slide, 0, col, row, NULL, &error));
  assert_sentence(error);
  g_clear_error(&error);
  g_autoptr(VtTilePixels) good = vt_slide_read_tile(slide, 4, col / 16, row / 16, NULL, &error);
  g_assert_no_error(error);
  g_assert_nonnull(good);
  g_assert_null(vt_slide_read_tile(slide, 0, col, row, NULL, &error));
  assert_sentence(error);
}

static void
test_real(void)
{
  g_autofree char *path = shared_path("slides/aperio/CMU-1-Small-Region.svs");
  if (!path)
    return;
  double mpp_x = 0, mpp_y = 0;
  g_autoptr(VtSlide) slide = vt_slide_open(path, NULL);
  g_assert_true(vt_slide_get_mpp(slide, &mpp_x, &mpp_y));
  g_assert_cmpfloat_with_epsilon(mpp_x, 0.499, 1e-9);
  g_assert_cmpfloat(vt_slide_get_objective_power(slide), ==, 20);
  openslide_t *direct = openslide_open(path);
  g_autofree guint32 *argb = g_malloc(700 * 600 * 4);
  g_autofree guint8 *rgba = g_malloc(700 * 600 * 4);
  openslide_read_region(direct, argb, 400, 300, 0, 700, 600);
  g_assert_true(vt_slide_read_region(slide, 1, 400, 300, 700, 600, rgba, 700 * 4, NULL, NULL));
  for (int i = 0; i < 700 * 600; i++)
    g_assert_cmpuint(argb[i] & 0xffffff, ==,
                     (guint32)rgba[4 * i] << 16 | (guint32)rgba[4 * i + 1] << 8 | rgba[4 * i + 2]);
  openslide_close(direct);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  vt_reader_set_program(g_getenv("APART")); /* the same by a reader process */
  g_test_add_func("/slide/made", test_made);
  g_test_add_func("/slide/smaller-than-tile", test_smaller_than_tile);
  g_test_add_func("/slide/cache", test_cache);
  g_test_add_func("/slide/memory", test_memory);
  g_test_add_func("/slide/threads", test_threads);
  g_test_add_func("/slide/plain-colour", test_plain_colour);
  g_test_add_func("/slide/result", test_result);
  g_test_add_func("/slide/plain-grey", test_plain_grey);
  g_test_add_func("/slide/jpeg", test_jpeg);
  g_test_add_func("/slide/dicom", test_dicom);
  g_test_add_func("/slide/refusals", test_refusals);
  g_test_add_func("/slide/aspect", test_aspect);
  g_test_add_func("/slide/orientation", test_orientation);
  g_test_add_func("/slide/shared-refusals", test_shared_refusals);
  g_test_add_func("/slide/bad-tiles", test_bad_tiles);
  g_test_add_func("/slide/real", test_real);
  return g_test_run();
}
