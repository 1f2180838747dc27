/* SPDX-License-Identifier: MIT
 *
 * A recipe as one node of another. Its nodes take the call's place, under ids of their own (CALL-NODE); its parameters become
 * what the caller says, its stages what the caller reads as CALL.STAGE. Nobody who runs a recipe knows of calls. */
#include <string.h>

#include "plugins/vt-recipe-names.h"
#include "plugins/vt-recipe-private.h"

enum { MOST_NODES = 64, DEEPEST = 8, MOST_CALLS = 64 };

typedef struct {
  const VtRecipeReader *r;
  GPtrArray *nodes;
  GHashTable *stages;  /* "CALL.STAGE" to the id of its node; "": there are several */
  const char *missing; /* the first "CALL.STAGE" that there is not; NULL: none */
  const VtRecipeCall *call;
  const VitrailRecipe *called;
  GHashTable *kept, *left_out; /* ids of the called recipe's nodes */
  GHashTable *used;            /* settings of the call */
} Flat;

/* --- names in expressions --- */

static const char *
rewrite(Flat *f, VtRecipeNameOf name_of, const char *text)
{
  g_autofree char *other = vt_recipe_rewrite(text, name_of, f);
  char *copy = other ? vt_recipe_allocate(f->r, strlen(other) + 1, 1) : NULL;
  return copy ? strcpy(copy, other) : NULL;
}

static const char *
join(Flat *f, const char *a, const char *b)
{
  char *text = vt_recipe_allocate(f->r, strlen(a) + strlen(b) + 2, 1);
  memcpy(text, a, strlen(a));
  text[strlen(a)] = '-';
  return strcat(text, b);
}

static char *
rename_own(gpointer flat, const char *function, const char *name)
{
  Flat *f = flat;
  const char *id = strchr(name, '.') ? g_hash_table_lookup(f->stages, name) : name;
  if ((!id || !*id) && !f->missing)
    f->missing = strcpy(vt_recipe_allocate(f->r, strlen(name) + 1, 1), name);
  return id && id != name ? g_strdup(id) : NULL;
}

static const char *
find_setting(const VitrailRecipeSetting *const *list, guint32 n, const char *key)
{
  for (guint32 i = 0; i < n; i++)
    if (g_str_equal(list[i]->key, key))
      return list[i]->value;
  return NULL;
}

static const VitrailParam *
find_param(const VitrailRecipe *recipe, const char *key)
{
  for (guint32 i = 0; i < recipe->n_params; i++)
    if (g_strcmp0(recipe->params[i]->key, key) == 0)
      return recipe->params[i];
  return NULL;
}

static char *
dup_default(const VitrailParam *param)
{
  char initial[G_ASCII_DTOSTR_BUF_SIZE], px[G_ASCII_DTOSTR_BUF_SIZE];
  if (param->type == VITRAIL_PARAM_CHOICE)
    return g_strdup_printf("'%s'", param->choices[(guint32)param->initial[0]]);
  g_ascii_dtostr(initial, sizeof initial, param->initial[0]);
  g_ascii_dtostr(px, sizeof px, param->initial_px);
  return param->unit_px ? g_strdup_printf("(calibrated * %s + (not calibrated) * %s)", initial, px)
                        : g_strdup_printf("(%s)", initial);
}

/* The caller's input that stands for one of the recipe; NULL: not given. */
static const char *
find_input(const Flat *f, const char *id)
{
  for (guint32 i = 0; i < f->called->n_inputs && i < f->call->n_inputs; i++)
    if (g_strcmp0(f->called->inputs[i]->id, id) == 0)
      return f->call->inputs[i];
  return NULL;
}

static char *
rename_called(gpointer flat, const char *function, const char *name)
{
  Flat *f = flat;
  if (vt_recipe_is_of_node(function))
    return g_strconcat(f->call->id, "-", name, NULL);
  if (g_strcmp0(function, "given") == 0)
    return g_strdup(find_input(f, name) ? find_input(f, name) : "");
  const VitrailParam *param = find_param(f->called, name);
  if (!param || g_str_equal(name, "pixel-size")) /* the run's */
    return NULL;
  const char *value = find_setting(f->call->settings, f->call->n_settings, name);
  g_hash_table_add(f->used, (gpointer)param->key);
  return value ? g_strdup_printf("(%s)", value) : dup_default(param);
}

