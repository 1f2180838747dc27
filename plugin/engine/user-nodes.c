/* SPDX-License-Identifier: MIT
 *
 * The graph of a user's recipe: each step exists, inputs come from earlier nodes, and expressions are valid. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/user-private.h"
#include "steps/info.h"

/* --- expressions --- */

static bool
is_made(const VtUserCheck *c, const char *id)
{
  for (uint32_t i = 0; i < c->n_nodes; i++)
    if (strcmp(c->nodes[i].id, id) == 0 || (c->nodes[i].also && strcmp(c->nodes[i].also, id) == 0))
      return true;
  return false;
}

static bool
is_input(const VtUserCheck *c, const char *id)
{
  for (uint32_t i = 0; i < c->recipe->op.n_inputs; i++)
    if (strcmp(c->recipe->op.inputs[i]->id, id) == 0)
      return true;
  return false;
}

/* The names that there are (graph.c); their values don't matter. */
static bool
find_name(void *user, const char *name, const char *argument, VtExpressionValue *value)
{
  const VtUserCheck *c = user;
  *value = (VtExpressionValue){ .number = 1 };
  static const char *const names[] = { "um-per-px", "calibrated", "downsample", "um-per-unit", "weight-x", "weight-y" };
  for (size_t i = 0; !argument && i < VT_COUNT(names); i++)
    if (strcmp(name, names[i]) == 0)
      return true;
  if (!argument)
    return false;
  if (strcmp(name, "given") == 0)
    return is_input(c, argument);
  if (strcmp(name, "type") == 0)
    value->word = "u8";
  return (value->word || strcmp(name, "scale") == 0 || strcmp(name, "count") == 0) && is_made(c, argument);
}

VitrailStatus
vt_user_expression(VtUserCheck *c, const char *path, const char **text)
{
  char sentence[512] = "";
  VtExpressionValue value;
  TRY(vt_user_text(c, path, text, LONGEST_EXPRESSION));
  VtScope *scope = calloc(1, sizeof *scope);
  if (!scope)
    return VITRAIL_OUT_OF_MEMORY;
  scope->run = c->run;
  scope->find = find_name;
  scope->user = c;
  c->run->message = sentence;
  c->run->message_size = sizeof sentence;
  atomic_flag_clear(&c->run->message_taken);
  const VitrailStatus status = vt_expression(scope, *text, &value);
  free(scope);
  c->run->message = NULL;
  return status == VITRAIL_OK ? status : vt_user_wrong(c, path, "%s", sentence);
}

/* --- nodes --- */

static bool
is_setting_of(const VitrailStep *step, const char *key)
{
  for (uint32_t i = 0; i < step->n_settings; i++)
    if (strcmp(step->settings[i]->key, key) == 0)
      return true;
  return false;
}

/* Keys of the record that the engine and the host write. */
static bool
is_reserved(const char *key)
{
  static const char *const keys[] = { "streamed",
                                      "backend",
                                      "device",
                                      "downsample",
                                      "um-per-px",
                                      "asked-downsample",
                                      "asked-um-per-px",
                                      "certain",
                                      "margin-px",
                                      "kept-stages",
                                      "cuda-absent",
                                      "uncertain-objects",
                                      "device-memory-peak-bytes",
                                      "grid-x",
                                      "grid-y",
                                      "grid-width",
                                      "grid-height" };
  for (size_t i = 0; i < VT_COUNT(keys); i++)
    if (strcmp(keys[i], key) == 0)
      return true;
  return false;
}

/* Of a streamed stage with a grid of its own. */
static bool
is_place(const VtUserCheck *c, const char *key)
{
  for (uint32_t i = 0; i < c->recipe->op.n_stages; i++) {
    const char *id = c->stages[i]->id, *rest = key + strlen(id);
    if (strncmp(key, id, strlen(id)) == 0
        && (strcmp(rest, "-x") == 0 || strcmp(rest, "-y") == 0 || strcmp(rest, "-width") == 0
            || strcmp(rest, "-height") == 0))
      return true;
  }
  return false;
}

