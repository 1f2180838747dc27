/* SPDX-License-Identifier: MIT
 *
 * Descriptors of a plugin: nothing beyond a struct's own size is read, nothing that is missing is believed. */
#include <math.h>
#include <string.h>

#include "plugins/vt-plugin-private.h"

#define MAX_LIST 4096
#define MAX_ID 100                 /* ids become names of files */
#define MAX_WHOLE 9007199254740992 /* 2^53: every whole number up to there is a double */

typedef struct {
  const char *path;
  GPtrArray *memory; /* of the copies, freed when the plugin is refused */
  GError **error;
} Check;

static gpointer
allocate(const Check *check, gsize n, gsize size)
{
  gpointer memory = g_malloc0_n(n, size);
  g_ptr_array_add(check->memory, memory);
  return memory;
}

/* What a struct must at least hold: everything up to and without `next`. */
#define COPY(check, ours, theirs, what, next) \
  copy_struct(check, ours, theirs, sizeof *(ours), G_STRUCT_OFFSET(__typeof__(*(ours)), next), what)

G_GNUC_PRINTF(2, 3)
static gboolean
fail(const Check *check, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  g_autofree char *valid = g_utf8_make_valid(text, -1), *shown = g_filename_display_name(check->path);
  va_end(arguments);
  g_set_error(check->error, VT_ERROR, VITRAIL_UNSUPPORTED, "%s cannot be used: %s.", shown, valid);
  return FALSE;
}

static gboolean
copy_struct(const Check *check, void *ours, const void *theirs, gsize our_size, gsize least, const char *what)
{
  guint32 size = 0;
  if (!theirs)
    return fail(check, "a %s is missing", what);
  memcpy(&size, theirs, sizeof size);
  if (size < least)
    return fail(check, "a %s is only %u bytes long", what, size);
  if (size % sizeof(void *) != 0) /* no compiler makes such a struct: its end may be half a pointer */
    return fail(check, "a %s is %u bytes long, which ends within a field", what, size);
  memset(ours, 0, our_size);
  memcpy(ours, theirs, MIN((gsize)size, our_size));
  size = (guint32)our_size;
  memcpy(ours, &size, sizeof size);
  return TRUE;
}

static gboolean
check_id(const Check *check, const char *id, const char *what)
{
  if (!id || !*id || strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(id))
    return fail(check, "a %s has the id “%.100s”; ids are made of a-z, 0-9 and -", what, id ? id : "(null)");
  return strlen(id) <= MAX_ID || fail(check, "the %s “%.40s...” has an id of more than %d letters", what, id, MAX_ID);
}

/* NULL becomes `missing`, which may be NULL. */
static gboolean
check_text(const Check *check, const char **text, const char *missing, const char *what, const char *id)
{
  *text = *text ? *text : missing;
  return !*text || g_utf8_validate(*text, -1, NULL) || fail(check, "a text of the %s “%s” is not UTF-8", what, id);
}

static gboolean
check_list(const Check *check, guint n, const void *list, guint limit, const char *what)
{
  if (n > limit || (n > 0 && !list))
    return fail(check, "its list of %s is broken", what);
  return TRUE;
}

static gboolean
check_unique(const Check *check, GHashTable *seen, const char *id, const char *what)
{
  return g_hash_table_add(seen, (gpointer)id) || fail(check, "the %s “%s” is there twice", what, id);
}

static gboolean
check_choice_titles(const Check *check, VitrailParam *param)
{
  const char **titles = allocate(check, param->n_choices, sizeof *titles);
  for (guint i = 0; i < param->n_choices; i++) {
    titles[i] = param->choice_titles[i];
    if (!check_text(check, &titles[i], param->choices[i], "parameter", param->key))
      return FALSE;
  }
  param->choice_titles = titles;
  return TRUE;
}