/* --- nodes --- */

static const VitrailRecipeSetting *const *
rewrite_settings(Flat *f, VtRecipeNameOf name_of, const VitrailRecipeSetting *const *from, guint32 n,
                 gboolean with_call)
{
  const VitrailRecipeSetting **list = vt_recipe_allocate(f->r, n, sizeof *list);
  for (guint32 i = 0; i < n; i++) {
    VitrailRecipeSetting *setting = vt_recipe_allocate(f->r, 1, sizeof *setting);
    *setting = *from[i];
    setting->value = rewrite(f, name_of, from[i]->value);
    if (with_call)
      setting->key = join(f, f->call->id, from[i]->key);
    list[i] = setting;
  }
  return list;
}

/* A copy with its expressions rewritten. */
static VitrailRecipeNode *
copy_node(Flat *f, VtRecipeNameOf name_of, const VitrailRecipeNode *from, guint origin)
{
  VitrailRecipeNode *node = vt_recipe_allocate(f->r, 1, sizeof *node);
  const char **inputs = vt_recipe_allocate(f->r, from->n_inputs, sizeof *inputs);
  *node = *from;
  node->when = from->when ? rewrite(f, name_of, from->when) : NULL;
  node->settings = rewrite_settings(f, name_of, from->settings, from->n_settings, FALSE);
  node->facts = rewrite_settings(f, name_of, from->facts, from->n_facts, name_of == rename_called);
  memcpy(inputs, from->inputs, from->n_inputs * sizeof *inputs);
  node->inputs = inputs;
  g_ptr_array_add(f->nodes, node);
  g_array_append_val(f->r->file->origins, origin);
  return node;
}

static void
add_own(Flat *f, const VitrailRecipeNode *from, guint origin)
{
  const char **inputs = (const char **)copy_node(f, rename_own, from, origin)->inputs;
  for (guint32 k = 0; k < from->n_inputs; k++)
    if (strchr(inputs[k], '.'))
      inputs[k] = rewrite(f, rename_own, inputs[k]);
}

/* What reads an input that is not given, and what comes of it, is not there; nor are objects that the caller does not show. */
static gboolean
is_left_out(const Flat *f, const VitrailRecipeNode *node)
{
  const gboolean is_read = g_strcmp0(node->step, "read") == 0;
  for (guint32 k = 0; k < node->n_inputs; k++) {
    const char *id = node->inputs[k];
    if (is_read ? !find_input(f, id) : g_hash_table_contains(f->left_out, id) && !g_hash_table_contains(f->kept, id))
      return TRUE;
  }
  for (guint32 i = 0; node->stage && i < f->called->n_stages; i++)
    if (f->called->stages[i]->kind == VITRAIL_STAGE_OBJECTS && g_strcmp0(f->called->stages[i]->id, node->stage) == 0)
      return !find_setting(f->call->stages, f->call->n_stages, node->stage);
  return FALSE;
}

static void
add_called(Flat *f, const VitrailRecipeNode *from, guint origin)
{
  if (is_left_out(f, from)) {
    g_hash_table_add(f->left_out, (gpointer)from->id);
    return;
  }
  g_hash_table_add(f->kept, (gpointer)from->id);
  if (from->also)
    g_hash_table_add(f->kept, (gpointer)from->also);
  VitrailRecipeNode *node = copy_node(f, rename_called, from, origin);
  const char **inputs = (const char **)node->inputs;
  node->id = join(f, f->call->id, from->id);
  node->also = from->also ? join(f, f->call->id, from->also) : NULL;
  node->stage = from->stage ? find_setting(f->call->stages, f->call->n_stages, from->stage) : NULL;
  for (guint32 k = 0; k < from->n_inputs; k++)
    inputs[k] = g_strcmp0(from->step, "read") == 0 ? find_input(f, inputs[k]) : join(f, f->call->id, inputs[k]);
  if (!from->stage)
    return;
  char *name = g_strconcat(f->call->id, ".", from->stage, NULL);
  const char *other = g_hash_table_lookup(f->stages, name);
  g_hash_table_insert(f->stages, name, (gpointer)(other && !g_str_equal(other, node->id) ? "" : node->id));
}

