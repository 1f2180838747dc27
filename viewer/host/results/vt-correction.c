/* SPDX-License-Identifier: MIT
 *
 * One correction. */
#include <math.h>
#include <string.h>

#include "results/vt-corrections.h"

static const char *const ids[VT_N_CORRECTIONS] = { "deleted", "drawn", "joined", "split" };

const char *
vt_correction_kind_get_id(VtCorrectionKind kind)
{
  return kind < VT_N_CORRECTIONS ? ids[kind] : NULL;
}

VtCorrectionKind
vt_correction_kind_from_id(const char *id)
{
  VtCorrectionKind kind = 0;
  while (kind < VT_N_CORRECTIONS && g_strcmp0(id, ids[kind]) != 0)
    kind++;
  return kind;
}

/* --- one correction --- */

/* Outlines of pixels have whole corners near to each other: a word each, with the steps from the one before. Others are as they are. */
#define WHOLE (1u << 31) /* beside the number of points */

static gboolean
is_near_and_whole(const VtRoi *roi)
{
  const double *p = (const double *)(gconstpointer)roi->points->data;
  for (guint i = 0; i < roi->points->len; i++)
    if (p[i] != floor(p[i]) || fabs(p[i]) > G_MAXINT32 || signbit(p[i]) != (p[i] < 0)
        || (i >= 2 && fabs(p[i] - p[i - 2]) > G_MAXINT16))
      return FALSE;
  return roi->points->len >= 2;
}

/* Two numbers, the sizes of the rings, the points. */
static gsize
count_words(const VtRoi *roi)
{
  return 2 + roi->ring_sizes->len + (is_near_and_whole(roi) ? roi->points->len / 2 + 1 : 2 * roi->points->len);
}

static guint32 *
pack(guint32 *to, const VtRoi *roi)
{
  const double *p = (const double *)(gconstpointer)roi->points->data;
  const guint32 n_rings = roi->ring_sizes->len, n = roi->points->len / 2;
  const gboolean is_whole = is_near_and_whole(roi);
  guint32 *points = to + 2 + n_rings;
  to[0] = n_rings;
  to[1] = n | (is_whole ? WHOLE : 0);
  memcpy(to + 2, roi->ring_sizes->data, n_rings * sizeof(guint32));
  if (!is_whole) {
    memcpy(points, p, 2 * n * sizeof(double));
    return points + 4 * n;
  }
  points[0] = (guint32)(gint32)p[0];
  points[1] = (guint32)(gint32)p[1];
  for (guint32 i = 1; i < n; i++)
    points[i + 1] = (guint32)(guint16)(gint16)(p[2 * i] - p[2 * i - 2])
                    | (guint32)(guint16)(gint16)(p[2 * i + 1] - p[2 * i - 1]) << 16;
  return points + n + 1;
}

/* Into a new outline, or past it (NULL). */
static const guint32 *
unpack(const guint32 *from, VtRoi *roi)
{
  const guint32 n_rings = from[0], n = from[1] & ~WHOLE;
  const gboolean is_whole = (from[1] & WHOLE) != 0;
  const guint32 *points = from + 2 + n_rings;
  if (roi) {
    g_array_append_vals(roi->ring_sizes, from + 2, n_rings);
    g_array_set_size(roi->points, 2 * n);
  }
  double *p = roi ? (double *)(gpointer)roi->points->data : NULL;
  if (roi && !is_whole)
    memcpy(p, points, 2 * n * sizeof(double));
  for (guint32 i = 0; roi && is_whole && i < n; i++) {
    const guint32 step = i > 0 ? points[i + 1] : 0;
    p[2 * i] = i > 0 ? p[2 * i - 2] + (gint16)(step & 0xffff) : (gint32)points[0];
    p[2 * i + 1] = i > 0 ? p[2 * i - 1] + (gint16)(step >> 16) : (gint32)points[1];
  }
  return points + (is_whole ? n + 1 : 4 * n);
}

VtCorrection *
vt_correction_new(VtCorrectionKind kind, GPtrArray *before, GPtrArray *after)
{
  GPtrArray *const lists[] = { before, after };
  gsize n = 0;
  for (guint i = 0; i < G_N_ELEMENTS(lists); i++)
    for (guint k = 0; k < lists[i]->len; k++)
      n += count_words(lists[i]->pdata[k]);
  VtCorrection *self = g_atomic_rc_box_alloc0(sizeof *self + n * sizeof(guint32));
  guint32 *to = self->packed;
  self->kind = kind;
  self->n_before = before->len;
  self->n_after = after->len;
  for (guint i = 0; i < G_N_ELEMENTS(lists); i++) {
    for (guint k = 0; k < lists[i]->len; k++)
      to = pack(to, lists[i]->pdata[k]);
    g_ptr_array_unref(lists[i]);
  }
  return self;
}

static GPtrArray *
dup_outlines(const VtCorrection *self, guint first, guint n)
{
  GPtrArray *rois = g_ptr_array_new_full(n, (GDestroyNotify)vt_roi_free);
  const guint32 *from = self->packed;
  for (guint i = 0; i < first; i++)
    from = unpack(from, NULL);
  for (guint i = 0; i < n; i++) {
    VtRoi *roi = vt_roi_new(NULL);
    from = unpack(from, roi);
    g_ptr_array_add(rois, roi);
  }
  return rois;
}

GPtrArray *
vt_correction_dup_before(const VtCorrection *self)
{
  return dup_outlines(self, 0, self->n_before);
}

GPtrArray *
vt_correction_dup_after(const VtCorrection *self)
{
  return dup_outlines(self, self->n_before, self->n_after);
}

VtCorrection *
vt_correction_ref(VtCorrection *self)
{
  return g_atomic_rc_box_acquire(self);
}

void
vt_correction_unref(VtCorrection *self)
{
  g_atomic_rc_box_release(self);
}

static gboolean
all_hold_pixels(const GPtrArray *rois)
{
  for (guint i = 0; i < rois->len; i++)
    if (vt_roi_count_pixels(rois->pdata[i], NULL) == 0)
      return FALSE;
  return TRUE;
}

gboolean
vt_correction_is_sound(const VtCorrection *self)
{
  static const struct {
    guint least_before, most_before, least_after, most_after;
  } numbers[VT_N_CORRECTIONS] = {
    [VT_CORRECTION_DELETED] = { 1, 1, 0, 0 },
    [VT_CORRECTION_DRAWN] = { 0, 1, 1, 1 },
    [VT_CORRECTION_JOINED] = { 2, G_MAXUINT, 1, 1 },
    [VT_CORRECTION_SPLIT] = { 1, 1, 2, G_MAXUINT },
  };
  const guint n_before = self->n_before, n_after = self->n_after;
  g_autoptr(GPtrArray) before = vt_correction_dup_before(self), after = vt_correction_dup_after(self);
  return self->kind < VT_N_CORRECTIONS && n_before >= numbers[self->kind].least_before
         && n_before <= numbers[self->kind].most_before && n_after >= numbers[self->kind].least_after
         && n_after <= numbers[self->kind].most_after && all_hold_pixels(before) && all_hold_pixels(after);
}
