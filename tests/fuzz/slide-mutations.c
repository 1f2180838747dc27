/* SPDX-License-Identifier: MIT
 *
 * Slides damaged where it hurts, the same ones each time: entries of their TIFF directories (values, counts, types, offsets, links), bytes, the
 * end. Each is opened by a reader process and tiles of it are read. Whatever happens there, here it is a tile or a sentence.
 * usage: slide-mutations READER COUNT FIRST SLIDE...
 *        slide-mutations --write FOLDER COUNT FIRST SLIDE...   writes them there, for others to read */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glib/gstdio.h>

#include "slide/vt-reader-private.h"

#define MOST_TILES 6

typedef struct {
  char *name;
  guint8 *bytes;
  gsize n;
} Source;

static Source *sources;
static int n_sources, count, first;
static gint next, n_opened, n_refused, n_gone, n_bad;
static char *folder;
static gboolean only_writes;

/* --- TIFF, of either size --- */

typedef struct {
  guint8 *bytes;
  gsize n;
  gboolean is_big, is_swapped;
} File;

static guint64
get(const File *f, gsize at, int width)
{
  guint64 value = 0;
  if (at > f->n || f->n - at < (gsize)width)
    return 0;
  for (int i = 0; i < width; i++)
    value |= (guint64)f->bytes[at + (gsize)(f->is_swapped ? width - 1 - i : i)] << (8 * i);
  return value;
}

static void
put(const File *f, gsize at, int width, guint64 value)
{
  if (at > f->n || f->n - at < (gsize)width)
    return;
  for (int i = 0; i < width; i++)
    f->bytes[at + (gsize)(f->is_swapped ? width - 1 - i : i)] = (guint8)(value >> (8 * i));
}

/* Where the directories begin. */
static guint
find_directories(const File *f, gsize *places, guint most)
{
  const int wide = f->is_big ? 8 : 4, head = f->is_big ? 8 : 2, entry = f->is_big ? 20 : 12;
  gsize at = get(f, f->is_big ? 8 : 4, wide);
  guint n = 0;
  while (at > 0 && at < f->n && n < most) {
    places[n++] = at;
    at = get(f, at + (gsize)head + get(f, at, head) % 256 * (gsize)entry, wide);
  }
  return n;
}

static guint64
draw_number(GRand *rand, gsize n)
{
  static const guint64 nasty[] = { 0,          1,          2,       3,      7,     15,         16,
                                   17,         255,        256,     65535,  65536, 0x7fffffff, 0x80000000,
                                   0xffffffff, 0x7fff0000, 1 << 24, 100000, 46341, 1 << 20 };
  return g_rand_int_range(rand, 0, 5) > 0 ? nasty[g_rand_int_range(rand, 0, G_N_ELEMENTS(nasty))]
                                          : g_rand_int(rand) % (n + 2);
}

/* Tags on which decoders rely: sizes, compression, places and lengths of tiles, tables. */
static gsize
choose_entry(const File *f, GRand *rand, gsize directory)
{
  static const guint tags[] = { 256, 257, 258, 259, 262, 273, 277, 279, 284, 322, 323, 324, 325, 330, 339, 347, 530 };
  const int head = f->is_big ? 8 : 2, entry = f->is_big ? 20 : 12;
  const guint n = (guint)(get(f, directory, head) % 256), wanted = tags[g_rand_int_range(rand, 0, G_N_ELEMENTS(tags))];
  gsize at = directory + (gsize)head + (n > 0 ? g_rand_int(rand) % n : 0) * (gsize)entry;
  for (guint i = 0; i < n && g_rand_boolean(rand); i++)
    if (get(f, directory + (gsize)head + i * (gsize)entry, 2) == wanted)
      at = directory + (gsize)head + i * (gsize)entry;
  return at;
}

static void
damage_entry(const File *f, GRand *rand)
{
  gsize places[16];
  const guint n = find_directories(f, places, G_N_ELEMENTS(places));
  if (n == 0)
    return;
  const int wide = f->is_big ? 8 : 4, head = f->is_big ? 8 : 2, entry = f->is_big ? 20 : 12;
  const gsize directory = places[g_rand_int(rand) % n], at = choose_entry(f, rand, directory);
  const gsize value = at + (f->is_big ? 12 : 8),
              end = directory + (gsize)head + get(f, directory, head) % 256 * (gsize)entry;
  const guint64 number = draw_number(rand, f->n);
  switch (g_rand_int_range(rand, 0, 12)) {
  case 0: put(f, at + 2, 2, (guint64)g_rand_int_range(rand, 0, 20)); break; /* its type */
  case 1:
  case 2: put(f, at + 4, wide, number); break; /* its count */
  case 3:
    put(f, end, wide, g_rand_boolean(rand) ? places[g_rand_int(rand) % n] : number);
    break;                                                                 /* the next directory */
  case 4: put(f, at, 2, (guint64)g_rand_int_range(rand, 254, 350)); break; /* its tag */
  case 5: put(f, directory, head, number % 70000); break;                  /* how many entries there are */
  case 6:                                                                  /* a value that lies elsewhere */
    put(f, (gsize)get(f, value, wide) + 4 * (gsize)g_rand_int_range(rand, 0, 16), wide, number);
    break;
  default: put(f, value, get(f, at + 2, 2) == 3 ? 2 : wide, number); break;
  }
}