static gboolean
check_choices(const Check *check, VitrailParam *param)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  if (param->type != VITRAIL_PARAM_CHOICE)
    return TRUE;
  if (param->n_choices == 0 || !check_list(check, param->n_choices, param->choices, MAX_LIST, "choices"))
    return param->n_choices > 0 ? FALSE : fail(check, "the parameter “%s” has no choices", param->key);
  for (guint i = 0; i < param->n_choices; i++)
    if (!param->choices[i] || !*param->choices[i] || strpbrk(param->choices[i], " \t\r\n")
        || !g_utf8_validate(param->choices[i], -1, NULL))
      return fail(check, "the parameter “%s” has a choice without a usable key", param->key);
    else if (!check_unique(check, seen, param->choices[i], "choice"))
      return FALSE;
  if (!(param->initial[0] >= 0 && param->initial[0] < param->n_choices) || fmod(param->initial[0], 1) != 0)
    return fail(check, "the parameter “%s” starts with a choice that it does not have", param->key);
  return !param->choice_titles || check_choice_titles(check, param);
}

static gboolean
is_in_range(const VitrailParam *param, double value)
{
  const gboolean is_whole = param->type == VITRAIL_PARAM_INT || param->type == VITRAIL_PARAM_BOOL;
  const double min = param->type == VITRAIL_PARAM_BOOL ? 0 : param->min;
  const double max = param->type == VITRAIL_PARAM_BOOL ? 1 : param->max;
  return value >= min && value <= max && !(is_whole && fmod(value, 1) != 0);
}

static gboolean
check_numbers(const Check *check, const VitrailParam *param)
{
  const gboolean has_range = param->type != VITRAIL_PARAM_BOOL;
  if (param->type == VITRAIL_PARAM_CHOICE)
    return TRUE;
  if (has_range && !(isfinite(param->min) && isfinite(param->max) && param->min <= param->max))
    return fail(check, "the parameter “%s” has no range", param->key);
  if (param->type == VITRAIL_PARAM_INT && !(param->min >= -MAX_WHOLE && param->max <= MAX_WHOLE))
    return fail(check, "the parameter “%s” has a range with whole numbers beyond 2^53", param->key);
  for (int i = 0; i < (param->type == VITRAIL_PARAM_VECTOR ? 3 : 1); i++)
    if (!is_in_range(param, param->initial[i]))
      return fail(check, "the parameter “%s” starts outside its range", param->key);
  if (param->unit_px && !is_in_range(param, param->initial_px))
    return fail(check, "the parameter “%s” starts outside its range where there is no pixel size", param->key);
  return (isfinite(param->step) && param->step >= 0)
         || fail(check, "the parameter “%s” has no sensible step", param->key);
}

static gboolean
check_param(const Check *check, VitrailParam *param)
{
  if (!check_id(check, param->key, "parameter"))
    return FALSE;
  if (param->type < VITRAIL_PARAM_FLOAT || param->type > VITRAIL_PARAM_VECTOR)
    return fail(check, "the parameter “%s” has an unknown type", param->key);
  return check_text(check, &param->title, param->key, "parameter", param->key)
         && check_text(check, &param->help, "", "parameter", param->key)
         && check_text(check, &param->group, "", "parameter", param->key)
         && check_text(check, &param->unit, "", "parameter", param->key)
         && check_text(check, &param->unit_px, NULL, "parameter", param->key) && check_numbers(check, param)
         && check_choices(check, param);
}

static gboolean
copy_params(const Check *check, VitrailOp *op)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  const VitrailParam **list = allocate(check, op->n_params + 1, sizeof(gpointer));
  for (guint i = 0; i < op->n_params; i++) {
    VitrailParam *param = allocate(check, 1, sizeof(VitrailParam));
    list[i] = param;
    if (!COPY(check, param, op->params[i], "parameter", step) || !check_param(check, param)
        || !check_unique(check, seen, param->key, "parameter"))
      return FALSE;
  }
  op->params = list;
  return TRUE;
}

