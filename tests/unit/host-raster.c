/* SPDX-License-Identifier: MIT
 *
 * Plain images: every type there and back, and files that are damaged. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <tiffio.h>

#include "host-support.h"
#include "raster/vt-raster-private.h"
#include "raster/vt-sink.h"

static VtRaster *
make(VitrailPixelType type, gint64 width, gint64 height)
{
  VtRaster *raster = vt_raster_new(type, width, height, NULL);
  g_autoptr(GRand) rand = g_rand_new_with_seed(7);
  for (gsize i = 0; i < raster->stride * (gsize)height; i++)
    raster->data[i] = (guint8)(i % 7 == 3 ? g_rand_int(rand) : i / 5);
  if (type == VITRAIL_F32) {
    float *values = (float *)(gpointer)raster->data;
    for (gint64 i = 0; i < width * height; i++)
      values[i] = i % 11 == 0 ? INFINITY : (float)i / 3 - 50;
  }
  return raster;
}

static void
test_tiff_round_trip(void)
{
  g_autofree char *folder = make_folder();
  g_autofree char *path = g_build_filename(folder, "a.tif", NULL);
  for (VitrailPixelType type = VITRAIL_U8; type <= VITRAIL_F32; type++) {
    for (int i = 0; i < 4; i++) {
      const int sizes[4][2] = { { 1, 1 }, { 1, 300 }, { 700, 1 }, { 131, 97 } };
      g_autoptr(GError) error = NULL;
      g_autoptr(VtRaster) raster = make(type, sizes[i][0], sizes[i][1]);
      g_assert_true(vt_raster_write_tiff(raster, &(VtTiffOptions){ .n_threads = 2 }, path, &error));
      g_autoptr(VtRaster) back = vt_raster_read(path, &error);
      g_assert_no_error(error);
      g_assert_cmpint(back->type, ==, type);
      g_assert_cmpint(back->width, ==, raster->width);
      g_assert_cmpmem(back->data, back->stride * (gsize)back->height, raster->data,
                      raster->stride * (gsize)raster->height);
    }
  }
  remove_folder(folder);
}

static guint8 *
read_bytes(const char *path, gsize *n)
{
  char *bytes = NULL;
  g_assert_true(g_file_get_contents(path, &bytes, n, NULL));
  return (guint8 *)bytes;
}

static void
check_tile(const VtRaster *raster, gint64 step, const guint8 *tile, gint64 x0, gint64 y0)
{
  const gsize size = vt_pixel_size(raster->type);
  for (gint64 y = y0; y < y0 + 256 && y * step < raster->height; y++)
    for (gint64 x = x0; x < x0 + 256 && x * step < raster->width; x++)
      g_assert_cmpint(memcmp(tile + (gsize)((y - y0) * 256 + x - x0) * size,
                             raster->data + (gsize)(y * step) * raster->stride + (gsize)(x * step) * size, size),
                      ==, 0);
}

/* Each level of the file holds every second pixel of the one before, and says that it does. */
static void
check_levels(TIFF *tiff, const VtRaster *raster)
{
  gint64 step = 1;
  for (;; step *= 2) {
    guint32 width = 0, height = 0, reduced = 0;
    float resolution = 0;
    g_autofree guint8 *tile = g_malloc((gsize)TIFFTileSize(tiff));
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SUBFILETYPE, &reduced);
    TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &resolution);
    g_assert_cmpint(width, ==, (raster->width + step - 1) / step);
    g_assert_cmpint(height, ==, (raster->height + step - 1) / step);
    g_assert_cmpuint(reduced, ==, step > 1 ? FILETYPE_REDUCEDIMAGE : 0);
    g_assert_cmpfloat_with_epsilon((double)resolution, 1e4 / (0.25 * 8 * (double)step), 1e-3);
    for (guint32 y = 0; y < height; y += 256)
      for (guint32 x = 0; x < width; x += 256) {
        g_assert_cmpint(TIFFReadTile(tiff, tile, x, y, 0, 0), >, 0);
        check_tile(raster, step, tile, x, y);
      }
    if (!TIFFReadDirectory(tiff))
      break;
  }
  g_assert_true(raster->width <= 256 * step && raster->height <= 256 * step
                && (step == 1 || MAX(raster->width, raster->height) > 128 * step));
}

