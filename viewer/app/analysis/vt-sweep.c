/* SPDX-License-Identifier: MIT */
#include "analysis/vt-sweep.h"

#include <math.h>
#include <string.h>

#include "analysis/vt-analysis-private.h"
#include "common/vt-test-log.h"
#include "run/vt-why.h"

#define AGAIN_MS 300
#define BUSY_MS 100

struct _VtSweep {
  GObject parent;
  VtAnalysis *analysis;
  VtReference *reference;
  gboolean is_set;
  guint param;
  GArray *points;        /* VtSweepPoint, by value */
  VtRunRequest *request; /* of which only the parameter differs; or NULL */
  GPtrArray *truth;      /* VtRoi; or NULL */
  VtRunner *runner;      /* NULL until it is needed */
  guint next;            /* the point that is run */
  GCancellable *cancellable;
  guint again_id;
};

G_DEFINE_FINAL_TYPE(VtSweep, vt_sweep, G_TYPE_OBJECT)

static guint changed_signal;

static void
emit_changed(VtSweep *self)
{
  g_signal_emit(self, changed_signal, 0);
}

static VtSweepPoint *
get_point(VtSweep *self, guint i)
{
  return &g_array_index(self->points, VtSweepPoint, i);
}

gboolean
vt_sweep_is_possible(VtSweep *self)
{
  const VitrailOp *op = self->analysis->op;
  const gint stage = op ? vt_why_find_outcome(op) : -1;
  return stage >= 0 && op->stages[stage]->kind == VITRAIL_STAGE_OBJECTS && !vt_analysis_takes_rois(self->analysis);
}

/* --- one value after the other --- */

static void start_next(VtSweep *self);

static gboolean
try_again(gpointer data)
{
  VtSweep *self = data;
  if (vt_analysis_get_running(self->analysis))
    return G_SOURCE_CONTINUE;
  self->again_id = 0;
  start_next(self);
  return G_SOURCE_REMOVE;
}

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
  if (vt_analysis_get_running(self->analysis)) {
    self->again_id = g_timeout_add(BUSY_MS, try_again, self);
    return;
  }
  VtRunRequest *request = vt_run_request_copy(self->request);
  const double value[4] = { get_point(self, self->next)->value };
  if (vt_params_set(request->params, self->param, value, NULL)) {
    vt_runner_start(self->runner, request);
  } else {
    vt_run_request_free(request);
    g_return_if_reached();
  }
}

static void
take_point(VtSweep *self, gboolean failed, guint n_objects, double f1)
{
  VtSweepPoint *point = get_point(self, self->next);
  point->done = TRUE;
  point->failed = failed;
  point->n_objects = n_objects;
  point->f1 = f1;
  vt_test_log("sweep %.9g %u %.4f", point->value, n_objects, f1);
  emit_changed(self);
  start_next(self);
}

/* --- scores --- */

typedef struct {
  GPtrArray *truth;
  VtResult *result;
} Job;

static void
job_free(gpointer data)
{
  Job *job = data;
  g_ptr_array_unref(job->truth);
  vt_result_unref(job->result);
  g_free(job);
}

static void
compare_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Job *job = data;
  const VtResult *result = job->result;
  const double box[4] = { (double)result->x_l0, (double)result->y_l0, (double)(result->x_l0 + result->width_l0),
                          (double)(result->y_l0 + result->height_l0) };
  const double pixel = result->calibrated ? sqrt(result->mpp * result->mpp_y) : 1;
  g_autoptr(GPtrArray) truth = vt_compare_collect_rois(job->truth, box), present = vt_compare_collect(result, box);
  g_task_return_pointer(task,
                        vt_compare(truth, present, box, MAX(round(result->used_pixel_size / pixel), 1), cancellable),
                        (GDestroyNotify)vt_comparison_free);
}

static void
on_compared(GObject *object, GAsyncResult *answer, gpointer user)
{
  VtSweep *self = VT_SWEEP(object);
  VtComparison *comparison = g_task_propagate_pointer(G_TASK(answer), NULL);
  const Job *job = g_task_get_task_data(G_TASK(answer));
  const gboolean is_wanted = g_task_get_cancellable(G_TASK(answer)) == self->cancellable;
  const double f1 = comparison ? comparison->f1_50 : NAN;
  g_clear_pointer(&comparison, vt_comparison_free);
  if (!is_wanted)
    return;
  g_clear_object(&self->cancellable);
  take_point(self, FALSE, job->result->objects->len, f1);
}

static void
on_done(guint64 generation, VtResult *result, GError *error, gpointer user)
{
  VtSweep *self = user;
  if (!result || !self->truth) {
    take_point(self, !result, result ? result->objects->len : 0, NAN);
    return;
  }
  Job *job = g_new0(Job, 1);
  job->truth = g_ptr_array_ref(self->truth);
  job->result = vt_result_ref(result);
  self->cancellable = g_cancellable_new();
  g_autoptr(GTask) task = g_task_new(self, self->cancellable, on_compared, NULL);
  g_task_set_check_cancellable(task, FALSE);
  g_task_set_task_data(task, job, job_free);
  g_task_run_in_thread(task, compare_in_thread);
}

