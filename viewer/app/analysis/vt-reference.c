/* SPDX-License-Identifier: MIT */
#include "analysis/vt-reference-private.h"

#include <math.h>

#include "base/vt-define.h"
#include "base/vt-rect.h"
#include "analysis/vt-analysis-private.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-params-words.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "run/vt-why.h"

#define SETTLE_MS 150

G_DEFINE_FINAL_TYPE(VtReference, vt_reference, G_TYPE_OBJECT)

void
vt_reference_emit_changed(VtReference *self)
{
  g_signal_emit_by_name(self, "changed");
}

gboolean
vt_reference_is_set(VtReference *self)
{
  return self->params || self->rois;
}

/* Not a pin, nor a file that waits below one. */
static gboolean
is_file(VtReference *self)
{
  return self->rois && !self->params;
}

/* --- comparing --- */

typedef struct {
  VtTrueObjects *truth;
  guint n_bounds;   /* of classes of sizes */
  GPtrArray *known; /* or NULL */
  VtResult *present;
  double downsample;
} Job;

VT_DEFINE_FREE(job_free, Job,
               VT_FREES(vt_true_objects_unref, truth) VT_FREES(vt_result_unref, present)
                 VT_FREES(g_ptr_array_unref, known))

/* The bounds of the classes of sizes, as vitrail-batch score has them, in pixels of the grid. */
static void
get_bounds(const Job *job, double bounds[VT_REFERENCE_BOUNDS])
{
  const VtResult *present = job->present;
  const double area = present->calibrated ? present->mpp * present->mpp_y * job->downsample * job->downsample : 1;
  for (guint i = 0; i < VT_REFERENCE_BOUNDS; i++)
    bounds[i] = vt_reference_get_bound(present->calibrated, i) / area;
}

static void
compare_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Job *job = data;
  double bounds[VT_REFERENCE_BOUNDS];
  get_bounds(job, bounds);
  g_task_return_pointer(
    task, vt_compare_result(job->truth, job->present, job->downsample, job->known, bounds, job->n_bounds, cancellable),
    (GDestroyNotify)vt_comparison_free);
}

static void
on_compared(GObject *object, GAsyncResult *result, gpointer user)
{
  VtReference *self = VT_REFERENCE(object);
  VtComparison *comparison = g_task_propagate_pointer(G_TASK(result), NULL);
  if (g_task_get_cancellable(G_TASK(result)) != self->cancellable) { /* nobody waits for it any more */
    g_clear_pointer(&comparison, vt_comparison_free);
    return;
  }
  g_clear_object(&self->cancellable);
  g_clear_pointer(&self->comparison, vt_comparison_free);
  self->comparison = comparison;
  self->is_current = TRUE;
  if (comparison)
    vt_test_log("compared %u %u %u %u %u %u %u %.4f %.4f", comparison->counts[VT_FATE_NEW],
                comparison->counts[VT_FATE_LOST], comparison->counts[VT_FATE_SPLIT], comparison->counts[VT_FATE_MERGED],
                comparison->counts[VT_FATE_CHANGED], comparison->counts[VT_FATE_SAME], comparison->n_cut,
                comparison->f1_50, comparison->f1_70);
  vt_reference_emit_changed(self);
}

static void
compare(VtReference *self, const double box[4], double downsample)
{
  Job *job = g_new0(Job, 1);
  GPtrArray *rois = is_file(self) ? self->rois : NULL;
  VtResult *reference = is_file(self) ? NULL : self->result;
  if (!self->true_objects || !vt_true_objects_is_of(self->true_objects, rois, reference, box)) {
    g_clear_pointer(&self->true_objects, vt_true_objects_unref);
    self->true_objects = vt_true_objects_new(rois, reference, box);
  }
  vt_analysis_set_truth(self->analysis, is_file(self) && self->known ? NULL : self->true_objects);
  job->truth = vt_true_objects_ref(self->true_objects);
  job->n_bounds = is_file(self) ? VT_REFERENCE_BOUNDS : 0;
  job->known = is_file(self) && self->known ? g_ptr_array_ref(self->known) : NULL;
  job->present = vt_result_ref(self->analysis->result);
  job->downsample = downsample;
  self->cancellable = g_cancellable_new();
  g_autoptr(GTask) task = g_task_new(self, self->cancellable, on_compared, NULL);
  g_task_set_check_cancellable(task, FALSE);
  g_task_set_task_data(task, job, job_free);
  g_task_run_in_thread(task, compare_in_thread);
}