/* Tiles and levels, the same bytes for any number of threads. */
static void
test_pyramid(gconstpointer compression)
{
  VtTiffOptions options = { .compression = GPOINTER_TO_UINT(compression) };
  g_autofree char *folder = make_folder();
  g_autofree char *path = g_build_filename(folder, "a.tif", NULL);
  const int sizes[][2] = { { 256, 256 }, { 257, 3 }, { 1030, 515 } };
  for (VitrailPixelType type = VITRAIL_U8; type <= VITRAIL_RGBA8; type++)
    for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
      g_autoptr(VtRaster) raster = make(type, sizes[i][0], sizes[i][1]);
      raster->downsample = 8;
      raster->mpp_x = raster->mpp_y = 0.25;
      g_autofree guint8 *first = NULL;
      gsize n_first = 0, n = 0;
      for (options.n_threads = 1; options.n_threads <= 3; options.n_threads++) {
        g_assert_true(vt_raster_write_tiff(raster, &options, path, NULL));
        g_autofree guint8 *bytes = read_bytes(path, &n);
        if (first)
          g_assert_cmpmem(bytes, n, first, n_first);
        else
          first = read_bytes(path, &n_first);
      }
      TIFF *tiff = TIFFOpen(path, "r");
      guint16 tag = 0;
      TIFFGetField(tiff, TIFFTAG_COMPRESSION, &tag);
      g_assert_cmpint(tag, ==,
                      options.compression == VT_COMPRESSION_ZSTD ? COMPRESSION_ZSTD : COMPRESSION_ADOBE_DEFLATE);
      check_levels(tiff, raster);
      TIFFClose(tiff);
    }
  remove_folder(folder);
}

/* The pixels of the other form, SubIFDs for its levels, a title that is no ASCII, and a place that is found again. */
static void
test_ome(void)
{
  g_autofree char *folder = make_folder();
  g_autofree char *path = g_build_filename(folder, "a.ome.tif", NULL);
  for (VitrailPixelType type = VITRAIL_U8; type <= VITRAIL_F32; type++) {
    g_autoptr(VtRaster) raster = make(type, 1030, 515);
    VtRasterFacts facts;
    const char *text = NULL;
    guint16 n_levels = 0;
    const toff_t *levels = NULL;
    raster->x = 3;
    raster->downsample = 8;
    raster->origin_y_l0 = 0.1;
    raster->scale = 0.5;
    raster->mpp_x = raster->mpp_y = 0.25;
    g_assert_true(
      vt_raster_write_tiff(raster, &(VtTiffOptions){ .channel = "<It's> \"µ\"", .n_threads = 2 }, path, NULL));
    g_autoptr(VtRaster) back = vt_raster_read(path, NULL);
    g_assert_cmpmem(back->data, back->stride * 515, raster->data, raster->stride * 515);
    vt_raster_read_facts(path, &facts);
    g_assert_true(vt_raster_is_result(path) && facts.is_placed && facts.n_pages == 1);
    vt_raster_set_place(back, &facts.place);
    g_assert_cmpint(back->x, ==, 3);
    g_assert_true(back->downsample == 8 && back->origin_y_l0 == 0.1 && back->scale == 0.5);
    TIFF *tiff = TIFFOpen(path, "r");
    g_assert_true(TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &text) && !strstr(text, "&#"));
    g_assert_nonnull(strstr(text, "PhysicalSizeX=\"2\" PhysicalSizeXUnit=\"µm\""));
    g_assert_nonnull(strstr(text, "Name=\"&lt;It's&gt; &quot;µ&quot;\""));
    g_assert_true(TIFFGetField(tiff, TIFFTAG_SUBIFD, &n_levels, &levels));
    g_assert_cmpuint(n_levels, ==, 3);
    g_assert_false(TIFFReadDirectory(tiff));
    TIFFClose(tiff);
  }
  remove_folder(folder);
}

/* More than one band of rows, with and without alpha, the same bytes for any number of threads. */
typedef struct {
  double last;
  guint n;
  GCancellable *ends; /* at half of it; or NULL */
} Telling;

static void
on_progress(double fraction, gpointer user)
{
  Telling *telling = user;
  g_assert_true(fraction >= telling->last && fraction <= 1);
  telling->last = fraction;
  telling->n++;
  if (telling->ends && fraction > 0.5)
    g_cancellable_cancel(telling->ends);
}

