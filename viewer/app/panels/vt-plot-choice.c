/* SPDX-License-Identifier: MIT */
#include "panels/vt-plot-choice.h"

#include <math.h>
#include <string.h>

#include "layers/vt-object-filter-private.h"

static VtObjectFilter *
join_ranges(const VtPlotChoice *self, const VtColumns *columns)
{
  VtObjectFilter *all = NULL;
  for (guint i = 0; i < self->n_ranges; i++) {
    g_autoptr(VtObjectFilter) former = all;
    g_autoptr(VtObjectFilter) one =
      vt_object_filter_new_range(columns, self->columns[i], self->ranges[i].from, self->ranges[i].to);
    all = former ? vt_object_filter_join(former, one) : g_steal_pointer(&one);
  }
  return all;
}

VtObjectFilter *
vt_plot_choice_new_filter(const VtPlotChoice *self, const VtColumns *columns)
{
  const VtScatterChoice *c = &self->choice;
  if (self->n_ranges > 0)
    return join_ranges(self, columns);
  return self->column_y < 0 ? vt_object_filter_new_range(columns, self->column_x, c->from_x, c->to_x)
                            : vt_scatter_choice_new_filter(c, columns, self->column_x, self->is_log_x,
                                                           (guint)self->column_y, self->is_log_y);
}

void
vt_plot_choice_add_text(const VtPlotChoice *self, const VtColumns *columns, GString *text)
{
  const VtScatterChoice *c = &self->choice;
  for (guint i = 0; i < self->n_ranges; i++) {
    g_string_append(text, i > 0 ? " and " : "");
    vt_gate_text_add_range(text, vt_columns_get_name(columns, self->columns[i]), self->ranges[i].from,
                           self->ranges[i].to);
  }
  if (self->n_ranges > 0)
    return;
  const char *x = vt_columns_get_name(columns, self->column_x);
  const char *y = self->column_y < 0 ? NULL : vt_columns_get_name(columns, (guint)self->column_y);
  if (c->is_polygon) {
    vt_gate_text_add_polygon(text, x, self->is_log_x, y, self->is_log_y, (const double *)(gpointer)c->points->data,
                             c->points->len / 2);
    return;
  }
  vt_gate_text_add_range(text, x, c->from_x, c->to_x);
  if (!y)
    return;
  g_string_append(text, " and ");
  vt_gate_text_add_range(text, y, c->from_y, c->to_y);
}

GPtrArray *
vt_plot_choice_list_quadrants(const VtPlotChoice *self, const VtColumns *columns)
{
  static const char *const signs[][2] = { { ">=", ">=" }, { ">=", "<" }, { "<", ">=" }, { "<", "<" } };
  if (self->column_y < 0 || self->choice.is_polygon || self->n_ranges > 0)
    return NULL;
  GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < G_N_ELEMENTS(signs); i++) {
    GString *text = g_string_new(NULL);
    vt_gate_text_add_limit(text, vt_columns_get_name(columns, self->column_x), signs[i][0], self->choice.from_x);
    g_string_append(text, " and ");
    vt_gate_text_add_limit(text, vt_columns_get_name(columns, (guint)self->column_y), signs[i][1], self->choice.from_y);
    g_ptr_array_add(texts, g_string_free(text, FALSE));
  }
  return texts;
}

/* --- drawn --- */

void
vt_plot_gate_free(gpointer gate)
{
  VtPlotGate *self = gate;
  g_free(self->name);
  g_free(self->label);
  vt_scatter_choice_clear(&self->choice);
  g_free(self);
}

VtPlotGate *
vt_plot_gate_copy(const VtPlotGate *gate)
{
  VtPlotGate *copy = g_memdup2(gate, sizeof *gate);
  copy->name = g_strdup(gate->name);
  copy->label = g_strdup(gate->name);
  copy->choice.points = gate->choice.points ? g_array_copy(gate->choice.points) : NULL;
  return copy;
}

