/* SPDX-License-Identifier: MIT */
#include "layers/vt-object-shape.h"

#include <math.h>

#include "base/vt-define.h"

VtObjectShape *
vt_object_shape_new(guint x, gboolean is_log_x, guint y, gboolean is_log_y, const double *points, guint n)
{
  VtObjectShape *self = g_atomic_rc_box_new0(VtObjectShape);
  *self = (VtObjectShape){
    .x = x, .y = y, .is_log_x = is_log_x, .is_log_y = is_log_y, .n = n, .places = g_new(double, 2 * (gsize)n + 1)
  };
  self->low[0] = self->low[1] = INFINITY;
  self->high[0] = self->high[1] = -INFINITY;
  for (guint i = 0; i < 2 * n; i++) {
    self->places[i] = vt_object_shape_get_place(points[i], i % 2 == 0 ? is_log_x : is_log_y);
    self->low[i % 2] = fmin(self->low[i % 2], self->places[i]);
    self->high[i % 2] = fmax(self->high[i % 2], self->places[i]);
  }
  for (int k = 0; k < 2; k++) {
    const double room = 1e-9 * fmax(fabs(self->low[k]), fabs(self->high[k]));
    self->low[k] -= room;
    self->high[k] += room;
  }
  return self;
}

static void
clear(gpointer shape)
{
  g_free(((VtObjectShape *)shape)->places);
}

VT_DEFINE_REF(VtObjectShape, vt_object_shape, clear)

double
vt_object_shape_get_place(double value, gboolean is_log)
{
  return !is_log ? value : value > 0 ? log10(value) : NAN;
}

gboolean
vt_object_shape_passes(const VtObjectShape *shape, guint i, double x, double y)
{
  const double *a = shape->places + 2 * (gsize)i, *b = shape->places + (i + 1 < shape->n ? 2 * (gsize)(i + 1) : 0);
  return (a[1] <= y) != (b[1] <= y) && x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
}

gboolean
vt_object_shape_holds(const VtObjectShape *shape, double x, double y)
{
  gboolean is_in = FALSE;
  if (!(x >= shape->low[0] && x <= shape->high[0] && y >= shape->low[1] && y <= shape->high[1]))
    return FALSE;
  for (guint i = 0; i < shape->n; i++)
    is_in ^= vt_object_shape_passes(shape, i, x, y);
  return is_in;
}