/* How far it is rises to nearly all; what is ended leaves the file that was there, and no other. */
static void
test_progress(void)
{
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "a.ome.tif", NULL);
  g_autofree char *plain = g_build_filename(folder, "b.ome.tif", NULL);
  g_autoptr(VtRaster) raster = make(VITRAIL_U16, 1500, 1100);
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autoptr(GError) error = NULL;
  Telling telling = { 0 };
  VtTiffOptions options = { .channel = "a", .cancellable = cancellable, .progress = on_progress, .user = &telling };
  g_assert_true(vt_raster_write_tiff(raster, &options, path, &error));
  g_assert_true(telling.n > 30 && telling.last > 0.9);
  g_assert_true(vt_raster_write_tiff(raster, &(VtTiffOptions){ .channel = "a", .n_threads = 1 }, plain, NULL));
  gsize n = 0, n_plain = 0, n_after = 0;
  g_autofree guint8 *bytes = read_bytes(path, &n), *plain_bytes = read_bytes(plain, &n_plain);
  g_assert_cmpmem(bytes, n, plain_bytes, n_plain);
  telling = (Telling){ .ends = cancellable };
  g_assert_false(vt_raster_write_tiff(raster, &options, path, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_autofree guint8 *after = read_bytes(path, &n_after);
  g_assert_cmpmem(bytes, n, after, n_after);
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  guint n_files = 0;
  while (g_dir_read_name(dir))
    n_files++;
  g_assert_cmpuint(n_files, ==, 2);
  remove_folder(folder);
}

static void
test_png_bands(void)
{
  g_autofree char *folder = make_folder();
  g_autofree char *path = g_build_filename(folder, "a.png", NULL);
  g_autoptr(VtRaster) raster = make(VITRAIL_RGBA8, 900, 1301);
  for (int is_opaque = 1; is_opaque >= 0; is_opaque--) {
    for (gsize i = 3; i < raster->stride * 1301; i += 4)
      raster->data[i] = is_opaque || i % 5 ? 255 : 0;
    g_autofree guint8 *first = NULL;
    gsize n_first = 0, n = 0;
    for (guint n_threads = 1; n_threads <= 3; n_threads++) {
      g_assert_true(vt_png_write_rgba(path, raster->data, 900, 1301, n_threads, NULL));
      g_autofree guint8 *bytes = read_bytes(path, &n);
      if (first)
        g_assert_cmpmem(bytes, n, first, n_first);
      else
        first = read_bytes(path, &n_first);
    }
    g_assert_cmpuint(first[25], ==, is_opaque ? 2 : 6); /* the colour type of the header */
    g_autoptr(VtRaster) back = vt_raster_read(path, NULL);
    for (gsize i = 0; i < raster->stride * 1301; i += 4)
      for (gsize c = 0; c < 3; c++)
        g_assert_cmpuint(back->data[i + c], ==, raster->data[i + 3] ? raster->data[i + c] : 255);
  }
  remove_folder(folder);
}

static void
test_png_round_trip(void)
{
  g_autofree char *folder = make_folder();
  g_autofree char *path = g_build_filename(folder, "a.png", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(VtRaster) raster = make(VITRAIL_RGBA8, 61, 43);
  for (gsize i = 3; i < raster->stride * 43; i += 4)
    raster->data[i] = 255;
  g_assert_true(vt_png_write_rgba(path, raster->data, 61, 43, 2, &error));
  g_autoptr(VtRaster) back = vt_raster_read(path, &error);
  g_assert_no_error(error);
  g_assert_cmpmem(back->data, back->stride * 43, raster->data, raster->stride * 43);
  /* A transparent pixel lies over white. */
  raster->data[3] = 0;
  g_assert_true(vt_png_write_rgba(path, raster->data, 61, 43, 2, &error));
  g_autoptr(VtRaster) white = vt_raster_read(path, &error);
  g_assert_cmpint(white->data[0], ==, 255);
  remove_folder(folder);
}

/* An image that does not fit rests in a file, and is the same. */
static void
test_room(void)
{
  static const VitrailPixelType types[] = { VITRAIL_U8, VITRAIL_U16, VITRAIL_I32, VITRAIL_F32, VITRAIL_RGBA8 };
  g_autofree char *folder = make_folder();
  g_autofree char *dir = g_build_filename(folder, "made", NULL);
  const VtRasterRoom little = { 1000, dir };
  for (gsize i = 0; i < G_N_ELEMENTS(types); i++) {
    g_autofree char *path = g_build_filename(folder, types[i] == VITRAIL_RGBA8 ? "a.png" : "a.tif", NULL);
    const VtRasterRoom room = { 2 * 256 * 256 * vt_pixel_size(types[i]), dir }; /* of two tiles */
    g_autoptr(GError) error = NULL;
    g_autoptr(VtRaster) raster = make(types[i], 701, 503);
    for (gsize k = 3; types[i] == VITRAIL_RGBA8 && k < raster->stride * 503; k += 4)
      raster->data[k] = 255;
    g_assert_true(types[i] == VITRAIL_RGBA8
                    ? vt_png_write_rgba(path, raster->data, 701, 503, 2, &error)
                    : vt_raster_write_tiff(raster, &(VtTiffOptions){ .n_threads = 2 }, path, &error));
    g_autoptr(VtRaster) back = vt_raster_read_within(path, &room, &error);
    g_assert_no_error(error);
    g_assert_nonnull(back->arena);
    vt_raster_rest(back);
    g_assert_cmpmem(back->data, back->stride * 503, raster->data, raster->stride * 503);
    g_assert_null(vt_raster_read_within(path, &little, &error));
    assert_sentence(error);
  }
  remove_folder(folder);
}

static void
write_tiff(const char *path, guint16 bits, guint16 format, guint16 photometric, gboolean tiled, const void *data,
           gsize size)
{
  TIFF *tiff = TIFFOpen(path, "w");
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, 40);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 30);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, bits);
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, format);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, photometric);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  if (tiled) {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, 48);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, 32);
    TIFFWriteEncodedTile(tiff, 0, (void *)data, (tmsize_t)size);
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 30);
    TIFFWriteEncodedStrip(tiff, 0, (void *)data, (tmsize_t)size);
  }
  TIFFClose(tiff);
}

