/* SPDX-License-Identifier: MIT
 *
 * From asking for a slide to its first picture, which is its coarsest level: in the program itself and by a reader that is held ready,
 * turn about, so that both see the same machine. */
#include <stdio.h>

#include "slide/vt-colour-table.h"
#include "slide/vt-reader-private.h"
#include "slide/vt-reader.h"
#include "slide/vt-slide.h"
#include "view-bench.h"

#define READY_MS 400 /* until a reader is ready for the next turn */

typedef struct {
  GArray *open, *first; /* of double: milliseconds until the slide is open, and until its first picture is there */
} Times;

static double
ms_since(gint64 start)
{
  return (double)(g_get_monotonic_time() - start) / 1000;
}

static void
open_once(const char *path, const Times *times)
{
  g_autoptr(GError) error = NULL;
  const gint64 start = g_get_monotonic_time();
  g_autoptr(VtSlide) slide = vt_slide_open(path, &error);
  if (!slide)
    g_error("%s", error->message);
  const double open_ms = ms_since(start);
  g_autoptr(VtTilePixels) tile = vt_slide_read_tile(slide, vt_slide_get_n_stored_levels(slide) - 1, 0, 0, NULL, &error);
  if (!tile)
    g_error("%s", error->message);
  const double first_ms = ms_since(start);
  g_array_append_val(times->open, open_ms);
  g_array_append_val(times->first, first_ms);
}

static void
print(const char *name, const Times *times)
{
  printf("| %s | %.2f | %.2f | %.2f | %.2f |\n", name, view_quantile(times->open, 0.5),
         view_quantile(times->first, 0.1), view_quantile(times->first, 0.5), view_quantile(times->first, 0.9));
}

int
view_open(const char *slide, guint n)
{
  Times times[2];
  for (guint i = 0; i < G_N_ELEMENTS(times); i++)
    times[i] = (Times){ g_array_new(FALSE, FALSE, sizeof(double)), g_array_new(FALSE, FALSE, sizeof(double)) };
  g_autofree char *reader = g_strdup(g_getenv("READER"));
  if (!reader) {
    fprintf(stderr, "view-bench open: READER names the program vitrail-reader.\n");
    return 2;
  }
  vt_slide_set_colour_table_maker(vt_colour_table_new); /* as the window does, and the reader always */
  for (guint i = 0; i < n; i++) {
    for (guint apart = 0; apart < G_N_ELEMENTS(times); apart++) {
      vt_reader_set_program(apart ? reader : NULL);
      vt_reader_prepare();
      g_usleep(READY_MS * 1000);
      open_once(slide, &times[apart]);
    }
  }
  printf(
    "| where | open, ms | first picture, ms: best tenth | median | worst tenth |\n| --- | --: | --: | --: | --: |\n");
  print("in the program", &times[0]);
  print("by a reader", &times[1]);
  printf("\nFirst picture by a reader: %.2f times.\n",
         view_quantile(times[1].first, 0.5) / view_quantile(times[0].first, 0.5));
  for (guint i = 0; i < G_N_ELEMENTS(times); i++) {
    g_array_unref(times[i].open);
    g_array_unref(times[i].first);
  }
  return 0;
}
