/* SPDX-License-Identifier: MIT */
#include "base/vt-json.h"

#include <math.h>
#include <sys/stat.h>

#define LARGEST_FILE (64 << 20)

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

gboolean
vt_json_check_text(const char *data, gsize length, char **problem)
{
  gboolean in_string = FALSE;
  guint depth = 0;
  *problem = g_utf8_validate(data, (gssize)length, NULL) ? NULL : g_strdup("is not text");
  for (gsize i = 0; i < length && !*problem; i++) {
    const char c = data[i];
    if (in_string && c == '\\')
      i++;
    else if (c == '"')
      in_string = !in_string;
    else if (in_string)
      continue;
    else if (c == '/' || c == '#' || c == '\'')
      *problem = g_strdup_printf("is not JSON (a “%c” outside of a string)", c);
    else if (c == '[' || c == '{')
      depth++;
    else if ((c == ']' || c == '}') && depth > 0)
      depth--;
    if (depth > VT_JSON_DEEPEST)
      *problem = g_strdup("is nested too deeply");
  }
  return !*problem;
}

static JsonObject *
refuse(GError **error, const char *path, const char *problem)
{
  g_autofree char *shown = g_filename_display_name(path);
  g_set_error(error, VT_ERROR, VITRAIL_READ_FAILED, "%s cannot be read: it %s.", shown, problem);
  return NULL;
}

JsonObject *
vt_json_load_object(const char *path, GError **error)
{
  g_autoptr(JsonParser) parser = json_parser_new();
  g_autoptr(GError) local = NULL;
  g_autofree char *data = NULL, *problem = NULL;
  struct stat info;
  gsize length = 0;
  if (stat(path, &info) != 0)
    return refuse(error, path, "is not there, or not for you to read");
  if (!S_ISREG(info.st_mode)) /* to open a pipe would wait for its writer */
    return refuse(error, path, "is no regular file");
  if (info.st_size > LARGEST_FILE)
    return refuse(error, path, "is larger than 64 MiB");
  if (!g_file_get_contents(path, &data, &length, &local))
    return refuse(error, path, "is not there, or not for you to read");
  if (!vt_json_check_text(data, length, &problem))
    return refuse(error, path, problem);
  if (!json_parser_load_from_data(parser, data, (gssize)length, &local)) {
    problem = g_strdup_printf("is not JSON (%s)", local->message);
    return refuse(error, path, problem);
  }
  JsonNode *root = json_parser_get_root(parser);
  return root && JSON_NODE_HOLDS_OBJECT(root) ? json_object_ref(json_node_get_object(root))
                                              : refuse(error, path, "is no object in braces");
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
