/* SPDX-License-Identifier: MIT */
#include "common/vt-test-log.h"

#include <stdarg.h>
#include <stdio.h>

void
vt_test_log(const char *format, ...)
{
  static FILE *file = NULL;
  static gboolean opened = FALSE, timed = FALSE;
  if (!opened) {
    const char *path = g_getenv("VITRAIL_TEST_LOG");
    opened = TRUE;
    timed = g_getenv("VITRAIL_TEST_TIMES") != NULL;
    if (path && *path)
      file = fopen(path, "a");
  }
  if (!file)
    return;
  va_list args;
  va_start(args, format);
  g_autofree char *line = g_strdup_vprintf(format, args);
  va_end(args);
  g_strdelimit(line, "\n", ' ');
  if (timed)
    fprintf(file, "%s @%.3f\n", line, (double)g_get_monotonic_time() / 1000);
  else
    fprintf(file, "%s\n", line);
  fflush(file);
}