/* "column < number", and the other three, at place i of the steps. */
static gboolean
take_limit(VtScatterChoice *choice, const VtFilterStep *steps, guint column_x, gint column_y)
{
  const gboolean is_x = steps[0].column == column_x, is_y = column_y >= 0 && steps[0].column == (guint)column_y;
  const gboolean is_low = steps[2].code == VT_AT_LEAST || steps[2].code == VT_MORE;
  const gboolean is_high = steps[2].code == VT_AT_MOST || steps[2].code == VT_LESS;
  if (steps[0].code != VT_PUSH_COLUMN || steps[1].code != VT_PUSH_NUMBER || (!is_x && !is_y) || (!is_low && !is_high))
    return FALSE;
  /* Of a measurement against itself the limits of the first axis come first. */
  const gboolean has_x = is_y && !isinf(is_low ? choice->from_x : choice->to_x);
  double *from = is_x && !has_x ? &choice->from_x : &choice->from_y;
  double *to = is_x && !has_x ? &choice->to_x : &choice->to_y;
  if (is_low)
    *from = fmax(*from, steps[1].number);
  else
    *to = fmin(*to, steps[1].number);
  return TRUE;
}

static gboolean
take_polygon(VtScatterChoice *choice, const VtObjectShape *shape, guint column_x, gboolean is_log_x, gint column_y,
             gboolean is_log_y)
{
  const gboolean is_turned = column_y >= 0 && shape->x == (guint)column_y && shape->y == column_x;
  const gboolean is_same = column_y >= 0 && shape->x == column_x && shape->y == (guint)column_y;
  const gboolean log_x = is_turned ? shape->is_log_y : shape->is_log_x;
  const gboolean log_y = is_turned ? shape->is_log_x : shape->is_log_y;
  if ((!is_same && !is_turned) || log_x != is_log_x || log_y != is_log_y)
    return FALSE;
  choice->is_polygon = TRUE;
  choice->points = g_array_new(FALSE, FALSE, sizeof(double));
  for (guint i = 0; i < shape->n; i++) {
    const double *place = shape->places + 2 * (gsize)i;
    const double corner[2] = { log_x ? pow(10, place[is_turned]) : place[is_turned],
                               log_y ? pow(10, place[!is_turned]) : place[!is_turned] };
    g_array_append_vals(choice->points, corner, 2);
  }
  return TRUE;
}

gboolean
vt_plot_choice_from_filter(VtScatterChoice *choice, const VtObjectFilter *filter, guint column_x, gboolean is_log_x,
                           gint column_y, gboolean is_log_y)
{
  *choice = (VtScatterChoice){ FALSE, -INFINITY, INFINITY, -INFINITY, INFINITY, NULL };
  if (filter->n == 1 && filter->steps[0].code == VT_PUSH_INSIDE)
    return take_polygon(choice, filter->steps[0].shape, column_x, is_log_x, column_y, is_log_y);
  guint n_limits = 0;
  for (guint i = 0; i < filter->n;) {
    if (filter->steps[i].code == VT_AND && n_limits > 1) {
      i++;
      continue;
    }
    if (i + 3 > filter->n || !take_limit(choice, filter->steps + i, column_x, column_y))
      return FALSE;
    n_limits++;
    i += 3;
  }
  return n_limits > 0;
}

gboolean
vt_plot_choice_ranges_from_filter(VtPlotRange *ranges, const VtObjectFilter *filter, const guint *axes, guint n)
{
  guint n_limits = 0;
  memset(ranges, 0, n * sizeof *ranges);
  for (guint i = 0, k = 0; i < filter->n;) {
    if (filter->steps[i].code == VT_AND && n_limits > 1) {
      i++;
      continue;
    }
    for (k = 0; k < n && axes[k] != filter->steps[i].column;)
      k++;
    VtScatterChoice limits = { .from_x = -INFINITY, .to_x = INFINITY };
    if (k < n && ranges[k].has)
      limits = (VtScatterChoice){ .from_x = ranges[k].from, .to_x = ranges[k].to };
    if (k == n || i + 3 > filter->n || !take_limit(&limits, filter->steps + i, axes[k], -1))
      return FALSE;
    ranges[k] = (VtPlotRange){ TRUE, limits.from_x, limits.to_x };
    n_limits++;
    i += 3;
  }
  return n_limits > 0;
}

