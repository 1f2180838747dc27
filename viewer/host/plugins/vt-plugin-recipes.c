/* SPDX-License-Identifier: MIT
 *
 * Recipes that were opened are ops like any other. The plugin's session learns of one before its first run. */

#include "plugins/vt-plugin-private.h"

#include "base/vt-define.h"

typedef struct {
  VtRecipe *recipe;
  VitrailOp op;
  const VitrailPlugin *plugin;
  char *id, *title;
  gboolean is_added; /* to the session; guarded by its lock */
  gboolean is_draft;
} Opened;

/* Opened recipes live as long as the program: views and results point to their ops. */
static GPtrArray *all = NULL;

static const VitrailPlugin *
find_plugin(VtPluginHost *host)
{
  GPtrArray *plugins = vt_plugin_host_get_plugins(host);
  VT_EACH_OF (const VitrailPlugin, plugin, plugins)
    if (plugin->recipe_check && plugin->session_add_recipe)
      return plugin;
  return NULL;
}

static const Opened *
find_opened(const VitrailOp *op)
{
  VT_EACH_OF (const Opened, opened, all)
    if (&opened->op == op)
      return opened;
  return NULL;
}

static const Opened *
find_same(const VtRecipe *recipe, gboolean is_draft)
{
  VT_EACH_OF (const Opened, opened, all)
    if (opened->is_draft == is_draft && g_str_equal(vt_recipe_get_text(opened->recipe), vt_recipe_get_text(recipe)))
      return opened;
  return NULL;
}

static VitrailReach
widest_reach(const VitrailRecipe *recipe)
{
  VitrailReach reach = VITRAIL_REACH_LOCAL;
  for (guint i = 0; i < recipe->n_stages; i++)
    reach = MAX(reach, recipe->stages[i]->reach);
  return reach;
}

/* Those of the step whose rows the recipe shows; there is one at most. */
static void
take_columns(VitrailOp *op, const VitrailPlugin *plugin, const VitrailRecipe *recipe)
{
  for (guint i = 0; i < recipe->n_nodes; i++)
    for (guint k = 0; k < plugin->n_steps; k++)
      if (plugin->steps[k]->n_columns > 0 && g_str_equal(plugin->steps[k]->id, recipe->nodes[i]->step)) {
        op->n_columns = plugin->steps[k]->n_columns;
        op->columns = plugin->steps[k]->columns;
      }
}

/* Another text of a recipe that is open stands beside it, under a number; a draft under its title, since no list has two of them. */
static Opened *
make_opened(VtPluginHost *host, const VitrailPlugin *plugin, VtRecipe *recipe, const char *id, gboolean is_draft)
{
  const VitrailRecipe *from = vt_recipe_get(recipe);
  const char *title = from->title ? from->title : from->id;
  Opened *opened = g_new0(Opened, 1);
  opened->recipe = recipe;
  opened->plugin = plugin;
  opened->is_draft = is_draft;
  opened->id = g_strdup(id ? id : from->id);
  opened->title = g_strdup(title);
  for (guint n = 2; vt_plugin_host_find_op(host, opened->id, NULL); n++) {
    g_free(opened->id);
    g_free(opened->title);
    opened->id = g_strdup_printf("%s-%u", from->id, n);
    opened->title = is_draft ? g_strdup(title) : g_strdup_printf("%s (%u)", title, n);
  }
  opened->op = (VitrailOp){ .size = sizeof opened->op,
                            .reach = widest_reach(from),
                            .id = opened->id,
                            .title = opened->title,
                            .help = from->help ? from->help : "",
                            .n_inputs = from->n_inputs,
                            .n_params = from->n_params,
                            .n_stages = from->n_stages,
                            .inputs = from->inputs,
                            .params = from->params,
                            .stages = from->stages };
  take_columns(&opened->op, plugin, from);
  return opened;
}

static gboolean
check(VtPluginHost *host, const VitrailPlugin *plugin, const VtRecipe *recipe, GError **error)
{
  VitrailRecipeProblem problem = { .size = sizeof problem };
  const VitrailRecipe *from = vt_recipe_get(recipe);
  if (!plugin)
    return vt_error_set(error, VITRAIL_UNSUPPORTED, "A recipe cannot be run: no plugin that takes recipes is there.");
  if (vt_plugin_host_check_recipe(host, plugin, from, &problem) != VITRAIL_OK) {
    vt_recipe_set_error(recipe, &problem, error);
    return FALSE;
  }
  const VitrailOp *other = vt_plugin_host_find_op(host, from->id, NULL);
  if (!other || find_opened(other))
    return TRUE;
  g_snprintf(problem.path, sizeof problem.path, "/id");
  g_snprintf(problem.sentence, sizeof problem.sentence,
             "There is an analysis “%s” already; give the recipe an id of its own.", from->id);
  vt_recipe_set_error(recipe, &problem, error);
  return FALSE;
}

