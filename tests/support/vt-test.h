/* SPDX-License-Identifier: MIT
 *
 * vt-test.h: the Test Anything Protocol for programs without GLib. One vt_ok() per fact that is worth a name; the program
 * ends with `return vt_test_done();`. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Weak: one count for all files of a program. */
__attribute__((weak)) int vt_test_count, vt_test_failures;

__attribute__((format(printf, 2, 3))) static inline bool
vt_ok(bool passed, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  printf("%sok %d - ", passed ? "" : "not ", ++vt_test_count);
  vprintf(format, args);
  putchar('\n');
  va_end(args);
  vt_test_failures += !passed;
  return passed;
}

__attribute__((format(printf, 2, 3))) static inline void
vt_skip(const char *name, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  printf("ok %d - %s # SKIP ", ++vt_test_count, name);
  vprintf(format, args);
  putchar('\n');
  va_end(args);
}

/* n, or as much of it as VT_ROUNDS says ("0.25"); at least 1. */
static inline int
vt_rounds(int n)
{
  const char *part = getenv("VT_ROUNDS");
  const double rounds = part ? atof(part) * n : n;
  return rounds < 1 ? 1 : (int)rounds;
}

static inline int
vt_test_done(void)
{
  printf("1..%d\n", vt_test_count);
  return vt_test_failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
