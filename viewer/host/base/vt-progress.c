/* SPDX-License-Identifier: MIT */
#include "base/vt-progress.h"

#include <math.h>

#define LEAST_SECONDS 0.4 /* of work, before its speed says anything */

void
vt_progress_take(VtProgress *progress, double fraction, gint64 now_us)
{
  if (progress->start_us == 0) {
    progress->start_us = progress->furthest_us = now_us;
    progress->first = progress->furthest = fraction;
  } else if (fraction > progress->furthest) {
    progress->furthest = fraction;
    progress->furthest_us = now_us;
  }
}

double
vt_progress_get_seconds_left(const VtProgress *progress, gint64 now_us)
{
  const double worked = (double)(progress->furthest_us - progress->start_us) / G_USEC_PER_SEC;
  if (progress->start_us == 0 || worked < LEAST_SECONDS || progress->furthest <= progress->first)
    return -1;
  const double left = worked * (1 - progress->furthest) / (progress->furthest - progress->first);
  return fmax(left - (double)(now_us - progress->furthest_us) / G_USEC_PER_SEC, 0);
}

char *
vt_progress_dup_duration(double seconds)
{
  const gint64 s = (gint64)ceil(seconds);
  if (s >= 3600)
    return g_strdup_printf("%" G_GINT64_FORMAT " h %" G_GINT64_FORMAT " min", s / 3600, s / 60 % 60);
  if (s >= 600)
    return g_strdup_printf("%" G_GINT64_FORMAT " min", s / 60);
  if (s >= 60)
    return g_strdup_printf("%" G_GINT64_FORMAT " min %" G_GINT64_FORMAT " s", s / 60, s % 60);
  return g_strdup_printf("%" G_GINT64_FORMAT " s", s);
}
