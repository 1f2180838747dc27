/* SPDX-License-Identifier: MIT */
#include "analysis/vt-review.h"

#include <math.h>

#include "base/vt-define.h"
#include "analysis/vt-analysis-private.h"
#include "analysis/vt-review-exact.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "results/vt-corrections.h"
#include "run/vt-why.h"

enum { N_MULTIPLES = 8, N_TOLD = 400 /* in the test log */ };

struct _VtReview {
  GObject parent;
  VtAnalysis *analysis;
  VtTrials *trials;
  GArray *items;    /* VtReviewItem */
  GArray *verdicts; /* VtReviewVerdict */
  VtParams *params; /* that the items are of; NULL: there are none */
  double pixel_size;
  VtRunRequest *request; /* of the run that they are of, and its objects' outlines (VtRoi); or NULL */
  GPtrArray *outlines;
  VtReviewExact *exact;
  gboolean wants_exact;

  /* while it is measured */
  VtResult *result; /* of which; or NULL */
  GArray *axes;     /* VtTrialAxis */
  guint next;       /* of axes * N_MULTIPLES * 2 */
  GArray *fresh;    /* the items of the result's objects, in their order */

  GCancellable *cancellable; /* of columns that are being made; or NULL */
};

G_DEFINE_FINAL_TYPE(VtReview, vt_review, G_TYPE_OBJECT)

/* --- columns of the objects that are shown --- */

typedef struct {
  VtResult *result;
  GArray *items, *verdicts;            /* copies; items may be NULL */
  double *margins;                     /* of each item, in steps; NaN: not known */
  VtColumn *steps, *margin, *accepted; /* NULL: there are none */
} Columns;

VT_DEFINE_FREE(columns_free, Columns,
               VT_FREES(vt_result_unref, result) VT_FREES(g_array_unref, items, verdicts) VT_FREES(g_free, margins)
                 VT_FREES(vt_column_unref, steps, margin, accepted))

/* The object at a pixel; -1: none. */
static gint
find_object(const GPtrArray *objects, const double (*boxes)[4], gint64 x, gint64 y)
{
  const double px = (double)x + 0.5, py = (double)y + 0.5;
  for (guint i = 0; i < objects->len; i++) {
    const double *box = boxes[i];
    if (px >= box[0] && px <= box[2] && py >= box[1] && py <= box[3] && vt_object_has_point(objects->pdata[i], px, py))
      return (gint)i;
  }
  return -1;
}

static double *
values_new(const GPtrArray *objects)
{
  double *values = g_new(double, objects->len + 1);
  for (guint i = 0; i < objects->len; i++)
    values[i] = NAN;
  return values;
}

static void
make_columns_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Columns *c = data;
  const GPtrArray *objects = c->result->objects;
  g_autofree double(*boxes)[4] = g_malloc_n(objects->len + 1, sizeof *boxes);
  double *steps = values_new(objects), *margins = values_new(objects), *accepted = values_new(objects);
  for (guint i = 0; i < objects->len; i++)
    vt_object_get_box(objects->pdata[i], boxes[i]);
  for (guint i = 0; c->items && i < c->items->len && !g_cancellable_is_cancelled(cancellable); i++) {
    const VtReviewItem *item = &g_array_index(c->items, VtReviewItem, i);
    const gint object = find_object(objects, boxes, item->x, item->y);
    if (object < 0 || vt_result_get_corrected(c->result, (guint)object))
      continue;
    steps[object] = item->steps;
    margins[object] = c->margins ? c->margins[i] : NAN;
  }
  for (guint i = 0; i < c->verdicts->len && !g_cancellable_is_cancelled(cancellable); i++) {
    const VtReviewVerdict *verdict = &g_array_index(c->verdicts, VtReviewVerdict, i);
    const gint object = find_object(objects, boxes, verdict->x, verdict->y);
    if (object >= 0 && verdict->verdict != VT_VERDICT_CORRECTED) /* which the column of corrections tells */
      accepted[object] = verdict->verdict == VT_VERDICT_ACCEPTED;
  }
  c->steps = vt_column_new(VT_REVIEW_STEPS, _("Review: Steps to flip (16: more than 8)"), objects, steps, NULL);
  c->margin = vt_column_new(VT_REVIEW_MARGIN, _("Review: Margin in steps (where exact)"), objects, margins, NULL);
  c->accepted = vt_column_new(VT_REVIEW_ACCEPTED, _("Review: Accepted"), objects, accepted, NULL);
  g_task_return_boolean(task, TRUE);
}

