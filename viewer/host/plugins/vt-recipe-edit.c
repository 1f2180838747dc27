/* SPDX-License-Identifier: MIT */
#include "plugins/vt-recipe-edit.h"

#include <glib/gi18n.h>
#include <string.h>

#include "base/vt-define.h"
#include "base/vt-json.h"
#include "plugins/vt-plugin-private.h"
#include "plugins/vt-recipe-draft.h"
#include "plugins/vt-recipe-inputs.h"
#include "plugins/vt-recipe-insert.h"
#include "plugins/vt-recipe-normalize.h"
#include "plugins/vt-recipe-sentences.h"

#define TR(text) text /* of the recipe: to be translated by whoever shows it */
#define EDITED "-edited"
#define SKIP "skip-"

static const char *const ids[] = { "bypass", "remove", "earlier", "later", "place", "add", "normalize" };

const char *
vt_recipe_edit_get_id(VtRecipeEdit edit)
{
  return ids[edit];
}

VtRecipeEdit
vt_recipe_edit_from_id(const char *id)
{
  VtRecipeEdit edit = VT_RECIPE_BYPASS;
  while (edit < VT_RECIPE_N_EDITS && !g_str_equal(ids[edit], id))
    edit++;
  return edit;
}

/* --- what stands in for a stage --- */

/* The first id that goes into a stage and is of its type. Owned. NULL and a sentence. */
static char *
dup_stand_in(const VtRecipeDraft *d, const char *stage, GError **error)
{
  const char *id = vt_draft_get_stage_id(d, stage);
  g_autoptr(GHashTable) block = vt_draft_dup_block(d, stage);
  g_autoptr(GPtrArray) inputs = vt_draft_dup_inputs(d, block);
  const int type = id ? vt_draft_type(d, id) : VT_DRAFT_UNKNOWN;
  for (guint i = 0; i < inputs->len && type != VT_DRAFT_UNKNOWN; i++)
    if (vt_draft_type(d, inputs->pdata[i]) == type
        || (type == VITRAIL_RGBA8 && vt_draft_type(d, inputs->pdata[i]) == VT_DRAFT_READ))
      return g_strdup(inputs->pdata[i]);
  if (id)
    return vt_error_set_null(error, VITRAIL_BAD_ARGUMENT, _("“%s” makes %s, and nothing of that kind goes into it."),
                             vt_draft_get_shown_title(d, stage), vt_draft_type_words(type));
  return vt_error_set_null(error, VITRAIL_BAD_ARGUMENT, _("“%s” is made by steps of different names."),
                           vt_draft_get_shown_title(d, stage));
}

static gboolean
has_readers(const VtRecipeDraft *d, const char *id, GHashTable *but)
{
  for (guint i = 0; i < d->nodes->len; i++)
    if (!vt_draft_is_in(but, d->nodes->pdata[i]) && vt_draft_reads(d->nodes->pdata[i], id))
      return TRUE;
  for (guint i = 0; i < d->items->len; i++)
    if (vt_draft_reads(d->items->pdata[i], id))
      return TRUE;
  return FALSE;
}

static void
rename_in_others(VtRecipeDraft *d, const char *from, const char *to, GHashTable *but)
{
  for (guint i = 0; i < d->nodes->len; i++)
    if (!vt_draft_is_in(but, d->nodes->pdata[i]))
      vt_draft_rename(d->nodes->pdata[i], from, to);
  for (guint i = 0; i < d->items->len; i++)
    vt_draft_rename(d->items->pdata[i], from, to);
}

/* --- bypass --- */

static void
add_switch(VtRecipeDraft *d, const char *stage, const char *key)
{
  JsonObject *param = json_object_new();
  json_object_set_string_member(param, "key", key);
  json_object_set_string_member(param, "type", "bool");
  json_object_set_string_member(param, "title", vt_draft_get_title(d, stage));
  json_object_set_string_member(param, "help", TR("The stage hands on what goes into it."));
  json_object_set_string_member(param, "group", TR("Bypassed stages"));
  json_object_set_boolean_member(param, "default", TRUE);
  g_ptr_array_insert(d->params, 0, param);
}

static gboolean
comes_before(const VtRecipeDraft *d, const char *id, guint place)
{
  for (guint i = place; i < d->nodes->len; i++)
    if (g_str_equal(vt_draft_text(d->nodes->pdata[i], "id"), id))
      return FALSE;
  return TRUE;
}

