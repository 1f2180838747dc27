/* SPDX-License-Identifier: MIT
 *
 * Reads recipes. Every key is known by name; what is missing takes its default; what is wrong is told with its place. */
#include "plugins/vt-recipe-private.h"

#include <string.h>

#include "base/vt-define.h"
#include "base/vt-json-places.h"
#include "plugins/vt-recipe-readers.h"
#include "plugins/vt-recipe-words.h"

typedef VtRecipeReader Reader;

gpointer
vt_recipe_allocate(const Reader *r, gsize n, gsize size)
{
  gpointer memory = g_malloc0_n(n + 1, size);
  g_ptr_array_add(r->file->memory, memory);
  return memory;
}

static gboolean
fail_member(const Reader *r, const char *pointer, const char *key, const char *what)
{
  g_autofree char *path = g_strconcat(pointer, "/", key, NULL);
  return vt_recipe_fail(r, path, "“%s” is %s.", key, what);
}

/* --- members --- */

static gboolean
check_keys(const Reader *r, const char *pointer, JsonObject *object, const char *const *keys)
{
  g_autoptr(GList) members = json_object_get_members(object);
  for (GList *link = members; link; link = link->next) {
    if (!g_strv_contains(keys, link->data)) {
      g_autofree char *path = g_strconcat(pointer, "/", link->data, NULL);
      g_autofree char *known = g_strjoinv(", ", (char **)keys);
      return vt_recipe_fail(r, path, "There is no key “%s” here; there are: %s.", (char *)link->data, known);
    }
  }
  return TRUE;
}

/* One line; of what helps, several. A control character would go on to terminals and tables. */
static gboolean
is_plain(const char *text, gboolean may_have_lines)
{
  for (const char *at = text; *at; at = g_utf8_next_char(at))
    if (g_unichar_iscntrl(g_utf8_get_char(at)) && !(may_have_lines && *at == '\n'))
      return FALSE;
  return TRUE;
}

static gboolean
read_text(const Reader *r, const char *pointer, JsonObject *object, const char *key, const char **text)
{
  JsonNode *node = json_object_get_member(object, key);
  if (node && !vt_json_is_of(node, G_TYPE_STRING))
    return fail_member(r, pointer, key, "a text");
  if (node && !is_plain(json_node_get_string(node), g_str_equal(key, "help")))
    return fail_member(r, pointer, key, "one line of text without control characters");
  if (node)
    *text = json_node_get_string(node);
  return TRUE;
}

static gboolean
read_number(const Reader *r, const char *pointer, JsonObject *object, const char *key, double *number)
{
  JsonNode *node = json_object_get_member(object, key);
  return !node || vt_json_get_number(node, number) || fail_member(r, pointer, key, "a number");
}

static gboolean
read_flag(const Reader *r, const char *pointer, JsonObject *object, const char *key, guint32 flag, guint32 *flags)
{
  JsonNode *node = json_object_get_member(object, key);
  if (node && !vt_json_is_of(node, G_TYPE_BOOLEAN))
    return fail_member(r, pointer, key, "true or false");
  if (node && json_node_get_boolean(node))
    *flags |= flag;
  return TRUE;
}

/* A word of a list, as its number. */
static gboolean
read_word(const Reader *r, const char *pointer, JsonObject *object, const char *key, const char *const *words,
          gboolean is_needed, gint32 *number)
{
  const char *word = NULL;
  if (!read_text(r, pointer, object, key, &word))
    return FALSE;
  for (gint32 i = 0; word && words[i]; i++) {
    if (g_str_equal(words[i], word)) {
      *number = i;
      return TRUE;
    }
  }
  g_autofree char *known = g_strjoinv(", ", (char **)words), *what = g_strconcat("one of: ", known, NULL);
  return (!word && !is_needed) || fail_member(r, pointer, key, what);
}

/* Up to `n` numbers. */
static gboolean
read_numbers(const Reader *r, const char *pointer, JsonObject *object, const char *key, guint n, double *numbers)
{
  JsonNode *node = json_object_get_member(object, key);
  JsonArray *array = node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
  gboolean fine = array && json_array_get_length(array) == n;
  for (guint i = 0; fine && i < n; i++)
    fine = vt_json_get_number(json_array_get_element(array, i), &numbers[i]);
  g_autofree char *what = g_strdup_printf("a list of %u numbers", n);
  return !node || fine || fail_member(r, pointer, key, what);
}

