/* SPDX-License-Identifier: MIT
 *
 * json-glib forgets where a value stood. This goes over the text once more and remembers. */
#include "base/vt-json-places.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "base/vt-file-private.h"
#include "base/vt-json-scan.h"

#define DEEPEST 32
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

typedef struct {
  const char *at;
  guint line, column, depth;
  GString *pointer;
  GHashTable *places;
  const char *problem;
} Scanner;

static gboolean scan_value(Scanner *s);

static gboolean
wrong(Scanner *s, const char *problem)
{
  s->problem = s->problem ? s->problem : problem;
  return FALSE;
}

static void
step(Scanner *s)
{
  if (*s->at == '\n') {
    s->line++;
    s->column = 0;
  }
  s->at++;
  if (((guchar)*s->at & 0xC0) != 0x80)
    s->column++;
}

static void
skip_blanks(Scanner *s)
{
  while (*s->at && strchr(" \t\r\n", *s->at))
    step(s);
}

static gboolean
take(Scanner *s, char sign)
{
  skip_blanks(s);
  if (*s->at != sign)
    return FALSE;
  step(s);
  return TRUE;
}

static gboolean
scan_string(Scanner *s)
{
  if (!take(s, '"'))
    return wrong(s, "a text in quotes is missing");
  while (*s->at && *s->at != '"') {
    if ((guchar)*s->at < 0x20)
      return wrong(s, "a text in quotes has no end");
    if (g_str_has_prefix(s->at, "\\u0000")) /* json-glib would end the text there */
      return wrong(s, "a text in quotes holds the character \\u0000");
    if (*s->at == '\\' && s->at[1])
      step(s);
    step(s);
  }
  return take(s, '"') || wrong(s, "a text in quotes has no end");
}

/* What a key means, so that no other way to write it is another key; with ~0 and ~1 for what means something in a pointer. */
static void
append_key(GString *pointer, const char *begin, const char *end)
{
  g_autoptr(GString) key = g_string_new(NULL);
  VtJsonScan scan = { .at = begin, .end = end };
  if (!vt_json_scan_string(&scan, key)) /* an escape that means nothing; the parser says so */
    g_string_append_len(key, begin, end - begin);
  g_string_append_c(pointer, '/');
  for (const char *at = key->str; *at; at++)
    if (*at == '~' || *at == '/')
      g_string_append(pointer, *at == '~' ? "~0" : "~1");
    else
      g_string_append_c(pointer, *at);
}

static gboolean
note(Scanner *s)
{
  VtJsonPlace place = { s->line, s->column };
  if (g_hash_table_contains(s->places, s->pointer->str))
    return wrong(s, "this key is there twice");
  g_hash_table_insert(s->places, g_strdup(s->pointer->str), g_memdup2(&place, sizeof place));
  return TRUE;
}

static gboolean
scan_member(Scanner *s)
{
  skip_blanks(s);
  const Scanner begin = *s;
  if (!scan_string(s))
    return FALSE;
  append_key(s->pointer, begin.at, s->at);
  const Scanner end = *s;
  s->line = begin.line;
  s->column = begin.column;
  if (!note(s))
    return FALSE;
  s->line = end.line;
  s->column = end.column;
  return (take(s, ':') || wrong(s, "a colon is missing")) && scan_value(s);
}

static gboolean
scan_list(Scanner *s, char end, gboolean is_object)
{
  if (take(s, end))
    return TRUE;
  for (guint i = 0;; i++) {
    const gsize length = s->pointer->len;
    if (is_object) {
      if (!scan_member(s))
        return FALSE;
    } else {
      skip_blanks(s);
      g_string_append_printf(s->pointer, "/%u", i);
      if (!note(s) || !scan_value(s))
        return FALSE;
    }
    g_string_truncate(s->pointer, length);
    if (take(s, end))
      return TRUE;
    if (!take(s, ','))
      return wrong(s, "a comma or the closing bracket is missing");
  }
}

/* Behind digits, of which there must be one. */
static const char *
skip_digits(const char *at)
{
  const char *end = at;
  while (g_ascii_isdigit(*end))
    end++;
  return end > at ? end : NULL;
}

/* json-glib would take 010 for 8, 0x10 for 16, and a whole number beyond 64 bits for any other. NULL: it is a number. */
static const char *
judge_number(const char *number)
{
  const char *whole = number + (*number == '-'), *end = skip_digits(whole);
  const gboolean is_padded = end && *whole == '0' && end > whole + 1;
  gboolean is_whole = TRUE;
  if (end && *end == '.') {
    end = skip_digits(end + 1);
    is_whole = FALSE;
  }
  if (end && (*end == 'e' || *end == 'E')) {
    end = skip_digits(end + 1 + (end[1] == '+' || end[1] == '-'));
    is_whole = FALSE;
  }
  if (!end || *end || is_padded)
    return "this is no number as JSON writes them";
  if (is_whole ? !g_ascii_string_to_signed(number, 10, G_MININT64, G_MAXINT64, NULL, NULL)
               : !isfinite(g_ascii_strtod(number, NULL)))
    return "this number is too large";
  return NULL;
}

