/* SPDX-License-Identifier: MIT */
#include "panels/vt-plot-data.h"

#include <math.h>

/* --- bins --- */

static void
make_linear_edges(GArray *edges, double min, double max, guint most_bins)
{
  const double largest = fmax(fabs(min), fabs(max));
  double wanted = (max - min) / (most_bins - 1);
  int mantissa, exponent;
  if (!(max > min))
    wanted = largest / 20; /* one number: in the middle of others of its kind */
  const double step = vt_plot_round_up_parts(fmax(wanted, largest * 1e-13), &mantissa, &exponent);
  double k = floor(min / step);
  k -= vt_plot_get_decimal(k * mantissa, exponent) > min; /* the quotient was rounded */
  for (;; k++) {
    const double edge = vt_plot_get_decimal(k * mantissa, exponent);
    g_array_append_val(edges, edge);
    if (edge > max || edges->len > 2 * most_bins)
      break;
  }
}

/* As many to each decade, or a few decades to each bin. */
static void
make_log_edges(GArray *edges, double min, double max, guint most_bins)
{
  static const int parts[] = { 50, 20, 10, 5, 4, 2, 1 };
  const int low = (int)floor(log10(min)) - 1, high = (int)ceil(log10(max)) + 1;
  guint at = 0;
  while (at + 1 < G_N_ELEMENTS(parts) && (guint)((high - low - 1) * parts[at]) > most_bins)
    at++;
  for (int k = low * parts[at];; k++) {
    const double edge = pow(10, (double)k / parts[at]);
    if (edge > min || edges->len == 0)
      g_array_append_val(edges, edge);
    else
      g_array_index(edges, double, 0) = edge; /* the last one that is not above the least number */
    if (edge > max)
      break;
  }
}

static double
get_edge(const VtPlotData *self, guint i)
{
  return g_array_index(self->edges, double, i);
}

static void
make_edges(VtPlotData *self, const double *values, guint most_bins)
{
  double min = INFINITY, max = -INFINITY;
  for (guint i = 0; i < self->n_objects; i++)
    if (vt_plot_axis_can_show(self->axis.is_log, values[i])) {
      min = fmin(min, values[i]);
      max = fmax(max, values[i]);
    }
  if (min > max)
    return;
  if (self->axis.is_log)
    make_log_edges(self->edges, min, max, most_bins);
  else
    make_linear_edges(self->edges, min, max, most_bins);
  self->axis.low = get_edge(self, 0);
  self->axis.high = get_edge(self, self->edges->len - 1);
}

/* A guess by the place on the axis, put right by the edges themselves: they alone say where a number belongs. */
gint
vt_plot_data_find_bin(const VtPlotData *self, double value)
{
  const guint n = self->edges->len > 0 ? self->edges->len - 1 : 0;
  if (n == 0 || !(value >= get_edge(self, 0)) || !(value < get_edge(self, n)))
    return -1;
  guint bin = MIN((guint)(vt_plot_axis_get_part(&self->axis, value) * n), n - 1);
  while (value < get_edge(self, bin))
    bin--;
  while (value >= get_edge(self, bin + 1))
    bin++;
  return (gint)bin;
}

VtPlotData *
vt_plot_data_new(const VtColumns *columns, const VtObjectFilter *filter, guint column, gboolean is_log, guint most_bins)
{
  VtPlotData *self = g_new0(VtPlotData, 1);
  const GPtrArray *objects = columns->objects;
  g_autofree double *values = g_new(double, objects->len + 1);
  self->n_objects = objects->len;
  self->axis.is_log = is_log;
  self->edges = g_array_new(FALSE, FALSE, sizeof(double));
  self->values = g_new(double, objects->len + 1);
  for (guint i = 0; i < objects->len; i++)
    values[i] = vt_columns_get_value(columns, i, column);
  make_edges(self, values, most_bins);
  self->all = g_new0(guint, self->edges->len + 1);
  self->some = g_new0(guint, self->edges->len + 1);
  for (guint i = 0; i < objects->len; i++) {
    const gboolean passes = !filter || vt_object_filter_passes(filter, objects, i);
    const gint bin = vt_plot_axis_can_show(self->axis.is_log, values[i]) ? vt_plot_data_find_bin(self, values[i]) : -1;
    self->n_passing += passes;
    self->n_absent += passes && bin < 0;
    if (bin < 0)
      continue;
    self->all[bin]++;
    self->some[bin] += passes;
    if (passes)
      self->values[self->n_values++] = values[i];
  }
  return self;
}

void
vt_plot_data_free(VtPlotData *self)
{
  g_array_unref(self->edges);
  g_free(self->values);
  g_free(self->all);
  g_free(self->some);
  g_free(self);
}

guint
vt_plot_data_count(const VtPlotData *self, double from, double to)
{
  guint n = 0;
  for (guint i = 0; i < self->n_values; i++)
    n += (self->values[i] >= from) & (self->values[i] <= to);
  return n;
}
