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

static bool
is_in(const VtImage *part, int32_t label, int64_t x, int64_t y)
{
  return x >= 0 && y >= 0 && x < part->width && y < part->height && *(const int32_t *)vt_image_at(part, x, y) == label;
}

static Sums
add_up(const VtImage *part, int32_t label, const VtImage *image)
{
  static const int8_t before[4][2] = { { -1, 0 }, { 0, -1 }, { -1, -1 }, { 1, -1 } };
  Sums s = { .min = UINT16_MAX };
  for (int64_t y = 0; y < part->height; y++)
    for (int64_t x = 0; x < part->width; x++) {
      if (!is_in(part, label, x, y))
        continue;
      s.n++;
      s.x += x;
      s.y += y;
      s.xx += x * x;
      s.yy += y * y;
      s.xy += x * y;
      for (int k = 0; k < 4; k++)
        s.begins[k] += !is_in(part, label, x + before[k][0], y + before[k][1]);
      const int32_t value = image->data ? *(const uint16_t *)vt_image_at(image, x, y) : 0;
      s.sum += value;
      s.squares += (int64_t)value * value;
      s.min = value < s.min ? value : s.min;
      s.max = value > s.max ? value : s.max;
    }
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