/* --- begin, begin anew --- */

static void
halt(VtSweep *self)
{
  g_clear_handle_id(&self->again_id, g_source_remove);
  if (self->runner)
    vt_runner_cancel(self->runner);
  if (self->cancellable)
    g_cancellable_cancel(self->cancellable);
  g_clear_object(&self->cancellable);
}

static void
begin(VtSweep *self)
{
  static const VtRunnerCallbacks callbacks = { .done = on_done };
  double x, y;
  halt(self);
  for (guint i = 0; i < self->points->len; i++)
    *get_point(self, i) = (VtSweepPoint){ .value = get_point(self, i)->value };
  g_clear_pointer(&self->request, vt_run_request_free);
  g_clear_pointer(&self->truth, g_ptr_array_unref);
  const GPtrArray *truth = vt_reference_get_outlines(self->reference);
  self->truth = truth ? g_ptr_array_ref((GPtrArray *)truth) : NULL;
  vt_viewport_to_l0(&self->analysis->view, self->analysis->view.width_px / 2.0, self->analysis->view.height_px / 2.0,
                    &x, &y);
  self->request = vt_analysis_new_request(self->analysis, (gint64)x, (gint64)y, NULL);
  if (!self->runner)
    self->runner = vt_runner_new(&callbacks, self);
  if (self->request) {
    self->request->keep_stages = TRUE;
    self->request->stages_wanted = (guint64)1 << vt_why_find_outcome(self->request->op);
    start_next(self);
  }
  emit_changed(self);
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
  halt(self);
  self->again_id = g_timeout_add(AGAIN_MS, begin_later, self);
}

static gboolean
is_only_other_value(VtSweep *self)
{
  g_autoptr(VtParams) now = vt_params_copy(self->analysis->params);
  memcpy(now->values[self->param], self->request->params->values[self->param], sizeof now->values[self->param]);
  return vt_params_equal(now, self->request->params);
}

static void
on_params(VtSweep *self)
{
  if (self->is_set && self->request && self->request->op != self->analysis->op)
    vt_sweep_stop(self);
  else if (self->is_set && self->request && !is_only_other_value(self))
    schedule(self);
}

/* Somewhere else, or at another resolution. */
static void
on_finished(VtSweep *self)
{
  double x, y;
  if (!self->is_set || !self->request)
    return;
  vt_viewport_to_l0(&self->analysis->view, self->analysis->view.width_px / 2.0, self->analysis->view.height_px / 2.0,
                    &x, &y);
  g_autoptr(VtRunRequest) now = vt_analysis_new_request(self->analysis, (gint64)x, (gint64)y, NULL);
  const VtRunRequest *then = self->request;
  if (now
      && (now->x_l0 != then->x_l0 || now->y_l0 != then->y_l0 || now->width_l0 != then->width_l0
          || now->height_l0 != then->height_l0 || now->min_downsample != then->min_downsample))
    schedule(self);
}

static void
on_reference(VtSweep *self)
{
  if (self->is_set && vt_reference_get_outlines(self->reference) != self->truth)
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
  halt(self);
  self->is_set = FALSE;
  g_clear_pointer(&self->request, vt_run_request_free);
  g_clear_pointer(&self->truth, g_ptr_array_unref);
  emit_changed(self);
}

const GArray *
vt_sweep_get_points(VtSweep *self, guint param)
{
  return self->is_set && self->param == param ? self->points : NULL;
}

gboolean
vt_sweep_is_preview(VtSweep *self)
{
  return self->request && self->request->min_downsample > 1;
}

static void
vt_sweep_dispose(GObject *object)
{
  VtSweep *self = VT_SWEEP(object);
  halt(self);
  g_clear_pointer(&self->runner, vt_runner_free);
  g_clear_pointer(&self->request, vt_run_request_free);
  g_clear_pointer(&self->truth, g_ptr_array_unref);
  g_clear_pointer(&self->points, g_array_unref);
  g_clear_object(&self->reference);
  g_clear_object(&self->analysis);
  G_OBJECT_CLASS(vt_sweep_parent_class)->dispose(object);
}

static void
vt_sweep_class_init(VtSweepClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = vt_sweep_dispose;
  changed_signal = g_signal_new("changed", VT_TYPE_SWEEP, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
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
  g_signal_connect_object(analysis, "params-changed", G_CALLBACK(on_params), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "op-changed", G_CALLBACK(vt_sweep_stop), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "finished", G_CALLBACK(on_finished), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(reference, "changed", G_CALLBACK(on_reference), self, G_CONNECT_SWAPPED);
  return self;
}
