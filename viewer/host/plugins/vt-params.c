/* SPDX-License-Identifier: MIT */
#include "plugins/vt-params.h"

#include <math.h>
#include <string.h>

#include "base/vt-define.h"
#include "base/vt-file-private.h"
#include "plugins/vt-plugin-host.h"

VtParams *
vt_params_new(const VitrailOp *op, gboolean calibrated)
{
  VtParams *params = g_new0(VtParams, 1);
  params->op = op;
  params->calibrated = calibrated;
  params->values = g_malloc0_n(MAX(op->n_params, 1), sizeof *params->values);
  params->is_set = g_new0(gboolean, MAX(op->n_params, 1));
  for (guint i = 0; i < op->n_params; i++)
    vt_params_reset(params, i);
  return params;
}

/* Those that there are. */
static void
take_files(VtParams *params, const VtParams *from)
{
  if (from->labels)
    vt_params_set_labels(params, from->labels);
  if (from->objects)
    vt_params_set_objects(params, from->objects);
}

gboolean
vt_params_assign(VtParams *params, const VtParams *from)
{
  if (params->op != from->op || params->calibrated != from->calibrated)
    return FALSE;
  memcpy(params->values, from->values, params->op->n_params * sizeof *params->values);
  memcpy(params->is_set, from->is_set, params->op->n_params * sizeof *params->is_set);
  params->n_listed = from->n_listed;
  params->listed = from->listed;
  memcpy(params->list, from->list, sizeof params->list);
  vt_params_set_taught(params, from->taught);
  take_files(params, from);
  return TRUE;
}

void
vt_params_set_taught(VtParams *params, VtTaught *taught)
{
  VtTaught *before = params->taught;
  params->taught = taught ? vt_taught_ref(taught) : NULL;
  g_clear_pointer(&before, vt_taught_unref);
}

void
vt_params_set_labels(VtParams *params, VtPlacedLabels *labels)
{
  VtPlacedLabels *before = params->labels;
  params->labels = labels ? vt_placed_labels_ref(labels) : NULL;
  g_clear_pointer(&before, vt_placed_labels_unref);
}

void
vt_params_set_objects(VtParams *params, VtFileObjects *objects)
{
  VtFileObjects *before = params->objects;
  params->objects = objects ? vt_file_objects_ref(objects) : NULL;
  g_clear_pointer(&before, vt_file_objects_unref);
}

VtParams *
vt_params_copy(const VtParams *params)
{
  VtParams *copy = vt_params_new(params->op, params->calibrated);
  vt_params_assign(copy, params);
  return copy;
}

VT_DEFINE_TYPE_FREE(vt_params_free, VtParams,
                    VT_FREES(vt_taught_unref, taught) VT_FREES(vt_placed_labels_unref, labels)
                      VT_FREES(vt_file_objects_unref, objects) VT_FREES(g_free, values, is_set))

gboolean
vt_params_has_list(const VtParams *params, guint index)
{
  return params->n_listed > 0 && params->listed == index;
}

gboolean
vt_params_differ(const VtParams *a, const VtParams *b, guint index)
{
  const gboolean has_list = vt_params_has_list(a, index);
  for (guint k = 0; k < G_N_ELEMENTS(a->values[index]); k++)
    if (a->values[index][k] != b->values[index][k])
      return TRUE;
  if (has_list != vt_params_has_list(b, index) || (has_list && a->n_listed != b->n_listed))
    return TRUE;
  for (guint k = 0; has_list && k < a->n_listed; k++)
    if (a->list[k] != b->list[k])
      return TRUE;
  return FALSE;
}

gboolean
vt_params_equal(const VtParams *a, const VtParams *b)
{
  if (a->op != b->op || a->calibrated != b->calibrated)
    return FALSE;
  for (guint i = 0; i < a->op->n_params; i++)
    if (vt_params_differ(a, b, i))
      return FALSE;
  return g_strcmp0(a->taught ? a->taught->hash : NULL, b->taught ? b->taught->hash : NULL) == 0
         && vt_placed_labels_equal(a->labels, b->labels) && vt_file_objects_equal(a->objects, b->objects);
}

static guint
get_n_components(const VitrailParam *param)
{
  return param->type == VITRAIL_PARAM_VECTOR ? 3 : 1;
}