/* --- a call --- */

static char *
dup_chain(const VtRecipeReader *r, const char *path)
{
  g_autoptr(GString) chain = g_string_new(NULL);
  g_autofree char *last = vt_error_dup_name(path);
  for (; r; r = r->caller) {
    g_autofree char *name = vt_error_dup_name(r->path);
    g_string_prepend(chain, " → ");
    g_string_prepend(chain, name);
  }
  g_string_append(chain, last);
  return g_string_free(g_steal_pointer(&chain), FALSE);
}

static const VitrailRecipe *
load_beside(const VtRecipeReader *r, const char *pointer, const char *name)
{
  g_autofree char *folder = r->path ? g_path_get_dirname(r->path) : NULL;
  g_autofree char *path = folder ? g_build_filename(folder, name, NULL) : NULL;
  g_autoptr(GError) error = NULL;
  guint depth = 0;
  if (!path || strchr(name, '/') || strchr(name, G_DIR_SEPARATOR)) {
    vt_recipe_fail(r, pointer, "“%s” is no file beside the recipe.", name);
    return NULL;
  }
  for (const VtRecipeReader *caller = r; caller; caller = caller->caller) {
    depth++;
    if (!g_str_equal(caller->path, path))
      continue;
    g_autofree char *chain = dup_chain(r, path);
    vt_recipe_fail(r, pointer, "The recipe calls itself: %s.", chain);
    return NULL;
  }
  if (depth > DEEPEST) {
    vt_recipe_fail(r, pointer, "Recipes call each other more than %d deep.", DEEPEST);
    return NULL;
  }
  VtRecipe *file = vt_recipe_load_called(path, r, &error);
  if (!file && r->caller) { /* the first and the last place say enough */
    g_propagate_error(r->error, g_steal_pointer(&error));
    return NULL;
  }
  if (!file) {
    vt_recipe_fail(r, pointer, "%s", error->message);
    return NULL;
  }
  g_ptr_array_add(r->file->called, file);
  return &file->recipe;
}

static const VitrailRecipe *
find_called(const VtRecipeReader *r, const char *pointer, const VtRecipeCall *call)
{
  g_autofree char *at = g_strconcat(pointer, "/recipe", NULL);
  g_autoptr(GString) known = g_string_new(NULL);
  if (++*r->n_calls > MOST_CALLS) {
    vt_recipe_fail(r, at, "Recipes call others more than %d times.", MOST_CALLS);
    return NULL;
  }
  if (g_str_has_suffix(call->name, ".json"))
    return load_beside(r, at, call->name);
  for (guint32 i = 0; r->plugin && i < r->plugin->n_recipes; i++) {
    if (g_str_equal(r->plugin->recipes[i]->id, call->name))
      return r->plugin->recipes[i];
    g_string_append_printf(known, "%s, ", r->plugin->recipes[i]->id);
  }
  vt_recipe_fail(r, at, "There is no recipe “%s” to call; there are: %sand files beside this one (NAME.json).",
                 call->name, known->str);
  return NULL;
}

/* Ids that the call's nodes get must not be others'. */
static gboolean
check_ids(const VtRecipeReader *r, const char *pointer, const VtRecipeCall *call)
{
  g_autofree char *prefix = g_strconcat(call->id, "-", NULL);
  for (guint32 i = 0; i < r->file->recipe.n_nodes; i++) {
    const VitrailRecipeNode *node = r->file->recipe.nodes[i];
    const VtRecipeCall *other = g_hash_table_lookup(r->file->calls, node);
    const char *ids[] = { other ? other->id : node->id, node->also };
    for (gsize k = 0; k < G_N_ELEMENTS(ids) && other != call; k++)
      if (ids[k] && (g_str_equal(ids[k], call->id) || g_str_has_prefix(ids[k], prefix)))
        return vt_recipe_fail(r, pointer,
                              "The id “%s” is taken: “%s” and ids that begin with “%s” belong to this call.", ids[k],
                              call->id, prefix);
  }
  return TRUE;
}

