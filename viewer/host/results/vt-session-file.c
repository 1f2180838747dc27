/* SPDX-License-Identifier: MIT */
#include "results/vt-session-file.h"

#include <math.h>

#include "base/vt-file-private.h"
#include "base/vt-json-places.h"
#include "results/vt-session-keys.h"

#define LARGEST_MIB 256

/* --- writing --- */

static void
add_numbers(JsonBuilder *builder, const GArray *numbers)
{
  json_builder_begin_array(builder);
  for (guint i = 0; i < numbers->len; i++)
    json_builder_add_double_value(builder, g_array_index(numbers, double, i));
  json_builder_end_array(builder);
}

static void
add_path(JsonBuilder *builder, const char *path)
{
  g_autofree char *text = vt_path_dup_text(path);
  json_builder_add_string_value(builder, text);
}

static void
add_measured(JsonBuilder *builder, const VtMeasured *measured)
{
  json_builder_begin_object(builder);
  for (guint i = 0; i < measured->n; i++) {
    const double value = measured->numbers[i].value;
    json_builder_set_member_name(builder, measured->numbers[i].name);
    if (isfinite(value))
      json_builder_add_double_value(builder, value);
    else
      json_builder_add_string_value(builder, isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
  }
  json_builder_end_object(builder);
}

static void write_object(JsonBuilder *builder, const Kind *kind, gconstpointer object, const char *folder);

static void
write_list(JsonBuilder *builder, const Field *field, const GPtrArray *list, const char *folder)
{
  json_builder_begin_array(builder);
  for (guint i = 0; i < list->len; i++) {
    if (field->type == LIST)
      write_object(builder, field->of, list->pdata[i], folder);
    else if (field->type == RINGS)
      add_numbers(builder, list->pdata[i]);
    else
      json_builder_add_string_value(builder, list->pdata[i]);
  }
  json_builder_end_array(builder);
}

static void
write_field(JsonBuilder *builder, const Field *field, gconstpointer object, const char *folder)
{
  switch (field->type) {
  case TEXT: json_builder_add_string_value(builder, MEMBER(const char *, object, field)); break;
  case PATH: add_path(builder, MEMBER(const char *, object, field)); break;
  case FLAG: json_builder_add_boolean_value(builder, MEMBER(gboolean, object, field)); break;
  case WHOLE: json_builder_add_int_value(builder, MEMBER(gint64, object, field)); break;
  case NUMBER: json_builder_add_double_value(builder, MEMBER(double, object, field)); break;
  case NUMBERS: add_numbers(builder, MEMBER(const GArray *, object, field)); break;
  case MEASURED: add_measured(builder, MEMBER(const VtMeasured *, object, field)); break;
  default: write_list(builder, field, MEMBER(const GPtrArray *, object, field), folder); break;
  }
}

static gboolean
is_empty(const Field *field, gconstpointer object)
{
  switch (field->type) {
  case TEXT:
  case PATH: return !MEMBER(const char *, object, field);
  case NUMBERS: return MEMBER(const GArray *, object, field)->len == 0;
  case MEASURED: return !MEMBER(const VtMeasured *, object, field);
  case TEXTS:
  case RINGS:
  case LIST: return MEMBER(const GPtrArray *, object, field)->len == 0 && !field->is_needed;
  default: return FALSE;
  }
}

static void
write_object(JsonBuilder *builder, const Kind *kind, gconstpointer object, const char *folder)
{
  json_builder_begin_object(builder);
  for (guint i = 0; i < kind->n; i++) {
    const Field *field = &kind->fields[i];
    if (is_empty(field, object))
      continue;
    json_builder_set_member_name(builder, field->key);
    if (folder && field->is_relative) {
      g_autofree char *path = vt_session_dup_relative(folder, MEMBER(const char *, object, field));
      add_path(builder, path);
    } else {
      write_field(builder, field, object, folder);
    }
  }
  json_builder_end_object(builder);
}

char *
vt_session_file_to_text(const VtSessionFile *self, const char *folder)
{
  g_autoptr(JsonBuilder) builder = json_builder_new();
  GString *text = g_string_new(NULL);
  g_autofree char *canonical = folder ? g_canonicalize_filename(folder, NULL) : NULL;
  write_object(builder, &vt_session_file_kind, self, canonical);
  g_autoptr(JsonNode) root = json_builder_get_root(builder);
  vt_text_append_json(text, root, 0);
  g_string_append_c(text, '\n');
  return g_string_free(text, FALSE);
}

/* --- reading --- */

typedef VtJsonReader Reader;

static void
clear_number(gpointer number)
{
  g_ref_string_release(((VtMeasuredNumber *)number)->name);
}

static gboolean
to_number(JsonNode *node, const Field *field, double *number)
{
  if (!vt_json_get_number(node, number) || !(*number >= field->min && *number <= field->max))
    return FALSE;
  *number += 0.0; /* minus zero is written as an integer, which has none */
  return TRUE;
}

static gboolean
read_numbers(const Field *field, JsonNode *node, GArray *numbers)
{
  JsonArray *array = JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
  for (guint i = 0; array && i < json_array_get_length(array); i++) {
    double number = 0;
    if (!to_number(json_array_get_element(array, i), field, &number))
      return FALSE;
    g_array_append_val(numbers, number);
  }
  return array != NULL;
}

/* Closed polygons of three corners at least, lines of two, or points. */
static gboolean
read_rings(const Reader *r, const Field *field, JsonArray *array, const char *pointer, GPtrArray *rings)
{
  for (guint i = 0; i < json_array_get_length(array); i++) {
    GArray *ring = g_array_new(FALSE, FALSE, sizeof(double));
    g_ptr_array_add(rings, ring);
    const guint least = field->least > 0 ? field->least : 6;
    if (!read_numbers(field, json_array_get_element(array, i), ring) || ring->len < least || ring->len % 2 != 0)
      return vt_json_fail(r, pointer, "“%s” takes lists of at least %s numbers, x and y of each %s.", field->key,
                          least == 6   ? "six"
                          : least == 4 ? "four"
                                       : "two",
                          least == 6 ? "corner" : "point");
  }
  return rings->len > 0 || vt_json_fail(r, pointer, "“%s” is empty.", field->key);
}

/* In the order of the file. */
static gboolean
read_measured(const Reader *r, const Field *field, JsonNode *node, const char *pointer, VtMeasured **measured)
{
  g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(VtMeasuredNumber));
  if (!JSON_NODE_HOLDS_OBJECT(node))
    return vt_json_fail(r, pointer, "“%s” takes an object.", field->key);
  g_array_set_clear_func(numbers, clear_number);
  JsonObject *json = json_node_get_object(node);
  g_autoptr(GList) names = json_object_get_members(json);
  for (GList *link = names; link; link = link->next) {
    JsonNode *value = json_object_get_member(json, link->data);
    VtMeasuredNumber number = { .value = NAN };
    if (!vt_json_get_number(value, &number.value)
        && !(vt_json_is_of(value, G_TYPE_STRING)
             && vt_measured_parse_word(json_node_get_string(value), &number.value))) {
      g_autofree char *own = g_strdup_printf("%s/%s", pointer, (const char *)link->data);
      return vt_json_fail(r, own, "“%s” takes numbers, “NaN”, “Infinity” and “-Infinity”.", field->key);
    }
    number.name = g_ref_string_new_intern(link->data);
    g_array_append_val(numbers, number);
  }
  if (numbers->len > 0)
    *measured = vt_measured_new((const VtMeasuredNumber *)(gpointer)numbers->data, numbers->len);
  return TRUE;
}

