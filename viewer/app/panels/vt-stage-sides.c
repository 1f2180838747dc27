/* SPDX-License-Identifier: MIT */
#include "panels/vt-stage-sides.h"

#include <glib/gi18n.h>

#include "base/vt-define.h"
#include "common/vt-params-words.h"

typedef struct {
  VtLayer *layer;     /* of the stage; NULL: none */
  GListStore *layers; /* the slide, and that */
  VtResult *result;   /* what it shows; NULL: nothing */
} Side;

struct VtStageSides {
  VtAnalysis *analysis;
  VtStagePins *pins;
  Side sides[VT_N_STAGE_PINS];
  gboolean paused;
};

VtStageSides *
vt_stage_sides_new(VtAnalysis *analysis, VtStagePins *pins)
{
  VtStageSides *self = g_new0(VtStageSides, 1);
  self->analysis = g_object_ref(analysis);
  self->pins = g_object_ref(pins);
  for (guint i = 0; i < VT_N_STAGE_PINS; i++)
    self->sides[i].layers = g_list_store_new(VT_TYPE_LAYER);
  return self;
}

static void
forget(Side *side)
{
  g_list_store_remove_all(side->layers);
  g_clear_object(&side->layer);
  g_clear_pointer(&side->result, vt_result_unref);
}

void
vt_stage_sides_free(VtStageSides *self)
{
  for (guint i = 0; i < VT_N_STAGE_PINS; i++) {
    forget(&self->sides[i]);
    g_object_unref(self->sides[i].layers);
  }
  g_object_unref(self->analysis);
  g_object_unref(self->pins);
  g_free(self);
}

/* The layer of the stage that is pinned so; owned. NULL: none is, or its layer is not there yet. */
static VtLayer *
find_pinned(VtStageSides *self, VtStagePin which)
{
  const char *stage = vt_stage_pins_get(self->pins, which);
  VT_EACH_ITEM (VtLayer, layer, vt_analysis_get_layers(self->analysis))
    if (stage && vt_layer_get_stage(layer) && g_str_equal(vt_layer_get_stage(layer)->id, stage))
      return g_steal_pointer(&layer);
  return NULL;
}

static void
show(VtStageSides *self, Side *side, VtLayer *pinned, VtResult *result)
{
  if (!side->layer || vt_layer_get_stage(side->layer) != vt_layer_get_stage(pinned)) {
    g_autoptr(VtLayer) slide = g_list_model_get_item(vt_analysis_get_layers(self->analysis), 0);
    forget(side);
    side->layer = vt_layer_new_stage(vt_analysis_get_op(self->analysis), vt_layer_get_stage_index(pinned));
    g_list_store_append(side->layers, slide);
    g_list_store_append(side->layers, side->layer);
  }
  vt_layer_look_alone(side->layer, pinned);
  if (result == side->result)
    return;
  vt_layer_set_result(side->layer, result);
  g_clear_pointer(&side->result, vt_result_unref);
  side->result = result ? vt_result_ref(result) : NULL;
}

gboolean
vt_stage_sides_follow(VtStageSides *self, gboolean looked_at, gboolean paused)
{
  VtResult *shown = vt_analysis_get_shown(self->analysis);
  g_autoptr(VtLayer) a = find_pinned(self, VT_STAGE_PIN_A);
  g_autoptr(VtLayer) b = find_pinned(self, VT_STAGE_PIN_B);
  VtLayer *const pinned[VT_N_STAGE_PINS] = { a, b };
  for (guint i = 0; i < VT_N_STAGE_PINS; i++) {
    Side *side = &self->sides[i];
    const gboolean stays = paused && i == VT_STAGE_PIN_A;
    if (!a || !b)
      forget(side);
    else
      show(self, side, pinned[i], stays ? side->result : looked_at || shown == side->result ? shown : NULL);
    if (a && b)
      vt_layer_set_stale(side->layer, !stays && vt_layer_get_stale(pinned[i]));
  }
  self->paused = paused;
  return a && b;
}

GListModel *
vt_stage_sides_get(VtStageSides *self, VtStagePin which)
{
  return G_LIST_MODEL(self->sides[which].layers);
}

const VtResult *
vt_stage_sides_get_paused(VtStageSides *self)
{
  return self->paused ? self->sides[VT_STAGE_PIN_A].result : NULL;
}

/* Of a side that follows what is shown. NULL: it is the final answer. Owned. */
static char *
dup_caution(VtStageSides *self, const Side *side)
{
  char *caution = vt_analysis_dup_caution(self->analysis);
  if (!caution && !vt_layer_has_data(side->layer))
    caution = g_strdup(vt_analysis_get_running(self->analysis) ? _("working") : _("not made"));
  return caution;
}

char *
vt_stage_sides_dup_words(VtStageSides *self, VtStagePin which)
{
  static const char *const letters[VT_N_STAGE_PINS] = { "A", "B" };
  const Side *side = &self->sides[which];
  GString *words = g_string_new(NULL);
  g_string_printf(words, "%s: %s", letters[which], vt_layer_get_title(side->layer));
  if (!self->paused || which != VT_STAGE_PIN_A) {
    g_autofree char *caution = dup_caution(self, side);
    if (caution)
      g_string_append_printf(words, " · %s", caution);
    return g_string_free(words, FALSE);
  }
  g_autofree char *others =
    side->result ? vt_params_dup_side(side->result->params, vt_analysis_get_params(self->analysis)) : NULL;
  g_autofree char *preview =
    side->result && side->result->is_preview ? vt_analysis_dup_preview_words(side->result) : NULL;
  const char *const more[] = { others && *others ? others : NULL, preview,
                               vt_analysis_get_pause_words(self->analysis, side->result) };
  for (guint i = 0; i < G_N_ELEMENTS(more); i++)
    if (more[i])
      g_string_append_printf(words, " · %s", more[i]);
  return g_string_free(words, FALSE);
}