/* column NULL: there is none. */
static void
show_column(VtLayer *layer, const char *name, VtColumn *column)
{
  if (column)
    vt_layer_add_column(layer, column);
  else
    vt_layer_remove_column(layer, name);
}

static void
show_columns(VtReview *self, VtColumn *steps, VtColumn *margin, VtColumn *accepted)
{
  g_autoptr(VtLayer) layer = vt_layers_dup_objects(vt_analysis_get_layers(self->analysis));
  if (!layer)
    return;
  show_column(layer, VT_REVIEW_STEPS, steps);
  show_column(layer, VT_REVIEW_MARGIN, margin);
  show_column(layer, VT_REVIEW_ACCEPTED, accepted);
}

static void
on_columns_made(GObject *object, GAsyncResult *answer, gpointer user)
{
  VtReview *self = VT_REVIEW(object);
  const Columns *c = g_task_get_task_data(G_TASK(answer));
  if (g_task_get_cancellable(G_TASK(answer)) != self->cancellable)
    return;
  g_clear_object(&self->cancellable);
  show_columns(self, c->items ? c->steps : NULL, c->items && c->margins ? c->margin : NULL,
               c->verdicts->len > 0 ? c->accepted : NULL);
}

static void
stop_making_columns(VtReview *self)
{
  if (self->cancellable)
    g_cancellable_cancel(self->cancellable);
  g_clear_object(&self->cancellable);
}

static GArray *
array_copy(const GArray *array, guint size)
{
  return g_array_append_vals(g_array_sized_new(FALSE, FALSE, size, array->len), array->data, array->len);
}

gboolean
vt_review_is_stale(VtReview *self)
{
  const VtAnalysis *analysis = self->analysis;
  return self->params
         && (!analysis->result || !vt_params_equal(analysis->result_params, self->params)
             || analysis->result->used_pixel_size != self->pixel_size);
}

static gboolean
can_be_exact(const VtReviewItem *item)
{
  return !isnan(item->steps) && item->steps < VT_REVIEW_FIRM;
}

void
vt_review_count_exact(VtReview *self, guint *n_done, guint *n_all)
{
  *n_done = *n_all = 0;
  VT_EACH_IN (const VtReviewItem, item, self->items) {
    *n_all += can_be_exact(item);
    *n_done += can_be_exact(item) && item->is_refined;
  }
}

static gboolean
has_all_exact(VtReview *self)
{
  guint n_done, n_all;
  vt_review_count_exact(self, &n_done, &n_all);
  return n_done == n_all;
}

/* Owned. */
static double *
dup_margins(VtReview *self)
{
  double *margins = g_new(double, self->items->len + 1);
  for (guint i = 0; i < self->items->len; i++) {
    const VtReviewItem *item = &g_array_index(self->items, VtReviewItem, i);
    const double step = self->params->op->params[item->param]->step;
    margins[i] = fabs(item->exact - self->params->values[item->param][0]) / (step > 0 ? step : 1);
  }
  return margins;
}

static void
make_columns(VtReview *self)
{
  VtResult *result = self->analysis->corrected;
  const gboolean has_steps = self->params && !vt_review_is_stale(self);
  stop_making_columns(self);
  if (!result || !result->objects || result->objects->len == 0 || result->parts
      || (!has_steps && self->verdicts->len == 0)) {
    show_columns(self, NULL, NULL, NULL);
    return;
  }
  Columns *c = g_new0(Columns, 1);
  c->result = vt_result_ref(result);
  c->items = has_steps ? array_copy(self->items, sizeof(VtReviewItem)) : NULL;
  c->margins = has_steps && has_all_exact(self) ? dup_margins(self) : NULL;
  c->verdicts = array_copy(self->verdicts, sizeof(VtReviewVerdict));
  self->cancellable = g_cancellable_new();
  g_autoptr(GTask) task = g_task_new(self, self->cancellable, on_columns_made, NULL);
  g_task_set_check_cancellable(task, FALSE);
  g_task_set_task_data(task, c, columns_free);
  g_task_run_in_thread(task, make_columns_in_thread);
}

static void follow_exact(VtReview *self);

static void
on_finished(VtReview *self)
{
  make_columns(self);
  follow_exact(self);
  g_signal_emit_by_name(self, "changed");
}

/* --- measuring --- */

