/* SPDX-License-Identifier: MIT */
#include "layers/vt-outline-index.h"

#include <math.h>

#include "base/vt-define.h"

#define FANOUT 16
#define MAX_LEVELS 9 /* 16^8 objects */
#define RADIX_BITS 16
#define MAX_CELLS (1 << 24)
#define DENSITY_MARGIN 2 /* cells, as far as the smoothing reaches */

/* Rounded outwards, so that a box never misses its object. */
typedef struct {
  float x0, y0, x1, y1;
} Box;

struct VtOutlineIndex {
  GPtrArray *objects;
  guint32 n;
  double mean_size;
  double *centroids; /* x, y, in order of the objects */
  guint32 *numbers;  /* of the boxes of level 0 */
  Box *boxes;        /* level after level; a node's children are the FANOUT boxes below it */
  guint n_levels;
  gsize level_start[MAX_LEVELS + 1], level_size[MAX_LEVELS + 1];
};

static Box
get_box(const VtObject *object)
{
  double box[4];
  vt_object_get_box(object, box);
  return (Box){ nextafterf((float)box[0], -INFINITY), nextafterf((float)box[1], -INFINITY),
                nextafterf((float)box[2], INFINITY), nextafterf((float)box[3], INFINITY) };
}

static Box
join(Box a, Box b)
{
  return (Box){ MIN(a.x0, b.x0), MIN(a.y0, b.y0), MAX(a.x1, b.x1), MAX(a.y1, b.y1) };
}

static guint32
spread_bits(guint32 v)
{
  v = (v | v << 8) & 0x00ff00ff;
  v = (v | v << 4) & 0x0f0f0f0f;
  v = (v | v << 2) & 0x33333333;
  return (v | v << 1) & 0x55555555;
}

static guint32
get_morton(const Box *box, const Box *all)
{
  const float span = MAX(MAX(all->x1 - all->x0, all->y1 - all->y0), 1.0f);
  const float x = ((box->x0 + box->x1) / 2 - all->x0) / span, y = ((box->y0 + box->y1) / 2 - all->y0) / span;
  return spread_bits((guint32)(CLAMP(x, 0.0f, 1.0f) * 65535))
         | spread_bits((guint32)(CLAMP(y, 0.0f, 1.0f) * 65535)) << 1;
}

/* Stable, two passes of half a key each. */
static void
sort_by_key(const guint32 *keys, guint32 *numbers, guint32 n)
{
  g_autofree guint32 *other = g_new(guint32, MAX(n, 1));
  g_autofree guint32 *starts = g_new(guint32, (1 << RADIX_BITS) + 1);
  for (guint pass = 0; pass < 2; pass++) {
    const guint shift = pass * RADIX_BITS, mask = (1 << RADIX_BITS) - 1;
    const guint32 *from = pass == 0 ? numbers : other;
    guint32 *to = pass == 0 ? other : numbers;
    for (guint i = 0; i <= mask + 1; i++)
      starts[i] = 0;
    for (guint32 i = 0; i < n; i++)
      starts[(keys[from[i]] >> shift & mask) + 1]++;
    for (guint i = 0; i < mask; i++)
      starts[i + 1] += starts[i];
    for (guint32 i = 0; i < n; i++)
      to[starts[keys[from[i]] >> shift & mask]++] = from[i];
  }
}

static void
plan_levels(VtOutlineIndex *self)
{
  gsize start = 0;
  for (gsize size = self->n;; size = (size + FANOUT - 1) / FANOUT) {
    self->level_start[self->n_levels] = start;
    self->level_size[self->n_levels++] = size;
    start += size;
    if (size <= FANOUT)
      break;
  }
  self->level_start[self->n_levels] = start;
}

static void
fill_nodes(VtOutlineIndex *self)
{
  for (guint level = 1; level < self->n_levels; level++) {
    const Box *below = self->boxes + self->level_start[level - 1];
    for (gsize i = 0; i < self->level_size[level]; i++) {
      Box box = below[i * FANOUT];
      for (gsize child = i * FANOUT + 1; child < MIN((i + 1) * FANOUT, self->level_size[level - 1]); child++)
        box = join(box, below[child]);
      self->boxes[self->level_start[level] + i] = box;
    }
  }
}

