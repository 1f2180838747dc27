/* SPDX-License-Identifier: MIT */
#include "layers/vt-object-shape.h"

#include <math.h>

VtObjectShape *
vt_object_shape_new(guint x, gboolean is_log_x, guint y, gboolean is_log_y, const double *points, guint n)
{
  VtObjectShape *self = g_atomic_rc_box_new0(VtObjectShape);
  *self = (VtObjectShape){ x, y, is_log_x, is_log_y, n, g_new(double, 2 * (gsize)n + 1) };
  for (guint i = 0; i < 2 * n; i++)
    self->places[i] = vt_object_shape_get_place(points[i], i % 2 == 0 ? is_log_x : is_log_y);
  return self;
}

VtObjectShape *
vt_object_shape_ref(VtObjectShape *shape)
{
  return g_atomic_rc_box_acquire(shape);
}

static void
clear(gpointer shape)
{
  g_free(((VtObjectShape *)shape)->places);
}

void
vt_object_shape_unref(VtObjectShape *shape)
{
  g_atomic_rc_box_release_full(shape, clear);
}

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
  for (guint i = 0; i < shape->n; i++)
    is_in ^= vt_object_shape_passes(shape, i, x, y);
  return is_in;
}
