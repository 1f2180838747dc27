/* SPDX-License-Identifier: MIT
 *
 * Images of labels: pieces, outlines and where they lie. Outlines hold each pixel of their label and no other. */
#include <math.h>
#include <string.h>
#include <tiffio.h>

#include "host-support.h"
#include "run/vt-label-image.h"
#include "run/vt-roi-sets.h"
#include "run/vt-wand.h"

/* A TIFF of 16 bits that says nothing about its place; a digit for each label, rows of one length apart by '/'. */
static char *
write_rows(const char *folder, const char *rows)
{
  char *path = g_build_filename(folder, "labels.tif", NULL);
  g_auto(GStrv) lines = g_strsplit(rows, "/", -1);
  const guint width = (guint)strlen(lines[0]), height = g_strv_length(lines);
  g_autofree guint16 *line = g_new(guint16, width);
  TIFF *tiff = TIFFOpen(path, "w");
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, height);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 16);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 1);
  for (guint y = 0; y < height; y++) {
    for (guint x = 0; x < width; x++)
      line[x] = (guint16)(lines[y][x] - '0');
    g_assert_cmpint(TIFFWriteScanline(tiff, line, y, 0), ==, 1);
  }
  TIFFClose(tiff);
  return path;
}

static VtLabelImage *
read_rows(const char *rows)
{
  g_autofree char *folder = make_folder();
  g_autofree char *path = write_rows(folder, rows);
  g_autoptr(GError) error = NULL;
  VtLabelImage *image = vt_label_image_read(path, NULL, &error);
  g_assert_no_error(error);
  remove_folder(folder);
  return image;
}