static gboolean read_object(const Reader *r, const Kind *kind, JsonNode *node, const char *pointer, gpointer object);

static gboolean
read_list(const Reader *r, const Field *field, JsonNode *node, const char *pointer, GPtrArray *list)
{
  JsonArray *array = JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
  if (!array)
    return vt_json_fail(r, pointer, "“%s” takes a list.", field->key);
  if (field->type == RINGS)
    return read_rings(r, field, array, pointer, list);
  if (field->type == LIST && field->max > 0 && json_array_get_length(array) > field->max)
    return vt_json_fail(r, pointer, "“%s” takes %g at most.", field->key, field->max);
  for (guint i = 0; i < json_array_get_length(array); i++) {
    JsonNode *element = json_array_get_element(array, i);
    g_autofree char *own = g_strdup_printf("%s/%u", pointer, i);
    if (field->type == LIST && !read_object(r, field->of, element, own, vt_session_list_add(list, field->of)))
      return FALSE;
    if (field->type == TEXTS && !vt_json_is_of(element, G_TYPE_STRING))
      return vt_json_fail(r, own, "“%s” takes texts.", field->key);
    if (field->type == TEXTS)
      g_ptr_array_add(list, g_strdup(json_node_get_string(element)));
  }
  return TRUE;
}

static gboolean
read_field(const Reader *r, const Field *field, JsonNode *node, const char *pointer, gpointer object)
{
  double number = 0;
  switch (field->type) {
  case TEXT:
  case PATH:
    if (!vt_json_is_of(node, G_TYPE_STRING))
      return vt_json_fail(r, pointer, "“%s” takes a text.", field->key);
    MEMBER(char *, object, field) =
      field->type == PATH ? vt_path_dup_of_text(json_node_get_string(node)) : g_strdup(json_node_get_string(node));
    return TRUE;
  case FLAG:
    if (!vt_json_is_of(node, G_TYPE_BOOLEAN))
      return vt_json_fail(r, pointer, "“%s” takes true or false.", field->key);
    MEMBER(gboolean, object, field) = json_node_get_boolean(node);
    return TRUE;
  case WHOLE:
    if (!to_number(node, field, &number) || number != floor(number))
      return vt_json_fail(r, pointer, "“%s” takes a whole number from %g to %g.", field->key, field->min, field->max);
    MEMBER(gint64, object, field) = (gint64)number;
    return TRUE;
  case NUMBER:
    return to_number(node, field, &MEMBER(double, object, field))
           || vt_json_fail(r, pointer, "“%s” takes a number from %g to %g.", field->key, field->min, field->max);
  case NUMBERS:
    return (read_numbers(field, node, MEMBER(GArray *, object, field)) && MEMBER(GArray *, object, field)->len == 2)
           || vt_json_fail(r, pointer, "“%s” takes a list of two numbers.", field->key);
  case MEASURED: return read_measured(r, field, node, pointer, &MEMBER(VtMeasured *, object, field));
  default: return read_list(r, field, node, pointer, MEMBER(GPtrArray *, object, field));
  }
}

