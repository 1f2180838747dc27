/* SPDX-License-Identifier: MIT */
#include "analysis/vt-stage-pins.h"

#include <string.h>

#include "analysis/vt-analysis-private.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-test-log.h"
#include "plugins/vt-plugin-host.h"

struct _VtStagePins {
  GObject parent;
  VtAnalysis *analysis;
  const char *stages[VT_N_STAGE_PINS]; /* interned; NULL: none */
};

G_DEFINE_FINAL_TYPE(VtStagePins, vt_stage_pins, G_TYPE_OBJECT)

const char *
vt_stage_pins_get(VtStagePins *self, VtStagePin which)
{
  return self->stages[which];
}

int
vt_stage_pins_find(VtStagePins *self, const char *stage)
{
  for (int i = 0; i < VT_N_STAGE_PINS; i++)
    if (g_strcmp0(self->stages[i], stage) == 0)
      return i;
  return -1;
}

static void
tell_analysis(VtStagePins *self)
{
  guint64 bits = 0;
  for (guint i = 0; i < VT_N_STAGE_PINS; i++)
    if (self->stages[i])
      bits |= (guint64)1 << vt_op_find_stage(self->analysis->op, self->stages[i]);
  vt_analysis_set_pinned(self->analysis, bits);
}

static void
put(VtStagePins *self, const char *a, const char *b)
{
  const char *const stages[] = { a ? a : b, a ? b : NULL };
  if (self->stages[0] == stages[0] && self->stages[1] == stages[1])
    return;
  memcpy(self->stages, stages, sizeof stages);
  vt_test_log("stage-pins %s %s", stages[0] ? stages[0] : "-", stages[1] ? stages[1] : "-");
  tell_analysis(self);
  g_signal_emit_by_name(self, "changed");
}

void
vt_stage_pins_toggle(VtStagePins *self, const char *stage)
{
  const char *a = self->stages[VT_STAGE_PIN_A], *b = self->stages[VT_STAGE_PIN_B];
  const char *id = g_intern_string(stage);
  if (id == a)
    put(self, b, NULL);
  else if (id == b)
    put(self, a, NULL);
  else
    put(self, a ? a : id, a ? id : NULL);
}

void
vt_stage_pins_clear(VtStagePins *self)
{
  put(self, NULL, NULL);
}

gboolean
vt_stage_pins_set(VtStagePins *self, const char *a, const char *b)
{
  const VitrailOp *op = self->analysis->op;
  if (!op || vt_op_find_stage(op, a) < 0 || (b && (vt_op_find_stage(op, b) < 0 || g_str_equal(a, b))))
    return FALSE;
  put(self, g_intern_string(a), g_intern_string(b));
  return TRUE;
}

/* Those that the present op still has stay, as a changed recipe mostly does; their numbers may be others. */
static void
on_op(VtStagePins *self)
{
  const VitrailOp *op = self->analysis->op;
  const char *kept[VT_N_STAGE_PINS] = { NULL };
  for (guint i = 0; op && i < VT_N_STAGE_PINS; i++)
    kept[i] = self->stages[i] && vt_op_find_stage(op, self->stages[i]) >= 0 ? self->stages[i] : NULL;
  put(self, kept[VT_STAGE_PIN_A], kept[VT_STAGE_PIN_B]);
  tell_analysis(self);
}

static void
vt_stage_pins_class_init(VtStagePinsClass *klass)
{
  VT_OWNS(klass, VtStagePins, g_object_unref, analysis);
  vt_signals_new(VT_TYPE_STAGE_PINS, "changed", NULL);
}

VT_EMPTY_INIT(VtStagePins, vt_stage_pins)

VtStagePins *
vt_stage_pins_new(VtAnalysis *analysis)
{
  VtStagePins *self = g_object_new(VT_TYPE_STAGE_PINS, NULL);
  self->analysis = g_object_ref(analysis);
  g_signal_connect_object(analysis, "op-changed", G_CALLBACK(on_op), self, G_CONNECT_SWAPPED);
  return self;
}
