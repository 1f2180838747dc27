/* SPDX-License-Identifier: MIT
 *
 * Inputs and parameters of a user's recipe. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/user-private.h"
#include "run/params.h"

VitrailStatus
vt_user_copy_inputs(VtUserCheck *c, VitrailOp *op)
{
  VitrailInputSpec *inputs = vt_user_alloc(c, op->n_inputs, sizeof *inputs);
  const VitrailInputSpec **list = vt_user_alloc(c, op->n_inputs, sizeof *list);
  uint32_t n_primary = 0;
  char path[64];
  if (!inputs || !list)
    return VITRAIL_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < op->n_inputs; i++) {
    VitrailInputSpec *input = &inputs[i];
    list[i] = input;
    snprintf(path, sizeof path, "/inputs/%u", i);
    TRY(vt_user_struct(c, path, input, op->inputs[i], sizeof *input, offsetof(VitrailInputSpec, reserved0)));
    snprintf(path, sizeof path, "/inputs/%u/id", i);
    TRY(vt_user_id(c, path, &input->id));
    for (uint32_t k = 0; k < i; k++)
      if (strcmp(inputs[k].id, input->id) == 0)
        return vt_user_wrong(c, path, "The input \"%s\" is there twice.", input->id);
    if (input->kind < VITRAIL_INPUT_IMAGE || input->kind > VITRAIL_INPUT_ROIS)
      return vt_user_wrong(c, path, "An input is of the kind image, scalar or rois.");
    TRY(vt_user_text(c, path, &input->title, LONGEST_TEXT));
    TRY(vt_user_text(c, path, &input->help, LONGEST_TEXT));
    input->title = input->title ? input->title : input->id;
    input->help = input->help ? input->help : "";
    if (input->flags & VITRAIL_INPUT_PRIMARY && !(input->flags & VITRAIL_INPUT_OPTIONAL)
        && input->kind != VITRAIL_INPUT_ROIS)
      n_primary++;
  }
  op->inputs = list;
  return n_primary == 1 ? VITRAIL_OK
                        : vt_user_wrong(c, "/inputs",
                                        "One image is the primary input, whose grid the recipe has, and not optional.");
}

static VitrailStatus
check_range(VtUserCheck *c, const char *path, VitrailParam *p)
{
  if (p->type == VITRAIL_PARAM_BOOL)
    p->min = 0, p->max = 1;
  if (p->type == VITRAIL_PARAM_CHOICE)
    p->min = 0, p->max = p->n_choices - 1.0;
  if (!(isfinite(p->min) && isfinite(p->max) && p->min <= p->max && isfinite(p->step) && p->step >= 0))
    return vt_user_wrong(c, path, "The parameter \"%s\" has no range.", p->key);
  const bool is_whole = p->type != VITRAIL_PARAM_FLOAT && p->type != VITRAIL_PARAM_VECTOR;
  for (int i = 0; i < (p->type == VITRAIL_PARAM_VECTOR ? 3 : 1); i++)
    if (!(p->initial[i] >= p->min && p->initial[i] <= p->max) || (is_whole && p->initial[i] != floor(p->initial[i])))
      return vt_user_wrong(c, path, "The default of the parameter \"%s\" is not in its range.", p->key);
  if (p->unit_px && !(p->initial_px >= p->min && p->initial_px <= p->max))
    return vt_user_wrong(c, path, "The default of the parameter \"%s\" in pixels is not in its range.", p->key);
  return VITRAIL_OK;
}

static VitrailStatus
copy_choices(VtUserCheck *c, const char *path, VitrailParam *p)
{
  if (p->type != VITRAIL_PARAM_CHOICE) {
    p->n_choices = 0;
    p->choices = p->choice_titles = NULL;
    return VITRAIL_OK;
  }
  TRY(vt_user_list(c, path, p->n_choices, p->choices, 256, "choices"));
  if (p->n_choices == 0)
    return vt_user_wrong(c, path, "The parameter \"%s\" has no choices.", p->key);
  const char **keys = vt_user_alloc(c, p->n_choices, sizeof *keys),
             **titles = vt_user_alloc(c, p->n_choices, sizeof *titles);
  if (!keys || !titles)
    return VITRAIL_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < p->n_choices; i++) {
    keys[i] = p->choices[i];
    titles[i] = p->choice_titles ? p->choice_titles[i] : NULL;
    if (!keys[i] || !*keys[i] || strpbrk(keys[i], " \t\r\n'"))
      return vt_user_wrong(c, path, "A choice of the parameter \"%s\" has no key, or one with blanks.", p->key);
    TRY(vt_user_text(c, path, &keys[i], VT_LONGEST_NAME));
    TRY(vt_user_text(c, path, &titles[i], LONGEST_TEXT));
    titles[i] = titles[i] ? titles[i] : keys[i];
    for (uint32_t k = 0; k < i; k++)
      if (strcmp(keys[k], keys[i]) == 0)
        return vt_user_wrong(c, path, "The choice \"%s\" is there twice.", keys[i]);
  }
  p->choices = keys;
  p->choice_titles = titles;
  return VITRAIL_OK;
}

static VitrailStatus
copy_param(VtUserCheck *c, const VitrailOp *op, uint32_t i, VitrailParam *p)
{
  char path[64];
  snprintf(path, sizeof path, "/params/%u", i);
  TRY(vt_user_struct(c, path, p, op->params[i], sizeof *p, offsetof(VitrailParam, reserved)));
  snprintf(path, sizeof path, "/params/%u/key", i);
  TRY(vt_user_id(c, path, &p->key));
  snprintf(path, sizeof path, "/params/%u", i);
  if (p->type < VITRAIL_PARAM_FLOAT || p->type > VITRAIL_PARAM_VECTOR)
    return vt_user_wrong(c, path, "A parameter is of the type float, int, bool, choice or vector.");
  const char **texts[] = { &p->title, &p->help, &p->group, &p->unit, &p->unit_px };
  for (size_t k = 0; k < VT_COUNT(texts); k++)
    TRY(vt_user_text(c, path, texts[k], LONGEST_TEXT));
  p->title = p->title ? p->title : p->key;
  p->help = p->help ? p->help : "";
  p->group = p->group ? p->group : "";
  p->unit = p->unit ? p->unit : "";
  TRY(copy_choices(c, path, p));
  return check_range(c, path, p);
}

/* Parameters that steps and the engine look for by their keys. */
static VitrailStatus
check_known(VtUserCheck *c, const VitrailOp *op)
{
  static const struct {
    const char *key;
    VitrailParamType type;
  } known[] = { { "pixel-size", VITRAIL_PARAM_FLOAT },
                { "hematoxylin", VITRAIL_PARAM_VECTOR },
                { "eosin", VITRAIL_PARAM_VECTOR },
                { "dab", VITRAIL_PARAM_VECTOR },
                { "white", VITRAIL_PARAM_VECTOR },
                { "algorithm", VITRAIL_PARAM_CHOICE },
                { "reference-hematoxylin", VITRAIL_PARAM_VECTOR },
                { "reference-eosin", VITRAIL_PARAM_VECTOR },
                { "reference-dab", VITRAIL_PARAM_VECTOR } };
  char path[64];
  for (size_t k = 0; k < VT_COUNT(known); k++) {
    const int i = vt_params_find(op, known[k].key);
    snprintf(path, sizeof path, "/params/%d", i);
    if (i >= 0 && op->params[i]->type != known[k].type)
      return vt_user_wrong(c, path,
                           "The parameter \"%s\" has a meaning of its own and is of another type: see docs/recipes.md.",
                           known[k].key);
  }
  const int i = vt_params_find(op, "pixel-size");
  if (i < 0)
    return vt_user_wrong(c, "/params",
                         "The parameter \"pixel-size\" is missing, a float: the resolution of the analysis.");
  snprintf(path, sizeof path, "/params/%d", i);
  return op->params[i]->min > 0 && op->params[i]->max <= 1e6
           ? VITRAIL_OK
           : vt_user_wrong(c, path, "The pixel size is above 0, and at most 1000000.");
}

