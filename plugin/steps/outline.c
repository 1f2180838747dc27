/* SPDX-License-Identifier: MIT
 *
 * Outlines along the cracks between pixels. The object lies to the right of the walk (clockwise on the screen, y down); at a
 * corner where two of its pixels only touch the walk turns right, so rings never cross themselves and pieces that touch at a
 * corner get rings of their own: the polygons are valid. */
#include <stdlib.h>

#include "steps/outline.h"

typedef struct {
  const VtImage *labels;
  int32_t label;
  VtRect box;
  uint8_t *visited; /* top edge of each pixel of the box has been walked */
} Tracer;

static bool
inside(const Tracer *t, int64_t x, int64_t y)
{
  const VtRect *b = &t->box;
  return x >= b->x && y >= b->y && x < b->x + b->width && y < b->y + b->height
         && *(const int32_t *)vt_image_at(t->labels, x, y) == t->label;
}

static bool
add_point(VtOutline *outline, int64_t x, int64_t y)
{
  if (!vt_make_room(&outline->points, &outline->point_room, outline->n_points + 1, 2 * sizeof *outline->points))
    return false;
  outline->points[2 * outline->n_points] = (double)x;
  outline->points[2 * outline->n_points++ + 1] = (double)y;
  return true;
}

static bool
add_ring(VtOutline *outline, uint32_t n_points)
{
  if (!vt_make_room(&outline->ring_sizes, &outline->ring_room, outline->n_rings + 1, sizeof *outline->ring_sizes))
    return false;
  outline->ring_sizes[outline->n_rings++] = n_points;
  return true;
}

/* Directions: 0 right (along a top edge), 1 down, 2 left, 3 up. The pixels ahead of corner (x,y), to the left and to the right of
 * the way. */
static void
look_ahead(const Tracer *t, int64_t x, int64_t y, int direction, bool *left, bool *right)
{
  static const int8_t left_px[4][2] = { { 0, -1 }, { 0, 0 }, { -1, 0 }, { -1, -1 } };
  static const int8_t right_px[4][2] = { { 0, 0 }, { -1, 0 }, { -1, -1 }, { 0, -1 } };
  *left = inside(t, x + left_px[direction][0], y + left_px[direction][1]);
  *right = inside(t, x + right_px[direction][0], y + right_px[direction][1]);
}

static bool
walk_ring(Tracer *t, int64_t start_x, int64_t start_y, VtOutline *outline)
{
  static const int8_t step[4][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };
  int64_t x = start_x, y = start_y;
  int direction = 0;
  uint32_t n = 0;
  do {
    if (direction == 0)
      t->visited[(y - t->box.y) * t->box.width + x - t->box.x] = 1;
    x += step[direction][0];
    y += step[direction][1];
    bool left, right;
    look_ahead(t, x, y, direction, &left, &right);
    int turn = !right ? 1 : left ? 3 : 0; /* right first: a pixel across the corner is another piece */
    if (turn) {
      direction = (direction + turn) & 3;
      if (!add_point(outline, x, y))
        return false;
      n++;
    }
  } while (x != start_x || y != start_y || direction != 0);
  return add_ring(outline, n);
}

static double
ring_area(const double *points, uint32_t n)
{
  double sum = 0;
  for (uint32_t i = 0; i < n; i++) {
    const double *a = &points[2 * i], *b = &points[2 * ((i + 1) % n)];
    sum += a[0] * b[1] - b[0] * a[1];
  }
  return sum / 2; /* positive: clockwise on the screen */
}

static bool
ring_holds(const double *points, uint32_t n, double x, double y)
{
  bool in = false;
  for (uint32_t i = 0; i < n; i++) {
    const double *a = &points[2 * i], *b = &points[2 * ((i + 1) % n)];
    if ((a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) * (b[0] - a[0]) / (b[1] - a[1]))
      in = !in;
  }
  return in;
}

typedef struct {
  const double *points;
  uint32_t n;
  bool hole;
} Ring;

/* A point inside the object, just below the ring's first edge to the right. */
static void
point_by_ring(const Ring *ring, double *x, double *y)
{
  for (uint32_t i = 0; i < ring->n; i++) {
    const double *a = &ring->points[2 * i], *b = &ring->points[2 * ((i + 1) % ring->n)];
    if (b[0] > a[0]) {
      *x = a[0] + 0.5;
      *y = a[1] + 0.5;
      return;
    }
  }
}

static bool
append_ring(VtOutline *to, const Ring *ring)
{
  for (uint32_t i = 0; i < ring->n; i++)
    if (!add_point(to, (int64_t)ring->points[2 * i], (int64_t)ring->points[2 * i + 1]))
      return false;
  return add_ring(to, ring->n);
}

/* Each outer ring, then its holes. */
static bool
sort_rings(VtOutline *outline)
{
  Ring *rings = malloc(outline->n_rings * sizeof *rings);
  VtOutline sorted = { 0 };
  bool ok = rings != NULL;
  const double *points = outline->points;
  for (uint32_t i = 0; ok && i < outline->n_rings; points += 2 * outline->ring_sizes[i++])
    rings[i] = (Ring){ points, outline->ring_sizes[i], ring_area(points, outline->ring_sizes[i]) < 0 };
  for (uint32_t i = 0; ok && i < outline->n_rings; i++) {
    if (rings[i].hole)
      continue;
    ok = append_ring(&sorted, &rings[i]);
    for (uint32_t k = 0; ok && k < outline->n_rings; k++) {
      double x = 0, y = 0;
      if (rings[k].hole)
        point_by_ring(&rings[k], &x, &y);
      if (rings[k].hole && ring_holds(rings[i].points, rings[i].n, x, y))
        ok = append_ring(&sorted, &rings[k]);
    }
  }
  free(rings);
  if (ok) {
    vt_outline_clear(outline);
    *outline = sorted;
  } else {
    vt_outline_clear(&sorted);
  }
  return ok;
}

VitrailStatus
vt_outline_trace(VtRun *run, const VtImage *labels, int32_t label, VtRect box, VtOutline *outline)
{
  Tracer t = { labels, label, box, calloc((size_t)(box.width * box.height), 1) };
  bool ok = t.visited != NULL;
  outline->n_rings = 0;
  outline->n_points = 0;
  for (int64_t y = box.y; ok && y < box.y + box.height; y++)
    for (int64_t x = box.x; ok && x < box.x + box.width; x++)
      if (inside(&t, x, y) && !inside(&t, x, y - 1) && !t.visited[(y - box.y) * box.width + x - box.x])
        ok = walk_ring(&t, x, y, outline);
  free(t.visited);
  if (ok && outline->n_rings > 1)
    ok = sort_rings(outline);
  return ok ? VITRAIL_OK : vt_fail(run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory for the outlines."));
}

void
vt_outline_clear(VtOutline *outline)
{
  free(outline->points);
  free(outline->ring_sizes);
  *outline = (VtOutline){ 0 };
}
