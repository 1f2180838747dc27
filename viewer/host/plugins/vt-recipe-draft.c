/* SPDX-License-Identifier: MIT */
#include "plugins/vt-recipe-draft.h"

#include <glib/gi18n.h>

#include "base/vt-define.h"
#include "base/vt-json.h"
#include "plugins/vt-recipe-names.h"
#include "plugins/vt-recipe.h"

/* --- the whole --- */

static GPtrArray *
take_list(JsonObject *recipe, const char *member)
{
  GPtrArray *list = g_ptr_array_new_with_free_func((GDestroyNotify)json_object_unref);
  JsonArray *array = vt_json_get_array(recipe, member);
  for (guint i = 0; array && i < json_array_get_length(array); i++)
    g_ptr_array_add(list, json_object_ref(json_array_get_object_element(array, i)));
  return list;
}

static void
put_list(JsonObject *recipe, const char *member, GPtrArray *list)
{
  JsonArray *array = json_array_new();
  for (guint i = 0; i < list->len; i++)
    json_array_add_object_element(array, json_object_ref(list->pdata[i]));
  json_object_set_array_member(recipe, member, array);
}

VtRecipeDraft *
vt_recipe_draft_new(const VitrailRecipe *recipe, const VitrailPlugin *plugin, const char *id, const char *title)
{
  VtRecipeDraft *self = g_new0(VtRecipeDraft, 1);
  self->plugin = plugin;
  self->root = vt_recipe_to_json(recipe, id, title);
  self->recipe = json_node_get_object(self->root);
  self->nodes = take_list(self->recipe, "nodes");
  self->stages = take_list(self->recipe, "stages");
  self->params = take_list(self->recipe, "params");
  self->items = take_list(self->recipe, "measurements");
  return self;
}

void
vt_recipe_draft_free(VtRecipeDraft *self)
{
  if (!self)
    return;
  g_ptr_array_unref(self->nodes);
  g_ptr_array_unref(self->stages);
  g_ptr_array_unref(self->params);
  g_ptr_array_unref(self->items);
  json_node_unref(self->root);
  g_free(self);
}

char *
vt_recipe_draft_to_text(VtRecipeDraft *self)
{
  put_list(self->recipe, "nodes", self->nodes);
  put_list(self->recipe, "stages", self->stages);
  put_list(self->recipe, "params", self->params);
  put_list(self->recipe, "measurements", self->items);
  return json_to_string(self->root, TRUE);
}

/* --- members --- */

const char *
vt_draft_text(JsonObject *object, const char *member)
{
  return json_object_has_member(object, member) ? json_object_get_string_member(object, member) : NULL;
}

int
vt_draft_find(GPtrArray *list, const char *member, const char *text)
{
  for (guint i = 0; i < list->len; i++)
    if (g_strcmp0(vt_draft_text(list->pdata[i], member), text) == 0)
      return (int)i;
  return -1;
}

gboolean
vt_draft_has_id(const VtRecipeDraft *self, const char *id)
{
  return vt_draft_find(self->nodes, "id", id) >= 0 || vt_draft_find(self->nodes, "also", id) >= 0
         || vt_draft_find(self->stages, "id", id) >= 0;
}

guint
vt_draft_find_end(const VtRecipeDraft *self, const char *id)
{
  guint end = self->nodes->len;
  while (!g_str_equal(vt_draft_text(self->nodes->pdata[end - 1], "id"), id))
    end--;
  return end;
}

const char *
vt_draft_get_title(const VtRecipeDraft *self, const char *stage)
{
  const int i = vt_draft_find(self->stages, "id", stage);
  const char *title = i >= 0 ? vt_draft_text(self->stages->pdata[i], "title") : NULL;
  return title ? title : stage;
}

const char *
vt_draft_get_shown_title(const VtRecipeDraft *self, const char *stage)
{
  const char *title = vt_draft_get_title(self, stage);
  return *title ? g_dgettext(NULL, title) : title;
}

JsonObject *
vt_draft_new_node(const VtDraftNode *node)
{
  JsonObject *object = json_object_new(), *settings = json_object_new();
  JsonArray *inputs = json_array_new();
  json_object_set_string_member(object, "id", node->id);
  json_object_set_string_member(object, "step", node->step);
  if (node->when)
    json_object_set_string_member(object, "when", node->when);
  json_array_add_string_element(inputs, node->input);
  json_object_set_array_member(object, "inputs", inputs);
  if (node->key)
    json_object_set_string_member(settings, node->key, node->value);
  json_object_set_object_member(object, "settings", settings);
  if (node->stage)
    json_object_set_string_member(object, "stage", node->stage);
  return object;
}

const VitrailStep *
vt_draft_find_step(const VitrailPlugin *plugin, const char *id)
{
  for (guint i = 0; i < plugin->n_steps; i++)
    if (g_strcmp0(plugin->steps[i]->id, id) == 0)
      return plugin->steps[i];
  return NULL;
}