static void
mutate(File *f, GRand *rand)
{
  const int kind = g_rand_int_range(rand, 0, 8);
  f->is_swapped = f->bytes[0] == 'M';
  f->is_big = get(f, 2, 2) == 43;
  if (kind == 0) {
    f->n = g_rand_int(rand) % f->n;
    return;
  }
  for (int i = g_rand_int_range(rand, 1, 5); i > 0; i--) {
    if (kind > 1)
      damage_entry(f, rand);
    else
      f->bytes[g_rand_int(rand) % f->n] = (guint8)g_rand_int(rand);
  }
}

/* --- reading --- */

static void
check(const char *path, int index, GError **error)
{
  const char *text = *error ? (*error)->message : NULL;
  if (!text || !g_str_has_suffix(text, ".") || strchr(text, '\n')) {
    printf("%d (%s): no sentence: %s\n", index, path, text ? text : "nothing");
    g_atomic_int_inc(&n_bad);
  } else if (strstr(text, "the process that")) {
    g_atomic_int_inc(&n_gone);
  }
  g_clear_error(error);
}

static void
read_tiles(VtSlide *slide, const char *path, int index, GRand *rand)
{
  for (int i = 0; i < MOST_TILES; i++) {
    g_autoptr(GError) error = NULL;
    gint64 width = 0, height = 0;
    const int level = g_rand_int_range(rand, 0, vt_slide_get_n_stored_levels(slide));
    vt_slide_get_level_size(slide, level, &width, &height);
    g_autoptr(VtTilePixels) tile = vt_slide_read_tile(slide, level, g_rand_int(rand) % ((width - 1) / VT_TILE_PX + 1),
                                                      g_rand_int(rand) % ((height - 1) / VT_TILE_PX + 1), NULL, &error);
    if (!tile)
      check(path, index, &error);
  }
}

static void
open_one(const char *path, int index, GRand *rand)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(VtSlide) slide = vt_slide_open(path, &error);
  g_atomic_int_inc(slide ? &n_opened : &n_refused);
  if (slide && vt_slide_get_exposed(slide)) {
    printf("%d: %s\n", index, vt_slide_get_exposed(slide));
    g_atomic_int_inc(&n_bad);
  }
  if (slide)
    read_tiles(slide, path, index, rand);
  else
    check(path, index, &error);
  g_unlink(path);
}

static void
try_one(int index)
{
  const Source *source = &sources[index % n_sources];
  GRand *rand = g_rand_new_with_seed((guint32)index);
  File file = { g_memdup2(source->bytes, source->n), source->n, FALSE, FALSE };
  g_autofree char *path = g_strdup_printf("%s/%d-%s", folder, index, source->name);
  mutate(&file, rand);
  g_file_set_contents(path, (const char *)file.bytes, (gssize)file.n, NULL);
  if (!only_writes)
    open_one(path, index, rand);
  g_free(file.bytes);
  g_rand_free(rand);
}

static gpointer
work(gpointer unused)
{
  for (int i; (i = g_atomic_int_add(&next, 1)) < count;)
    try_one(first + i);
  return NULL;
}

int
main(int argc, char **argv)
{
  GThread *threads[2];
  only_writes = argc > 1 && g_str_equal(argv[1], "--write");
  argc -= only_writes;
  argv += only_writes;
  if (argc < 5)
    return 2;
  vt_reader_set_program(argv[1]);
  vt_reader_process_set_patience(5, 60);
  vt_tile_cache_set_budget(0);
  count = atoi(argv[2]);
  first = atoi(argv[3]);
  folder = only_writes ? argv[1] : g_dir_make_tmp("vitrail-mutations-XXXXXX", NULL);
  sources = g_new0(Source, argc - 4);
  for (int i = 4; i < argc; i++) {
    Source *source = &sources[n_sources];
    if (!g_file_get_contents(argv[i], (char **)&source->bytes, &source->n, NULL))
      continue;
    source->name = g_path_get_basename(argv[i]);
    n_sources++;
  }
  if (n_sources == 0)
    return 2;
  for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
    threads[i] = g_thread_new("mutations", work, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
    g_thread_join(threads[i]);
  if (only_writes)
    return EXIT_SUCCESS;
  g_rmdir(folder);
  printf("%d mutations of %d slides from seed %d: %d opened, %d refused; %d times a reader process ended; %d without a "
         "sentence\n",
         count, n_sources, first, n_opened, n_refused, n_gone, n_bad);
  return n_bad > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
