/* SPDX-License-Identifier: MIT
 *
 * A table of points: x and y are its first two columns, or those that the first row names so. Points of one class are one shape. */
#include <math.h>
#include <string.h>

#include "run/vt-shapes-private.h"

#define TICK 65536       /* rows */
#define MAX_FIELDS 1000u /* of a row */
#define MAX_FIELD 4096u  /* bytes */

typedef struct {
  VtShapesReading *reading;
  const char *at, *end;
  guint line;
  char separator;
  GPtrArray *fields;  /* char*, of the row that was read last */
  guint columns[3];   /* of x, y and the class; G_MAXUINT: none */
  double scale[2];    /* pixels in a unit of x, y */
  GHashTable *points; /* class, or "": GArray of x, y */
  GPtrArray *classes; /* of them, in order; borrowed */
} Table;

/* Of the first line: what is most often in it. */
static char
find_separator(const char *at, const char *end)
{
  static const char separators[] = { '\t', ';', ',' };
  guint counts[G_N_ELEMENTS(separators)] = { 0 };
  guint best = 2;
  for (; at < end && *at != '\n' && *at != '\r'; at++)
    for (guint i = 0; i < G_N_ELEMENTS(separators); i++)
      counts[i] += *at == separators[i];
  for (guint i = 0; i < G_N_ELEMENTS(separators); i++)
    if (counts[i] > counts[best])
      best = i;
  return separators[best];
}

static gboolean
read_field(Table *table, GString *field)
{
  const char *p = table->at;
  const gboolean is_quoted = p < table->end && *p == '"';
  g_string_truncate(field, 0);
  for (p += is_quoted; p < table->end; p++) {
    if (is_quoted && *p == '"' && (p + 1 == table->end || p[1] != '"'))
      break;
    if (!is_quoted && (*p == table->separator || *p == '\n' || *p == '\r'))
      break;
    p += is_quoted && *p == '"';
    if (*p == '\n' && is_quoted)
      return vt_shapes_fail(table->reading, table->line, "a text in quotes goes over the end of its line");
    g_string_append_c(field, *p);
    if (field->len > MAX_FIELD)
      return vt_shapes_fail(table->reading, table->line, "a cell holds more than %u bytes", MAX_FIELD);
  }
  if (is_quoted && p == table->end)
    return vt_shapes_fail(table->reading, table->line, "a text in quotes has no end");
  table->at = p + is_quoted;
  if (table->at < table->end && *table->at != table->separator && *table->at != '\n' && *table->at != '\r')
    return vt_shapes_fail(table->reading, table->line, "something stands behind a text in quotes");
  return TRUE;
}

/* TRUE with no fields: an empty line. */
static gboolean
read_row(Table *table)
{
  g_autoptr(GString) field = g_string_new(NULL);
  table->line++;
  g_ptr_array_set_size(table->fields, 0);
  for (;;) {
    if (!read_field(table, field))
      return FALSE;
    g_ptr_array_add(table->fields, g_strstrip(g_strdup(field->str)));
    if (table->fields->len > MAX_FIELDS)
      return vt_shapes_fail(table->reading, table->line, "the row has more than %u cells", MAX_FIELDS);
    if (table->at == table->end || *table->at != table->separator)
      break;
    table->at++;
  }
  table->at += table->at < table->end && *table->at == '\r';
  table->at += table->at < table->end && *table->at == '\n';
  if (table->fields->len == 1 && *(char *)table->fields->pdata[0] == 0)
    g_ptr_array_set_size(table->fields, 0);
  return TRUE;
}

/* A decimal comma is one where it separates no cells. */
static gboolean
read_number(const Table *table, guint column, double *value)
{
  char *end, *text = column < table->fields->len ? table->fields->pdata[column] : NULL, *comma = NULL;
  if (!text || !*text)
    return FALSE;
  if (table->separator != ',' && (comma = strchr(text, ',')))
    *comma = '.';
  *value = g_ascii_strtod(text, &end);
  return *end == 0 && isfinite(*value);
}

/* The unit that a column's name ends in. */
static gboolean
set_scale(Table *table, int axis, const char *name)
{
  double mpp[2];
  table->scale[axis] = 1;
  if (!g_str_has_suffix(name, "µm") && !g_str_has_suffix(name, "μm") && !g_str_has_suffix(name, "um"))
    return TRUE;
  const VtShapesContext *context = table->reading->context;
  if (!context || !context->slide || !vt_slide_get_mpp(context->slide, &mpp[0], &mpp[1]))
    return vt_shapes_fail(table->reading, table->line,
                          "“%s” is in µm, and no slide says how large its pixels are; open the slide first", name);
  table->scale[axis] = 1 / mpp[axis];
  return TRUE;
}

