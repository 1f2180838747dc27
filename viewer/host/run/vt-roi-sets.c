/* SPDX-License-Identifier: MIT */
#include "run/vt-roi-sets.h"

#include <math.h>

#include "run/vt-geos.h"

#define TR(text) text
#define CANNOT TR("These outlines cannot be put together: simplify them.")
#define ARC_EDGES 8 /* a quarter */
#define GRID \
  (1.0 \
   / 256) /* level-0 pixels: without it, places where edges meet leave slivers of 1e-15 pixels, which no sum can place */

typedef gboolean (*VtRoiIsIn)(gconstpointer outline, double x, double y);

GEOSContextHandle_t
vt_geos(void)
{
  static GPrivate contexts = G_PRIVATE_INIT((GDestroyNotify)GEOS_finish_r);
  if (!g_private_get(&contexts))
    g_private_set(&contexts, GEOS_init_r());
  return g_private_get(&contexts);
}

/* --- to GEOS --- */

/* n_made points, which begin again after the last of n. */
static GEOSCoordSequence *
to_sequence(const double *points, guint32 n, guint32 n_made)
{
  GEOSCoordSequence *sequence = GEOSCoordSeq_create_r(vt_geos(), n_made, 2);
  for (guint32 i = 0; sequence && i < n_made; i++)
    GEOSCoordSeq_setXY_r(vt_geos(), sequence, i, points[2 * (i % n)], points[2 * (i % n) + 1]);
  return sequence;
}

static GEOSGeometry *
to_line(const double *points, guint32 n, guint32 n_made)
{
  GEOSCoordSequence *sequence = to_sequence(points, n, n_made);
  return sequence ? GEOSGeom_createLineString_r(vt_geos(), sequence) : NULL;
}

/* Of a ring that runs clockwise on the screen, and the holes after it. A ring of fewer than three points has no inside. */
static GEOSGeometry *
to_polygon(const guint32 *sizes, guint n_rings, const double *points)
{
  g_autofree GEOSGeometry **rings = g_new0(GEOSGeometry *, n_rings);
  guint n = 0;
  for (guint i = 0; i < n_rings; points += 2 * sizes[i], i++) {
    GEOSCoordSequence *sequence = sizes[i] >= 3 ? to_sequence(points, sizes[i], sizes[i] + 1) : NULL;
    GEOSGeometry *ring = sequence ? GEOSGeom_createLinearRing_r(vt_geos(), sequence) : NULL;
    if (ring)
      rings[n++] = ring;
  }
  return n > 0 ? GEOSGeom_createPolygon_r(vt_geos(), rings[0], rings + 1, n - 1) : NULL;
}

/* Shells and holes as the rings' directions say; what that makes is right only if it is valid. */
static GEOSGeometry *
to_polygons(const VtRoi *roi)
{
  const guint32 *sizes = vt_roi_get_ring_sizes(roi);
  const guint n_rings = roi->ring_sizes->len;
  g_autofree GEOSGeometry **polygons = g_new0(GEOSGeometry *, MAX(n_rings, 1));
  const double *points = vt_roi_get_points(roi);
  guint n = 0;
  for (guint first = 0, next; first < n_rings; first = next) {
    const double *p = points + 2 * sizes[first];
    for (next = first + 1; next < n_rings && vt_ring_get_turn(p, sizes[next]) <= 0; p += 2 * sizes[next++]) {
    }
    GEOSGeometry *polygon = to_polygon(sizes + first, next - first, points);
    if (polygon)
      polygons[n++] = polygon;
    points = p;
  }
  return GEOSGeom_createCollection_r(vt_geos(), GEOS_MULTIPOLYGON, polygons, n);
}

static GEOSGeometry *
to_lines(const VtRoi *roi)
{
  const guint n_rings = roi->ring_sizes->len;
  g_autofree GEOSGeometry **lines = g_new0(GEOSGeometry *, MAX(n_rings, 1));
  const double *points = vt_roi_get_points(roi);
  guint n = 0;
  for (guint i = 0; i < n_rings; i++) {
    const guint32 size = g_array_index(roi->ring_sizes, guint32, i);
    GEOSGeometry *line = size >= 2 ? to_line(points, size, size + 1) : NULL;
    if (line)
      lines[n++] = line;
    points += 2 * size;
  }
  return GEOSGeom_createCollection_r(vt_geos(), GEOS_MULTILINESTRING, lines, n);
}