static int
compare_items(gconstpointer a, gconstpointer b)
{
  const VtReviewItem *p = a, *q = b;
  const double one = isnan(p->steps) ? INFINITY : p->steps, other = isnan(q->steps) ? INFINITY : q->steps;
  if (one != other)
    return one < other ? -1 : 1;
  if (p->y != q->y)
    return p->y < q->y ? -1 : 1;
  return p->x < q->x ? -1 : p->x > q->x;
}

/* The value after so many steps. */
static double
get_value(VtReview *self, const VtReviewItem *item, double steps)
{
  const VitrailParam *param = self->params->op->params[item->param];
  return self->params->values[item->param][0] + (item->is_up ? 1 : -1) * (param->step > 0 ? param->step : 1) * steps;
}

/* With the value that flips it, and that of one step less. */
static void
log_items(VtReview *self)
{
  for (guint i = 0; i < MIN(self->items->len, N_TOLD); i++) {
    const VtReviewItem *item = &g_array_index(self->items, VtReviewItem, i);
    vt_test_log("review-item %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %.0f %s %.9g %.9g", item->x, item->y,
                item->steps, self->params->op->params[item->param]->key, get_value(self, item, item->steps),
                get_value(self, item, item->steps - 1));
  }
}

static void
finish(VtReview *self)
{
  vt_review_exact_stop(self->exact);
  g_clear_pointer(&self->request, vt_run_request_free);
  self->request = vt_run_request_copy(vt_trials_get_request(self->trials));
  vt_trials_stop(self->trials);
  g_array_sort(self->fresh, compare_items);
  g_array_unref(self->items);
  self->items = g_steal_pointer(&self->fresh);
  g_clear_pointer(&self->params, vt_params_free);
  self->params = vt_params_copy(self->result->params);
  self->pixel_size = self->result->used_pixel_size;
  g_clear_pointer(&self->result, vt_result_unref);
  log_items(self);
  vt_test_log("review-measured %u", self->items->len);
  make_columns(self);
  follow_exact(self);
  g_signal_emit_by_name(self, "changed");
}

/* What is tried next: up and down by turns, the small steps of all numbers first. FALSE: it is out of range. */
static gboolean
set_trial(VtReview *self, VtParams *params)
{
  const guint n = self->axes->len, multiple = self->next / (2 * n) + 1;
  const VtTrialAxis *axis = &g_array_index(self->axes, VtTrialAxis, self->next % (2 * n) / 2);
  const int direction = self->next % 2 ? -1 : 1;
  const double now = params->values[axis->param][0];
  const double value[4] = { now + direction * (double)multiple * axis->scale.step };
  return value[0] >= axis->scale.min && value[0] <= axis->scale.max && vt_params_set(params, axis->param, value, NULL);
}

static void
start_next(VtReview *self)
{
  for (; self->next < self->axes->len * N_MULTIPLES * 2; self->next++) {
    g_autoptr(VtParams) params = vt_params_copy(self->result->params);
    if (!set_trial(self, params))
      continue;
    vt_trials_run(self->trials, params);
    return;
  }
  finish(self);
}

static void
take_trial(VtResult *result, const VtComparison *comparison, const GError *error, gpointer user)
{
  VtReview *self = user;
  const guint n = self->axes->len, multiple = self->next / (2 * n) + 1;
  for (guint i = 0; comparison && i < self->fresh->len; i++) {
    VtReviewItem *item = &g_array_index(self->fresh, VtReviewItem, i);
    if (comparison->found[i] == VT_FOUND_CUT)
      item->steps = NAN;
    if (comparison->found[i] != VT_FOUND_NOT || !(item->steps > multiple))
      continue;
    item->steps = multiple;
    item->param = g_array_index(self->axes, VtTrialAxis, self->next % (2 * n) / 2).param;
    item->is_up = self->next % 2 == 0;
  }
  self->next++;
  g_signal_emit_by_name(self, "changed");
  start_next(self);
}

static void
make_fresh(VtReview *self)
{
  const GPtrArray *objects = self->result->objects;
  self->fresh = g_array_sized_new(FALSE, TRUE, sizeof(VtReviewItem), objects->len);
  for (guint i = 0; i < objects->len; i++) {
    VtReviewItem item = { .steps = VT_REVIEW_FIRM, .object = i, .exact = NAN };
    vt_why_find_pixel(objects->pdata[i], &item.x, &item.y);
    g_array_append_val(self->fresh, item);
  }
}

