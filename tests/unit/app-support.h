/* SPDX-License-Identifier: MIT
 *
 * What tests of the analysis without a window share. */
#pragma once
#include <glib/gstdio.h>

#include "analysis/vt-review.h"

#define WAIT_S 400 /* far more than it takes, under sanitizers too */

/* Lets the main loop go on until done(data). */
static inline void
spin_until(gboolean (*done)(gpointer data), gpointer data)
{
  const gint64 end = g_get_monotonic_time() + WAIT_S * G_USEC_PER_SEC;
  while (!done(data)) {
    g_assert_cmpint(g_get_monotonic_time(), <, end);
    g_main_context_iteration(NULL, FALSE);
    g_usleep(300);
  }
}

static inline gboolean
is_measured(gpointer review)
{
  guint n_done, n_all;
  return !vt_review_is_measuring(review, &n_done, &n_all);
}

/* A fresh folder, which is also the cache of this process, and the made-up slide in it. */
static char *folder, *slide_path;

/* argv[1] makes the slide. */
static inline void
begin_with_slide(int *argc, char ***argv, const char *size)
{
  folder = g_dir_make_tmp("vitrail-test-XXXXXX", NULL);
  g_setenv("XDG_CACHE_HOME", folder, TRUE);
  g_test_init(argc, argv, NULL);
  slide_path = g_build_filename(folder, "demo.svs", NULL);
  const char *const make[] = { (*argv)[1], slide_path, "--size", size, NULL };
  g_assert_true(
    g_spawn_sync(NULL, (char **)make, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, NULL, NULL, NULL));
}

/* `status`, or 1: something is left in the folder. */
static inline int
end_with_slide(int status)
{
  g_autofree char *ours = g_build_filename(folder, "vitrail", NULL);
  g_autofree char *verdicts = g_build_filename(ours, "plugins.ini", NULL);
  g_unlink(slide_path);
  g_unlink(verdicts);
  g_rmdir(ours);
  const gboolean is_empty = g_rmdir(folder) == 0;
  g_free(slide_path);
  g_free(folder);
  return is_empty ? status : 1;
}