VtOutlineIndex *
vt_outline_index_new(GPtrArray *objects)
{
  VtOutlineIndex *self = g_atomic_rc_box_new0(VtOutlineIndex);
  const guint32 n = self->n = objects->len;
  self->objects = g_ptr_array_ref(objects);
  self->centroids = g_new(double, 2 * (gsize)n + 1);
  self->numbers = g_new(guint32, (gsize)n + 1);
  g_autofree Box *boxes = g_new(Box, (gsize)n + 1);
  g_autofree guint32 *keys = g_new(guint32, (gsize)n + 1);
  Box all = { INFINITY, INFINITY, -INFINITY, -INFINITY };
  double sum = 0;
  for (guint32 i = 0; i < n; i++) {
    const VtObject *object = g_ptr_array_index(objects, i);
    boxes[i] = get_box(object);
    self->centroids[2 * i] = object->centroid_x_l0;
    self->centroids[2 * i + 1] = object->centroid_y_l0;
    self->numbers[i] = i;
    /* An object without points has no place. */
    if (object->n_points > 0) {
      all = join(all, boxes[i]);
      sum += (double)MAX(boxes[i].x1 - boxes[i].x0, boxes[i].y1 - boxes[i].y0);
    }
  }
  for (guint32 i = 0; i < n; i++)
    keys[i] = boxes[i].x0 <= boxes[i].x1 ? get_morton(&boxes[i], &all) : 0;
  sort_by_key(keys, self->numbers, n);
  self->mean_size = n > 0 ? sum / n : 0;
  plan_levels(self);
  self->boxes = g_new(Box, self->level_start[self->n_levels] + 1);
  for (guint32 i = 0; i < n; i++)
    self->boxes[i] = boxes[self->numbers[i]];
  fill_nodes(self);
  return self;
}

VT_DEFINE_CLEAR(index_clear, VtOutlineIndex,
                VT_FREES(g_ptr_array_unref, objects) VT_FREES(g_free, centroids, numbers, boxes))

VT_DEFINE_REF(VtOutlineIndex, vt_outline_index, index_clear)

VT_GETTER(GPtrArray *, vt_outline_index_get_objects, const VtOutlineIndex, objects)

gsize
vt_outline_index_get_bytes(const VtOutlineIndex *self)
{
  return sizeof *self + self->level_start[self->n_levels] * sizeof(Box)
         + self->n * (sizeof(guint32) + 2 * sizeof(double));
}

VT_GETTER(double, vt_outline_index_get_mean_size, const VtOutlineIndex, mean_size)

static void
query_node(const VtOutlineIndex *self, guint level, gsize first, gsize end, const double rect[4], GArray *numbers)
{
  const Box *boxes = self->boxes + self->level_start[level];
  for (gsize i = first; i < MIN(end, self->level_size[level]); i++) {
    if ((double)boxes[i].x0 > rect[2] || (double)boxes[i].x1 < rect[0] || (double)boxes[i].y0 > rect[3]
        || (double)boxes[i].y1 < rect[1])
      continue;
    if (level == 0)
      g_array_append_val(numbers, self->numbers[i]);
    else
      query_node(self, level - 1, i * FANOUT, (i + 1) * FANOUT, rect, numbers);
  }
}

static int
compare_numbers(gconstpointer a, gconstpointer b)
{
  const guint32 x = *(const guint32 *)a, y = *(const guint32 *)b;
  return (x > y) - (x < y);
}

void
vt_outline_index_query(const VtOutlineIndex *self, double x0, double y0, double x1, double y1, GArray *numbers)
{
  const double rect[4] = { x0, y0, x1, y1 };
  query_node(self, self->n_levels - 1, 0, FANOUT, rect, numbers);
  g_array_sort(numbers, compare_numbers);
}

static gboolean
is_inside(const VtObject *object, double x, double y)
{
  gboolean inside = FALSE;
  gsize start = 0;
  for (guint ring = 0; ring < object->n_rings; ring++) {
    const gsize n = object->ring_sizes[ring];
    const double *ring_points = object->points + 2 * start;
    for (gsize i = 0, j = n - 1; i < n; j = i++) {
      const double ax = ring_points[2 * i], ay = ring_points[2 * i + 1];
      const double bx = ring_points[2 * j], by = ring_points[2 * j + 1];
      if ((ay > y) != (by > y) && x < (bx - ax) * (y - ay) / (by - ay) + ax)
        inside = !inside;
    }
    start += n;
  }
  return inside;
}

gint64
vt_outline_index_pick(const VtOutlineIndex *self, double x, double y)
{
  g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(guint32));
  vt_outline_index_query(self, x, y, x, y, numbers);
  for (guint i = numbers->len; i-- > 0;) {
    const guint32 number = g_array_index(numbers, guint32, i);
    if (is_inside(g_ptr_array_index(self->objects, number), x, y))
      return number;
  }
  return -1;
}

