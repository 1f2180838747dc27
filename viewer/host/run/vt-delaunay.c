/* SPDX-License-Identifier: MIT */
#include "run/vt-delaunay.h"

#include <math.h>
#include <stdlib.h>

#include "base/vt-define.h"
#include "base/vt-error.h"
#include "run/vt-geos.h"

#define TR(text) text
#define PER_PIXEL 64
#define NONE G_MAXUINT32
#define MOST_PX 1048576 /* so that the sign of a circle's test fits into 128 bits */

__extension__ typedef __int128 Wide;

typedef struct {
  gint64 x, y; /* 1/64 of a pixel */
} Place;

/* One of the two ends of a line between two places; the other end is at number ^ 1. */
typedef struct {
  guint32 from;  /* place */
  guint32 left;  /* the next edge around that place counterclockwise, where x goes right and y up */
  guint32 right; /* clockwise */
} Edge;

typedef struct {
  const Place *places;
  Edge *edges;
  guint32 n_edges; /* with those that were removed */
  guint32 removed; /* the last of these, each with the former one as `left`; NONE */
} Mesh;

/* Two edges along it: from its leftmost place counterclockwise, and from its rightmost one clockwise. */
typedef struct {
  guint32 first, last;
} Hull;

static int
compare_places(gconstpointer a, gconstpointer b)
{
  const Place *p = a, *q = b;
  return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->y > q->y) - (p->y < q->y);
}

/* The points' places, and apart from these each place once, in order: that of the points says nothing. */
static gboolean
find_places(const double *points, guint n, Place *places, Place *unique, guint *n_unique, GError **error)
{
  double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY };
  for (guint i = 0; i < 2 * n; i++) {
    low[i % 2] = MIN(low[i % 2], points[i]);
    high[i % 2] = MAX(high[i % 2], points[i]);
  }
  if (!(high[0] - low[0] <= MOST_PX) || !(high[1] - low[1] <= MOST_PX))
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s",
                        TR("Neighbours are counted among objects that lie at most 1,048,576 pixels apart."));
  const double left = floor(low[0]), top = floor(low[1]);
  for (guint i = 0; i < n; i++)
    unique[i] = places[i] =
      (Place){ llround((points[2 * i] - left) * PER_PIXEL), llround((points[2 * i + 1] - top) * PER_PIXEL) };
  qsort(unique, n, sizeof *unique, compare_places);
  *n_unique = 0;
  for (guint i = 0; i < n; i++)
    if (i == 0 || compare_places(&unique[i - 1], &unique[i]) != 0)
      unique[(*n_unique)++] = unique[i];
  return TRUE;
}

static guint32
find_place(const Place *unique, guint n, const Place *place)
{
  return (guint32)((const Place *)bsearch(place, unique, n, sizeof *unique, compare_places) - unique);
}

/* --- edges --- */

static guint32
get_to(const Mesh *self, guint32 edge)
{
  return self->edges[edge ^ 1].from;
}

static const Place *
get_from_place(const Mesh *self, guint32 edge)
{
  return &self->places[self->edges[edge].from];
}

static const Place *
get_to_place(const Mesh *self, guint32 edge)
{
  return &self->places[get_to(self, edge)];
}

/* The edge that follows along the face to the left. */
static guint32
get_next(const Mesh *self, guint32 edge)
{
  return self->edges[edge ^ 1].right;
}

static guint32
add_edge(Mesh *self, guint32 from, guint32 to)
{
  guint32 edge = self->removed;
  if (edge != NONE)
    self->removed = self->edges[edge].left;
  else {
    edge = self->n_edges;
    self->n_edges += 2;
  }
  self->edges[edge] = (Edge){ from, edge, edge };
  self->edges[edge ^ 1] = (Edge){ to, edge ^ 1, edge ^ 1 };
  return edge;
}

/* `edge`, alone at its place, comes to the left of `beside`. */
static void
put_beside(Mesh *self, guint32 edge, guint32 beside)
{
  const guint32 left = self->edges[beside].left;
  self->edges[edge].left = left;
  self->edges[edge].right = beside;
  self->edges[left].right = edge;
  self->edges[beside].left = edge;
}

/* From the end of one edge to the begin of another of the same face, which lies to the left of all three. */
static guint32
connect_edges(Mesh *self, guint32 before, guint32 after)
{
  const guint32 edge = add_edge(self, get_to(self, before), self->edges[after].from);
  put_beside(self, edge, get_next(self, before));
  put_beside(self, edge ^ 1, after);
  return edge;
}

static void
remove_edge(Mesh *self, guint32 edge)
{
  const guint32 ends[] = { edge & ~1U, edge | 1U };
  for (guint i = 0; i < 2; i++) {
    const Edge end = self->edges[ends[i]];
    self->edges[end.left].right = end.right;
    self->edges[end.right].left = end.left;
    self->edges[ends[i]].from = NONE;
  }
  self->edges[ends[0]].left = self->removed;
  self->removed = ends[0];
}

