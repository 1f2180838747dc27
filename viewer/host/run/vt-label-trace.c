/* SPDX-License-Identifier: MIT
 *
 * Outlines of the pieces of a label image. A ring follows the edges of pixels with its piece on the right: shells run clockwise on the screen, holes the
 * other way. Where a piece touches itself in a corner alone the ring keeps to the pixel that it follows, comes by twice, and is cut into two rings there,
 * so that no ring touches itself. Each ring has an upper edge of a pixel, so rows from the top down find all of them. */
#include "run/vt-label-image.h"
#include "run/vt-shapes-private.h"

typedef struct {
  gint32 x, y;
} Corner;

typedef struct {
  gint32 object, piece; /* what it belongs to, first by object */
  gboolean is_hole;
  guint first, n; /* of the corners */
} Ring;

typedef struct {
  const VtLabelImage *image;
  gboolean by_piece;
  const VtShapesContext *context;
  guint8 *seen; /* a bit for each pixel: a ring has its upper edge */
  GArray *corners;
  GArray *rings;
  GArray *open; /* Corner: of the ring that is followed */
  GHashTable
    *touched; /* place of a corner -> where it is among the open ones, of those by which the ring may come again */
} Trace;

static gint32
get_piece(const Trace *trace, gint64 x, gint64 y)
{
  const VtRaster *raster = trace->image->pieces;
  const gint32 *pieces = (const gint32 *)(gpointer)raster->data;
  return x >= 0 && y >= 0 && x < raster->width && y < raster->height ? pieces[y * raster->width + x] : 0;
}

static gboolean
is_new(const Trace *trace, gint64 x, gint64 y)
{
  const gsize at = (gsize)(y * trace->image->pieces->width + x);
  const gint32 piece = get_piece(trace, x, y);
  return piece && get_piece(trace, x, y - 1) != piece && !(trace->seen[at >> 3] & 1 << (at & 7));
}

/* The open corners from `from` on are a ring. */
static void
close_ring(Trace *trace, gint32 piece, guint from)
{
  const Corner *corners = (const Corner *)(gpointer)trace->open->data + from;
  const guint n = trace->open->len - from;
  gint64 turn = 0;
  for (guint i = 0, last = n - 1; i < n; last = i++)
    turn += (gint64)corners[last].x * corners[i].y - (gint64)corners[i].x * corners[last].y;
  const gint32 object = trace->by_piece ? piece : g_array_index(trace->image->labels, gint32, piece);
  const Ring ring = { object, piece, turn < 0, trace->corners->len, n };
  g_array_append_vals(trace->corners, corners, n);
  g_array_append_val(trace->rings, ring);
}

static void
add_corner(Trace *trace, gint32 piece, Corner corner, gboolean touches)
{
  const gpointer key = GSIZE_TO_POINTER((gsize)((gint64)corner.y * (trace->image->pieces->width + 1) + corner.x) + 1);
  const guint before = touches ? GPOINTER_TO_UINT(g_hash_table_lookup(trace->touched, key)) : 0;
  if (before > 0) { /* the second time: what lies between is a ring, and the corner stays one of the rest */
    close_ring(trace, piece, before - 1);
    g_array_set_size(trace->open, before);
    return;
  }
  g_array_append_val(trace->open, corner);
  if (touches)
    g_hash_table_insert(trace->touched, key, GUINT_TO_POINTER(trace->open->len));
}

/* The ring with the upper edge of pixel (x, y). */
static void
follow(Trace *trace, gint64 x, gint64 y)
{
  static const gint8 step_x[4] = { 1, 0, -1, 0 }, step_y[4] = { 0, 1, 0, -1 };
  static const gint8 right_x[4] = { 0, -1, -1, 0 }, right_y[4] = { 0, 0, -1, -1 }; /* the pixel ahead, on the right */
  const gint32 piece = get_piece(trace, x, y);
  gint64 at_x = x, at_y = y;
  guint way = 0; /* right, down, left, up */
  g_array_set_size(trace->open, 0);
  g_hash_table_remove_all(trace->touched);
  do {
    const gsize pixel = (gsize)(at_y * trace->image->pieces->width + at_x);
    if (way == 0)
      trace->seen[pixel >> 3] |= (guint8)(1 << (pixel & 7));
    at_x += step_x[way];
    at_y += step_y[way];
    const guint left = (way + 3) % 4;
    const gboolean has_right = get_piece(trace, at_x + right_x[way], at_y + right_y[way]) == piece;
    const gboolean has_left = get_piece(trace, at_x + right_x[left], at_y + right_y[left]) == piece;
    const guint next = !has_right ? (way + 1) % 4 : has_left ? left : way;
    if (next != way)
      add_corner(trace, piece, (Corner){ (gint32)at_x, (gint32)at_y }, !has_right && has_left);
    way = next;
  } while (at_x != x || at_y != y || way != 0);
  close_ring(trace, piece, 0);
}