static gboolean
bypass(VtRecipeDraft *d, const char *stage, GError **error)
{
  g_autofree char *key = g_strconcat(SKIP, stage, NULL);
  const int param = vt_draft_find(d->params, "key", key), node = vt_draft_find(d->nodes, "when", key);
  if (param >= 0 && node >= 0) {
    g_ptr_array_remove_index(d->params, (guint)param);
    g_ptr_array_remove_index(d->nodes, (guint)node);
    return TRUE;
  }
  if (param >= 0)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("There is a parameter “%s” already."), key);
  g_autofree char *input = dup_stand_in(d, stage, error);
  const char *id = input ? vt_draft_get_stage_id(d, stage) : NULL;
  if (!id)
    return FALSE;
  const guint place = (guint)vt_draft_find(d->nodes, "id", id);
  if (vt_draft_type(d, id) == VITRAIL_RGBA8)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT,
                        _("“%s” makes colours, which no step hands on: remove it instead."),
                        vt_draft_get_shown_title(d, stage));
  if (!comes_before(d, input, place))
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT,
                        _("“%s” is made in several ways, and one of them comes before what would be handed on."),
                        vt_draft_get_shown_title(d, stage));
  const gboolean is_labels =
    vt_draft_type(d, id) == VITRAIL_MAKES_LABELS; /* they are numbered: the new ones are the same */
  const VtDraftNode same = { id, is_labels ? "number" : "lower", key, input, is_labels ? NULL : "by", "0", stage };
  g_ptr_array_insert(d->nodes, (int)place, vt_draft_new_node(&same));
  add_switch(d, stage, key);
  return TRUE;
}

/* --- remove --- */

static GHashTable *
dup_names(const VtRecipeDraft *d)
{
  GHashTable *names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < d->nodes->len; i++)
    vt_draft_add_names(d->nodes->pdata[i], names);
  for (guint i = 0; i < d->items->len; i++)
    vt_draft_add_names(d->items->pdata[i], names);
  return names;
}

/* Those that steps and runs know by their keys stay. */
static void
drop_params(VtRecipeDraft *d, GHashTable *before)
{
  static const char *const own[] = { "pixel-size", "white",   "hematoxylin",   "eosin", "dab",
                                     "algorithm",  "context", "context-limit", NULL };
  g_autoptr(GHashTable) after = dup_names(d);
  for (guint i = d->params->len; i-- > 0;) {
    const char *key = vt_draft_text(d->params->pdata[i], "key");
    if (g_strv_contains(own, key) || !g_hash_table_contains(before, key) || g_hash_table_contains(after, key))
      continue;
    for (guint k = 0; k < d->stages->len; k++)
      if (g_strcmp0(vt_draft_text(d->stages->pdata[k], "empty-param"), key) == 0) {
        json_object_remove_member(d->stages->pdata[k], "empty-param");
        json_object_remove_member(d->stages->pdata[k], "empty-reason");
      }
    g_ptr_array_remove_index(d->params, i);
  }
}

/* Certainty is told of nodes that are there. */
static void
drop_certain(VtRecipeDraft *d)
{
  JsonArray *ids_of = vt_json_get_array(d->recipe, "certain");
  JsonArray *left = json_array_new();
  for (guint i = 0; ids_of && i < json_array_get_length(ids_of); i++)
    if (vt_draft_find(d->nodes, "id", json_array_get_string_element(ids_of, i)) >= 0)
      json_array_add_string_element(left, json_array_get_string_element(ids_of, i));
  const int stage = vt_draft_find(d->stages, "id", "certain");
  const gboolean is_lost = ids_of && json_array_get_length(left) == 0;
  if (is_lost && stage >= 0 && vt_draft_find(d->nodes, "stage", "certain") < 0)
    g_ptr_array_remove_index(d->stages, (guint)stage);
  if (is_lost) {
    json_object_remove_member(d->recipe, "certain");
    json_array_unref(left);
  } else if (ids_of) {
    json_object_set_array_member(d->recipe, "certain", left);
  } else {
    json_array_unref(left);
  }
}

/* The stage "certain" is no step's. */
static gboolean
remove_certain(VtRecipeDraft *d)
{
  g_ptr_array_remove_index(d->stages, (guint)vt_draft_find(d->stages, "id", "certain"));
  json_object_remove_member(d->recipe, "certain");
  return TRUE;
}

