/* SPDX-License-Identifier: MIT */
#include "common/vt-slider-scale.h"

#include <math.h>

#define LINEAR_SPAN 100  /* two decades */
#define LONGEST_SPAN 1e6 /* six: more is no range, it is what the type holds */
#define LONGEST_RULER 2000
#define ZERO_SHARE 0.05 /* of a slider that goes down to zero, which has no logarithm: linear there */

gboolean
vt_slider_scale_init(VtSliderScale *scale, double min, double max, double step)
{
  const double least = min > 0 ? min : step;
  *scale = (VtSliderScale){ .min = min, .max = max, .step = step };
  if (!(max > min) || !(step > 0))
    return FALSE;
  if (min < 0)
    return (max - min) / step <= LONGEST_RULER;
  if (max / least > LINEAR_SPAN)
    scale->least = least;
  return max / least <= LONGEST_SPAN;
}

static double
get_zero_share(const VtSliderScale *scale)
{
  return scale->min < scale->least ? ZERO_SHARE : 0;
}

double
vt_slider_scale_get_value(const VtSliderScale *scale, double position)
{
  const double zero = get_zero_share(scale), t = CLAMP(position, 0.0, 1.0);
  double value;
  if (scale->least <= 0)
    value = scale->min + (scale->max - scale->min) * t;
  else if (t < zero)
    value = scale->min + (scale->least - scale->min) * t / zero;
  else
    value = scale->least * pow(scale->max / scale->least, (t - zero) / (1 - zero));
  value = scale->min + round((value - scale->min) / scale->step) * scale->step;
  return MIN(value, scale->max);
}

double
vt_slider_scale_get_position(const VtSliderScale *scale, double value)
{
  const double zero = get_zero_share(scale);
  double t;
  if (scale->least <= 0)
    t = (value - scale->min) / (scale->max - scale->min);
  else if (value < scale->least)
    t = zero * (value - scale->min) / MAX(scale->least - scale->min, G_MINDOUBLE);
  else
    t = zero + (1 - zero) * log(value / scale->least) / log(scale->max / scale->least);
  return CLAMP(t, 0.0, 1.0);
}
