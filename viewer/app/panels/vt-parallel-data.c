/* SPDX-License-Identifier: MIT
 *
 * Lines between two axes are told apart by the cells at their ends alone, so they are counted by these first, and each pair of ends is drawn once. */
#include "panels/vt-parallel-data.h"

#include <math.h>
#include <string.h>

#include "base/vt-define.h"

/* --- points --- */

static void
read_axis(VtParallelPoints *self, const VtColumns *columns, guint axis)
{
  double *values = self->values[axis] = g_new(double, self->n + 1);
  double least = INFINITY, most = -INFINITY;
  for (guint i = 0; i < self->n; i++) {
    const double value = vt_columns_get_value(columns, i, self->columns[axis]);
    values[i] = vt_plot_axis_can_show(FALSE, value) ? value : NAN;
    least = fmin(least, values[i]);
    most = fmax(most, values[i]);
  }
  const double ends[] = { least, most };
  self->axes[axis] = vt_plot_axis_around(ends, least <= most ? 2 : 0, FALSE);
}

VtParallelPoints *
vt_parallel_points_new(const VtColumns *columns, const VtObjectFilter *filter, VtClassified *classified,
                       const guint *axes, guint n_axes)
{
  VtParallelPoints *self = g_atomic_rc_box_new0(VtParallelPoints);
  const GPtrArray *objects = columns->objects;
  self->n = objects->len;
  self->n_axes = n_axes;
  self->passes = g_new(guint8, objects->len + 1);
  self->classified = classified && classified->of == objects ? vt_classified_ref(classified) : NULL;
  for (guint k = 0; k < n_axes; k++) {
    self->columns[k] = axes[k];
    read_axis(self, columns, k);
  }
  for (guint i = 0; i < objects->len; i++) {
    gboolean is_absent = FALSE;
    self->passes[i] = !filter || vt_object_filter_passes(filter, objects, i);
    for (guint k = 0; k < n_axes; k++)
      is_absent |= isnan(self->values[k][i]);
    self->n_passing += self->passes[i];
    self->n_absent += self->passes[i] && is_absent;
  }
  return self;
}

static void
clear_points(gpointer data)
{
  VtParallelPoints *self = data;
  for (guint k = 0; k < self->n_axes; k++)
    g_free(self->values[k]);
  g_free(self->passes);
  g_clear_pointer(&self->classified, vt_classified_unref);
}

VT_DEFINE_REF(VtParallelPoints, vt_parallel_points, clear_points)

/* --- cells --- */

/* How many rows above the row where it begins a line is that ends `rise` rows above it, half a column before the middle of column `at`: the row that is nearest, of two the upper
 * one. */
static int
get_rise(int rise, int at, int gap)
{
  const int from = CLAMP(2 * at - 1, 0, 2 * (gap - 1)), whole = MAX(2 * (gap - 1), 1);
  const int up = 2 * rise * from + whole, down = 2 * whole;
  return up >= 0 ? up / down : -((-up + down - 1) / down);
}

void
vt_parallel_get_rows(int a, int b, int at, int gap, int *first, int *last)
{
  const int y0 = a + get_rise(b - a, at, gap), y1 = a + get_rise(b - a, at + 1, gap);
  *first = MIN(y0, y1);
  *last = MAX(y0, y1);
}

typedef struct {
  VtParallelData *data;
  guint8 *kinds;        /* of each object: 0: it is not chosen; else 1 and more: its class */
  guint n_kinds;        /* with 0 */
  guint8 (*colours)[3]; /* of each kind */
  guint16 *rows;        /* get_row() of each object on one axis */
  guint32 *pairs;       /* of each kind, of each pair of get_row() */
  gint16 *rises;        /* get_rise() of each rise, from -(height - 1) on, and each column, and one more */
  guint64 *sums;        /* of red, green, blue of each cell; NULL: no classes */
} Work;

static void
choose(Work *work, const VtPlotRange *ranges)
{
  VtParallelData *data = work->data;
  const VtParallelPoints *points = data->points;
  const guint8 *classes = points->classified ? points->classified->classes : NULL;
  for (guint i = 0; i < points->n; i++)
    work->kinds[i] = !points->passes[i] ? 0 : !classes ? 1 : classes[i] == VT_NO_CLASS ? 1 : 2 + classes[i];
  for (guint k = 0; ranges && k < points->n_axes; k++)
    for (guint i = 0; ranges[k].has && i < points->n; i++)
      if (!(points->values[k][i] >= ranges[k].from && points->values[k][i] <= ranges[k].to))
        work->kinds[i] = 0;
  for (guint i = 0; i < points->n; i++)
    data->n_chosen += work->kinds[i] != 0;
}

/* The row of a number, from below; `height`: it is none. */
static guint16
get_row(double value, double low, double scale, double height)
{
  const double row = (value - low) * scale, cell = row < height - 1 ? row : height - 1;
  return (guint16)(row >= 0 ? cell : height);
}

static void
find_rows(Work *work)
{
  const VtPlotAxis *axis = &work->data->points->axes[0];
  const double height = work->data->height, scale = height / (axis->high - axis->low);
  for (guint i = 0; i < work->data->points->n; i++)
    work->rows[i] = get_row(work->data->points->values[0][i], axis->low, scale, height);
}

