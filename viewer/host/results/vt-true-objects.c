/* SPDX-License-Identifier: MIT */
#include "results/vt-true-objects.h"

#include <math.h>
#include <string.h>

#include "base/vt-define.h"

/* --- what there is --- */

GPtrArray *
vt_result_collect_outlines(const VtResult *result, const double box[4], GArray *ids)
{
  GPtrArray *rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  VT_EACH_OF (const VtObject, object, result->objects) {
    double own[4];
    vt_object_get_box(object, own);
    if (!vt_boxes_meet(own, box))
      continue;
    g_ptr_array_add(rois, vt_object_dup_roi(object));
    if (ids)
      g_array_append_val(ids, object->id);
  }
  return rois;
}

GPtrArray *
vt_rois_collect(const GPtrArray *all, const double box[4])
{
  GPtrArray *rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  for (guint i = 0; i < all->len; i++) {
    double own[4];
    vt_roi_get_box(all->pdata[i], own);
    if (vt_boxes_meet(own, box))
      g_ptr_array_add(rois, vt_roi_copy(all->pdata[i]));
  }
  return rois;
}

/* --- true objects --- */

#define MAX_RUNS (1 << 22) /* 48 MiB of them: of more, as of whole slides, none are of use, and rows are painted anew */

typedef struct {
  guint32 from, to; /* pixels of a row, the last one not included */
  gint32 label;
} Run;

struct VtTrueObjects {
  guint64 number;
  GPtrArray *rois; /* or NULL: */
  VtResult *result;
  double box[4];
  gint is_kept; /* atomic: there are pixels of outlines, at the end of the last comparison */

  GMutex lock;         /* of what follows */
  GPtrArray *outlines; /* VtRoi, those that meet the box; NULL: nobody has asked yet */
  VtLabels *labels;    /* of them; of none, where they are dots */
  VtFrame frame;       /* of the last comparison */
  gboolean is_painted; /* all rows of that are kept: */
  GArray *runs, *ends; /* Run; guint: how many there are up to the end of each row */
};

VtTrueObjects *
vt_true_objects_new(GPtrArray *rois, VtResult *result, const double box[4])
{
  static gint n_made; /* atomic */
  VtTrueObjects *self = g_atomic_rc_box_new0(VtTrueObjects);
  self->number = (guint64)g_atomic_int_add(&n_made, 1) + 1;
  self->rois = rois ? g_ptr_array_ref(rois) : NULL;
  self->result = result ? vt_result_ref(result) : NULL;
  memcpy(self->box, box, sizeof self->box);
  g_mutex_init(&self->lock);
  self->runs = g_array_new(FALSE, FALSE, sizeof(Run));
  self->ends = g_array_new(FALSE, FALSE, sizeof(guint));
  return self;
}

static void
true_objects_clear(gpointer data)
{
  VtTrueObjects *self = data;
  g_clear_pointer(&self->rois, g_ptr_array_unref);
  g_clear_pointer(&self->result, vt_result_unref);
  g_clear_pointer(&self->labels, vt_labels_free);
  g_clear_pointer(&self->outlines, g_ptr_array_unref);
  g_array_unref(self->runs);
  g_array_unref(self->ends);
  g_mutex_clear(&self->lock);
}

VT_DEFINE_REF(VtTrueObjects, vt_true_objects, true_objects_clear)

gboolean
vt_true_objects_is_of(const VtTrueObjects *self, const GPtrArray *rois, const VtResult *result, const double box[4])
{
  return self->rois == rois && self->result == result && memcmp(self->box, box, sizeof self->box) == 0;
}

static gboolean
are_dots(const GPtrArray *outlines)
{
  return outlines->len > 0 && ((const VtRoi *)outlines->pdata[0])->kind == VT_SHAPE_POINTS;
}

static void
collect(VtTrueObjects *self)
{
  g_autoptr(GPtrArray) none = g_ptr_array_new();
  self->outlines =
    self->rois ? vt_rois_collect(self->rois, self->box) : vt_result_collect_outlines(self->result, self->box, NULL);
  self->labels = vt_labels_new(are_dots(self->outlines) ? none : self->outlines);
}

VtTrueObjectsLocker *
vt_true_objects_lock(VtTrueObjects *self)
{
  g_mutex_lock(&self->lock);
  if (!self->outlines)
    collect(self);
  return self;
}

void
vt_true_objects_unlock(VtTrueObjectsLocker *self)
{
  g_atomic_int_set(&self->is_kept, self->is_painted && !are_dots(self->outlines));
  g_mutex_unlock(&self->lock);
}

VT_GETTER(GPtrArray *, vt_true_objects_get_outlines, VtTrueObjects, outlines)
VT_GETTER(const VtLabels *, vt_true_objects_get_labels, const VtTrueObjects, labels)
VT_GETTER(const double *, vt_true_objects_get_box, const VtTrueObjects, box)

gboolean
vt_true_objects_are_dots(const VtTrueObjects *self)
{
  return are_dots(self->outlines);
}

/* --- pixels --- */

