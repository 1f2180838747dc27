/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "steps/measure.h"

__extension__ typedef __int128 Wide;

/* --- sums over pixels --- */

typedef struct {
  int64_t n, x, y, xx, yy, xy;
  int64_t begins[4]; /* of runs of pixels along rows, columns and both diagonals */
  int64_t sum;
  Wide squares;
  int32_t min, max;
} Sums;

/* Row by row: what does not change along one is multiplied once. A row's sum of squares fits 64 bits, that of all rows may not. */
static void
add_row(Sums *s, const VtImage *part, int32_t label, const VtImage *image, int64_t y)
{
  const int32_t *row = vt_image_at(part, 0, y), *above = y > 0 ? vt_image_at(part, 0, y - 1) : NULL;
  const uint16_t *values = image->data ? vt_image_at(image, 0, y) : NULL;
  const int64_t last = part->width - 1;
  int64_t n = 0, sum_x = 0;
  uint64_t squares = 0;
  for (int64_t x = 0; x <= last; x++) {
    if (row[x] != label)
      continue;
    n++;
    sum_x += x;
    s->xx += x * x;
    s->begins[0] += x == 0 || row[x - 1] != label;
    s->begins[1] += !above || above[x] != label;
    s->begins[2] += !above || x == 0 || above[x - 1] != label;
    s->begins[3] += !above || x == last || above[x + 1] != label;
    const int32_t value = values ? values[x] : 0;
    s->sum += value;
    squares += (uint64_t)value * (uint64_t)value;
    s->min = value < s->min ? value : s->min;
    s->max = value > s->max ? value : s->max;
  }
  s->n += n;
  s->x += sum_x;
  s->y += n * y;
  s->yy += n * y * y;
  s->xy += sum_x * y;
  s->squares += squares;
}

static Sums
add_up(const VtImage *part, int32_t label, const VtImage *image)
{
  Sums s = { .min = UINT16_MAX };
  for (int64_t y = 0; y < part->height; y++)
    add_row(&s, part, label, image, y);
  return s;
}

/* n times the sum of products less the product of sums: n² times a covariance. */
static double
spread(int64_t n, Wide products, int64_t a, int64_t b)
{
  return (double)((Wide)n * products - (Wide)a * b);
}

static double
eccentricity(const Sums *s)
{
  const double xx = spread(s->n, s->xx, s->x, s->x), yy = spread(s->n, s->yy, s->y, s->y),
               xy = spread(s->n, s->xy, s->x, s->y), middle = (xx + yy) / 2,
               half = sqrt((xx - yy) / 2 * ((xx - yy) / 2) + xy * xy), least = middle - half;
  if (middle + half <= 0)
    return 0;
  return sqrt(1 - (least > 0 ? least : 0) / (middle + half));
}

/* --- the convex hull --- */

typedef struct {
  int64_t x, y;
} Corner;

static int
by_place(const void *a, const void *b)
{
  const Corner *p = a, *q = b;
  return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->y > q->y) - (p->y < q->y);
}

static int64_t
turn(Corner a, Corner b, Corner c)
{
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* Andrew's two chains, of sorted corners; `hull` has room for one more than twice as many. */
static int64_t
find_hull(const Corner *corners, int64_t n, Corner *hull)
{
  int64_t size = 0;
  for (int64_t i = 0; i < n; i++) {
    while (size >= 2 && turn(hull[size - 2], hull[size - 1], corners[i]) <= 0)
      size--;
    hull[size++] = corners[i];
  }
  const int64_t lower = size + 1;
  for (int64_t i = n - 2; i >= 0; i--) {
    while (size >= lower && turn(hull[size - 2], hull[size - 1], corners[i]) <= 0)
      size--;
    hull[size++] = corners[i];
  }
  return size - 1;
}

static void
measure_hull(const Corner *hull, int64_t n, int64_t area, VtObjectMeasures *m)
{
  int64_t twice = 0, longest = 0;
  double narrowest = INFINITY;
  for (int64_t i = 0; i < n; i++) {
    const Corner a = hull[i], b = hull[(i + 1) % n];
    int64_t farthest = 0;
    twice += a.x * b.y - b.x * a.y;
    for (int64_t k = 0; k < n; k++) {
      const int64_t dx = hull[k].x - a.x, dy = hull[k].y - a.y, height = turn(a, b, hull[k]);
      longest = dx * dx + dy * dy > longest ? dx * dx + dy * dy : longest;
      farthest = height > farthest ? height : farthest;
    }
    const double length = sqrt((double)((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y)));
    narrowest = (double)farthest / length < narrowest ? (double)farthest / length : narrowest;
  }
  m->max_caliper = sqrt((double)longest);
  m->min_caliper = narrowest;
  m->solidity = 2 * (double)area / (double)twice;
}

static bool
measure_corners(const VtOutline *outline, int64_t area, VtObjectMeasures *m)
{
  const size_t n = outline->n_points;
  Corner *corners = malloc((3 * n + 1) * sizeof *corners);
  if (!corners)
    return false;
  for (size_t i = 0; i < n; i++)
    corners[i] = (Corner){ (int64_t)outline->points[2 * i], (int64_t)outline->points[2 * i + 1] };
  qsort(corners, n, sizeof *corners, by_place);
  measure_hull(corners + n, find_hull(corners, (int64_t)n, corners + n), area, m);
  free(corners);
  return true;
}

static void
find_values(const Sums *s, bool has_image, VtObjectMeasures *m)
{
  const bool has = has_image && s->n > 0;
  const double n = (double)s->n;
  m->area = n;
  m->mean = has ? (double)s->sum / n : NAN;
  m->sum = has ? (double)s->sum : NAN;
  m->std = has ? s->n > 1 ? sqrt(spread(s->n, s->squares, s->sum, s->sum) / (n * (n - 1))) : 0 : NAN;
  m->min = has ? s->min : NAN;
  m->max = has ? s->max : NAN;
}

void
vt_measure_values(const VtImage *part, int32_t label, const VtImage *image, VtObjectMeasures *measures)
{
  const Sums s = add_up(part, label, image);
  find_values(&s, image->data != NULL, measures);
}

bool
vt_measure_object(const VtImage *part, int32_t label, const VtOutline *outline, const VtImage *image,
                  VtObjectMeasures *measures)
{
  const double pi = 3.14159265358979323846;
  const Sums s = add_up(part, label, image);
  const double n = (double)s.n;
  VtObjectMeasures *m = measures;
  m->perimeter =
    pi / 4 * ((double)(s.begins[0] + s.begins[1]) + (double)(s.begins[2] + s.begins[3]) * 0.70710678118654752440);
  const double round = 4 * pi * n / (m->perimeter * m->perimeter);
  m->circularity = round < 1 ? round : 1;
  m->eccentricity = eccentricity(&s);
  find_values(&s, image->data != NULL, m);
  return measure_corners(outline, s.n, m);
}
