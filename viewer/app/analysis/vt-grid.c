/* SPDX-License-Identifier: MIT */
#include "analysis/vt-grid.h"

#include <math.h>

#include "base/vt-define.h"
#include "analysis/vt-analysis-private.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-slider-scale.h"
#include "common/vt-test-log.h"
#include "common/vt-task.h"
#include "layers/vt-ground.h"

struct _VtGrid {
  GObject parent;
  VtAnalysis *analysis;
  VtTrials *trials;
  guint params[2], size[2];
  GArray *values[2];
  GPtrArray *cells; /* VtGridCell, row by row */
  guint next;       /* the cell that is run */
  gint64 start_us;
  double ms;

  /* pictures */
  gboolean is_close;
  int width, height;
  VtGround *ground; /* NULL until it is read */
  GCancellable *cancellable;
};

G_DEFINE_FINAL_TYPE(VtGrid, vt_grid, G_TYPE_OBJECT)

VT_DEFINE_FREE(cell_free, VtGridCell,
               VT_FREES(vt_params_free, params) VT_FREES(g_object_unref, picture) VT_FREES(vt_result_unref, result))

/* --- which values --- */

static gboolean
init_scale(VtSliderScale *scale, const VitrailParam *param)
{
  return (param->type == VITRAIL_PARAM_FLOAT || param->type == VITRAIL_PARAM_INT)
         && vt_slider_scale_init(scale, param->min, param->max, param->step > 0 ? param->step : 1);
}

gboolean
vt_grid_can_vary(const VtParams *params, guint param)
{
  VtSliderScale scale;
  return init_scale(&scale, params->op->params[param]);
}

/* Rising; the present one among them, in the middle where the range has room. */
static void
choose_values(GArray *values, const VtParams *params, guint param, guint n, double spread)
{
  VtSliderScale scale;
  const double now = params->values[param][0];
  if (!init_scale(&scale, params->op->params[param]))
    return;
  const double middle = vt_slider_scale_get_position(&scale, now), reach = spread * (n - 1);
  const double first = CLAMP(middle - reach / 2, 0, 1 - reach);
  g_array_set_size(values, 0);
  const guint place = (guint)CLAMP(round((middle - first) / spread), 0, n - 1);
  for (guint i = 0; i < n; i++) {
    const double value = i == place ? now : vt_slider_scale_get_value(&scale, first + spread * i);
    if (values->len == 0 || value > g_array_index(values, double, values->len - 1))
      g_array_append_val(values, value);
    else if (i == place)
      g_array_index(values, double, values->len - 1) = now;
  }
}

static void
make_cells(VtGrid *self, const VtParams *now)
{
  g_ptr_array_set_size(self->cells, 0);
  for (guint i = 0; i < self->size[0] * self->size[1]; i++) {
    VtGridCell *cell = g_new0(VtGridCell, 1);
    cell->params = vt_params_copy(now);
    for (guint axis = 0; axis < 2; axis++) {
      const guint place = axis == 0 ? i % self->size[0] : i / self->size[0];
      const double value[4] = { cell->values[axis] = g_array_index(self->values[axis], double, place) };
      vt_params_set(cell->params, self->params[axis], value, NULL);
    }
    cell->is_now = vt_params_equal(cell->params, now);
    cell->f1 = NAN;
    g_ptr_array_add(self->cells, cell);
  }
}

/* --- pictures --- */

typedef struct {
  VtSlide *slide;
  gint64 x, y, width, height;
  int most_width, most_height;
  gboolean is_close;
} Place;

static void
place_free(gpointer data)
{
  vt_slide_unref(((Place *)data)->slide);
  g_free(data);
}

static void
read_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Place *p = data;
  GError *error = NULL;
  VtGround *ground =
    vt_ground_read(p->slide, p->x, p->y, p->width, p->height, p->most_width, p->most_height, cancellable, &error);
  vt_task_return(task, ground, (GDestroyNotify)vt_ground_unref, &error);
}

typedef struct {
  VtGround *ground;
  VtResult *result;
  guint cell;
} Drawing;

