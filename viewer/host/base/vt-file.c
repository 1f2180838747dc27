/* SPDX-License-Identifier: MIT */
#include "base/vt-file-private.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/vt-pool.h"

enum { TEXT_BYTES = 1 << 20, MOST_PIECES = 32 };
enum { LONG_NAME = 255, SHOWN_NAME = 60 }; /* letters: no file has a longer name; of one that has, so much is shown */

gboolean
vt_file_check(const char *path, GError **error)
{
  g_autofree char *whole = vt_error_dup_name(path);
  g_autofree char *begin = g_utf8_strlen(whole, -1) > LONG_NAME ? g_utf8_substring(whole, 0, SHOWN_NAME) : NULL;
  g_autofree char *name = begin ? g_strconcat(begin, "…", NULL) : g_strdup(whole);
  GStatBuf info;
  if (!*path)
    return vt_error_set(error, VITRAIL_READ_FAILED, "A file is asked for, and its name is empty.");
  if (g_stat(path, &info) != 0 && errno == ENOENT)
    return vt_error_set(error, VITRAIL_READ_FAILED, "%s: there is no such file.", name);
  if (g_stat(path, &info) != 0)
    return vt_error_set(error, VITRAIL_READ_FAILED, "%s cannot be opened: %s.", name, g_strerror(errno));
  if (S_ISDIR(info.st_mode))
    return vt_error_set(error, VITRAIL_READ_FAILED, "%s is a folder, not a file.", name);
  if (!S_ISREG(info.st_mode)) /* to open a pipe would wait for its writer */
    return vt_error_set(error, VITRAIL_READ_FAILED, "%s is not an ordinary file.", name);
  if (g_access(path, R_OK) != 0)
    return vt_error_set(error, VITRAIL_READ_FAILED, "%s cannot be opened: you have no right to read it.", name);
  return TRUE;
}

guint64
vt_file_get_most_bytes(void)
{
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? (guint64)limit.rlim_cur
                                                                                 : G_MAXUINT64;
}

char *
vt_file_dup_state(const char *path)
{
  GStatBuf info;
  if (g_stat(path, &info) != 0)
    return g_strdup("");
  return g_strdup_printf("%jd %jd.%09ld", (intmax_t)info.st_size, (intmax_t)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

void
vt_file_ignore_relative_homes(const char *program)
{
  static const char *const names[] = { "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME" };
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    const char *value = g_getenv(names[i]);
    if (!value || !*value || g_path_is_absolute(value))
      continue;
    g_printerr("%s: %s is a relative path and is ignored.\n", program, names[i]);
    g_unsetenv(names[i]);
  }
}

void
vt_file_hold_standard(void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0)
      (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY); /* the lowest number that is free */
}

#define PATH_BYTES "bytes:"

char *
vt_path_dup_text(const char *path)
{
  if (g_utf8_validate(path, -1, NULL) && !g_str_has_prefix(path, PATH_BYTES))
    return g_strdup(path);
  g_autofree char *escaped = g_uri_escape_string(path, "/ ", FALSE);
  return g_strconcat(PATH_BYTES, escaped, NULL);
}

char *
vt_path_dup_of_text(const char *text)
{
  char *path = g_str_has_prefix(text, PATH_BYTES) ? g_uri_unescape_string(text + strlen(PATH_BYTES), NULL) : NULL;
  return path ? path : g_strdup(text);
}

char *
vt_file_dup_temp_path(const char *path)
{
  static gint counter = 0;
  return g_strdup_printf("%s.%ld-%d.tmp", path, (long)getpid(), g_atomic_int_add(&counter, 1));
}

static void
set_errno(GError **error, const char *path, int number)
{
  g_autofree char *shown = vt_error_dup_path(path);
  g_set_error(error, G_IO_ERROR, (int)g_io_error_from_errno(number), "%s cannot be written: %s.", shown,
              g_strerror(number));
}