static void
set_range_error(const VtParams *params, guint index, GError **error)
{
  const VitrailParam *param = params->op->params[index];
  const char *unit = vt_params_get_unit(params, index);
  g_autoptr(GString) text = g_string_new(NULL);
  if (param->type == VITRAIL_PARAM_CHOICE) {
    g_string_append_printf(text, "%s is one of: ", param->key);
    for (guint i = 0; i < param->n_choices; i++)
      g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", param->choices[i]);
  } else if (param->type == VITRAIL_PARAM_BOOL) {
    g_string_append_printf(text, "%s is true or false", param->key);
  } else {
    g_string_append_printf(text, "%s is %s from ", param->key,
                           param->type == VITRAIL_PARAM_INT      ? "a whole number"
                           : param->type == VITRAIL_PARAM_VECTOR ? "three numbers a,b,c, each"
                                                                 : "a number");
    vt_text_append_doubles(text, " to ", 2, (const double[]){ param->min, param->max });
    if (*unit)
      g_string_append_printf(text, " %s", unit);
  }
  g_set_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT, "%s.", text->str);
}

static void
forget_list(VtParams *params, guint index)
{
  if (vt_params_has_list(params, index))
    params->n_listed = 0;
}

gboolean
vt_params_set(VtParams *params, guint index, const double v[4], GError **error)
{
  g_return_val_if_fail(index < params->op->n_params, FALSE);
  const VitrailParam *param = params->op->params[index];
  const gboolean whole = param->type != VITRAIL_PARAM_FLOAT && param->type != VITRAIL_PARAM_VECTOR;
  double min = param->min, max = param->max;
  if (param->type == VITRAIL_PARAM_BOOL || param->type == VITRAIL_PARAM_CHOICE) {
    min = 0;
    max = param->type == VITRAIL_PARAM_BOOL ? 1 : param->n_choices - 1.0;
  }
  for (guint i = 0; i < get_n_components(param); i++) {
    if (!(v[i] >= min && v[i] <= max) || (whole && v[i] != floor(v[i]))) {
      set_range_error(params, index, error);
      return FALSE;
    }
  }
  forget_list(params, index);
  for (guint i = 0; i < 4; i++)
    params->values[index][i] = i < get_n_components(param) ? v[i] : 0;
  params->is_set[index] = TRUE;
  return TRUE;
}

/* With its list, where the op can have one. */
static void
copy_value(VtParams *params, guint index, const VtParams *from, guint other)
{
  forget_list(params, index);
  memcpy(params->values[index], from->values[other], sizeof params->values[index]);
  params->is_set[index] = from->is_set[other];
  if (!vt_params_has_list(from, other) || !vt_params_can_list(params, index))
    return;
  params->n_listed = from->n_listed;
  params->listed = index;
  memcpy(params->list, from->list, sizeof params->list);
}

void
vt_params_take_over(VtParams *params, const VtParams *from)
{
  g_return_if_fail(params->op == from->op);
  if (from->taught)
    vt_params_set_taught(params, from->taught);
  take_files(params, from);
  for (guint i = 0; i < params->op->n_params; i++) {
    const gboolean is_length = params->op->params[i]->unit_px != NULL;
    if (!from->is_set[i] || (is_length && from->calibrated != params->calibrated))
      continue;
    copy_value(params, i, from, i);
  }
}

void
vt_params_reset(VtParams *params, guint index)
{
  const VitrailParam *param = params->op->params[index];
  forget_list(params, index);
  memcpy(params->values[index], param->initial, sizeof params->values[index]);
  if (param->unit_px && !params->calibrated)
    params->values[index][0] = param->initial_px;
  params->is_set[index] = FALSE;
}

void
vt_params_follow(VtParams *params, const VtParams *from)
{
  if (from->labels && vt_op_get_labels(params->op))
    vt_params_set_labels(params, from->labels);
  for (guint i = 0; i < params->op->n_params; i++) {
    const VitrailParam *own = params->op->params[i];
    for (guint k = 0; k < from->op->n_params; k++) {
      const VitrailParam *other = from->op->params[k];
      if (!g_str_equal(own->key, other->key) || own->type != other->type || own->n_choices != other->n_choices
          || own->min != other->min || own->max != other->max
          || (own->unit_px && from->calibrated != params->calibrated))
        continue;
      copy_value(params, i, from, k);
    }
  }
}

static gboolean
parse_number(const char *text, double *value)
{
  char *end = NULL;
  *value = g_ascii_strtod(text, &end);
  return end != text && *end == '\0' && isfinite(*value);
}