static gboolean
read_ids(const Reader *r, const char *pointer, JsonObject *object, const char *key, guint32 *n, const char *const **ids)
{
  JsonNode *node = json_object_get_member(object, key);
  if (node && !JSON_NODE_HOLDS_ARRAY(node))
    return fail_member(r, pointer, key, "a list");
  JsonArray *array = node ? json_node_get_array(node) : NULL;
  *n = array ? json_array_get_length(array) : 0;
  const char **list = vt_recipe_allocate(r, *n, sizeof *list);
  for (guint i = 0; i < *n; i++) {
    if (!vt_json_is_of(json_array_get_element(array, i), G_TYPE_STRING))
      return fail_member(r, pointer, key, "a list of ids");
    list[i] = json_array_get_string_element(array, i);
  }
  *ids = list;
  return TRUE;
}

typedef gboolean (*ReadItem)(const Reader *r, const char *pointer, JsonObject *object, gpointer item);

/* A list of objects as a list of pointers to structs. */
static gboolean
read_list(const Reader *r, JsonObject *object, const char *key, gsize size, ReadItem read, guint32 *n, void *list)
{
  JsonNode *node = json_object_get_member(object, key);
  if (node && !JSON_NODE_HOLDS_ARRAY(node))
    return fail_member(r, "", key, "a list");
  JsonArray *array = node ? json_node_get_array(node) : NULL;
  *n = array ? json_array_get_length(array) : 0;
  gpointer *items = vt_recipe_allocate(r, *n, sizeof *items);
  for (guint i = 0; i < *n; i++) {
    g_autofree char *pointer = g_strdup_printf("/%s/%u", key, i);
    JsonNode *element = json_array_get_element(array, i);
    const guint32 our_size = (guint32)size;
    items[i] = vt_recipe_allocate(r, 1, size);
    memcpy(items[i], &our_size, sizeof our_size);
    if (!JSON_NODE_HOLDS_OBJECT(element))
      return vt_recipe_fail(r, pointer, "This is no object in braces.");
    if (!read(r, pointer, json_node_get_object(element), items[i]))
      return FALSE;
  }
  memcpy(list, &items, sizeof items);
  return TRUE;
}

/* --- what a recipe has --- */

static gboolean
read_input(const Reader *r, const char *pointer, JsonObject *object, gpointer item)
{
  static const char *const keys[] = { "id", "title", "help", "kind", "optional", "primary", NULL };
  VitrailInputSpec *input = item;
  const gboolean fine = check_keys(r, pointer, object, keys) && read_text(r, pointer, object, "id", &input->id)
                        && read_text(r, pointer, object, "title", &input->title)
                        && read_text(r, pointer, object, "help", &input->help)
                        && read_word(r, pointer, object, "kind", vt_recipe_input_kinds, FALSE, &input->kind)
                        && read_flag(r, pointer, object, "optional", VITRAIL_INPUT_OPTIONAL, &input->flags)
                        && read_flag(r, pointer, object, "primary", VITRAIL_INPUT_PRIMARY, &input->flags);
  input->title = input->title ? input->title : input->id;
  input->help = input->help ? input->help : "";
  return fine;
}

static gboolean
read_choices(const Reader *r, const char *pointer, JsonObject *object, VitrailParam *param)
{
  JsonNode *node = json_object_get_member(object, "choices");
  if (!node && param->type != VITRAIL_PARAM_CHOICE)
    return TRUE;
  if (!node || !JSON_NODE_HOLDS_ARRAY(node) || param->type != VITRAIL_PARAM_CHOICE)
    return fail_member(r, pointer, "choices", "a list of what a choice may be");
  JsonArray *array = json_node_get_array(node);
  param->n_choices = json_array_get_length(array);
  const char **keys = vt_recipe_allocate(r, param->n_choices, sizeof *keys);
  const char **titles = vt_recipe_allocate(r, param->n_choices, sizeof *titles);
  static const char *const known[] = { "key", "title", NULL };
  for (guint i = 0; i < param->n_choices; i++) {
    JsonNode *element = json_array_get_element(array, i);
    g_autofree char *path = g_strdup_printf("%s/choices/%u", pointer, i);
    if (!JSON_NODE_HOLDS_OBJECT(element))
      return vt_recipe_fail(r, path, "This is no object with a key and a title.");
    JsonObject *choice = json_node_get_object(element);
    if (!check_keys(r, path, choice, known) || !read_text(r, path, choice, "key", &keys[i])
        || !read_text(r, path, choice, "title", &titles[i]))
      return FALSE;
    if (!keys[i])
      return vt_recipe_fail(r, path, "A choice has a key.");
    titles[i] = titles[i] ? titles[i] : keys[i];
  }
  param->choices = keys;
  param->choice_titles = titles;
  return TRUE;
}

