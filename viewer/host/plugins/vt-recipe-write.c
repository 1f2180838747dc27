/* SPDX-License-Identifier: MIT */
#include "base/vt-json.h"
#include "plugins/vt-recipe-words.h"
#include "plugins/vt-recipe.h"

const char *const vt_recipe_input_kinds[] = { "image", "scalar", "rois", NULL };
const char *const vt_recipe_param_types[] = { "float", "int", "bool", "choice", "vector", NULL };
const char *const vt_recipe_stage_kinds[] = { "scalar", "mask", "labels", "objects", "rows", "colour", NULL };
const char *const vt_recipe_reaches[] = { "local", "propagate", "reduce", NULL };
const char *const vt_recipe_quantities[] = {
  "area",         "mean-a",   "mean-b",         "perimeter", "circularity", "max-caliper", "min-caliper",
  "eccentricity", "solidity", "touches-border", "sum",       "std",         "min",         "max",
  "range",        "mean",     "area-ratio",     "nearest",   "neighbours",  NULL
};
const char *const vt_recipe_parts[] = { "object", "cell", "cytoplasm", NULL };

/* What is not there, or empty, is left out. */
static void
add_text(JsonBuilder *builder, const char *name, const char *text)
{
  if (text && *text)
    vt_json_add_string(builder, name, text);
}

static void
add_flag(JsonBuilder *builder, const char *name, gboolean flag)
{
  if (flag)
    vt_json_add_boolean(builder, name, TRUE);
}

static void
add_input(JsonBuilder *builder, const VitrailInputSpec *input)
{
  json_builder_begin_object(builder);
  vt_json_add_string(builder, "id", input->id);
  vt_json_add_string(builder, "kind", vt_recipe_input_kinds[input->kind]);
  add_text(builder, "title", input->title);
  add_text(builder, "help", input->help);
  add_flag(builder, "primary", (input->flags & VITRAIL_INPUT_PRIMARY) != 0);
  add_flag(builder, "optional", (input->flags & VITRAIL_INPUT_OPTIONAL) != 0);
  json_builder_end_object(builder);
}

void
vt_recipe_add_default(JsonBuilder *builder, const VitrailParam *param)
{
  const double *initial = param->initial;
  switch (param->type) {
  case VITRAIL_PARAM_BOOL: vt_json_add_boolean(builder, "default", initial[0] != 0); break;
  case VITRAIL_PARAM_CHOICE: vt_json_add_string(builder, "default", param->choices[(guint)initial[0]]); break;
  case VITRAIL_PARAM_VECTOR: vt_json_add_doubles(builder, "default", 3, initial); break;
  default: vt_json_add_double(builder, "default", initial[0]);
  }
}

