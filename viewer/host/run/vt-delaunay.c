/* SPDX-License-Identifier: MIT */
#include "run/vt-delaunay.h"

#include <math.h>
#include <stdlib.h>

#include "base/vt-define.h"
#include "base/vt-error.h"
#include "run/vt-geos.h"

#define TR(text) text
#define PER_PIXEL 64
#define MOST_PX 1048576 /* so that the sign of a circle's test fits into 128 bits */

__extension__ typedef __int128 Wide;

typedef struct {
  gint64 x, y; /* 1/64 of a pixel */
} Place;

/* An edge of a triangle, the lower point first, and the corner across. */
typedef struct {
  guint32 from, to, across;
} Edge;

static int
compare_places(gconstpointer a, gconstpointer b)
{
  const Place *p = a, *q = b;
  return p->y != q->y ? (p->y > q->y) - (p->y < q->y) : (p->x > q->x) - (p->x < q->x);
}

static int
compare_edges(gconstpointer a, gconstpointer b)
{
  const Edge *p = a, *q = b;
  return p->from != q->from ? (p->from > q->from) - (p->from < q->from) : (p->to > q->to) - (p->to < q->to);
}

/* The points' places, and apart from these each place once, in order, which is what GEOS is given: the order of the points says nothing. */
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

static GEOSGeometry *
triangulate(const Place *unique, guint n)
{
  GEOSCoordSequence *sequence = GEOSCoordSeq_create_r(vt_geos(), n, 2);
  for (guint i = 0; sequence && i < n; i++)
    GEOSCoordSeq_setXY_r(vt_geos(), sequence, i, (double)unique[i].x, (double)unique[i].y);
  g_autoptr(GEOSGeometry) line = sequence ? GEOSGeom_createLineString_r(vt_geos(), sequence) : NULL;
  return line ? GEOSDelaunayTriangulation_r(vt_geos(), line, 0, FALSE) : NULL;
}

static Edge *
list_edges(const GEOSGeometry *triangles, const Place *unique, guint n, guint *n_edges)
{
  const int n_triangles = GEOSGetNumGeometries_r(vt_geos(), triangles);
  Edge *edges = g_new(Edge, 3 * (gsize)n_triangles + 1);
  *n_edges = 3 * (guint)n_triangles;
  for (int i = 0; i < n_triangles; i++) {
    const GEOSGeometry *ring = GEOSGetExteriorRing_r(vt_geos(), GEOSGetGeometryN_r(vt_geos(), triangles, i));
    const GEOSCoordSequence *sequence = GEOSGeom_getCoordSeq_r(vt_geos(), ring);
    guint32 corners[3];
    for (guint k = 0; k < 3; k++) {
      double x = 0, y = 0;
      GEOSCoordSeq_getXY_r(vt_geos(), sequence, k, &x, &y);
      corners[k] = find_place(unique, n, &(Place){ (gint64)x, (gint64)y });
    }
    for (guint k = 0; k < 3; k++) {
      const guint32 a = corners[k], b = corners[(k + 1) % 3];
      edges[3 * i + (int)k] = (Edge){ MIN(a, b), MAX(a, b), corners[(k + 2) % 3] };
    }
  }
  qsort(edges, *n_edges, sizeof *edges, compare_edges);
  return edges;
}

static Wide
cross(Wide ax, Wide ay, Wide bx, Wide by)
{
  return ax * by - ay * bx;
}

/* Above zero: d lies inside of the circle through a, b and c; 0: on it. Exact. */
static int
test_circle(const Place *a, const Place *b, const Place *c, const Place *d)
{
  const Wide ax = a->x - d->x, ay = a->y - d->y, bx = b->x - d->x, by = b->y - d->y, cx = c->x - d->x, cy = c->y - d->y;
  const Wide sum = (ax * ax + ay * ay) * cross(bx, by, cx, cy) + (bx * bx + by * by) * cross(cx, cy, ax, ay)
                   + (cx * cx + cy * cy) * cross(ax, ay, bx, by);
  const Wide turn = cross(bx - ax, by - ay, cx - ax, cy - ay);
  const Wide inside = turn > 0 ? sum : -sum;
  return (inside > 0) - (inside < 0);
}

/* An edge between two triangles is one of every Delaunay triangulation, of some, or, where GEOS has rounded, of none: then the other diagonal is one. */
static void
count_edges(const Edge *edges, guint n_edges, const Place *unique, guint *counts)
{
  for (guint i = 0; i < n_edges; i++) {
    const Edge *edge = &edges[i];
    guint32 from = edge->from, to = edge->to;
    if (i + 1 < n_edges && compare_edges(edge, edge + 1) == 0) {
      const guint32 across = edges[++i].across;
      const int inside = test_circle(&unique[from], &unique[to], &unique[edge->across], &unique[across]);
      if (inside == 0)
        continue;
      from = inside > 0 ? edge->across : from;
      to = inside > 0 ? across : to;
    }
    counts[from]++;
    counts[to]++;
  }
}

static gboolean
count_places(const Place *unique, guint n, guint *counts, GError **error)
{
  g_autoptr(GEOSGeometry) triangles = n > 2 ? triangulate(unique, n) : NULL;
  if (n > 2 && !triangles)
    return vt_error_set(error, VITRAIL_OUT_OF_MEMORY, "%s",
                        TR("There is not enough memory to count the neighbours of so many objects."));
  guint n_edges = 0;
  g_autofree Edge *edges = triangles ? list_edges(triangles, unique, n, &n_edges) : NULL;
  count_edges(edges, n_edges, unique, counts);
  for (guint i = 1; n_edges == 0 && i < n; i++) { /* all on one line */
    counts[i - 1]++;
    counts[i]++;
  }
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