/* A value that is no expression is checked as a value of the parameter is. */
static gboolean
check_setting(const Flat *f, const char *pointer, const VitrailRecipeSetting *setting)
{
  g_autofree char *at = g_strconcat(pointer, "/settings/", setting->key, NULL);
  const VitrailParam *param = find_param(f->called, setting->key);
  char *end = NULL;
  const double value = g_ascii_strtod(setting->value, &end);
  const gboolean is_number = *setting->value && !*end, is_word = setting->value[0] == '\'';
  if (!param || !g_hash_table_contains(f->used, setting->key))
    return vt_recipe_fail(f->r, at,
                          param
                            ? "No step of the recipe %s takes the parameter “%s” in this call: it is the whole run's."
                            : "The recipe %s has no parameter “%s”.",
                          f->call->name, setting->key);
  if (is_number && param->type != VITRAIL_PARAM_CHOICE && !(value >= param->min && value <= param->max)
      && param->type != VITRAIL_PARAM_BOOL)
    return vt_recipe_fail(f->r, at, "“%s” is %s; it must lie between %g and %g.", setting->key, setting->value,
                          param->min, param->max);
  gboolean is_choice = !is_word && !(is_number && param->type == VITRAIL_PARAM_CHOICE);
  for (guint32 i = 0; param->type == VITRAIL_PARAM_CHOICE && i < param->n_choices; i++) {
    g_autofree char *word = g_strdup_printf("'%s'", param->choices[i]);
    is_choice |= g_str_equal(word, setting->value);
  }
  return is_choice || vt_recipe_fail(f->r, at, "“%s” is %s, which it can't be.", setting->key, setting->value);
}

static gboolean
check_call(const Flat *f, const char *pointer)
{
  const VtRecipeCall *call = f->call;
  for (guint32 i = 0; i < f->called->n_inputs; i++)
    if (i >= call->n_inputs && !(f->called->inputs[i]->flags & VITRAIL_INPUT_OPTIONAL))
      return vt_recipe_fail(f->r, pointer, "The recipe %s needs the input “%s”.", call->name, f->called->inputs[i]->id);
  if (call->n_inputs > f->called->n_inputs)
    return vt_recipe_fail(f->r, pointer, "The recipe %s takes %u inputs, not %u.", call->name, f->called->n_inputs,
                          call->n_inputs);
  for (guint32 i = 0; i < call->n_settings; i++)
    if (!check_setting(f, pointer, call->settings[i]))
      return FALSE;
  for (guint32 i = 0; i < call->n_stages; i++) {
    g_autofree char *name = g_strconcat(call->id, ".", call->stages[i]->key, NULL);
    gboolean is_there = g_hash_table_contains(f->stages, name);
    if (!is_there)
      return vt_recipe_fail(f->r, pointer, "The recipe %s has no stage “%s”.", call->name, call->stages[i]->key);
  }
  return TRUE;
}