static void
test_tiff_kinds(void)
{
  g_autofree char *folder = make_folder();
  g_autofree char *path = g_build_filename(folder, "k.tif", NULL);
  guint8 bytes[48 * 32 * 8];
  memset(bytes, 0xC8, sizeof bytes);
  write_tiff(path, 8, SAMPLEFORMAT_UINT, PHOTOMETRIC_MINISBLACK, TRUE, bytes, 48 * 32);
  g_autoptr(VtRaster) tiled = vt_raster_read(path, NULL);
  g_assert_cmpfloat(vt_raster_get_raw(tiled, 39, 29), ==, 0xC8);
  write_tiff(path, 8, SAMPLEFORMAT_UINT, PHOTOMETRIC_MINISWHITE, FALSE, bytes, 40 * 30);
  g_autoptr(VtRaster) inverted = vt_raster_read(path, NULL);
  g_assert_cmpfloat(vt_raster_get_raw(inverted, 0, 0), ==, 255 - 0xC8);
  memset(bytes, 0xAA, sizeof bytes);
  write_tiff(path, 1, SAMPLEFORMAT_UINT, PHOTOMETRIC_MINISBLACK, FALSE, bytes, 5 * 30);
  g_autoptr(VtRaster) bits = vt_raster_read(path, NULL);
  g_assert_cmpint(bits->type, ==, VITRAIL_U8);
  g_assert_cmpfloat(vt_raster_get_raw(bits, 0, 0), ==, 255);
  g_assert_cmpfloat(vt_raster_get_raw(bits, 1, 0), ==, 0);
  g_autoptr(GError) error = NULL;
  write_tiff(path, 64, SAMPLEFORMAT_IEEEFP, PHOTOMETRIC_MINISBLACK, FALSE, bytes, 40 * 30 * 8);
  g_assert_null(vt_raster_read(path, &error));
  assert_sentence(error);
  g_clear_error(&error);
  write_tiff(path, 32, SAMPLEFORMAT_UINT, PHOTOMETRIC_MINISBLACK, FALSE, bytes, 40 * 30 * 4);
  g_assert_null(vt_raster_read(path, &error));
  assert_sentence(error);
  remove_folder(folder);
}