/* --- the pin, where it has not been worked out --- */

static void
get_rectangle(const VtResult *result, double box[4])
{
  memcpy(box,
         (double[]){ (double)result->x_l0, (double)result->y_l0, (double)(result->x_l0 + result->width_l0),
                     (double)(result->y_l0 + result->height_l0) },
         4 * sizeof *box);
}

/* What is looked at, and the objects, if there are others to compare them with. */
static guint64
get_wanted(VtReference *self)
{
  const gint outcome = vt_why_find_outcome(self->op);
  return self->seen | (self->analysis->result->objects && outcome >= 0 ? (guint64)1 << outcome : 0);
}

static gboolean
is_worked_out(VtReference *self, const double box[4], guint64 wanted)
{
  double own[4];
  if (!self->result || self->result->parts || self->beside != self->analysis->result->used_pixel_size
      || (wanted & ~self->worked_out))
    return FALSE;
  get_rectangle(self->result, own);
  return own[0] <= box[0] && own[1] <= box[1] && own[2] >= box[2] && own[3] >= box[3];
}

static void
fail(VtReference *self, const char *sentence)
{
  g_clear_pointer(&self->obstacle, g_free);
  self->obstacle = g_strdup(sentence);
  g_clear_pointer(&self->comparison, vt_comparison_free);
  self->is_current = TRUE;
  vt_test_log("compare-failed %s", sentence);
  vt_reference_emit_changed(self);
}

static void look(VtReference *self);

static void
on_worked_out(guint64 generation, VtResult *result, GError *error, gpointer user)
{
  VtReference *self = user;
  if (error) {
    fail(self, vt_translate(error->message));
    return;
  }
  g_clear_pointer(&self->result, vt_result_unref);
  self->result = vt_result_ref(result);
  self->worked_out = self->working_on;
  look(self);
}

static void
work_out(VtReference *self, const double box[4], double downsample, guint64 wanted)
{
  static const VtRunnerCallbacks callbacks = { .done = on_worked_out };
  const VtResult *present = self->analysis->result;
  VtRunRequest *request = vt_run_request_new(self->plugin, self->op);
  g_clear_pointer(&request->params, vt_params_free);
  request->params = vt_params_copy(self->params);
  request->slide = vt_slide_ref(self->analysis->slide);
  request->backend = g_strdup(self->analysis->backend);
  request->stages_wanted = self->working_on = wanted;
  request->min_downsample = present->is_preview ? downsample : 1;
  const VtRect rect = vt_rect_around(box);
  request->x_l0 = rect.x;
  request->y_l0 = rect.y;
  request->width_l0 = rect.width;
  request->height_l0 = rect.height;
  if (!self->runner)
    self->runner = vt_runner_new(&callbacks, self);
  vt_runner_start(self->runner, request);
  vt_reference_emit_changed(self);
}

/* --- what is visible --- */

/* Of the present result: what is looked at, and compared. */
static gboolean
find_box(VtReference *self, double box[4])
{
  gint64 slide_width, slide_height, x, y, width, height;
  VtAnalysis *analysis = self->analysis;
  get_rectangle(analysis->result, box);
  if (self->is_of_all && is_file(self))
    return TRUE;
  vt_slide_get_level_size(analysis->slide, 0, &slide_width, &slide_height);
  if (!vt_viewport_get_visible_l0(&analysis->view, slide_width, slide_height, &x, &y, &width, &height))
    return FALSE;
  box[0] = MAX(box[0], (double)x);
  box[1] = MAX(box[1], (double)y);
  box[2] = MIN(box[2], (double)(x + width));
  box[3] = MIN(box[3], (double)(y + height));
  return box[0] < box[2] && box[1] < box[3];
}

