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

gboolean
vt_params_assign(VtParams *params, const VtParams *from)
{
  if (params->op != from->op || params->calibrated != from->calibrated)
    return FALSE;
  memcpy(params->values, from->values, params->op->n_params * sizeof *params->values);
  memcpy(params->is_set, from->is_set, params->op->n_params * sizeof *params->is_set);
  vt_params_set_taught(params, from->taught);
  if (from->labels)
    vt_params_set_labels(params, from->labels);
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

VtParams *
vt_params_copy(const VtParams *params)
{
  VtParams *copy = vt_params_new(params->op, params->calibrated);
  vt_params_assign(copy, params);
  return copy;
}

VT_DEFINE_TYPE_FREE(vt_params_free, VtParams,
                    VT_FREES(vt_taught_unref, taught) VT_FREES(vt_placed_labels_unref, labels)
                      VT_FREES(g_free, values, is_set))

gboolean
vt_params_equal(const VtParams *a, const VtParams *b)
{
  if (a->op != b->op || a->calibrated != b->calibrated)
    return FALSE;
  for (guint i = 0; i < a->op->n_params; i++)
    for (guint k = 0; k < G_N_ELEMENTS(a->values[i]); k++)
      if (a->values[i][k] != b->values[i][k])
        return FALSE;
  return g_strcmp0(a->taught ? a->taught->hash : NULL, b->taught ? b->taught->hash : NULL) == 0
         && vt_placed_labels_equal(a->labels, b->labels);
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
  for (guint i = 0; i < 4; i++)
    params->values[index][i] = i < get_n_components(param) ? v[i] : 0;
  params->is_set[index] = TRUE;
  return TRUE;
}

void
vt_params_take_over(VtParams *params, const VtParams *from)
{
  g_return_if_fail(params->op == from->op);
  if (from->taught)
    vt_params_set_taught(params, from->taught);
  if (from->labels)
    vt_params_set_labels(params, from->labels);
  for (guint i = 0; i < params->op->n_params; i++) {
    const gboolean is_length = params->op->params[i]->unit_px != NULL;
    if (!from->is_set[i] || (is_length && from->calibrated != params->calibrated))
      continue;
    memcpy(params->values[i], from->values[i], sizeof params->values[i]);
    params->is_set[i] = TRUE;
  }
}

void
vt_params_reset(VtParams *params, guint index)
{
  const VitrailParam *param = params->op->params[index];
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
      memcpy(params->values[i], from->values[k], sizeof params->values[i]);
      params->is_set[i] = from->is_set[k];
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
  if (parse_value(params->op->params[index], text, v))
    return vt_params_set(params, (guint)index, v, error);
  g_autoptr(GError) range = NULL;
  set_range_error(params, (guint)index, &range);
  return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "“%s” cannot be taken: %s", key_value, range->message);
}

char *
vt_params_dup_text(const VtParams *params, guint index)
{
  const VitrailParam *param = params->op->params[index];
  const double *v = params->values[index];
  if (param->type == VITRAIL_PARAM_BOOL)
    return g_strdup(v[0] != 0 ? "true" : "false");
  if (param->type == VITRAIL_PARAM_CHOICE)
    return g_strdup(param->choices[(guint)v[0]]);
  g_autoptr(GString) text = g_string_new(NULL);
  vt_text_append_doubles(text, ",", get_n_components(param), v);
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
  const gboolean is_number = param->type == VITRAIL_PARAM_INT || param->type == VITRAIL_PARAM_FLOAT;
  g_autofree char *text = is_number
                            ? g_strdup_printf("%.*f", (int)vt_param_count_digits(param), params->values[index][0])
                            : vt_params_dup_text(params, index);
  return g_strdup_printf("%s%s%s", text, *unit ? " " : "", unit);
}