static gboolean
read_head(Table *table)
{
  static const char *const names[3][8] = {
    { "x", "x px", "x µm", "x μm", "centroid x px", "centroid x µm", "centroid x μm", "x_um" },
    { "y", "y px", "y µm", "y μm", "centroid y px", "centroid y µm", "centroid y μm", "y_um" },
    { "class", "classification", "label", "type", NULL },
  };
  for (int i = 0; i < 3; i++)
    table->columns[i] = G_MAXUINT;
  for (guint column = 0; column < table->fields->len; column++) {
    g_autofree char *name = g_utf8_strdown(table->fields->pdata[column], -1);
    for (int i = 0; i < 3; i++)
      for (guint k = 0; k < G_N_ELEMENTS(names[i]) && names[i][k]; k++)
        if (table->columns[i] == G_MAXUINT && g_str_equal(name, names[i][k])) {
          table->columns[i] = column;
          if (i < 2 && !set_scale(table, i, name))
            return FALSE;
        }
  }
  return (table->columns[0] != G_MAXUINT && table->columns[1] != G_MAXUINT)
         || vt_shapes_fail(table->reading, table->line,
                           "this is neither GeoJSON nor XML, and no table with columns x and y either");
}

static gboolean
add_point(Table *table)
{
  double xy[2];
  for (int i = 0; i < 2; i++) {
    if (!read_number(table, table->columns[i], &xy[i]))
      return vt_shapes_fail(table->reading, table->line, "%s is not a number", i == 0 ? "x" : "y");
    xy[i] *= table->scale[i];
    if (fabs(xy[i]) > VT_SHAPES_MAX_COORDINATE)
      return vt_shapes_fail(table->reading, table->line, "%s is too large", i == 0 ? "x" : "y");
  }
  if (++table->reading->n_points > VT_SHAPES_MAX_POINTS)
    return vt_shapes_fail(table->reading, table->line, "there are more points than can be held");
  const char *class_name = table->columns[2] < table->fields->len ? table->fields->pdata[table->columns[2]] : "";
  GArray *points = g_hash_table_lookup(table->points, class_name);
  if (!points) {
    char *key = g_strdup(class_name);
    points = g_array_new(FALSE, FALSE, sizeof(double));
    g_hash_table_insert(table->points, key, points);
    g_ptr_array_add(table->classes, key);
  }
  g_array_append_vals(points, xy, 2);
  return TRUE;
}

static gboolean
read_rows(Table *table)
{
  double number;
  gboolean is_first = TRUE;
  for (; table->at < table->end; is_first = is_first && table->fields->len == 0) {
    if (table->line % TICK == 0 && !vt_shapes_tick(table->reading, table->at))
      return FALSE;
    if (!read_row(table))
      return FALSE;
    if (table->fields->len == 0)
      continue;
    if (is_first && !read_number(table, 0, &number)) {
      if (!read_head(table))
        return FALSE;
    } else if (!add_point(table)) {
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
vt_shapes_read_csv(VtShapesReading *reading)
{
  Table table = {
    .reading = reading,
    .at = reading->data,
    .end = reading->data + reading->length,
    .separator = find_separator(reading->data, reading->data + reading->length),
    .fields = g_ptr_array_new_with_free_func(g_free),
    .columns = { 0, 1, G_MAXUINT },
    .scale = { 1, 1 },
    .points = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_array_unref),
    .classes = g_ptr_array_new(),
  };
  reading->shapes->format = "CSV";
  const gboolean done = read_rows(&table);
  for (guint i = 0; done && i < table.classes->len; i++) {
    const char *class_name = table.classes->pdata[i];
    const GArray *points = g_hash_table_lookup(table.points, class_name);
    g_autoptr(GArray) size = g_array_new(FALSE, FALSE, sizeof(guint32));
    const guint32 n = points->len / 2;
    g_array_append_val(size, n);
    VtShape *shape = vt_shapes_add(reading->shapes, VT_SHAPE_POINTS, NULL, size, points, NULL);
    shape->class_name = vt_shapes_intern(reading->shapes, class_name);
  }
  g_ptr_array_unref(table.classes);
  g_hash_table_unref(table.points);
  g_ptr_array_unref(table.fields);
  return done;
}