static gboolean
parse_bool(const char *text, double *value)
{
  static const char *const words[2][4] = { { "false", "no", "off", "0" }, { "true", "yes", "on", "1" } };
  for (int truth = 0; truth < 2; truth++) {
    for (int i = 0; i < 4; i++) {
      if (g_ascii_strcasecmp(text, words[truth][i]) == 0) {
        *value = truth;
        return TRUE;
      }
    }
  }
  return FALSE;
}

static gboolean
parse_choice(const VitrailParam *param, const char *text, double *value)
{
  for (guint i = 0; i < param->n_choices; i++) {
    if (g_str_equal(param->choices[i], text)) {
      *value = i;
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean
parse_value(const VitrailParam *param, const char *text, double v[4])
{
  if (param->type == VITRAIL_PARAM_BOOL)
    return parse_bool(text, &v[0]);
  if (param->type == VITRAIL_PARAM_CHOICE)
    return parse_choice(param, text, &v[0]);
  if (param->type != VITRAIL_PARAM_VECTOR)
    return parse_number(text, &v[0]);
  g_auto(GStrv) parts = g_strsplit(text, ",", 4);
  return g_strv_length(parts) == 3 && parse_number(g_strstrip(parts[0]), &v[0])
         && parse_number(g_strstrip(parts[1]), &v[1]) && parse_number(g_strstrip(parts[2]), &v[2]);
}

/* --- several values of one parameter --- */

static gboolean
makes_rows_alone(const VitrailOp *op)
{
  for (guint i = 0; i < op->n_stages; i++)
    if (op->stages[i]->kind != VITRAIL_STAGE_ROWS)
      return FALSE;
  return TRUE;
}

gboolean
vt_params_can_list(const VtParams *params, guint index)
{
  return makes_rows_alone(params->op) && params->op->params[index]->type != VITRAIL_PARAM_VECTOR;
}

VtParams *
vt_params_copy_setting(const VtParams *params, guint number)
{
  VtParams *one = vt_params_copy(params);
  one->n_listed = 0;
  if (number < params->n_listed)
    one->values[params->listed][0] = params->list[number];
  return one;
}

int
vt_params_find_setting(const VtParams *params, const VtParams *one)
{
  for (guint i = 0; i < MAX(params->n_listed, 1); i++) {
    g_autoptr(VtParams) setting = vt_params_copy_setting(params, i);
    if (vt_params_equal(setting, one))
      return (int)i;
  }
  return -1;
}

/* Into a set of parameters that is thrown away if a value can't be taken. */
static gboolean
add_value(VtParams *params, guint index, const char *value, GError **error)
{
  const char *key = params->op->params[index]->key;
  g_autoptr(VtParams) one = vt_params_copy(params);
  g_autofree char *setting = g_strdup_printf("%s=%s", key, value);
  if (!vt_params_set_from_string(one, setting, error))
    return FALSE;
  for (guint k = 0; k < params->n_listed; k++)
    if (params->list[k] == one->values[index][0])
      return vt_error_set(error, VITRAIL_BAD_ARGUMENT,
                          "“%s” is there twice; each value is a set of columns of its own.", setting);
  params->list[params->n_listed++] = one->values[index][0];
  return TRUE;
}

static gboolean
set_list(VtParams *params, guint index, const char *key_value, const char *values, GError **error)
{
  g_auto(GStrv) parts = g_strsplit(values, ",", -1);
  const guint n = g_strv_length(parts);
  const char *key = params->op->params[index]->key;
  if (!makes_rows_alone(params->op))
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT,
                        "“%s” has several values, which become columns of a table of regions; %s makes no such table.",
                        key_value, params->op->id);
  if (params->n_listed > 0 && params->listed != index)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT,
                        "One parameter at most can have several values, not both %s and %s.",
                        params->op->params[params->listed]->key, key);
  if (n > VT_PARAMS_MOST_VALUES)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s has %u values; %u are the most.", key, n,
                        VT_PARAMS_MOST_VALUES);
  g_autoptr(VtParams) all = vt_params_copy(params);
  all->n_listed = 0;
  all->listed = index;
  for (guint i = 0; i < n; i++)
    if (!add_value(all, index, g_strstrip(parts[i]), error))
      return FALSE;
  all->values[index][0] = all->list[0];
  all->is_set[index] = TRUE;
  return vt_params_assign(params, all);
}

