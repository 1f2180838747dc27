/* SPDX-License-Identifier: MIT
 *
 * Text that goes to its file piece by piece, images, and memory that a file stands behind; all where the disk is full. */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <glib/gstdio.h>
#include <unistd.h>

#include "host-support.h"
#include "base/vt-arena.h"
#include "base/vt-file-private.h"
#include "raster/vt-raster.h"
#include "run/vt-run.h"

static gboolean
write_lines(const char *path, guint n, GString *expected, GError **error)
{
  VtTextFile *file = vt_text_file_new(path, error);
  if (!file)
    return FALSE;
  for (guint i = 0; i < n; i++) {
    g_string_append_printf(file->text, "line %u\n", i);
    g_string_append_printf(expected, "line %u\n", i);
    vt_text_file_pass_on(file);
    g_assert_cmpuint(file->text->len, <, 2 << 20);
  }
  return vt_text_file_close(file, error);
}

/* What is shown of a name, and of a path that ends with it. */
static void
test_shown(void)
{
  static const struct {
    const char *name, *shown;
  } names[] = {
    { "nuclei.recipe.json", "nuclei.recipe.json" },
    { "Gewebe äöü 組織.svs", "Gewebe äöü 組織.svs" },
    { "a\xE2\x80\xAEgpj.svs", "a�gpj.svs" }, /* right-to-left override */
    { "\xE2\x81\xA6x\xE2\x81\xA9", "�x�" },  /* isolates */
    { "a\nb\r\tc", "a�b��c" },
    { "\033[31mred\177", "�[31mred�" },
    { "\xC2\x9B"
      "2J",
      "�2J" },                                            /* the escape of eight bits */
    { "two\xE2\x80\xA8lines\xE2\x80\xA9", "two�lines�" }, /* separators of lines and paragraphs */
    { "caf\xE9", "caf�" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree char *path = g_build_filename("/folder", names[i].name, NULL);
    g_autofree char *name = vt_error_dup_name(path), *whole = vt_error_dup_path(path);
    g_autofree char *expected = g_build_filename("/folder", names[i].shown, NULL);
    g_assert_cmpstr(name, ==, names[i].shown);
    g_assert_cmpstr(whole, ==, expected);
  }
}

static void
test_text(void)
{
  g_autofree char *folder = make_folder();
  g_autofree char *path = g_build_filename(folder, "a.txt", NULL);
  const guint sizes[] = { 0, 1, 1000, 500000 };
  for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
    g_autoptr(GString) expected = g_string_new(NULL);
    g_autoptr(GError) error = NULL;
    g_autofree char *text = NULL;
    gsize length = 0;
    g_assert_true(write_lines(path, sizes[i], expected, &error));
    g_assert_true(g_file_get_contents(path, &text, &length, NULL));
    g_assert_cmpmem(text, length, expected->str, expected->len);
    g_assert_cmpuint(count_files(folder), ==, 1);
  }
}

static void
test_text_fails(void)
{
  g_autofree char *folder = make_folder();
  g_autofree char *path = g_build_filename(folder, "a.txt", NULL);
  g_autofree char *nowhere = g_build_filename(folder, "none", "a.txt", NULL);
  g_autoptr(GString) expected = g_string_new(NULL);
  g_autoptr(GError) error = NULL;
  g_assert_false(write_lines(nowhere, 3, expected, &error));
  g_assert_nonnull(strstr(error->message, "none/a.txt cannot be written: "));
  g_clear_error(&error);
  limit_files(65536);
  const gboolean written = write_lines(path, 500000, expected, &error);
  limit_files(0);
  g_assert_false(written);
  g_assert_true(strstr(error->message, "a.txt cannot be written: ") && strstr(error->message, g_strerror(EFBIG)));
  g_assert_cmpuint(count_files(folder), ==, 0);
}

static void
append_piece(GString *text, guint piece, gconstpointer user)
{
  for (guint i = 0; i < piece % 7 * *(const guint *)user; i++)
    g_string_append_printf(text, "piece %u, %u\n", piece, i);
}

/* The same text for any number of threads, in order. */
static void
test_pieces(void)
{
  g_autofree char *folder = make_folder();
  g_autofree char *path = g_build_filename(folder, "a.txt", NULL);
  const guint n_lines = 2000, sizes[] = { 0, 1, 32, 100 };
  for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++)
    for (guint n_threads = 1; n_threads <= 3; n_threads++) {
      g_autoptr(GString) expected = g_string_new("head\n");
      g_autofree char *text = NULL;
      gsize length = 0;
      for (guint piece = 0; piece < sizes[i]; piece++)
        append_piece(expected, piece, &n_lines);
      VtTextFile *file = vt_text_file_new(path, NULL);
      g_string_append(file->text, "head\n");
      vt_text_file_append_pieces(file, n_threads, sizes[i], append_piece, &n_lines);
      g_assert_true(vt_text_file_close(file, NULL));
      g_assert_true(g_file_get_contents(path, &text, &length, NULL));
      g_assert_cmpmem(text, length, expected->str, expected->len);
    }
}

