/* SPDX-License-Identifier: MIT */
#include "run/vt-roi.h"

#include <math.h>
#include <string.h>

#include "base/vt-define.h"

VtRoi *
vt_roi_new(const char *name)
{
  VtRoi *roi = g_new0(VtRoi, 1);
  roi->name = g_strdup(name);
  roi->color = VT_ROI_NO_COLOR;
  roi->ring_sizes = g_array_new(FALSE, FALSE, sizeof(guint32));
  roi->points = g_array_new(FALSE, FALSE, sizeof(double));
  return roi;
}

VtRoi *
vt_roi_new_shape(VtShapeKind kind, const double *points, guint n)
{
  VtRoi *roi = vt_roi_new(NULL);
  roi->kind = kind;
  g_array_append_val(roi->ring_sizes, n);
  g_array_append_vals(roi->points, points, 2 * n);
  return roi;
}

VtRoi *
vt_roi_new_rectangle(const char *name, double x_l0, double y_l0, double width_l0, double height_l0)
{
  const guint32 n = 4;
  const double points[8] = {
    x_l0, y_l0, x_l0 + width_l0, y_l0, x_l0 + width_l0, y_l0 + height_l0, x_l0, y_l0 + height_l0
  };
  VtRoi *roi = vt_roi_new(name);
  g_array_append_val(roi->ring_sizes, n);
  g_array_append_vals(roi->points, points, G_N_ELEMENTS(points));
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

gboolean
vt_ring_is_outer(const double *p, guint n)
{
  double area = 0;
  for (guint a = 0, b = n - 1; a < n; b = a++)
    area += p[2 * b] * p[2 * a + 1] - p[2 * a] * p[2 * b + 1];
  return area > 0;
}

VtRoi *
vt_roi_new_polygon(const char *name, const double *points, guint n)
{
  const gboolean backwards = vt_ring_get_turn(points, n) < 0;
  VtRoi *roi = vt_roi_new(name);
  g_array_append_val(roi->ring_sizes, n);
  for (guint i = 0; i < n; i++)
    g_array_append_vals(roi->points, points + 2 * (backwards ? n - 1 - i : i), 2);
  return roi;
}

VtRoi *
vt_roi_copy_plain(const VtRoi *roi)
{
  VtRoi *copy = vt_roi_new(NULL);
  vt_roi_take_looks(copy, roi);
  copy->kind = roi->kind;
  g_array_append_vals(copy->ring_sizes, roi->ring_sizes->data, roi->ring_sizes->len);
  g_array_append_vals(copy->points, roi->points->data, roi->points->len);
  return copy;
}

VtRoi *
vt_roi_copy(const VtRoi *roi)
{
  VtRoi *copy = vt_roi_copy_plain(roi);
  copy->measured = roi->measured ? vt_measured_ref(roi->measured) : NULL;
  return copy;
}

void
vt_roi_take_looks(VtRoi *roi, const VtRoi *from)
{
  g_free(roi->name);
  g_free(roi->class_name);
  roi->name = g_strdup(from->name);
  roi->class_name = g_strdup(from->class_name);
  roi->color = from->color;
  roi->is_locked = from->is_locked;
  roi->is_hidden = from->is_hidden;
}

static gboolean
is_same_array(const GArray *a, const GArray *b)
{
  return a->len == b->len && memcmp(a->data, b->data, a->len * g_array_get_element_size((GArray *)a)) == 0;
}

gboolean
vt_roi_has_same_outline(const VtRoi *a, const VtRoi *b)
{
  return a->kind == b->kind && is_same_array(a->ring_sizes, b->ring_sizes) && is_same_array(a->points, b->points);
}

gboolean
vt_roi_equal(const VtRoi *a, const VtRoi *b)
{
  return g_strcmp0(a->name, b->name) == 0 && vt_roi_has_same_outline(a, b);
}

guint
vt_rois_count_areas(const GPtrArray *rois)
{
  guint n = 0;
  for (guint i = 0; i < rois->len; i++)
    n += ((const VtRoi *)rois->pdata[i])->kind == VT_SHAPE_AREA;
  return n;
}

gint32
vt_roi_parse_color(const char *text)
{
  gint32 color = 0;
  if (!text || text[0] != '#' || strlen(text) != 7)
    return VT_ROI_NO_COLOR;
  for (int i = 1; i < 7; i++) {
    const int digit = g_ascii_xdigit_value(text[i]);
    if (digit < 0)
      return VT_ROI_NO_COLOR;
    color = color * 16 + digit;
  }
  return color;
}

VT_DEFINE_TYPE_FREE(vt_roi_free, VtRoi,
                    VT_FREES(g_free, name, class_name) VT_FREES(g_array_unref, ring_sizes, points)
                      VT_FREES(vt_measured_unref, measured))

void
vt_ring_get_box(const double *points, guint n, double box[4])
{
  for (guint i = 0; i < 4; i++)
    box[i] = n > 0 ? points[i % 2] : 0;
  for (guint i = 2; i < 2 * n; i++) {
    box[i % 2] = MIN(box[i % 2], points[i]);
    box[2 + i % 2] = MAX(box[2 + i % 2], points[i]);
  }
}

void
vt_roi_get_bounds(const VtRoi *roi, double *x, double *y, double *width, double *height)
{
  double box[4];
  vt_roi_get_box(roi, box);
  *x = box[0];
  *y = box[1];
  *width = box[2] - box[0];
  *height = box[3] - box[1];
}

void
vt_roi_get_box(const VtRoi *roi, double box[4])
{
  vt_ring_get_box(vt_roi_get_points(roi), roi->points->len / 2, box);
}

gboolean
vt_roi_contains(const VtRoi *roi, double x_l0, double y_l0)
{
  const double *p = vt_roi_get_points(roi);
  gboolean is_inside = FALSE;
  if (roi->kind != VT_SHAPE_AREA)
    return FALSE;
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

guint8 *
vt_rois_find_inside(const GPtrArray *rois, const double *points, guint n)
{
  guint8 *inside = g_new0(guint8, n + 1);
  VT_EACH_OF (const VtRoi, roi, rois) {
    double x, y, width, height;
    vt_roi_get_bounds(roi, &x, &y, &width, &height);
    for (guint i = 0; i < n; i++) {
      const double *p = points + 2 * (gsize)i;
      if (!inside[i] && p[0] >= x && p[0] - x <= width && p[1] >= y && p[1] - y <= height)
        inside[i] = vt_roi_contains(roi, p[0], p[1]);
    }
  }
  return inside;
}

gboolean
vt_roi_is_rectangle(const VtRoi *roi)
{
  double x, y, width, height;
  vt_roi_get_bounds(roi, &x, &y, &width, &height);
  return roi->kind == VT_SHAPE_AREA && roi->ring_sizes->len == 1
         && fabs(vt_ring_get_turn(vt_roi_get_points(roi), roi->points->len / 2)) >= 2 * width * height;
}
