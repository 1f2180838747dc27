/* SPDX-License-Identifier: MIT
 *
 * How far a run is, for people: from what the plugin tells (VtRunProgress), the percentage and the time that is left. One for
 * each run; one thread at a time. */
#pragma once
#include <glib.h>

/* All zero: nothing was told yet. */
typedef struct {
  gint64 start_us;        /* when the first word came; 0: none yet */
  double first, furthest; /* fractions; what the first word says was taken up, so it does not count as speed */
  gint64 furthest_us;     /* when it got that far */
} VtProgress;

/* Takes a fraction (0..1) told at a time (g_get_monotonic_time()). It never goes back. */
void vt_progress_take(VtProgress *progress, double fraction, gint64 now_us);
/* Seconds that are left, by the speed so far, less what has passed since the last word; -1: nobody can know yet. */
double vt_progress_get_seconds_left(const VtProgress *progress, gint64 now_us);
/* "1 h 5 min", "2 min 3 s", "40 s": units as in SI, in every language. Owned. */
char *vt_progress_dup_duration(double seconds);