/* The shortest text of at least six digits that reads back, by trying them all. */
static void
assert_number(double value)
{
  g_autoptr(GString) text = g_string_new(NULL);
  char expected[G_ASCII_DTOSTR_BUF_SIZE], format[8];
  if (isinf(value))
    return;
  for (int digits = 6; digits <= 17; digits++) {
    g_snprintf(format, sizeof format, "%%.%dg", digits);
    g_ascii_formatd(expected, sizeof expected, format, value);
    if (g_ascii_strtod(expected, NULL) == value)
      break;
  }
  vt_text_append_double(text, value);
  g_assert_cmpstr(text->str, ==, expected);
}

static void
test_numbers(void)
{
  const double edges[] = { 0,         -0.0,       0.005,       1e-4, 9.9999999999999991e-5,
                           999999.99, 999999.995, 1e6 - 1e-10, 1e6,  123456.7,
                           1234567.5, 0.1 + 0.2,  1.0 / 3,     100,  1e5,
                           1e21,      5e-324,     DBL_MAX,     0.29, 4503599627.37 };
  g_autoptr(GRand) rand = g_rand_new_with_seed(5);
  for (gsize i = 0; i < G_N_ELEMENTS(edges); i++) {
    assert_number(edges[i]);
    assert_number(-edges[i]);
    assert_number(nextafter(edges[i], INFINITY));
    assert_number(nextafter(edges[i], -INFINITY));
  }
  for (int i = -60; i < 60; i++) {
    assert_number(ldexp(1, i));
    assert_number(nextafter(ldexp(1, i), 0));
    assert_number(nextafter(ldexp(1, i), INFINITY));
  }
  for (int i = 0; i < 20000; i++) {
    const double value = g_rand_double_range(rand, -1, 1) * pow(10, g_rand_int_range(rand, -6, 9));
    const double unit = pow(10, g_rand_int_range(rand, 0, 6));
    assert_number(value);
    assert_number(round(value * unit) / unit);
    assert_number((double)(float)value);
  }
}

/* An image that cannot be written leaves a sentence, and no file. */
static void
test_images_fail(void)
{
  g_autofree char *folder = make_folder();
  g_autofree char *path = g_build_filename(folder, "a", NULL);
  g_autoptr(VtRaster) raster = vt_raster_new(VITRAIL_RGBA8, 900, 700, NULL);
  for (int i = 0; i < 900 * 700 * 4; i++)
    raster->data[i] = (guint8)g_test_rand_int();
  for (int i = 0; i < 2; i++) {
    g_autoptr(GError) error = NULL;
    limit_files(65536);
    const gboolean written = i == 0 ? vt_raster_write_tiff(raster, &(VtTiffOptions){ .n_threads = 2 }, path, &error)
                                    : vt_png_write_rgba(path, raster->data, 900, 700, 2, &error);
    limit_files(0);
    g_assert_false(written);
    g_assert_nonnull(strstr(error->message, "/a cannot be written"));
    g_assert_cmpuint(count_files(folder), ==, 0);
  }
}

