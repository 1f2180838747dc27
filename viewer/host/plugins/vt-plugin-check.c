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

typedef gboolean (*Look)(const Check *check, gpointer copy, const VitrailOp *op);
typedef struct {
  gsize at;
  enum { STAYS, EMPTY, ID } missing; /* what NULL becomes */
} Text;

/* Of the structs that a plugin points to. */
typedef struct {
  const char *what;
  gsize size, least; /* least: up to the last field that no plugin may lack */
  gsize id;          /* where its id stands; 0: it has none */
  gboolean may_repeat;
  guint most; /* in a list; 0: MAX_LIST */
  Look look;
  Text texts[7]; /* the last one is none */
} Kind;
#define AT(type, field) G_STRUCT_OFFSET(type, field)
#define KIND(name, type, last, ...) \
  static const Kind name = { .size = sizeof(type), .least = AT(type, last) + sizeof(((type *)0)->last), __VA_ARGS__ }

G_GNUC_PRINTF(2, 3)
static gboolean
fail(const Check *check, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  g_autofree char *valid = g_utf8_make_valid(text, -1), *shown = vt_error_dup_path(check->path);
  va_end(arguments);
  return vt_error_set(check->error, VITRAIL_UNSUPPORTED, "%s cannot be used: %s.", shown, valid);
}

static gboolean
copy_struct(const Check *check, const Kind *kind, void *ours, const void *theirs)
{
  guint32 size = 0;
  if (!theirs)
    return fail(check, "a %s is missing", kind->what);
  memcpy(&size, theirs, sizeof size);
  if (size < kind->least)
    return fail(check, "a %s is only %u bytes long", kind->what, size);
  if (size % sizeof(void *) != 0) /* no compiler makes such a struct: its end may be half a pointer */
    return fail(check, "a %s is %u bytes long, which ends within a field", kind->what, size);
  memset(ours, 0, kind->size);
  memcpy(ours, theirs, MIN((gsize)size, kind->size));
  size = (guint32)kind->size;
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

static gboolean
check_text(const Check *check, const char *text, const char *what, const char *id)
{
  return !text || g_utf8_validate(text, -1, NULL) || fail(check, "a text of the %s “%s” is not UTF-8", what, id);
}

static gboolean
check_list(const Check *check, guint n, const void *list, guint limit, const char *what)
{
  if (n > limit || (n > 0 && !list))
    return fail(check, "its list of %ss is broken", what);
  return TRUE;
}

static gboolean
check_unique(const Check *check, GHashTable *seen, const char *id, const char *what)
{
  return g_hash_table_add(seen, (gpointer)id) || fail(check, "the %s “%s” is there twice", what, id);
}

static gboolean
copy_one(const Check *check, const Kind *kind, gpointer ours, gconstpointer theirs)
{
  if (!copy_struct(check, kind, ours, theirs))
    return FALSE;
  const char *id = kind->id > 0 ? G_STRUCT_MEMBER(const char *, ours, kind->id) : "";
  if (kind->id > 0 && !check_id(check, id, kind->what))
    return FALSE;
  for (const Text *t = kind->texts; t->at > 0; t++) {
    const char **text = G_STRUCT_MEMBER_P(ours, t->at);
    if (!*text && t->missing != STAYS)
      *text = t->missing == ID ? id : "";
    if (!check_text(check, *text, kind->what, id))
      return FALSE;
  }
  return TRUE;
}

/* A list of pointers to structs becomes one of copies. The op is that which has the list, as far as it is copied. */
static gboolean
copy_list(const Check *check, const Kind *kind, guint n, void *list, const VitrailOp *op)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  gconstpointer *theirs;
  memcpy(&theirs, list, sizeof theirs);
  if (!check_list(check, n, theirs, kind->most > 0 ? kind->most : MAX_LIST, kind->what))
    return FALSE;
  gpointer *ours = allocate(check, n + 1, sizeof *ours);
  for (guint i = 0; i < n; i++) {
    ours[i] = allocate(check, 1, kind->size);
    if (!copy_one(check, kind, ours[i], theirs[i]) || (kind->look && !kind->look(check, ours[i], op)))
      return FALSE;
    if (kind->id > 0 && !kind->may_repeat
        && !check_unique(check, seen, G_STRUCT_MEMBER(const char *, ours[i], kind->id), kind->what))
      return FALSE;
  }
  memcpy(list, &ours, sizeof ours);
  return TRUE;
}

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