static gboolean
read_default(const Reader *r, const char *pointer, JsonObject *object, VitrailParam *param)
{
  guint32 is_on = 0;
  gint32 choice = 0;
  gboolean fine = TRUE;
  switch (param->type) {
  case VITRAIL_PARAM_BOOL:
    fine = read_flag(r, pointer, object, "default", 1, &is_on);
    param->initial[0] = is_on;
    return fine;
  case VITRAIL_PARAM_CHOICE:
    fine = read_word(r, pointer, object, "default", param->choices, FALSE, &choice);
    param->initial[0] = choice;
    return fine;
  case VITRAIL_PARAM_VECTOR: return read_numbers(r, pointer, object, "default", 3, param->initial);
  default: return read_number(r, pointer, object, "default", &param->initial[0]);
  }
}

static gboolean
read_param(const Reader *r, const char *pointer, JsonObject *object, gpointer item)
{
  static const char *const keys[] = { "key",
                                      "title",
                                      "help",
                                      "group",
                                      "type",
                                      "unit",
                                      "min",
                                      "max",
                                      "default",
                                      "step",
                                      "choices",
                                      "advanced",
                                      "unit-uncalibrated",
                                      "default-uncalibrated",
                                      NULL };
  VitrailParam *param = item;
  const gboolean fine =
    check_keys(r, pointer, object, keys) && read_text(r, pointer, object, "key", &param->key)
    && read_word(r, pointer, object, "type", vt_recipe_param_types, TRUE, &param->type)
    && read_text(r, pointer, object, "title", &param->title) && read_text(r, pointer, object, "help", &param->help)
    && read_text(r, pointer, object, "group", &param->group) && read_text(r, pointer, object, "unit", &param->unit)
    && read_text(r, pointer, object, "unit-uncalibrated", &param->unit_px)
    && read_number(r, pointer, object, "min", &param->min) && read_number(r, pointer, object, "max", &param->max)
    && read_number(r, pointer, object, "step", &param->step)
    && read_number(r, pointer, object, "default-uncalibrated", &param->initial_px)
    && read_flag(r, pointer, object, "advanced", VITRAIL_PARAM_ADVANCED, &param->flags)
    && read_choices(r, pointer, object, param) && read_default(r, pointer, object, param);
  param->title = param->title ? param->title : param->key;
  param->help = param->help ? param->help : "";
  param->group = param->group ? param->group : "";
  param->unit = param->unit ? param->unit : "";
  return fine;
}

enum { REACH_LEFT_OUT = -1 };

static gboolean
read_stage(const Reader *r, const char *pointer, JsonObject *object, gpointer item)
{
  static const char *const keys[] = { "id",           "kind",  "title", "help",  "unit",          "unit-uncalibrated",
                                      "colormap",     "reach", "range", "shown", "zero-is-empty", "empty-param",
                                      "empty-reason", NULL };
  VitrailStage *stage = item;
  double range[2] = { 0, 0 };
  stage->reach = REACH_LEFT_OUT;
  const gboolean fine = check_keys(r, pointer, object, keys) && read_text(r, pointer, object, "id", &stage->id)
                        && read_word(r, pointer, object, "kind", vt_recipe_stage_kinds, TRUE, &stage->kind)
                        && read_text(r, pointer, object, "title", &stage->title)
                        && read_text(r, pointer, object, "help", &stage->help)
                        && read_text(r, pointer, object, "unit", &stage->unit)
                        && read_text(r, pointer, object, "unit-uncalibrated", &stage->unit_px)
                        && read_text(r, pointer, object, "colormap", &stage->colormap)
                        && read_text(r, pointer, object, "empty-param", &stage->empty_param)
                        && read_text(r, pointer, object, "empty-reason", &stage->empty_reason)
                        && read_word(r, pointer, object, "reach", vt_recipe_reaches, FALSE, &stage->reach)
                        && read_numbers(r, pointer, object, "range", 2, range)
                        && read_flag(r, pointer, object, "shown", VITRAIL_STAGE_SHOWN, &stage->flags)
                        && read_flag(r, pointer, object, "zero-is-empty", VITRAIL_STAGE_ZERO_EMPTY, &stage->flags);
  stage->display_min = range[0];
  stage->display_max = range[1];
  static const char *const colormaps[] = { "gray", "mask", "labels", "mint", "", "" };
  if (fine && !stage->colormap)
    stage->colormap = colormaps[stage->kind];
  stage->title = stage->title ? stage->title : stage->id;
  stage->help = stage->help ? stage->help : "";
  stage->unit = stage->unit ? stage->unit : "";
  return fine;
}

