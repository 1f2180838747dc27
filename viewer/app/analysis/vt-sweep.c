/* SPDX-License-Identifier: MIT */
#include "analysis/vt-sweep.h"

#include <math.h>
#include <string.h>

#include "analysis/vt-analysis-private.h"
#include "analysis/vt-trials.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-test-log.h"

#define AGAIN_MS 300

struct _VtSweep {
  GObject parent;
  VtAnalysis *analysis;
  VtReference *reference;
  VtTrials *trials;
  gboolean is_set;
  guint param;
  GArray *points; /* VtSweepPoint, by value */
  guint next;     /* the point that is run */
  guint again_id;
};

G_DEFINE_FINAL_TYPE(VtSweep, vt_sweep, G_TYPE_OBJECT)

static VtSweepPoint *
get_point(VtSweep *self, guint i)
{
  return &g_array_index(self->points, VtSweepPoint, i);
}

gboolean
vt_sweep_is_possible(VtSweep *self)
{
  return vt_trials_is_possible(self->analysis);
}

/* --- one value after the other --- */

/* The ends, the middle, the middles of what is left: a curve early on. NONE: all have been run. */
static guint
choose_next(VtSweep *self)
{
  const guint n = self->points->len;
  guint step = 1;
  while (step < n)
    step *= 2;
  for (; step > 0; step /= 2)
    for (guint i = 0; i < n; i += step)
      if (!get_point(self, i)->done)
        return i;
  return G_MAXUINT;
}

static void
start_next(VtSweep *self)
{
  self->next = choose_next(self);
  if (self->next == G_MAXUINT) {
    vt_test_log("sweep-done %u", self->points->len);
    return;
  }
  g_autoptr(VtParams) params = vt_params_copy(vt_trials_get_request(self->trials)->params);
  const double value[4] = { get_point(self, self->next)->value };
  if (vt_params_set(params, self->param, value, NULL))
    vt_trials_run(self->trials, params);
  else
    g_return_if_reached();
}

static void
take_point(VtResult *result, const VtComparison *comparison, const GError *error, gpointer user)
{
  VtSweep *self = user;
  if (self->again_id != 0) /* it is of what was before */
    return;
  VtSweepPoint *point = get_point(self, self->next);
  point->done = TRUE;
  point->failed = !result;
  point->n_objects = result ? result->objects->len : 0;
  point->f1 = comparison ? comparison->f1_50 : NAN;
  vt_test_log("sweep %.9g %u %.4f", point->value, point->n_objects, point->f1);
  g_signal_emit_by_name(self, "changed");
  start_next(self);
}

/* --- begin, begin anew --- */

static void
begin(VtSweep *self)
{
  g_clear_handle_id(&self->again_id, g_source_remove);
  for (guint i = 0; i < self->points->len; i++)
    *get_point(self, i) = (VtSweepPoint){ .value = get_point(self, i)->value };
  if (vt_trials_begin(self->trials, NULL))
    start_next(self);
  g_signal_emit_by_name(self, "changed");
}

static gboolean
begin_later(gpointer data)
{
  VtSweep *self = data;
  self->again_id = 0;
  begin(self);
  return G_SOURCE_REMOVE;
}

static void
schedule(VtSweep *self)
{
  g_clear_handle_id(&self->again_id, g_source_remove);
  self->again_id = g_timeout_add(AGAIN_MS, begin_later, self);
}

static gboolean
is_only_other_value(VtSweep *self)
{
  const VtParams *then = vt_trials_get_request(self->trials)->params;
  g_autoptr(VtParams) now = vt_params_copy(self->analysis->params);
  memcpy(now->values[self->param], then->values[self->param], sizeof now->values[self->param]);
  return vt_params_equal(now, then);
}

static void
on_params(VtSweep *self)
{
  const VtRunRequest *then = vt_trials_get_request(self->trials);
  if (self->is_set && then && then->op != self->analysis->op)
    vt_sweep_stop(self);
  else if (self->is_set && then && !is_only_other_value(self))
    schedule(self);
}

/* Somewhere else, at another resolution, or against another truth. */
static void
look(VtSweep *self)
{
  if (self->is_set && vt_trials_is_elsewhere(self->trials))
    schedule(self);
}

void
vt_sweep_start(VtSweep *self, guint param, const double *values, guint n)
{
  self->is_set = TRUE;
  self->param = param;
  g_array_set_size(self->points, 0);
  for (guint i = 0; i < n; i++) {
    const VtSweepPoint point = { .value = values[i] };
    g_array_append_val(self->points, point);
  }
  vt_test_log("sweep-start %s %u", self->analysis->op->params[param]->key, n);
  begin(self);
}

void
vt_sweep_stop(VtSweep *self)
{
  if (!self->is_set)
    return;
  g_clear_handle_id(&self->again_id, g_source_remove);
  vt_trials_stop(self->trials);
  self->is_set = FALSE;
  g_signal_emit_by_name(self, "changed");
}

const GArray *
vt_sweep_get_points(VtSweep *self, guint param)
{
  return self->is_set && self->param == param ? self->points : NULL;
}

gboolean
vt_sweep_is_preview(VtSweep *self)
{
  return vt_trials_is_preview(self->trials);
}

static void
stop_trials(VtSweep *self)
{
  vt_trials_stop(self->trials);
}

static void
vt_sweep_class_init(VtSweepClass *klass)
{
  VT_SOURCES(klass, VtSweep, again_id);
  VT_ENDS(klass, VtSweep, stop_trials);
  VT_OWNS(klass, VtSweep, g_object_unref, trials);
  VT_OWNS(klass, VtSweep, g_array_unref, points);
  VT_OWNS(klass, VtSweep, g_object_unref, reference, analysis);
  vt_signals_new(VT_TYPE_SWEEP, "changed", NULL);
}

static void
vt_sweep_init(VtSweep *self)
{
  self->points = g_array_new(FALSE, FALSE, sizeof(VtSweepPoint));
}

VtSweep *
vt_sweep_new(VtAnalysis *analysis, VtReference *reference)
{
  VtSweep *self = g_object_new(VT_TYPE_SWEEP, NULL);
  self->analysis = g_object_ref(analysis);
  self->reference = g_object_ref(reference);
  self->trials = vt_trials_new(analysis, reference, take_point, self);
  g_signal_connect_object(analysis, "params-changed", G_CALLBACK(on_params), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "op-changed", G_CALLBACK(vt_sweep_stop), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "finished", G_CALLBACK(look), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(reference, "changed", G_CALLBACK(look), self, G_CONNECT_SWAPPED);
  return self;
}