/* Of a random image: each pixel's middle is in the outline of its label or piece, and in no other; each outline is valid. */
static void
check_outlines(const VtLabelImage *image, gboolean by_piece)
{
  const VtLabelPlace place = { 100, -50, 2.5 };
  g_autoptr(GError) error = NULL;
  g_autoptr(VtShapes) shapes = vt_label_image_trace(image, &place, by_piece, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(shapes->n_areas, ==, by_piece ? image->n_pieces : image->n_labels);
  g_assert_cmpuint(shapes->n_odd, ==, 0);
  for (guint i = 0; i < shapes->shapes->len; i++) {
    const VtShape *shape = shapes->shapes->pdata[i];
    const gint32 *pieces = (const gint32 *)(gpointer)image->pieces->data;
    const gint32 label = by_piece ? (gint32)i + 1 : atoi(shape->outline->name + strlen("Label "));
    double n_pixels = 0;
    for (gint64 y = 0; y < image->raster->height; y++)
      for (gint64 x = 0; x < image->raster->width; x++) {
        const gint32 piece = pieces[y * image->raster->width + x];
        const gboolean is_its = by_piece ? piece == label : vt_raster_get_raw(image->raster, x, y) == label;
        n_pixels += is_its;
        g_assert_cmpint(vt_roi_contains(shape->outline, 100 + 2.5 * ((double)x + 0.5), -50 + 2.5 * ((double)y + 0.5)),
                        ==, is_its);
      }
    g_assert_cmpfloat_with_epsilon(vt_roi_get_area(shape->outline), n_pixels * 6.25, 1e-9);
  }
}

static void
test_outlines(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(3);
  for (int round = 0; round < 60; round++) {
    g_autoptr(GString) rows = g_string_new(NULL);
    const int n_labels = 1 + round % 3, width = 1 + round % 13, height = 1 + round % 11;
    for (int y = 0; y < height; y++) {
      for (int x = 0; x < width; x++)
        g_string_append_c(rows, (char)('0' + g_rand_int_range(rand, round % 2, n_labels + 1)));
      if (y + 1 < height)
        g_string_append_c(rows, '/');
    }
    g_autoptr(VtLabelImage) image = read_rows(rows->str);
    check_outlines(image, FALSE);
    check_outlines(image, TRUE);
  }
}

static void
test_pieces(void)
{
  g_autoptr(VtLabelImage) image = read_rows("1101/0001/7011/7710");
  g_assert_cmpuint(image->n_labels, ==, 2);
  g_assert_cmpuint(image->n_pieces, ==, 3);
  g_assert_cmpint(image->highest, ==, 7);
  g_autoptr(VtLabelImage) ring = read_rows("11111/10101/11011/10111/11111"); /* holes that touch in corners */
  g_autoptr(VtShapes) shapes = vt_label_image_trace(ring, &(VtLabelPlace){ 0, 0, 1 }, FALSE, NULL, NULL);
  const VtShape *shape = shapes->shapes->pdata[0];
  g_assert_cmpuint(shape->outline->ring_sizes->len, ==, 5);
  g_assert_cmpfloat(vt_roi_get_area(shape->outline), ==, 21);
  g_autoptr(VtLabelImage) none = read_rows("000/000");
  g_assert_cmpuint(none->n_labels, ==, 0);
}

static void
check_guess(const VtLabelImage *image, gint64 width, gint64 height, VtLabelGuess guess, double downsample)
{
  VtLabelPlace place;
  g_assert_cmpint(vt_label_image_guess(image, width, height, &place), ==, guess);
  g_assert_cmpfloat(place.downsample, ==, downsample);
}

static void
test_place(void)
{
  g_autofree char *folder = make_folder();
  g_autofree char *path = g_build_filename(folder, "own.tif", NULL);
  g_autoptr(VtLabelImage) image = read_rows("1000/0020");
  check_guess(image, 400, 200, VT_LABELS_OVER_SLIDE, 100);
  check_guess(image, 403, 200, VT_LABELS_OVER_SLIDE, 100.75);
  check_guess(image, 400, 500, VT_LABELS_UNKNOWN, 1);
  check_guess(image, 400, 211, VT_LABELS_UNKNOWN, 1);
  check_guess(image, 400, 210, VT_LABELS_OVER_SLIDE, 100);
  g_autoptr(VtRaster) raster = vt_raster_new(VITRAIL_I32, 3, 2, NULL);
  ((gint32 *)(gpointer)raster->data)[4] = 12345;
  raster->x = 10;
  raster->y = 20;
  raster->downsample = 4;
  g_assert_true(vt_raster_write_tiff(raster, &(VtTiffOptions){ .n_threads = 1 }, path, NULL));
  g_autoptr(VtLabelImage) own = vt_label_image_read(path, NULL, NULL);
  VtLabelPlace place;
  g_assert_cmpint(vt_label_image_guess(own, 3, 2, &place), ==, VT_LABELS_AS_FILE_SAYS);
  g_assert_true(place.x_l0 == 40 && place.y_l0 == 80 && place.downsample == 4);
  g_assert_cmpint(own->highest, ==, 12345);
  remove_folder(folder);
}

static void
assert_refused(const char *path, const char *sentence)
{
  g_autoptr(GError) error = NULL;
  g_assert_null(vt_label_image_read(path, NULL, &error));
  g_assert_nonnull(strstr(error->message, sentence));
}

static void
test_refusals(void)
{
  g_autofree char *folder = make_folder();
  g_autofree char *path = g_build_filename(folder, "a.tif", NULL), *png = g_build_filename(folder, "b.png", NULL);
  g_autofree char *jpeg = g_build_filename(folder, "c.jpg", NULL);
  const guint8 rgba[4] = { 200, 0, 0, 255 };
  g_autoptr(VtRaster) raster = vt_raster_new(VITRAIL_F32, 2, 2, NULL);
  float *values = (float *)(gpointer)raster->data;
  values[3] = 0.5f;
  g_assert_true(vt_raster_write_tiff(raster, &(VtTiffOptions){ .n_threads = 1 }, path, NULL));
  assert_refused(path, "a.tif holds 0.5 at pixel (1, 1), which is no label");
  values[3] = -1;
  g_assert_true(vt_raster_write_tiff(raster, &(VtTiffOptions){ .n_threads = 1 }, path, NULL));
  assert_refused(path, "holds -1 at pixel (1, 1)");
  g_assert_true(vt_png_write_rgba(png, rgba, 1, 1, 1, NULL));
  assert_refused(png, "b.png is an image in colour");
  g_assert_true(g_file_set_contents(jpeg, "\xff\xd8\xff\xe0", 4, NULL));
  assert_refused(jpeg, "c.jpg is a JPEG, which changes pixels");
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_cancellable_cancel(cancellable);
  const VtShapesContext context = { .cancellable = cancellable };
  g_autoptr(GError) error = NULL, traced = NULL;
  values[3] = 1;
  g_assert_true(vt_raster_write_tiff(raster, &(VtTiffOptions){ .n_threads = 1 }, path, NULL));
  g_assert_null(vt_label_image_read(path, &context, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_autoptr(VtLabelImage) image = vt_label_image_read(path, NULL, NULL);
  g_assert_null(vt_label_image_trace(image, &(VtLabelPlace){ 0, 0, 1 }, FALSE, &context, &traced));
  g_assert_error(traced, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  remove_folder(folder);
}

/* Any numbers are few ones inside; the label under the middle of each pixel of a grid; nothing beside them. */
static void
test_placed(void)
{
  g_autoptr(VtLabelImage) image = read_rows("909/033/005");
  g_autoptr(GError) error = NULL;
  const VtLabelPlace place = { 10, -4, 4 };
  g_autoptr(VtPlacedLabels) labels = vt_label_image_place(image, &place, FALSE, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(labels->labels->len, ==, 4);
  gint32 read[3][5];
  vt_placed_labels_read(labels, 3, 3, 0, 5, 3, (guint8 *)read, sizeof read[0]);
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 5; i++) {
      double value = 0;
      const double x = floor((3 * (i + 3) + 1.5 - 10) / 4), y = floor((3 * j + 1.5 + 4) / 4);
      if (x >= 0 && x < 3 && y < 3)
        value = vt_raster_get_raw(image->raster, (gint64)x, (gint64)y);
      g_assert_cmpint(g_array_index(labels->labels, gint32, read[j][i]), ==, value);
    }
  g_autoptr(VtPlacedLabels) again = vt_label_image_place(image, &place, FALSE, &error);
  g_autoptr(VtPlacedLabels) pieces = vt_label_image_place(image, &place, TRUE, &error);
  g_assert_true(vt_placed_labels_equal(labels, again));
  g_assert_false(vt_placed_labels_equal(labels, pieces));
  g_assert_false(vt_placed_labels_equal(NULL, labels));
  g_assert_cmpint(((gint32 *)(gpointer)pieces->raster->data)[2], ==, 2); /* the other 9 */
}

/* The pixels that a slow search reaches, each in the outline and no other; and a seed without a value, and one that grows without end. */
static void
test_wand(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(5);
  g_autoptr(GError) error = NULL;
  for (int round = 0; round < 200; round++) {
    g_autoptr(VtRaster) raster = vt_raster_new(VITRAIL_F32, 12, 9, NULL);
    float *values = (float *)(gpointer)raster->data;
    const gint64 col = g_rand_int_range(rand, 0, 12), row = g_rand_int_range(rand, 0, 9);
    guint8 reached[9][12] = { { 0 } };
    raster->downsample = 2.5;
    raster->origin_x_l0 = 7;
    raster->x = 3;
    for (int i = 0; i < 108; i++)
      values[i] = g_rand_int_range(rand, 0, 12) == 0 ? NAN : (float)g_rand_int_range(rand, 0, 6);
    const float value = values[row * 12 + col];
    g_autoptr(VtRoi) roi = vt_wand_grow(raster, col, row, 2, FALSE, &error);
    if (isnan(value)) {
      g_assert_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT);
      g_clear_error(&error);
      continue;
    }
    reached[row][col] = 1;
    for (int again = 1; again;) {
      again = 0;
      for (int y = 0; y < 9; y++)
        for (int x = 0; x < 12; x++)
          if (!reached[y][x] && fabsf(values[y * 12 + x] - value) <= 2
              && ((x > 0 && reached[y][x - 1]) || (x < 11 && reached[y][x + 1]) || (y > 0 && reached[y - 1][x])
                  || (y < 8 && reached[y + 1][x])))
            again = reached[y][x] = 1;
    }
    g_assert_no_error(error);
    for (int y = 0; y < 9; y++)
      for (int x = 0; x < 12; x++)
        g_assert_cmpint(vt_roi_contains(roi, 7 + 2.5 * (x + 3.5), 2.5 * (y + 0.5)), ==, reached[y][x]);
  }
  g_autoptr(VtRaster) wide = vt_raster_new(VITRAIL_U8, VT_WAND_EDGE + 1, 2, NULL);
  wide->downsample = 1;
  g_assert_null(vt_wand_grow(wide, 0, 0, 0, FALSE, &error));
  g_assert_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/label-image/outlines", test_outlines);
  g_test_add_func("/label-image/pieces", test_pieces);
  g_test_add_func("/label-image/place", test_place);
  g_test_add_func("/label-image/refusals", test_refusals);
  g_test_add_func("/labels/placed", test_placed);
  g_test_add_func("/labels/wand", test_wand);
  return g_test_run();
}