gboolean
vt_review_measure(VtReview *self, GError **error)
{
  VtAnalysis *analysis = self->analysis;
  VtResult *result = analysis->result;
  g_autoptr(GArray) axes = result ? vt_trials_list_axes(result->op) : NULL;
  vt_review_stop(self);
  vt_review_exact_stop(self->exact);
  if (axes && axes->len == 0)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT,
                        _("This analysis has no number to vary, by which an object would be a close call."));
  if (!vt_trials_begin(self->trials, error))
    return FALSE;
  const VtRunRequest *request = vt_trials_get_request(self->trials);
  if (!result || !result->objects || result->objects->len == 0 || result->parts || result->x_l0 != request->x_l0
      || result->y_l0 != request->y_l0 || result->width_l0 != request->width_l0
      || result->height_l0 != request->height_l0 || !vt_params_equal(analysis->result_params, request->params)) {
    g_set_error_literal(
      error, VT_ERROR, VITRAIL_BAD_ARGUMENT,
      _("There is no result of this view with objects, or it is out of date or too large for this: run the "
        "analysis on the view first."));
    vt_trials_stop(self->trials);
    return FALSE;
  }
  const double box[4] = { (double)result->x_l0, (double)result->y_l0, (double)(result->x_l0 + result->width_l0),
                          (double)(result->y_l0 + result->height_l0) };
  g_autoptr(GPtrArray) rois = vt_result_collect_outlines(result, box, NULL);
  g_return_val_if_fail(rois->len == result->objects->len, FALSE);
  vt_trials_set_truth(self->trials, rois);
  g_clear_pointer(&self->outlines, g_ptr_array_unref);
  self->outlines = g_ptr_array_ref(rois);
  self->result = vt_result_ref(result);
  self->axes = g_steal_pointer(&axes);
  self->next = 0;
  make_fresh(self);
  vt_test_log("review-start %u %u", rois->len, self->axes->len);
  start_next(self);
  g_signal_emit_by_name(self, "changed");
  return TRUE;
}

void
vt_review_stop(VtReview *self)
{
  vt_trials_stop(self->trials);
  g_clear_pointer(&self->result, vt_result_unref);
  g_clear_pointer(&self->fresh, g_array_unref);
  g_clear_pointer(&self->axes, g_array_unref);
  g_signal_emit_by_name(self, "changed");
}

void
vt_review_clear(VtReview *self)
{
  stop_making_columns(self);
  if (self->exact)
    vt_review_exact_stop(self->exact);
  g_array_set_size(self->items, 0);
  g_array_set_size(self->verdicts, 0);
  g_clear_pointer(&self->params, vt_params_free);
  make_columns(self);
  vt_review_stop(self);
}

gboolean
vt_review_is_measuring(VtReview *self, guint *n_done, guint *n_all)
{
  *n_done = self->next;
  *n_all = self->axes ? self->axes->len * N_MULTIPLES * 2 : 0;
  return self->result != NULL;
}

VT_GETTER(const GArray *, vt_review_get_items, VtReview, items)

/* --- exact values --- */

static void
on_exact(guint number, double value, gpointer user)
{
  VtReview *self = user;
  VtReviewItem *item = &g_array_index(self->items, VtReviewItem, number);
  item->is_refined = TRUE;
  item->exact = value;
  vt_test_log("review-exact %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %s %.17g", item->x, item->y,
              self->params->op->params[item->param]->key, value);
  if (has_all_exact(self))
    make_columns(self);
  g_signal_emit_by_name(self, "changed");
}

/* Of all items that have none yet, in their order. */
static void
ask_exact(VtReview *self)
{
  g_autoptr(GArray) questions = g_array_new(FALSE, FALSE, sizeof(VtReviewQuestion));
  for (guint i = 0; i < self->items->len; i++) {
    const VtReviewItem *item = &g_array_index(self->items, VtReviewItem, i);
    const VtReviewQuestion question = { item->x,
                                        item->y,
                                        i,
                                        item->object,
                                        item->param,
                                        get_value(self, item, item->steps - 1),
                                        get_value(self, item, item->steps) };
    if (can_be_exact(item) && !item->is_refined)
      g_array_append_val(questions, question);
  }
  vt_review_exact_ask(self->exact, self->request, self->outlines, questions);
}

void
vt_review_refine(VtReview *self, guint number)
{
  vt_review_exact_hurry(self->exact, number);
}

/* A run that shows other objects ends it, one that shows these again goes on with it. */
static void
follow_exact(VtReview *self)
{
  if (!self->wants_exact || vt_review_is_stale(self))
    vt_review_exact_stop(self->exact);
  else if (self->params && !self->result && !vt_review_exact_is_asking(self->exact))
    ask_exact(self);
}