static void
look(VtReference *self)
{
  const VtResult *present = vt_analysis_get_result(self->analysis);
  double box[4];
  g_clear_pointer(&self->obstacle, g_free);
  if (!present) {
    fail(self, _("There are no objects here to compare."));
    return;
  }
  if (!find_box(self, box)) {
    fail(self, _("Nothing that was analysed is in view."));
    return;
  }
  const double pixel = present->calibrated ? sqrt(present->mpp * present->mpp_y) : 1;
  const double downsample = present->used_pixel_size > 0 ? MAX(round(present->used_pixel_size / pixel), 1) : 1;
  const guint64 wanted = is_file(self) ? 0 : get_wanted(self);
  if (wanted && !is_worked_out(self, box, wanted) && self->paused) {
    fail(self, _("The pin is paused, and was not worked out for all that is shown now: nothing is compared."));
  } else if (wanted && !is_worked_out(self, box, wanted)) {
    double all[4];
    get_rectangle(present, all); /* with the same surroundings as the present result, where it is of a view */
    self->beside = present->used_pixel_size;
    work_out(self, self->analysis->result_on == VT_RUN_ON_VIEW ? all : box, downsample, wanted);
  } else if (!present->objects || (!is_file(self) && (!self->result || !self->result->objects))) {
    fail(self, _("There are no objects here to compare."));
  } else {
    compare(self, box, downsample);
  }
}

static gboolean
settled(gpointer data)
{
  VtReference *self = data;
  self->settle_id = 0;
  look(self);
  return G_SOURCE_REMOVE;
}

void
vt_reference_schedule(VtReference *self, guint delay_ms)
{
  if (!vt_reference_is_set(self))
    return;
  g_clear_handle_id(&self->settle_id, g_source_remove);
  if (self->cancellable)
    g_cancellable_cancel(self->cancellable);
  g_clear_object(&self->cancellable);
  if (self->runner)
    vt_runner_cancel(self->runner);
  self->settle_id = g_timeout_add(delay_ms, settled, self);
  if (!self->is_current)
    return;
  self->is_current = FALSE;
  vt_reference_emit_changed(self);
}

void
vt_reference_view_changed(VtReference *self)
{
  if (!(self->is_of_all && is_file(self)))
    vt_reference_schedule(self, SETTLE_MS);
}

static void
on_finished(VtReference *self)
{
  vt_reference_schedule(self, 0);
}

/* --- what to compare with --- */

static void
clear_answer(VtReference *self)
{
  vt_reference_schedule(self, 0);
  g_clear_handle_id(&self->settle_id, g_source_remove);
  g_clear_pointer(&self->walk, g_array_unref);
  vt_analysis_set_truth(self->analysis, NULL);
  g_clear_pointer(&self->true_objects, vt_true_objects_unref);
  g_clear_pointer(&self->comparison, vt_comparison_free);
  g_clear_pointer(&self->obstacle, g_free);
}

static void
clear_pin(VtReference *self)
{
  clear_answer(self);
  g_clear_pointer(&self->params, vt_params_free);
  g_clear_pointer(&self->result, vt_result_unref);
  self->op = NULL;
}

void
vt_reference_forget(VtReference *self)
{
  if (!vt_reference_is_set(self))
    return;
  const gboolean was_file = is_file(self);
  clear_pin(self);
  if (was_file) {
    g_clear_pointer(&self->file, g_free);
    g_clear_pointer(&self->note, g_free);
    g_clear_pointer(&self->rois, g_ptr_array_unref);
    self->is_of_points = FALSE;
  }
  self->seen = 0;
  if (self->rois)
    vt_test_log("reference %s %u", self->file, self->rois->len);
  else
    vt_test_log("reference none");
  vt_reference_schedule(self, 0);
  vt_reference_emit_changed(self);
}