static void
add_choices(JsonBuilder *builder, const VitrailParam *param)
{
  vt_json_begin_array(builder, "choices");
  for (guint i = 0; i < param->n_choices; i++) {
    json_builder_begin_object(builder);
    vt_json_add_string(builder, "key", param->choices[i]);
    add_text(builder, "title", param->choice_titles ? param->choice_titles[i] : NULL);
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
}

static void
add_param(JsonBuilder *builder, const VitrailParam *param)
{
  const gboolean has_range = param->type != VITRAIL_PARAM_BOOL && param->type != VITRAIL_PARAM_CHOICE;
  json_builder_begin_object(builder);
  vt_json_add_string(builder, "key", param->key);
  vt_json_add_string(builder, "type", vt_recipe_param_types[param->type]);
  add_text(builder, "title", param->title);
  add_text(builder, "help", param->help);
  add_text(builder, "group", param->group);
  add_text(builder, "unit", param->unit);
  if (has_range) {
    vt_json_add_double(builder, "min", param->min);
    vt_json_add_double(builder, "max", param->max);
  }
  if (param->type == VITRAIL_PARAM_CHOICE)
    add_choices(builder, param);
  vt_recipe_add_default(builder, param);
  if (param->step > 0)
    vt_json_add_double(builder, "step", param->step);
  add_text(builder, "unit-uncalibrated", param->unit_px);
  if (param->unit_px)
    vt_json_add_double(builder, "default-uncalibrated", param->initial_px);
  add_flag(builder, "advanced", (param->flags & VITRAIL_PARAM_ADVANCED) != 0);
  json_builder_end_object(builder);
}

static void
add_settings(JsonBuilder *builder, const char *name, guint n, const VitrailRecipeSetting *const *settings)
{
  if (n == 0)
    return;
  vt_json_begin_object(builder, name);
  for (guint i = 0; i < n; i++)
    vt_json_add_string(builder, settings[i]->key, settings[i]->value);
  json_builder_end_object(builder);
}

static void
add_node(JsonBuilder *builder, const VitrailRecipeNode *node)
{
  json_builder_begin_object(builder);
  vt_json_add_string(builder, "id", node->id);
  vt_json_add_string(builder, "step", node->step);
  add_text(builder, "when", node->when);
  vt_json_add_strings(builder, "inputs", node->n_inputs, node->inputs);
  add_text(builder, "also", node->also);
  add_settings(builder, "settings", node->n_settings, node->settings);
  add_text(builder, "stage", node->stage);
  add_settings(builder, "facts", node->n_facts, node->facts);
  json_builder_end_object(builder);
}

static void
add_stage(JsonBuilder *builder, const VitrailStage *stage)
{
  json_builder_begin_object(builder);
  vt_json_add_string(builder, "id", stage->id);
  vt_json_add_string(builder, "kind", vt_recipe_stage_kinds[stage->kind]);
  add_text(builder, "title", stage->title);
  add_text(builder, "help", stage->help);
  add_text(builder, "unit", stage->unit);
  add_text(builder, "unit-uncalibrated", stage->unit_px);
  add_text(builder, "colormap", stage->colormap);
  vt_json_add_string(builder, "reach", vt_recipe_reaches[stage->reach]);
  if (stage->display_min != stage->display_max)
    vt_json_add_doubles(builder, "range", 2, (double[]){ stage->display_min, stage->display_max });
  add_flag(builder, "shown", (stage->flags & VITRAIL_STAGE_SHOWN) != 0);
  add_flag(builder, "zero-is-empty", (stage->flags & VITRAIL_STAGE_ZERO_EMPTY) != 0);
  add_text(builder, "empty-param", stage->empty_param);
  add_text(builder, "empty-reason", stage->empty_reason);
  json_builder_end_object(builder);
}

static void
add_measurement(JsonBuilder *builder, const VitrailMeasurement *m)
{
  json_builder_begin_object(builder);
  vt_json_add_string(builder, "name", m->name);
  add_text(builder, "when", m->when);
  vt_json_add_string(builder, "quantity", vt_recipe_quantities[m->quantity]);
  if (m->part != VITRAIL_PART_OBJECT)
    vt_json_add_string(builder, "part", vt_recipe_parts[m->part]);
  add_text(builder, "within", m->within);
  vt_json_add_string(builder, "unit", m->unit);
  json_builder_end_object(builder);
}

#define ADD_LIST(builder, recipe, name, list, n, add) \
  do { \
    vt_json_begin_array(builder, name); \
    for (guint i = 0; i < (recipe)->n; i++) \
      add(builder, (recipe)->list[i]); \
    json_builder_end_array(builder); \
  } while (0)

JsonNode *
vt_recipe_to_json(const VitrailRecipe *recipe, const char *id, const char *title)
{
  g_autoptr(JsonBuilder) builder = json_builder_new();
  json_builder_begin_object(builder);
  vt_json_add_int(builder, "vitrail-recipe", VT_RECIPE_SCHEMA);
  vt_json_add_string(builder, "id", id ? id : recipe->id);
  add_text(builder, "version", recipe->version);
  add_text(builder, "title", title ? title : recipe->title);
  add_text(builder, "help", recipe->help);
  ADD_LIST(builder, recipe, "inputs", inputs, n_inputs, add_input);
  ADD_LIST(builder, recipe, "params", params, n_params, add_param);
  ADD_LIST(builder, recipe, "nodes", nodes, n_nodes, add_node);
  ADD_LIST(builder, recipe, "stages", stages, n_stages, add_stage);
  if (recipe->n_measurements > 0)
    ADD_LIST(builder, recipe, "measurements", measurements, n_measurements, add_measurement);
  if (recipe->n_certain > 0)
    vt_json_add_strings(builder, "certain", recipe->n_certain, recipe->certain);
  json_builder_end_object(builder);
  return json_builder_get_root(builder);
}
