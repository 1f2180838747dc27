/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "batch.h"
#include "base/vt-define.h"
#include "base/vt-json.h"
#include "plugins/vt-recipe-words.h"

static void
add_param(JsonBuilder *builder, const VitrailParam *param)
{
  json_builder_begin_object(builder);
  vt_json_add_string(builder, "key", param->key);
  vt_json_add_string(builder, "title", param->title);
  vt_json_add_string(builder, "help", param->help);
  vt_json_add_string(builder, "group", param->group);
  vt_json_add_string(builder, "type", vt_recipe_param_types[param->type]);
  vt_json_add_string(builder, "unit", param->unit);
  vt_recipe_add_default(builder, param);
  if (param->type == VITRAIL_PARAM_CHOICE) {
    vt_json_add_strings(builder, "choices", param->n_choices, param->choices);
  } else if (param->type != VITRAIL_PARAM_BOOL) {
    vt_json_add_double(builder, "min", param->min);
    vt_json_add_double(builder, "max", param->max);
  }
  if (param->unit_px) {
    vt_json_add_string(builder, "unit-uncalibrated", param->unit_px);
    vt_json_add_double(builder, "default-uncalibrated", param->initial_px);
  }
  vt_json_add_boolean(builder, "advanced", (param->flags & VITRAIL_PARAM_ADVANCED) != 0);
  json_builder_end_object(builder);
}