gboolean
vt_params_set_from_string(VtParams *params, const char *key_value, GError **error)
{
  const char *equals = strchr(key_value, '=');
  g_autofree char *key = g_strstrip(equals ? g_strndup(key_value, (gsize)(equals - key_value)) : g_strdup(key_value));
  const int index = vt_op_find_param(params->op, key);
  if (index < 0) {
    g_autoptr(GString) known = g_string_new(NULL);
    for (guint i = 0; i < params->op->n_params; i++)
      g_string_append_printf(known, "%s%s", i > 0 ? ", " : "", params->op->params[i]->key);
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s has no parameter “%s”; it has: %s.", params->op->id, key,
                        known->len > 0 ? known->str : "none");
  }
  double v[4] = { 0 };
  g_autofree char *text = g_strstrip(g_strdup(equals ? equals + 1 : ""));
  if (strchr(text, ',') && params->op->params[index]->type != VITRAIL_PARAM_VECTOR)
    return set_list(params, (guint)index, key_value, text, error);
  if (parse_value(params->op->params[index], text, v))
    return vt_params_set(params, (guint)index, v, error);
  g_autoptr(GError) range = NULL;
  set_range_error(params, (guint)index, &range);
  return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "“%s” cannot be taken: %s", key_value, range->message);
}

static char *
dup_value(const VitrailParam *param, const double *v)
{
  if (param->type == VITRAIL_PARAM_BOOL)
    return g_strdup(v[0] != 0 ? "true" : "false");
  if (param->type == VITRAIL_PARAM_CHOICE)
    return g_strdup(param->choices[(guint)v[0]]);
  g_autoptr(GString) text = g_string_new(NULL);
  vt_text_append_doubles(text, ",", get_n_components(param), v);
  return g_string_free(g_steal_pointer(&text), FALSE);
}

char *
vt_params_dup_text(const VtParams *params, guint index)
{
  const VitrailParam *param = params->op->params[index];
  if (!vt_params_has_list(params, index))
    return dup_value(param, params->values[index]);
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint i = 0; i < params->n_listed; i++) {
    g_autofree char *value = dup_value(param, &params->list[i]);
    g_string_append_printf(text, "%s%s", i > 0 ? "," : "", value);
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}

const char *
vt_params_get_unit(const VtParams *params, guint index)
{
  const VitrailParam *param = params->op->params[index];
  const char *unit = param->unit_px && !params->calibrated ? param->unit_px : param->unit;
  return unit ? unit : "";
}

guint
vt_param_count_digits(const VitrailParam *param)
{
  const double step = param->step > 0 ? param->step : 1;
  if (param->type == VITRAIL_PARAM_INT)
    return 0;
  for (guint digits = 0; digits < 4; digits++) {
    const double factor = pow(10, digits);
    gboolean enough = fabs(step * factor - round(step * factor)) < 1e-6;
    for (guint i = 0; i < get_n_components(param); i++)
      enough = enough && fabs(param->initial[i] * factor - round(param->initial[i] * factor)) < 1e-6;
    if (enough)
      return digits;
  }
  return 4;
}

gboolean
vt_params_is_same_key(const char *setting, const char *other)
{
  const gsize length = strcspn(setting, "=");
  return strcspn(other, "=") == length && strncmp(setting, other, length) == 0;
}

const char *
vt_params_find_repeated(const char *const *settings)
{
  for (const char *const *one = settings; one && *one; one++)
    for (const char *const *other = settings; other < one; other++)
      if (vt_params_is_same_key(*one, *other))
        return *one;
  return NULL;
}

char *
vt_params_dup_shown(const VtParams *params, guint index)
{
  const VitrailParam *param = params->op->params[index];
  const char *unit = vt_params_get_unit(params, index);
  const gboolean is_number =
    (param->type == VITRAIL_PARAM_INT || param->type == VITRAIL_PARAM_FLOAT) && !vt_params_has_list(params, index);
  g_autofree char *text = is_number
                            ? g_strdup_printf("%.*f", (int)vt_param_count_digits(param), params->values[index][0])
                            : vt_params_dup_text(params, index);
  if (vt_params_has_list(params, index)) {
    g_auto(GStrv) values = g_strsplit(text, ",", -1);
    g_free(text);
    text = g_strjoinv(", ", values);
  }
  return g_strdup_printf("%s%s%s", text, *unit ? " " : "", unit);
}
