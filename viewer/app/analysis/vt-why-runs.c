/* SPDX-License-Identifier: MIT */
#include "analysis/vt-why-runs.h"

#include "analysis/vt-runner.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "plugins/vt-recipe-lengths.h"

struct _VtWhyRuns {
  VtAnalysis *analysis;
  VtWhyRunsChanged changed;
  gpointer user;
  VtRunner *runner;       /* NULL until it is needed */
  const VtResult *answer; /* that is asked about, or was; only compared */
  gint64 x_l0, y_l0;
  const char *stage, *asked; /* interned; asked: what `stage` is when the runs are there */
  VtRunLengths *lengths;
  gboolean has_places;
  VtRunPlace places[VT_RUN_DIRECTIONS];
  char *failure;
};

VtWhyRuns *
vt_why_runs_new(VtAnalysis *analysis, VtWhyRunsChanged changed, gpointer user)
{
  VtWhyRuns *self = g_new0(VtWhyRuns, 1);
  self->analysis = g_object_ref(analysis);
  self->changed = changed;
  self->user = user;
  return self;
}

static void
forget(VtWhyRuns *self)
{
  if (self->runner)
    vt_runner_cancel(self->runner);
  self->answer = NULL;
  self->stage = self->asked = NULL;
  self->has_places = FALSE;
  g_clear_pointer(&self->lengths, vt_run_lengths_unref);
  g_clear_pointer(&self->failure, g_free);
}

void
vt_why_runs_free(VtWhyRuns *self)
{
  g_clear_pointer(&self->runner, vt_runner_free);
  g_clear_pointer(&self->lengths, vt_run_lengths_unref);
  g_free(self->failure);
  g_object_unref(self->analysis);
  g_free(self);
}

static void
take_lengths(VtWhyRuns *self, VtRunLengths *lengths)
{
  const gint64 x = self->x_l0 / lengths->downsample - lengths->x, y = self->y_l0 / lengths->downsample - lengths->y;
  self->lengths = vt_run_lengths_ref(lengths);
  self->has_places = vt_run_lengths_find_through(lengths, (guint)x, (guint)y, self->places);
  for (guint d = 0; self->has_places && d < VT_RUN_DIRECTIONS; d++)
    vt_test_log("why-run %u level %u length %u", d, lengths->levels[y * lengths->width + x], self->places[d].length);
}

static void
on_done(guint64 generation, VtResult *result, GError *error, gpointer user)
{
  VtWhyRuns *self = user;
  const VtRow *row = result && result->rows && result->rows->len > 0 ? result->rows->pdata[0] : NULL;
  self->stage = self->asked;
  if (row && row->lengths)
    take_lengths(self, row->lengths);
  else if (error)
    self->failure = g_strdup(vt_translate(error->message));
  vt_test_log("why-runs %d", self->has_places);
  self->changed(self->user);
}

static void
start(VtWhyRuns *self, const VtResult *answer, const VtRunRequest *request)
{
  static const VtRunnerCallbacks callbacks = { .done = on_done };
  VtSlide *slide = vt_analysis_get_slide(self->analysis);
  guint stage = 0;
  const VitrailOp *op = vt_recipe_open_lengths(vt_plugin_host_get(), answer->op, &stage);
  gint64 size[2], window[4];
  vt_slide_get_level_size(slide, 0, &size[0], &size[1]);
  if (!op || !vt_why_find_window(answer, size, self->x_l0, self->y_l0, window))
    return;
  self->asked = g_intern_string(answer->op->stages[stage]->id);
  if (!self->runner)
    self->runner = vt_runner_new(&callbacks, self);
  vt_runner_start(self->runner, vt_why_new_lengths(request, answer, op, window));
}

void
vt_why_runs_follow(VtWhyRuns *self, VtWhy *why)
{
  const VtResult *answer = vt_why_get_answer(why);
  const gboolean is_ready = answer && vt_why_is_current(why) && !vt_why_is_trying(why) && !vt_why_is_tracing(why);
  if (self->answer && self->answer != answer) {
    forget(self);
    self->changed(self->user);
  }
  if (!is_ready || self->answer == answer)
    return;
  self->answer = answer;
  vt_why_get_place(why, &self->x_l0, &self->y_l0);
  start(self, answer, vt_why_get_request(why));
}

const char *
vt_why_runs_get_stage(VtWhyRuns *self)
{
  return self->stage;
}

const VtRunLengths *
vt_why_runs_get_lengths(VtWhyRuns *self)
{
  return self->lengths;
}

const VtRunPlace *
vt_why_runs_get_places(VtWhyRuns *self)
{
  return self->has_places ? self->places : NULL;
}

const char *
vt_why_runs_get_failure(VtWhyRuns *self)
{
  return self->failure;
}