/* --- ops --- */

static gboolean
check_choice_titles(const Check *check, VitrailParam *param)
{
  const char **titles = allocate(check, param->n_choices, sizeof *titles);
  for (guint i = 0; i < param->n_choices; i++) {
    titles[i] = param->choice_titles[i] ? param->choice_titles[i] : param->choices[i];
    if (!check_text(check, titles[i], "parameter", param->key))
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
  if (param->n_choices == 0 || !check_list(check, param->n_choices, param->choices, MAX_LIST, "choice"))
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
look_at_param(const Check *check, gpointer copy, const VitrailOp *op)
{
  VitrailParam *param = copy;
  if (param->type < VITRAIL_PARAM_FLOAT || param->type > VITRAIL_PARAM_VECTOR)
    return fail(check, "the parameter “%s” has an unknown type", param->key);
  return check_numbers(check, param) && check_choices(check, param);
}

static gboolean
look_at_stage(const Check *check, gpointer copy, const VitrailOp *op)
{
  const VitrailStage *stage = copy;
  if (stage->kind < VITRAIL_STAGE_SCALAR || stage->kind > VITRAIL_STAGE_COLOUR)
    return fail(check, "the stage “%s” is of an unknown kind", stage->id);
  if (stage->reach < VITRAIL_REACH_LOCAL || stage->reach > VITRAIL_REACH_REDUCE)
    return fail(check, "the stage “%s” has an unknown reach", stage->id);
  if (!isfinite(stage->display_min) || !isfinite(stage->display_max))
    return fail(check, "the stage “%s” has no sensible range to show", stage->id);
  return !stage->empty_param || (stage->empty_reason && vt_op_find_param(op, stage->empty_param) >= 0)
         || fail(check, "the stage “%s” names the parameter “%.100s”, which is not there", stage->id,
                 stage->empty_param);
}

static gboolean
look_at_input(const Check *check, gpointer copy, const VitrailOp *op)
{
  const VitrailInputSpec *input = copy;
  return (input->kind >= VITRAIL_INPUT_IMAGE && input->kind <= VITRAIL_INPUT_ROIS)
         || fail(check, "the input “%s” is of an unknown kind", input->id);
}

KIND(param_kind, VitrailParam, initial, .what = "parameter", .id = AT(VitrailParam, key), .look = look_at_param,
     .texts = { { AT(VitrailParam, title), ID },
                { AT(VitrailParam, help), EMPTY },
                { AT(VitrailParam, group), EMPTY },
                { AT(VitrailParam, unit), EMPTY },
                { AT(VitrailParam, unit_px) } });
KIND(stage_kind, VitrailStage, id, .what = "stage", .id = AT(VitrailStage, id), .most = 64, .look = look_at_stage,
     .texts = { { AT(VitrailStage, title), ID },
                { AT(VitrailStage, help), EMPTY },
                { AT(VitrailStage, unit), EMPTY },
                { AT(VitrailStage, unit_px) },
                { AT(VitrailStage, colormap) },
                { AT(VitrailStage, empty_reason) } });
KIND(input_kind, VitrailInputSpec, id, .what = "input", .id = AT(VitrailInputSpec, id), .most = 64,
     .look = look_at_input, .texts = { { AT(VitrailInputSpec, title), ID }, { AT(VitrailInputSpec, help), EMPTY } });

static gboolean
copy_op_lists(const Check *check, VitrailOp *op)
{
  return copy_list(check, &param_kind, op->n_params, &op->params, op)
         && copy_list(check, &stage_kind, op->n_stages, &op->stages, op)
         && copy_list(check, &input_kind, op->n_inputs, &op->inputs, op);
}

static gboolean
look_at_op(const Check *check, gpointer copy, const VitrailOp *none)
{
  VitrailOp *op = copy;
  if (!check_list(check, op->n_columns, op->columns, MAX_LIST, "column"))
    return FALSE;
  for (guint i = 0; i < op->n_columns; i++)
    if (!op->columns[i] || !g_utf8_validate(op->columns[i], -1, NULL))
      return fail(check, "a column of “%s” has no name", op->id);
  if (op->reach < VITRAIL_REACH_LOCAL || op->reach > VITRAIL_REACH_REDUCE)
    return fail(check, "the op “%s” has an unknown reach", op->id);
  return copy_op_lists(check, op);
}

static gboolean
look_at_algorithm(const Check *check, gpointer copy, const VitrailOp *none)
{
  VitrailAlgorithm *algorithm = copy;
  algorithm->title = algorithm->title ? algorithm->title : algorithm->id;
  return check_name(check, algorithm->op_id, "algorithm's op")
         && check_name(check, algorithm->backend, "algorithm's backend")
         && check_name(check, algorithm->id, "way of working it out")
         && check_text(check, algorithm->title, "algorithm", algorithm->id);
}

KIND(op_kind, VitrailOp, stages, .what = "op", .id = AT(VitrailOp, id), .look = look_at_op,
     .texts = { { AT(VitrailOp, title), ID }, { AT(VitrailOp, help), EMPTY } });
KIND(algorithm_kind, VitrailAlgorithm, id, .what = "algorithm", .look = look_at_algorithm);

/* --- steps and recipes --- */

static gboolean
look_at_step_setting(const Check *check, gpointer copy, const VitrailOp *none)
{
  const VitrailStepSetting *setting = copy;
  return check_names(check, setting->n_words, setting->words, "word");
}

KIND(step_input_kind, VitrailStepInput, flags, .what = "step's input",
     .texts = { { AT(VitrailStepInput, title), EMPTY } });
KIND(step_setting_kind, VitrailStepSetting, words, .what = "step's setting", .id = AT(VitrailStepSetting, key),
     .may_repeat = TRUE, .look = look_at_step_setting,
     .texts = {
       { AT(VitrailStepSetting, help), EMPTY }, { AT(VitrailStepSetting, unit) }, { AT(VitrailStepSetting, begin) } });

static gboolean
look_at_step(const Check *check, gpointer copy, const VitrailOp *none)
{
  VitrailStep *step = copy;
  return copy_list(check, &step_input_kind, step->n_inputs, &step->inputs, NULL)
         && copy_list(check, &step_setting_kind, step->n_settings, &step->settings, NULL)
         && check_names(check, step->n_columns, step->columns, "column");
}

KIND(step_kind, VitrailStep, also, .what = "step", .id = AT(VitrailStep, id), .may_repeat = TRUE, .look = look_at_step,
     .texts = { { AT(VitrailStep, title), ID }, { AT(VitrailStep, help), EMPTY }, { AT(VitrailStep, also) } });

static gboolean
look_at_setting(const Check *check, gpointer copy, const VitrailOp *none)
{
  const VitrailRecipeSetting *setting = copy;
  return check_name(check, setting->key, "setting") && check_name(check, setting->value, "setting");
}

KIND(setting_kind, VitrailRecipeSetting, value, .what = "node's setting", .look = look_at_setting);

static gboolean
look_at_node(const Check *check, gpointer copy, const VitrailOp *none)
{
  VitrailRecipeNode *node = copy;
  return check_name(check, node->step, "node") && check_names(check, node->n_inputs, node->inputs, "node's input")
         && copy_list(check, &setting_kind, node->n_settings, &node->settings, NULL)
         && copy_list(check, &setting_kind, node->n_facts, &node->facts, NULL);
}

KIND(node_kind, VitrailRecipeNode, facts, .what = "node", .id = AT(VitrailRecipeNode, id), .may_repeat = TRUE,
     .look = look_at_node,
     .texts = { { AT(VitrailRecipeNode, when) }, { AT(VitrailRecipeNode, also) }, { AT(VitrailRecipeNode, stage) } });

static gboolean
look_at_measurement(const Check *check, gpointer copy, const VitrailOp *none)
{
  const VitrailMeasurement *m = copy;
  if (!check_name(check, m->name, "measurement"))
    return FALSE;
  return (m->quantity >= VITRAIL_QUANTITY_AREA && m->quantity <= VITRAIL_QUANTITY_NEIGHBOURS && m->part >= 0
          && m->part <= VITRAIL_PART_CYTOPLASM)
         || fail(check, "the measurement “%.100s” is of an unknown quantity", m->name);
}

KIND(measurement_kind, VitrailMeasurement, unit, .what = "measurement", .look = look_at_measurement,
     .texts = {
       { AT(VitrailMeasurement, when) }, { AT(VitrailMeasurement, unit) }, { AT(VitrailMeasurement, within) } });

/* Its inputs, parameters and stages are those of an op. What its expressions say the plugin itself checks. */
static gboolean
look_at_recipe(const Check *check, gpointer copy, const VitrailOp *none)
{
  VitrailRecipe *recipe = copy;
  VitrailOp op = { .n_inputs = recipe->n_inputs,
                   .n_params = recipe->n_params,
                   .n_stages = recipe->n_stages,
                   .inputs = recipe->inputs,
                   .params = recipe->params,
                   .stages = recipe->stages };
  if (!copy_op_lists(check, &op))
    return FALSE;
  recipe->inputs = op.inputs;
  recipe->params = op.params;
  recipe->stages = op.stages;
  return copy_list(check, &node_kind, recipe->n_nodes, &recipe->nodes, NULL)
         && copy_list(check, &measurement_kind, recipe->n_measurements, &recipe->measurements, NULL)
         && check_names(check, recipe->n_certain, recipe->certain, "certain node");
}

KIND(recipe_kind, VitrailRecipe, certain, .what = "recipe", .id = AT(VitrailRecipe, id), .look = look_at_recipe,
     .texts = { { AT(VitrailRecipe, version) }, { AT(VitrailRecipe, title) }, { AT(VitrailRecipe, help) } });
KIND(plugin_kind, VitrailPlugin, run, .what = "plugin table", .id = AT(VitrailPlugin, id),
     .texts = { { AT(VitrailPlugin, title), ID },
                { AT(VitrailPlugin, version), EMPTY },
                { AT(VitrailPlugin, licence), EMPTY } });

/* --- all of it --- */

static gboolean
check_plugin(const Check *check, VitrailPlugin *plugin, const VitrailPlugin *theirs)
{
  if (!copy_one(check, &plugin_kind, plugin, theirs))
    return FALSE;
  if (!plugin->session_open || !plugin->session_close || !plugin->session_backends || !plugin->run)
    return fail(check, "one of its functions is missing");
  return copy_list(check, &op_kind, plugin->n_ops, &plugin->ops, NULL)
         && copy_list(check, &algorithm_kind, plugin->n_algorithms, &plugin->algorithms, NULL)
         && copy_list(check, &step_kind, plugin->n_steps, &plugin->steps, NULL)
         && copy_list(check, &recipe_kind, plugin->n_recipes, &plugin->recipes, NULL);
}

/* The caller holds the plugin host's mutex. */
const VitrailPlugin *
vt_plugin_check(const VitrailPlugin *theirs, const char *path, GError **error)
{
  static GMutex lock;         /* trials check what is kept of several files at once */
  static GSList *kept = NULL; /* copies live as long as the program */
  guint32 size = 0;
  guint16 major = 0;
  memcpy(&size, theirs, sizeof size);
  if (size >= G_STRUCT_OFFSET(VitrailPlugin, abi_minor))
    major = theirs->abi_major;
  if (major != VITRAIL_ABI_MAJOR)
    return vt_error_set_null(error, VITRAIL_UNSUPPORTED,
                             "%s speaks version %u of the plugin interface, this program speaks %u.", path, major,
                             VITRAIL_ABI_MAJOR);
  const Check check = { path, g_ptr_array_new_with_free_func(g_free), error };
  VitrailPlugin *plugin = allocate(&check, 1, sizeof *plugin);
  if (!check_plugin(&check, plugin, theirs)) {
    g_ptr_array_unref(check.memory);
    return NULL;
  }
  g_mutex_lock(&lock);
  kept = g_slist_prepend(kept, check.memory);
  g_mutex_unlock(&lock);
  return plugin;
}
