/* SPDX-License-Identifier: MIT
 *
 * Parameters are resolved once, here, before any driver or backend sees them. */
#include <math.h>
#include <string.h>

#include "run/params.h"

int
vt_params_find(const VitrailOp *op, const char *key)
{
  for (uint32_t i = 0; i < op->n_params; i++)
    if (strcmp(op->params[i]->key, key) == 0)
      return (int)i;
  return -1;
}

static VitrailStatus
check_value(VtRun *run, const VitrailParam *param, const double v[4])
{
  int n = param->type == VITRAIL_PARAM_VECTOR ? 3 : 1;
  double min = param->min, max = param->max;
  if (param->type == VITRAIL_PARAM_BOOL)
    min = 0, max = 1;
  if (param->type == VITRAIL_PARAM_CHOICE)
    min = 0, max = param->n_choices - 1.0;
  for (int i = 0; i < n; i++) {
    if (!(v[i] >= min && v[i] <= max)) /* catches NaN */
      return vt_fail(run, VITRAIL_BAD_ARGUMENT, "%s (%s) must lie between %g and %g %s, not %g.", param->title,
                     param->key, min, max, param->unit ? param->unit : "", v[i]);
    bool whole = param->type != VITRAIL_PARAM_FLOAT && param->type != VITRAIL_PARAM_VECTOR;
    if (whole && v[i] != floor(v[i]))
      return vt_fail(run, VITRAIL_BAD_ARGUMENT, "%s (%s) must be a whole number, not %g.", param->title, param->key,
                     v[i]);
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_params_resolve(VtRun *run, bool calibrated)
{
  const VitrailOp *op = run->op;
  for (uint32_t i = 0; i < op->n_params; i++) {
    memcpy(run->values[i], op->params[i]->initial, sizeof run->values[i]);
    if (!calibrated && op->params[i]->unit_px)
      run->values[i][0] = op->params[i]->initial_px;
  }
  for (uint32_t i = 0; i < run->request->n_params; i++) {
    const VitrailParamValue *value = run->request->params[i];
    int index = value->key ? vt_params_find(op, value->key) : -1;
    if (index < 0)
      return vt_fail(run, VITRAIL_BAD_ARGUMENT, "The operation %s has no parameter \"%s\".", op->id,
                     value->key ? value->key : "");
    memcpy(run->values[index], value->v, sizeof run->values[index]);
  }
  for (uint32_t i = 0; i < op->n_params; i++) {
    VitrailStatus status = check_value(run, op->params[i], run->values[i]);
    if (status != VITRAIL_OK)
      return status;
  }
  return VITRAIL_OK;
}

bool
vt_has_param(const VtRun *run, const char *key)
{
  return vt_params_find(run->op, key) >= 0;
}

const double *
vt_param_vector(const VtRun *run, const char *key)
{
  return run->values[vt_params_find(run->op, key)];
}

double
vt_param(const VtRun *run, const char *key)
{
  return vt_param_vector(run, key)[0];
}

const char *
vt_param_choice(const VtRun *run, const char *key)
{
  int index = vt_params_find(run->op, key);
  return run->op->params[index]->choices[(uint32_t)run->values[index][0]];
}

void
vt_params_say_below_pixel(VtRun *run, double sigma_px, double min_area_px)
{
  if (sigma_px > 0 && sigma_px < 1)
    vt_log(run, VITRAIL_LOG_WARNING, "%s",
           TR("Sigma is less than a pixel of the analysis grid: it smooths nearly nothing."));
  if (min_area_px > 0 && min_area_px < 1)
    vt_log(run, VITRAIL_LOG_WARNING, "%s",
           TR("The minimum area is less than a pixel of the analysis grid: it drops nothing."));
}

void
vt_params_say_no_area(VtRun *run)
{
  if (vt_param(run, "min-area") > vt_param(run, "max-area"))
    vt_log(run, VITRAIL_LOG_WARNING, "%s", TR("The minimum area is above the maximum area: nothing is found."));
}

const VitrailInput *
vt_input(const VtRun *run, const char *id)
{
  for (uint32_t i = 0; i < run->request->n_inputs; i++)
    if (!(run->request->inputs[i]->flags & VITRAIL_INPUT_TRUTH) && strcmp(run->request->inputs[i]->id, id) == 0)
      return run->request->inputs[i];
  return NULL;
}

const VitrailInput *
vt_input_truth(const VtRun *run)
{
  for (uint32_t i = 0; i < run->request->n_inputs; i++)
    if (run->request->inputs[i]->flags & VITRAIL_INPUT_TRUTH)
      return run->request->inputs[i];
  return NULL;
}

bool
vt_input_is_given(const VtRun *run, const char *id)
{
  for (uint32_t i = 0; i < run->op->n_inputs; i++)
    if (strcmp(run->op->inputs[i]->id, id) == 0 && run->op->inputs[i]->kind == VITRAIL_INPUT_ROIS)
      return run->request->n_rois > 0;
  return vt_input(run, id) != NULL;
}