gboolean
vt_file_commit(const char *temp_path, const char *path, GError **error)
{
  if (g_rename(temp_path, path) == 0)
    return TRUE;
  const int number = errno;
  g_unlink(temp_path);
  set_errno(error, path, number);
  return FALSE;
}

gboolean
vt_file_write_text(const char *path, const GString *text, GError **error)
{
  g_autoptr(GError) local = NULL;
  if (g_file_set_contents_full(path, text->str, (gssize)text->len, G_FILE_SET_CONTENTS_CONSISTENT, 0666, &local))
    return TRUE;
  g_autofree char *shown = vt_error_dup_path(path), *why = vt_error_dup_line(local->message);
  return vt_error_set(error, VITRAIL_INTERNAL, "%s cannot be written: %s", shown, why);
}

VtTextFile *
vt_text_file_new(const char *path, GError **error)
{
  g_autofree char *temp_path = vt_file_dup_temp_path(path);
  FILE *file = g_fopen(temp_path, "wb");
  if (!file) {
    set_errno(error, path, errno);
    return NULL;
  }
  VtTextFile *self = g_new0(VtTextFile, 1);
  self->text = g_string_new(NULL);
  self->file = file;
  self->path = g_strdup(path);
  self->temp_path = g_steal_pointer(&temp_path);
  return self;
}

static void
pass_on(VtTextFile *self)
{
  if (!self->failure && fwrite(self->text->str, 1, self->text->len, self->file) < self->text->len)
    self->failure = errno;
  g_string_truncate(self->text, 0);
}

void
vt_text_file_pass_on(VtTextFile *self)
{
  if (self->text->len >= TEXT_BYTES)
    pass_on(self);
}

typedef struct {
  VtTextFile *file;
  void (*append)(GString *text, guint piece, gconstpointer user);
  gconstpointer user;
  GString *texts[MOST_PIECES];
} Pieces;

static void
append_piece(void *user, guint32 index, guint32 slot)
{
  const Pieces *pieces = user;
  pieces->append(pieces->texts[slot], index, pieces->user);
}

static void
take_piece(void *user, guint32 index, guint32 slot)
{
  const Pieces *pieces = user;
  g_string_append_len(pieces->file->text, pieces->texts[slot]->str, (gssize)pieces->texts[slot]->len);
  g_string_truncate(pieces->texts[slot], 0);
  vt_text_file_pass_on(pieces->file);
}

void
vt_text_file_append_pieces(VtTextFile *self, guint n_threads, guint n,
                           void (*append)(GString *text, guint piece, gconstpointer user), gconstpointer user)
{
  Pieces pieces = { self, append, user, { NULL } };
  for (guint i = 0; i < MOST_PIECES; i++)
    pieces.texts[i] = g_string_new(NULL);
  vt_parallel_in_order(n_threads, n, MOST_PIECES, append_piece, take_piece, &pieces);
  for (guint i = 0; i < MOST_PIECES; i++)
    g_string_free(pieces.texts[i], TRUE);
}

gboolean
vt_text_file_close(VtTextFile *self, GError **error)
{
  pass_on(self);
  if (!self->failure && (fflush(self->file) != 0 || fsync(fileno(self->file)) != 0))
    self->failure = errno;
  fclose(self->file);
  if (self->failure) {
    g_unlink(self->temp_path);
    set_errno(error, self->path, self->failure);
  }
  const gboolean done = !self->failure && vt_file_commit(self->temp_path, self->path, error);
  g_string_free(self->text, TRUE);
  g_free(self->path);
  g_free(self->temp_path);
  g_free(self);
  return done;
}

__extension__ typedef unsigned __int128 Wide;

/* n / 10^decimals, without zeros at the end. */
static void
append_decimal(GString *text, gboolean is_negative, guint64 n, int decimals)
{
  char buffer[32], *p = buffer + sizeof buffer;
  while (decimals > 0 && n % 10 == 0) {
    n /= 10;
    decimals--;
  }
  for (int k = 0; k <= decimals || n > 0; k++, n /= 10) {
    if (k > 0 && k == decimals)
      *--p = '.';
    *--p = (char)('0' + n % 10);
  }
  if (is_negative)
    *--p = '-';
  g_string_append_len(text, p, buffer + sizeof buffer - p);
}

