/* SPDX-License-Identifier: MIT
 *
 * Streams that share a descriptor beside those of the C library: the same bytes, places and errors; files that change, and a drive that was away. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "host-support.h"
#include "slide/vt-shared-file.h"

#define N_BYTES 300001 /* no multiple of a block */
#define FRESH_MS 100   /* that a look at a file counts */

static char *
write_file(const char *folder, const char *name, gsize n, guint seed)
{
  char *path = g_build_filename(folder, name, NULL);
  g_autofree char *bytes = g_malloc(n + 1);
  g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
  for (gsize i = 0; i < n; i++)
    bytes[i] = g_rand_int_range(rand, 0, 60) == 0 ? '\n' : (char)g_rand_int_range(rand, 0, 256);
  g_assert_true(g_file_set_contents(path, bytes, (gssize)n, NULL));
  return path;
}

static void
assert_byte(const char *path, long at, const char *expected_path)
{
  g_autofree char *bytes = NULL;
  FILE *file = vt_shared_file_open(path);
  g_assert_nonnull(file);
  g_assert_true(g_file_get_contents(expected_path, &bytes, NULL, NULL));
  g_assert_cmpint(fseek(file, at, SEEK_SET), ==, 0);
  g_assert_cmpint(fgetc(file), ==, (guint8)bytes[at]);
  fclose(file);
}

/* Descriptors of this process that lead there. *last: one of them. */
static guint
count_descriptors(const char *path, int *last)
{
  g_autoptr(GDir) dir = g_dir_open("/proc/self/fd", 0, NULL);
  const char *name = NULL;
  guint n = 0;
  while ((name = g_dir_read_name(dir))) {
    g_autofree char *link = g_build_filename("/proc/self/fd", name, NULL), *target = g_file_read_link(link, NULL);
    if (!target || !g_str_equal(target, path))
      continue;
    *last = atoi(name);
    n++;
  }
  return n;
}

/* Some call on both, with the same answer. */
static void
step(FILE *ours, FILE *theirs, GRand *rand)
{
  static char rooms[2][40000];
  const gsize n = (gsize)g_rand_int_range(rand, 1, g_rand_boolean(rand) ? 40 : (gint)sizeof rooms[0]);
  const long place = g_rand_int_range(rand, -1000, N_BYTES + 20000);
  const int whence = g_rand_int_range(rand, 0, 3);
  switch (g_rand_int_range(rand, 0, 8)) {
  case 0: g_assert_cmpint(fgetc(ours), ==, fgetc(theirs)); break;
  case 1:
    g_assert_true((fgets(rooms[0], (int)n + 1, ours) != NULL) == (fgets(rooms[1], (int)n + 1, theirs) != NULL));
    break;
  case 2: {
    const int byte = fgetc(theirs);
    g_assert_cmpint(fgetc(ours), ==, byte);
    g_assert_cmpint(ungetc(byte, ours), ==, ungetc(byte, theirs));
    break;
  }
  case 3: rewind(ours), rewind(theirs); break;
  case 4:
  case 5: {
    const long offset = whence == SEEK_SET ? place : place % 5000;
    errno = 0;
    const int failed = fseek(theirs, offset, whence), why = errno;
    errno = 0;
    g_assert_cmpint(fseek(ours, offset, whence), ==, failed);
    g_assert_cmpint(errno, ==, why);
    break;
  }
  default:
    g_assert_cmpuint(fread(rooms[0], 1, n, ours), ==, fread(rooms[1], 1, n, theirs));
    g_assert_cmpmem(rooms[0], n, rooms[1], n);
  }
  g_assert_cmpint(ftell(ours), ==, ftell(theirs));
  g_assert_cmpint(feof(ours), ==, feof(theirs));
  g_assert_cmpint(ferror(ours), ==, ferror(theirs));
}

static void
compare(const char *path, guint seed)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
  for (guint turn = 0; turn < 40; turn++) {
    FILE *ours = vt_shared_file_open(path), *theirs = fopen(path, "rb");
    for (guint i = 0; i < 100; i++)
      step(ours, theirs, rand);
    g_assert_cmpint(fclose(ours), ==, 0);
    fclose(theirs);
  }
}

