/* SPDX-License-Identifier: MIT
 *
 * Model files. Every key is known by name; what is wrong is told with its place. */
#include <math.h>
#include <string.h>

#include "base/vt-file-private.h"
#include "base/vt-json-places.h"
#include "run/vt-model.h"

#define SCHEMA 1

/* --- writing --- */

static int
compare_examples(gconstpointer a, gconstpointer b)
{
  const VtModelExample *p = *(const VtModelExample *const *)a, *q = *(const VtModelExample *const *)b;
  const int by_image = strcmp(p->image, q->image);
  return by_image             ? by_image
         : p->y_l0 != q->y_l0 ? (p->y_l0 > q->y_l0) - (p->y_l0 < q->y_l0)
                              : (p->x_l0 > q->x_l0) - (p->x_l0 < q->x_l0);
}

static void
append_texts(GString *text, const char *key, const GPtrArray *texts)
{
  g_string_append_printf(text, ",\n  \"%s\": [", key);
  for (guint i = 0; i < texts->len; i++) {
    g_string_append(text, i > 0 ? ", " : "");
    vt_text_append_json_string(text, texts->pdata[i]);
  }
  g_string_append(text, "]");
}

static void
append_example(GString *text, const VtModelExample *example, guint n_features)
{
  g_string_append(text, "\n    {\"image\": ");
  vt_text_append_json_string(text, example->image);
  g_string_append(text, ", \"x\": ");
  vt_text_append_double(text, example->x_l0);
  g_string_append(text, ", \"y\": ");
  vt_text_append_double(text, example->y_l0);
  g_string_append_printf(text, ", \"class\": %u, \"values\": [", example->cls);
  for (guint i = 0; i < n_features; i++) {
    g_string_append(text, i > 0 ? ", " : "");
    if (isfinite(example->values[i]))
      vt_text_append_double(text, example->values[i] + 0.0); /* -0 would be read as 0, which has another hash */
    else
      g_string_append(text, "null");
  }
  g_string_append(text, "]}");
}

/* All but the hash, and the brace at the end. */
static GString *
write_body(const VtModel *model)
{
  GString *text = g_string_new("{\n  \"vitrail-model\": 1,\n  \"op\": ");
  g_autoptr(GPtrArray) sorted = g_ptr_array_new();
  vt_text_append_json_string(text, model->op);
  if (model->score) {
    g_string_append(text, ",\n  \"score\": ");
    vt_text_append_json_string(text, model->score);
  }
  append_texts(text, "params", model->params);
  append_texts(text, "features", model->features);
  g_string_append(text, ",\n  \"classes\": [");
  for (guint i = 0; i < model->classes->len; i++) {
    const VtModelClass *cls = model->classes->pdata[i];
    g_string_append(text, i > 0 ? ",\n    {\"name\": " : "\n    {\"name\": ");
    vt_text_append_json_string(text, cls->name);
    g_string_append_printf(text, ", \"colour\": \"#%02x%02x%02x\", \"left-out\": %s}", cls->rgb[0], cls->rgb[1],
                           cls->rgb[2], cls->is_left_out ? "true" : "false");
  }
  g_string_append(text, "\n  ],\n  \"examples\": [");
  g_ptr_array_extend(sorted, model->examples, NULL, NULL);
  g_ptr_array_sort(sorted, compare_examples);
  for (guint i = 0; i < sorted->len; i++) {
    g_string_append(text, i > 0 ? "," : "");
    append_example(text, sorted->pdata[i], model->features->len);
  }
  g_string_append(text, "\n  ]");
  return text;
}

static char *
hash_of(const GString *body)
{
  g_autofree char *hex = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)body->str, body->len);
  return g_strconcat("sha256:", hex, NULL);
}

char *
vt_model_dup_hash(const VtModel *model)
{
  GString *body = write_body(model);
  char *hash = hash_of(body);
  g_string_free(body, TRUE);
  return hash;
}

char *
vt_model_to_text(const VtModel *model)
{
  GString *text = write_body(model);
  g_autofree char *hash = hash_of(text);
  g_string_append_printf(text, ",\n  \"hash\": \"%s\"\n}\n", hash);
  return g_string_free(text, FALSE);
}

gboolean
vt_model_save(const VtModel *model, const char *path, GError **error)
{
  g_autofree char *text = vt_model_to_text(model);
  g_autoptr(GString) whole = g_string_new(text);
  return vt_file_write_text(path, whole, error);
}

/* --- reading --- */

typedef VtJsonReader Reader;

