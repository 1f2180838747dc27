/* SPDX-License-Identifier: MIT
 *
 * Reader processes that crash, hang and lie: an error for what cannot be read, and nothing else. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <tiffio.h>
#include <unistd.h>

#include "host-support.h"
#include "slide/vt-reader-private.h"
#include "slide/vt-reader.h"
#include "slide/vt-tile-cache-private.h"

/* n_side by n_side tiles, each of one grey. */
static char *
write_tiles(const char *folder, int n_side)
{
  g_autofree char *name = g_strdup_printf("tiles-%d.tif", n_side);
  char *path = g_build_filename(folder, name, NULL);
  g_autofree guint8 *pixels = g_malloc(VT_TILE_PX * VT_TILE_PX * 3);
  TIFF *tiff = TIFFOpen(path, "w");
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, n_side * VT_TILE_PX);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, n_side * VT_TILE_PX);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 3);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
  TIFFSetField(tiff, TIFFTAG_TILEWIDTH, VT_TILE_PX);
  TIFFSetField(tiff, TIFFTAG_TILELENGTH, VT_TILE_PX);
  for (int i = 0; i < n_side * n_side; i++) {
    memset(pixels, 10 * i, VT_TILE_PX * VT_TILE_PX * 3);
    TIFFWriteTile(tiff, pixels, (guint32)(i % n_side * VT_TILE_PX), (guint32)(i / n_side * VT_TILE_PX), 0, 0);
  }
  TIFFClose(tiff);
  return path;
}

static char *
write_slide(const char *folder)
{
  return write_tiles(folder, 4);
}

static gboolean
reads(VtSlide *slide, int i, GError **error)
{
  g_autoptr(VtTilePixels) tile = vt_slide_read_tile(slide, 0, i % 4, i / 4, NULL, error);
  if (tile)
    g_assert_cmpuint(((const guint8 *)g_bytes_get_data(tile->bytes, NULL))[5], ==, 10 * i);
  return tile != NULL;
}

static gpointer
read_all(gpointer slide)
{
  for (int i = 0; i < 16; i++) {
    g_autoptr(GError) error = NULL;
    g_assert_cmpint(reads(slide, i, &error), ==, i != 6);
    if (i == 6)
      assert_sentence(error);
  }
  return NULL;
}

/* Tile 6 is hostile. All others are read, also by those who were at it when the process ended. */
static void
test_trouble(gconstpointer kind)
{
  g_autofree char *folder = make_folder(), *path = write_slide(folder);
  g_autofree char *trouble = g_strdup_printf("%s %d %d", (const char *)kind, 2 * VT_TILE_PX, VT_TILE_PX);
  g_autoptr(GError) error = NULL;
  GThread *threads[3];
  g_setenv("TROUBLE", trouble, TRUE);
  vt_reader_process_set_patience(1, 1);
  vt_reader_set_program(g_getenv("READER_TROUBLE"));
  g_autoptr(VtSlide) slide = vt_slide_open(path, &error);
  g_assert_no_error(error);
  const int n_threads = g_str_equal(kind, "hang") || g_str_equal(kind, "still") ? 1 : 3; /* a second for each end */
  for (int i = 0; i < n_threads; i++)
    threads[i] = g_thread_new("reader", read_all, slide);
  for (int i = 0; i < n_threads; i++)
    g_thread_join(threads[i]);
  g_unsetenv("TROUBLE");
  remove_folder(folder);
}

/* Three seconds, and no processor time: as a slow drive. */
static void
test_slow(void)
{
  g_autofree char *folder = make_folder(), *path = write_slide(folder);
  g_autoptr(GError) error = NULL;
  g_setenv("TROUBLE", "slow 0 0", TRUE);
  vt_reader_process_set_patience(1, 60);
  vt_reader_set_program(g_getenv("READER_TROUBLE"));
  g_autoptr(VtSlide) slide = vt_slide_open(path, &error);
  g_assert_true(reads(slide, 0, &error));
  g_unsetenv("TROUBLE");
  remove_folder(folder);
}

static gpointer
cancel_soon(gpointer cancellable)
{
  g_usleep(300000);
  g_cancellable_cancel(cancellable);
  return NULL;
}