static gboolean
check_stage(const Check *check, const VitrailOp *op, VitrailStage *stage)
{
  if (!check_id(check, stage->id, "stage"))
    return FALSE;
  if (stage->kind < VITRAIL_STAGE_SCALAR || stage->kind > VITRAIL_STAGE_ROWS)
    return fail(check, "the stage “%s” is of an unknown kind", stage->id);
  if (stage->reach < VITRAIL_REACH_LOCAL || stage->reach > VITRAIL_REACH_REDUCE)
    return fail(check, "the stage “%s” has an unknown reach", stage->id);
  if (!isfinite(stage->display_min) || !isfinite(stage->display_max))
    return fail(check, "the stage “%s” has no sensible range to show", stage->id);
  if (stage->empty_param && (!stage->empty_reason || vt_op_find_param(op, stage->empty_param) < 0))
    return fail(check, "the stage “%s” names the parameter “%.100s”, which is not there", stage->id,
                stage->empty_param);
  return check_text(check, &stage->title, stage->id, "stage", stage->id)
         && check_text(check, &stage->help, "", "stage", stage->id)
         && check_text(check, &stage->unit, "", "stage", stage->id)
         && check_text(check, &stage->unit_px, NULL, "stage", stage->id)
         && check_text(check, &stage->colormap, NULL, "stage", stage->id)
         && check_text(check, &stage->empty_reason, NULL, "stage", stage->id);
}

static gboolean
copy_stages(const Check *check, VitrailOp *op)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  const VitrailStage **list = allocate(check, op->n_stages + 1, sizeof(gpointer));
  for (guint i = 0; i < op->n_stages; i++) {
    VitrailStage *stage = allocate(check, 1, sizeof(VitrailStage));
    list[i] = stage;
    if (!COPY(check, stage, op->stages[i], "stage", title) || !check_stage(check, op, stage)
        || !check_unique(check, seen, stage->id, "stage"))
      return FALSE;
  }
  op->stages = list;
  return TRUE;
}

static gboolean
copy_inputs(const Check *check, VitrailOp *op)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  const VitrailInputSpec **list = allocate(check, op->n_inputs + 1, sizeof(gpointer));
  for (guint i = 0; i < op->n_inputs; i++) {
    VitrailInputSpec *input = allocate(check, 1, sizeof(VitrailInputSpec));
    list[i] = input;
    if (!COPY(check, input, op->inputs[i], "input", title) || !check_id(check, input->id, "input")
        || !check_unique(check, seen, input->id, "input")
        || !check_text(check, &input->title, input->id, "input", input->id)
        || !check_text(check, &input->help, "", "input", input->id))
      return FALSE;
    if (input->kind < VITRAIL_INPUT_IMAGE || input->kind > VITRAIL_INPUT_ROIS)
      return fail(check, "the input “%s” is of an unknown kind", input->id);
  }
  op->inputs = list;
  return TRUE;
}

static gboolean
check_op_lists(const Check *check, const VitrailOp *op)
{
  return check_list(check, op->n_inputs, op->inputs, 64, "inputs")
         && check_list(check, op->n_params, op->params, MAX_LIST, "parameters")
         && check_list(check, op->n_stages, op->stages, 64, "stages");
}

static gboolean
copy_op(const Check *check, VitrailOp *op, const VitrailOp *theirs)
{
  if (!COPY(check, op, theirs, "op", columns) || !check_id(check, op->id, "op"))
    return FALSE;
  if (!check_op_lists(check, op) || !check_list(check, op->n_columns, op->columns, MAX_LIST, "columns"))
    return FALSE;
  for (guint i = 0; i < op->n_columns; i++)
    if (!op->columns[i] || !g_utf8_validate(op->columns[i], -1, NULL))
      return fail(check, "a column of “%s” has no name", op->id);
  if (op->reach < VITRAIL_REACH_LOCAL || op->reach > VITRAIL_REACH_REDUCE)
    return fail(check, "the op “%s” has an unknown reach", op->id);
  return check_text(check, &op->title, op->id, "op", op->id) && check_text(check, &op->help, "", "op", op->id)
         && copy_params(check, op) && copy_stages(check, op) && copy_inputs(check, op);
}

