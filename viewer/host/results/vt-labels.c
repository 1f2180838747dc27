/* SPDX-License-Identifier: MIT
 *
 * Outlines are turned into pixels row by row: an outline is active between its first and last row, and keeps those edges that the row
 * crosses. So memory holds the outlines, and never an image of them. */
#include "results/vt-labels.h"

#include <math.h>

#include "base/vt-define.h"
#include "base/vt-file-private.h"
#include "raster/vt-stats.h"
#include "run/vt-shapes.h"
#include "slide/vt-reader.h"

#define MAX_PIXELS 1e12 /* of a frame around outlines: coordinates beyond any slide come from damaged files */
#define REST_ROWS 1024  /* after so many, pixels that are in a file leave memory */

typedef struct {
  double x0, y0, x1, y1; /* in pixels of the frame; y0 < y1 */
} Edge;

typedef struct {
  guint label;
  GArray *edges; /* Edge, by y0 */
  guint n_begun;
  GArray *crossed; /* guint, those of the edges that have begun and may go on */
  double bottom;
} Active;

typedef struct {
  double top;
  guint label;
} Start;

struct VtLabels {
  char *name, *note;
  VtRaster *raster;   /* NULL: outlines */
  VtReaderRows *rows; /* that hand over the raster's pixels; NULL: it has them itself */
  gboolean is_placed; /* the file says where the image lies */
  GPtrArray *rois;
  GArray *dots;
  VtFrame frame;
  gint64 row;
  GArray *starts; /* Start, by top */
  guint n_started;
  GPtrArray *active; /* by label */
  GArray *xs;        /* scratch of one row of one outline */
  guint8 *leaves;    /* by label */
  guint64 n_shared;
};

VT_DEFINE_FREE(active_free, Active, VT_FREES(g_array_unref, edges, crossed))

/* --- files --- */

static gboolean
read_image(VtLabels *self, const char *path, VtFileKind kind, const VtRasterRoom *room, GError **error)
{
  if (kind == VT_FILE_JPEG)
    return vt_error_set(error, VITRAIL_READ_FAILED, "%s is a JPEG, which changes pixels: labels need a PNG or a TIFF.",
                        self->name);
  g_autoptr(GError) local = NULL;
  VtRasterFacts facts;
  self->rows = kind == VT_FILE_TIFF ? vt_reader_rows_new(path, room, &local) : NULL;
  if (self->rows)
    self->raster = vt_raster_ref(vt_reader_rows_get_raster(self->rows));
  else if (!local)
    self->raster = vt_reader_read_raster(path, room, NULL, &facts, &local);
  if (!self->raster) {
    g_propagate_error(error, g_steal_pointer(&local));
    return FALSE;
  }
  if (self->raster->type == VITRAIL_RGBA8)
    return vt_error_set(error, VITRAIL_READ_FAILED,
                        "%s is an image in colour: a label image is grey, and its values are the objects' numbers.",
                        self->name);
  self->is_placed = self->rows ? vt_reader_rows_get_facts(self->rows)->is_placed : facts.is_placed;
  if (!self->rows && facts.is_placed)
    vt_raster_set_place(self->raster, &facts.place);
  return TRUE;
}

static void
read_outlines(VtLabels *self, const char *path, GError **error)
{
  g_autoptr(VtShapes) shapes = vt_shapes_read(path, NULL, error);
  if (!shapes)
    return;
  self->dots = vt_shapes_dup_points(shapes);
  self->note = vt_shapes_dup_note(shapes, TRUE);
  self->rois = shapes->n_areas > 0 ? vt_shapes_steal_areas(shapes, NULL)
                                   : g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
}

VtLabels *
vt_labels_read(const char *path, const VtRasterRoom *room, GError **error)
{
  g_autoptr(VtLabels) self = g_new0(VtLabels, 1);
  self->name = vt_error_dup_name(path);
  const VtFileKind kind = vt_raster_get_kind(path);
  if (kind != VT_FILE_OTHER)
    return read_image(self, path, kind, room, error) ? g_steal_pointer(&self) : NULL;
  if (vt_file_check(path, error))
    read_outlines(self, path, error);
  return self->rois ? g_steal_pointer(&self) : NULL;
}

VtLabels *
vt_labels_new(GPtrArray *outlines)
{
  VtLabels *self = g_new0(VtLabels, 1);
  self->name = g_strdup("");
  self->rois = g_ptr_array_ref(outlines);
  return self;
}

VtLabels *
vt_labels_new_of(const VtRoi *outline, const VtFrame *frame)
{
  g_autoptr(GPtrArray) one = g_ptr_array_new();
  g_ptr_array_add(one, (gpointer)outline);
  VtLabels *self = vt_labels_new(one);
  vt_labels_begin(self, frame, NULL);
  return self;
}