/* An expression may be written as a number, or as true or false. */
static const char *
dup_expression(const Reader *r, JsonNode *node)
{
  char *text = NULL;
  double number;
  if (vt_json_is_of(node, G_TYPE_STRING))
    return json_node_get_string(node);
  if (vt_json_is_of(node, G_TYPE_BOOLEAN))
    return json_node_get_boolean(node) ? "1" : "0";
  if (!vt_json_get_number(node, &number))
    return NULL;
  text = vt_recipe_allocate(r, G_ASCII_DTOSTR_BUF_SIZE, 1);
  return g_ascii_dtostr(text, G_ASCII_DTOSTR_BUF_SIZE, number);
}

static gboolean
read_settings(const Reader *r, const char *pointer, JsonObject *object, const char *key, guint32 *n,
              const VitrailRecipeSetting *const **settings)
{
  JsonNode *node = json_object_get_member(object, key);
  if (node && !JSON_NODE_HOLDS_OBJECT(node))
    return fail_member(r, pointer, key, "an object in braces: keys and expressions");
  JsonObject *all = node ? json_node_get_object(node) : NULL;
  g_autoptr(GList) members = all ? json_object_get_members(all) : NULL;
  *n = g_list_length(members);
  const VitrailRecipeSetting **list = vt_recipe_allocate(r, *n, sizeof *list);
  guint i = 0;
  for (GList *link = members; link; link = link->next) {
    VitrailRecipeSetting *setting = vt_recipe_allocate(r, 1, sizeof *setting);
    g_autofree char *path = g_strconcat(pointer, "/", key, NULL);
    *setting = (VitrailRecipeSetting){ .size = sizeof *setting,
                                       .key = link->data,
                                       .value = dup_expression(r, json_object_get_member(all, link->data)) };
    if (!setting->value)
      return fail_member(r, path, link->data, "a number, or an expression in quotes");
    list[i++] = setting;
  }
  *settings = list;
  return TRUE;
}

static gboolean
read_call(const Reader *r, const char *pointer, JsonObject *object, VitrailRecipeNode *node)
{
  static const char *const keys[] = { "id", "recipe", "inputs", "settings", "stages", NULL };
  VtRecipeCall *call = vt_recipe_allocate(r, 1, sizeof *call);
  g_hash_table_insert(r->file->calls, node, call);
  return check_keys(r, pointer, object, keys) && read_text(r, pointer, object, "id", &call->id)
         && read_text(r, pointer, object, "recipe", &call->name)
         && read_ids(r, pointer, object, "inputs", &call->n_inputs, &call->inputs)
         && read_settings(r, pointer, object, "settings", &call->n_settings, &call->settings)
         && read_settings(r, pointer, object, "stages", &call->n_stages, &call->stages);
}

static gboolean
read_node(const Reader *r, const char *pointer, JsonObject *object, gpointer item)
{
  static const char *const keys[] = { "id", "step", "when", "inputs", "also", "settings", "stage", "facts", NULL };
  VitrailRecipeNode *node = item;
  if (json_object_has_member(object, "recipe"))
    return read_call(r, pointer, object, node);
  return check_keys(r, pointer, object, keys) && read_text(r, pointer, object, "id", &node->id)
         && read_text(r, pointer, object, "step", &node->step) && read_text(r, pointer, object, "when", &node->when)
         && read_text(r, pointer, object, "also", &node->also) && read_text(r, pointer, object, "stage", &node->stage)
         && read_ids(r, pointer, object, "inputs", &node->n_inputs, &node->inputs)
         && read_settings(r, pointer, object, "settings", &node->n_settings, &node->settings)
         && read_settings(r, pointer, object, "facts", &node->n_facts, &node->facts);
}

