/* SPDX-License-Identifier: MIT
 *
 * All tiles of a slide's first level, by so many threads at once: in the program itself and by a reader process, turn about, so that both see the same
 * machine. */
#include <stdio.h>

#include "slide/vt-reader-private.h"
#include "view-bench.h"

typedef struct {
  const char *name;
  gboolean is_apart;
  guint n_threads;
  GArray *rates, *shares; /* of double, of each turn: level-0 megapixels a second; as a multiple of the first way's */
} Way;

typedef struct {
  VtSlide *slide;
  gint64 n_columns, n_rows;
  gint next; /* atomic: the first tile that no thread has taken */
} Reading;

static gpointer
read_some(gpointer data)
{
  Reading *reading = data;
  for (gint64 i = 0; (i = g_atomic_int_add(&reading->next, 1)) < reading->n_columns * reading->n_rows;) {
    g_autoptr(GError) error = NULL;
    g_autoptr(VtTilePixels) tile =
      vt_slide_read_tile(reading->slide, 0, i % reading->n_columns, i / reading->n_columns, NULL, &error);
    if (!tile)
      g_error("%s", error->message);
  }
  return NULL;
}

/* Of a slide that is opened for it: nothing of it is in a cache. */
static void
read_once(const char *path, const Way *way, const char *reader)
{
  g_autoptr(GError) error = NULL;
  gint64 width = 0, height = 0;
  vt_reader_set_program(way->is_apart ? reader : NULL);
  g_autoptr(VtSlide) slide = vt_slide_open(path, &error);
  if (!slide)
    g_error("%s", error->message);
  vt_slide_get_level_size(slide, 0, &width, &height);
  Reading reading = { slide, (width + VT_TILE_PX - 1) / VT_TILE_PX, (height + VT_TILE_PX - 1) / VT_TILE_PX, 0 };
  g_autofree GThread **threads = g_new(GThread *, way->n_threads);
  const gint64 start = g_get_monotonic_time();
  for (guint i = 0; i < way->n_threads; i++)
    threads[i] = g_thread_new("read", read_some, &reading);
  for (guint i = 0; i < way->n_threads; i++)
    g_thread_join(threads[i]);
  const double rate = (double)width * (double)height / (double)(g_get_monotonic_time() - start);
  g_array_append_val(way->rates, rate);
}

static void
print(const Way *way)
{
  printf("| %s | %.1f | %.1f | %.2f | %.2f | %.2f |\n", way->name, view_quantile(way->rates, 0.5),
         view_quantile(way->rates, 0.9), view_quantile(way->shares, 0.25), view_quantile(way->shares, 0.5),
         view_quantile(way->shares, 0.75));
}

int
view_read(const char *slide, guint n)
{
  const guint n_cpus = g_get_num_processors();
  Way ways[] = { { "in the program, a thread for each processor", FALSE, n_cpus, NULL, NULL },
                 { "in the program, twice as many", FALSE, 2 * n_cpus, NULL, NULL },
                 { "by a reader, a thread for each processor", TRUE, n_cpus, NULL, NULL },
                 { "by a reader, two more", TRUE, n_cpus + 2, NULL, NULL },
                 { "by a reader, twice as many", TRUE, 2 * n_cpus, NULL, NULL } };
  g_autofree char *reader = g_strdup(g_getenv("READER"));
  if (!reader) {
    fprintf(stderr, "view-bench read: READER names the program vitrail-reader.\n");
    return 2;
  }
  for (guint i = 0; i < G_N_ELEMENTS(ways); i++) {
    ways[i].rates = g_array_new(FALSE, FALSE, sizeof(double));
    ways[i].shares = g_array_new(FALSE, FALSE, sizeof(double));
  }
  for (guint turn = 0; turn < n; turn++) {
    for (guint i = 0; i < G_N_ELEMENTS(ways); i++)
      read_once(slide, &ways[(i + turn) % G_N_ELEMENTS(ways)], reader);
    for (guint i = 0; i < G_N_ELEMENTS(ways); i++) {
      const double share = g_array_index(ways[i].rates, double, turn) / g_array_index(ways[0].rates, double, turn);
      g_array_append_val(ways[i].shares, share);
    }
  }
  printf(
    "| where, by %u processors | Mpx/s: median | best tenth | times the first in its turn: quarter | median | three "
    "quarters |\n| --- | --: | --: | --: | --: | --: |\n",
    n_cpus);
  for (guint i = 0; i < G_N_ELEMENTS(ways); i++) {
    print(&ways[i]);
    g_array_unref(ways[i].rates);
    g_array_unref(ways[i].shares);
  }
  return 0;
}
