/* SPDX-License-Identifier: MIT */
#include "panels/vt-scatter-data.h"

#include <math.h>
#include <string.h>

#include "base/vt-define.h"

/* --- points --- */

VtScatterPoints *
vt_scatter_points_new(const VtColumns *columns, const VtObjectFilter *filter, guint column_x, gboolean is_log_x,
                      guint column_y, gboolean is_log_y)
{
  VtScatterPoints *self = g_atomic_rc_box_new0(VtScatterPoints);
  const GPtrArray *objects = columns->objects;
  *self = (VtScatterPoints){ .column_x = column_x, .column_y = column_y, .is_log_x = is_log_x, .is_log_y = is_log_y };
  self->n_objects = objects->len;
  self->x = g_new(double, objects->len + 1);
  self->y = g_new(double, objects->len + 1);
  self->passes = g_new(guint8, objects->len + 1);
  for (guint i = 0; i < objects->len; i++) {
    const double x = vt_columns_get_value(columns, i, column_x), y = vt_columns_get_value(columns, i, column_y);
    const gboolean passes = !filter || vt_object_filter_passes(filter, objects, i);
    const gboolean is_shown = vt_plot_axis_can_show(is_log_x, x) && vt_plot_axis_can_show(is_log_y, y);
    self->n_passing += passes;
    self->n_absent += passes && !is_shown;
    if (!is_shown)
      continue;
    self->x[self->n] = x;
    self->y[self->n] = y;
    self->passes[self->n++] = passes;
  }
  self->all_x = vt_plot_axis_around(self->x, self->n, is_log_x);
  self->all_y = vt_plot_axis_around(self->y, self->n, is_log_y);
  return self;
}

static void
clear_points(gpointer data)
{
  VtScatterPoints *self = data;
  g_free(self->x);
  g_free(self->y);
  g_free(self->passes);
}

VT_DEFINE_REF(VtScatterPoints, vt_scatter_points, clear_points)

/* --- cells --- */

/* Cells of an axis in places (values or their logarithms). */
typedef struct {
  double low, scale, top;
  gboolean is_log;
} Ruler;

static Ruler
make_ruler(const VtPlotAxis *axis, guint n)
{
  const double low = vt_object_shape_get_place(axis->low, axis->is_log);
  const double high = vt_object_shape_get_place(axis->high, axis->is_log);
  return (Ruler){ low, n / (high - low), n, axis->is_log };
}

/* Counted in cells; may lie outside. */
static double
measure(const Ruler *ruler, double place)
{
  return (place - ruler->low) * ruler->scale;
}

VtScatterData *
vt_scatter_data_new(VtScatterPoints *points, const VtPlotAxis *x, const VtPlotAxis *y, guint width, guint height)
{
  VtScatterData *self = g_atomic_rc_box_new0(VtScatterData);
  const Ruler along_x = make_ruler(x, width), along_y = make_ruler(y, height);
  *self = (VtScatterData){ vt_scatter_points_ref(points), *x, *y, width, height };
  self->counts = g_new0(guint32, (gsize)width * height);
  self->others = g_new0(guint8, (gsize)width * height);
  self->cells = g_new(guint32, points->n + 1);
  for (guint i = 0; i < points->n; i++) {
    const double col = measure(&along_x, vt_object_shape_get_place(points->x[i], x->is_log));
    const double row = measure(&along_y, vt_object_shape_get_place(points->y[i], y->is_log));
    if (!(col >= 0 && col <= width && row >= 0 && row <= height)) {
      self->cells[i] = VT_SCATTER_OUTSIDE;
      self->n_outside += points->passes[i];
      continue;
    }
    const guint32 cell = (height - 1 - MIN((guint32)row, height - 1)) * width + MIN((guint32)col, width - 1);
    self->cells[i] = cell;
    self->counts[cell] += points->passes[i];
    self->others[cell] |= !points->passes[i];
    self->most = MAX(self->most, self->counts[cell]);
  }
  return self;
}

static void
clear_data(gpointer data)
{
  VtScatterData *self = data;
  vt_scatter_points_unref(self->points);
  g_free(self->counts);
  g_free(self->others);
  g_free(self->cells);
}

VT_DEFINE_REF(VtScatterData, vt_scatter_data, clear_data)

double
vt_scatter_get_shade(guint32 count, guint32 most)
{
  return most > 1 && count > 0 ? log(count) / log(most) : 1;
}

/* --- the mask --- */

enum { OUT, IN, BORDER };

typedef struct {
  const VtScatterData *data;
  VtObjectShape *shape;
  Ruler x, y;
  guint8 *cells; /* OUT, IN or BORDER */
  GArray **rows; /* guint: edges that come near to a row of cells, which is all that decides about the objects in it */
} Mask;