static gboolean
read_measurement(const Reader *r, const char *pointer, JsonObject *object, gpointer item)
{
  static const char *const keys[] = { "name", "when", "quantity", "part", "within", "unit", NULL };
  VitrailMeasurement *m = item;
  return check_keys(r, pointer, object, keys) && read_text(r, pointer, object, "name", &m->name)
         && read_text(r, pointer, object, "when", &m->when) && read_text(r, pointer, object, "unit", &m->unit)
         && read_text(r, pointer, object, "within", &m->within)
         && read_word(r, pointer, object, "quantity", vt_recipe_quantities, TRUE, &m->quantity)
         && read_word(r, pointer, object, "part", vt_recipe_parts, FALSE, &m->part);
}

/* People see something: the last stage, if the recipe says nothing. */
static gboolean
show_one(const VitrailRecipe *recipe)
{
  for (guint i = 0; i < recipe->n_stages; i++)
    if (recipe->stages[i]->flags & VITRAIL_STAGE_SHOWN)
      return TRUE;
  if (recipe->n_stages > 0)
    ((VitrailStage *)recipe->stages[recipe->n_stages - 1])->flags |= VITRAIL_STAGE_SHOWN;
  return TRUE;
}

static gboolean
read_recipe(const Reader *r, JsonObject *object, VitrailRecipe *recipe)
{
  static const char *const keys[] = { "vitrail-recipe", "id",    "version", "title",        "help",    "inputs",
                                      "params",         "nodes", "stages",  "measurements", "certain", NULL };
  double schema = 0;
  if (!read_number(r, "", object, "vitrail-recipe", &schema))
    return FALSE;
  if (schema != VT_RECIPE_SCHEMA)
    return vt_recipe_fail(
      r, "/vitrail-recipe",
      schema == 0 ? "This is no recipe: the key “vitrail-recipe” with the version of its schema, %d, is missing."
                  : "The recipe's schema is not version %d, which this program reads.",
      VT_RECIPE_SCHEMA);
  return check_keys(r, "", object, keys) && read_text(r, "", object, "id", &recipe->id)
         && read_text(r, "", object, "version", &recipe->version) && read_text(r, "", object, "title", &recipe->title)
         && read_text(r, "", object, "help", &recipe->help)
         && read_list(r, object, "inputs", sizeof(VitrailInputSpec), read_input, &recipe->n_inputs, &recipe->inputs)
         && read_list(r, object, "params", sizeof(VitrailParam), read_param, &recipe->n_params, &recipe->params)
         && read_list(r, object, "nodes", sizeof(VitrailRecipeNode), read_node, &recipe->n_nodes, &recipe->nodes)
         && read_list(r, object, "stages", sizeof(VitrailStage), read_stage, &recipe->n_stages, &recipe->stages)
         && show_one(recipe)
         && read_list(r, object, "measurements", sizeof(VitrailMeasurement), read_measurement, &recipe->n_measurements,
                      &recipe->measurements)
         && read_ids(r, "", object, "certain", &recipe->n_certain, &recipe->certain);
}

/* Of what the plugin will refuse nobody asks. */
static void
fill_reaches(const VitrailRecipe *recipe)
{
  gboolean is_sound = recipe->n_nodes <= 64;
  for (guint i = 0; i < recipe->n_nodes; i++)
    is_sound = is_sound && recipe->nodes[i]->id && recipe->nodes[i]->step;
  for (guint i = 0; i < recipe->n_stages; i++) {
    VitrailStage *stage = (VitrailStage *)recipe->stages[i];
    if (stage->reach == REACH_LEFT_OUT)
      stage->reach = is_sound ? vt_recipe_find_reach(recipe, stage->id) : VITRAIL_REACH_PROPAGATE;
  }
}

static VtRecipe *
parse(const char *text, const char *name, Reader r)
{
  g_autoptr(VtRecipe) file = g_new0(VtRecipe, 1);
  r.file = file;
  file->memory = g_ptr_array_new_with_free_func(g_free);
  file->called = g_ptr_array_new_with_free_func((GDestroyNotify)vt_recipe_free);
  file->calls = g_hash_table_new(NULL, NULL);
  file->name = g_strdup(name);
  file->text = g_strdup(text);
  if (!vt_json_parse(text, name, &file->parser, &file->places, r.error))
    return NULL;
  JsonNode *root = json_parser_get_root(file->parser);
  file->recipe.size = sizeof file->recipe;
  if (!root || !JSON_NODE_HOLDS_OBJECT(root)) {
    vt_recipe_fail(&r, "", "This is no recipe: it is no object in braces.");
    return NULL;
  }
  if (!read_recipe(&r, json_node_get_object(root), &file->recipe) || !vt_recipe_flatten(&r))
    return NULL;
  fill_reaches(&file->recipe);
  if (file->origins) { /* what it is does not stand in the one text alone */
    g_autoptr(JsonNode) whole = vt_recipe_to_json(&file->recipe, NULL, NULL);
    g_free(file->text);
    file->text = json_to_string(whole, TRUE);
  }
  return g_steal_pointer(&file);
}

