/* SPDX-License-Identifier: MIT
 *
 * Values of a number along a slider from 0 to 1: in equal steps, or logarithmically where they span more than two decades. No
 * widget. */
#pragma once
#include <glib.h>

typedef struct {
  double min, max, step;
  double least; /* the first value of the logarithmic part; 0: linear */
} VtSliderScale;

/* Values are min, min + step, ..., max; step > 0. FALSE: the range is none that a hand could choose from (a million steps and more,
 * negative and long). */
gboolean vt_slider_scale_init(VtSliderScale *scale, double min, double max, double step);
double vt_slider_scale_get_value(const VtSliderScale *scale, double position);
double vt_slider_scale_get_position(const VtSliderScale *scale, double value);