/* All of them are there, and no other; the last one may be missing. */
static gboolean
check_keys(const Reader *r, const char *pointer, JsonNode *node, const char *const *keys, gboolean last_is_optional)
{
  if (!node || !JSON_NODE_HOLDS_OBJECT(node))
    return vt_json_fail(r, pointer, "Here an object in braces is needed.");
  JsonObject *object = json_node_get_object(node);
  g_autoptr(GList) members = json_object_get_members(object);
  g_autofree char *known = g_strjoinv(", ", (char **)keys);
  for (GList *link = members; link; link = link->next) {
    g_autofree char *path = g_strconcat(pointer, "/", link->data, NULL);
    if (!g_strv_contains(keys, link->data))
      return vt_json_fail(r, path, "There is no key “%s” here; there are: %s.", (char *)link->data, known);
  }
  for (; *keys; keys++)
    if (!json_object_has_member(object, *keys) && !(last_is_optional && !keys[1]))
      return vt_json_fail(r, pointer, "The key “%s” is missing.", *keys);
  return TRUE;
}

static gboolean
read_text(const Reader *r, const char *pointer, JsonNode *node, const char **text)
{
  if (!vt_json_is_of(node, G_TYPE_STRING))
    return vt_json_fail(r, pointer, "Here a text is needed.");
  *text = json_node_get_string(node);
  return TRUE;
}

static gboolean
read_number(const Reader *r, const char *pointer, JsonNode *node, double *number)
{
  return vt_json_get_number(node, number) || vt_json_fail(r, pointer, "Here a number is needed.");
}

typedef gboolean (*ReadItem)(const Reader *r, const char *pointer, JsonNode *node, VtModel *model);