static void
test_same(void)
{
  g_autofree char *folder = make_folder(), *path = write_file(folder, "a", N_BYTES, 1);
  compare(path, 2);
  remove_folder(folder);
}

static char *threaded;

static gpointer
read_places(gpointer data)
{
  g_autofree char *bytes = NULL;
  g_autoptr(GRand) rand = g_rand_new_with_seed(GPOINTER_TO_UINT(data));
  g_assert_true(g_file_get_contents(threaded, &bytes, NULL, NULL));
  for (guint i = 0; i < 3000; i++) {
    char room[20000];
    FILE *file = vt_shared_file_open(threaded);
    const long at = g_rand_int_range(rand, 0, N_BYTES);
    const long wanted = g_rand_int_range(rand, 1, i % 2 ? 50 : (gint)sizeof room);
    const gsize n = (gsize)MIN(wanted, N_BYTES - at);
    g_assert_cmpint(fseek(file, at, SEEK_SET), ==, 0);
    g_assert_cmpuint(fread(room, 1, n, file), ==, n);
    g_assert_cmpmem(room, n, bytes + at, n);
    fclose(file);
    if (i % 500 == 0)
      vt_shared_file_forget_all();
  }
  return NULL;
}

static void
test_threads(void)
{
  g_autofree char *folder = make_folder();
  GThread *threads[4];
  threaded = write_file(folder, "a", N_BYTES, 1);
  for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
    threads[i] = g_thread_new("read", read_places, GUINT_TO_POINTER(i));
  for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
    g_thread_join(threads[i]);
  g_clear_pointer(&threaded, g_free);
  remove_folder(folder);
}

/* Of many opens one descriptor is left, and of many files some; after a word none. */
static void
test_descriptors(void)
{
  g_autofree char *folder = make_folder(), *path = write_file(folder, "a", N_BYTES, 1);
  FILE *held[20];
  int last = -1;
  for (guint i = 0; i < 1000; i++)
    assert_byte(path, i * 300, path);
  for (guint i = 0; i < G_N_ELEMENTS(held); i++)
    held[i] = vt_shared_file_open(path);
  g_assert_cmpuint(count_descriptors(path, &last), ==, 1);
  for (guint i = 0; i < 20; i++) {
    g_autofree char *name = g_strdup_printf("%u", i), *other = write_file(folder, name, 5000, i + 2);
    for (guint turn = 0; turn < 2; turn++)
      assert_byte(other, 4000, other);
  }
  guint n_open = 0;
  for (guint i = 0; i < 20; i++) {
    g_autofree char *name = g_strdup_printf("%u", i), *other = g_build_filename(folder, name, NULL);
    n_open += count_descriptors(other, &last);
  }
  g_assert_cmpuint(n_open, >, 1);
  g_assert_cmpuint(n_open, <, 10);
  vt_shared_file_forget_all();
  for (guint i = 0; i < 20; i++) {
    g_autofree char *name = g_strdup_printf("%u", i), *other = g_build_filename(folder, name, NULL);
    g_assert_cmpuint(count_descriptors(other, &last), ==, 0);
  }
  g_assert_cmpuint(count_descriptors(path, &last), ==, 1); /* of the streams that are still open */
  g_assert_cmpint(fgetc(held[0]), !=, EOF);
  for (guint i = 0; i < G_N_ELEMENTS(held); i++)
    fclose(held[i]);
  g_assert_cmpuint(count_descriptors(path, &last), ==, 0);
  remove_folder(folder);
}