VT_DEFINE_TYPE_FREE(vt_labels_free, VtLabels,
                    VT_FREES(vt_reader_rows_free, rows) VT_FREES(vt_raster_unref, raster)
                      VT_FREES(g_ptr_array_unref, rois) VT_FREES(g_array_unref, dots, starts)
                        VT_FREES(g_ptr_array_unref, active) VT_FREES(g_array_unref, xs)
                          VT_FREES(g_free, leaves, name, note))

VT_GETTER(const char *, vt_labels_get_name, const VtLabels, name)

gboolean
vt_labels_is_image(const VtLabels *self)
{
  return self->raster != NULL;
}

guint
vt_labels_get_n_outlines(const VtLabels *self)
{
  return self->rois ? self->rois->len : 0;
}

VT_GETTER(const GArray *, vt_labels_get_dots, const VtLabels, dots)
VT_GETTER(const char *, vt_labels_get_note, const VtLabels, note)
VT_GETTER(guint64, vt_labels_get_n_shared, const VtLabels, n_shared)

guint
vt_labels_get_n_outside(const VtLabels *self)
{
  return self->starts ? self->rois->len - self->starts->len : 0;
}

gboolean
vt_labels_leaves_frame(const VtLabels *self, guint label)
{
  return self->leaves && self->leaves[label] != 0;
}

/* --- the frame --- */

static VtFrame
get_image_frame(const VtLabels *self)
{
  const VtRaster *r = self->raster;
  return (VtFrame){ r->x, r->y, r->width, r->height, r->downsample, r->origin_x_l0, r->origin_y_l0 };
}

static void
widen(double box[4], double x0, double y0, double x1, double y1)
{
  box[0] = MIN(box[0], x0);
  box[1] = MIN(box[1], y0);
  box[2] = MAX(box[2], x1);
  box[3] = MAX(box[3], y1);
}

static void
widen_by(double box[4], const VtLabels *self)
{
  for (guint i = 0; i < self->rois->len; i++) {
    double own[4];
    vt_roi_get_box(self->rois->pdata[i], own);
    widen(box, own[0], own[1], own[2], own[3]);
  }
  for (guint i = 0; self->dots && i + 1 < self->dots->len; i += 2) {
    const double x = floor(g_array_index(self->dots, double, i)), y = floor(g_array_index(self->dots, double, i + 1));
    widen(box, x, y, x + 1, y + 1);
  }
}

static gboolean
check_same_grid(const VtLabels *a, const VtLabels *b, GError **error)
{
  const VtFrame p = get_image_frame(a), q = get_image_frame(b);
  if (p.width != q.width || p.height != q.height)
    return vt_error_set(error, VITRAIL_READ_FAILED,
                        "%s has %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT " pixels and %s has %" G_GINT64_FORMAT
                        " × %" G_GINT64_FORMAT ": only images of one size can be compared.",
                        a->name, p.width, p.height, b->name, q.width, q.height);
  double px = 0, py = 0, qx = 0, qy = 0, width = 0, height = 0;
  vt_raster_get_bounds_l0(a->raster, &px, &py, &width, &height);
  vt_raster_get_bounds_l0(b->raster, &qx, &qy, &width, &height);
  if (a->is_placed && b->is_placed && (p.downsample != q.downsample || px != qx || py != qy))
    return vt_error_set(error, VITRAIL_READ_FAILED,
                        "%s and %s lie at different places of the slide, or have different pixel sizes.", a->name,
                        b->name);
  return TRUE;
}

gboolean
vt_labels_find_frame(const VtLabels *a, const VtLabels *b, VtFrame *frame, GError **error)
{
  if (a->raster && b->raster && !check_same_grid(a, b, error))
    return FALSE;
  if (a->raster || b->raster) {
    *frame = get_image_frame(a->raster && (a->is_placed || !b->raster) ? a : b->raster ? b : a);
    return TRUE;
  }
  double box[4] = { INFINITY, INFINITY, -INFINITY, -INFINITY };
  widen_by(box, a);
  widen_by(box, b);
  if (!(box[0] < box[2]) || !(box[1] < box[3]))
    return vt_error_set(error, VITRAIL_READ_FAILED, "%s and %s hold no objects.", a->name, b->name);
  const double x = floor(box[0]), y = floor(box[1]), width = MAX(ceil(box[2]) - x, 1),
               height = MAX(ceil(box[3]) - y, 1);
  if (width > G_MAXINT32 || height > G_MAXINT32 || width * height > MAX_PIXELS)
    return vt_error_set(error, VITRAIL_READ_FAILED,
                        "The outlines of %s and %s reach over %.0f × %.0f pixels, which is more than any slide has.",
                        a->name, b->name, width, height);
  *frame = (VtFrame){ (gint64)x, (gint64)y, (gint64)width, (gint64)height, 1, 0, 0 };
  return TRUE;
}