/* A number from 0.0001 to below a million, for which %g needs no exponent: 15 digits, or 16 or 17 if fewer read back as another number.
 * Less than 15 are the same text without zeros at the end. The sums are exact: the number is m / 2^shift. FALSE: it is something else. */
static gboolean
append_plain(GString *text, double value)
{
  static const double least[] = { 1e5, 1e4, 1e3, 1e2, 1e1, 1, 1e-1, 1e-2, 1e-3, 1e-4 };
  const double size = fabs(value);
  int exponent = 0, decimals = 9; /* with 15 digits, from least[0] on; one more from least[1] on */
  const guint64 m = (guint64)ldexp(frexp(size, &exponent), DBL_MANT_DIG);
  if (!(size >= 1e-4 && size < 1e6) || (m & (m - 1)) == 0) /* a power of two is nearer to the number below it */
    return FALSE;
  const int shift = DBL_MANT_DIG - exponent;
  while (size < least[decimals - 9])
    decimals++;
  const int most = decimals + 2;
  Wide power = 1;
  for (int k = 0; k < decimals; k++)
    power *= 10;
  for (;; decimals++, power *= 10) {
    const Wide exact = m * power, half = (Wide)1 << (shift - 1), below = exact >> shift,
               rest = exact - (below << shift);
    const gboolean up = rest > half || (rest == half && below % 2 == 1);
    const Wide off = 2 * (up ? 2 * half - rest : rest); /* `power`: half way to the next number */
    if (decimals < most && (off > power || (off == power && m % 2 == 1)))
      continue;
    append_decimal(text, value < 0, (guint64)below + (up ? 1 : 0), decimals);
    return TRUE;
  }
}