void
vt_reference_clear(VtReference *self)
{
  while (vt_reference_is_set(self))
    vt_reference_forget(self);
}

static guint64
list_stages(const VtResult *result)
{
  guint64 stages = 0;
  for (guint i = 0; i < result->op->n_stages; i++)
    if (result->rasters[i] || (result->objects && result->op->stages[i]->kind == VITRAIL_STAGE_OBJECTS))
      stages |= (guint64)1 << i;
  return stages;
}

/* Whoever looks at the pin goes on with this one. */
static void
take_pin(VtReference *self, const VitrailPlugin *plugin, const VtParams *params, VtResult *result)
{
  VtParams *taken = vt_params_copy(params);
  clear_pin(self);
  self->plugin = plugin;
  self->op = taken->op;
  self->params = taken;
  self->result = result ? vt_result_ref(result) : NULL;
  self->worked_out = result ? list_stages(result) : 0;
  self->beside = result ? result->used_pixel_size : 0;
  vt_test_log("reference pin");
  vt_reference_schedule(self, 0);
  vt_reference_emit_changed(self);
}

gboolean
vt_reference_pin(VtReference *self, GError **error)
{
  VtAnalysis *analysis = self->analysis;
  if (!analysis->result || vt_analysis_takes_rois(analysis))
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT,
                        _("There is nothing to pin. Run an analysis that shows something on the slide first."));
  take_pin(self, analysis->plugin, analysis->result_params, analysis->result);
  return TRUE;
}

void
vt_reference_pin_params(VtReference *self, const VitrailPlugin *plugin, const VtParams *params)
{
  VtAnalysis *analysis = self->analysis;
  const gboolean is_shown = analysis->result && vt_params_equal(analysis->result_params, params);
  take_pin(self, plugin, params, is_shown ? analysis->result : NULL);
}

const char *
vt_reference_get_file(VtReference *self)
{
  return is_file(self) ? self->file : NULL;
}

VT_GETTER(const GPtrArray *, vt_reference_get_outlines, VtReference, rois)

const char *
vt_reference_get_note(VtReference *self)
{
  return is_file(self) ? self->note : NULL;
}

char *
vt_reference_dup_words(VtReference *self)
{
  return vt_params_dup_changes(self->params, self->analysis->params);
}

VT_GETTER(const VtParams *, vt_reference_get_params, VtReference, params)
VT_GETTER(const VitrailOp *, vt_reference_get_op, VtReference, op)
VT_GETTER(VtResult *, vt_reference_get_result, VtReference, result)

void
vt_reference_set_seen(VtReference *self, guint64 stages)
{
  if (self->seen == stages)
    return;
  self->seen = stages;
  if (stages)
    vt_reference_schedule(self, 0);
}

void
vt_reference_set_paused(VtReference *self, gboolean paused)
{
  if (self->paused == paused)
    return;
  self->paused = paused;
  vt_reference_schedule(self, 0);
}

/* Of the pin, where it is looked at. NULL: it is the final answer. */
static char *
dup_pin_caution(VtReference *self)
{
  double box[4];
  if (self->paused) {
    const char *words = self->result && (self->seen & ~self->worked_out)
                          ? _("paused, without the layers that were switched on since")
                          : vt_analysis_get_pause_words(self->analysis, self->result);
    g_autofree char *preview =
      self->result && self->result->is_preview ? vt_analysis_dup_preview_words(self->result) : NULL;
    return g_strconcat(preview ? preview : "", preview ? " · " : "", words, NULL);
  }
  if (self->settle_id != 0 || (self->runner && vt_runner_is_running(self->runner))) {
    if (!self->analysis->result || !find_box(self, box) || !is_worked_out(self, box, self->seen))
      return g_strdup(_("working"));
  } else if (!self->result || !vt_analysis_is_visible_inside(self->analysis, self->result)) {
    return g_strdup(self->obstacle ? self->obstacle : _("Part of this view was not analysed"));
  }
  return self->result && self->result->is_preview ? vt_analysis_dup_preview_words(self->result) : NULL;
}

