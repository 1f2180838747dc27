/* SPDX-License-Identifier: MIT */
#include "analysis/vt-search.h"

#include <glib/gi18n.h>

#include "base/vt-define.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-slider-scale.h"
#include "common/vt-test-log.h"

enum { MOST_TRIES = 160, N_CHANCE = 24, FURTHEST = 3 /* steps on in a direction that was good */ };

static const double deltas[] = { 0.16, 0.08, 0.04, 0.02 }; /* of a slider's length */
#define CLOSE 0.15                                         /* the later half of the tries by chance is round the best */

struct _VtSearch {
  GObject parent;
  VtAnalysis *analysis;
  VtTrials *trials;
  GPtrArray *tries; /* VtTry */
  gboolean is_running;
  guint32 seed;

  /* where it is */
  GArray *axes;    /* VtTrialAxis */
  gboolean *inert; /* of each: it changed nothing in the first round */
  guint axis, delta, n_on, n_rounds;
  int direction; /* 1, -1 */
  gboolean has_improved, has_effect;
  guint n_chance;
  GRand *rand;
  VtTry *next; /* under way; or NULL */
  gint best;

  /* what it is of */
  guint n_truth;
  double pixel_size;
  gboolean is_calibrated, is_preview;
  gint64 width_l0, height_l0;
};

G_DEFINE_FINAL_TYPE(VtSearch, vt_search, G_TYPE_OBJECT)

VT_DEFINE_FREE(try_free, VtTry, VT_FREES(vt_params_free, params))

VT_GETTER(guint, vt_search_get_n, VtSearch, tries->len)

const VtTry *
vt_search_get(VtSearch *self, guint i)
{
  return self->tries->pdata[i];
}

gboolean
vt_try_is_better(const VtTry *a, const VtTry *b)
{
  if (a->f1_50 != b->f1_50)
    return a->f1_50 > b->f1_50;
  return a->f1_70 != b->f1_70 ? a->f1_70 > b->f1_70 : a->aji > b->aji;
}

VT_GETTER(gint, vt_search_get_best, VtSearch, best)

gint
vt_search_get_runner_up(VtSearch *self)
{
  gint found = -1;
  for (guint i = 0; i < self->tries->len; i++)
    if ((gint)i != self->best
        && (found < 0 || vt_try_is_better(vt_search_get(self, i), vt_search_get(self, (guint)found))))
      found = (gint)i;
  return found;
}

VT_GETTER(gboolean, vt_search_is_running, VtSearch, is_running)

/* --- what is tried next --- */

static const VtTry *
find_try(VtSearch *self, const VtParams *params)
{
  for (guint i = 0; i < self->tries->len; i++)
    if (vt_params_equal(vt_search_get(self, i)->params, params))
      return vt_search_get(self, i);
  return NULL;
}

static void
set_position(VtParams *params, const VtTrialAxis *axis, double position)
{
  const double value[4] = { vt_slider_scale_get_value(&axis->scale, position) };
  vt_params_set(params, axis->param, value, NULL);
}

static const VtTrialAxis *
get_axis(VtSearch *self, guint i)
{
  return &g_array_index(self->axes, VtTrialAxis, i);
}

static gboolean
is_inert(VtSearch *self, guint i)
{
  return self->inert[i];
}

static double
get_position(const VtParams *params, const VtTrialAxis *axis)
{
  return vt_slider_scale_get_position(&axis->scale, params->values[axis->param][0]);
}

/* The other direction, the next number, a smaller step. FALSE: that was the last. */
static gboolean
turn(VtSearch *self)
{
  self->n_on = 0;
  if (self->direction > 0) {
    self->direction = -1;
    return TRUE;
  }
  self->direction = 1;
  if (self->n_rounds == 0 && !self->has_effect)
    self->inert[self->axis] = TRUE;
  self->has_effect = FALSE;
  self->axis++;
  while (self->axis < self->axes->len && is_inert(self, self->axis))
    self->axis++;
  if (self->axis < self->axes->len)
    return TRUE;
  self->axis = 0;
  self->n_rounds++;
  while (self->axis < self->axes->len && is_inert(self, self->axis))
    self->axis++;
  if (!self->has_improved)
    self->delta++;
  self->has_improved = FALSE;
  return self->delta < G_N_ELEMENTS(deltas) && self->axis < self->axes->len;
}