void
vt_review_want_exact(VtReview *self, gboolean wants)
{
  self->wants_exact = wants;
  vt_analysis_hold(self->analysis, wants);
  follow_exact(self);
}

static void
on_params(VtReview *self)
{
  vt_review_exact_stop(self->exact);
}

/* "at 10.75 µm²", or "between 10 and 11 µm²". */
static char *
dup_place(VtReview *self, const VtReviewItem *item)
{
  const int digits = (int)vt_param_count_digits(self->params->op->params[item->param]);
  const char *unit = vt_params_get_unit(self->params, item->param), *gap = *unit ? " " : "";
  const double a = get_value(self, item, item->steps - 1), b = get_value(self, item, item->steps);
  if (!isnan(item->exact))
    return g_strdup_printf(_("at %.6g%s%s"), item->exact, gap, unit);
  const char *format = item->is_refined                         ? _("between %.*f and %.*f%s%s")
                       : vt_review_exact_is_asking(self->exact) ? _("between %.*f and %.*f%s%s, exact value to come")
                                                                : _("between %.*f and %.*f%s%s, not made exact");
  return g_strdup_printf(format, digits, MIN(a, b), digits, MAX(a, b), gap, unit);
}

char *
vt_review_dup_words(VtReview *self, const VtReviewItem *item)
{
  const guint steps = isnan(item->steps) ? 0 : (guint)item->steps;
  if (steps == 0)
    return g_strdup(_("At the edge: not measured"));
  if (steps == VT_REVIEW_FIRM)
    return g_strdup(_("No single parameter flips it within 8 steps"));
  g_autofree char *how = g_strdup_printf(item->is_up ? g_dngettext(NULL, "%u step up", "%u steps up", steps)
                                                     : g_dngettext(NULL, "%u step down", "%u steps down", steps),
                                         steps);
  g_autofree char *place = dup_place(self, item);
  return g_strdup_printf("%s: %s, %s", vt_translate(self->params->op->params[item->param]->title), how, place);
}

/* --- verdicts --- */

VT_GETTER(const GArray *, vt_review_get_verdicts, VtReview, verdicts)

const VtReviewVerdict *
vt_review_find_verdict(VtReview *self, gint64 x, gint64 y)
{
  VT_EACH_IN (const VtReviewVerdict, verdict, self->verdicts)
    if (verdict->x == x && verdict->y == y)
      return verdict;
  return NULL;
}

void
vt_review_judge(VtReview *self, gint64 x, gint64 y, VtVerdict its)
{
  VtReviewVerdict *found = (VtReviewVerdict *)vt_review_find_verdict(self, x, y);
  const VtReviewVerdict verdict = { x, y, its };
  if (found)
    *found = verdict;
  else
    g_array_append_val(self->verdicts, verdict);
  vt_test_log("review-verdict %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %d", x, y, its);
  make_columns(self);
  g_signal_emit_by_name(self, "changed");
}

static void
vt_review_class_init(VtReviewClass *klass)
{
  VT_ENDS(klass, VtReview, vt_review_clear);
  VT_OWNS(klass, VtReview, vt_review_exact_free, exact);
  VT_OWNS(klass, VtReview, g_object_unref, trials, analysis);
  VT_OWNS_TO_THE_END(klass, VtReview, vt_run_request_free, request);
  VT_OWNS_TO_THE_END(klass, VtReview, g_ptr_array_unref, outlines);
  VT_OWNS_TO_THE_END(klass, VtReview, g_array_unref, items, verdicts);
  vt_signals_new(VT_TYPE_REVIEW, "changed", NULL);
}

static void
vt_review_init(VtReview *self)
{
  self->items = g_array_new(FALSE, FALSE, sizeof(VtReviewItem));
  self->verdicts = g_array_new(FALSE, FALSE, sizeof(VtReviewVerdict));
}

VtReview *
vt_review_new(VtAnalysis *analysis, VtReference *reference)
{
  VtReview *self = g_object_new(VT_TYPE_REVIEW, NULL);
  self->analysis = g_object_ref(analysis);
  self->exact = vt_review_exact_new(analysis, on_exact, self);
  self->trials = vt_trials_new(analysis, reference, take_trial, self);
  g_signal_connect_object(analysis, "finished", G_CALLBACK(on_finished), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "params-changed", G_CALLBACK(on_params), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "op-changed", G_CALLBACK(on_params), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "corrected", G_CALLBACK(make_columns), self, G_CONNECT_SWAPPED);
  return self;
}