/* A number, or true, false or null. */
static gboolean
scan_word(Scanner *s)
{
  static const char *const words[] = { "true", "false", "null", NULL };
  const Scanner begin = *s;
  while (*s->at && (g_ascii_isalnum(*s->at) || strchr("+-.", *s->at)))
    step(s);
  g_autofree char *word = g_strndup(begin.at, (gsize)(s->at - begin.at));
  const char *problem = g_strv_contains(words, word) ? NULL : judge_number(word);
  if (!problem)
    return TRUE;
  *s = begin;
  return wrong(s, *word ? problem : "a value is missing");
}

static gboolean
scan_value(Scanner *s)
{
  gboolean fine = TRUE;
  skip_blanks(s);
  if (s->depth == DEEPEST)
    return wrong(s, "it is nested too deeply");
  s->depth++;
  if (take(s, '{'))
    fine = scan_list(s, '}', TRUE);
  else if (take(s, '['))
    fine = scan_list(s, ']', FALSE);
  else if (*s->at == '"')
    fine = scan_string(s);
  else
    fine = scan_word(s);
  s->depth--;
  return fine;
}

GHashTable *
vt_json_find_places(const char *text, const char **problem, VtJsonPlace *where)
{
  g_autoptr(GHashTable) places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr(GString) pointer = g_string_new(NULL);
  Scanner s = { .at = text, .line = 1, .column = 1, .pointer = pointer, .places = places };
  gboolean fine = scan_value(&s);
  skip_blanks(&s);
  if (fine && *s.at)
    fine = wrong(&s, "something follows the end");
  *problem = s.problem;
  *where = (VtJsonPlace){ s.line, s.column };
  return fine ? g_steal_pointer(&places) : NULL;
}

VtJsonPlace
vt_json_place_of(GHashTable *places, const char *pointer)
{
  g_autofree char *rest = g_strdup(pointer);
  for (;;) {
    const VtJsonPlace *place = g_hash_table_lookup(places, rest);
    char *slash = strrchr(rest, '/');
    if (place)
      return *place;
    if (!slash)
      return (VtJsonPlace){ 1, 1 };
    *slash = '\0';
  }
}

/* --- files --- */

void
vt_json_set_error(GError **error, const char *name, VtJsonPlace place, const char *sentence)
{
  g_autofree char *line = vt_error_dup_line(sentence);
  g_set_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT, "%s, line %u, column %u: %s", name, place.line, place.column,
              line);
}

gboolean
vt_json_fail(const VtJsonReader *reader, const char *pointer, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  vt_json_set_error(reader->error, reader->name, vt_json_place_of(reader->places, pointer), text);
  return FALSE;
}

char *
vt_json_load_text(const char *path, const char *what, guint most_mib, GError **error)
{
  g_autofree char *text = NULL, *name = vt_error_dup_name(path);
  g_autoptr(GError) local = NULL;
  GStatBuf info;
  gsize size = 0;
  if (!vt_file_check(path, error))
    return NULL;
  if (g_stat(path, &info) == 0 && info.st_size > (goffset)most_mib << 20)
    return vt_error_set_null(error, VITRAIL_BAD_ARGUMENT, "%s is no %s: it is larger than %u MiB.", name, what,
                             most_mib);
  if (!g_file_get_contents(path, &text, &size, &local)) {
    g_autofree char *why = vt_error_dup_line(local->message);
    return vt_error_set_null(error, VITRAIL_READ_FAILED, "The %s cannot be read: %s.", what, why);
  }
  if (strlen(text) != size || !g_utf8_validate(text, -1, NULL))
    return vt_error_set_null(error, VITRAIL_BAD_ARGUMENT, "%s is no %s: it is no text in UTF-8.", name, what);
  if (g_str_has_prefix(text, BYTE_ORDER_MARK)) /* as editors of Windows write it */
    memmove(text, text + strlen(BYTE_ORDER_MARK), size - strlen(BYTE_ORDER_MARK) + 1);
  return g_steal_pointer(&text);
}

gboolean
vt_json_parse(const char *text, const char *name, JsonParser **parser, GHashTable **places, GError **error)
{
  const char *problem = NULL;
  VtJsonPlace where;
  g_autoptr(GError) local = NULL;
  *parser = json_parser_new_immutable();
  *places = vt_json_find_places(text, &problem, &where);
  if (*places && json_parser_load_from_data(*parser, text, -1, &local))
    return TRUE;
  g_autofree char *sentence = g_strdup_printf("This can't be read as JSON: %s.", local ? local->message : problem);
  vt_json_set_error(error, name, local ? vt_json_place_of(*places, "") : where, sentence);
  return FALSE;
}

gboolean
vt_json_is_of(JsonNode *node, GType type)
{
  return JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == type;
}

gboolean
vt_json_get_number(JsonNode *node, double *number)
{
  if (!vt_json_is_of(node, G_TYPE_INT64) && !vt_json_is_of(node, G_TYPE_DOUBLE))
    return FALSE;
  *number = json_node_get_double(node);
  return isfinite(*number);
}