static gboolean
add_call(Flat *f, const VtRecipeCall *call, const char *pointer, guint origin)
{
  const guint before = f->nodes->len;
  if (!call->id || !*call->id || !call->name)
    return vt_recipe_fail(f->r, pointer, "A call has an id and the name of a recipe.");
  f->call = call;
  f->called = check_ids(f->r, pointer, call) ? find_called(f->r, pointer, call) : NULL;
  for (guint32 i = 0; f->called && i < f->called->n_nodes; i++)
    if (!f->called->nodes[i]->id)
      return vt_recipe_fail(f->r, pointer, "The recipe %s has a node without an id.", call->name);
  if (!f->called)
    return FALSE;
  f->kept = g_hash_table_new(g_str_hash, g_str_equal);
  f->left_out = g_hash_table_new(g_str_hash, g_str_equal);
  f->used = g_hash_table_new(g_str_hash, g_str_equal);
  for (guint32 i = 0; i < f->called->n_nodes; i++)
    add_called(f, f->called->nodes[i], origin);
  const gboolean fine = check_call(f, pointer);
  g_hash_table_unref(f->kept);
  g_hash_table_unref(f->left_out);
  g_hash_table_unref(f->used);
  return fine
         && (f->nodes->len > before || vt_recipe_fail(f->r, pointer, "Nothing of the recipe %s is left.", call->name));
}

/* --- all of it --- */

static gboolean
check_missing(Flat *f, const char *pointer)
{
  const char *missing = g_steal_pointer(&f->missing);
  return !missing
         || vt_recipe_fail(f->r, pointer,
                           g_hash_table_contains(f->stages, missing)
                             ? "“%s” is made by several steps, and can't be taken from outside."
                             : "There is no “%s”: no call before this step has such a stage.",
                           missing);
}

static gboolean
add_node(Flat *f, guint i)
{
  const VitrailRecipeNode *node = f->r->file->recipe.nodes[i];
  const VtRecipeCall *call = g_hash_table_lookup(f->r->file->calls, node);
  g_autofree char *pointer = g_strdup_printf("/nodes/%u", i);
  for (guint32 k = 0; call && k < call->n_settings; k++) {
    VitrailRecipeSetting *setting = (VitrailRecipeSetting *)call->settings[k];
    setting->value = rewrite(f, rename_own, setting->value);
  }
  if (call && (!check_missing(f, pointer) || !add_call(f, call, pointer, i)))
    return FALSE;
  if (!call)
    add_own(f, node, i);
  return f->nodes->len <= MOST_NODES
           ? check_missing(f, pointer)
           : vt_recipe_fail(f->r, pointer, "With the recipes that are called there are more than %d nodes.",
                            MOST_NODES);
}

static gboolean
rewrite_rest(Flat *f)
{
  VitrailRecipe *recipe = &f->r->file->recipe;
  const char **certain = vt_recipe_allocate(f->r, recipe->n_certain, sizeof *certain);
  for (guint32 i = 0; i < recipe->n_certain; i++)
    certain[i] = strchr(recipe->certain[i], '.') ? rewrite(f, rename_own, recipe->certain[i]) : recipe->certain[i];
  recipe->certain = certain;
  for (guint32 i = 0; i < recipe->n_measurements; i++) {
    VitrailMeasurement *m = (VitrailMeasurement *)recipe->measurements[i];
    m->unit = m->unit ? rewrite(f, rename_own, m->unit) : NULL;
    m->when = m->when ? rewrite(f, rename_own, m->when) : NULL;
    m->within = m->within ? rewrite(f, rename_own, m->within) : NULL;
  }
  return check_missing(f, "");
}

gboolean
vt_recipe_flatten(const VtRecipeReader *r)
{
  VitrailRecipe *recipe = &r->file->recipe;
  if (g_hash_table_size(r->file->calls) == 0)
    return TRUE;
  Flat f = { .r = r,
             .nodes = g_ptr_array_new(),
             .stages = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL) };
  gboolean fine = TRUE;
  r->file->origins = g_array_new(FALSE, FALSE, sizeof(guint));
  for (guint i = 0; i < recipe->n_nodes && fine; i++)
    fine = add_node(&f, i);
  fine = fine && rewrite_rest(&f);
  if (fine) {
    const VitrailRecipeNode **list = vt_recipe_allocate(r, f.nodes->len, sizeof *list);
    memcpy(list, f.nodes->pdata, f.nodes->len * sizeof *list);
    recipe->nodes = list;
    recipe->n_nodes = f.nodes->len;
  }
  g_ptr_array_unref(f.nodes);
  g_hash_table_unref(f.stages);
  return fine;
}