/* Takes `side`. */
static char *
put_together(char *side, const char *caution)
{
  g_autofree char *taken = side;
  return g_strdup_printf("%s%s%s", side, caution ? " · " : "", caution ? caution : "");
}

void
vt_reference_dup_sides(VtReference *self, char **pinned, char **now)
{
  VtAnalysis *analysis = self->analysis;
  const VtParams *shown = analysis->shown ? analysis->shown_params : analysis->params;
  g_autofree char *before = vt_params_dup_side(self->params, shown), *after = vt_params_dup_side(shown, self->params);
  g_autofree char *of_pin = dup_pin_caution(self), *of_now = vt_analysis_dup_caution(analysis);
  const char *working = !analysis->shown && vt_analysis_get_running(analysis) ? _("working") : NULL;
  *pinned = put_together(*before ? g_strdup_printf(_("Pinned: %s"), before) : g_strdup(_("Pinned")), of_pin);
  *now = put_together(*after ? g_strdup_printf(_("Now: %s"), after) : g_strdup(_("Now")), of_now ? of_now : working);
}

const VtComparison *
vt_reference_get_comparison(VtReference *self)
{
  return self->analysis->stale ? NULL : self->comparison;
}

VT_GETTER(gboolean, vt_reference_is_current, VtReference, is_current)
VT_GETTER(const char *, vt_reference_get_obstacle, VtReference, obstacle)

/* The view moves on the way, and with it what is compared. */
static void
begin_walk(VtReference *self, VtFate fate)
{
  g_clear_pointer(&self->walk, g_array_unref);
  self->walk = g_array_new(FALSE, FALSE, sizeof(double));
  self->walk_fate = fate;
  self->walk_at = 0;
  for (guint i = 0; self->comparison && i < self->comparison->differences->len; i++) {
    const VtDifference *difference = self->comparison->differences->pdata[i];
    const double middle[2] = { (difference->box[0] + difference->box[2]) / 2,
                               (difference->box[1] + difference->box[3]) / 2 };
    if (difference->fate == fate)
      g_array_append_vals(self->walk, middle, 2);
  }
}

static void
end_walk(VtReference *self)
{
  g_clear_pointer(&self->walk, g_array_unref);
}

gboolean
vt_reference_step(VtReference *self, VtFate fate, double *x_l0, double *y_l0)
{
  if (!self->walk || self->walk_fate != fate || self->walk_at + 1 >= self->walk->len)
    begin_walk(self, fate);
  if (self->walk->len == 0)
    return FALSE;
  *x_l0 = g_array_index(self->walk, double, self->walk_at);
  *y_l0 = g_array_index(self->walk, double, self->walk_at + 1);
  self->walk_at += 2;
  return TRUE;
}

static void
vt_reference_class_init(VtReferenceClass *klass)
{
  VT_ENDS(klass, VtReference, vt_reference_clear);
  VT_OWNS(klass, VtReference, vt_runner_free, runner);
  VT_OWNS(klass, VtReference, g_ptr_array_unref, known);
  VT_OWNS(klass, VtReference, g_object_unref, analysis, regions);
  vt_signals_new(VT_TYPE_REFERENCE, "changed", NULL);
}

VT_EMPTY_INIT(VtReference, vt_reference)

VtReference *
vt_reference_new(VtAnalysis *analysis)
{
  VtReference *self = g_object_new(VT_TYPE_REFERENCE, NULL);
  self->analysis = g_object_ref(analysis);
  g_signal_connect_object(analysis, "finished", G_CALLBACK(on_finished), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "shown", G_CALLBACK(vt_reference_emit_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "params-changed", G_CALLBACK(end_walk), self, G_CONNECT_SWAPPED);
  return self;
}