static void
count_cells(const VtOutlineIndex *self, const guint8 *counts, VtDensity *density)
{
  for (guint32 i = 0; i < self->n; i++) {
    if (counts && !counts[i])
      continue;
    const gint64 col = (gint64)floor(self->centroids[2 * i] / density->cell) - density->first_col;
    const gint64 row = (gint64)floor(self->centroids[2 * i + 1] / density->cell) - density->first_row;
    density->weights[row * density->n_cols + col]++;
    density->n_counted++;
  }
}

/* n values, `step` apart; the margin of the field is zero, so nothing is lost beyond its ends. */
static void
smooth_line(guint64 *values, gint64 n, gint64 step)
{
  guint64 before[2] = { 0, 0 };
  for (gint64 i = 0; i < n; i++) {
    const guint64 here = values[i * step], next = i + 1 < n ? values[(i + 1) * step] : 0;
    const guint64 after_next = i + 2 < n ? values[(i + 2) * step] : 0;
    values[i * step] = before[0] + 4 * before[1] + 6 * here + 4 * next + after_next;
    before[0] = before[1];
    before[1] = here;
  }
}

static void
smooth(VtDensity *density)
{
  for (gint64 row = 0; row < density->n_rows; row++)
    smooth_line(density->weights + row * density->n_cols, density->n_cols, 1);
  for (gint64 col = 0; col < density->n_cols; col++)
    smooth_line(density->weights + col, density->n_rows, density->n_cols);
  for (gint64 i = 0; i < density->n_cols * density->n_rows; i++)
    density->max = MAX(density->max, density->weights[i]);
}

VtDensity *
vt_density_new(const VtOutlineIndex *self, double cell, const guint8 *counts)
{
  VtDensity *density = g_atomic_rc_box_new0(VtDensity);
  double x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY;
  for (guint32 i = 0; i < self->n; i++) {
    x0 = MIN(x0, self->centroids[2 * i]);
    x1 = MAX(x1, self->centroids[2 * i]);
    y0 = MIN(y0, self->centroids[2 * i + 1]);
    y1 = MAX(y1, self->centroids[2 * i + 1]);
  }
  /* A plugin may hand back places far outside of any slide. */
  while (self->n > 0
         && (((x1 - x0) / cell + 1) * ((y1 - y0) / cell + 1) > MAX_CELLS
             || MAX(MAX(fabs(x0), fabs(x1)), MAX(fabs(y0), fabs(y1))) / cell > 1e15))
    cell *= 2;
  density->cell = cell;
  if (self->n == 0)
    return density;
  density->first_col = (gint64)floor(x0 / cell) - DENSITY_MARGIN;
  density->first_row = (gint64)floor(y0 / cell) - DENSITY_MARGIN;
  density->n_cols = (gint64)floor(x1 / cell) + DENSITY_MARGIN - density->first_col + 1;
  density->n_rows = (gint64)floor(y1 / cell) + DENSITY_MARGIN - density->first_row + 1;
  density->weights = g_new0(guint64, (gsize)density->n_cols * (gsize)density->n_rows);
  count_cells(self, counts, density);
  smooth(density);
  return density;
}

static void
density_clear(gpointer data)
{
  g_free(((VtDensity *)data)->weights);
}

VT_DEFINE_REF(VtDensity, vt_density, density_clear)

static double
get_weight(const VtDensity *density, double col, double row)
{
  if (!(col >= 0 && row >= 0 && col < (double)density->n_cols && row < (double)density->n_rows))
    return 0;
  return (double)density->weights[(gint64)row * density->n_cols + (gint64)col];
}

void
vt_density_lookup_row(const VtDensity *density, double x, double y, double step, guint n, double *out)
{
  const double v = y / density->cell - 0.5 - (double)density->first_row, row = floor(v), b = v - row;
  const double unit = VT_DENSITY_WEIGHT * density->cell * density->cell;
  double last = NAN, left = 0, right = 0;
  for (guint i = 0; i < n; i++) {
    const double u = (x + i * step) / density->cell - 0.5 - (double)density->first_col, col = floor(u);
    if (col != last) {
      left = (1 - b) * get_weight(density, col, row) + b * get_weight(density, col, row + 1);
      right = (1 - b) * get_weight(density, col + 1, row) + b * get_weight(density, col + 1, row + 1);
      last = col;
    }
    out[i] = (left + (u - col) * (right - left)) / unit;
  }
}

double
vt_density_lookup(const VtDensity *density, double x, double y)
{
  double value;
  vt_density_lookup_row(density, x, y, 0, 1, &value);
  return value;
}

double
vt_density_get_max(const VtDensity *density)
{
  return (double)density->max / (VT_DENSITY_WEIGHT * density->cell * density->cell);
}