/* Whether a point inside of the face is in the outline. */
static gboolean
has_point_in(const GEOSGeometry *face, VtRoiIsIn is_in, gconstpointer outline)
{
  g_autoptr(GEOSGeometry) point = GEOSPointOnSurface_r(vt_geos(), face);
  double x, y;
  return point && GEOSGeomGetX_r(vt_geos(), point, &x) == 1 && GEOSGeomGetY_r(vt_geos(), point, &y) == 1
         && is_in(outline, x, y);
}

/* The lines cut the plane into faces; those of which a point is inside, together. */
static GEOSGeometry *
join_faces(const VtRoi *roi, VtRoiIsIn is_in, gconstpointer outline)
{
  g_autoptr(GEOSGeometry) lines = to_lines(roi), noded = lines ? GEOSNode_r(vt_geos(), lines) : NULL;
  g_autoptr(GEOSGeometry) faces = noded ? GEOSPolygonize_r(vt_geos(), (const GEOSGeometry *const *)&noded, 1) : NULL;
  const int n_faces = faces ? GEOSGetNumGeometries_r(vt_geos(), faces) : 0;
  g_autofree GEOSGeometry **kept = g_new0(GEOSGeometry *, (gsize)MAX(n_faces, 1));
  guint n = 0;
  for (int i = 0; i < n_faces; i++) {
    const GEOSGeometry *face = GEOSGetGeometryN_r(vt_geos(), faces, i);
    if (has_point_in(face, is_in, outline))
      kept[n++] = GEOSGeom_clone_r(vt_geos(), face);
  }
  g_autoptr(GEOSGeometry) parts = faces ? GEOSGeom_createCollection_r(vt_geos(), GEOS_MULTIPOLYGON, kept, n) : NULL;
  return parts ? GEOSUnaryUnionPrec_r(vt_geos(), parts, GRID) : NULL;
}

static gboolean
is_in_rings(gconstpointer roi, double x, double y)
{
  return vt_roi_contains(roi, x, y);
}

/* Valid; NULL: GEOS could not. */
static GEOSGeometry *
to_geos(const VtRoi *roi)
{
  g_autoptr(GEOSGeometry) polygons = to_polygons(roi);
  return polygons && GEOSisValid_r(vt_geos(), polygons) == 1 ? g_steal_pointer(&polygons)
                                                             : join_faces(roi, is_in_rings, roi);
}

/* --- from GEOS --- */

static void
append_ring(VtRoi *roi, const GEOSGeometry *ring, gboolean is_hole)
{
  const GEOSCoordSequence *sequence = GEOSGeom_getCoordSeq_r(vt_geos(), ring);
  unsigned n_points = 0;
  GEOSCoordSeq_getSize_r(vt_geos(), sequence, &n_points);
  const guint32 n = n_points > 0 ? n_points - 1 : 0; /* the first one is the last one again */
  g_autofree double *points = g_new(double, 2 * (gsize)MAX(n, 1));
  for (guint32 i = 0; i < n; i++)
    GEOSCoordSeq_getXY_r(vt_geos(), sequence, i, points + 2 * i, points + 2 * i + 1);
  const gboolean backwards = (vt_ring_get_turn(points, n) < 0) != is_hole;
  for (guint32 i = 0; i < n; i++)
    g_array_append_vals(roi->points, points + 2 * (backwards ? n - 1 - i : i), 2);
  g_array_append_val(roi->ring_sizes, n);
}