static char *
dup_label(const VtGateTally *tally, guint place)
{
  const VtGate *gate = tally->gates->pdata[place];
  const guint n = vt_gate_tally_get_n_of_parent(tally, place);
  return n == 0 ? g_strdup(gate->name) : g_strdup_printf("%s %.1f %%", gate->name, 100.0 * tally->counts[place] / n);
}

GPtrArray *
vt_plot_choice_list_gates(const VtGateTally *tally, const VtColumns *columns, gint chosen, guint column_x,
                          gboolean is_log_x, gint column_y, gboolean is_log_y)
{
  GPtrArray *drawn = g_ptr_array_new_with_free_func(vt_plot_gate_free);
  for (guint i = 0; i < tally->gates->len; i++) {
    const VtGate *gate = tally->gates->pdata[i];
    VtScatterChoice choice;
    if (tally->reasons[i] || (vt_gate_list_find(tally->gates, gate->parent) != chosen && (gint)i != chosen))
      continue;
    g_autoptr(VtObjectFilter) filter = vt_object_filter_new(gate->text, columns, NULL);
    if (!filter || !vt_plot_choice_from_filter(&choice, filter, column_x, is_log_x, column_y, is_log_y))
      continue;
    VtPlotGate *plotted = g_new0(VtPlotGate, 1);
    *plotted = (VtPlotGate){ g_strdup(gate->name), dup_label(tally, i), gate->color, (gint)i == chosen, i, choice };
    g_ptr_array_add(drawn, plotted);
  }
  return drawn;
}

/* Of the limit that holds on a side: whether what is at it belongs to the gate. */
static gboolean
holds_end(const VtObjectFilter *filter, guint column, gboolean is_low, double end)
{
  for (guint i = 0; i + 2 < filter->n; i++) {
    const VtFilterStep *steps = filter->steps + i;
    if (steps[0].code == VT_PUSH_COLUMN && steps[0].column == column && steps[1].number == end
        && steps[2].code == (is_low ? VT_MORE : VT_LESS))
      return FALSE;
  }
  return TRUE;
}

static void
add_end(GString *text, const VtObjectFilter *filter, const VtColumns *columns, guint column, gboolean is_low,
        double before, double now)
{
  static const char *const signs[2][2] = { { "<", "<=" }, { ">", ">=" } };
  if (isinf(before))
    return;
  g_string_append(text, text->len > 0 ? " and " : "");
  vt_gate_text_add_limit(text, vt_columns_get_name(columns, column),
                         signs[is_low][holds_end(filter, column, is_low, before)], now);
}

char *
vt_plot_choice_dup_moved(const VtPlotChoice *self, const VtColumns *columns, const char *text)
{
  g_autoptr(VtObjectFilter) filter = vt_object_filter_new(text, columns, NULL);
  g_autoptr(GString) moved = g_string_new(NULL);
  VtScatterChoice before;
  const VtScatterChoice *now = &self->choice;
  if (!filter
      || !vt_plot_choice_from_filter(&before, filter, self->column_x, self->is_log_x, self->column_y, self->is_log_y))
    return NULL;
  if (before.is_polygon) {
    vt_scatter_choice_clear(&before);
    vt_plot_choice_add_text(self, columns, moved);
    return g_strdup(moved->str);
  }
  add_end(moved, filter, columns, self->column_x, TRUE, before.from_x, now->from_x);
  add_end(moved, filter, columns, self->column_x, FALSE, before.to_x, now->to_x);
  if (self->column_y >= 0) {
    add_end(moved, filter, columns, (guint)self->column_y, TRUE, before.from_y, now->from_y);
    add_end(moved, filter, columns, (guint)self->column_y, FALSE, before.to_y, now->to_y);
  }
  return g_strdup(moved->str);
}