VitrailStatus
vt_user_copy_params(VtUserCheck *c, VitrailOp *op)
{
  VitrailParam *params = vt_user_alloc(c, op->n_params, sizeof *params);
  const VitrailParam **list = vt_user_alloc(c, op->n_params, sizeof *list);
  if (!params || !list)
    return VITRAIL_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < op->n_params; i++) {
    list[i] = &params[i];
    TRY(copy_param(c, op, i, &params[i]));
    for (uint32_t k = 0; k < i; k++) {
      char path[64];
      snprintf(path, sizeof path, "/params/%u/key", i);
      if (strcmp(params[k].key, params[i].key) == 0)
        return vt_user_wrong(c, path, "The parameter \"%s\" is there twice.", params[i].key);
    }
  }
  op->params = list;
  return check_known(c, op);
}

VitrailStatus
vt_user_values(VtUserCheck *c, VitrailOp *op)
{
  VtRun *run = c->run;
  const VitrailRequest none = { .size = sizeof none };
  run->op = op;
  run->request = &none;
  run->grid =
    (VtGrid){ .downsample = 1, .width = 256, .height = 256, .image_width = 256, .image_height = 256, .um_per_px = 0.5 };
  const VitrailStatus status = vt_params_resolve(run, true);
  run->request = NULL;
  return status == VITRAIL_OK ? status : vt_user_wrong(c, "/params", "The defaults of the parameters don't fit.");
}
