/* SPDX-License-Identifier: MIT */
#include "base/vt-json.h"

#include <math.h>

#include "base/vt-json-places.h"

enum { LARGEST_MIB = 64 };

void
vt_json_add_string(JsonBuilder *builder, const char *name, const char *value)
{
  json_builder_set_member_name(builder, name);
  if (value)
    json_builder_add_string_value(builder, value);
  else
    json_builder_add_null_value(builder);
}

void
vt_json_add_double(JsonBuilder *builder, const char *name, double value)
{
  json_builder_set_member_name(builder, name);
  if (isfinite(value))
    json_builder_add_double_value(builder, value);
  else
    json_builder_add_null_value(builder);
}

void
vt_json_add_int(JsonBuilder *builder, const char *name, gint64 value)
{
  json_builder_set_member_name(builder, name);
  json_builder_add_int_value(builder, value);
}

void
vt_json_add_boolean(JsonBuilder *builder, const char *name, gboolean value)
{
  json_builder_set_member_name(builder, name);
  json_builder_add_boolean_value(builder, value);
}

void
vt_json_begin_array(JsonBuilder *builder, const char *name)
{
  json_builder_set_member_name(builder, name);
  json_builder_begin_array(builder);
}

void
vt_json_begin_object(JsonBuilder *builder, const char *name)
{
  json_builder_set_member_name(builder, name);
  json_builder_begin_object(builder);
}

void
vt_json_add_strings(JsonBuilder *builder, const char *name, guint n, const char *const *values)
{
  vt_json_begin_array(builder, name);
  for (guint i = 0; i < n; i++)
    json_builder_add_string_value(builder, values[i]);
  json_builder_end_array(builder);
}

void
vt_json_add_doubles(JsonBuilder *builder, const char *name, guint n, const double *values)
{
  vt_json_begin_array(builder, name);
  for (guint i = 0; i < n; i++)
    json_builder_add_double_value(builder, values[i]);
  json_builder_end_array(builder);
}

/* --- what others wrote --- */

JsonObject *
vt_json_load_object(const char *path, GError **error)
{
  g_autoptr(JsonParser) parser = NULL;
  g_autoptr(GHashTable) places = NULL;
  g_autofree char *name = vt_error_dup_name(path);
  g_autofree char *text = vt_json_load_text(path, "record", LARGEST_MIB, error);
  if (!text || !vt_json_parse(text, name, &parser, &places, error))
    return NULL;
  JsonNode *root = json_parser_get_root(parser);
  if (root && JSON_NODE_HOLDS_OBJECT(root))
    return json_object_ref(json_node_get_object(root));
  return vt_error_set_null(error, VITRAIL_BAD_ARGUMENT, "%s is no record: it is no object in braces.", name);
}

static JsonNode *
get_member(JsonObject *object, const char *name, JsonNodeType type)
{
  JsonNode *node = object ? json_object_get_member(object, name) : NULL;
  return node && json_node_get_node_type(node) == type ? node : NULL;
}

JsonObject *
vt_json_get_object(JsonObject *object, const char *name)
{
  JsonNode *node = get_member(object, name, JSON_NODE_OBJECT);
  return node ? json_node_get_object(node) : NULL;
}

JsonArray *
vt_json_get_array(JsonObject *object, const char *name)
{
  JsonNode *node = get_member(object, name, JSON_NODE_ARRAY);
  return node ? json_node_get_array(node) : NULL;
}

const char *
vt_json_get_string(JsonObject *object, const char *name)
{
  JsonNode *node = get_member(object, name, JSON_NODE_VALUE);
  return node ? json_node_get_string(node) : NULL;
}

double
vt_json_get_double(JsonObject *object, const char *name, double otherwise)
{
  JsonNode *node = get_member(object, name, JSON_NODE_VALUE);
  const GType type = node ? json_node_get_value_type(node) : G_TYPE_INVALID;
  return type == G_TYPE_DOUBLE || type == G_TYPE_INT64 ? json_node_get_double(node) : otherwise;
}
