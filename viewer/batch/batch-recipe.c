/* SPDX-License-Identifier: MIT
 *
 * Recipes: checked, shown, written as a starting point; what they are made of. */
#include <math.h>
#include <stdio.h>

#include "batch.h"

#include "base/vt-define.h"

gboolean
batch_is_recipe(const char *word)
{
  return g_str_has_suffix(word, ".json");
}

static int
check(const char *path)
{
  g_autoptr(GError) error = NULL;
  const VitrailOp *op = vt_plugin_host_open_recipe(vt_plugin_host_get(), path, &error);
  if (!op)
    return batch_fail(BATCH_FAILED, "%s", error->message);
  g_autofree char *shown = vt_error_dup_path(path);
  printf("%s: a sound recipe, “%s”, of %u nodes\n", shown, op->title, vt_recipe_get(vt_op_get_recipe(op))->n_nodes);
  return BATCH_DONE;
}

static void
print_node(const VitrailRecipeNode *node)
{
  printf("  %-16s %s", node->id, node->step);
  for (guint i = 0; i < node->n_inputs; i++)
    printf("%s%s", i > 0 ? ", " : " ", node->inputs[i]);
  for (guint i = 0; i < node->n_settings; i++)
    printf("; %s = %s", node->settings[i]->key, node->settings[i]->value);
  if (node->when)
    printf("; when %s", node->when);
  if (node->also)
    printf("; also %s", node->also);
  printf("%s%s\n", node->stage ? "  -> " : "", node->stage ? node->stage : "");
}

static int
show(const char *path)
{
  g_autoptr(GError) error = NULL;
  const VitrailOp *op = vt_plugin_host_open_recipe(vt_plugin_host_get(), path, &error);
  if (!op)
    return batch_fail(BATCH_FAILED, "%s", error->message);
  const VitrailRecipe *recipe = vt_recipe_get(vt_op_get_recipe(op));
  batch_print_op(op);
  printf("  nodes:\n");
  for (guint i = 0; i < recipe->n_nodes; i++)
    print_node(recipe->nodes[i]);
  return BATCH_DONE;
}

static const VitrailRecipe *
find_built_in(const char *id, GString *known)
{
  GPtrArray *plugins = vt_plugin_host_get_plugins(vt_plugin_host_get());
  VT_EACH_OF (const VitrailPlugin, plugin, plugins) {
    for (guint k = 0; k < plugin->n_recipes; k++) {
      if (g_str_equal(plugin->recipes[k]->id, id))
        return plugin->recipes[k];
      g_string_append_printf(known, "%s%s", known->len > 0 ? ", " : "", plugin->recipes[k]->id);
    }
  }
  return NULL;
}

/* A built-in one has its id for itself, so the copy has another. */
static int export(const char *id)
{
  g_autoptr(GString) known = g_string_new(NULL);
  const VitrailRecipe *recipe = find_built_in(id, known);
  const VitrailOp *op = recipe ? NULL : vt_plugin_host_find_op(vt_plugin_host_get(), id, NULL);
  const VtRecipe *opened = op ? vt_op_get_recipe(op) : NULL;
  if (!recipe && !opened)
    return batch_fail_unknown("recipe", id, known->str);
  if (!recipe)
    recipe = vt_recipe_get(opened);
  g_autofree char *own_id = g_strconcat("my-", recipe->id, NULL);
  g_autofree char *title = g_strdup_printf("%s (my own)", recipe->title ? recipe->title : recipe->id);
  g_autoptr(JsonNode) root = vt_recipe_to_json(recipe, own_id, title);
  batch_print_json(root);
  return BATCH_DONE;
}

/* --- the table of steps, in Markdown --- */

static void
print_takes(const VitrailStepInput *input)
{
  static const char *const types[] = { "u8", "u16", "i32", "f32", "rgba" };
  const char *between = "";
  printf("%s (", input->title);
  for (guint i = 0; i < G_N_ELEMENTS(types); i++) {
    if (!(input->takes >> i & 1))
      continue;
    printf("%s%s", between, types[i]);
    between = " ";
  }
  if (input->takes & VITRAIL_TAKES_LABELS)
    printf("%slabels", between);
  if (input->takes & VITRAIL_TAKES_I64)
    printf("%si64", between);
  printf("%s%s)", input->takes & VITRAIL_TAKES_LIKE_FIRST ? "like the first" : "",
         input->takes == 0                       ? "of the recipe"
         : input->flags & VITRAIL_INPUT_OPTIONAL ? "; may be left out"
                                                 : "");
}

static const char *
made(const VitrailStep *step)
{
  static const char *const types[] = { "u8", "u16", "i32", "f32", "rgba" };
  switch (step->makes) {
  case VITRAIL_MAKES_LABELS: return "labels";
  case VITRAIL_MAKES_NOTHING: return "objects";
  case VITRAIL_MAKES_ROWS: return "rows";
  case VITRAIL_MAKES_LIKE_FIRST: return "like the first";
  default:
    return step->n_inputs == 1 && step->inputs[0]->takes == 0           ? "the input's"
           : step->makes >= 0 && step->makes < (int)G_N_ELEMENTS(types) ? types[step->makes]
                                                                        : "";
  }
}

static void
print_setting(const VitrailStepSetting *setting)
{
  printf("`%s`: %s", setting->key, setting->help);
  for (guint i = 0; i < setting->n_words; i++)
    printf("%s`'%s'`", i > 0 ? ", " : " One of ", setting->words[i]);
  if (setting->n_words == 0 && isfinite(setting->min) && isfinite(setting->max))
    printf(" %g to %g.", setting->min, setting->max);
}

static void
print_step(const VitrailStep *step)
{
  printf("| `%s` | %s | ", step->id, step->help);
  for (guint i = 0; i < step->n_inputs; i++) {
    printf("%s", i > 0 ? ", " : "");
    print_takes(step->inputs[i]);
  }
  printf(" | %s%s%s | ", made(step), step->also ? "; also: " : "", step->also ? step->also : "");
  for (guint i = 0; i < step->n_settings; i++) {
    printf("%s", i > 0 ? "<br>" : "");
    print_setting(step->settings[i]);
  }
  printf(" |\n");
}

static int
steps(void)
{
  GPtrArray *plugins = vt_plugin_host_get_plugins(vt_plugin_host_get());
  printf("| step | what it makes | takes | makes | settings |\n| --- | --- | --- | --- | --- |\n");
  VT_EACH_OF (const VitrailPlugin, plugin, plugins) {
    for (guint k = 0; k < plugin->n_steps; k++)
      print_step(plugin->steps[k]);
  }
  return batch_tell_failures();
}

int
batch_recipe(int argc, char **argv)
{
  const GOptionEntry entries[] = { { NULL } };
  int status = BATCH_DONE;
  if (!batch_parse(&argc, &argv, "check FILE | show FILE | export ID | steps",
                   "Checks or shows a recipe file, writes a built-in recipe as one, or lists what recipes are made of.",
                   entries, &status))
    return status;
  const char *what = argc > 1 ? argv[1] : "";
  if (argc == 3 && g_str_equal(what, "check"))
    return check(argv[2]);
  if (argc == 3 && g_str_equal(what, "show"))
    return show(argv[2]);
  if (argc == 3 && g_str_equal(what, "export"))
    return export(argv[2]);
  if (argc == 2 && g_str_equal(what, "steps"))
    return steps();
  return batch_fail(BATCH_USAGE, "recipe takes: check FILE, show FILE, export ID, or steps.");
}
