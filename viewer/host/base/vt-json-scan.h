/* SPDX-License-Identifier: MIT
 *
 * A JSON text read once from front to back, without a tree in memory: for files of millions of values. Numbers are those that
 * strtod() gives. Literals NaN and Infinity, which some programs write, can be skipped but are no numbers. [one thread at a time] */
#pragma once
#include <glib.h>

/* All zero but for at and end, which bound text that is valid UTF-8 and outlives it. */
typedef struct {
  const char *at, *end;
  guint depth;         /* brackets that are open */
  const char *problem; /* static, "has no “:” after a key"; NULL: none. `at` is where. All calls then return FALSE. */
} VtJsonScan;

/* The first character of the next value, behind spaces; 0 at the end. */
static inline char
vt_json_scan_peek(VtJsonScan *scan)
{
  while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\n' || *scan->at == '\r' || *scan->at == '\t'))
    scan->at++;
  return scan->at < scan->end && !scan->problem ? *scan->at : 0;
}
/* Goes into an object or a list ('{' or '['). */
gboolean vt_json_scan_open(VtJsonScan *scan, char bracket);
/* In a list: TRUE before each of its values. FALSE behind the list, or at a problem. *is_first is TRUE before the first call. */
gboolean vt_json_scan_next(VtJsonScan *scan, gboolean *is_first);
/* The same in an object; its key is in `key`, and its value comes next. */
gboolean vt_json_scan_next_member(VtJsonScan *scan, gboolean *is_first, GString *key);
/* FALSE, without a problem, if the next value is another kind of thing; it is not read then. */
gboolean vt_json_scan_string(VtJsonScan *scan, GString *text);
gboolean vt_json_scan_number(VtJsonScan *scan, double *value);
/* Reads over a value, whatever it is. */
gboolean vt_json_scan_skip(VtJsonScan *scan);