static gboolean
remove_stage(VtRecipeDraft *d, const char *stage, GError **error)
{
  g_autoptr(GHashTable) block = vt_draft_dup_block(d, stage), before = dup_names(d);
  const char *id = vt_draft_get_stage_id(d, stage);
  if (g_hash_table_size(block) == 0)
    return remove_certain(d);
  if (!id)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("“%s” is made by steps of different names."),
                        vt_draft_get_shown_title(d, stage));
  if (has_readers(d, id, block)) {
    g_autofree char *from = g_strdup(id), *to = dup_stand_in(d, stage, error);
    if (!to)
      return FALSE;
    rename_in_others(d, from, to, block);
  }
  for (guint i = d->nodes->len; i-- > 0;)
    if (vt_draft_is_in(block, d->nodes->pdata[i]))
      g_ptr_array_remove_index(d->nodes, i);
  g_ptr_array_remove_index(d->stages, (guint)vt_draft_find(d->stages, "id", stage));
  if (vt_draft_find(d->nodes, "step", "outlines") < 0)
    g_ptr_array_set_size(d->items, 0);
  drop_certain(d);
  drop_params(d, before);
  return d->stages->len > 0 || vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("A recipe has one stage at least."));
}

/* --- order --- */

static void
swap(GPtrArray *list, guint a, guint b)
{
  const gpointer item = list->pdata[a];
  list->pdata[a] = list->pdata[b];
  list->pdata[b] = item;
}

/* The nodes of a block go to a place, in their order. */
static void
move_block(VtRecipeDraft *d, GHashTable *block, guint place)
{
  g_autoptr(GPtrArray) all = g_ptr_array_new();
  for (guint i = 0; i < place; i++)
    g_ptr_array_add(all, d->nodes->pdata[i]);
  for (int rest = 0; rest < 2; rest++)
    for (guint i = place; i < d->nodes->len; i++)
      if (vt_draft_is_in(block, d->nodes->pdata[i]) == (rest == 0))
        g_ptr_array_add(all, d->nodes->pdata[i]);
  for (guint i = 0; i < all->len; i++)
    d->nodes->pdata[i] = all->pdata[i];
}

/* Before: x -> first -> second. After: x -> second -> first. */
static gboolean
exchange(VtRecipeDraft *d, const char *first, const char *second, GError **error)
{
  const char *id_1 = vt_draft_get_stage_id(d, first), *id_2 = vt_draft_get_stage_id(d, second);
  g_autofree char *x = id_2 ? dup_stand_in(d, first, error) : NULL, *a = g_strdup(id_1), *b = g_strdup(id_2);
  if (!id_2)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("“%s” is made by steps of different names."),
                        vt_draft_get_shown_title(d, second));
  if (!x)
    return FALSE;
  if (vt_draft_type(d, a) != vt_draft_type(d, b))
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("“%s” makes %s, and “%s” %s."),
                        vt_draft_get_shown_title(d, first), vt_draft_type_words(vt_draft_type(d, a)),
                        vt_draft_get_shown_title(d, second), vt_draft_type_words(vt_draft_type(d, b)));
  g_autoptr(GHashTable) of_first = vt_draft_dup_block(d, first), of_second = vt_draft_dup_block(d, second);
  guint place = 0;
  while (!vt_draft_is_in(of_first, d->nodes->pdata[place]))
    place++;
  VT_EACH_OF (JsonObject, node, d->nodes) {
    if (vt_draft_is_in(of_second, node))
      vt_draft_rename(node, a, x);
    else if (vt_draft_is_in(of_first, node))
      vt_draft_rename(node, x, b);
    else
      vt_draft_rename(node, b, a);
  }
  for (guint i = 0; i < d->items->len; i++)
    vt_draft_rename(d->items->pdata[i], b, a);
  move_block(d, of_second, place);
  swap(d->stages, (guint)vt_draft_find(d->stages, "id", first), (guint)vt_draft_find(d->stages, "id", second));
  return TRUE;
}

static gboolean
takes_stage(const VtRecipeDraft *d, const char *stage, const char *other)
{
  const char *id = vt_draft_get_stage_id(d, other);
  g_autoptr(GHashTable) block = vt_draft_dup_block(d, stage);
  g_autoptr(GPtrArray) inputs = vt_draft_dup_inputs(d, block);
  return id && g_ptr_array_find_with_equal_func(inputs, id, g_str_equal, NULL);
}

