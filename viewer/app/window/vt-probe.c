/* SPDX-License-Identifier: MIT */
#include "window/vt-probe.h"

#include <glib.h>
#include <stdio.h>
#include <time.h>

#define PERIOD_MS 2

static GArray *late_ms = NULL, *work_ms = NULL, *paint_ms = NULL;    /* float */
static GString *frames;                                              /* [end, time], ms of the monotonic clock */
static double work_start_ms, paint_work_ms;                          /* processor time of this thread */
static gint64 expected_us, paint_start_us, start_us, first_frame_us; /* the last 0: nothing to wait for yet */

/* What a busy machine does to others does not show in it. */
static double
get_processor_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static gboolean
look(gpointer data)
{
  gint64 now = g_get_monotonic_time();
  float late = (float)MAX(now - expected_us, 0) / 1000;
  double processor_ms = get_processor_ms();
  float work = (float)(processor_ms - work_start_ms);
  if (first_frame_us) {
    g_array_append_val(late_ms, late);
    g_array_append_val(work_ms, work);
  }
  work_start_ms = processor_ms;
  expected_us = now + PERIOD_MS * 1000;
  return G_SOURCE_CONTINUE;
}

static void
before_paint(GdkFrameClock *clock, gpointer data)
{
  paint_start_us = g_get_monotonic_time();
  paint_work_ms = get_processor_ms();
}

static void
after_paint(GdkFrameClock *clock, gpointer data)
{
  const gint64 end_us = g_get_monotonic_time(), duration = end_us - paint_start_us;
  float ms = (float)duration / 1000;
  g_array_append_val(paint_ms, ms);
  g_string_append_printf(frames, "%s[%.3f, %.3f]", frames->len ? ", " : "", (double)end_us / 1000, (double)ms);
  expected_us += duration;
  work_start_ms += get_processor_ms() - paint_work_ms;
  if (!first_frame_us) {
    first_frame_us = end_us;
    expected_us = first_frame_us + PERIOD_MS * 1000;
  }
}

static void
on_realize(GtkWidget *window)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock(window);
  g_signal_connect(clock, "before-paint", G_CALLBACK(before_paint), NULL);
  g_signal_connect(clock, "after-paint", G_CALLBACK(after_paint), NULL);
}

void
vt_probe_watch(GtkWidget *window)
{
  if (late_ms)
    g_signal_connect(window, "realize", G_CALLBACK(on_realize), NULL);
}

void
vt_probe_start(void)
{
  if (!g_getenv("VITRAIL_PROBE"))
    return;
  late_ms = g_array_new(FALSE, FALSE, sizeof(float));
  work_ms = g_array_new(FALSE, FALSE, sizeof(float));
  paint_ms = g_array_new(FALSE, FALSE, sizeof(float));
  frames = g_string_new(NULL);
  start_us = g_get_monotonic_time();
  g_timeout_add_full(G_PRIORITY_HIGH - 100, PERIOD_MS, look, NULL, NULL);
}

static int
compare(gconstpointer a, gconstpointer b)
{
  float p = *(const float *)a, q = *(const float *)b;
  return (p > q) - (p < q);
}

static void
write_numbers(FILE *file, const char *name, GArray *ms)
{
  guint over_16 = 0, over_50 = 0, n = ms->len;
  for (guint i = 0; i < n; i++) {
    over_16 += g_array_index(ms, float, i) > 16;
    over_50 += g_array_index(ms, float, i) > 50;
  }
  g_array_sort(ms, compare);
  fprintf(file, "\"%s\": {\"n\": %u", name, n);
  if (n > 0)
    fprintf(file, ", \"p50_ms\": %.3f, \"p99_ms\": %.3f, \"max_ms\": %.3f", g_array_index(ms, float, n / 2),
            g_array_index(ms, float, (guint64)n * 99 / 100), g_array_index(ms, float, n - 1));
  fprintf(file, ", \"over_16_ms\": %u, \"over_50_ms\": %u}", over_16, over_50);
}

void
vt_probe_finish(void)
{
  FILE *file = late_ms ? fopen(g_getenv("VITRAIL_PROBE"), "w") : NULL;
  if (!file)
    return;
  fputs("{", file);
  write_numbers(file, "stalls", late_ms);
  fputs(", ", file);
  write_numbers(file, "work", work_ms);
  fputs(", ", file);
  write_numbers(file, "paint", paint_ms);
  fprintf(file, ", \"first_frame_ms\": %.1f, \"frames\": [%s]}\n", (double)(first_frame_us - start_us) / 1000,
          frames->str);
  fclose(file);
}
