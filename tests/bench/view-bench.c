/* SPDX-License-Identifier: MIT
 *
 * view-bench CASE [SLIDE] [N]: what the window does, timed without one; see the table. */
#include "view-bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name, *what;
  gboolean needs_slide;
  guint n;
  int (*run)(const char *slide, guint n);
} cases[] = {
  { "objects", "the index and the pictures of N made-up nuclei", FALSE, 1000000, view_objects },
  { "layers", "eight layers over a moving view for N seconds at each power; needs a display", TRUE, 10, view_layers },
  { "regions", "outlines of regions over a moving view, up to N corners; needs a display", FALSE, 25000, view_regions },
  { "score", "the live score of a 1080p view: N objects against as many true ones", FALSE, 3000, view_score },
  { "score-runs", "live analysis of a 1080p view and its score after N changes, from outlines and from counted pairs",
    TRUE, 24, view_score_runs },
  { "live", "live analysis after N moves, and N changes of each parameter", TRUE, 9, view_live },
#ifdef HAVE_READER
  { "open",
    "from asking for a slide to its first picture, N times in the program and N times by a reader; READER names that",
    TRUE, 50, view_open },
  { "read", "all tiles of a slide's first level, N times in the program and N times by a reader; READER names that",
    TRUE, 9, view_read },
#endif
};

static int
compare(gconstpointer a, gconstpointer b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double
view_quantile(GArray *values, double q)
{
  g_array_sort(values, compare);
  return g_array_index(values, double, (guint)floor(q * (values->len - 1) + 0.5));
}

int
main(int argc, char **argv)
{
  for (guint i = 0; i < G_N_ELEMENTS(cases) && argc > 1; i++) {
    const int at = cases[i].needs_slide ? 3 : 2;
    if (strcmp(argv[1], cases[i].name) == 0 && argc >= at)
      return cases[i].run(cases[i].needs_slide ? argv[2] : NULL, argc > at ? (guint)atoi(argv[at]) : cases[i].n);
  }
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
    fprintf(stderr, "view-bench %s%s [N=%u]: %s\n", cases[i].name, cases[i].needs_slide ? " SLIDE" : "", cases[i].n,
            cases[i].what);
  return 2;
}