/* Between this axis and the former one, whose rows become those of this one. One way through the memory, on which this waits. */
static void
count_pairs(Work *work, guint k)
{
  const VtParallelPoints *points = work->data->points;
  const VtPlotAxis *axis = &points->axes[k];
  const double low = axis->low, height = work->data->height, scale = height / (axis->high - low);
  const double *values = points->values[k];
  const gsize edge = work->data->height + 1, size = edge * edge;
  guint16 *rows = work->rows;
  memset(work->pairs, 0, work->n_kinds * size * sizeof *work->pairs);
  for (guint i = 0; i < points->n; i++) {
    const guint16 left = rows[i], right = rows[i] = get_row(values[i], low, scale, height);
    work->pairs[work->kinds[i] * size + left * edge + right]++;
  }
}

static void
draw_pair(Work *work, guint gap, guint kind, guint a, guint b, guint32 n)
{
  VtParallelData *data = work->data;
  const guint8 *rgb = work->colours[kind];
  const gint16 *rises = work->rises + (b + data->height - 1 - a) * (gsize)(data->gap + 1);
  for (guint at = 0; at < data->gap; at++) {
    const int y0 = (int)a + rises[at], y1 = (int)a + rises[at + 1], last = MAX(y0, y1);
    for (int row = MIN(y0, y1); row <= last; row++) {
      const gsize cell = (data->height - 1 - (gsize)row) * data->width + gap * data->gap + at;
      if (kind == 0) {
        data->others[cell] = 1;
        continue;
      }
      data->counts[cell] += n;
      for (guint c = 0; work->sums && c < 3; c++)
        work->sums[3 * cell + c] += (guint64)n * rgb[c];
    }
  }
}

static void
find_rises(Work *work)
{
  const int height = (int)work->data->height, gap = (int)work->data->gap;
  gint16 *rise = work->rises = g_new(gint16, (2 * (gsize)height - 1) * ((gsize)gap + 1));
  for (int by = -(height - 1); by < height; by++)
    for (int at = 0; at <= gap; at++)
      *rise++ = (gint16)get_rise(by, at, gap);
}

static void
draw_gap(Work *work, guint gap)
{
  const guint height = work->data->height;
  const guint32 *pair = work->pairs;
  for (guint kind = 0; kind < work->n_kinds; kind++)
    for (guint a = 0; a <= height; a++)
      for (guint b = 0; b <= height; b++, pair++)
        if (*pair > 0 && a < height && b < height)
          draw_pair(work, gap, kind, a, b, *pair);
}

/* The mean colour of each cell; what has no class is grey. */
static void
mix_colours(Work *work)
{
  VtParallelData *data = work->data;
  const gsize n = (gsize)data->width * data->height;
  data->rgb = g_malloc0(3 * n + 1);
  for (gsize i = 0; i < n; i++)
    for (guint c = 0; c < 3 && data->counts[i] > 0; c++)
      data->rgb[3 * i + c] = (guint8)(work->sums[3 * i + c] / data->counts[i]);
}

static void
add_colours(Work *work)
{
  const VtClassified *classified = work->data->points->classified;
  work->n_kinds = 2 + (classified ? classified->list->len : 0);
  work->colours = g_malloc0(work->n_kinds * sizeof *work->colours);
  memset(work->colours[1], 128, 3);
  for (guint i = 2; i < work->n_kinds; i++)
    memcpy(work->colours[i], ((const VtModelClass *)classified->list->pdata[i - 2])->rgb, 3);
}

VtParallelData *
vt_parallel_data_new(VtParallelPoints *points, const VtPlotRange *ranges, guint gap, guint height)
{
  VtParallelData *self = g_new0(VtParallelData, 1);
  *self = (VtParallelData){
    .points = vt_parallel_points_ref(points), .gap = gap, .width = gap * (points->n_axes - 1), .height = height
  };
  const gsize n_cells = (gsize)self->width * height;
  Work work = { .data = self, .kinds = g_malloc(points->n + 1) };
  self->counts = g_new0(guint32, n_cells + 1);
  self->others = g_malloc0(n_cells + 1);
  add_colours(&work);
  work.rows = g_new(guint16, points->n + 1);
  work.pairs = g_new(guint32, work.n_kinds * (height + 1) * ((gsize)height + 1));
  work.sums = points->classified ? g_new0(guint64, 3 * n_cells + 1) : NULL;
  find_rises(&work);
  choose(&work, ranges);
  find_rows(&work);
  for (guint k = 1; k < points->n_axes; k++) {
    count_pairs(&work, k);
    draw_gap(&work, k - 1);
  }
  for (gsize i = 0; i < n_cells; i++)
    self->most = MAX(self->most, self->counts[i]);
  if (work.sums)
    mix_colours(&work);
  g_free(work.kinds);
  g_free(work.colours);
  g_free(work.rows);
  g_free(work.pairs);
  g_free(work.rises);
  g_free(work.sums);
  return self;
}

void
vt_parallel_data_free(VtParallelData *self)
{
  vt_parallel_points_unref(self->points);
  g_free(self->counts);
  g_free(self->others);
  g_free(self->rgb);
  g_free(self);
}