static int
compare_rings(gconstpointer a, gconstpointer b)
{
  const Ring *p = a, *q = b;
  if (p->object != q->object)
    return p->object < q->object ? -1 : 1;
  if (p->piece != q->piece)
    return p->piece < q->piece ? -1 : 1;
  return p->is_hole != q->is_hole ? p->is_hole - q->is_hole : (p->first > q->first) - (p->first < q->first);
}

static gboolean
find_rings(Trace *trace, GError **error)
{
  const VtRaster *raster = trace->image->pieces;
  for (gint64 y = 0; y < raster->height; y++) {
    if (trace->context && g_cancellable_set_error_if_cancelled(trace->context->cancellable, error))
      return FALSE;
    for (gint64 x = 0; x < raster->width; x++)
      if (is_new(trace, x, y))
        follow(trace, x, y);
    if (trace->corners->len > VT_SHAPES_MAX_POINTS)
      return vt_error_set(error, VITRAIL_READ_FAILED, "%s has outlines of more than %u corners.", trace->image->file,
                          (guint)VT_SHAPES_MAX_POINTS);
    if (trace->context && trace->context->progress)
      trace->context->progress((double)y / (double)raster->height, trace->context->user);
  }
  g_array_sort(trace->rings, compare_rings);
  return TRUE;
}

static void
add_ring(const Trace *trace, const Ring *ring, const VtLabelPlace *place, GArray *sizes, GArray *points,
         GByteArray *holes)
{
  const guint8 is_hole = ring->is_hole != 0;
  const guint32 n = ring->n;
  for (guint i = 0; i < n; i++) {
    const Corner *corner = &g_array_index(trace->corners, Corner, ring->first + i);
    const double point[2] = { place->x_l0 + corner->x * place->downsample,
                              place->y_l0 + corner->y * place->downsample };
    g_array_append_vals(points, point, 2);
  }
  g_array_append_val(sizes, n);
  g_byte_array_append(holes, &is_hole, 1);
}

static void
add_objects(const Trace *trace, const VtLabelPlace *place, VtShapes *shapes)
{
  g_autoptr(GArray) sizes = g_array_new(FALSE, FALSE, sizeof(guint32));
  g_autoptr(GArray) points = g_array_new(FALSE, FALSE, sizeof(double));
  g_autoptr(GByteArray) holes = g_byte_array_new();
  const Ring *rings = (const Ring *)(gpointer)trace->rings->data;
  for (guint i = 0; i < trace->rings->len; i++) {
    add_ring(trace, &rings[i], place, sizes, points, holes);
    if (i + 1 < trace->rings->len && rings[i + 1].object == rings[i].object)
      continue;
    g_autofree char *name = trace->by_piece ? NULL : g_strdup_printf("Label %d", rings[i].object);
    vt_shapes_add(shapes, VT_SHAPE_AREA, name, sizes, points, holes->data);
    g_array_set_size(sizes, 0);
    g_array_set_size(points, 0);
    g_byte_array_set_size(holes, 0);
  }
}

VtShapes *
vt_label_image_trace(const VtLabelImage *self, const VtLabelPlace *place, gboolean by_piece,
                     const VtShapesContext *context, GError **error)
{
  const gsize n_pixels = (gsize)self->pieces->width * (gsize)self->pieces->height;
  Trace trace = { .image = self,
                  .by_piece = by_piece,
                  .context = context,
                  .seen = g_try_malloc0(n_pixels / 8 + 1),
                  .corners = g_array_new(FALSE, FALSE, sizeof(Corner)),
                  .rings = g_array_new(FALSE, FALSE, sizeof(Ring)),
                  .open = g_array_new(FALSE, FALSE, sizeof(Corner)),
                  .touched = g_hash_table_new(NULL, NULL) };
  VtShapes *shapes = NULL;
  if (!trace.seen)
    g_set_error(error, VT_ERROR, VITRAIL_OUT_OF_MEMORY, "%s: there is not enough memory to outline it.", self->file);
  else if (find_rings(&trace, error)) {
    shapes = vt_shapes_new(self->file);
    shapes->format = "label image";
    add_objects(&trace, place, shapes);
  }
  g_free(trace.seen);
  g_array_unref(trace.corners);
  g_array_unref(trace.rings);
  g_array_unref(trace.open);
  g_hash_table_unref(trace.touched);
  return shapes;
}
