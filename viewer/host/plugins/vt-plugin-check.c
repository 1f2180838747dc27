/* SPDX-License-Identifier: MIT
 *
 * Descriptors of a plugin: nothing beyond a struct's own size is read, nothing that is missing is believed. */
#include <math.h>
#include <string.h>

#include "plugins/vt-plugin-private.h"

#define MAX_LIST 4096

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
  va_end(arguments);
  g_set_error(check->error, VT_ERROR, VITRAIL_UNSUPPORTED, "%s cannot be used: %s.", check->path, text);
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
    return fail(check, "a %s has the id “%s”; ids are made of a-z, 0-9 and -", what, id ? id : "(null)");
  return TRUE;
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
check_choices(const Check *check, const VitrailParam *param)
{
  if (param->type != VITRAIL_PARAM_CHOICE)
    return TRUE;
  if (param->n_choices == 0 || !check_list(check, param->n_choices, param->choices, MAX_LIST, "choices"))
    return param->n_choices > 0 ? FALSE : fail(check, "the parameter “%s” has no choices", param->key);
  for (guint i = 0; i < param->n_choices; i++)
    if (!param->choices[i] || !*param->choices[i] || strpbrk(param->choices[i], " \t\r\n"))
      return fail(check, "the parameter “%s” has a choice without a usable key", param->key);
  return (param->initial[0] >= 0 && param->initial[0] < param->n_choices)
         || fail(check, "the parameter “%s” starts with a choice that it does not have", param->key);
}

static gboolean
check_param(const Check *check, VitrailParam *param)
{
  if (!check_id(check, param->key, "parameter"))
    return FALSE;
  if (param->type < VITRAIL_PARAM_FLOAT || param->type > VITRAIL_PARAM_VECTOR)
    return fail(check, "the parameter “%s” has an unknown type", param->key);
  const gboolean has_range = param->type != VITRAIL_PARAM_BOOL && param->type != VITRAIL_PARAM_CHOICE;
  if (has_range && !(isfinite(param->min) && isfinite(param->max) && param->min <= param->max))
    return fail(check, "the parameter “%s” has no range", param->key);
  for (int i = 0; i < (param->type == VITRAIL_PARAM_VECTOR ? 3 : 1); i++)
    if (has_range && !(param->initial[i] >= param->min && param->initial[i] <= param->max))
      return fail(check, "the parameter “%s” starts outside its range", param->key);
  param->title = param->title ? param->title : param->key;
  param->help = param->help ? param->help : "";
  param->group = param->group ? param->group : "";
  param->unit = param->unit ? param->unit : "";
  return check_choices(check, param);
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
copy_stages(const Check *check, VitrailOp *op)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  const VitrailStage **list = allocate(check, op->n_stages + 1, sizeof(gpointer));
  for (guint i = 0; i < op->n_stages; i++) {
    VitrailStage *stage = allocate(check, 1, sizeof(VitrailStage));
    list[i] = stage;
    if (!COPY(check, stage, op->stages[i], "stage", title) || !check_id(check, stage->id, "stage")
        || !check_unique(check, seen, stage->id, "stage"))
      return FALSE;
    if (stage->kind < VITRAIL_STAGE_SCALAR || stage->kind > VITRAIL_STAGE_ROWS)
      return fail(check, "the stage “%s” is of an unknown kind", stage->id);
    stage->title = stage->title ? stage->title : stage->id;
    stage->help = stage->help ? stage->help : "";
    stage->unit = stage->unit ? stage->unit : "";
    if (stage->empty_param && (!stage->empty_reason || vt_op_find_param(op, stage->empty_param) < 0))
      return fail(check, "the stage “%s” names the parameter “%s”, which is not there", stage->id, stage->empty_param);
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
        || !check_unique(check, seen, input->id, "input"))
      return FALSE;
    input->title = input->title ? input->title : input->id;
    input->help = input->help ? input->help : "";
  }
  op->inputs = list;
  return TRUE;
}

static gboolean
copy_op(const Check *check, VitrailOp *op, const VitrailOp *theirs)
{
  if (!COPY(check, op, theirs, "op", columns) || !check_id(check, op->id, "op"))
    return FALSE;
  if (!check_list(check, op->n_inputs, op->inputs, 64, "inputs")
      || !check_list(check, op->n_params, op->params, MAX_LIST, "parameters")
      || !check_list(check, op->n_stages, op->stages, 64, "stages")
      || !check_list(check, op->n_columns, op->columns, MAX_LIST, "columns"))
    return FALSE;
  for (guint i = 0; i < op->n_columns; i++)
    if (!op->columns[i])
      return fail(check, "a column of “%s” has no name", op->id);
  op->title = op->title ? op->title : op->id;
  op->help = op->help ? op->help : "";
  return copy_params(check, op) && copy_stages(check, op) && copy_inputs(check, op);
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
    algorithm->title = algorithm->title ? algorithm->title : algorithm->id;
  }
  plugin->algorithms = list;
  return TRUE;
}

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
      || !check_list(check, plugin->n_recipes, plugin->recipes, MAX_LIST, "recipes"))
    return FALSE;
  plugin->title = plugin->title ? plugin->title : plugin->id;
  plugin->version = plugin->version ? plugin->version : "";
  plugin->licence = plugin->licence ? plugin->licence : "";
  return TRUE;
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
