/* SPDX-License-Identifier: MIT */
#include "analysis/vt-trials.h"

#include <glib/gi18n.h>
#include <math.h>

#include "common/vt-owned.h"
#include "base/vt-define.h"
#include "analysis/vt-analysis-private.h"
#include "run/vt-why.h"

struct _VtTrials {
  GObject parent;
  VtAnalysis *analysis;
  VtReference *reference;
  VtTrialDone done;
  gpointer user;
  VtRunRequest *request;       /* NULL: not begun */
  GPtrArray *truth;            /* VtRoi; or NULL */
  GPtrArray *known;            /* VtRoi: where it is complete; NULL: everywhere */
  VtTrueObjects *true_objects; /* of the last comparison, or NULL */
  const GPtrArray *outer;      /* the reference's, as it was; only compared */
  VtRunner *runner;            /* NULL until it is needed */
  GCancellable *cancellable;   /* of a comparison; or NULL */
};

G_DEFINE_FINAL_TYPE(VtTrials, vt_trials, G_TYPE_OBJECT)

gboolean
vt_trials_is_possible(VtAnalysis *analysis)
{
  const VitrailOp *op = analysis->op;
  const gint stage = op ? vt_why_find_outcome(op) : -1;
  return stage >= 0 && op->stages[stage]->kind == VITRAIL_STAGE_OBJECTS && !vt_analysis_takes_rois(analysis);
}

static VtRunRequest *
request_new(VtTrials *self, GError **error)
{
  double x, y;
  const VtViewport *view = &self->analysis->view;
  vt_viewport_to_l0(view, view->width_px / 2.0, view->height_px / 2.0, &x, &y);
  return vt_analysis_new_request(self->analysis, (gint64)x, (gint64)y, error);
}

gboolean
vt_trials_begin(VtTrials *self, GError **error)
{
  vt_trials_stop(self);
  if (!self->analysis->slide || !vt_trials_is_possible(self->analysis))
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("This analysis finds no objects."));
  self->request = request_new(self, error);
  if (!self->request)
    return FALSE;
  self->request->keep_stages = TRUE;
  self->request->stages_wanted = (guint64)1 << vt_why_find_outcome(self->request->op);
  self->outer = vt_reference_get_outlines(self->reference);
  self->truth = self->outer ? g_ptr_array_ref((GPtrArray *)self->outer) : NULL;
  GPtrArray *known = vt_reference_get_known(self->reference);
  self->known = known ? g_ptr_array_ref(known) : NULL;
  return TRUE;
}

void
vt_trials_set_truth(VtTrials *self, GPtrArray *rois)
{
  if (rois)
    g_ptr_array_ref(rois);
  g_clear_pointer(&self->truth, g_ptr_array_unref);
  g_clear_pointer(&self->known, g_ptr_array_unref); /* it is of the reference's truth */
  self->truth = rois;
}

gboolean
vt_trials_has_begun(VtTrials *self)
{
  return self->request != NULL;
}

void
vt_trials_stop(VtTrials *self)
{
  if (self->runner)
    vt_runner_cancel(self->runner);
  if (self->cancellable)
    g_cancellable_cancel(self->cancellable);
  g_clear_object(&self->cancellable);
  g_clear_pointer(&self->request, vt_run_request_free);
  g_clear_pointer(&self->true_objects, vt_true_objects_unref);
  g_clear_pointer(&self->truth, g_ptr_array_unref);
  g_clear_pointer(&self->known, g_ptr_array_unref);
}

VT_GETTER(const VtRunRequest *, vt_trials_get_request, VtTrials, request)

gboolean
vt_trials_has_truth(VtTrials *self)
{
  return self->truth != NULL;
}

gboolean
vt_trials_is_elsewhere(VtTrials *self)
{
  const VtRunRequest *then = self->request;
  if (!then)
    return FALSE;
  if (then->op != self->analysis->op || vt_reference_get_outlines(self->reference) != self->outer
      || (self->truth == self->outer && self->known != vt_reference_get_known(self->reference)))
    return TRUE;
  g_autoptr(VtRunRequest) now = request_new(self, NULL);
  return now
         && (now->x_l0 != then->x_l0 || now->y_l0 != then->y_l0 || now->width_l0 != then->width_l0
             || now->height_l0 != then->height_l0 || now->min_downsample != then->min_downsample);
}

gboolean
vt_trials_is_preview(VtTrials *self)
{
  return self->request && self->request->min_downsample > 1;
}