/* Takes the recipe. */
static const VitrailOp *
open_as_op(VtPluginHost *host, const VitrailPlugin *plugin, VtRecipe *taken, const char *id, gboolean is_draft,
           GError **error)
{
  g_autoptr(VtRecipe) recipe = taken;
  const Opened *same = find_same(recipe, is_draft);
  if (same)
    return &same->op;
  if (!check(host, plugin, recipe, error))
    return NULL;
  Opened *opened = make_opened(host, plugin, g_steal_pointer(&recipe), id, is_draft);
  if (!all)
    all = g_ptr_array_new();
  g_ptr_array_add(all, opened);
  if (!is_draft)
    g_ptr_array_add(vt_plugin_host_get_ops(host), &opened->op);
  return &opened->op;
}

const VitrailOp *
vt_plugin_host_open_recipe(VtPluginHost *host, const char *path, GError **error)
{
  const VitrailPlugin *plugin = find_plugin(host);
  VtRecipe *recipe = vt_recipe_load(path, plugin, error);
  return recipe ? open_as_op(host, plugin, recipe, NULL, FALSE, error) : NULL;
}

const VitrailOp *
vt_plugin_host_open_draft(VtPluginHost *host, const char *text, const char *id, GError **error)
{
  const VitrailPlugin *plugin = find_plugin(host);
  VtRecipe *recipe = vt_recipe_parse(text, "recipe", plugin, error);
  return recipe ? open_as_op(host, plugin, recipe, id, TRUE, error) : NULL;
}

gboolean
vt_op_is_draft(const VitrailOp *op)
{
  const Opened *opened = find_opened(op);
  return opened && opened->is_draft;
}

const VitrailRecipe *
vt_plugin_host_find_recipe(VtPluginHost *host, const VitrailOp *op, const VitrailPlugin **plugin)
{
  const Opened *opened = find_opened(op);
  const VitrailPlugin *own = opened ? opened->plugin : NULL;
  if (!opened)
    vt_plugin_host_find_op(host, op->id, &own);
  if (plugin)
    *plugin = own;
  if (opened)
    return vt_recipe_get(opened->recipe);
  for (guint i = 0; own && own->recipe_check && i < own->n_recipes; i++)
    if (g_str_equal(own->recipes[i]->id, op->id))
      return own->recipes[i];
  return NULL;
}

const VitrailOp *
vt_plugin_host_find_recipe_op(const char *op_id, const VitrailPlugin **plugin)
{
  VT_EACH_OF (const Opened, opened, all) {
    if (!g_str_equal(opened->id, op_id))
      continue;
    if (plugin)
      *plugin = opened->plugin;
    return &opened->op;
  }
  return NULL;
}

const VtRecipe *
vt_op_get_recipe(const VitrailOp *op)
{
  const Opened *opened = find_opened(op);
  return opened ? opened->recipe : NULL;
}

gboolean
vt_plugin_host_prepare(const VitrailOp *op, VitrailSession *session, GMutex *lock, GError **error)
{
  Opened *opened = (Opened *)find_opened(op);
  VitrailRecipeProblem problem = { .size = sizeof problem };
  VitrailStatus status = VITRAIL_OK;
  if (!opened)
    return TRUE;
  g_mutex_lock(lock);
  if (!opened->is_added) {
    VitrailRecipe recipe = *vt_recipe_get(opened->recipe);
    const VitrailOp *added = NULL;
    recipe.id = opened->id;
    status = opened->plugin->session_add_recipe(session, &recipe, &added, &problem);
    opened->is_added = status == VITRAIL_OK;
  }
  g_mutex_unlock(lock);
  if (status != VITRAIL_OK)
    vt_recipe_set_error(opened->recipe, &problem, error);
  return status == VITRAIL_OK;
}

/* --- those that are there from the start --- */

static void
open_or_note(VtPluginHost *host, const char *path)
{
  g_autoptr(GError) error = NULL;
  if (!vt_plugin_host_open_recipe(host, path, &error))
    vt_plugin_host_add_failure(host, path, error->message);
}

void
vt_plugin_host_open_recipes(VtPluginHost *host)
{
  const char *search_path = g_getenv("VITRAIL_RECIPE_PATH");
  g_autofree char *own = g_build_filename(g_get_user_data_dir(), "vitrail", "recipes", NULL);
  g_auto(GStrv) folders = search_path ? g_strsplit(search_path, G_SEARCHPATH_SEPARATOR_S, -1)
                                      : g_strdupv((char **)(const char *[]){ VT_RECIPE_DIR, own, NULL });
  if (!find_plugin(host))
    return;
  for (char **folder = folders; *folder; folder++)
    if (g_path_is_absolute(*folder))
      vt_plugin_host_read_folder(host, *folder, VT_RECIPE_SUFFIX, open_or_note);
}