/* --- tests, exact --- */

static gint64
cross(gint64 ax, gint64 ay, gint64 bx, gint64 by)
{
  return ax * by - ay * bx;
}

/* Above zero: c lies to the left of the line from a to b; 0: on it. */
static gint64
get_turn(const Place *a, const Place *b, const Place *c)
{
  return cross(b->x - a->x, b->y - a->y, c->x - a->x, c->y - a->y);
}

/* Above zero: d lies inside of the circle through a, b and c, which are in counterclockwise order; 0: on it. */
static int
test_circle(const Place *a, const Place *b, const Place *c, const Place *d)
{
  const gint64 ax = a->x - d->x, ay = a->y - d->y, bx = b->x - d->x, by = b->y - d->y;
  const gint64 cx = c->x - d->x, cy = c->y - d->y;
  const Wide inside = (Wide)(ax * ax + ay * ay) * cross(bx, by, cx, cy)
                      + (Wide)(bx * bx + by * by) * cross(cx, cy, ax, ay)
                      + (Wide)(cx * cx + cy * cy) * cross(ax, ay, bx, by);
  return (inside > 0) - (inside < 0);
}

/* --- triangles --- */

/* Two places or three. */
static Hull
join_few(Mesh *self, guint32 first, guint32 n)
{
  const guint32 a = add_edge(self, first, first + 1);
  if (n == 2)
    return (Hull){ a, a ^ 1 };
  const guint32 b = add_edge(self, first + 1, first + 2);
  put_beside(self, b, a ^ 1);
  const gint64 turn = get_turn(&self->places[first], &self->places[first + 1], &self->places[first + 2]);
  if (turn == 0)
    return (Hull){ a, b ^ 1 };
  const guint32 c = connect_edges(self, b, a);
  return turn > 0 ? (Hull){ a, b ^ 1 } : (Hull){ c ^ 1, c };
}

/* Adds the line that has both hulls above it, from the right one to the left one. `left` and `right` are still right for what both are together. */
static guint32
join_below(Mesh *self, Hull *left, Hull *right)
{
  guint32 l = left->last, r = right->first;
  for (;;) {
    if (get_turn(get_from_place(self, l), get_to_place(self, l), get_from_place(self, r)) > 0)
      l = get_next(self, l);
    else if (get_turn(get_from_place(self, r), get_to_place(self, r), get_from_place(self, l)) < 0)
      r = self->edges[r ^ 1].left;
    else
      break;
  }
  const guint32 base = connect_edges(self, r ^ 1, l);
  if (self->edges[l].from == self->edges[left->first].from)
    left->first = base ^ 1;
  if (self->edges[r].from == self->edges[right->last].from)
    right->last = base;
  return base;
}

static gboolean
is_above(const Mesh *self, guint32 edge, guint32 base)
{
  return get_turn(get_from_place(self, base), get_to_place(self, base), get_to_place(self, edge)) < 0;
}

/* The edge around one end of `base` whose triangle with it is the next one on that side: those in whose circle the next place lies are removed. It is
 * above `base`, or there is none. */
static guint32
find_candidate(Mesh *self, guint32 base, gboolean is_left)
{
  guint32 edge = is_left ? self->edges[base ^ 1].left : self->edges[base].right;
  while (is_above(self, edge, base)) {
    const guint32 next = is_left ? self->edges[edge].left : self->edges[edge].right;
    const Place *across = get_to_place(self, edge), *other = get_to_place(self, next);
    if (test_circle(get_to_place(self, base), get_from_place(self, base), across, other) <= 0)
      break;
    remove_edge(self, edge);
    edge = next;
  }
  return edge;
}

/* Adds the triangles between the two halves, from their line below up. Of two candidates that is one whose circle does not hold the other. */
static void
join_halves(Mesh *self, guint32 base)
{
  for (;;) {
    const guint32 l = find_candidate(self, base, TRUE), r = find_candidate(self, base, FALSE);
    const gboolean has_left = is_above(self, l, base), has_right = is_above(self, r, base);
    if (!has_left && !has_right)
      return;
    const Place *from = get_from_place(self, l), *to = get_from_place(self, r);
    if (!has_left || (has_right && test_circle(get_to_place(self, l), from, to, get_to_place(self, r)) > 0))
      base = connect_edges(self, r, base ^ 1);
    else
      base = connect_edges(self, base ^ 1, l ^ 1);
  }
}

/* n > 1 places, by halves (Guibas and Stolfi, 1985). All tests are exact, so that no place and no edge of the hull is left out. */
static Hull
triangulate(Mesh *self, guint32 first, guint32 n)
{
  if (n <= 3)
    return join_few(self, first, n);
  Hull left = triangulate(self, first, n / 2), right = triangulate(self, first + n / 2, n - n / 2);
  join_halves(self, join_below(self, &left, &right));
  return (Hull){ left.first, right.last };
}

