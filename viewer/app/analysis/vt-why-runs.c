/* SPDX-License-Identifier: MIT */
#include "analysis/vt-why-runs.h"

#include <glib/gi18n.h>

#include "analysis/vt-runner.h"
#include "base/vt-define.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "plugins/vt-recipe-lengths.h"

struct _VtWhyRuns {
  VtAnalysis *analysis;
  VtWhyRunsChanged changed;
  gpointer user;
  VtRunner *runner;       /* NULL until it is needed */
  VtResult *answer;       /* that is asked about, or was */
  VtRunRequest *request;  /* that it came from; NULL: nothing is asked */
  GPtrArray *maps, *none; /* VtWhyMap; none: always empty */
  guint at;               /* the map that is asked about; all are known at the end */
  gboolean finds_window;  /* its window first, then the run lengths in that */
};

VT_DEFINE_FREE(map_free, VtWhyMap, VT_FREES(vt_run_lengths_unref, lengths) VT_FREES(g_free, failure))

VtWhyRuns *
vt_why_runs_new(VtAnalysis *analysis, VtWhyRunsChanged changed, gpointer user)
{
  VtWhyRuns *self = g_new0(VtWhyRuns, 1);
  self->analysis = g_object_ref(analysis);
  self->changed = changed;
  self->user = user;
  self->maps = g_ptr_array_new_with_free_func(map_free);
  self->none = g_ptr_array_new();
  return self;
}

static void
forget(VtWhyRuns *self)
{
  if (self->runner)
    vt_runner_cancel(self->runner);
  g_clear_pointer(&self->answer, vt_result_unref);
  g_clear_pointer(&self->request, vt_run_request_free);
  g_ptr_array_set_size(self->maps, 0);
  self->at = 0;
}

void
vt_why_runs_free(VtWhyRuns *self)
{
  g_clear_pointer(&self->runner, vt_runner_free);
  g_clear_pointer(&self->answer, vt_result_unref);
  g_clear_pointer(&self->request, vt_run_request_free);
  g_ptr_array_unref(self->maps);
  g_ptr_array_unref(self->none);
  g_object_unref(self->analysis);
  g_free(self);
}

static void
take_lengths(VtWhyRuns *self, VtWhyMap *map, VtRunLengths *lengths)
{
  const gint64 x = self->request->why_x_l0 / lengths->downsample - lengths->x,
               y = self->request->why_y_l0 / lengths->downsample - lengths->y;
  map->lengths = vt_run_lengths_ref(lengths);
  map->has_places = vt_run_lengths_find_through(lengths, (guint)x, (guint)y, map->places);
  for (guint d = 0; map->has_places && d < VT_RUN_DIRECTIONS; d++)
    vt_test_log("why-run %u level %u length %u of %s", d, lengths->levels[y * lengths->width + x],
                map->places[d].length, map->stage);
}

static void ask(VtWhyRuns *self);

static void
go_on(VtWhyRuns *self)
{
  const VtWhyMap *map = self->maps->pdata[self->at];
  vt_test_log("why-runs %d", map->has_places);
  self->at++;
  ask(self);
}

static void
fail(VtWhyRuns *self, const char *sentence)
{
  ((VtWhyMap *)self->maps->pdata[self->at])->failure = g_strdup(sentence);
  go_on(self);
}

/* `told`: a run of the map, which says what its windows are. */
static void
ask_lengths(VtWhyRuns *self, const VtResult *told)
{
  const VtWhyMap *map = self->maps->pdata[self->at];
  const VitrailOp *op = self->answer->op;
  g_autoptr(GError) error = NULL;
  gint64 size[2], window[4];
  vt_slide_get_level_size(vt_analysis_get_slide(self->analysis), 0, &size[0], &size[1]);
  if (!vt_why_find_window(told, size, self->request->why_x_l0, self->request->why_y_l0, window)) {
    fail(self, _("The run does not say what the windows of this map are."));
    return;
  }
  const VitrailOp *lengths =
    vt_recipe_open_lengths(vt_plugin_host_get(), op, (guint)vt_op_find_stage(op, map->stage), &error);
  self->finds_window = FALSE;
  if (lengths)
    vt_runner_start(self->runner, vt_why_new_lengths(self->request, self->answer, lengths, map->stage, window));
  else
    fail(self, error->message);
}

static void
on_done(guint64 generation, VtResult *result, GError *error, gpointer user)
{
  VtWhyRuns *self = user;
  const VtRow *row = result && result->rows && result->rows->len > 0 ? result->rows->pdata[0] : NULL;
  if (error) {
    fail(self, vt_translate(error->message));
  } else if (self->finds_window) {
    ask_lengths(self, result);
  } else {
    if (row && row->lengths)
      take_lengths(self, self->maps->pdata[self->at], row->lengths);
    go_on(self);
  }
}

/* About the next map; of one that is alone the answer says what its windows are. */
static void
ask(VtWhyRuns *self)
{
  const VitrailOp *op = self->answer->op;
  g_autoptr(GError) error = NULL;
  if (self->at == self->maps->len) {
    self->changed(self->user);
    return;
  }
  const VtWhyMap *map = self->maps->pdata[self->at];
  const VitrailOp *alone =
    vt_recipe_open_map(vt_plugin_host_get(), op, (guint)vt_op_find_stage(op, map->stage), &error);
  self->finds_window = TRUE;
  if (!alone)
    fail(self, error->message);
  else if (alone == op)
    ask_lengths(self, self->answer);
  else
    vt_runner_start(self->runner, vt_why_new_map(self->request, self->answer, alone, map->stage));
}

static void
start(VtWhyRuns *self, const VtResult *answer, const VtRunRequest *request)
{
  static const VtRunnerCallbacks callbacks = { .done = on_done };
  g_autoptr(GArray) stages = vt_recipe_list_maps(vt_plugin_host_get(), answer->op);
  for (guint i = 0; i < stages->len; i++) {
    VtWhyMap *map = g_new0(VtWhyMap, 1);
    map->stage = g_intern_string(answer->op->stages[g_array_index(stages, guint, i)]->id);
    g_ptr_array_add(self->maps, map);
  }
  if (stages->len == 0)
    return;
  self->request = vt_run_request_copy(request);
  if (!self->runner)
    self->runner = vt_runner_new(&callbacks, self);
  ask(self);
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
  self->answer = vt_result_ref((VtResult *)answer);
  start(self, answer, vt_why_get_request(why));
}

const GPtrArray *
vt_why_runs_get_maps(VtWhyRuns *self)
{
  return self->at == self->maps->len ? self->maps : self->none;
}