GArray *
vt_trials_list_axes(const VitrailOp *op)
{
  GArray *axes = g_array_new(FALSE, FALSE, sizeof(VtTrialAxis));
  for (guint i = 0; i < op->n_params; i++) {
    const VitrailParam *param = op->params[i];
    VtTrialAxis axis = { .param = i };
    if ((param->type == VITRAIL_PARAM_FLOAT || param->type == VITRAIL_PARAM_INT)
        && !g_str_equal(param->key, "pixel-size") && !g_str_has_prefix(param->key, "context")
        && vt_slider_scale_init(&axis.scale, param->min, param->max, param->step > 0 ? param->step : 1))
      g_array_append_val(axes, axis);
  }
  return axes;
}

/* --- comparing --- */

typedef struct {
  VtTrueObjects *truth;
  GPtrArray *known; /* or NULL */
  VtResult *result;
} Job;

VT_DEFINE_FREE(job_free, Job,
               VT_FREES(vt_true_objects_unref, truth) VT_FREES(g_ptr_array_unref, known)
                 VT_FREES(vt_result_unref, result))

static void
compare_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Job *job = data;
  const VtResult *result = job->result;
  const double pixel = result->calibrated ? sqrt(result->mpp * result->mpp_y) : 1;
  g_task_return_pointer(task,
                        vt_compare_result(job->truth, result, MAX(round(result->used_pixel_size / pixel), 1),
                                          job->known, NULL, 0, cancellable),
                        (GDestroyNotify)vt_comparison_free);
}

static void
on_compared(GObject *object, GAsyncResult *answer, gpointer user)
{
  VtTrials *self = VT_TRIALS(object);
  VtComparison *comparison = g_task_propagate_pointer(G_TASK(answer), NULL);
  const Job *job = g_task_get_task_data(G_TASK(answer));
  if (g_task_get_cancellable(G_TASK(answer)) == self->cancellable) { /* somebody waits for it still */
    g_clear_object(&self->cancellable);
    self->done(job->result, comparison, NULL, self->user);
  }
  g_clear_pointer(&comparison, vt_comparison_free);
}

static void
on_done(guint64 generation, VtResult *result, GError *error, gpointer user)
{
  VtTrials *self = user;
  if (!result || !self->truth) {
    self->done(result, NULL, error, self->user);
    return;
  }
  const double box[4] = { (double)result->x_l0, (double)result->y_l0, (double)(result->x_l0 + result->width_l0),
                          (double)(result->y_l0 + result->height_l0) };
  Job *job = g_new0(Job, 1);
  if (!self->true_objects || !vt_true_objects_is_of(self->true_objects, self->truth, NULL, box)) {
    g_clear_pointer(&self->true_objects, vt_true_objects_unref);
    self->true_objects = vt_true_objects_new(self->truth, NULL, box);
  }
  job->truth = vt_true_objects_ref(self->true_objects);
  job->known = self->known ? g_ptr_array_ref(self->known) : NULL;
  job->result = vt_result_ref(result);
  self->cancellable = g_cancellable_new();
  g_autoptr(GTask) task = g_task_new(self, self->cancellable, on_compared, NULL);
  g_task_set_check_cancellable(task, FALSE);
  g_task_set_task_data(task, job, job_free);
  g_task_run_in_thread(task, compare_in_thread);
}

/* --- running --- */

void
vt_trials_run(VtTrials *self, const VtParams *params)
{
  static const VtRunnerCallbacks callbacks = { .done = on_done };
  g_return_if_fail(self->request && params->op == self->request->op);
  VtRunRequest *request = vt_run_request_copy(self->request);
  vt_params_assign(request->params, params);
  if (self->true_objects && !self->known)
    request->truth = vt_true_objects_dup_run_truth(self->true_objects);
  if (!self->runner)
    self->runner = vt_runner_new(&callbacks, self);
  vt_runner_start_after(self->runner, request, self->analysis->runner);
}

static void
vt_trials_class_init(VtTrialsClass *klass)
{
  VT_ENDS(klass, VtTrials, vt_trials_stop);
  VT_OWNS(klass, VtTrials, vt_runner_free, runner);
  VT_OWNS(klass, VtTrials, g_object_unref, reference, analysis);
}

VT_EMPTY_INIT(VtTrials, vt_trials)

VtTrials *
vt_trials_new(VtAnalysis *analysis, VtReference *reference, VtTrialDone done, gpointer user)
{
  VtTrials *self = g_object_new(VT_TYPE_TRIALS, NULL);
  self->analysis = g_object_ref(analysis);
  self->reference = g_object_ref(reference);
  self->done = done;
  self->user = user;
  return self;
}