/* From the best so far; NULL: nothing new in this direction. */
static VtParams *
dup_step(VtSearch *self)
{
  const VtParams *best = vt_search_get(self, (guint)self->best)->params;
  const VtTrialAxis *axis = get_axis(self, self->axis);
  g_autoptr(VtParams) params = vt_params_copy(best);
  set_position(params, axis, get_position(best, axis) + self->direction * deltas[self->delta]);
  return vt_params_equal(params, best) || find_try(self, params) ? NULL : g_steal_pointer(&params);
}

static VtParams *
dup_by_chance(VtSearch *self)
{
  const VtParams *best = vt_search_get(self, (guint)self->best)->params;
  VtParams *params = vt_params_copy(best);
  for (guint i = 0; i < self->axes->len; i++) {
    const VtTrialAxis *axis = get_axis(self, i);
    const double middle = get_position(best, axis);
    const gboolean is_close = self->n_chance > N_CHANCE / 2;
    const double position =
      is_close ? g_rand_double_range(self->rand, middle - CLOSE, middle + CLOSE) : g_rand_double(self->rand);
    if (!is_inert(self, i))
      set_position(params, axis, CLAMP(position, 0, 1));
  }
  return params;
}

static VtParams *
dup_next(VtSearch *self, VtTryKind *kind)
{
  *kind = VT_TRY_DESCENT;
  while (self->delta < G_N_ELEMENTS(deltas) && self->axis < self->axes->len) {
    VtParams *params = dup_step(self);
    if (params)
      return params;
    if (!turn(self))
      break;
  }
  self->delta = G_N_ELEMENTS(deltas);
  *kind = VT_TRY_CHANCE;
  while (self->n_chance < N_CHANCE) {
    self->n_chance++;
    g_autoptr(VtParams) params = dup_by_chance(self);
    if (!find_try(self, params))
      return g_steal_pointer(&params);
  }
  return NULL;
}

/* --- trying --- */

static void
run(VtSearch *self, VtTryKind kind, VtParams *params)
{
  self->next = g_new0(VtTry, 1);
  self->next->kind = kind;
  self->next->params = params;
  vt_trials_run(self->trials, params);
}

static void
finish(VtSearch *self)
{
  self->is_running = FALSE;
  vt_trials_stop(self->trials);
  g_clear_pointer(&self->next, try_free);
  vt_test_log("search-done %u %d %d", self->tries->len, self->best, vt_search_get_runner_up(self));
  g_signal_emit_by_name(self, "changed");
}

static void
go_on(VtSearch *self)
{
  VtTryKind kind;
  VtParams *params = self->tries->len < MOST_TRIES ? dup_next(self, &kind) : NULL;
  if (params)
    run(self, kind, params);
  else
    finish(self);
}

static gboolean
is_other_answer(const VtTry *a, const VtTry *b)
{
  return a->n_objects != b->n_objects || a->f1_50 != b->f1_50 || a->f1_70 != b->f1_70 || a->aji != b->aji;
}

/* Where the descent goes from here. */
static void
learn(VtSearch *self, const VtTry *try, gboolean is_better)
{
  if (try->kind != VT_TRY_DESCENT)
    return;
  self->has_effect |= is_better || is_other_answer(try, vt_search_get(self, (guint)self->best));
  self->has_improved |= is_better;
  if (!is_better || ++self->n_on >= FURTHEST)
    if (!turn(self))
      self->delta = G_N_ELEMENTS(deltas);
}

static void
take_try(VtResult *result, const VtComparison *comparison, const GError *error, gpointer user)
{
  VtSearch *self = user;
  VtTry *try = g_steal_pointer(&self->next);
  try->failed = !comparison;
  try->n_objects = result ? result->objects->len : 0;
  if (comparison) {
    try->f1_50 = comparison->f1_50;
    try->f1_70 = comparison->f1_70;
    try->aji = comparison->aji;
    self->n_truth = comparison->n_reference;
    self->pixel_size = result->used_pixel_size;
    self->is_calibrated = result->calibrated;
  }
  const gboolean is_better = self->best >= 0 && vt_try_is_better(try, vt_search_get(self, (guint)self->best));
  if (self->best >= 0)
    learn(self, try, is_better);
  if (self->best < 0 || is_better)
    self->best = (gint)self->tries->len;
  g_ptr_array_add(self->tries, try);
  vt_test_log("search-try %u %d %.9f %.9f %.9f", self->tries->len - 1, try->kind, try->f1_50, try->f1_70, try->aji);
  g_signal_emit_by_name(self, "changed");
  if (self->is_running)
    go_on(self);
}