static gboolean
copy_ops(const Check *check, VitrailPlugin *plugin)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  const VitrailOp **list = allocate(check, plugin->n_ops + 1, sizeof(gpointer));
  for (guint i = 0; i < plugin->n_ops; i++) {
    VitrailOp *op = allocate(check, 1, sizeof(VitrailOp));
    list[i] = op;
    if (!copy_op(check, op, plugin->ops[i]) || !check_unique(check, seen, op->id, "op"))
      return FALSE;
  }
  plugin->ops = list;
  return TRUE;
}

static gboolean
copy_algorithms(const Check *check, VitrailPlugin *plugin)
{
  const VitrailAlgorithm **list = allocate(check, plugin->n_algorithms + 1, sizeof(gpointer));
  for (guint i = 0; i < plugin->n_algorithms; i++) {
    VitrailAlgorithm *algorithm = allocate(check, 1, sizeof(VitrailAlgorithm));
    list[i] = algorithm;
    if (!COPY(check, algorithm, plugin->algorithms[i], "algorithm", title))
      return FALSE;
    if (!algorithm->op_id || !algorithm->backend || !algorithm->id)
      return fail(check, "an algorithm has no name");
    if (!g_utf8_validate(algorithm->op_id, -1, NULL) || !g_utf8_validate(algorithm->backend, -1, NULL)
        || !g_utf8_validate(algorithm->id, -1, NULL))
      return fail(check, "the name of an algorithm is not UTF-8");
    if (!check_text(check, &algorithm->title, algorithm->id, "algorithm", algorithm->id))
      return FALSE;
  }
  plugin->algorithms = list;
  return TRUE;
}

/* --- steps and recipes --- */

/* A text that must be there. */
static gboolean
check_name(const Check *check, const char *name, const char *what)
{
  return (name && *name && g_utf8_validate(name, -1, NULL)) || fail(check, "a %s has no name", what);
}

static gboolean
check_names(const Check *check, guint n, const char *const *names, const char *what)
{
  if (!check_list(check, n, names, MAX_LIST, what))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!check_name(check, names[i], what))
      return FALSE;
  return TRUE;
}

static gboolean
copy_step_lists(const Check *check, VitrailStep *step)
{
  const VitrailStepInput **inputs = allocate(check, step->n_inputs + 1, sizeof(gpointer));
  const VitrailStepSetting **settings = allocate(check, step->n_settings + 1, sizeof(gpointer));
  for (guint i = 0; i < step->n_inputs; i++) {
    VitrailStepInput *input = allocate(check, 1, sizeof *input);
    inputs[i] = input;
    if (!COPY(check, input, step->inputs[i], "step's input", reserved0)
        || !check_text(check, &input->title, "", "step", step->id))
      return FALSE;
  }
  for (guint i = 0; i < step->n_settings; i++) {
    VitrailStepSetting *setting = allocate(check, 1, sizeof *setting);
    settings[i] = setting;
    if (!copy_struct(check, setting, step->settings[i], sizeof *setting, sizeof *setting, "step's setting")
        || !check_id(check, setting->key, "setting") || !check_text(check, &setting->help, "", "setting", setting->key)
        || !check_names(check, setting->n_words, setting->words, "words"))
      return FALSE;
  }
  step->inputs = inputs;
  step->settings = settings;
  return TRUE;
}

static gboolean
copy_steps(const Check *check, VitrailPlugin *plugin)
{
  const VitrailStep **list = allocate(check, plugin->n_steps + 1, sizeof(gpointer));
  for (guint i = 0; i < plugin->n_steps; i++) {
    VitrailStep *step = allocate(check, 1, sizeof *step);
    list[i] = step;
    if (!COPY(check, step, plugin->steps[i], "step", reserved) || !check_id(check, step->id, "step")
        || !check_list(check, step->n_inputs, step->inputs, MAX_LIST, "a step's inputs")
        || !check_list(check, step->n_settings, step->settings, MAX_LIST, "a step's settings")
        || !check_text(check, &step->title, step->id, "step", step->id)
        || !check_text(check, &step->help, "", "step", step->id)
        || !check_text(check, &step->also, NULL, "step", step->id)
        || !check_names(check, step->n_columns, step->columns, "column") || !copy_step_lists(check, step))
      return FALSE;
  }
  plugin->steps = list;
  return TRUE;
}