VT_DEFINE_FREE(drawing_free, Drawing, VT_FREES(vt_ground_unref, ground) VT_FREES(vt_result_unref, result))

static void
draw_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Drawing *drawing = data;
  g_task_return_pointer(task, vt_ground_draw(drawing->ground, drawing->result->objects), g_object_unref);
}

static void
check_end(VtGrid *self)
{
  guint n = 0;
  VT_EACH_OF (const VtGridCell, cell, self->cells)
    n += cell->failed || cell->picture;
  if (self->ms > 0 || n < self->cells->len)
    return;
  self->ms = (double)(g_get_monotonic_time() - self->start_us) / 1000;
  vt_test_log("grid-done %u %.0f", n, self->ms);
}

static void
on_drawn(GObject *object, GAsyncResult *answer, gpointer user)
{
  VtGrid *self = VT_GRID(object);
  const Drawing *drawing = g_task_get_task_data(G_TASK(answer));
  g_autoptr(GdkTexture) picture = g_task_propagate_pointer(G_TASK(answer), NULL);
  if (g_task_get_cancellable(G_TASK(answer)) != self->cancellable || drawing->ground != self->ground)
    return;
  VtGridCell *cell = self->cells->pdata[drawing->cell];
  g_set_object(&cell->picture, picture);
  check_end(self);
  g_signal_emit_by_name(self, "changed");
}

static void
draw(VtGrid *self, guint i)
{
  VtGridCell *cell = self->cells->pdata[i];
  if (!self->ground || !cell->result)
    return;
  Drawing *drawing = g_new0(Drawing, 1);
  *drawing = (Drawing){ vt_ground_ref(self->ground), vt_result_ref(cell->result), i };
  g_autoptr(GTask) task = g_task_new(self, self->cancellable, on_drawn, NULL);
  g_task_set_check_cancellable(task, FALSE);
  g_task_set_task_data(task, drawing, drawing_free);
  g_task_run_in_thread(task, draw_in_thread);
}

static void
on_read(GObject *object, GAsyncResult *answer, gpointer user)
{
  VtGrid *self = VT_GRID(object);
  g_autoptr(VtGround) ground = g_task_propagate_pointer(G_TASK(answer), NULL);
  const Place *place = g_task_get_task_data(G_TASK(answer));
  if (!ground || g_task_get_cancellable(G_TASK(answer)) != self->cancellable || place->is_close != self->is_close)
    return;
  g_clear_pointer(&self->ground, vt_ground_unref);
  self->ground = g_steal_pointer(&ground);
  for (guint i = 0; i < self->cells->len; i++)
    draw(self, i);
}

/* Of what is seen, as far as it is of what is run. */
static void
read_ground(VtGrid *self)
{
  const VtRunRequest *request = vt_trials_get_request(self->trials);
  const VtViewport *view = &self->analysis->view;
  gint64 all_width, all_height;
  Place *p = g_new0(Place, 1);
  p->slide = vt_slide_ref(request->slide);
  p->is_close = self->is_close;
  p->most_width = self->width;
  p->most_height = self->height;
  vt_slide_get_level_size(p->slide, 0, &all_width, &all_height);
  if (!vt_viewport_get_visible_l0(view, all_width, all_height, &p->x, &p->y, &p->width, &p->height)) {
    p->x = request->x_l0;
    p->y = request->y_l0;
    p->width = request->width_l0;
    p->height = request->height_l0;
  }
  if (self->is_close) {
    const gint64 width = MIN(p->width, (gint64)(self->width * MAX(view->downsample, 1)));
    const gint64 height = MIN(p->height, (gint64)(self->height * MAX(view->downsample, 1)));
    p->x += (p->width - width) / 2;
    p->y += (p->height - height) / 2;
    p->width = width;
    p->height = height;
  }
  g_autoptr(GTask) task = g_task_new(self, self->cancellable, on_read, NULL);
  g_task_set_check_cancellable(task, FALSE);
  g_task_set_task_data(task, p, place_free);
  g_task_run_in_thread(task, read_in_thread);
}

void
vt_grid_set_pictures(VtGrid *self, gboolean is_close, int width, int height)
{
  self->is_close = is_close;
  self->width = width;
  self->height = height;
  if (vt_trials_has_begun(self->trials))
    read_ground(self);
}