/* --- expressions --- */

typedef void (*EachExpression)(JsonObject *holder, const char *member, gpointer user);

static void
each_of(JsonObject *holder, EachExpression each, gpointer user)
{
  g_autoptr(GList) members = json_object_get_members(holder);
  for (GList *link = members; link; link = link->next)
    each(holder, link->data, user);
}

static void
each_expression(JsonObject *item, EachExpression each, gpointer user)
{
  static const char *const own[] = { "when", "unit", "within" }, *const of_objects[] = { "settings", "facts" };
  for (gsize i = 0; i < G_N_ELEMENTS(own); i++)
    if (json_object_has_member(item, own[i]))
      each(item, own[i], user);
  for (gsize i = 0; i < G_N_ELEMENTS(of_objects); i++)
    if (json_object_has_member(item, of_objects[i]))
      each_of(json_object_get_object_member(item, of_objects[i]), each, user);
}

typedef struct {
  const char *from, *to; /* ids; to NULL: only looked for */
  gboolean found;
  GHashTable *names;
} Names;

static char *
other_id(gpointer user, const char *function, const char *name)
{
  Names *names = user;
  if (!vt_recipe_is_of_node(function) || !g_str_equal(name, names->from))
    return NULL;
  names->found = TRUE;
  return g_strdup(names->to);
}

static void
rename_in(JsonObject *holder, const char *member, gpointer user)
{
  g_autofree char *text = vt_recipe_rewrite(json_object_get_string_member(holder, member), other_id, user);
  if (((Names *)user)->to)
    json_object_set_string_member(holder, member, text);
}

static char *
note_name(gpointer user, const char *function, const char *name)
{
  if (!vt_recipe_is_of_node(function))
    g_hash_table_add(user, g_strdup(name));
  return NULL;
}

static void
note_names_in(JsonObject *holder, const char *member, gpointer user)
{
  g_free(vt_recipe_rewrite(json_object_get_string_member(holder, member), note_name, user));
}

void
vt_draft_add_names(JsonObject *item, GHashTable *names)
{
  static const char *const of_reference[] = { "reference-hematoxylin", "reference-eosin", "reference-dab" };
  each_expression(item, note_names_in, names);
  for (gsize i = 0; g_strcmp0(vt_draft_text(item, "step"), "normalize") == 0 && i < G_N_ELEMENTS(of_reference); i++)
    g_hash_table_add(names, g_strdup(of_reference[i]));
}

/* --- who takes what --- */

/* Of a node that reads an input of the recipe: none. NULL: it has none. */
static JsonArray *
get_inputs(JsonObject *node)
{
  return g_strcmp0(vt_draft_text(node, "step"), "read") == 0 ? NULL : vt_json_get_array(node, "inputs");
}

gboolean
vt_draft_has_text(JsonArray *array, const char *text)
{
  for (guint i = 0; i < json_array_get_length(array); i++)
    if (g_str_equal(json_array_get_string_element(array, i), text))
      return TRUE;
  return FALSE;
}

gboolean
vt_draft_reads(JsonObject *node, const char *id)
{
  Names names = { .from = id };
  if (get_inputs(node) && vt_draft_has_text(get_inputs(node), id))
    return TRUE;
  each_expression(node, rename_in, &names);
  return names.found;
}

void
vt_draft_rename(JsonObject *item, const char *from, const char *to)
{
  Names names = { .from = from, .to = to };
  JsonArray *inputs = get_inputs(item);
  JsonArray *others = inputs ? json_array_new() : NULL;
  for (guint i = 0; inputs && i < json_array_get_length(inputs); i++) {
    const char *id = json_array_get_string_element(inputs, i);
    json_array_add_string_element(others, g_str_equal(id, from) ? to : id);
  }
  if (inputs)
    json_object_set_array_member(item, "inputs", others);
  each_expression(item, rename_in, &names);
}

const char *
vt_draft_get_stage_id(const VtRecipeDraft *self, const char *stage)
{
  const char *found = NULL;
  for (guint i = 0; i < self->nodes->len; i++) {
    const char *id = vt_draft_text(self->nodes->pdata[i], "id");
    if (g_strcmp0(vt_draft_text(self->nodes->pdata[i], "stage"), stage) != 0)
      continue;
    if (found && !g_str_equal(found, id))
      return NULL;
    found = id;
  }
  return found;
}

gboolean
vt_draft_is_shown(const VtRecipeDraft *self, const char *id)
{
  for (guint i = 0; i < self->nodes->len; i++)
    if (g_str_equal(vt_draft_text(self->nodes->pdata[i], "id"), id) && vt_draft_text(self->nodes->pdata[i], "stage"))
      return TRUE;
  return FALSE;
}