static gboolean
copy_settings(const Check *check, guint n, const VitrailRecipeSetting *const **settings)
{
  const VitrailRecipeSetting **list = allocate(check, n + 1, sizeof(gpointer));
  if (!check_list(check, n, *settings, MAX_LIST, "a node's settings"))
    return FALSE;
  for (guint i = 0; i < n; i++) {
    VitrailRecipeSetting *setting = allocate(check, 1, sizeof *setting);
    list[i] = setting;
    if (!copy_struct(check, setting, (*settings)[i], sizeof *setting, sizeof *setting, "node's setting")
        || !check_name(check, setting->key, "setting") || !check_name(check, setting->value, "setting"))
      return FALSE;
  }
  *settings = list;
  return TRUE;
}

static gboolean
copy_nodes(const Check *check, VitrailRecipe *recipe)
{
  const VitrailRecipeNode **list = allocate(check, recipe->n_nodes + 1, sizeof(gpointer));
  for (guint i = 0; i < recipe->n_nodes; i++) {
    VitrailRecipeNode *node = allocate(check, 1, sizeof *node);
    list[i] = node;
    if (!COPY(check, node, recipe->nodes[i], "recipe's node", reserved) || !check_id(check, node->id, "node")
        || !check_name(check, node->step, "node") || !check_names(check, node->n_inputs, node->inputs, "node's inputs")
        || !check_text(check, &node->when, NULL, "node", node->id)
        || !check_text(check, &node->also, NULL, "node", node->id)
        || !check_text(check, &node->stage, NULL, "node", node->id)
        || !copy_settings(check, node->n_settings, &node->settings)
        || !copy_settings(check, node->n_facts, &node->facts))
      return FALSE;
  }
  recipe->nodes = list;
  return TRUE;
}

static gboolean
copy_measurements(const Check *check, VitrailRecipe *recipe)
{
  const VitrailMeasurement **list = allocate(check, recipe->n_measurements + 1, sizeof(gpointer));
  for (guint i = 0; i < recipe->n_measurements; i++) {
    VitrailMeasurement *m = allocate(check, 1, sizeof *m);
    list[i] = m;
    if (!copy_struct(check, m, recipe->measurements[i], sizeof *m, G_STRUCT_OFFSET(VitrailMeasurement, part),
                     "measurement")
        || !check_name(check, m->name, "measurement") || !check_text(check, &m->when, NULL, "measurement", m->name)
        || !check_text(check, &m->unit, NULL, "measurement", m->name)
        || !check_text(check, &m->within, NULL, "measurement", m->name))
      return FALSE;
    if (m->quantity < VITRAIL_QUANTITY_AREA || m->quantity > VITRAIL_QUANTITY_NEIGHBOURS || m->part < 0
        || m->part > VITRAIL_PART_CYTOPLASM)
      return fail(check, "the measurement “%.100s” is of an unknown quantity", m->name);
  }
  recipe->measurements = list;
  return TRUE;
}