static void
add_inputs(JsonBuilder *builder, const VitrailOp *op)
{
  vt_json_begin_array(builder, "inputs");
  for (guint i = 0; i < op->n_inputs; i++) {
    const VitrailInputSpec *input = op->inputs[i];
    json_builder_begin_object(builder);
    vt_json_add_string(builder, "id", input->id);
    vt_json_add_string(builder, "title", input->title);
    vt_json_add_string(builder, "help", input->help);
    vt_json_add_string(builder, "kind", vt_recipe_input_kinds[CLAMP(input->kind, 0, 2)]);
    vt_json_add_boolean(builder, "optional", (input->flags & VITRAIL_INPUT_OPTIONAL) != 0);
    vt_json_add_boolean(builder, "primary", (input->flags & VITRAIL_INPUT_PRIMARY) != 0);
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
}

static void
add_stages(JsonBuilder *builder, const VitrailOp *op)
{
  vt_json_begin_array(builder, "stages");
  for (guint i = 0; i < op->n_stages; i++) {
    const VitrailStage *stage = op->stages[i];
    json_builder_begin_object(builder);
    vt_json_add_string(builder, "id", stage->id);
    vt_json_add_string(builder, "title", stage->title);
    vt_json_add_string(builder, "help", stage->help);
    vt_json_add_string(builder, "kind", vt_recipe_stage_kinds[stage->kind]);
    vt_json_add_string(builder, "reach", vt_recipe_reaches[CLAMP(stage->reach, 0, 2)]);
    vt_json_add_string(builder, "unit", stage->unit);
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
}

static void
add_algorithms(JsonBuilder *builder, const VitrailPlugin *plugin, const VitrailOp *op)
{
  vt_json_begin_array(builder, "algorithms");
  for (guint i = 0; i < plugin->n_algorithms; i++) {
    const VitrailAlgorithm *algorithm = plugin->algorithms[i];
    if (!g_str_equal(algorithm->op_id, op->id))
      continue;
    json_builder_begin_object(builder);
    vt_json_add_string(builder, "backend", algorithm->backend);
    vt_json_add_string(builder, "id", algorithm->id);
    vt_json_add_string(builder, "title", algorithm->title);
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
}

static void
add_op(JsonBuilder *builder, const VitrailPlugin *plugin, const VitrailOp *op)
{
  json_builder_begin_object(builder);
  vt_json_add_string(builder, "id", op->id);
  vt_json_add_string(builder, "title", op->title);
  vt_json_add_string(builder, "help", op->help);
  vt_json_add_string(builder, "plugin", plugin->id);
  vt_json_add_string(builder, "reach", vt_recipe_reaches[CLAMP(op->reach, 0, 2)]);
  add_inputs(builder, op);
  vt_json_begin_array(builder, "params");
  for (guint i = 0; i < op->n_params; i++)
    add_param(builder, op->params[i]);
  json_builder_end_array(builder);
  add_stages(builder, op);
  vt_json_add_strings(builder, "columns", op->n_columns, op->columns);
  add_algorithms(builder, plugin, op);
  json_builder_end_object(builder);
}

static void
add_backends(JsonBuilder *builder, const VitrailPlugin *plugin)
{
  GMutex *lock = NULL;
  g_autoptr(GError) error = NULL;
  const VitrailBackendInfo *const *infos = NULL;
  VitrailSession *session = vt_plugin_host_get_session(vt_plugin_host_get(), plugin, &lock, &error);
  const guint n = session ? plugin->session_backends(session, &infos) : 0;
  vt_json_add_string(builder, "error", error ? error->message : NULL);
  vt_json_begin_array(builder, "backends");
  for (guint i = 0; infos && i < n; i++) {
    json_builder_begin_object(builder);
    vt_json_add_string(builder, "id", infos[i]->id);
    vt_json_add_string(builder, "title", infos[i]->title);
    vt_json_add_boolean(builder, "available", infos[i]->available);
    vt_json_add_string(builder, "device", infos[i]->device);
    vt_json_add_string(builder, "reason", infos[i]->reason);
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
}

/* Those that were found, and the one that is a part of this program (element-type VitrailPlugin). */
static GPtrArray *
list_plugins(VtPluginHost *host)
{
  GPtrArray *plugins = g_ptr_array_new();
  g_ptr_array_extend(plugins, vt_plugin_host_get_plugins(host), NULL, NULL);
  g_ptr_array_add(plugins, (gpointer)vt_plugin_host_get_own());
  return plugins;
}

static JsonNode *
describe(VtPluginHost *host, GPtrArray *plugins)
{
  g_autoptr(JsonBuilder) builder = json_builder_new();
  GPtrArray *failures = vt_plugin_host_get_failures(host);
  json_builder_begin_object(builder);
  vt_json_begin_array(builder, "plugins");
  VT_EACH_OF (const VitrailPlugin, plugin, plugins) {
    json_builder_begin_object(builder);
    vt_json_add_string(builder, "id", plugin->id);
    vt_json_add_string(builder, "title", plugin->title);
    vt_json_add_string(builder, "version", plugin->version);
    vt_json_add_string(builder, "licence", plugin->licence);
    add_backends(builder, plugin);
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
  vt_json_begin_array(builder, "failures");
  for (guint i = 0; i < failures->len; i++)
    json_builder_add_string_value(builder, ((VtPluginFailure *)g_ptr_array_index(failures, i))->reason);
  json_builder_end_array(builder);
  vt_json_begin_array(builder, "ops");
  VT_EACH_OF (const VitrailPlugin, plugin, plugins) {
    for (guint j = 0; j < plugin->n_ops; j++)
      add_op(builder, plugin, plugin->ops[j]);
  }
  GPtrArray *ops = vt_plugin_host_get_ops(host);
  VT_EACH_OF (const VitrailOp, op, ops) {
    const VitrailPlugin *plugin = NULL;
    if (vt_op_get_recipe(op) && vt_plugin_host_find_op(host, op->id, &plugin))
      add_op(builder, plugin, op);
  }
  json_builder_end_array(builder);
  json_builder_end_object(builder);
  return json_builder_get_root(builder);
}

static void
print_param(const VitrailParam *param, VtParams *params, guint index)
{
  g_autofree char *value = vt_params_dup_text(params, index);
  g_autoptr(GString) range = g_string_new(NULL);
  if (param->type == VITRAIL_PARAM_CHOICE) {
    for (guint i = 0; i < param->n_choices; i++)
      g_string_append_printf(range, "%s%s", i > 0 ? "|" : "", param->choices[i]);
  } else if (param->type != VITRAIL_PARAM_BOOL) {
    vt_text_append_doubles(range, "..", 2, (const double[]){ param->min, param->max });
  }
  printf("    --set %s=%s %s  (%s%s%s) %s\n", param->key, value, param->unit, vt_recipe_param_types[param->type],
         range->len > 0 ? " " : "", range->str, param->title);
}

void
batch_print_op(const VitrailOp *op)
{
  g_autoptr(VtParams) params = vt_params_new(op, TRUE);
  printf("%s: %s\n  inputs:", op->id, op->title);
  for (guint i = 0; i < op->n_inputs; i++)
    printf(" %s%s", op->inputs[i]->id, op->inputs[i]->flags & VITRAIL_INPUT_OPTIONAL ? " (optional)" : "");
  printf("\n  stages:");
  for (guint i = 0; i < op->n_stages; i++)
    printf(" %s", op->stages[i]->id);
  printf("\n");
  for (guint i = 0; i < op->n_params; i++)
    print_param(op->params[i], params, i);
}

static void
print_backends(const VitrailPlugin *plugin)
{
  GMutex *lock = NULL;
  g_autoptr(GError) error = NULL;
  const VitrailBackendInfo *const *infos = NULL;
  VitrailSession *session = vt_plugin_host_get_session(vt_plugin_host_get(), plugin, &lock, &error);
  const guint n = session ? plugin->session_backends(session, &infos) : 0;
  printf("plugin %s %s\n", plugin->id, plugin->version);
  if (error)
    printf("  %s\n", error->message);
  for (guint i = 0; infos && i < n; i++)
    printf("  backend %s: %s\n", infos[i]->id,
           infos[i]->available ? (infos[i]->device ? infos[i]->device : "available")
                               : (infos[i]->reason ? infos[i]->reason : "not available"));
}

int
batch_ops(int argc, char **argv)
{
  gboolean as_json = FALSE;
  int status = BATCH_DONE;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &as_json, "Print JSON", NULL },
    { NULL },
  };
  if (!batch_parse(&argc, &argv, NULL, "Lists ops, their parameters, stages and backends.", entries, &status))
    return status;
  if (argc != 1)
    return batch_fail(BATCH_USAGE, "ops takes no words.");
  VtPluginHost *host = vt_plugin_host_get();
  g_autoptr(GPtrArray) plugins = list_plugins(host);
  if (as_json) {
    g_autoptr(JsonNode) root = describe(host, plugins);
    batch_print_json(root);
  }
  for (guint i = 0; !as_json && i < plugins->len; i++) {
    const VitrailPlugin *plugin = g_ptr_array_index(plugins, i);
    print_backends(plugin);
    for (guint j = 0; j < plugin->n_ops; j++)
      batch_print_op(plugin->ops[j]);
  }
  GPtrArray *ops = vt_plugin_host_get_ops(host);
  for (guint i = 0; !as_json && i < ops->len; i++)
    if (vt_op_get_recipe(g_ptr_array_index(ops, i)))
      batch_print_op(g_ptr_array_index(ops, i));
  return batch_tell_failures();
}