static const Field *
find_field(const Kind *kind, const char *key)
{
  for (guint i = 0; i < kind->n; i++)
    if (g_str_equal(kind->fields[i].key, key))
      return &kind->fields[i];
  return NULL;
}

static gboolean
has_needed(const Reader *r, const Kind *kind, JsonObject *json, const char *pointer)
{
  const char *one = NULL, *first = NULL;
  for (guint i = 0; i < kind->n; i++) {
    const Field *field = &kind->fields[i];
    const gboolean is_there = json_object_has_member(json, field->key);
    if (field->is_needed && !is_there)
      return vt_json_fail(r, pointer, "“%s” is missing.", field->key);
    if (field->is_one_of && one && is_there)
      return vt_json_fail(r, pointer, "There can be “%s” or “%s”, not both.", one, field->key);
    if (field->is_one_of) {
      first = first ? first : field->key;
      one = is_there ? field->key : one;
    }
  }
  return one || !first || vt_json_fail(r, pointer, "“%s” is missing.", first);
}

static gboolean
read_object(const Reader *r, const Kind *kind, JsonNode *node, const char *pointer, gpointer object)
{
  if (!JSON_NODE_HOLDS_OBJECT(node))
    return vt_json_fail(r, pointer, "There must be an object here.");
  JsonObject *json = json_node_get_object(node);
  g_autoptr(GList) keys = json_object_get_members(json);
  for (GList *link = keys; link; link = link->next) {
    const Field *field = find_field(kind, link->data);
    g_autofree char *own = g_strdup_printf("%s/%s", pointer, (const char *)link->data);
    if (!field)
      return vt_json_fail(r, own, "“%s” is not known here.", (const char *)link->data);
    if (!read_field(r, field, json_object_get_member(json, link->data), own, object))
      return FALSE;
  }
  return has_needed(r, kind, json, pointer);
}

/* A newer program's file may hold anything; it is refused for that alone. */
static gboolean
check_version(const Reader *r, JsonNode *root)
{
  JsonObject *json = JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
  JsonNode *version = json ? json_object_get_member(json, vt_session_file_kind.fields[0].key) : NULL;
  if (!version)
    return vt_json_fail(r, "", "This is no session of Vitrail: “%s” is missing.", vt_session_file_kind.fields[0].key);
  if (vt_json_is_of(version, G_TYPE_INT64) && json_node_get_int(version) > VT_SESSION_VERSION)
    return vt_json_fail(r, "", "This session is of version %" G_GINT64_FORMAT ", and this program reads version %d.",
                        json_node_get_int(version), VT_SESSION_VERSION);
  return TRUE;
}

VtSessionFile *
vt_session_file_parse(const char *text, const char *name, GError **error)
{
  g_autoptr(JsonParser) parser = NULL;
  g_autoptr(GHashTable) places = NULL;
  if (!vt_json_parse(text, name, &parser, &places, error))
    return NULL;
  const Reader r = { name, places, error };
  g_autoptr(VtSessionFile) self = vt_session_file_new();
  JsonNode *root = json_parser_get_root(parser);
  return check_version(&r, root) && read_object(&r, &vt_session_file_kind, root, "", self) ? g_steal_pointer(&self)
                                                                                           : NULL;
}

VtSessionFile *
vt_session_file_read(const char *path, GError **error)
{
  g_autofree char *name = vt_error_dup_name(path);
  g_autofree char *absolute = g_canonicalize_filename(path, NULL), *folder = g_path_get_dirname(absolute);
  g_autofree char *text = vt_json_load_text(path, "session", LARGEST_MIB, error);
  if (!text)
    return NULL;
  VtSessionFile *self = vt_session_file_parse(text, name, error);
  if (self)
    vt_session_file_find_files(self, folder);
  return self;
}
