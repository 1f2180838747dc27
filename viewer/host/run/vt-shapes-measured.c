/* SPDX-License-Identifier: MIT
 *
 * Measurements of GeoJSON, in both forms of QuPath: {"Area": 12.5, ...}, and the older [{"name": "Area", "value": 12.5}, ...]. The features of a file mostly have the same
 * names in the same order, so a name is first compared with that of the feature before. */
#include <math.h>

#include "run/vt-shapes-private.h"

typedef struct {
  char *name;    /* a GRefString */
  guint feature; /* the last one that had it, from 1 */
  guint place;   /* of it in `numbers`, in that feature */
} Name;

struct VtShapesMeasuring {
  VtShapes *shapes;
  GHashTable *names; /* Name, by their own text */
  GPtrArray *order;  /* Name: of the features so far, the last that was at each place */
  GArray *numbers;   /* VtMeasuredNumber: of this feature; the names are those of `names` */
  GString *key, *text;
  guint feature;
};

static void
name_free(gpointer data)
{
  Name *name = data;
  g_ref_string_release(name->name);
  g_free(name);
}

VtShapesMeasuring *
vt_shapes_measuring_new(VtShapes *shapes)
{
  VtShapesMeasuring *self = g_new0(VtShapesMeasuring, 1);
  self->shapes = shapes;
  self->names = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, name_free);
  self->order = g_ptr_array_new();
  self->numbers = g_array_new(FALSE, FALSE, sizeof(VtMeasuredNumber));
  self->key = g_string_new(NULL);
  self->text = g_string_new(NULL);
  return self;
}

void
vt_shapes_measuring_free(VtShapesMeasuring *self)
{
  g_hash_table_unref(self->names);
  g_ptr_array_unref(self->order);
  g_array_unref(self->numbers);
  g_string_free(self->key, TRUE);
  g_string_free(self->text, TRUE);
  g_free(self);
}

/* NULL: it is one name too many. */
static Name *
find_name(VtShapesMeasuring *self, const char *text)
{
  const guint place = self->numbers->len;
  Name *name = place < self->order->len ? self->order->pdata[place] : NULL;
  if (name && g_str_equal(name->name, text))
    return name;
  name = g_hash_table_lookup(self->names, text);
  if (!name && g_hash_table_size(self->names) < VT_MEASURED_MOST_NAMES) {
    name = g_new0(Name, 1);
    name->name = g_ref_string_new_intern(text);
    g_hash_table_insert(self->names, name->name, name);
  }
  return name;
}

static void
take(VtShapesMeasuring *self, const char *text, double value)
{
  Name *name = find_name(self, text);
  if (!name) {
    self->shapes->n_beyond++;
    return;
  }
  if (name->feature == self->feature) { /* the last one counts, as in QuPath */
    double *former = &g_array_index(self->numbers, VtMeasuredNumber, name->place).value;
    self->shapes->n_twice += *former != value && !(isnan(*former) && isnan(value));
    *former = value;
    return;
  }
  const VtMeasuredNumber number = { name->name, value };
  name->feature = self->feature;
  name->place = self->numbers->len;
  if (name->place == self->order->len)
    g_ptr_array_add(self->order, name);
  self->order->pdata[name->place] = name;
  g_array_append_val(self->numbers, number);
}

typedef enum { NOTHING, A_NUMBER, SOMETHING_ELSE } Value;

static Value
read_value(VtShapesMeasuring *self, VtJsonScan *scan, double *value)
{
  if (vt_json_scan_number(scan, value))
    return isfinite(*value) ? A_NUMBER : SOMETHING_ELSE; /* else it is beyond what a double holds */
  if (vt_json_scan_string(scan, self->text))
    return vt_measured_parse_word(self->text->str, value) ? A_NUMBER : SOMETHING_ELSE;
  const char *start = scan->at;
  if (scan->problem || !vt_json_scan_skip(scan))
    return NOTHING;
  g_string_truncate(self->text, 0);
  if (*start != '{' && *start != '[')
    g_string_append_len(self->text, start, scan->at - start);
  if (g_str_equal(self->text->str, "null"))
    return NOTHING;
  return vt_measured_parse_word(self->text->str, value) ? A_NUMBER : SOMETHING_ELSE;
}

static void
take_value(VtShapesMeasuring *self, const char *name, Value kind, double value)
{
  if (kind == A_NUMBER && *name)
    take(self, name, value);
  else if (kind != NOTHING)
    self->shapes->n_no_numbers++;
}

/* {"name": "Area", "value": 12.5}; anything else is no measurement. */
static void
read_pair(VtShapesMeasuring *self, VtJsonScan *scan)
{
  gboolean is_first = TRUE;
  g_autofree char *name = NULL;
  double value = NAN;
  Value kind = NOTHING;
  if (vt_json_scan_peek(scan) != '{') {
    if (vt_json_scan_skip(scan))
      self->shapes->n_no_numbers++;
    return;
  }
  vt_json_scan_open(scan, '{');
  while (vt_json_scan_next_member(scan, &is_first, self->key)) {
    if (g_str_equal(self->key->str, "value")) {
      kind = read_value(self, scan, &value);
    } else if (g_str_equal(self->key->str, "name") && vt_json_scan_string(scan, self->text)) {
      g_free(name);
      name = g_strdup(self->text->str);
    } else if (!scan->problem) {
      vt_json_scan_skip(scan);
    }
  }
  take_value(self, name ? name : "", kind, value);
}

VtMeasured *
vt_shapes_read_measurements(VtShapesMeasuring *self, VtJsonScan *scan)
{
  const char first = vt_json_scan_peek(scan);
  gboolean is_first = TRUE;
  double value = NAN;
  self->feature++;
  g_array_set_size(self->numbers, 0);
  if (first == '{') {
    vt_json_scan_open(scan, '{');
    while (vt_json_scan_next_member(scan, &is_first, self->key)) {
      const Value kind = read_value(self, scan, &value);
      take_value(self, self->key->str, kind, value);
    }
  } else if (first == '[') {
    vt_json_scan_open(scan, '[');
    while (vt_json_scan_next(scan, &is_first))
      read_pair(self, scan);
  } else {
    vt_json_scan_skip(scan);
  }
  const gboolean has_some = !scan->problem && self->numbers->len > 0;
  return has_some ? vt_measured_new((const VtMeasuredNumber *)(gpointer)self->numbers->data, self->numbers->len) : NULL;
}