gboolean
vt_true_objects_find_frame(const VtTrueObjects *self, double downsample, VtFrame *frame)
{
  const double *box = self->box;
  const double x0 = ceil(box[0] / downsample - 0.5), y0 = ceil(box[1] / downsample - 0.5);
  const double x1 = ceil(box[2] / downsample - 0.5), y1 = ceil(box[3] / downsample - 0.5);
  *frame = (VtFrame){ (gint64)x0, (gint64)y0, (gint64)(x1 - x0), (gint64)(y1 - y0), downsample, 0, 0 };
  return x1 > x0 && y1 > y0;
}

gboolean
vt_true_objects_begin(VtTrueObjects *self, const VtFrame *frame)
{
  if (self->is_painted && memcmp(&self->frame, frame, sizeof *frame) == 0)
    return TRUE;
  self->frame = *frame;
  self->is_painted = FALSE;
  g_array_set_size(self->runs, 0);
  g_array_set_size(self->ends, 0);
  return vt_labels_begin(self->labels, frame, NULL);
}

static void
keep_row(VtTrueObjects *self, const gint32 *row)
{
  const gint64 width = self->frame.width;
  for (gint64 x = 0; x < width && self->runs->len <= MAX_RUNS; x++) {
    const gint64 from = x;
    if (row[x] == 0)
      continue;
    while (x + 1 < width && row[x + 1] == row[from])
      x++;
    const Run run = { (guint32)from, (guint32)(x + 1), row[from] };
    g_array_append_val(self->runs, run);
  }
  g_array_append_val(self->ends, self->runs->len);
  self->is_painted = self->ends->len == self->frame.height && self->runs->len <= MAX_RUNS && width <= G_MAXUINT32;
}

gboolean
vt_true_objects_next_row(VtTrueObjects *self, gint64 y, gint32 *row)
{
  if (!self->is_painted) {
    const gboolean is_sound = vt_labels_next_row(self->labels, row, NULL);
    if (is_sound)
      keep_row(self, row);
    return is_sound;
  }
  memset(row, 0, (gsize)self->frame.width * sizeof *row);
  for (guint i = y > 0 ? g_array_index(self->ends, guint, y - 1) : 0; i < g_array_index(self->ends, guint, y); i++) {
    const Run *run = &g_array_index(self->runs, Run, i);
    for (guint32 x = run->from; x < run->to; x++)
      row[x] = run->label;
  }
  return TRUE;
}

/* --- for a run --- */

/* The row of the frame, as far as it lies in what is read. row NULL: it is kept. */
static void
copy_row(const VtTrueObjects *self, const gint32 *row, gint64 y, gint64 x, gint64 width, gint32 *dst)
{
  const VtFrame *frame = &self->frame;
  const gint64 from = MAX(x - frame->x, 0), end = MIN(x + width - frame->x, frame->width);
  const gint64 shift = frame->x - x;
  if (from >= end)
    return;
  if (row) {
    memcpy(dst + (from + shift), row + from, (gsize)(end - from) * sizeof *dst);
    return;
  }
  memset(dst + (from + shift), 0, (gsize)(end - from) * sizeof *dst);
  for (guint i = y > 0 ? g_array_index(self->ends, guint, y - 1) : 0; i < g_array_index(self->ends, guint, y); i++) {
    const Run *run = &g_array_index(self->runs, Run, i);
    for (gint64 at = MAX(run->from, from); at < MIN(run->to, end); at++)
      dst[at + shift] = run->label;
  }
}

/* Rows that are kept, or, where the run has another grid than the last comparison, all rows anew. */
static void
read_labels(gpointer user, guint downsample, gint64 x, gint64 y, gint64 width, gint64 height, guint8 *dst, gsize stride)
{
  VtTrueObjects *self = user;
  VtFrame frame;
  g_autoptr(VtTrueObjectsLocker) G_GNUC_UNUSED locker = vt_true_objects_lock(self);
  for (gint64 v = 0; v < height; v++)
    memset(dst + (gsize)v * stride, 0xff, (gsize)width * sizeof(gint32)); /* -1 */
  if (!vt_true_objects_find_frame(self, downsample, &frame) || !vt_true_objects_begin(self, &frame))
    return;
  const gboolean is_kept = self->is_painted;
  g_autofree gint32 *row = is_kept ? NULL : g_new(gint32, frame.width);
  const gint64 first = is_kept ? MAX(y - frame.y, 0) : 0;
  const gint64 end = is_kept ? MIN(y + height - frame.y, frame.height) : frame.height;
  for (gint64 v = first; v < end && (is_kept || vt_true_objects_next_row(self, v, row)); v++) {
    const gint64 to = frame.y + v - y;
    if (to >= 0 && to < height)
      copy_row(self, row, v, x, width, (gint32 *)(gpointer)(dst + (gsize)to * stride));
  }
}

VtRunTruth *
vt_true_objects_dup_run_truth(VtTrueObjects *self)
{
  if (!g_atomic_int_get(&self->is_kept))
    return NULL;
  return vt_run_truth_new(self->number, read_labels, vt_true_objects_ref(self), (GDestroyNotify)vt_true_objects_unref);
}

gboolean
vt_true_objects_are_of_overlaps(const VtTrueObjects *self, const VtOverlaps *overlaps)
{
  return overlaps->truth == self->number;
}