static void
to_frame(const VtFrame *frame, const double *point, double *x, double *y)
{
  *x = (point[0] - frame->origin_x_l0) / frame->downsample - (double)frame->x;
  *y = (point[1] - frame->origin_y_l0) / frame->downsample - (double)frame->y;
}

gboolean
vt_frame_find_pixel(const VtFrame *frame, double x_l0, double y_l0, gint64 *x, gint64 *y)
{
  double fx = 0, fy = 0;
  to_frame(frame, (const double[]){ x_l0, y_l0 }, &fx, &fy);
  if (!(fx >= 0 && fy >= 0 && fx < (double)frame->width && fy < (double)frame->height))
    return FALSE;
  *x = (gint64)fx;
  *y = (gint64)fy;
  return TRUE;
}

static int
compare_starts(gconstpointer a, gconstpointer b)
{
  const Start *p = a, *q = b;
  return p->top < q->top ? -1 : p->top > q->top ? 1 : p->label < q->label ? -1 : p->label > q->label;
}

gboolean
vt_labels_begin(VtLabels *self, const VtFrame *frame, GError **error)
{
  self->frame = *frame;
  self->row = 0;
  self->n_shared = 0;
  if (self->raster && (self->raster->width != frame->width || self->raster->height != frame->height))
    return vt_error_set(error, VITRAIL_READ_FAILED,
                        "%s has %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT
                        " pixels, and what is compared has %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT ".",
                        self->name, self->raster->width, self->raster->height, frame->width, frame->height);
  if (self->raster)
    return TRUE;
  g_clear_pointer(&self->starts, g_array_unref);
  g_clear_pointer(&self->active, g_ptr_array_unref);
  g_clear_pointer(&self->xs, g_array_unref);
  g_free(self->leaves);
  self->starts = g_array_new(FALSE, FALSE, sizeof(Start));
  self->active = g_ptr_array_new_with_free_func(active_free);
  self->xs = g_array_new(FALSE, FALSE, sizeof(double));
  self->leaves = g_new0(guint8, self->rois->len + 1);
  self->n_started = 0;
  for (guint i = 0; i < self->rois->len; i++) {
    double box[4], left = 0, right = 0, bottom = 0;
    Start start = { 0, i + 1 };
    vt_roi_get_box(self->rois->pdata[i], box);
    to_frame(frame, box, &left, &start.top);
    to_frame(frame, box + 2, &right, &bottom);
    /* As far as the centre of a pixel beside the frame. */
    self->leaves[i + 1] =
      left < -0.5 || start.top < -0.5 || right > (double)frame->width + 0.5 || bottom > (double)frame->height + 0.5;
    if (right > 0 && bottom > 0 && left < (double)frame->width && start.top < (double)frame->height)
      g_array_append_val(self->starts, start);
  }
  g_array_sort(self->starts, compare_starts);
  return TRUE;
}

/* --- outlines --- */

static int
compare_edges(gconstpointer a, gconstpointer b)
{
  const double p = ((const Edge *)a)->y0, q = ((const Edge *)b)->y0;
  return p < q ? -1 : p > q;
}

static Active *
active_new(const VtRoi *roi, guint label, const VtFrame *frame)
{
  Active *active = g_new0(Active, 1);
  const double *p = vt_roi_get_points(roi);
  active->label = label;
  active->edges = g_array_new(FALSE, FALSE, sizeof(Edge));
  active->crossed = g_array_new(FALSE, FALSE, sizeof(guint));
  active->bottom = -INFINITY;
  for (guint ring = 0; ring < roi->ring_sizes->len; ring++) {
    const guint32 n = g_array_index(roi->ring_sizes, guint32, ring);
    for (guint32 i = 0, before = n - 1; i < n; before = i++) {
      Edge edge = { 0 };
      to_frame(frame, p + 2 * before, &edge.x0, &edge.y0);
      to_frame(frame, p + 2 * i, &edge.x1, &edge.y1);
      if (edge.y0 == edge.y1)
        continue;
      if (edge.y0 > edge.y1)
        edge = (Edge){ edge.x1, edge.y1, edge.x0, edge.y0 };
      active->bottom = MAX(active->bottom, edge.y1);
      g_array_append_val(active->edges, edge);
    }
    p += 2 * (gsize)n;
  }
  g_array_sort(active->edges, compare_edges);
  return active;
}