/* NULL: it has no polygon. Lines and points, where areas only touch, are none. */
static VtRoi *
from_geos(const GEOSGeometry *geometry, guint *n_parts)
{
  g_autoptr(VtRoi) roi = vt_roi_new(NULL);
  *n_parts = 0;
  for (int i = 0; i < GEOSGetNumGeometries_r(vt_geos(), geometry); i++) {
    const GEOSGeometry *part = GEOSGetGeometryN_r(vt_geos(), geometry, i);
    if (GEOSGeomTypeId_r(vt_geos(), part) != GEOS_POLYGON || GEOSisEmpty_r(vt_geos(), part) != 0)
      continue;
    append_ring(roi, GEOSGetExteriorRing_r(vt_geos(), part), FALSE);
    for (int hole = 0; hole < GEOSGetNumInteriorRings_r(vt_geos(), part); hole++)
      append_ring(roi, GEOSGetInteriorRingN_r(vt_geos(), part, hole), TRUE);
    ++*n_parts;
  }
  return *n_parts > 0 ? g_steal_pointer(&roi) : NULL;
}

static VtRoi *
take_from_geos(GEOSGeometry *geometry, guint *n_parts, GError **error)
{
  g_autoptr(GEOSGeometry) taken = geometry;
  return taken ? from_geos(taken, n_parts) : vt_error_set_null(error, VITRAIL_INTERNAL, CANNOT);
}

/* --- what is asked --- */

static gboolean
bounds_overlap(const VtRoi *a, const VtRoi *b)
{
  double own[4], other[4];
  vt_roi_get_box(a, own);
  vt_roi_get_box(b, other);
  return vt_boxes_meet(own, other);
}

static gboolean
geometries_overlap(const GEOSGeometry *a, const GEOSGeometry *b)
{
  return a && b && GEOSRelatePattern_r(vt_geos(), a, b, "2********") == 1;
}

gboolean
vt_rois_overlap(const VtRoi *a, const VtRoi *b)
{
  if (!bounds_overlap(a, b))
    return FALSE;
  g_autoptr(GEOSGeometry) one = to_geos(a), other = to_geos(b);
  return geometries_overlap(one, other);
}

gboolean
vt_rois_any_overlap(GPtrArray *rois)
{
  g_autofree GEOSGeometry **geometries = g_new0(GEOSGeometry *, MAX(rois->len, 1));
  gboolean any = FALSE;
  for (guint i = 0; i < rois->len && !any; i++)
    for (guint k = 0; k < i && !any; k++) {
      if (!bounds_overlap(rois->pdata[i], rois->pdata[k]))
        continue;
      geometries[i] = geometries[i] ? geometries[i] : to_geos(rois->pdata[i]);
      geometries[k] = geometries[k] ? geometries[k] : to_geos(rois->pdata[k]);
      any = geometries_overlap(geometries[i], geometries[k]);
    }
  for (guint i = 0; i < rois->len; i++)
    GEOSGeom_destroy_r(vt_geos(), geometries[i]);
  return any;
}

gboolean
vt_roi_covers(const VtRoi *a, const VtRoi *b)
{
  g_autoptr(GEOSGeometry) one = to_geos(a), other = to_geos(b);
  return one && other && GEOSCovers_r(vt_geos(), one, other) == 1;
}

/* --- the tree --- */

/* What is known of one of a list by now. */
typedef struct {
  const VtRoi *roi;
  double box[4], area; /* twice the area by its rings; of lines and points 0 */
  guint place;
  GEOSGeometry *geometry; /* NULL: not made yet, or GEOS could not */
  const GEOSPreparedGeometry *prepared;
} Known;

static double
get_ring_area(const VtRoi *roi)
{
  const double *p = vt_roi_get_points(roi);
  double area = 0;
  for (guint i = 0; roi->kind == VT_SHAPE_AREA && i < roi->ring_sizes->len; i++) {
    const guint32 n = vt_roi_get_ring_sizes(roi)[i];
    area += vt_ring_get_turn(p, n);
    p += 2 * (gsize)n;
  }
  return fabs(area);
}