/* No damage may do more than give a sentence, or an image. */
static void
damage(const char *path, const char *damaged_path)
{
  g_autofree char *bytes = NULL;
  gsize length = 0;
  g_autoptr(GRand) rand = g_rand_new_with_seed(20240229);
  g_assert_true(g_file_get_contents(path, &bytes, &length, NULL));
  for (int i = 0; i < 300; i++) {
    g_autofree char *copy = g_memdup2(bytes, length);
    gsize size = length;
    g_autoptr(GError) error = NULL;
    if (i % 2)
      size = (gsize)g_rand_int_range(rand, 0, (gint32)length);
    else
      for (int flips = g_rand_int_range(rand, 1, 6); flips > 0; flips--)
        copy[g_rand_int_range(rand, 0, (gint32)(i % 4 ? length : MIN(length, 400)))] ^=
          (char)g_rand_int_range(rand, 1, 256);
    g_assert_true(g_file_set_contents_full(damaged_path, copy, (gssize)size, G_FILE_SET_CONTENTS_NONE, 0666, NULL));
    VtRaster *raster = vt_raster_read(damaged_path, &error);
    if (raster)
      vt_raster_unref(raster);
    else
      assert_sentence(error);
  }
}

static void
test_damage(void)
{
  g_autofree char *folder = make_folder();
  g_autofree char *path = g_build_filename(folder, "good", NULL), *damaged = g_build_filename(folder, "damaged", NULL);
  for (VitrailPixelType type = VITRAIL_U8; type <= VITRAIL_RGBA8; type++) {
    g_autoptr(VtRaster) raster = make(type, 67, 45);
    g_assert_true(vt_raster_write_tiff(raster, &(VtTiffOptions){ .n_threads = 2 }, path, NULL));
    if (type == VITRAIL_U16 || type == VITRAIL_RGBA8)
      damage(path, damaged);
  }
  g_autoptr(VtRaster) color = make(VITRAIL_RGBA8, 67, 45);
  g_assert_true(vt_png_write_rgba(path, color->data, 67, 45, 2, NULL));
  damage(path, damaged);
  remove_folder(folder);
}

static void
test_regions(void)
{
  g_autoptr(VtRaster) raster = vt_raster_new(VITRAIL_I32, 5, 3, NULL);
  gint32 *values = (gint32 *)(gpointer)raster->data, out[6] = { 0 };
  for (int i = 0; i < 15; i++)
    values[i] = i - 7;
  g_assert_true(vt_raster_read_region(raster, 2, 0, 0, 3, 2, (guint8 *)out, 12, NULL));
  /* -7 -6 -2 -1: mean -4; halves go up: -5 -4 0 1 → -2; -3 2 → -0.5 → 0; 3 4 → 3.5 → 4; 5 6 → 6; 7 */
  const gint32 right[6] = { -4, -2, 0, 4, 6, 7 };
  g_assert_cmpmem(out, sizeof out, right, sizeof right);
  g_autoptr(GError) error = NULL;
  g_assert_false(vt_raster_read_region(raster, 2, 0, 0, 4, 2, (guint8 *)out, 16, &error));
  g_assert_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT);
}

static void
test_values(void)
{
  g_autoptr(VtRaster) raster = vt_raster_new(VITRAIL_U8, 4, 4, NULL);
  double value = 0, min = 0, max = 0, x = 0, y = 0, width = 0, height = 0;
  raster->data[5] = 10;
  raster->x = 2;
  raster->downsample = 8;
  raster->scale = -0.5;
  g_assert_true(vt_raster_lookup_l0(raster, 24, 15.9, &value));
  g_assert_cmpfloat(value, ==, 10);
  g_assert_false(vt_raster_lookup_l0(raster, 15.9, 0, &value));
  g_assert_false(vt_raster_lookup_l0(raster, NAN, 0, &value));
  g_assert_true(vt_raster_get_range(raster, &min, &max));
  g_assert_cmpfloat(min, ==, -5);
  g_assert_cmpfloat(max, ==, 0);
  vt_raster_get_bounds_l0(raster, &x, &y, &width, &height);
  g_assert_cmpfloat(x, ==, 16);
  g_assert_cmpfloat(width, ==, 32);
  g_autoptr(GError) error = NULL;
  g_assert_null(vt_raster_new(VITRAIL_F32, G_MAXINT32, G_MAXINT32, &error));
  g_assert_error(error, VT_ERROR, VITRAIL_OUT_OF_MEMORY);
}