gboolean
vt_search_start(VtSearch *self, guint32 seed, GError **error)
{
  vt_search_clear(self);
  if (!vt_trials_begin(self->trials, error))
    return FALSE;
  const VtRunRequest *request = vt_trials_get_request(self->trials);
  g_array_unref(self->axes);
  self->axes = vt_trials_list_axes(request->op);
  if (!vt_trials_has_truth(self->trials) || self->axes->len == 0) {
    g_set_error_literal(error, VT_ERROR, VITRAIL_BAD_ARGUMENT,
                        self->axes->len == 0 ? _("This analysis has no numbers that could be varied.")
                                             : _("There is no truth to agree with. Open outlines first: Shift+C."));
    vt_trials_stop(self->trials);
    return FALSE;
  }
  self->seed = seed;
  self->rand = g_rand_new_with_seed(seed);
  self->axis = self->delta = self->n_on = self->n_rounds = self->n_chance = 0;
  self->direction = 1;
  g_free(self->inert);
  self->inert = g_new0(gboolean, self->axes->len);
  self->has_improved = self->has_effect = FALSE;
  self->is_running = TRUE;
  self->is_preview = vt_trials_is_preview(self->trials);
  self->width_l0 = request->width_l0;
  self->height_l0 = request->height_l0;
  vt_test_log("search-start %u %u", seed, self->axes->len);
  run(self, VT_TRY_START, vt_params_copy(request->params));
  g_signal_emit_by_name(self, "changed");
  return TRUE;
}

void
vt_search_stop(VtSearch *self)
{
  if (self->is_running)
    finish(self);
}

void
vt_search_clear(VtSearch *self)
{
  vt_search_stop(self);
  g_ptr_array_set_size(self->tries, 0);
  g_clear_pointer(&self->rand, g_rand_free);
  self->best = -1;
  self->n_truth = 0;
  self->pixel_size = 0;
}

char *
vt_search_dup_words(VtSearch *self)
{
  if (self->tries->len == 0)
    return NULL;
  g_autofree char *pixel = g_strdup_printf(self->is_calibrated ? "%.3g µm/px" : "1:%.3g", self->pixel_size);
  g_autofree char *truth = g_strdup_printf(
    g_dngettext(NULL, "%u outline of the truth", "%u outlines of the truth", self->n_truth), self->n_truth);
  g_autofree char *place = g_strdup_printf(_("scored on %s, in %lld × %lld px of the slide, at %s%s; seed %u"), truth,
                                           (long long)self->width_l0, (long long)self->height_l0, pixel,
                                           self->is_preview ? _(" (a preview)") : "", self->seed);
  return g_strdup_printf(_("%u tries, %s.\n%s"), self->tries->len, place,
                         _("The scores are of the field that was tuned on: elsewhere they will be lower. Check the "
                           "best one on outlines that the search has not seen."));
}

static void
stop_trials(VtSearch *self)
{
  vt_trials_stop(self->trials);
}

static void
vt_search_class_init(VtSearchClass *klass)
{
  VT_ENDS(klass, VtSearch, stop_trials);
  VT_OWNS(klass, VtSearch, g_object_unref, trials);
  VT_OWNS(klass, VtSearch, try_free, next);
  VT_OWNS(klass, VtSearch, g_rand_free, rand);
  VT_OWNS(klass, VtSearch, g_ptr_array_unref, tries);
  VT_OWNS(klass, VtSearch, g_array_unref, axes);
  VT_OWNS(klass, VtSearch, g_free, inert);
  VT_OWNS(klass, VtSearch, g_object_unref, analysis);
  vt_signals_new(VT_TYPE_SEARCH, "changed", NULL);
}

static void
vt_search_init(VtSearch *self)
{
  self->tries = g_ptr_array_new_with_free_func(try_free);
  self->axes = g_array_new(FALSE, FALSE, sizeof(VtTrialAxis));
  self->best = -1;
}

VtSearch *
vt_search_new(VtAnalysis *analysis, VtReference *reference)
{
  VtSearch *self = g_object_new(VT_TYPE_SEARCH, NULL);
  self->analysis = g_object_ref(analysis);
  self->trials = vt_trials_new(analysis, reference, take_try, self);
  return self;
}
