/* SPDX-License-Identifier: MIT */
#include "base/vt-json-scan.h"

#include <string.h>

enum { DEEPEST = 200 }; /* brackets in brackets; nothing that is read here needs more than a few */

static gboolean
fail(VtJsonScan *scan, const char *problem)
{
  if (!scan->problem)
    scan->problem = problem;
  return FALSE;
}

gboolean
vt_json_scan_open(VtJsonScan *scan, char bracket)
{
  if (vt_json_scan_peek(scan) != bracket)
    return fail(scan, bracket == '{' ? "has no object where one should be" : "has no list where one should be");
  if (++scan->depth > DEEPEST)
    return fail(scan, "is nested too deeply");
  scan->at++;
  return TRUE;
}

/* TRUE: there is another value. */
static gboolean
go_on(VtJsonScan *scan, gboolean *is_first, char closing)
{
  char c = vt_json_scan_peek(scan);
  if (c == closing) {
    scan->at++;
    scan->depth--;
    return FALSE;
  }
  if (!*is_first) {
    if (c != ',')
      return fail(scan, scan->at == scan->end ? "ends in the middle" : "has no comma between two values");
    scan->at++;
    c = vt_json_scan_peek(scan);
  }
  *is_first = FALSE;
  if (c == closing)
    return fail(scan, "has a comma without a value behind it");
  return c != 0 || fail(scan, "ends in the middle");
}

gboolean
vt_json_scan_next(VtJsonScan *scan, gboolean *is_first)
{
  return go_on(scan, is_first, ']');
}

gboolean
vt_json_scan_next_member(VtJsonScan *scan, gboolean *is_first, GString *key)
{
  if (!go_on(scan, is_first, '}'))
    return FALSE;
  if (!vt_json_scan_string(scan, key))
    return fail(scan, "has a key that is no text in quotes");
  if (vt_json_scan_peek(scan) != ':')
    return fail(scan, "has no “:” after a key");
  scan->at++;
  return vt_json_scan_peek(scan) != 0 || fail(scan, "ends in the middle");
}

static gboolean
read_hex(VtJsonScan *scan, gunichar *unit)
{
  *unit = 0;
  if (scan->end - scan->at < 4)
    return fail(scan, "ends in the middle");
  for (int i = 0; i < 4; i++, scan->at++) {
    const int digit = g_ascii_xdigit_value(*scan->at);
    if (digit < 0)
      return fail(scan, "has a “\\u” without four digits behind it");
    *unit = *unit * 16 + (gunichar)digit;
  }
  return TRUE;
}

/* Behind "\u". Halves of a pair that stand alone become the sign for what cannot be shown. */
static gboolean
read_unicode(VtJsonScan *scan, GString *text)
{
  gunichar high, low;
  if (!read_hex(scan, &high))
    return FALSE;
  if (high >= 0xD800 && high < 0xDC00 && scan->end - scan->at >= 6 && scan->at[0] == '\\' && scan->at[1] == 'u') {
    scan->at += 2;
    if (!read_hex(scan, &low))
      return FALSE;
    high = low >= 0xDC00 && low < 0xE000 ? 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00) : 0xFFFD;
  }
  if (text)
    g_string_append_unichar(text, high == 0 || (high >= 0xD800 && high < 0xE000) ? 0xFFFD : high);
  return TRUE;
}

static gboolean
read_escape(VtJsonScan *scan, GString *text)
{
  static const char codes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  if (++scan->at >= scan->end)
    return fail(scan, "ends in the middle");
  if (*scan->at == 'u') {
    scan->at++;
    return read_unicode(scan, text);
  }
  const char *code = strchr(codes, *scan->at);
  if (!code)
    return fail(scan, "has a “\\” before a letter that it means nothing with");
  if (text)
    g_string_append_c(text, meanings[code - codes]);
  scan->at++;
  return TRUE;
}