static gboolean
read_list(const Reader *r, const char *key, JsonObject *root, guint most, ReadItem read, VtModel *model)
{
  JsonNode *node = json_object_get_member(root, key);
  g_autofree char *pointer = g_strconcat("/", key, NULL);
  if (!JSON_NODE_HOLDS_ARRAY(node))
    return vt_json_fail(r, pointer, "Here a list is needed.");
  JsonArray *array = json_node_get_array(node);
  if (json_array_get_length(array) > most)
    return vt_json_fail(r, pointer, "There are more than %u %s.", most, key);
  for (guint i = 0; i < json_array_get_length(array); i++) {
    g_autofree char *path = g_strdup_printf("%s/%u", pointer, i);
    if (!read(r, path, json_array_get_element(array, i), model))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_param(const Reader *r, const char *pointer, JsonNode *node, VtModel *model)
{
  const char *text = NULL;
  if (!read_text(r, pointer, node, &text))
    return FALSE;
  if (!strchr(text, '='))
    return vt_json_fail(r, pointer, "A parameter is a text such as “min-area=10”.");
  g_ptr_array_add(model->params, g_strdup(text));
  return TRUE;
}

static gboolean
read_feature(const Reader *r, const char *pointer, JsonNode *node, VtModel *model)
{
  const char *text = NULL;
  if (!read_text(r, pointer, node, &text))
    return FALSE;
  if (!*text || g_ptr_array_find(model->features, g_intern_string(text), NULL))
    return vt_json_fail(r, pointer, *text ? "This feature is there twice." : "This feature has no name.");
  g_ptr_array_add(model->features, (gpointer)g_intern_string(text));
  return TRUE;
}

static gboolean
read_colour(const char *text, guint8 rgb[3])
{
  gboolean fine = strlen(text) == 7 && text[0] == '#';
  for (int i = 0; fine && i < 6; i++)
    fine = g_ascii_isxdigit(text[1 + i]);
  for (int i = 0; fine && i < 3; i++)
    rgb[i] = (guint8)(16 * g_ascii_xdigit_value(text[1 + 2 * i]) + g_ascii_xdigit_value(text[2 + 2 * i]));
  return fine;
}

static gboolean
read_class(const Reader *r, const char *pointer, JsonNode *node, VtModel *model)
{
  static const char *const keys[] = { "name", "colour", "left-out", NULL };
  const char *name = NULL, *colour = NULL;
  guint8 rgb[3];
  if (!check_keys(r, pointer, node, keys, FALSE))
    return FALSE;
  JsonObject *object = json_node_get_object(node);
  JsonNode *left_out = json_object_get_member(object, "left-out");
  if (!read_text(r, pointer, json_object_get_member(object, "name"), &name)
      || !read_text(r, pointer, json_object_get_member(object, "colour"), &colour))
    return FALSE;
  for (guint i = 0; i < model->classes->len; i++)
    if (g_str_equal(((VtModelClass *)model->classes->pdata[i])->name, name))
      return vt_json_fail(r, pointer, "This class is there twice.");
  if (!*name || !read_colour(colour, rgb) || !vt_json_is_of(left_out, G_TYPE_BOOLEAN))
    return vt_json_fail(r, pointer,
                        "A class has a name, a colour such as “#e01b24”, and is left out or not: true or false.");
  vt_model_add_class(model, name, rgb, json_node_get_boolean(left_out));
  return TRUE;
}

static gboolean
read_values(const Reader *r, const char *pointer, JsonNode *node, guint n, double *values)
{
  JsonArray *array = node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
  if (!array || json_array_get_length(array) != n)
    return vt_json_fail(r, pointer, "An example has a list of as many values as there are features: %u.", n);
  for (guint i = 0; i < n; i++) {
    JsonNode *value = json_array_get_element(array, i);
    values[i] = NAN;
    if (!JSON_NODE_HOLDS_NULL(value) && !read_number(r, pointer, value, &values[i]))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_example(const Reader *r, const char *pointer, JsonNode *node, VtModel *model)
{
  static const char *const keys[] = { "image", "x", "y", "class", "values", NULL };
  const char *image = NULL;
  double cls = 0;
  if (!check_keys(r, pointer, node, keys, FALSE))
    return FALSE;
  JsonObject *object = json_node_get_object(node);
  VtModelExample *example = g_new0(VtModelExample, 1);
  example->values = g_new0(double, model->features->len + 1);
  example->image = g_strdup("");
  g_ptr_array_add(model->examples, example);
  if (!read_text(r, pointer, json_object_get_member(object, "image"), &image)
      || !read_number(r, pointer, json_object_get_member(object, "x"), &example->x_l0)
      || !read_number(r, pointer, json_object_get_member(object, "y"), &example->y_l0)
      || !read_number(r, pointer, json_object_get_member(object, "class"), &cls)
      || !read_values(r, pointer, json_object_get_member(object, "values"), model->features->len, example->values))
    return FALSE;
  if (!(cls >= 0 && cls < model->classes->len) || cls != floor(cls))
    return vt_json_fail(r, pointer, "The class of an example is the number of one of the classes, from 0 on.");
  g_free(example->image);
  example->image = g_strdup(image);
  example->cls = (guint)cls;
  return TRUE;
}

static gboolean
read_root(const Reader *r, JsonNode *root, VtModel *model)
{
  static const char *const keys[] = { "vitrail-model", "op",   "params", "features", "classes",
                                      "examples",      "hash", "score",  NULL };
  const char *op = NULL, *hash = NULL, *score = NULL;
  double schema = 0;
  if (!check_keys(r, "", root, keys, TRUE))
    return FALSE;
  JsonObject *object = json_node_get_object(root);
  if (!read_number(r, "/vitrail-model", json_object_get_member(object, "vitrail-model"), &schema))
    return FALSE;
  if (schema != SCHEMA)
    return vt_json_fail(r, "/vitrail-model", "The model's schema is not version 1, which this program reads.");
  if (!read_text(r, "/op", json_object_get_member(object, "op"), &op)
      || !read_list(r, "params", object, 64, read_param, model)
      || !read_list(r, "features", object, VT_FOREST_MAX_FEATURES, read_feature, model)
      || !read_list(r, "classes", object, VT_CLASSES_MOST, read_class, model)
      || !read_list(r, "examples", object, VT_CLASSES_EXAMPLES, read_example, model)
      || !read_text(r, "/hash", json_object_get_member(object, "hash"), &hash)
      || (json_object_has_member(object, "score")
          && !read_text(r, "/score", json_object_get_member(object, "score"), &score)))
    return FALSE;
  if (score && model->classes->len != 2)
    return vt_json_fail(r, "/classes", "A model of a score has two classes: what is wanted, and what is not.");
  model->score = g_strdup(score);
  g_free(model->op);
  model->op = g_strdup(op);
  g_autofree char *own = vt_model_dup_hash(model);
  return g_str_equal(own, hash)
         || vt_json_fail(r, "/hash",
                         "The hash is not that of the model, which was changed after it was saved: teach it anew.");
}

static VtModel *
read_model(JsonParser *parser, const char *name, GHashTable *places, GError **error)
{
  g_autoptr(VtModel) model = vt_model_new("");
  const Reader r = { name, places, error };
  return read_root(&r, json_parser_get_root(parser), model) ? g_steal_pointer(&model) : NULL;
}

VtModel *
vt_model_parse(const char *text, const char *name, GError **error)
{
  g_autoptr(JsonParser) parser = NULL;
  g_autoptr(GHashTable) places = NULL;
  return vt_json_parse(text, name, &parser, &places, error) ? read_model(parser, name, places, error) : NULL;
}

/* Of a record: the model that taught its run. NULL: it is none, or nothing did. */
static char *
dup_taught(JsonParser *parser)
{
  JsonNode *root = json_parser_get_root(parser);
  JsonObject *record = root && JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
  JsonNode *taught =
    record && json_object_has_member(record, "program") ? json_object_get_member(record, "taught") : NULL;
  return taught ? json_to_string(taught, FALSE) : NULL;
}

VtModel *
vt_model_load(const char *path, GError **error)
{
  g_autoptr(JsonParser) parser = NULL;
  g_autoptr(GHashTable) places = NULL;
  g_autofree char *name = vt_error_dup_name(path);
  g_autofree char *text = vt_json_load_text(path, "model", 256, error);
  if (!text || !vt_json_parse(text, name, &parser, &places, error))
    return NULL;
  g_autofree char *taught = dup_taught(parser);
  if (!taught)
    return read_model(parser, name, places, error);
  g_autofree char *shown = g_strdup_printf("%s, “taught”", name);
  return vt_model_parse(taught, shown, error);
}