VtRecipe *
vt_recipe_parse(const char *text, const char *name, const VitrailPlugin *plugin, GError **error)
{
  guint n_calls = 0;
  return parse(text, name, (Reader){ .plugin = plugin, .n_calls = &n_calls, .error = error });
}

/* The recipe within a record, as a text of its own. */
static char *
dup_of_record(const char *text)
{
  g_autoptr(JsonParser) parser = json_parser_new();
  const char *problem = NULL;
  VtJsonPlace where;
  g_autoptr(GHashTable) places = vt_json_find_places(text, &problem, &where);
  if (!places || !g_hash_table_contains(places, "/recipe") || !json_parser_load_from_data(parser, text, -1, NULL))
    return NULL;
  JsonNode *recipe = json_object_get_member(json_node_get_object(json_parser_get_root(parser)), "recipe");
  return recipe && JSON_NODE_HOLDS_OBJECT(recipe) ? json_to_string(recipe, TRUE) : NULL;
}

static VtRecipe *
load(const char *path, Reader r)
{
  g_autofree char *name = vt_error_dup_name(path), *text = vt_json_load_text(path, "recipe", 1, r.error);
  if (!text)
    return NULL;
  g_autofree char *inner = dup_of_record(text);
  g_autofree char *whole = g_canonicalize_filename(path, NULL);
  r.path = whole;
  return parse(inner ? inner : text, name, r);
}

VtRecipe *
vt_recipe_load(const char *path, const VitrailPlugin *plugin, GError **error)
{
  guint n_calls = 0;
  return load(path, (Reader){ .plugin = plugin, .n_calls = &n_calls, .error = error });
}

VtRecipe *
vt_recipe_load_called(const char *path, const Reader *caller, GError **error)
{
  return load(path, (Reader){ .plugin = caller->plugin, .caller = caller, .n_calls = caller->n_calls, .error = error });
}

void
vt_recipe_free(VtRecipe *recipe)
{
  if (!recipe)
    return;
  g_ptr_array_unref(recipe->memory);
  g_ptr_array_unref(recipe->called);
  g_hash_table_unref(recipe->calls);
  g_clear_pointer(&recipe->origins, g_array_unref);
  g_clear_pointer(&recipe->places, g_hash_table_unref);
  g_clear_object(&recipe->parser);
  g_free(recipe->name);
  g_free(recipe->text);
  g_free(recipe);
}

const VitrailRecipe *
vt_recipe_get(const VtRecipe *recipe)
{
  return &recipe->recipe;
}

VT_GETTER(const char *, vt_recipe_get_text, const VtRecipe, text)

/* Of a node of the text, where nodes of a recipe that is called have taken its place. */
static char *
dup_own_path(const VtRecipe *recipe, const char *path)
{
  guint64 i = 0;
  char *rest = NULL;
  if (recipe->origins && g_str_has_prefix(path, "/nodes/"))
    i = g_ascii_strtoull(path + strlen("/nodes/"), &rest, 10);
  return rest && i < recipe->origins->len
           ? g_strdup_printf("/nodes/%u%s", g_array_index(recipe->origins, guint, i), rest)
           : g_strdup(path);
}

void
vt_recipe_set_error(const VtRecipe *recipe, const VitrailRecipeProblem *problem, GError **error)
{
  g_autofree char *path = g_utf8_make_valid(problem->path, (gssize)strnlen(problem->path, sizeof problem->path));
  g_autofree char *text =
    g_utf8_make_valid(problem->sentence, (gssize)strnlen(problem->sentence, sizeof problem->sentence));
  g_autofree char *own = dup_own_path(recipe, path);
  vt_json_set_error(error, recipe->name, vt_json_place_of(recipe->places, own),
                    *text ? text : "The plugin refuses it.");
}