/* Its inputs, parameters and stages are those of an op. What its expressions say the plugin itself checks. */
static gboolean
copy_recipe(const Check *check, VitrailRecipe *recipe, const VitrailRecipe *theirs)
{
  if (!COPY(check, recipe, theirs, "recipe", reserved) || !check_id(check, recipe->id, "recipe"))
    return FALSE;
  VitrailOp op = { .n_inputs = recipe->n_inputs,
                   .n_params = recipe->n_params,
                   .n_stages = recipe->n_stages,
                   .inputs = recipe->inputs,
                   .params = recipe->params,
                   .stages = recipe->stages };
  if (!check_op_lists(check, &op) || !check_list(check, recipe->n_nodes, recipe->nodes, MAX_LIST, "nodes")
      || !check_list(check, recipe->n_measurements, recipe->measurements, MAX_LIST, "measurements")
      || !check_names(check, recipe->n_certain, recipe->certain, "certain nodes"))
    return FALSE;
  if (!check_text(check, &recipe->version, NULL, "recipe", recipe->id)
      || !check_text(check, &recipe->title, NULL, "recipe", recipe->id)
      || !check_text(check, &recipe->help, NULL, "recipe", recipe->id) || !copy_params(check, &op)
      || !copy_stages(check, &op) || !copy_inputs(check, &op))
    return FALSE;
  recipe->inputs = op.inputs;
  recipe->params = op.params;
  recipe->stages = op.stages;
  return copy_nodes(check, recipe) && copy_measurements(check, recipe);
}

static gboolean
copy_recipes(const Check *check, VitrailPlugin *plugin)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  const VitrailRecipe **list = allocate(check, plugin->n_recipes + 1, sizeof(gpointer));
  for (guint i = 0; i < plugin->n_recipes; i++) {
    VitrailRecipe *recipe = allocate(check, 1, sizeof *recipe);
    list[i] = recipe;
    if (!copy_recipe(check, recipe, plugin->recipes[i]) || !check_unique(check, seen, recipe->id, "recipe"))
      return FALSE;
  }
  plugin->recipes = list;
  return TRUE;
}

/* --- all of it --- */

static gboolean
check_plugin(const Check *check, VitrailPlugin *plugin, const VitrailPlugin *theirs)
{
  if (!COPY(check, plugin, theirs, "plugin table", session_forget))
    return FALSE;
  if (!plugin->session_open || !plugin->session_close || !plugin->session_backends || !plugin->run)
    return fail(check, "one of its functions is missing");
  if (!check_id(check, plugin->id, "plugin") || !check_list(check, plugin->n_ops, plugin->ops, MAX_LIST, "ops")
      || !check_list(check, plugin->n_algorithms, plugin->algorithms, MAX_LIST, "algorithms")
      || !copy_ops(check, plugin) || !copy_algorithms(check, plugin))
    return FALSE;
  if (!check_list(check, plugin->n_steps, plugin->steps, MAX_LIST, "steps")
      || !check_list(check, plugin->n_recipes, plugin->recipes, MAX_LIST, "recipes") || !copy_steps(check, plugin)
      || !copy_recipes(check, plugin))
    return FALSE;
  return check_text(check, &plugin->title, plugin->id, "plugin", plugin->id)
         && check_text(check, &plugin->version, "", "plugin", plugin->id)
         && check_text(check, &plugin->licence, "", "plugin", plugin->id);
}

/* The caller holds the plugin host's mutex. */
const VitrailPlugin *
vt_plugin_check(const VitrailPlugin *theirs, const char *path, GError **error)
{
  static GSList *kept = NULL; /* copies live as long as the program */
  guint32 size = 0;
  guint16 major = 0;
  memcpy(&size, theirs, sizeof size);
  if (size >= G_STRUCT_OFFSET(VitrailPlugin, abi_minor))
    major = theirs->abi_major;
  if (major != VITRAIL_ABI_MAJOR) {
    g_set_error(error, VT_ERROR, VITRAIL_UNSUPPORTED,
                "%s speaks version %u of the plugin interface, this program speaks %u.", path, major,
                VITRAIL_ABI_MAJOR);
    return NULL;
  }
  const Check check = { path, g_ptr_array_new_with_free_func(g_free), error };
  VitrailPlugin *plugin = allocate(&check, 1, sizeof *plugin);
  if (!check_plugin(&check, plugin, theirs)) {
    g_ptr_array_unref(check.memory);
    return NULL;
  }
  kept = g_slist_prepend(kept, check.memory);
  return plugin;
}