/* Of lines and points. */
static GEOSGeometry *
to_open(const VtRoi *roi)
{
  const double *p = vt_roi_get_points(roi);
  const guint n_points = roi->points->len / 2, n = roi->kind == VT_SHAPE_LINE ? roi->ring_sizes->len : n_points;
  g_autofree GEOSGeometry **parts = g_new0(GEOSGeometry *, MAX(n, 1));
  guint n_parts = 0;
  for (guint i = 0; i < n; i++) {
    const guint32 size = roi->kind == VT_SHAPE_LINE ? vt_roi_get_ring_sizes(roi)[i] : 1;
    GEOSGeometry *part =
      roi->kind == VT_SHAPE_LINE ? to_line(p, size, size) : GEOSGeom_createPointFromXY_r(vt_geos(), p[0], p[1]);
    if (part)
      parts[n_parts++] = part;
    p += 2 * (gsize)size;
  }
  return GEOSGeom_createCollection_r(vt_geos(), roi->kind == VT_SHAPE_LINE ? GEOS_MULTILINESTRING : GEOS_MULTIPOINT,
                                     parts, n_parts);
}

static const GEOSGeometry *
make_geometry(Known *known)
{
  if (!known->geometry)
    known->geometry = known->roi->kind == VT_SHAPE_AREA ? to_geos(known->roi) : to_open(known->roi);
  return known->geometry;
}

static gboolean
covers(Known *one, Known *other)
{
  if (!one->prepared && make_geometry(one))
    one->prepared = GEOSPrepare_r(vt_geos(), one->geometry);
  return one->prepared && make_geometry(other) && GEOSPreparedCovers_r(vt_geos(), one->prepared, other->geometry) == 1;
}

static int
by_size(gconstpointer a, gconstpointer b)
{
  const Known *one = a, *other = b;
  if (one->area != other->area)
    return one->area > other->area ? -1 : 1;
  return one->place > other->place ? 1 : -1;
}

static gboolean
has_box_in(const double outer[4], const double inner[4])
{
  return outer[0] <= inner[0] && outer[1] <= inner[1] && outer[2] >= inner[2] && outer[3] >= inner[3];
}

void
vt_rois_find_parents(const GPtrArray *rois, const gboolean *wanted, gint *parents)
{
  g_autofree Known *all = g_new0(Known, MAX(rois->len, 1)); /* the largest first */
  for (guint i = 0; i < rois->len; i++) {
    all[i].roi = rois->pdata[i];
    all[i].place = i;
    all[i].area = get_ring_area(all[i].roi);
    vt_roi_get_box(all[i].roi, all[i].box);
  }
  qsort(all, rois->len, sizeof *all, by_size);
  for (guint i = 0; i < rois->len; i++) {
    if (wanted && !wanted[all[i].place])
      continue;
    gint parent = -1;
    for (guint k = i; k-- > 0 && parent < 0;)
      if (all[k].roi->kind == VT_SHAPE_AREA && has_box_in(all[k].box, all[i].box) && covers(&all[k], &all[i]))
        parent = (gint)all[k].place;
    parents[all[i].place] = parent;
  }
  for (guint i = 0; i < rois->len; i++) {
    if (all[i].prepared)
      GEOSPreparedGeom_destroy_r(vt_geos(), all[i].prepared);
    if (all[i].geometry)
      vt_geometry_free(all[i].geometry);
  }
}

VtRoi *
vt_roi_combine(const VtRoi *a, const VtRoi *b, VtRoiSet how, GError **error)
{
  g_autoptr(GEOSGeometry) one = to_geos(a), other = to_geos(b);
  GEOSGeometry *both = NULL;
  guint n_parts = 0;
  if (one && other)
    both = how == VT_ROI_UNION        ? GEOSUnionPrec_r(vt_geos(), one, other, GRID)
           : how == VT_ROI_DIFFERENCE ? GEOSDifferencePrec_r(vt_geos(), one, other, GRID)
                                      : GEOSIntersectionPrec_r(vt_geos(), one, other, GRID);
  VtRoi *roi = take_from_geos(both, &n_parts, error);
  if (roi)
    vt_roi_take_looks(roi, a);
  return roi;
}

/* --- together, apart --- */

static gboolean
is_one(const GEOSGeometry *geometry)
{
  return geometry && GEOSGetNumGeometries_r(vt_geos(), geometry) == 1
         && GEOSGeomTypeId_r(vt_geos(), GEOSGetGeometryN_r(vt_geos(), geometry, 0)) == GEOS_POLYGON;
}

