/* SPDX-License-Identifier: MIT */
#include "run/vt-roi.h"

#include <math.h>
#include <string.h>

VtRoi *
vt_roi_new_rectangle(const char *name, double x_l0, double y_l0, double width_l0, double height_l0)
{
  const guint32 n = 4;
  const double points[8] = {
    x_l0, y_l0, x_l0 + width_l0, y_l0, x_l0 + width_l0, y_l0 + height_l0, x_l0, y_l0 + height_l0
  };
  VtRoi *roi = g_new0(VtRoi, 1);
  roi->name = g_strdup(name);
  roi->ring_sizes = g_array_append_vals(g_array_new(FALSE, FALSE, sizeof(guint32)), &n, 1);
  roi->points = g_array_append_vals(g_array_new(FALSE, FALSE, sizeof(double)), points, G_N_ELEMENTS(points));
  return roi;
}

double
vt_ring_get_turn(const double *points, guint n)
{
  double turn = 0;
  for (guint i = 0, last = n - 1; i < n; last = i++)
    turn += (points[2 * last] - points[0]) * (points[2 * i + 1] - points[1])
            - (points[2 * i] - points[0]) * (points[2 * last + 1] - points[1]);
  return turn;
}

VtRoi *
vt_roi_new_polygon(const char *name, const double *points, guint n)
{
  const gboolean backwards = vt_ring_get_turn(points, n) < 0;
  VtRoi *roi = g_new0(VtRoi, 1);
  roi->name = g_strdup(name);
  roi->ring_sizes = g_array_append_vals(g_array_new(FALSE, FALSE, sizeof(guint32)), &n, 1);
  roi->points = g_array_sized_new(FALSE, FALSE, sizeof(double), 2 * n);
  for (guint i = 0; i < n; i++)
    g_array_append_vals(roi->points, points + 2 * (backwards ? n - 1 - i : i), 2);
  return roi;
}

VtRoi *
vt_roi_copy(const VtRoi *roi)
{
  VtRoi *copy = g_new0(VtRoi, 1);
  copy->name = g_strdup(roi->name);
  copy->ring_sizes = g_array_copy(roi->ring_sizes);
  copy->points = g_array_copy(roi->points);
  return copy;
}

static gboolean
is_same_array(const GArray *a, const GArray *b)
{
  return a->len == b->len && memcmp(a->data, b->data, a->len * g_array_get_element_size((GArray *)a)) == 0;
}

gboolean
vt_roi_equal(const VtRoi *a, const VtRoi *b)
{
  return g_strcmp0(a->name, b->name) == 0 && is_same_array(a->ring_sizes, b->ring_sizes)
         && is_same_array(a->points, b->points);
}

void
vt_roi_free(VtRoi *roi)
{
  g_free(roi->name);
  g_clear_pointer(&roi->ring_sizes, g_array_unref);
  g_clear_pointer(&roi->points, g_array_unref);
  g_free(roi);
}

void
vt_roi_get_bounds(const VtRoi *roi, double *x, double *y, double *width, double *height)
{
  const double *p = (const double *)(gpointer)roi->points->data;
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  for (guint i = 0; i + 1 < roi->points->len; i += 2) {
    x0 = i == 0 ? p[i] : MIN(x0, p[i]);
    x1 = i == 0 ? p[i] : MAX(x1, p[i]);
    y0 = i == 0 ? p[i + 1] : MIN(y0, p[i + 1]);
    y1 = i == 0 ? p[i + 1] : MAX(y1, p[i + 1]);
  }
  *x = x0;
  *y = y0;
  *width = x1 - x0;
  *height = y1 - y0;
}

gboolean
vt_roi_contains(const VtRoi *roi, double x_l0, double y_l0)
{
  const double *p = (const double *)(gpointer)roi->points->data;
  gboolean is_inside = FALSE;
  for (guint ring = 0; ring < roi->ring_sizes->len; ring++) {
    const guint32 n = g_array_index(roi->ring_sizes, guint32, ring);
    for (guint32 i = 0, last = n - 1; i < n; last = i++) {
      /* From the upper end to the lower one: both regions at an edge work out the same number. */
      const double *a = p + 2 * (p[2 * last + 1] < p[2 * i + 1] ? last : i);
      const double *b = p + 2 * (p[2 * last + 1] < p[2 * i + 1] ? i : last);
      if ((a[1] > y_l0) != (b[1] > y_l0) && (b[0] - a[0]) * (y_l0 - a[1]) > (x_l0 - a[0]) * (b[1] - a[1]))
        is_inside = !is_inside;
    }
    p += 2 * n;
  }
  return is_inside;
}

gboolean
vt_roi_is_rectangle(const VtRoi *roi)
{
  double x, y, width, height;
  vt_roi_get_bounds(roi, &x, &y, &width, &height);
  return roi->ring_sizes->len == 1
         && fabs(vt_ring_get_turn((const double *)(gpointer)roi->points->data, roi->points->len / 2))
              >= 2 * width * height;
}