/* Seen from far: the pixel in the middle of each step of the grid, wherever the raster begins. */
static void
test_thin(void)
{
  g_autoptr(VtRaster) raster = make(VITRAIL_I32, 50, 40);
  raster->x = 7;
  raster->y = 9;
  g_assert_null(vt_raster_thin(raster, 57, 9, 10, 10, 4));
  g_autoptr(VtRaster) thin = vt_raster_thin(raster, 0, 0, 1000, 1000, 4);
  g_assert_cmpint(thin->x, ==, 1);
  g_assert_cmpint(thin->y, ==, 2);
  g_assert_cmpint(thin->width, ==, 14);
  g_assert_cmpint(thin->height, ==, 11);
  g_assert_cmpfloat(thin->downsample, ==, 4);
  g_assert_cmpfloat(vt_raster_get_raw(thin, 2, 3), ==,
                    vt_raster_get_raw(raster, (1 + 2) * 4 + 2 - 7, (2 + 3) * 4 + 2 - 9));
  double a = 0, b = 0;
  g_assert_true(vt_raster_lookup_l0(thin, 22, 26, &a) && vt_raster_lookup_l0(raster, 22, 26, &b));
  g_assert_cmpfloat(a, ==, b);
  g_autoptr(VtRaster) same = vt_raster_thin(raster, 10, 12, 5, 6, 1);
  g_assert_cmpint(same->x, ==, 10);
  g_assert_cmpint(same->height, ==, 6);
  g_assert_cmpfloat(vt_raster_get_raw(same, 4, 5), ==, vt_raster_get_raw(raster, 7, 8));
}

/* A raster that comes as a whole: the file of vt_raster_write_tiff(); no second tile; nothing is left of one that is cancelled. */
static void
test_sink(void)
{
  g_autofree char *folder = make_folder();
  g_autofree char *path = g_build_filename(folder, "a.tif", NULL), *sunk = g_build_filename(folder, "b.tif", NULL);
  g_autoptr(VtRaster) raster = make(VITRAIL_U16, 1500, 700);
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  const VtOverlayGrid grid = { .downsample = 2, .width = 750, .height = 350 };
  const VtTiffOptions options = { .n_threads = 3, .cancellable = cancellable };
  const VitrailTile tile = { .size = sizeof tile,
                             .type = raster->type,
                             .width = raster->width,
                             .height = raster->height,
                             .downsample = 1,
                             .data = raster->data,
                             .stride = raster->stride,
                             .scale = 1 };
  VitrailTile part = tile;
  part.width = part.height = 512;
  g_assert_true(vt_raster_write_tiff(raster, &(VtTiffOptions){ .n_threads = 2 }, path, NULL));
  for (int cancelled = 0; cancelled < 2; cancelled++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(VtRaster) picture = NULL;
    VtSink *sink = vt_sink_new(sunk, raster, &grid, &options, NULL);
    if (cancelled)
      g_cancellable_cancel(cancellable);
    g_assert_true(vt_sink_write(sink, &tile, &error) == !cancelled);
    g_assert_true(!cancelled || g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED));
    g_assert_false(vt_sink_write(sink, &part, NULL));
    g_assert_false(vt_sink_write(sink, &tile, NULL));
    g_assert_true(cancelled || vt_sink_finish(sink, &picture, &error));
    g_assert_true(cancelled || (picture->width == 750 && picture->height == 350));
    vt_sink_free(sink);
    g_assert_true(g_file_test(sunk, G_FILE_TEST_EXISTS) == !cancelled);
    if (cancelled)
      continue;
    gsize n = 0, n_sunk = 0;
    g_autofree guint8 *bytes = read_bytes(path, &n), *sunk_bytes = read_bytes(sunk, &n_sunk);
    g_assert_cmpmem(sunk_bytes, n_sunk, bytes, n);
    g_unlink(sunk);
  }
  remove_folder(folder);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/raster/tiff-round-trip", test_tiff_round_trip);
  g_test_add_data_func("/raster/pyramid", GUINT_TO_POINTER(VT_COMPRESSION_DEFLATE), test_pyramid);
  if (vt_compression_is_there(VT_COMPRESSION_ZSTD))
    g_test_add_data_func("/raster/pyramid-zstd", GUINT_TO_POINTER(VT_COMPRESSION_ZSTD), test_pyramid);
  g_test_add_func("/raster/sink", test_sink);
  g_test_add_func("/raster/ome", test_ome);
  g_test_add_func("/raster/progress", test_progress);
  g_test_add_func("/raster/png-round-trip", test_png_round_trip);
  g_test_add_func("/raster/png-bands", test_png_bands);
  g_test_add_func("/raster/room", test_room);
  g_test_add_func("/raster/tiff-kinds", test_tiff_kinds);
  g_test_add_func("/raster/damage", test_damage);
  g_test_add_func("/raster/regions", test_regions);
  g_test_add_func("/raster/thin", test_thin);
  g_test_add_func("/raster/values", test_values);
  return g_test_run();
}