gboolean
vt_draft_is_in(GHashTable *block, JsonObject *node)
{
  return g_hash_table_contains(block, vt_draft_text(node, "id"));
}

static gboolean
reads_any(JsonObject *item, const char *id, const char *also)
{
  return vt_draft_reads(item, id) || (also && vt_draft_reads(item, also));
}

/* Every reader is of the block, and there is one. */
static gboolean
is_for_block(const VtRecipeDraft *self, GHashTable *block, JsonObject *node)
{
  const char *id = vt_draft_text(node, "id"), *also = vt_draft_text(node, "also");
  gboolean has_reader = FALSE;
  VT_EACH_OF (JsonObject, reader, self->nodes) {
    if (g_str_equal(vt_draft_text(reader, "id"), id) || !reads_any(reader, id, also))
      continue;
    if (!vt_draft_is_in(block, reader))
      return FALSE;
    has_reader = TRUE;
  }
  for (guint i = 0; i < self->items->len; i++)
    if (reads_any(self->items->pdata[i], id, also))
      return FALSE;
  return has_reader;
}

GHashTable *
vt_draft_dup_block(const VtRecipeDraft *self, const char *stage)
{
  GHashTable *block = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < self->nodes->len; i++)
    if (g_strcmp0(vt_draft_text(self->nodes->pdata[i], "stage"), stage) == 0)
      g_hash_table_add(block, g_strdup(vt_draft_text(self->nodes->pdata[i], "id")));
  for (guint n = 0; n != g_hash_table_size(block);) {
    n = g_hash_table_size(block);
    for (guint i = self->nodes->len; i-- > 0;) {
      JsonObject *node = self->nodes->pdata[i];
      if (!vt_draft_is_in(block, node) && get_inputs(node) && !vt_draft_is_shown(self, vt_draft_text(node, "id"))
          && is_for_block(self, block, node))
        g_hash_table_add(block, g_strdup(vt_draft_text(node, "id")));
    }
  }
  return block;
}

GPtrArray *
vt_draft_dup_inputs(const VtRecipeDraft *self, GHashTable *block)
{
  GPtrArray *ids = g_ptr_array_new();
  for (guint i = 0; i < self->nodes->len; i++) {
    JsonArray *inputs = vt_draft_is_in(block, self->nodes->pdata[i]) ? get_inputs(self->nodes->pdata[i]) : NULL;
    for (guint k = 0; inputs && k < json_array_get_length(inputs); k++) {
      const char *id = json_array_get_string_element(inputs, k);
      if (!g_hash_table_contains(block, id) && !g_ptr_array_find_with_equal_func(ids, id, g_str_equal, NULL))
        g_ptr_array_add(ids, (gpointer)id);
    }
  }
  return ids;
}

/* --- types --- */

/* Colours have 8 bits, densities 16. */
static gboolean
is_colour(JsonObject *node)
{
  static const char *const words[] = { "'red'", "'green'", "'blue'", "'luminance'", "'brightness'", NULL };
  const char *channel = vt_json_get_string(vt_json_get_object(node, "settings"), "channel");
  return channel && g_strv_contains(words, channel);
}

static int
type_of(const VtRecipeDraft *self, const char *id, guint depth)
{
  const int i = depth > self->nodes->len ? -1 : vt_draft_find(self->nodes, "id", id);
  JsonObject *node = i >= 0 ? self->nodes->pdata[i] : NULL;
  const VitrailStep *step = node ? vt_draft_find_step(self->plugin, vt_draft_text(node, "step")) : NULL;
  JsonArray *inputs = node ? get_inputs(node) : NULL;
  if (!step)
    return VT_DRAFT_UNKNOWN;
  if (g_str_equal(step->id, "read"))
    return VT_DRAFT_READ;
  if (g_str_equal(step->id, "channel") && is_colour(node))
    return VITRAIL_U8;
  if (step->makes != VITRAIL_MAKES_LIKE_FIRST)
    return step->makes;
  return inputs && json_array_get_length(inputs) > 0
           ? type_of(self, json_array_get_string_element(inputs, 0), depth + 1)
           : VT_DRAFT_UNKNOWN;
}

int
vt_draft_type(const VtRecipeDraft *self, const char *id)
{
  return type_of(self, id, 0);
}

const char *
vt_draft_type_words(int type)
{
  switch (type) {
  case VITRAIL_U8: return _("8 bits (a mask)");
  case VITRAIL_U16: return _("16 bits");
  case VITRAIL_I32: return _("whole numbers of 32 bits");
  case VITRAIL_F32: return _("floats");
  case VITRAIL_RGBA8: return _("colours");
  case VITRAIL_MAKES_LABELS: return _("labels");
  case VITRAIL_MAKES_NOTHING: return _("outlines");
  case VITRAIL_MAKES_ROWS: return _("rows of a table");
  case VT_DRAFT_READ: return _("what was read");
  default: return _("something of its own");
  }
}
