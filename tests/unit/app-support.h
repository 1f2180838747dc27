/* SPDX-License-Identifier: MIT
 *
 * What tests of the analysis without a window share. */
#pragma once
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