static VitrailStatus
copy_settings(VtUserCheck *c, const char *path, const VitrailRecipeSetting *const *theirs, uint32_t n,
              const VitrailStep *step, VtSetting *ours)
{
  for (uint32_t i = 0; i < n; i++) {
    VitrailRecipeSetting setting;
    TRY(vt_user_struct(c, path, &setting, theirs[i], sizeof setting, sizeof setting));
    TRY(vt_user_id(c, path, &setting.key));
    char at[192];
    snprintf(at, sizeof at, "%s/%s", path, setting.key);
    if (step && !is_setting_of(step, setting.key))
      return vt_user_wrong(c, at, "The step %s has no setting \"%s\".", step->id, setting.key);
    if (!step && (is_reserved(setting.key) || is_place(c, setting.key)))
      return vt_user_wrong(c, at, "The fact \"%s\" is the program's own.", setting.key);
    for (uint32_t k = 0; k < i; k++)
      if (strcmp(ours[k].key, setting.key) == 0)
        return vt_user_wrong(c, at, "\"%s\" is there twice.", setting.key);
    if (!setting.value)
      return vt_user_wrong(c, at, "\"%s\" has no value.", setting.key);
    TRY(vt_user_expression(c, at, &setting.value));
    ours[i] = (VtSetting){ setting.key, setting.value };
  }
  return VITRAIL_OK;
}

static VitrailStatus
find_input(VtUserCheck *c, const VitrailRecipe *all, uint32_t node, const char *path, const VitrailStepInput *spec,
           const char *id)
{
  if (spec->takes == 0)
    return is_input(c, id) ? VITRAIL_OK : vt_user_wrong(c, path, "The recipe has no input \"%s\".", id);
  if (is_made(c, id))
    return VITRAIL_OK;
  for (uint32_t i = node; i < all->n_nodes; i++) {
    uint32_t size = 0;
    if (all->nodes[i])
      memcpy(&size, all->nodes[i], sizeof size);
    if (size >= offsetof(VitrailRecipeNode, reserved) && all->nodes[i]->id && strcmp(all->nodes[i]->id, id) == 0)
      return vt_user_wrong(c, path, "\"%s\" is not made before this step: steps take what comes before them.", id);
  }
  return vt_user_wrong(c, path, "There is no step \"%s\".", id);
}

static VitrailStatus
copy_inputs(VtUserCheck *c, const VitrailRecipe *all, uint32_t i, const VitrailRecipeNode *theirs,
            const VitrailStep *step, VtNode *ours)
{
  char path[64];
  uint32_t n_needed = step->n_inputs;
  while (n_needed > 0 && step->inputs[n_needed - 1]->flags & VITRAIL_INPUT_OPTIONAL)
    n_needed--;
  snprintf(path, sizeof path, "/nodes/%u/inputs", i);
  if (theirs->n_inputs < n_needed || theirs->n_inputs > step->n_inputs)
    return vt_user_wrong(c, path, "The step %s takes %s%u, not %u.", step->id,
                         n_needed < step->n_inputs ? "up to " : "", step->n_inputs, theirs->n_inputs);
  TRY(vt_user_list(c, path, theirs->n_inputs, theirs->inputs, VT_STEP_IN, "inputs"));
  for (uint32_t k = 0; k < theirs->n_inputs; k++) {
    snprintf(path, sizeof path, "/nodes/%u/inputs/%u", i, k);
    ours->in[k] = theirs->inputs[k];
    TRY(vt_user_id(c, path, &ours->in[k]));
    TRY(find_input(c, all, i, path, step->inputs[k], ours->in[k]));
  }
  return VITRAIL_OK;
}

/* An id may be there again only if all earlier nodes with it have a `when`. */
static VitrailStatus
check_id(VtUserCheck *c, uint32_t i, const char *path, const char *id)
{
  for (uint32_t k = 0; k < i; k++) {
    if (strcmp(c->nodes[k].id, id) == 0 && !c->nodes[k].when)
      return vt_user_wrong(c, path, "The id \"%s\" is there before, without a \"when\": this node would never be made.",
                           id);
    if (c->nodes[k].also && strcmp(c->nodes[k].also, id) == 0)
      return vt_user_wrong(c, path, "The id \"%s\" is the second output of another node.", id);
  }
  return VITRAIL_OK;
}

