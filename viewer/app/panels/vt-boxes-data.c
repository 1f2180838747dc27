/* SPDX-License-Identifier: MIT */
#include "panels/vt-boxes-data.h"

#include <math.h>
#include <stdlib.h>

static const double parts[VT_BOX_N] = { 0.05, 0.25, 0.5, 0.75, 0.95 };

double
vt_boxes_get_quantile(const double *sorted, guint n, double part)
{
  const double at = n > 0 ? (n - 1) * part : NAN;
  if (n == 0)
    return NAN;
  const guint below = MIN((guint)at, n - 1), above = MIN(below + 1, n - 1);
  const double share = at - below;
  return sorted[below] == sorted[above] ? sorted[below] : sorted[below] * (1 - share) + sorted[above] * share;
}

static int
compare(gconstpointer a, gconstpointer b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Puts the object's number to those of each of its groups; how many those are. */
static guint
put(VtBoxesData *self, GArray **groups, const VtColumns *columns, guint index, const VtColumn *words, double value)
{
  guint n = 0;
  for (guint k = 0; k < self->n; k++) {
    if (!(vt_column_has(words, columns->objects, index, k) > 0))
      continue;
    n++;
    if (!(fabs(value) <= VT_PLOT_LARGEST))
      continue;
    g_array_append_val(groups[k], value);
    self->n_below += value <= 0;
  }
  return n;
}

static void
sort_into(VtBox *box, GArray *numbers)
{
  double *values = (double *)(gpointer)numbers->data;
  box->n = numbers->len;
  if (numbers->len > 1)
    qsort(values, numbers->len, sizeof *values, compare);
  for (guint i = 0; i < VT_BOX_N; i++)
    box->quantiles[i] = vt_boxes_get_quantile(values, numbers->len, parts[i]);
  box->lowest = vt_boxes_get_quantile(values, numbers->len, 0);
  box->highest = vt_boxes_get_quantile(values, numbers->len, 1);
}

static VtPlotAxis
find_axis(const VtBoxesData *self, gboolean is_log)
{
  g_autofree double *values = g_new(double, VT_BOX_N * self->n + 1);
  guint n = 0;
  for (guint k = 0; k < self->n; k++)
    for (guint i = 0; i < VT_BOX_N; i++)
      if (vt_plot_axis_can_show(is_log, self->boxes[k].quantiles[i]))
        values[n++] = self->boxes[k].quantiles[i];
  VtPlotAxis axis = vt_plot_axis_around(values, n, is_log);
  if (n > 0 && !is_log) { /* a small plot has few ticks: its ends are to be among them */
    const double step = vt_plot_round_up((axis.high - axis.low) / 3);
    axis.low = floor(axis.low / step) * step;
    axis.high = ceil(axis.high / step) * step;
  }
  return axis;
}

VtBoxesData *
vt_boxes_data_new(const VtColumns *columns, const VtObjectFilter *filter, guint column, guint words, gboolean is_log)
{
  VtBoxesData *self = g_new0(VtBoxesData, 1);
  const VtColumn *of = vt_columns_get_added(columns, words);
  self->n_objects = columns->objects->len;
  self->n = of && of->words ? g_strv_length(of->words) : 0;
  self->boxes = g_new0(VtBox, self->n + 1);
  g_autofree GArray **groups = g_new(GArray *, self->n + 1);
  for (guint k = 0; k < self->n; k++)
    groups[k] = g_array_new(FALSE, FALSE, sizeof(double));
  for (guint i = 0; i < self->n_objects; i++) {
    if (filter && !vt_object_filter_passes(filter, columns->objects, i))
      continue;
    const double value = vt_columns_get_value(columns, i, column);
    const guint n = put(self, groups, columns, i, of, value);
    self->n_passing++;
    self->n_none += n == 0;
    self->n_several += n > 1;
    self->n_absent += n > 0 && !(fabs(value) <= VT_PLOT_LARGEST);
  }
  for (guint k = 0; k < self->n; k++) {
    self->boxes[k].name = g_strdup(of->words[k]);
    sort_into(&self->boxes[k], groups[k]);
    g_array_unref(groups[k]);
  }
  self->axis = find_axis(self, is_log);
  return self;
}

void
vt_boxes_data_free(VtBoxesData *self)
{
  for (guint k = 0; k < self->n; k++)
    g_free(self->boxes[k].name);
  g_free(self->boxes);
  g_free(self);
}
