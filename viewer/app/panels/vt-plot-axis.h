/* SPDX-License-Identifier: MIT
 *
 * One axis of a plot: what it goes from and to, and numbers that are round. Any thread. */
#pragma once
#include <glib.h>

/* Larger numbers are no measurements, and what lies beside them would be beyond the largest double. */
#define VT_PLOT_LARGEST 1e300
#define VT_PLOT_LEAST_LOG 1e-300 /* above zero, on a logarithmic axis */

typedef struct {
  double low, high; /* low < high */
  gboolean is_log;
} VtPlotAxis;

/* Of one axis; both ends belong to it. */
typedef struct {
  gboolean has;
  double from, to;
} VtPlotRange;

/* It can show the number. */
gboolean vt_plot_axis_can_show(gboolean is_log, double value);
/* Round ends with all numbers, which it must be able to show, between them; without numbers it goes to 1. */
VtPlotAxis vt_plot_axis_around(const double *values, guint n, gboolean is_log);
/* Where a number is on the axis, 0 to 1, and what is there; a part beyond these is taken for them. */
double vt_plot_axis_get_part(const VtPlotAxis *axis, double value);
double vt_plot_axis_get_value(const VtPlotAxis *axis, double part);
/* The roundest number that is less than 1/n of the axis away: a person who reads it knows what was meant. A part beyond the axis is taken for its end. */
double vt_plot_axis_snap(const VtPlotAxis *axis, double part, guint n);
/* Round numbers on it, about `most`, at most VT_PLOT_MOST_TICKS; how many there are. */
#define VT_PLOT_MOST_TICKS 64
guint vt_plot_axis_get_ticks(const VtPlotAxis *axis, double most, double *ticks);

/* The smallest 1, 2 or 5 times a power of ten that is not less; of 0 and less a very small one. The second tells which. */
double vt_plot_round_up(double value);
double vt_plot_round_up_parts(double value, int *mantissa, int *exponent);
/* mantissa * 10^exponent, the double nearest to it: 3 * 10^-1 is 0.3, and 3 * 0.1 is not. */
double vt_plot_get_decimal(double mantissa, int exponent);
