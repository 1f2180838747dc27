/* SPDX-License-Identifier: MIT
 *
 * What can only be checked with the values and types of a run. */
#include <string.h>

#include "engine/user-recipe.h"
#include "run/params.h"
#include "steps/info.h"

static VitrailStatus
check_size(const VtGraph *graph, const VtGraphNode *g, const VitrailInput *input)
{
  const VitrailOp *op = graph->recipe->op;
  for (uint32_t k = 0; k < op->n_inputs; k++) {
    const VitrailInput *primary =
      op->inputs[k]->flags & VITRAIL_INPUT_PRIMARY ? vt_input(graph->run, op->inputs[k]->id) : NULL;
    if (primary && (primary->width_l0 != input->width_l0 || primary->height_l0 != input->height_l0))
      return vt_fail(graph->run, VITRAIL_BAD_ARGUMENT,
                     "The step \"%s\" reads the input \"%s\", which is not as large as the input \"%s\".", g->node->id,
                     input->id, primary->id);
  }
  return VITRAIL_OK;
}

static VitrailStatus
check_input(const VtGraph *graph, const VtGraphNode *g, int k)
{
  const VtGraphNode *from = &graph->nodes[g->in[k]];
  const bool is_read = vt_step_n_in(from->step) == 0;
  const bool is_made = g->step->or_colours && from->out.type == VITRAIL_RGBA8;
  if (is_read != (g->step->reads >> k & 1) && !is_made)
    return vt_fail(graph->run, VITRAIL_BAD_ARGUMENT,
                   is_read ? "The step \"%s\" can't take \"%s\", which was only read: a step channel, marker or labels "
                             "stands between."
                           : "The step \"%s\" takes what a step read gives, and not \"%s\".",
                   g->node->id, from->node->id);
  if (is_read)
    TRY(check_size(graph, g, from->out.input));
  if (from->step->is_sink || (g->step->shown_as == VITRAIL_STAGE_OBJECTS && k == 0 && !from->step->has_objects))
    return vt_fail(graph->run, VITRAIL_BAD_ARGUMENT,
                   from->step->is_sink ? "The step \"%s\" can't take \"%s\", which makes no image."
                                       : "The step \"%s\" outlines what a step objects makes, and not \"%s\".",
                   g->node->id, from->node->id);
  return VITRAIL_OK;
}

VitrailStatus
vt_user_check_node(const VtGraph *graph, const VtGraphNode *g)
{
  const VitrailStep *info = vt_step_info(g->step->id);
  for (int k = 0; k < vt_step_n_in(g->step); k++)
    if (g->in[k] >= 0)
      TRY(check_input(graph, g, k));
  for (uint32_t s = 0; s < info->n_settings; s++) {
    const VitrailStepSetting *setting = info->settings[s];
    const bool is_left_out = strcmp(setting->key, "algorithm") == 0;
    if (!is_left_out || g->params[s].word)
      TRY(vt_step_check_setting(graph->run, g->node->id, setting, &g->params[s]));
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_user_check_stage(const VtGraph *graph, uint32_t i)
{
  const VtGraphNode *g = &graph->nodes[i];
  if (g->stage < 0)
    return g->step->is_sink ? vt_fail(graph->run, VITRAIL_BAD_ARGUMENT,
                                      "The step \"%s\" needs a stage: it hands over what it makes.", g->node->id)
                            : VITRAIL_OK;
  for (uint32_t k = 0; k < i; k++)
    if (graph->nodes[k].step && graph->nodes[k].stage == g->stage)
      return vt_fail(graph->run, VITRAIL_BAD_ARGUMENT, "The stage \"%s\" is shown by two steps, \"%s\" and \"%s\".",
                     g->node->stage, graph->nodes[k].node->id, g->node->id);
  const VitrailStageKind kind = graph->recipe->op->stages[g->stage]->kind;
  const bool fits = g->step->is_sink               ? kind == g->step->shown_as
                    : g->out.is_labels             ? kind == VITRAIL_STAGE_LABELS
                    : kind == VITRAIL_STAGE_MASK   ? g->out.type == VITRAIL_U8
                    : kind == VITRAIL_STAGE_COLOUR ? g->out.type == VITRAIL_RGBA8 && vt_step_n_in(g->step) > 0
                                                   : kind == VITRAIL_STAGE_SCALAR && vt_step_n_in(g->step) > 0
                                                       && g->out.type != VT_I64 && g->out.type != VITRAIL_RGBA8;
  return fits ? VITRAIL_OK
              : vt_fail(graph->run, VITRAIL_BAD_ARGUMENT, "The stage \"%s\" is of another kind than what \"%s\" makes.",
                        g->node->stage, g->node->id);
}