/* What a disc cannot reach from outside. NULL: GEOS could not. */
static GEOSGeometry *
close_gaps(const GEOSGeometry *parts, double radius)
{
  g_autoptr(GEOSGeometry) wide = GEOSBuffer_r(vt_geos(), parts, radius, ARC_EDGES);
  g_autoptr(GEOSGeometry) closed = wide ? GEOSBuffer_r(vt_geos(), wide, -radius, ARC_EDGES) : NULL;
  return closed ? GEOSUnionPrec_r(vt_geos(), parts, closed, GRID) : NULL;
}

static GEOSGeometry *
unite(GPtrArray *rois)
{
  GEOSGeometry *all = rois->len > 0 ? to_geos(rois->pdata[0]) : NULL;
  for (guint i = 1; i < rois->len && all; i++) {
    g_autoptr(GEOSGeometry) former = all, next = to_geos(rois->pdata[i]);
    all = next ? GEOSUnionPrec_r(vt_geos(), former, next, GRID) : NULL;
  }
  return all;
}

VtRoi *
vt_rois_join(GPtrArray *rois, double most_radius, GError **error)
{
  g_autoptr(GEOSGeometry) all = unite(rois), joined = all ? GEOSGeom_clone_r(vt_geos(), all) : NULL;
  guint n_parts = 0;
  for (double radius = 1; joined && !is_one(joined) && radius <= most_radius; radius *= 2) {
    vt_geometry_free(joined);
    joined = close_gaps(all, radius);
  }
  return joined && !is_one(joined) ? NULL : take_from_geos(g_steal_pointer(&joined), &n_parts, error);
}

static int
by_corner(gconstpointer a, gconstpointer b)
{
  double x, y, other_x, other_y, width, height;
  vt_roi_get_bounds(*(VtRoi *const *)a, &x, &y, &width, &height);
  vt_roi_get_bounds(*(VtRoi *const *)b, &other_x, &other_y, &width, &height);
  return y != other_y ? (y > other_y) - (y < other_y) : (x > other_x) - (x < other_x);
}

/* The faces that outlines and line make, as far as they are of the region. */
static GPtrArray *
list_faces(const VtRoi *roi, const GEOSGeometry *faces)
{
  GPtrArray *parts = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  for (int i = 0; i < GEOSGetNumGeometries_r(vt_geos(), faces); i++) {
    const GEOSGeometry *face = GEOSGetGeometryN_r(vt_geos(), faces, i);
    guint n = 0;
    VtRoi *part = has_point_in(face, is_in_rings, roi) ? from_geos(face, &n) : NULL;
    if (part)
      g_ptr_array_add(parts, part);
  }
  g_ptr_array_sort(parts, by_corner);
  return parts;
}

GPtrArray *
vt_roi_split(const VtRoi *roi, const double *points, guint n, GError **error)
{
  g_autoptr(GEOSGeometry) whole = to_geos(roi), edge = whole ? GEOSBoundary_r(vt_geos(), whole) : NULL;
  g_autoptr(GEOSGeometry) line = n > 1 ? to_line(points, n, n) : NULL;
  g_autoptr(GEOSGeometry) lines = edge && line ? GEOSUnionPrec_r(vt_geos(), edge, line, GRID) : NULL;
  g_autoptr(GEOSGeometry) faces = lines ? GEOSPolygonize_r(vt_geos(), (const GEOSGeometry *const *)&lines, 1) : NULL;
  GPtrArray *parts = faces ? list_faces(roi, faces) : NULL;
  if (parts && (int)parts->len <= GEOSGetNumGeometries_r(vt_geos(), whole))
    g_ptr_array_set_size(parts, 0);
  return parts ? parts : vt_error_set_null(error, VITRAIL_INTERNAL, CANNOT);
}

GPtrArray *
vt_roi_list_parts(const VtRoi *roi, GError **error)
{
  g_autoptr(GEOSGeometry) whole = to_geos(roi);
  GPtrArray *parts = whole ? g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free) : NULL;
  for (int i = 0; parts && i < GEOSGetNumGeometries_r(vt_geos(), whole); i++) {
    guint n = 0;
    VtRoi *part = from_geos(GEOSGetGeometryN_r(vt_geos(), whole, i), &n);
    if (!part)
      continue;
    vt_roi_take_looks(part, roi);
    g_ptr_array_add(parts, part);
  }
  return parts ? parts : vt_error_set_null(error, VITRAIL_INTERNAL, CANNOT);
}