/* The edges lie exactly where the shape says, cells where a division was rounded: one more cell to all sides is the border's. */
static void
mark_edge(Mask *mask, guint edge)
{
  const VtObjectShape *shape = mask->shape;
  const double *a = shape->places + 2 * (gsize)edge;
  const double *b = shape->places + (edge + 1 < shape->n ? 2 * (gsize)(edge + 1) : 0);
  const double width = mask->data->width, height = mask->data->height;
  const double ax = measure(&mask->x, a[0]), ay = measure(&mask->y, a[1]);
  const double bx = measure(&mask->x, b[0]), by = measure(&mask->y, b[1]);
  const double low = fmin(ay, by), high = fmax(ay, by);
  if (!(high >= -1 && low <= height + 1)) /* far away, or nowhere */
    return;
  const int from = (int)fmax(floor(low) - 1, 0), to = (int)fmin(floor(high) + 1, height - 1);
  for (int row = from; row <= to; row++) {
    const double y0 = CLAMP(row - 1, low, high), y1 = CLAMP(row + 2, low, high);
    const double x0 = high > low ? ax + (y0 - ay) / (by - ay) * (bx - ax) : ax;
    const double x1 = high > low ? ax + (y1 - ay) / (by - ay) * (bx - ax) : bx;
    const double first = fmax(floor(fmin(x0, x1)) - 1, 0), last = fmin(floor(fmax(x0, x1)) + 1, width - 1);
    g_array_append_val(mask->rows[row], edge);
    if (first <= last)
      memset(mask->cells + (gsize)(mask->data->height - 1 - (guint)row) * mask->data->width + (gsize)first, BORDER,
             (gsize)(last - first) + 1);
  }
}

static gboolean
holds(const Mask *mask, guint row, double x, double y)
{
  const GArray *edges = mask->rows[row];
  gboolean is_in = FALSE;
  for (guint i = 0; i < edges->len; i++)
    is_in ^= vt_object_shape_passes(mask->shape, g_array_index(edges, guint, i), x, y);
  return is_in;
}

/* What no border crosses is in or out as a whole. */
static void
fill_row(Mask *mask, guint row)
{
  const guint width = mask->data->width;
  guint8 *cells = mask->cells + (gsize)(mask->data->height - 1 - row) * width;
  const double y = (row + 0.5) / mask->y.scale + mask->y.low;
  for (guint col = 0; col < width; col++) {
    if (cells[col] == BORDER)
      continue;
    cells[col] = col > 0 && cells[col - 1] != BORDER ? cells[col - 1]
                                                     : holds(mask, row, (col + 0.5) / mask->x.scale + mask->x.low, y);
  }
}

static guint
count_in_shape(const VtScatterData *self, VtObjectShape *shape)
{
  const VtScatterPoints *points = self->points;
  Mask mask = {
    .data = self, .shape = shape, .x = make_ruler(&self->x, self->width), .y = make_ruler(&self->y, self->height)
  };
  guint n = 0;
  mask.cells = g_malloc0((gsize)self->width * self->height);
  mask.rows = g_new(GArray *, self->height);
  for (guint row = 0; row < self->height; row++)
    mask.rows[row] = g_array_new(FALSE, FALSE, sizeof(guint));
  for (guint i = 0; i < shape->n; i++)
    mark_edge(&mask, i);
  for (guint row = 0; row < self->height; row++)
    fill_row(&mask, row);
  for (guint i = 0; i < points->n; i++) {
    const guint32 cell = self->cells[i];
    const guint8 what = cell == VT_SCATTER_OUTSIDE ? BORDER : mask.cells[cell];
    if (what != BORDER) {
      n += what & points->passes[i];
    } else if (points->passes[i]) {
      const double x = vt_object_shape_get_place(points->x[i], shape->is_log_x);
      const double y = vt_object_shape_get_place(points->y[i], shape->is_log_y);
      n += cell == VT_SCATTER_OUTSIDE ? vt_object_shape_holds(shape, x, y)
                                      : holds(&mask, self->height - 1 - cell / self->width, x, y);
    }
  }
  for (guint row = 0; row < self->height; row++)
    g_array_unref(mask.rows[row]);
  g_free(mask.rows);
  g_free(mask.cells);
  return n;
}

static VtObjectShape *
shape_new(const VtScatterChoice *choice, guint x, gboolean is_log_x, guint y, gboolean is_log_y)
{
  return vt_object_shape_new(x, is_log_x, y, is_log_y, (const double *)(gpointer)choice->points->data,
                             choice->points->len / 2);
}

guint
vt_scatter_data_count(const VtScatterData *self, const VtScatterChoice *choice)
{
  const VtScatterPoints *p = self->points;
  guint n = 0;
  if (choice->is_polygon) {
    g_autoptr(VtObjectShape) shape = shape_new(choice, p->column_x, p->is_log_x, p->column_y, p->is_log_y);
    return count_in_shape(self, shape);
  }
  for (guint i = 0; i < p->n; i++)
    n += (p->x[i] >= choice->from_x) & (p->x[i] <= choice->to_x) & (p->y[i] >= choice->from_y)
         & (p->y[i] <= choice->to_y) & p->passes[i];
  return n;
}

/* --- the choice --- */

void
vt_scatter_choice_clear(VtScatterChoice *choice)
{
  g_clear_pointer(&choice->points, g_array_unref);
}

VtObjectFilter *
vt_scatter_choice_new_filter(const VtScatterChoice *choice, const VtColumns *columns, guint column_x, gboolean is_log_x,
                             guint column_y, gboolean is_log_y)
{
  if (choice->is_polygon) {
    g_autoptr(VtObjectShape) shape = shape_new(choice, column_x, is_log_x, column_y, is_log_y);
    return vt_object_filter_new_shape(columns, shape);
  }
  g_autoptr(VtObjectFilter) x = vt_object_filter_new_range(columns, column_x, choice->from_x, choice->to_x);
  g_autoptr(VtObjectFilter) y = vt_object_filter_new_range(columns, column_y, choice->from_y, choice->to_y);
  return vt_object_filter_join(x, y);
}