static void
test_errors(void)
{
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "none", NULL),
                  *below = g_build_filename(folder, "empty", "x", NULL), *empty = write_file(folder, "empty", 0, 1);
  char room[8];
  const char *const none[] = { path, below };
  const int why[] = { ENOENT, ENOTDIR };
  for (guint i = 0; i < G_N_ELEMENTS(none); i++) {
    errno = 0;
    g_assert_null(vt_shared_file_open(none[i]));
    g_assert_cmpint(errno, ==, why[i]);
  }
  FILE *file = vt_shared_file_open(folder);
  errno = 0;
  g_assert_cmpuint(fread(room, 1, sizeof room, file), ==, 0);
  g_assert_cmpint(errno, ==, EISDIR);
  g_assert_true(ferror(file));
  fclose(file);
  file = vt_shared_file_open("/proc/self/status");
  g_assert_cmpint(fgetc(file), ==, 'N');
  fclose(file);
  file = vt_shared_file_open(empty);
  g_assert_cmpint(fgetc(file), ==, EOF);
  fclose(file);
  remove_folder(folder);
}

/* What lies at a path is looked at again after a moment, also by a stream that is open. */
static void
test_changed(void)
{
  g_autofree char *folder = make_folder(), *path = write_file(folder, "a", N_BYTES, 1),
                  *other = write_file(folder, "b", N_BYTES, 2), *copy = write_file(folder, "c", N_BYTES, 2);
  char room[10];
  assert_byte(path, 200000, path);
  g_assert_cmpint(rename(other, path), ==, 0);
  g_usleep(2 * FRESH_MS * 1000);
  assert_byte(path, 200000, copy);

  FILE *file = vt_shared_file_open(path);
  g_assert_cmpint(fgetc(file), !=, EOF);
  g_assert_cmpint(truncate(path, 1000), ==, 0);
  g_usleep(2 * FRESH_MS * 1000);
  g_assert_cmpint(fseek(file, 100000, SEEK_SET), ==, 0);
  g_assert_cmpuint(fread(room, 1, sizeof room, file), ==, 0);
  g_assert_true(feof(file));
  g_assert_cmpint(fseek(file, -sizeof room, SEEK_END), ==, 0);
  g_assert_cmpint(ftell(file), ==, 1000 - sizeof room);
  g_assert_cmpuint(fread(room, 1, sizeof room, file), ==, sizeof room);
  g_assert_cmpint(fgetc(file), ==, EOF);
  g_assert_cmpint(truncate(path, 2000), ==, 0);
  g_usleep(2 * FRESH_MS * 1000);
  g_assert_cmpint(fseek(file, 1500, SEEK_SET), ==, 0);
  g_assert_cmpint(fgetc(file), ==, 0);
  fclose(file);

  g_unlink(path);
  g_usleep(2 * FRESH_MS * 1000);
  g_assert_null(vt_shared_file_open(path));
  g_assert_cmpint(errno, ==, ENOENT);
  remove_folder(folder);
}

/* As of a drive that was taken away and given back: the descriptor fails, and the path leads to the file. Or to another one. */
static void
test_drive(void)
{
  g_autofree char *folder = make_folder(), *path = write_file(folder, "a", N_BYTES, 1),
                  *other = write_file(folder, "b", N_BYTES, 2);
  char room[20000];
  for (guint is_other = 0; is_other < 2; is_other++) {
    int descriptor = -1;
    vt_shared_file_forget_all();
    FILE *file = vt_shared_file_open(path);
    g_assert_cmpint(fgetc(file), !=, EOF);
    g_assert_cmpuint(count_descriptors(path, &descriptor), ==, 1);
    const int away = open("/", O_RDONLY | O_DIRECTORY);
    g_assert_cmpint(dup2(away, descriptor), ==, descriptor);
    close(away);
    if (is_other)
      g_assert_cmpint(rename(other, path), ==, 0);
    g_assert_cmpint(fseek(file, 100000, SEEK_SET), ==, 0);
    g_assert_cmpuint(fread(room, 1, sizeof room, file), ==, is_other ? 0 : sizeof room);
    g_assert_true((ferror(file) != 0) == (is_other == 1));
    fclose(file);
    compare(path, 3); /* the next open finds what is there */
  }
  remove_folder(folder);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/shared-file/same", test_same);
  g_test_add_func("/shared-file/threads", test_threads);
  g_test_add_func("/shared-file/descriptors", test_descriptors);
  g_test_add_func("/shared-file/errors", test_errors);
  g_test_add_func("/shared-file/changed", test_changed);
  g_test_add_func("/shared-file/drive", test_drive);
  return g_test_run();
}