/* Changes places with the nearest stage before (by -1) or after it on its way. */
static gboolean
move(VtRecipeDraft *d, const char *stage, int by, GError **error)
{
  const int n = (int)d->stages->len;
  for (int i = vt_draft_find(d->stages, "id", stage) + by; i >= 0 && i < n; i += by) {
    const char *other = vt_draft_text(d->stages->pdata[i], "id");
    if (by < 0 && takes_stage(d, stage, other))
      return exchange(d, other, stage, error);
    if (by > 0 && takes_stage(d, other, stage))
      return exchange(d, stage, other, error);
  }
  return vt_error_set(error, VITRAIL_BAD_ARGUMENT,
                      by < 0 ? _("No stage before “%s” goes into it, so it comes no earlier.")
                             : _("No stage after “%s” takes it, so it comes no later."),
                      vt_draft_get_shown_title(d, stage));
}

static gboolean
place(VtRecipeDraft *d, const char *stage, const char *other, GError **error)
{
  const int to = vt_draft_find(d->stages, "id", other);
  int from = vt_draft_find(d->stages, "id", stage);
  const int by = to < from ? -1 : 1;
  if (to < 0)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("There is no stage “%s”."), other);
  for (; by * (to - from) > 0; from = vt_draft_find(d->stages, "id", stage))
    if (!move(d, stage, by, error))
      return FALSE;
  return TRUE;
}

/* --- all of it --- */

/* The text, if the plugin can run it. */
static char *
finish(VtRecipeDraft *d, GError **error)
{
  g_autofree char *text = vt_recipe_draft_to_text(d);
  VitrailRecipeProblem problem = { .size = sizeof problem };
  g_autoptr(VtRecipe) recipe = vt_recipe_parse(text, "recipe", d->plugin, error);
  if (!recipe)
    return NULL;
  if (vt_plugin_host_check_recipe(vt_plugin_host_get(), d->plugin, vt_recipe_get(recipe), &problem) == VITRAIL_OK)
    return g_steal_pointer(&text);
  g_autofree char *sentence =
    g_utf8_make_valid(problem.sentence, (gssize)strnlen(problem.sentence, sizeof problem.sentence));
  g_autofree char *shown = vt_recipe_dup_sentence(sentence);
  return vt_error_set_null(error, VITRAIL_BAD_ARGUMENT, "%s", *shown ? shown : _("The plugin refuses it."));
}

static char *
try_edit(const VitrailRecipe *recipe, const VitrailPlugin *plugin, VtRecipeEdit edit, const char *stage,
         const char *what, const char *title, guint flags, GError **error)
{
  g_autofree char *id = title ? g_strconcat(recipe->id, EDITED, NULL) : NULL;
  g_autoptr(VtRecipeDraft) d = vt_recipe_draft_new(recipe, plugin, id, title);
  gboolean fine = vt_draft_find(d->stages, "id", stage) >= 0;
  if (!fine)
    vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("There is no stage “%s”."), stage);
  else if (edit == VT_RECIPE_BYPASS)
    fine = bypass(d, stage, error);
  else if (edit == VT_RECIPE_REMOVE)
    fine = remove_stage(d, stage, error);
  else if (edit == VT_RECIPE_ADD)
    fine = vt_recipe_insert(d, stage, what, flags, error);
  else if (edit == VT_RECIPE_NORMALIZE)
    fine = vt_recipe_normalize(d, error);
  else if (edit == VT_RECIPE_PLACE)
    fine = place(d, stage, what, error);
  else
    fine = move(d, stage, edit == VT_RECIPE_EARLIER ? -1 : 1, error);
  return fine ? finish(d, error) : NULL;
}

char *
vt_recipe_edit(const VitrailRecipe *recipe, const VitrailPlugin *plugin, VtRecipeEdit edit, const char *stage,
               const char *what, const char *title, GError **error)
{
  static const guint ways[] = { VT_INSERT_IN_THE_WAY, VT_INSERT_IN_THE_WAY | VT_INSERT_NUMBERED, VT_INSERT_NUMBERED };
  for (gsize i = 0; edit == VT_RECIPE_ADD && i < G_N_ELEMENTS(ways); i++) {
    char *text = try_edit(recipe, plugin, edit, stage, what, title, ways[i], NULL);
    if (text)
      return text;
  }
  return try_edit(recipe, plugin, edit, stage, what, title, 0, error);
}

/* --- what goes into a step that is added --- */

VT_DEFINE_FREE(choice_free, VtRecipeChoice, VT_FREES(g_free, name, title, reason))