void
vt_text_append_double(GString *text, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  const double hundredths = round(value * 100);
  if (isnan(value)) {
    g_string_append(text, "NaN");
  } else if (isinf(value)) {
    g_string_append(text, value > 0 ? "Infinity" : "-Infinity");
  } else if (fabs(value) < 1e6 && hundredths / 100 == value && !(value == 0 && signbit(value))) {
    append_decimal(text, value < 0, (guint64)fabs(hundredths), 2); /* as most numbers of outlines */
  } else if (!append_plain(text, value)) {
    for (int digits = 6; digits <= 17; digits++) {
      char format[8];
      g_snprintf(format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd(buffer, sizeof buffer, format, value);
      if (g_ascii_strtod(buffer, NULL) == value)
        break;
    }
    g_string_append(text, buffer);
  }
}

void
vt_text_append_doubles(GString *text, const char *between, guint n, const double *values)
{
  for (guint i = 0; i < n; i++) {
    g_string_append(text, i > 0 ? between : "");
    vt_text_append_double(text, values[i]);
  }
}

/* What a spreadsheet would take for one. Numbers, and vectors of them, are none. */
static gboolean
is_formula(const char *text)
{
  if (*text == '\0' || !strchr("=+-@\t\r", *text))
    return FALSE;
  for (const char *p = text; *p; p += strspn(p, ", ")) {
    char *end = NULL;
    g_ascii_strtod(p, &end);
    if (end == p || !strchr(", ", *end)) /* the end of the text is found, too */
      return TRUE;
    p = end;
  }
  return FALSE;
}

void
vt_text_append_csv_field(GString *csv, const char *text)
{
  g_autofree char *quoted = is_formula(text) ? g_strconcat("'", text, NULL) : NULL;
  text = quoted ? quoted : text;
  if (!strpbrk(text, ",\"\r\n")) {
    g_string_append(csv, text);
    return;
  }
  g_string_append_c(csv, '"');
  for (const char *p = text; *p; p++) {
    if (*p == '"')
      g_string_append_c(csv, '"');
    g_string_append_c(csv, *p);
  }
  g_string_append_c(csv, '"');
}

void
vt_text_append_next_field(GString *csv, const char *text)
{
  g_string_append_c(csv, ',');
  if (text)
    vt_text_append_csv_field(csv, text);
}

void
vt_text_append_next_double(GString *csv, double value)
{
  g_string_append_c(csv, ',');
  vt_text_append_double(csv, value);
}

void
vt_text_append_json_string(GString *text, const char *string)
{
  g_autofree char *valid = g_utf8_make_valid(string, -1);
  g_string_append_c(text, '"');
  for (const char *p = valid; *p; p++) {
    const guchar c = (guchar)*p;
    if (c == '"' || c == '\\')
      g_string_append_printf(text, "\\%c", c);
    else if (c < 0x20)
      g_string_append_printf(text, "\\u%04x", c);
    else
      g_string_append_c(text, (char)c);
  }
  g_string_append_c(text, '"');
}

static void
append_value(GString *text, JsonNode *node)
{
  const GType type = json_node_get_value_type(node);
  if (type == G_TYPE_STRING)
    vt_text_append_json_string(text, json_node_get_string(node));
  else if (type == G_TYPE_BOOLEAN)
    g_string_append(text, json_node_get_boolean(node) ? "true" : "false");
  else if (type == G_TYPE_INT64)
    g_string_append_printf(text, "%" G_GINT64_FORMAT, json_node_get_int(node));
  else if (isfinite(json_node_get_double(node)))
    vt_text_append_double(text, json_node_get_double(node));
  else
    g_string_append(text, "null");
}

static gboolean
is_flat(JsonArray *array)
{
  for (guint i = 0; i < json_array_get_length(array); i++)
    if (!JSON_NODE_HOLDS_VALUE(json_array_get_element(array, i)))
      return FALSE;
  return TRUE;
}

static void
append_array(GString *text, JsonArray *array, int indent)
{
  const guint n = json_array_get_length(array);
  const gboolean flat = is_flat(array);
  g_string_append_c(text, '[');
  for (guint i = 0; i < n; i++) {
    if (flat)
      g_string_append(text, i > 0 ? ", " : "");
    else
      g_string_append_printf(text, "%s\n%*s", i > 0 ? "," : "", indent + 2, "");
    vt_text_append_json(text, json_array_get_element(array, i), indent + 2);
  }
  if (n > 0 && !flat)
    g_string_append_printf(text, "\n%*s", indent, "");
  g_string_append_c(text, ']');
}

void
vt_text_append_json(GString *text, JsonNode *node, int indent)
{
  if (JSON_NODE_HOLDS_ARRAY(node)) {
    append_array(text, json_node_get_array(node), indent);
  } else if (JSON_NODE_HOLDS_OBJECT(node)) {
    JsonObjectIter iter;
    const char *name = NULL;
    JsonNode *member = NULL;
    gboolean first = TRUE;
    g_string_append_c(text, '{');
    json_object_iter_init_ordered(&iter, json_node_get_object(node));
    while (json_object_iter_next_ordered(&iter, &name, &member)) {
      g_string_append_printf(text, "%s\n%*s", first ? "" : ",", indent + 2, "");
      vt_text_append_json_string(text, name);
      g_string_append(text, ": ");
      vt_text_append_json(text, member, indent + 2);
      first = FALSE;
    }
    if (!first)
      g_string_append_printf(text, "\n%*s", indent, "");
    g_string_append_c(text, '}');
  } else if (JSON_NODE_HOLDS_NULL(node)) {
    g_string_append(text, "null");
  } else {
    append_value(text, node);
  }
}

void
vt_file_remove_all(const char *path)
{
  g_autoptr(GDir) dir = g_file_test(path, G_FILE_TEST_IS_SYMLINK) ? NULL : g_dir_open(path, 0, NULL);
  const char *name;
  while (dir && (name = g_dir_read_name(dir))) {
    g_autofree char *inside = g_build_filename(path, name, NULL);
    vt_file_remove_all(inside);
  }
  g_remove(path);
}