/* Where the outline's edges cross the line through the row's centres, from left to right. */
static void
find_crossings(Active *active, double y, GArray *xs)
{
  g_array_set_size(xs, 0);
  while (active->n_begun < active->edges->len && g_array_index(active->edges, Edge, active->n_begun).y0 <= y) {
    g_array_append_val(active->crossed, active->n_begun);
    active->n_begun++;
  }
  for (guint i = 0; i < active->crossed->len;) {
    const Edge *edge = &g_array_index(active->edges, Edge, g_array_index(active->crossed, guint, i));
    if (edge->y1 <= y) {
      g_array_remove_index_fast(active->crossed, i);
      continue;
    }
    const double x = edge->x0 + (y - edge->y0) * (edge->x1 - edge->x0) / (edge->y1 - edge->y0);
    g_array_append_val(xs, x);
    i++;
  }
  g_array_sort(xs, vt_compare_doubles);
}

static void
paint(VtLabels *self, const Active *active, gint32 *row)
{
  const double width = (double)self->frame.width;
  for (guint i = 0; i + 1 < self->xs->len; i += 2) {
    const gint64 from = (gint64)CLAMP(ceil(g_array_index(self->xs, double, i) - 0.5), 0, width);
    const gint64 to = (gint64)CLAMP(ceil(g_array_index(self->xs, double, i + 1) - 0.5), 0, width);
    for (gint64 x = from; x < to; x++) {
      if (row[x] == 0)
        row[x] = (gint32)active->label;
      else
        self->n_shared++;
    }
  }
}

static void
start_outlines(VtLabels *self, double y)
{
  for (; self->n_started < self->starts->len; self->n_started++) {
    const Start *start = &g_array_index(self->starts, Start, self->n_started);
    if (start->top > y)
      return;
    guint at = self->active->len;
    while (at > 0 && ((const Active *)self->active->pdata[at - 1])->label > start->label)
      at--;
    g_ptr_array_insert(self->active, (int)at,
                       active_new(self->rois->pdata[start->label - 1], start->label, &self->frame));
  }
}

static void
draw_row(VtLabels *self, gint32 *row)
{
  const double y = (double)self->row + 0.5;
  start_outlines(self, y);
  for (gint64 x = 0; x < self->frame.width; x++)
    row[x] = 0;
  for (guint i = 0; i < self->active->len;) {
    Active *active = self->active->pdata[i];
    if (active->bottom <= y) {
      g_ptr_array_remove_index(self->active, i);
      continue;
    }
    find_crossings(active, y, self->xs);
    paint(self, active, row);
    i++;
  }
}

/* --- images --- */

static gboolean
fail_label(const VtLabels *self, gint64 x, double value, GError **error)
{
  return vt_error_set(error, VITRAIL_READ_FAILED,
                      "%s holds %g at pixel (%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
                      "), which is no label: labels are whole numbers from 0 up.",
                      self->name, value, x, self->row);
}

static gboolean
copy_row(VtLabels *self, gint32 *row, GError **error)
{
  const VtRaster *raster = self->raster;
  const guint8 *in =
    self->rows ? vt_reader_rows_get(self->rows, self->row, error) : raster->data + (gsize)self->row * raster->stride;
  if (!in)
    return FALSE;
  const gint32 *in32 = (const gint32 *)(gconstpointer)in;
  for (gint64 x = 0; x < raster->width; x++) {
    if (raster->type == VITRAIL_U8) {
      row[x] = in[x];
    } else if (raster->type == VITRAIL_U16) {
      row[x] = ((const guint16 *)(gconstpointer)in)[x];
    } else if (raster->type == VITRAIL_I32) {
      if (in32[x] < 0)
        return fail_label(self, x, in32[x], error);
      row[x] = in32[x];
    } else {
      /* A float holds every whole number up to 2^24; beyond that, neighbours fall together. */
      const double value = (double)((const float *)(gconstpointer)in)[x];
      if (!(value >= 0 && value <= 1 << 24 && value == floor(value)))
        return fail_label(self, x, value, error);
      row[x] = (gint32)value;
    }
  }
  if (self->row % REST_ROWS == REST_ROWS - 1)
    vt_raster_rest(raster);
  return TRUE;
}

gboolean
vt_labels_next_row(VtLabels *self, gint32 *row, GError **error)
{
  g_return_val_if_fail(self->row < self->frame.height, FALSE);
  if (self->raster && !copy_row(self, row, error))
    return FALSE;
  if (!self->raster)
    draw_row(self, row);
  self->row++;
  return TRUE;
}
