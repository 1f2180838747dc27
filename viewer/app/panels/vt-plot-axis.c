/* SPDX-License-Identifier: MIT */
#include "panels/vt-plot-axis.h"

#include <math.h>

double
vt_plot_get_decimal(double mantissa, int exponent)
{
  return exponent >= 0 ? mantissa * pow(10, exponent) : mantissa / pow(10, -exponent);
}

double
vt_plot_round_up_parts(double value, int *mantissa, int *exponent)
{
  static const int mantissas[] = { 1, 2, 5, 10 };
  value = CLAMP(value, 1e-290, 2 * VT_PLOT_LARGEST);
  *exponent = (int)floor(log10(value)) - 1; /* one lower, since a logarithm is rounded */
  for (;; (*exponent)++)
    for (guint i = 0; i < G_N_ELEMENTS(mantissas); i++)
      if (vt_plot_get_decimal(*mantissa = mantissas[i], *exponent) >= value)
        return vt_plot_get_decimal(*mantissa, *exponent);
}

double
vt_plot_round_up(double value)
{
  int mantissa, exponent;
  return vt_plot_round_up_parts(value, &mantissa, &exponent);
}

gboolean
vt_plot_axis_can_show(gboolean is_log, double value)
{
  return fabs(value) <= VT_PLOT_LARGEST && (!is_log || value >= VT_PLOT_LEAST_LOG);
}

VtPlotAxis
vt_plot_axis_around(const double *values, guint n, gboolean is_log)
{
  double min = INFINITY, max = -INFINITY;
  for (guint i = 0; i < n; i++) {
    min = fmin(min, values[i]);
    max = fmax(max, values[i]);
  }
  if (n == 0)
    return (VtPlotAxis){ is_log ? 0.1 : 0, 1, is_log };
  if (is_log) {
    const double low = pow(10, floor(log10(min) * 10 - 1e-6) / 10), high = pow(10, ceil(log10(max) * 10 + 1e-6) / 10);
    return (VtPlotAxis){ fmin(low, min), fmax(high, max), TRUE };
  }
  if (!(max > min)) {
    const double room = fmax(fabs(min) * 0.1, 1e-9);
    return (VtPlotAxis){ min - room, max + room, FALSE };
  }
  const double step = vt_plot_round_up((max - min) / 20);
  return (VtPlotAxis){ fmin(floor(min / step) * step, min), fmax(ceil(max / step) * step, max), FALSE };
}

double
vt_plot_axis_get_part(const VtPlotAxis *axis, double value)
{
  double low = axis->low, high = axis->high;
  if (axis->is_log) {
    low = log10(low);
    high = log10(high);
    value = value >= VT_PLOT_LEAST_LOG ? log10(value) : low;
  }
  return CLAMP((value - low) / (high - low), 0, 1);
}

double
vt_plot_axis_get_value(const VtPlotAxis *axis, double part)
{
  part = CLAMP(part, 0, 1);
  if (axis->is_log)
    return pow(10, log10(axis->low) * (1 - part) + log10(axis->high) * part);
  return axis->low * (1 - part) + axis->high * part;
}

double
vt_plot_axis_snap(const VtPlotAxis *axis, double part, guint n)
{
  part = CLAMP(part, 0, 1);
  const double value = vt_plot_axis_get_value(axis, part);
  const double near = fabs(vt_plot_axis_get_value(axis, part < 0.5 ? part + 1.0 / n : part - 1.0 / n) - value);
  int mantissa, exponent;
  vt_plot_round_up_parts(near / 2.5, &mantissa, &exponent); /* rounded up it is at most 2.5 times as much */
  const double whole = round(value / vt_plot_get_decimal(mantissa, exponent));
  return fabs(whole) < 1e15 ? vt_plot_get_decimal(whole * mantissa, exponent) : value;
}

static guint
get_even_ticks(const VtPlotAxis *axis, double most, double *ticks)
{
  guint n = 0;
  int mantissa, exponent;
  const double step = vt_plot_round_up_parts((axis->high - axis->low) / most, &mantissa, &exponent);
  for (double k = ceil(axis->low / step - 1e-9); k * step <= axis->high + step * 1e-9 && n < VT_PLOT_MOST_TICKS; k++)
    ticks[n++] = vt_plot_get_decimal(k * mantissa, exponent) + 0.0; /* of two zeros the one without a sign */
  return n;
}

/* On a short logarithmic axis powers of ten are too few: 2 and 5 times them, too. One tick alone tells no scale: then as on an even axis. */
static guint
get_log_ticks(const VtPlotAxis *axis, double most, double *ticks)
{
  static const double between[] = { 1, 2, 5 };
  const double low = log10(axis->low), high = log10(axis->high), decades = high - low;
  const double step = ceil(MAX(decades / most, 0.5));
  const guint n_between = decades * 3 <= most ? 3 : 1;
  guint n = 0;
  for (double k = floor(low); k <= high + 1e-9; k += step)
    for (guint i = 0; i < n_between && n < VT_PLOT_MOST_TICKS; i++) {
      const double tick = vt_plot_get_decimal(between[i], (int)k);
      if (tick >= axis->low * (1 - 1e-9) && tick <= axis->high * (1 + 1e-9))
        ticks[n++] = tick;
    }
  return n < 2 ? get_even_ticks(axis, MAX(most, 5), ticks) : n; /* a step of at most half the axis */
}

guint
vt_plot_axis_get_ticks(const VtPlotAxis *axis, double most, double *ticks)
{
  most = MAX(most, 1);
  return axis->is_log ? get_log_ticks(axis, most, ticks) : get_even_ticks(axis, most, ticks);
}