static VitrailStatus
copy_names(VtUserCheck *c, uint32_t i, VtNode *ours)
{
  char path[64];
  snprintf(path, sizeof path, "/nodes/%u/id", i);
  TRY(vt_user_id(c, path, &ours->id));
  TRY(check_id(c, i, path, ours->id));
  snprintf(path, sizeof path, "/nodes/%u/step", i);
  TRY(vt_user_id(c, path, &ours->step));
  const VitrailStep *step = vt_step_info(ours->step);
  if (!step)
    return vt_user_wrong(c, path, "There is no step \"%s\".", ours->step);
  snprintf(path, sizeof path, "/nodes/%u/when", i);
  if (ours->when)
    TRY(vt_user_expression(c, path, &ours->when));
  snprintf(path, sizeof path, "/nodes/%u/also", i);
  if (ours->also) {
    TRY(vt_user_id(c, path, &ours->also));
    if (!step->also || strcmp(ours->also, ours->id) == 0 || is_made(c, ours->also))
      return vt_user_wrong(
        c, path, step->also ? "The id \"%s\" is there before." : "This step has no second output, so no \"%s\".",
        ours->also);
  }
  snprintf(path, sizeof path, "/nodes/%u/stage", i);
  if (ours->stage) {
    TRY(vt_user_id(c, path, &ours->stage));
    for (uint32_t k = 0; k < c->recipe->op.n_stages; k++)
      if (strcmp(c->stages[k]->id, ours->stage) == 0)
        return VITRAIL_OK;
    return vt_user_wrong(c, path, "There is no stage \"%s\".", ours->stage);
  }
  return VITRAIL_OK;
}

/* The op has the columns of the step whose rows it shows. */
static VitrailStatus
find_columns(VtUserCheck *c, uint32_t i)
{
  VitrailOp *op = &c->recipe->op;
  const char *const *columns = vt_step_find(c->nodes[i].step)->columns;
  char path[64];
  snprintf(path, sizeof path, "/nodes/%u/stage", i);
  for (uint32_t k = 0; columns && c->nodes[i].stage && k < i; k++)
    if (vt_step_find(c->nodes[k].step)->columns && c->nodes[k].stage
        && strcmp(c->nodes[k].stage, c->nodes[i].stage) != 0)
      return vt_user_wrong(c, path, "A recipe has one stage of rows, and this is a second one.");
  op->columns = columns ? columns : op->columns;
  while (op->columns && op->columns[op->n_columns])
    op->n_columns++;
  return VITRAIL_OK;
}

static VitrailStatus
copy_node(VtUserCheck *c, const VitrailRecipe *all, uint32_t i, VtNode *ours)
{
  VitrailRecipeNode theirs;
  char path[64];
  snprintf(path, sizeof path, "/nodes/%u", i);
  TRY(vt_user_struct(c, path, &theirs, all->nodes[i], sizeof theirs, offsetof(VitrailRecipeNode, reserved)));
  *ours = (VtNode){ theirs.id, theirs.step, .when = theirs.when, .also = theirs.also, .stage = theirs.stage };
  TRY(copy_names(c, i, ours));
  const VitrailStep *step = vt_step_info(ours->step);
  TRY(copy_inputs(c, all, i, &theirs, step, ours));
  snprintf(path, sizeof path, "/nodes/%u/settings", i);
  TRY(vt_user_list(c, path, theirs.n_settings, theirs.settings, VT_STEP_PARAMS, "settings"));
  TRY(copy_settings(c, path, theirs.settings, theirs.n_settings, step, ours->params));
  snprintf(path, sizeof path, "/nodes/%u/facts", i);
  TRY(vt_user_list(c, path, theirs.n_facts, theirs.facts, VT_NODE_FACTS, "facts of a node"));
  c->n_nodes = i + 1; /* its facts may speak of itself */
  TRY(find_columns(c, i));
  return copy_settings(c, path, theirs.facts, theirs.n_facts, NULL, ours->facts);
}

VitrailStatus
vt_user_copy_nodes(VtUserCheck *c, const VitrailRecipe *theirs, VtRecipe *recipe)
{
  VtNode *nodes = vt_user_alloc(c, theirs->n_nodes, sizeof *nodes);
  if (!nodes)
    return VITRAIL_OUT_OF_MEMORY;
  c->nodes = nodes;
  for (uint32_t i = 0; i < theirs->n_nodes; i++)
    TRY(copy_node(c, theirs, i, &nodes[i]));
  recipe->nodes = nodes;
  recipe->n_nodes = theirs->n_nodes;
  return VITRAIL_OK;
}
