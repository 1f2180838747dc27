/* SPDX-License-Identifier: MIT
 *
 * Outlines that do not mean what they seem to: rings that cross, holes outside of their shells, polygons in polygons. What is
 * inside is decided by the even-odd rule, which turns such places inside out. */
#include "run/vt-roi.h"

#include "base/vt-define.h"

#define MAX_TESTS ((guint64)1 << 28) /* about a second */

typedef struct {
  double x0, y0, x1, y1; /* from end to end */
} Edge;

static double
turn(const Edge *edge, double x, double y)
{
  return (edge->x1 - edge->x0) * (y - edge->y0) - (edge->y1 - edge->y0) * (x - edge->x0);
}

static gboolean
are_apart(double a, double b)
{
  return (a > 0 && b < 0) || (a < 0 && b > 0);
}

/* In a point that is an end of neither: edges that only touch do no harm. */
static gboolean
cross(const Edge *a, const Edge *b)
{
  return are_apart(turn(a, b->x0, b->y0), turn(a, b->x1, b->y1))
         && are_apart(turn(b, a->x0, a->y0), turn(b, a->x1, a->y1));
}

static int
compare_left(gconstpointer a, gconstpointer b)
{
  const Edge *p = a, *q = b;
  const double x = MIN(p->x0, p->x1), y = MIN(q->x0, q->x1);
  return (x > y) - (x < y);
}

static GArray *
list_edges(const VtRoi *roi)
{
  GArray *edges = g_array_sized_new(FALSE, FALSE, sizeof(Edge), roi->points->len / 2);
  const double *p = vt_roi_get_points(roi);
  for (guint ring = 0; ring < roi->ring_sizes->len; ring++) {
    const guint32 n = g_array_index(roi->ring_sizes, guint32, ring);
    for (guint32 i = 0; i < n; i++) {
      const guint32 next = i + 1 < n ? i + 1 : 0;
      const Edge edge = { p[2 * i], p[2 * i + 1], p[2 * next], p[2 * next + 1] };
      g_array_append_val(edges, edge);
    }
    p += 2 * n;
  }
  return edges;
}

/* A line sweeps from left to right; `active` are the edges that it may still meet. */
static gboolean
has_crossing(const VtRoi *roi, guint64 *n_tests)
{
  g_autoptr(GArray) edges = list_edges(roi);
  g_autofree const Edge **active = g_new(const Edge *, edges->len + 1);
  guint n_active = 0;
  g_array_sort(edges, compare_left);
  VT_EACH_IN (const Edge, edge, edges) {
    const double left = MIN(edge->x0, edge->x1);
    guint n = 0;
    for (guint k = 0; k < n_active; k++) {
      if (MAX(active[k]->x0, active[k]->x1) < left)
        continue;
      active[n++] = active[k];
      if (++*n_tests > MAX_TESTS || cross(edge, active[k]))
        return TRUE;
    }
    active[n++] = edge;
    n_active = n;
  }
  return FALSE;
}

/* 1: a point is inside of a ring, -1: on it, 0: outside. */
static int
locate(const double *ring, guint32 n, double x, double y)
{
  gboolean is_inside = FALSE;
  for (guint32 i = 0, last = n - 1; i < n; last = i++) {
    const Edge edge = { ring[2 * last], ring[2 * last + 1], ring[2 * i], ring[2 * i + 1] };
    const double side = turn(&edge, x, y);
    if (side == 0 && x >= MIN(edge.x0, edge.x1) && x <= MAX(edge.x0, edge.x1) && y >= MIN(edge.y0, edge.y1)
        && y <= MAX(edge.y0, edge.y1))
      return -1;
    if ((edge.y0 > y) != (edge.y1 > y) && (side > 0) == (edge.y1 > edge.y0))
      is_inside = !is_inside;
  }
  return is_inside;
}

/* Of rings that do not cross: whether ring a lies in ring b, by the first of its corners, then of the middles of its edges, that is not
 * on it. */
static gboolean
lies_in(const double *a, guint32 n_a, const double *b, guint32 n_b, guint64 *n_tests)
{
  for (guint64 i = 0; i < 2 * (guint64)n_a && *n_tests <= MAX_TESTS; i++) {
    const double *p = a + 2 * (i % n_a), *q = i < n_a ? p : a + 2 * ((i + 1) % n_a);
    const int where = locate(b, n_b, (p[0] + q[0]) / 2, (p[1] + q[1]) / 2);
    *n_tests += n_b;
    if (where >= 0)
      return where;
  }
  return TRUE; /* the same ring twice */
}

/* An even number of rings goes round a shell, and an odd one round a hole. */
static gboolean
is_nested(const VtRoi *roi, const guint8 *is_hole, guint64 *n_tests)
{
  const guint n = roi->ring_sizes->len;
  const guint32 *sizes = vt_roi_get_ring_sizes(roi);
  const double *points = vt_roi_get_points(roi);
  g_autofree double(*boxes)[4] = g_malloc_n(n, sizeof *boxes);
  g_autofree const double **rings = g_new(const double *, n);
  for (guint i = 0; i < n; i++) {
    rings[i] = points;
    vt_ring_get_box(points, sizes[i], boxes[i]);
    points += 2 * sizes[i];
  }
  for (guint i = 0; i < n; i++) {
    guint n_round = 0;
    *n_tests += n;
    for (guint k = 0; k < n && *n_tests <= MAX_TESTS; k++) {
      const gboolean may = k != i && boxes[k][0] <= boxes[i][0] && boxes[k][1] <= boxes[i][1]
                           && boxes[k][2] >= boxes[i][2] && boxes[k][3] >= boxes[i][3];
      n_round += may && lies_in(rings[i], sizes[i], rings[k], sizes[k], n_tests);
    }
    if (*n_tests > MAX_TESTS || n_round % 2 != is_hole[i])
      return FALSE;
  }
  return TRUE;
}

/* One ring that goes once round the mean of its corners, and never back, as cells nearly always do: nothing of it can cross. FALSE: not
 * known. */
static gboolean
goes_round(const VtRoi *roi)
{
  const double *p = vt_roi_get_points(roi);
  const guint n = roi->points->len / 2;
  double x = 0, y = 0, sense = 0;
  guint n_up = 0; /* how often it comes from above the middle to below it */
  for (guint i = 0; i < n; i++) {
    x += p[2 * i] / n;
    y += p[2 * i + 1] / n;
  }
  for (guint i = 0, last = n - 1; i < n; last = i++) {
    const Edge edge = { p[2 * last], p[2 * last + 1], p[2 * i], p[2 * i + 1] };
    const double side = turn(&edge, x, y);
    if (side == 0 || (i > 0 && are_apart(side, sense)))
      return FALSE;
    sense = side;
    n_up += edge.y0 < y && edge.y1 >= y;
  }
  return n_up == 1;
}

gboolean
vt_roi_is_plain(const VtRoi *roi, const guint8 *is_hole)
{
  guint64 n_tests = 0;
  if (roi->ring_sizes->len == 1 && !is_hole[0] && goes_round(roi))
    return TRUE;
  return !has_crossing(roi, &n_tests) && is_nested(roi, is_hole, &n_tests);
}