/* An edge between two triangles is one of every Delaunay triangulation, or, where all four corners are on one circle, of some alone: it does not count. */
static void
count_edges(const Mesh *self, guint *counts)
{
  for (guint32 i = 0; i < self->n_edges; i += 2) {
    const Edge *edge = &self->edges[i];
    if (edge->from == NONE)
      continue;
    const Place *from = get_from_place(self, i), *to = get_to_place(self, i);
    const Place *left = get_to_place(self, edge->left), *right = get_to_place(self, edge->right);
    if (get_turn(from, to, left) > 0 && get_turn(from, to, right) < 0 && test_circle(from, to, left, right) == 0)
      continue;
    counts[edge->from]++;
    counts[get_to(self, i)]++;
  }
}

static gboolean
count_places(const Place *unique, guint n, guint *counts, GError **error)
{
  if (n < 2)
    return TRUE;
  /* No two edges cross at any time, so there are less than three for each place, of two ends each. */
  g_autofree Edge *edges = n < G_MAXUINT32 / 6 ? g_try_new(Edge, 6 * (gsize)n) : NULL;
  if (!edges)
    return vt_error_set(error, VITRAIL_OUT_OF_MEMORY, "%s",
                        TR("There is not enough memory to count the neighbours of so many objects."));
  Mesh mesh = { unique, edges, 0, NONE };
  triangulate(&mesh, 0, n);
  count_edges(&mesh, counts);
  return TRUE;
}

guint *
vt_delaunay_count(const double *points, guint n, GError **error)
{
  g_autofree Place *places = g_new(Place, n + 1), *unique = g_new(Place, n + 1);
  guint n_unique = 0;
  if (n > 0 && !find_places(points, n, places, unique, &n_unique, error))
    return NULL;
  g_autofree guint *counts = g_new0(guint, n_unique + 1), *own = g_new(guint, n + 1);
  if (!count_places(unique, n_unique, counts, error))
    return NULL;
  for (guint i = 0; i < n; i++)
    own[i] = counts[find_place(unique, n_unique, &places[i])];
  return g_steal_pointer(&own);
}

/* --- borders --- */

static GEOSGeometry *
make_ring(const double *points, guint32 n, double mpp_x, double mpp_y)
{
  GEOSCoordSequence *sequence = GEOSCoordSeq_create_r(vt_geos(), n + 1, 2);
  for (guint32 i = 0; sequence && i <= n; i++)
    GEOSCoordSeq_setXY_r(vt_geos(), sequence, i, points[2 * (i % n)] * mpp_x, points[2 * (i % n) + 1] * mpp_y);
  return sequence ? GEOSGeom_createLineString_r(vt_geos(), sequence) : NULL;
}

static GEOSGeometry *
make_borders(const GPtrArray *rois, double mpp_x, double mpp_y)
{
  g_autoptr(GPtrArray) rings = g_ptr_array_new();
  VT_EACH_OF (const VtRoi, roi, rois) {
    const double *points = vt_roi_get_points(roi);
    for (guint i = 0; roi->kind == VT_SHAPE_AREA && i < roi->ring_sizes->len; i++) {
      const guint32 n = vt_roi_get_ring_sizes(roi)[i];
      GEOSGeometry *ring = n > 0 ? make_ring(points, n, mpp_x, mpp_y) : NULL;
      if (ring)
        g_ptr_array_add(rings, ring);
      points += 2 * (gsize)n;
    }
  }
  return rings->len > 0
           ? GEOSGeom_createCollection_r(vt_geos(), GEOS_MULTILINESTRING, (GEOSGeometry **)rings->pdata, rings->len)
           : NULL;
}

double *
vt_rois_measure_borders(const GPtrArray *rois, const double *points, guint n, double mpp_x, double mpp_y)
{
  g_autoptr(GEOSGeometry) borders = make_borders(rois, mpp_x, mpp_y);
  const GEOSPreparedGeometry *prepared = borders ? GEOSPrepare_r(vt_geos(), borders) : NULL;
  if (!prepared)
    return NULL;
  g_autofree guint8 *inside = vt_rois_find_inside(rois, points, n);
  double *distances = g_new(double, n + 1);
  for (guint i = 0; i < n; i++) {
    const double x = points[2 * i], y = points[2 * i + 1];
    g_autoptr(GEOSGeometry) point = GEOSGeom_createPointFromXY_r(vt_geos(), x * mpp_x, y * mpp_y);
    double distance = NAN;
    if (point && GEOSPreparedDistance_r(vt_geos(), prepared, point, &distance))
      distances[i] = inside[i] ? -distance : distance;
    else
      distances[i] = NAN;
  }
  GEOSPreparedGeom_destroy_r(vt_geos(), prepared);
  return distances;
}