/* At a quote. text may be NULL. */
static gboolean
read_string(VtJsonScan *scan, GString *text)
{
  if (text)
    g_string_truncate(text, 0);
  for (scan->at++; scan->at < scan->end;) {
    const char *start = scan->at;
    while (scan->at < scan->end && *scan->at != '"' && *scan->at != '\\' && (guchar)*scan->at >= ' ')
      scan->at++;
    if (text)
      g_string_append_len(text, start, scan->at - start);
    if (scan->at < scan->end && *scan->at == '"') {
      scan->at++;
      return TRUE;
    }
    if (scan->at < scan->end && *scan->at != '\\')
      return fail(scan, "has a text in quotes that goes over the end of its line");
    if (scan->at < scan->end && !read_escape(scan, text))
      return FALSE;
  }
  return fail(scan, "ends in the middle");
}

gboolean
vt_json_scan_string(VtJsonScan *scan, GString *text)
{
  return vt_json_scan_peek(scan) == '"' && read_string(scan, text);
}

/* Digits from p on, the first 18 that count into *mantissa; *n_more are those that did not. */
static const char *
read_digits(const char *p, const char *end, guint64 *mantissa, int *n_taken, int *n_more)
{
  for (; p < end && (guchar)(*p - '0') < 10; p++) {
    if (*n_taken < 18) {
      *mantissa = *mantissa * 10 + (guint64)(*p - '0');
      *n_taken += *mantissa > 0;
    } else {
      (*n_more)++;
    }
  }
  return p;
}

gboolean
vt_json_scan_number(VtJsonScan *scan, double *value)
{
  static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
  const char first = vt_json_scan_peek(scan), *start = scan->at, *p = start, *digits;
  guint64 mantissa = 0;
  int n_taken = 0, n_more = 0, n_behind = 0;
  if (first != '-' && !g_ascii_isdigit(first))
    return FALSE;
  p += first == '-';
  digits = p;
  p = read_digits(p, scan->end, &mantissa, &n_taken, &n_more);
  gboolean is_sound = p > digits, is_short = TRUE;
  if (p < scan->end && *p == '.') {
    digits = ++p;
    p = read_digits(p, scan->end, &mantissa, &n_taken, &n_more);
    n_behind = (int)MIN(p - digits, 1000);
    is_sound = is_sound && p > digits;
  }
  if (p < scan->end && (*p == 'e' || *p == 'E')) {
    is_short = FALSE;
    p += 1 + (p + 1 < scan->end && (p[1] == '+' || p[1] == '-'));
    digits = p;
    while (p < scan->end && g_ascii_isdigit(*p))
      p++;
    is_sound = is_sound && p > digits;
  }
  if (!is_sound)
    return first == '-' && p < scan->end && *p == 'I' ? FALSE : fail(scan, "has a number that ends in the middle");
  scan->at = p;
  if (is_short && n_more == 0 && n_behind <= 22 && mantissa <= ((guint64)1 << 53)) { /* both exact, so rounded once */
    *value = (double)mantissa / powers[n_behind];
    *value = first == '-' ? -*value : *value;
    return TRUE;
  }
  g_autofree char *text = g_strndup(start, (gsize)(p - start));
  *value = g_ascii_strtod(text, NULL);
  return TRUE;
}

static gboolean
skip_word(VtJsonScan *scan)
{
  static const char *const words[] = { "true", "false", "null", "NaN", "Infinity", "-Infinity" };
  for (gsize i = 0; i < G_N_ELEMENTS(words); i++) {
    const gsize length = strlen(words[i]);
    if ((gsize)(scan->end - scan->at) >= length && memcmp(scan->at, words[i], length) == 0) {
      scan->at += length;
      return TRUE;
    }
  }
  return fail(scan, "has something that is no value");
}

gboolean
vt_json_scan_skip(VtJsonScan *scan)
{
  const char c = vt_json_scan_peek(scan);
  gboolean is_first = TRUE;
  double number;
  if (c == '"')
    return read_string(scan, NULL);
  if (c == '[') {
    vt_json_scan_open(scan, c);
    while (vt_json_scan_next(scan, &is_first))
      if (!vt_json_scan_skip(scan))
        return FALSE;
  } else if (c == '{') {
    g_autoptr(GString) key = g_string_new(NULL);
    vt_json_scan_open(scan, c);
    while (vt_json_scan_next_member(scan, &is_first, key))
      if (!vt_json_scan_skip(scan))
        return FALSE;
  } else if (!vt_json_scan_number(scan, &number)) {
    return !scan->problem && skip_word(scan);
  }
  return !scan->problem;
}