static void
test_arena(void)
{
  g_autofree char *folder = make_folder();
  g_autoptr(GError) error = NULL;
  g_autoptr(GRand) rand = g_rand_new_with_seed(3);
  g_autoptr(GArray) sizes = g_array_new(FALSE, FALSE, sizeof(gsize));
  g_autoptr(GPtrArray) taken = g_ptr_array_new();
  VtArena *arena = vt_arena_new(folder, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(count_files(folder), ==, 0);
  for (guint i = 0; i < 4000; i++) {
    const gsize size = i == 2000 ? (gsize)40 << 20 : (gsize)g_rand_int_range(rand, 0, 20000);
    guint8 *memory = vt_arena_take(arena, size, &error);
    g_assert_true(memory && (gsize)memory % 8 == 0);
    memset(memory, (int)(i % 251), size);
    g_array_append_val(sizes, size);
    g_ptr_array_add(taken, memory);
    if (i % 977 == 0)
      vt_arena_rest(arena);
  }
  for (guint i = 0; i < taken->len; i++) {
    const guint8 *memory = g_ptr_array_index(taken, i);
    for (gsize k = 0; k < g_array_index(sizes, gsize, i); k++)
      if (memory[k] != i % 251)
        g_error("byte %" G_GSIZE_FORMAT " of piece %u has changed", k, i);
  }
  vt_arena_free(arena);
}

static void
test_arena_fails(void)
{
  g_autofree char *folder = make_folder();
  g_autofree char *nowhere = g_build_filename(folder, "none", NULL);
  g_autoptr(GError) error = NULL;
  g_assert_null(vt_arena_new(nowhere, &error));
  g_assert_nonnull(strstr(error->message, "Scratch files in "));
  g_clear_error(&error);
  VtArena *arena = vt_arena_new(folder, &error);
  guint8 *first = vt_arena_take(arena, 10, &error);
  *first = 7;
  limit_files((rlim_t)20 << 20);
  gpointer second = vt_arena_take(arena, (gsize)30 << 20, &error);
  limit_files(0);
  g_assert_null(second);
  g_assert_nonnull(strstr(error->message, "cannot be written: "));
  g_assert_cmpint(*first, ==, 7);
  g_assert_nonnull(vt_arena_take(arena, 10, NULL));
  vt_arena_free(arena);
}

static void
test_object(void)
{
  const guint32 rings[2] = { 3, 4 };
  const double points[14] = { 0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13.25 }, values[1] = { 0.1 };
  const char *const names[1] = { g_intern_static_string("Area") };
  const VtObject object = { .id = 5,
                            .n_rings = 2,
                            .n_measurements = 1,
                            .n_points = 7,
                            .ring_sizes = rings,
                            .points = points,
                            .measurements = values,
                            .measurement_names = names };
  g_autofree VtObject *copy = vt_object_copy(&object);
  g_assert_cmpint(copy->id, ==, 5);
  g_assert_cmpmem(copy->ring_sizes, sizeof rings, rings, sizeof rings);
  g_assert_cmpmem(copy->points, sizeof points, points, sizeof points);
  g_assert_cmpmem(copy->measurements, sizeof values, values, sizeof values);
  g_assert_true(copy->measurement_names[0] == names[0] && copy->measurement_names != names);
}

/* Of files of any size, also a block and a byte more. */
static void
test_sha256(void)
{
  static const gsize sizes[] = { 0, 1, 63, 64, 65, 1000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1 };
  g_autofree char *path = g_strdup_printf("%s/hash-%d", g_get_tmp_dir(), (int)getpid());
  g_autofree guint8 *data = g_malloc((1 << 20) + 1);
  for (gsize i = 0; i <= 1 << 20; i++)
    data[i] = (guint8)g_test_rand_int_range(0, 256);
  for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
    guint64 bytes;
    g_assert_true(g_file_set_contents(path, (const char *)data, (gssize)sizes[i], NULL));
    g_autofree char *digits = vt_file_dup_sha256(path, &bytes, NULL),
                    *wanted = g_compute_checksum_for_data(G_CHECKSUM_SHA256, data, sizes[i]);
    g_assert_cmpstr(digits, ==, wanted);
    g_assert_cmpuint(bytes, ==, sizes[i]);
  }
  g_unlink(path);
}

/* What errno says at an abort is why only where nothing was said of it since. */
static void
abort_after(const char *what)
{
  if (!g_test_subprocess()) {
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_failed();
    return;
  }
  vt_error_end_without_memory("test");
  errno = ENOMEM;
  if (g_str_equal(what, "sentence"))
    vt_error_set(NULL, VITRAIL_OUT_OF_MEMORY, "There is not enough memory.");
  else if (g_str_equal(what, "bug"))
    g_error("something else");
  else if (g_str_equal(what, "own")) /* as vt_sha256_new() ends */
    g_error("failed to allocate a SHA-256: no memory");
  abort();
}

static void
test_abort_refused(void)
{
  abort_after("nothing");
  g_test_trap_assert_stderr("*test: A library ended the program; *refused memory.*");
}

static void
test_abort_later(void)
{
  abort_after("sentence");
  g_test_trap_assert_stderr_unmatched("*memory*");
}

static void
test_abort_bug(void)
{
  abort_after("bug");
  g_test_trap_assert_stderr_unmatched("*memory*");
  g_test_trap_assert_stderr("*something else*");
}

static void
test_abort_own(void)
{
  abort_after("own");
  g_test_trap_assert_stderr("*test: There is not enough memory.*");
}

int
main(int argc, char *argv[])
{
  g_test_init(&argc, &argv, NULL);
  signal(SIGXFSZ, SIG_IGN);
  g_test_add_func("/file/shown", test_shown);
  g_test_add_func("/file/text", test_text);
  g_test_add_func("/file/text-fails", test_text_fails);
  g_test_add_func("/file/pieces", test_pieces);
  g_test_add_func("/file/numbers", test_numbers);
  g_test_add_func("/file/images-fail", test_images_fail);
  g_test_add_func("/file/arena", test_arena);
  g_test_add_func("/file/arena-fails", test_arena_fails);
  g_test_add_func("/file/object", test_object);
  g_test_add_func("/file/abort-refused", test_abort_refused);
  g_test_add_func("/file/abort-later", test_abort_later);
  g_test_add_func("/file/abort-bug", test_abort_bug);
  g_test_add_func("/file/abort-own", test_abort_own);
  g_test_add_func("/file/sha256", test_sha256);
  return g_test_run();
}