/* --- one cell after the other --- */

static void
start_next(VtGrid *self)
{
  if (self->next < self->cells->len)
    vt_trials_run(self->trials, ((VtGridCell *)self->cells->pdata[self->next])->params);
}

static void
take_cell(VtResult *result, const VtComparison *comparison, const GError *error, gpointer user)
{
  VtGrid *self = user;
  VtGridCell *cell = self->cells->pdata[self->next];
  cell->done = TRUE;
  cell->failed = !result;
  cell->result = result ? vt_result_ref(result) : NULL;
  cell->n_objects = result ? result->objects->len : 0;
  cell->f1 = comparison ? comparison->f1_50 : NAN;
  vt_test_log("grid-cell %u %.9g %.9g %u %.4f", self->next, cell->values[0], cell->values[1], cell->n_objects,
              cell->f1);
  draw(self, self->next++);
  start_next(self);
  check_end(self);
  g_signal_emit_by_name(self, "changed");
}

gboolean
vt_grid_start(VtGrid *self, const guint params[2], guint n, double spread, GError **error)
{
  g_return_val_if_fail(n <= VT_GRID_MOST && params[0] != params[1], FALSE);
  vt_grid_stop(self);
  if (!vt_trials_begin(self->trials, error))
    return FALSE;
  const VtParams *now = vt_trials_get_request(self->trials)->params;
  for (guint axis = 0; axis < 2; axis++) {
    self->params[axis] = params[axis];
    choose_values(self->values[axis], now, params[axis], n, spread);
    self->size[axis] = self->values[axis]->len;
  }
  make_cells(self, now);
  self->cancellable = g_cancellable_new();
  self->start_us = g_get_monotonic_time();
  vt_test_log("grid-start %s %s %u %u", now->op->params[params[0]]->key, now->op->params[params[1]]->key, self->size[0],
              self->size[1]);
  read_ground(self);
  start_next(self);
  g_signal_emit_by_name(self, "changed");
  return TRUE;
}

void
vt_grid_stop(VtGrid *self)
{
  vt_trials_stop(self->trials);
  if (self->cancellable)
    g_cancellable_cancel(self->cancellable);
  g_clear_object(&self->cancellable);
  g_clear_pointer(&self->ground, vt_ground_unref);
  g_ptr_array_set_size(self->cells, 0);
  self->size[0] = self->size[1] = self->next = 0;
  self->ms = 0;
}

guint
vt_grid_get_size(VtGrid *self, guint axis)
{
  return self->size[axis];
}

const VtGridCell *
vt_grid_get_cell(VtGrid *self, guint column, guint row)
{
  return self->cells->pdata[row * self->size[0] + column];
}

gboolean
vt_grid_is_preview(VtGrid *self)
{
  return vt_trials_is_preview(self->trials);
}

VT_GETTER(double, vt_grid_get_ms, VtGrid, ms)

static void
vt_grid_class_init(VtGridClass *klass)
{
  VT_ENDS(klass, VtGrid, vt_grid_stop);
  VT_OWNS(klass, VtGrid, g_object_unref, trials, analysis);
  VT_OWNS_TO_THE_END(klass, VtGrid, g_ptr_array_unref, cells);
  VT_OWNS_TO_THE_END(klass, VtGrid, g_array_unref, values[0], values[1]);
  vt_signals_new(VT_TYPE_GRID, "changed", NULL);
}

static void
vt_grid_init(VtGrid *self)
{
  self->cells = g_ptr_array_new_with_free_func(cell_free);
  self->values[0] = g_array_new(FALSE, FALSE, sizeof(double));
  self->values[1] = g_array_new(FALSE, FALSE, sizeof(double));
  self->width = 320;
  self->height = 240;
}

VtGrid *
vt_grid_new(VtAnalysis *analysis, VtReference *reference)
{
  VtGrid *self = g_object_new(VT_TYPE_GRID, NULL);
  self->analysis = g_object_ref(analysis);
  self->trials = vt_trials_new(analysis, reference, take_cell, self);
  return self;
}