static void
test_cancel(void)
{
  g_autofree char *folder = make_folder(), *path = write_slide(folder);
  g_autoptr(GError) error = NULL;
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_setenv("TROUBLE", "still 0 0", TRUE);
  vt_reader_process_set_patience(60, 60);
  vt_reader_set_program(g_getenv("READER_TROUBLE"));
  g_autoptr(VtSlide) slide = vt_slide_open(path, &error);
  GThread *thread = g_thread_new("cancel", cancel_soon, cancellable);
  const gint64 start = g_get_monotonic_time();
  g_assert_null(vt_slide_read_tile(slide, 0, 0, 0, cancellable, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpint(g_get_monotonic_time() - start, <, 30 * G_USEC_PER_SEC);
  g_thread_join(thread);
  g_clear_error(&error);
  g_assert_true(reads(slide, 1, &error));
  g_unsetenv("TROUBLE");
  remove_folder(folder);
}

/* What a slide that has taken over the decoder could do. */
static void
test_escape(void)
{
  g_autofree char *folder = make_folder(), *path = write_slide(folder);
  g_autoptr(GError) error = NULL;
  g_setenv("TROUBLE", "escape 0 0", TRUE);
  g_file_set_contents("/tmp/vitrail-target", "text", 4, NULL);
  vt_reader_set_program(g_getenv("READER_TROUBLE"));
  g_autoptr(VtSlide) slide = vt_slide_open(path, &error);
  g_autoptr(VtTilePixels) tile = vt_slide_read_tile(slide, 0, 0, 0, NULL, &error);
  g_assert_no_error(error);
  const guint8 done = ((const guint8 *)g_bytes_get_data(tile->bytes, NULL))[0];
  g_test_message("what it could do: %x", done);
  g_unlink("/tmp/vitrail-target");
  g_unsetenv("TROUBLE");
  remove_folder(folder);
  if (g_getenv("VITRAIL_SANITIZED"))
    g_assert_cmpuint(done & ~64u, ==, 0); /* addresses are not limited then */
  else
    g_assert_cmpuint(done, ==, 0);
}

/* A reader opens the slide once, whatever OpenSlide does (vt-shared-file.h). */
static void
test_opened_once(void)
{
  g_autofree char *folder = make_folder(), *path = write_slide(folder);
  g_setenv("TROUBLE", "count -1 0", TRUE);
  g_setenv("TROUBLE_FILE", path, TRUE);
  vt_reader_set_program(g_getenv("READER_TROUBLE"));
  g_autoptr(VtSlide) slide = vt_slide_open(path, NULL);
  for (int i = 0; i < 4; i++) {
    g_autoptr(VtTilePixels) tile = vt_slide_read_tile(slide, 0, i, 0, NULL, NULL);
    g_assert_cmpuint(((const guint8 *)g_bytes_get_data(tile->bytes, NULL))[0], ==, 1);
  }
  g_unsetenv("TROUBLE_FILE");
  g_unsetenv("TROUBLE");
  remove_folder(folder);
}

/* Where there are large pages, those who decode take memory from the one heap that may have them. */
static void
test_heap(void)
{
#if defined __GLIBC__ && __GLIBC_PREREQ(2, 35)
  g_autofree char *folder = make_folder(), *path = write_slide(folder), *pages = NULL;
  g_file_get_contents("/sys/kernel/mm/transparent_hugepage/enabled", &pages, NULL, NULL);
  const gboolean has_large = pages && !strstr(pages, "[never]") && !g_getenv("VITRAIL_SANITIZED");
  g_setenv("TROUBLE", "heap -1 0", TRUE);
  vt_reader_set_program(g_getenv("READER_TROUBLE"));
  g_autoptr(VtSlide) slide = vt_slide_open(path, NULL);
  g_autoptr(VtTilePixels) tile = vt_slide_read_tile(slide, 0, 0, 0, NULL, NULL);
  if (has_large)
    g_assert_cmpuint(((const guint8 *)g_bytes_get_data(tile->bytes, NULL))[0], ==, 1);
  else
    g_test_skip("no large pages here");
  g_unsetenv("TROUBLE");
  remove_folder(folder);
#endif
}

/* Somebody ends the process between two tiles; and puts another slide into the file's place. */
static void
test_killed(void)
{
  g_autofree char *folder = make_folder(), *path = write_slide(folder),
                  *other = g_build_filename(folder, "other.tif", NULL);
  g_autofree char *text = NULL;
  gsize n = 0;
  g_autoptr(GError) error = NULL;
  vt_reader_set_program(g_getenv("READER"));
  g_autoptr(VtSlide) slide = vt_slide_open(path, &error);
  for (int i = 0; i < 3; i++) {
    g_assert_true(reads(slide, i, &error));
    g_assert_cmpint(system("pkill -KILL -P $PPID vitrail-reader"), ==, 0);
  }
  g_assert_true(g_file_get_contents(path, &text, &n, NULL));
  TIFF *tiff = TIFFOpen(path, "w");
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, 64);
  TIFFClose(tiff);
  g_assert_false(reads(slide, 4, &error));
  assert_sentence(error);
  g_clear_error(&error);
  g_assert_true(g_file_set_contents(path, text, (gssize)n, NULL));
  g_assert_true(reads(slide, 4, &error));
  remove_folder(folder);
}

static void
test_name(void)
{
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "\xe2\x80\xaegpj\n\x1b é.tif", NULL);
  g_autoptr(GError) error = NULL;
  g_autofree char *plain = write_tiles(folder, 1);
  g_assert_cmpint(g_rename(plain, path), ==, 0);
  g_autoptr(VtSlide) slide = vt_slide_open(path, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(vt_slide_get_name(slide), ==, "\xef\xbf\xbdgpj\xef\xbf\xbd\xef\xbf\xbd é.tif");
  g_assert_cmpstr(vt_slide_get_path(slide), ==, path);
  remove_folder(folder);
}

static void
put_in_place(const char *other, const char *path)
{
  GStatBuf info;
  g_assert_cmpint(g_stat(path, &info), ==, 0);
  const struct timespec times[2] = { info.st_atim, info.st_mtim };
  g_assert_cmpint(utimensat(AT_FDCWD, other, times, 0), ==, 0);
  g_assert_cmpint(g_rename(other, path), ==, 0);
}

/* What is shared counts as a file: of a slide that is open a sentence, and the next one is read here. */
static void
test_limited(void)
{
  g_autofree char *folder = make_folder(), *path = write_slide(folder);
  g_autoptr(GError) error = NULL;
  vt_reader_set_program(g_getenv("READER"));
  g_autoptr(VtSlide) slide = vt_slide_open(path, &error);
  signal(SIGXFSZ, SIG_IGN);
  limit_files(100000);
  g_assert_false(reads(slide, 0, &error));
  g_autoptr(VtSlide) next = vt_slide_open(path, NULL);
  limit_files(0);
  g_assert_nonnull(
    strstr(error->message, "tiles-4.tif cannot be read: no process that reads it could be started (files may"));
  g_clear_error(&error);
  g_assert_nonnull(strstr(vt_slide_get_exposed(next), "files may have at most 100000 bytes here"));
  g_assert_true(reads(slide, 0, &error) && reads(next, 1, &error));
  remove_folder(folder);
}

/* Another slide in its place, of the same size and time, is noticed at the next tile; the same one is not. */
static void
test_replaced(void)
{
  enum { BYTES = 1000000 };
  g_autofree char *folder = make_folder(), *path = write_slide(folder), *other = write_tiles(folder, 5), *bytes = NULL;
  g_autofree char *same = g_build_filename(folder, "same.tif", NULL);
  g_autoptr(GError) error = NULL;
  gsize size = 0;
  vt_reader_set_program(g_getenv("READER"));
  g_assert_true(truncate(path, BYTES) == 0 && truncate(other, BYTES) == 0);
  g_assert_true(g_file_get_contents(path, &bytes, &size, NULL));
  g_assert_true(g_file_set_contents(same, bytes, (gssize)size, NULL));
  g_autoptr(VtSlide) slide = vt_slide_open(path, &error);
  g_assert_no_error(error);
  g_assert_true(reads(slide, 0, &error));
  put_in_place(same, path);
  g_assert_true(reads(slide, 1, &error));
  put_in_place(other, path);
  g_assert_false(reads(slide, 2, &error));
  g_assert_nonnull(strstr(error->message, "tiles-4.tif has changed since it was opened; open it again."));
  remove_folder(folder);
}

/* A process that was held ready sends a slide's first picture unasked. One that does not survive it has opened the slide all the same. */
static void
test_first(gconstpointer trouble)
{
  g_autofree char *folder = make_folder(), *path = write_tiles(folder, 1), *large = write_slide(folder);
  g_autoptr(GError) error = NULL;
  const gboolean is_sound = g_str_equal(trouble, "none");
  g_autofree char *where = g_strdup_printf("%s 0 0", (const char *)trouble);
  g_setenv("TROUBLE", where, TRUE);
  vt_reader_process_set_patience(1, 1);
  vt_reader_set_program(g_getenv("READER_TROUBLE"));
  vt_reader_prepare();
  g_autoptr(VtSlide) slide = vt_slide_open(path, &error);
  g_assert_no_error(error);
  for (int i = 0; i < 2; i++) {
    vt_tile_cache_drop_slide(slide->id);
    g_assert_true(reads(slide, 0, &error) == is_sound);
    if (!is_sound)
      assert_sentence(error);
    g_clear_error(&error);
  }
  vt_reader_prepare(); /* of a slide whose coarsest level is no single tile, nothing comes unasked */
  g_autoptr(VtSlide) other = vt_slide_open(large, &error);
  g_assert_true(reads(other, 5, &error) && reads(other, 15, &error));
  g_unsetenv("TROUBLE");
  remove_folder(folder);
}

/* Pieces of memory by which tiles come. */
static guint
count_channels(void)
{
  g_autofree char *maps = NULL;
  guint n = 0;
  g_assert_true(g_file_get_contents("/proc/self/maps", &maps, NULL, NULL));
  for (const char *at = maps; (at = strstr(at, "/memfd:vitrail-shared")); at++)
    n++;
  return n;
}

/* In some process that may be looked at: root sees all. */
static gboolean
is_open_anywhere(const char *path)
{
  g_autoptr(GDir) all = g_dir_open("/proc", 0, NULL);
  const char *process = NULL, *name = NULL;
  while ((process = g_dir_read_name(all))) {
    g_autofree char *folder = g_build_filename("/proc", process, "fd", NULL);
    g_autoptr(GDir) dir = g_ascii_isdigit(*process) ? g_dir_open(folder, 0, NULL) : NULL;
    while (dir && (name = g_dir_read_name(dir))) {
      g_autofree char *link = g_build_filename(folder, name, NULL), *target = g_file_read_link(link, NULL);
      if (g_strcmp0(target, path) == 0)
        return TRUE;
    }
  }
  return FALSE;
}

/* One that has nothing to do gives its memory back. */
static void
test_idle(void)
{
  g_autofree char *folder = make_folder(), *path = write_slide(folder);
  g_autoptr(GError) error = NULL;
  vt_reader_set_program(g_getenv("READER"));
  g_autoptr(VtSlide) slide = vt_slide_open(path, &error);
  g_assert_true(reads(slide, 0, &error));
  g_assert_cmpuint(vt_reader_trim(G_USEC_PER_SEC * 60, G_USEC_PER_SEC * 60), ==, 1);
  const guint n_channels = count_channels();
  g_assert_cmpuint(vt_reader_trim(G_USEC_PER_SEC * 60, 0), ==, 1);
  g_assert_cmpuint(count_channels(), <, n_channels);
  for (guint i = 0; is_open_anywhere(path); i++) {
    g_assert_cmpuint(i, <, 500);
    g_usleep(10000);
  }
  g_assert_true(reads(slide, 2, &error));
  g_assert_cmpuint(vt_reader_trim(0, 0), ==, 0);
  g_assert_true(reads(slide, 1, &error));
  g_assert_cmpuint(vt_reader_trim(G_USEC_PER_SEC * 60, G_USEC_PER_SEC * 60), ==, 1);
  remove_folder(folder);
}

static void
test_lie(gconstpointer lie)
{
  g_autofree char *folder = make_folder(), *path = write_slide(folder);
  g_autoptr(GError) error = NULL;
  g_setenv("LIE", lie, TRUE);
  vt_reader_process_set_patience(1, 2);
  vt_reader_set_program(g_getenv("READER_LIAR"));
  g_autoptr(VtSlide) slide = vt_slide_open(path, &error);
  if (g_str_equal(lie, "none") || g_str_equal(lie, "shrink") || g_str_equal(lie, "progress")) {
    g_assert_no_error(error);
    g_assert_null(vt_slide_get_exposed(slide));
    g_autoptr(VtTilePixels) tile = vt_slide_read_tile(slide, 0, 0, 0, NULL, &error);
    g_assert_nonnull(tile);
  } else if (g_str_equal(lie, "tile-progress")) {
    g_assert_false(reads(slide, 0, &error));
    assert_sentence(error);
  } else if (g_str_equal(lie, "no-hello")) { /* no reader at all: read here */
    g_autofree char *failure = vt_reader_take_failure(), *name = g_path_get_basename(path);
    g_assert_cmpstr(vt_slide_get_exposed(slide), ==, failure);
    g_assert_true(g_str_has_prefix(failure, name) && g_str_has_suffix(failure, "."));
    g_assert_null(vt_reader_take_failure());
    g_assert_true(reads(slide, 1, &error));
    g_setenv("LIE", "none", TRUE); /* what hindered it is over */
    g_autoptr(VtSlide) next = vt_slide_open(path, &error);
    g_assert_null(vt_slide_get_exposed(next));
    g_assert_nonnull(vt_slide_get_exposed(slide));
  } else {
    g_assert_null(slide);
    assert_sentence(error);
  }
  g_unsetenv("LIE");
  remove_folder(folder);
}

/* Rows of labels before the one that is hostile. -1: there is no image. */
static gint64
count_rows(const char *path, GError **error)
{
  g_autoptr(VtReaderRows) rows = vt_reader_rows_new(path, NULL, error);
  gint64 n = 0;
  while (rows && n < vt_reader_rows_get_raster(rows)->height && vt_reader_rows_get(rows, n, error))
    n++;
  return rows ? n : -1;
}

static char *
write_labels(const char *folder)
{
  char *path = g_build_filename(folder, "labels.tif", NULL);
  g_autoptr(VtRaster) raster = vt_raster_new(VITRAIL_I32, 300, 2000, NULL);
  for (gsize i = 0; i < 300 * 2000; i++)
    ((gint32 *)(gpointer)raster->data)[i] = (gint32)(i * i % 1000003);
  g_assert_true(vt_raster_write_tiff(raster, &(VtTiffOptions){ .n_threads = 1 }, path, NULL));
  g_autoptr(VtReaderRows) rows = vt_reader_rows_new(path, NULL, NULL);
  for (gint64 y = 0; y < 2000; y++)
    g_assert_cmpmem(vt_reader_rows_get(rows, y, NULL), 1200, raster->data + 1200 * y, 1200);
  g_assert_true(vt_reader_rows_get_facts(rows)->is_placed);
  return path;
}

static void
test_rows(gconstpointer kind)
{
  vt_reader_process_set_patience(1, 1);
  vt_reader_set_program(g_getenv("READER_TROUBLE"));
  g_autofree char *folder = make_folder(), *path = write_labels(folder);
  g_autofree char *trouble = g_strdup_printf("%s tiff 1024", (const char *)kind);
  g_autoptr(GError) error = NULL, whole_error = NULL;
  VtRasterFacts facts;
  g_setenv("TROUBLE", trouble, TRUE);
  const gint64 n = count_rows(path, &error);
  g_assert_true(n > 0 && n <= 1024);
  assert_sentence(error);
  g_assert_null(vt_reader_read_raster(path, NULL, NULL, &facts, &whole_error));
  assert_sentence(whole_error);
  g_unsetenv("TROUBLE");
  remove_folder(folder);
}

typedef struct {
  GCancellable *cancellable;
  guint n;
  double last;
} Reading;

static void
on_read(double fraction, gpointer user)
{
  Reading *reading = user;
  g_assert_true(fraction >= reading->last && fraction <= 1);
  reading->last = fraction;
  if (++reading->n == 2 && reading->cancellable)
    g_cancellable_cancel(reading->cancellable);
}

/* Five seconds of work, in steps of a third: no hang where one second without a sign of life is one. */
static void
test_sign_of_life(gconstpointer cancels)
{
  vt_reader_set_program(g_getenv("READER_TROUBLE"));
  g_autofree char *folder = make_folder(), *path = write_labels(folder);
  g_autoptr(GError) error = NULL;
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  Reading reading = { cancels ? cancellable : NULL, 0, 0 };
  const VtReadContext context = { cancellable, on_read, &reading };
  VtRasterFacts facts;
  vt_reader_process_set_patience(1, 60);
  g_setenv("TROUBLE", "busy tiff -1", TRUE);
  g_autoptr(VtRaster) raster = vt_reader_read_raster(path, NULL, &context, &facts, &error);
  g_test_message("%u signs of life, the last at %.2f", reading.n, reading.last);
  if (cancels)
    g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  else
    g_assert_no_error(error);
  g_assert_true((raster == NULL) == (cancels != NULL) && reading.n >= (cancels ? 2 : 6));
  g_unsetenv("TROUBLE");
  remove_folder(folder);
}

static void
test_rows_lie(gconstpointer lie)
{
  g_autoptr(GError) error = NULL;
  g_setenv("LIE", lie, TRUE);
  vt_reader_set_program(g_getenv("READER_LIAR"));
  const gint64 n = count_rows("nowhere/labels.tif", &error);
  g_unsetenv("LIE");
  g_assert_cmpint(n, ==, g_str_equal(lie, "none") ? 400 : strstr(lie, "block") ? 0 : -1);
  if (n < 400)
    assert_sentence(error);
}

static void
test_hostile(void)
{
  g_autofree char *folder = shared_path("slides/hostile");
  const char *const names[] = { "terabyte.svs", "tile-width-17.svs" };
  vt_reader_set_program(g_getenv("READER"));
  for (gsize i = 0; folder && i < G_N_ELEMENTS(names); i++) {
    g_autofree char *path = g_build_filename(folder, names[i], NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(VtSlide) slide = vt_slide_open(path, &error);
    if (slide && i == 0) /* OpenSlide 4.0.1 reads it */
      continue;
    g_assert_null(slide);
    assert_sentence(error);
    g_test_message("%s", error->message);
  }
}

/* Tiles under a rectangle are there before anyone asks, unless it is enough, or they would take more than half of the cache. */
static void
test_ahead(void)
{
  enum { MIB = 1 << 20, SIDE = VT_TILE_PX };
  const struct {
    gint is_enough;
    gsize budget;
    gboolean comes;
  } cases[] = { { TRUE, 512 * (gsize)MIB, FALSE },
                { FALSE, 7 * (gsize)MIB, FALSE },
                { FALSE, 512 * (gsize)MIB, TRUE } };
  g_autofree char *folder = make_folder(), *path = write_slide(folder);
  VtSlide *slide = vt_slide_open(path, NULL);
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    vt_tile_cache_set_budget(cases[k].budget);
    vt_slide_read_ahead(slide, 1, SIDE + 1, SIDE, 2 * SIDE - 1, 2 * SIDE, 3, &cases[k].is_enough);
    for (int i = 0; i < 16; i++) {
      g_autoptr(VtTilePixels) tile = vt_slide_peek_tile(slide, 0, i % 4, i / 4);
      const gboolean is_under = i % 4 > 0 && i % 4 < 3 && i / 4 > 0 && i / 4 < 3;
      g_assert_true((tile != NULL) == (is_under && cases[k].comes));
    }
  }
  vt_slide_unref(slide);
  remove_folder(folder);
}

int
main(int argc, char **argv)
{
  static const char *const troubles[] = { "crash", "abort", "end", "hang", "still" };
  static const char *const firsts[] = { "none", "crash", "still" };
  static const char *const lies[] = {
    "none",     "kind",          "no-file",       "garbage",       "unsealed",       "flat",         "text",   "magic",
    "short",    "levels",        "size",          "downsample",    "pixel-size",     "no-hello",     "shrink", "odd",
    "progress", "progress-back", "progress-over", "progress-file", "progress-alone", "tile-progress"
  };
  static const char *const row_lies[] = { "none", "type", "turned", "place", "no-rows", "block", "no-block" };
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(row_lies); i++) {
    g_autofree char *name = g_strconcat("/reader/rows-lie/", row_lies[i], NULL);
    g_test_add_data_func(name, row_lies[i], test_rows_lie);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(troubles); i++) {
    g_autofree char *name = g_strconcat("/reader/trouble/", troubles[i], NULL);
    g_test_add_data_func(name, troubles[i], test_trouble);
    g_autofree char *of_rows = g_strconcat("/reader/rows/", troubles[i], NULL);
    g_test_add_data_func(of_rows, troubles[i], test_rows);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(lies); i++) {
    g_autofree char *name = g_strconcat("/reader/lie/", lies[i], NULL);
    g_test_add_data_func(name, lies[i], test_lie);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(firsts); i++) {
    g_autofree char *name = g_strconcat("/reader/first/", firsts[i], NULL);
    g_test_add_data_func(name, firsts[i], test_first);
  }
  g_test_add_data_func("/reader/sign-of-life", NULL, test_sign_of_life);
  g_test_add_data_func("/reader/sign-of-life-cancelled", "", test_sign_of_life);
  g_test_add_func("/reader/ahead", test_ahead);
  g_test_add_func("/reader/slow", test_slow);
  g_test_add_func("/reader/cancel", test_cancel);
  g_test_add_func("/reader/escape", test_escape);
  g_test_add_func("/reader/heap", test_heap);
  g_test_add_func("/reader/killed", test_killed);
  g_test_add_func("/reader/opened-once", test_opened_once);
  g_test_add_func("/reader/name", test_name);
  g_test_add_func("/reader/replaced", test_replaced);
  g_test_add_func("/reader/limited", test_limited);
  g_test_add_func("/reader/hostile", test_hostile);
  g_test_add_func("/reader/idle", test_idle);
  return g_test_run();
}