/* How far a corner of it is from the outline of another. */
static double
get_farthest(const GEOSGeometry *of, const GEOSGeometry *from)
{
  g_autoptr(GEOSGeometry) one = GEOSBoundary_r(vt_geos(), of), other = GEOSBoundary_r(vt_geos(), from);
  double farthest = 0;
  return one && other && GEOSHausdorffDistance_r(vt_geos(), one, other, &farthest) == 1 ? farthest : INFINITY;
}

VtRoi *
vt_roi_simplify(const VtRoi *roi, double tolerance, GError **error)
{
  g_autoptr(GEOSGeometry) whole = to_geos(roi);
  GEOSGeometry *simple = NULL;
  guint n_parts = 0;
  /* From 3.12 on GEOS may go beyond the tolerance, where a ring begins; and polygons may be simplified into one another. */
  for (double by = tolerance; whole && !simple && by > tolerance / 100; by /= 2) {
    simple = GEOSTopologyPreserveSimplify_r(vt_geos(), whole, by);
    if (simple && GEOSisValid_r(vt_geos(), simple) == 1 && get_farthest(simple, whole) <= tolerance)
      break;
    g_clear_pointer(&simple, vt_geometry_free);
  }
  if (whole && !simple)
    simple = GEOSGeom_clone_r(vt_geos(), whole);
  VtRoi *answer = take_from_geos(simple, &n_parts, error);
  if (answer)
    vt_roi_take_looks(answer, roi);
  return answer;
}

/* How often a ring goes round a point is not 0. */
static gboolean
is_gone_round(gconstpointer outline, double x, double y)
{
  const VtRoi *roi = outline;
  const double *p = vt_roi_get_points(roi);
  const guint n = roi->points->len / 2;
  int n_round = 0;
  for (guint i = 0, last = n - 1; i < n; last = i++) {
    const double *a = p + 2 * last, *b = p + 2 * i;
    const double side = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
    if (a[1] <= y && b[1] > y && side > 0)
      n_round++;
    else if (b[1] <= y && a[1] > y && side < 0)
      n_round--;
  }
  return n_round != 0;
}

VtRoi *
vt_roi_new_enclosed(const double *points, guint n, guint *n_parts, GError **error)
{
  g_autoptr(VtRoi) ring = vt_roi_new(NULL);
  g_array_append_vals(ring->points, points, 2 * n);
  g_array_append_val(ring->ring_sizes, n);
  return take_from_geos(join_faces(ring, is_gone_round, ring), n_parts, error);
}

VtRoi *
vt_roi_new_stroke(const double *points, guint n, double radius, GError **error)
{
  guint n_parts;
  g_autoptr(GEOSGeometry) line = to_line(points, n, MAX(n, 2));
  g_autoptr(GEOSGeometry) round = line ? GEOSBuffer_r(vt_geos(), line, radius, ARC_EDGES) : NULL;
  return take_from_geos(round ? GEOSUnaryUnionPrec_r(vt_geos(), round, GRID) : NULL, &n_parts, error);
}

double
vt_roi_get_area(const VtRoi *roi)
{
  g_autoptr(GEOSGeometry) geometry = to_geos(roi);
  double area = NAN;
  return geometry && GEOSArea_r(vt_geos(), geometry, &area) == 1 ? area : NAN;
}

double
vt_roi_get_perimeter(const VtRoi *roi, double mpp_x, double mpp_y)
{
  const double *p = vt_roi_get_points(roi);
  double length = 0;
  for (guint ring = 0; ring < roi->ring_sizes->len; ring++) {
    const guint32 n = g_array_index(roi->ring_sizes, guint32, ring);
    const guint32 first = roi->kind == VT_SHAPE_AREA ? 0 : 1; /* a line is not closed */
    for (guint32 i = first, last = first > 0 ? 0 : n - 1; i < n; last = i++)
      length += hypot((p[2 * i] - p[2 * last]) * mpp_x, (p[2 * i + 1] - p[2 * last + 1]) * mpp_y);
    p += 2 * n;
  }
  return length;
}
