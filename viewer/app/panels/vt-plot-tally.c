/* SPDX-License-Identifier: MIT */
#include "common/vt-test-log.h"
#include "panels/vt-plot-panel-private.h"

typedef struct {
  VtScatterData *data;
  VtScatterChoice choice;
  guint n;
} Tally;

static void
tally_free(gpointer data)
{
  Tally *tally = data;
  vt_scatter_data_unref(tally->data);
  vt_scatter_choice_clear(&tally->choice);
  g_free(tally);
}

static void
tally_in_thread(GTask *task, gpointer panel, gpointer data, GCancellable *cancellable)
{
  Tally *tally = data;
  tally->n = vt_scatter_data_count(tally->data, &tally->choice);
  g_task_return_boolean(task, TRUE);
}

static void
tallied(GObject *object, GAsyncResult *result, gpointer user)
{
  VtPlotPanel *self = VT_PLOT_PANEL(object);
  const Tally *of = g_task_get_task_data(G_TASK(result));
  self->is_tallying = FALSE;
  if (self->is_closed)
    return;
  if (self->is_tally_dirty) {
    vt_plot_panel_tally(self);
    return;
  }
  self->n_chosen = of->n;
  vt_test_log("scatter-choice %s %u %u", of->choice.is_polygon ? "hand" : "rectangle", of->n,
              of->data->points->n_passing);
  if (!of->choice.is_polygon)
    vt_test_log("scatter-rectangle %.15g %.15g %.15g %.15g", of->choice.from_x, of->choice.to_x, of->choice.from_y,
                of->choice.to_y);
  vt_plot_panel_say(self);
}

void
vt_plot_panel_tally(VtPlotPanel *self)
{
  const VtScatterChoice *choice = vt_scatter_get_choice(self->scatter);
  VtScatterData *data = vt_scatter_get_data(self->scatter);
  self->is_tally_dirty = TRUE;
  if (self->is_tallying)
    return;
  self->is_tally_dirty = FALSE;
  if (!choice || !data) {
    vt_plot_panel_say(self);
    return;
  }
  Tally *of = g_new0(Tally, 1);
  of->data = vt_scatter_data_ref(data);
  of->choice = *choice;
  of->choice.points = choice->points ? g_array_copy(choice->points) : NULL;
  g_autoptr(GTask) task = g_task_new(self, NULL, tallied, NULL);
  g_task_set_task_data(task, of, tally_free);
  self->is_tallying = TRUE;
  g_task_run_in_thread(task, tally_in_thread);
}