char *
vt_recipe_dup_with_input(const char *what, guint input, const char *name)
{
  g_auto(GStrv) halves = g_strsplit(what, ":", 2);
  g_auto(GStrv) names = g_strsplit(halves[1] ? halves[1] : "", ",", -1);
  g_autoptr(GString) text = g_string_new(halves[0]);
  const guint n = g_strv_length(names);
  for (guint i = 0; i < MAX(n, input + 1); i++)
    g_string_append_printf(text, "%c%s", i == 0 ? ':' : ',', i == input ? name : i < n ? names[i] : "");
  return g_string_free(g_steal_pointer(&text), FALSE);
}

GPtrArray *
vt_recipe_list_choices(const VitrailRecipe *recipe, const VitrailPlugin *plugin, const char *stage, const char *what,
                       guint input)
{
  g_autoptr(VtRecipeDraft) d = vt_recipe_draft_new(recipe, plugin, NULL, NULL);
  g_autoptr(GPtrArray) names = vt_recipe_list_sources(d, stage);
  GPtrArray *choices = g_ptr_array_new_with_free_func(choice_free);
  for (guint i = 0; i < names->len; i++) {
    VtRecipeChoice *choice = g_new0(VtRecipeChoice, 1);
    g_autoptr(GError) error = NULL;
    g_autofree char *with = vt_recipe_dup_with_input(what, input, names->pdata[i]);
    g_autofree char *text = vt_recipe_edit(recipe, plugin, VT_RECIPE_ADD, stage, with, NULL, &error);
    choice->name = g_strdup(names->pdata[i]);
    choice->title = vt_recipe_dup_source_title(d, names->pdata[i]);
    choice->reason = text ? NULL : g_strdup(error->message);
    g_ptr_array_add(choices, choice);
  }
  return choices;
}

const char *
vt_recipe_get_origin(const char *op_id)
{
  const char *end = g_strrstr(op_id, EDITED), *after = end ? end + strlen(EDITED) : "";
  const gboolean is_numbered = *after == '-' && after[1] && !after[1 + strspn(after + 1, "0123456789")];
  g_autofree char *origin = end && (!*after || is_numbered) ? g_strndup(op_id, (gsize)(end - op_id)) : g_strdup(op_id);
  return g_intern_string(origin);
}

static gboolean
has_stage(const VitrailRecipe *recipe, const char *id)
{
  for (guint i = 0; i < recipe->n_stages; i++)
    if (g_str_equal(recipe->stages[i]->id, id))
      return TRUE;
  return FALSE;
}

const char *
vt_recipe_find_added(const VitrailRecipe *before, const VitrailRecipe *after)
{
  for (guint i = after->n_stages; i-- > 0;)
    if (!has_stage(before, after->stages[i]->id))
      return after->stages[i]->id;
  return NULL;
}

const VitrailParam *
vt_recipe_get_bypass(const VitrailOp *op, const char *stage)
{
  const VtRecipe *opened = vt_op_get_recipe(op); /* a built-in recipe bypasses nothing */
  const VitrailRecipe *recipe = opened ? vt_recipe_get(opened) : NULL;
  g_autofree char *key = g_strconcat(SKIP, stage, NULL);
  for (guint i = 0; recipe && i < recipe->n_nodes; i++)
    if (g_strcmp0(recipe->nodes[i]->when, key) == 0 && g_strcmp0(recipe->nodes[i]->stage, stage) == 0)
      return op->params[vt_op_find_param(op, key)];
  return NULL;
}

char *
vt_recipe_dup_text_with(const VitrailRecipe *recipe, const VtParams *params, const char *id, const char *title)
{
  g_autofree VitrailParam *own = g_new0(VitrailParam, recipe->n_params + 1);
  g_autofree const VitrailParam **list = g_new0(const VitrailParam *, recipe->n_params + 1);
  VitrailRecipe with = *recipe;
  for (guint i = 0; i < recipe->n_params; i++) {
    const int k = vt_op_find_param(params->op, recipe->params[i]->key);
    own[i] = *recipe->params[i];
    list[i] = &own[i];
    if (k >= 0 && own[i].unit_px && !params->calibrated)
      own[i].initial_px = params->values[k][0];
    else if (k >= 0)
      memcpy(own[i].initial, params->values[k], 3 * sizeof own[i].initial[0]);
  }
  with.params = list;
  g_autoptr(JsonNode) root = vt_recipe_to_json(&with, id, title);
  g_autofree char *text = json_to_string(root, TRUE);
  return g_strconcat(text, "\n", NULL);
}
