/* SPDX-License-Identifier: MIT */
#include "results/vt-correction-lessons.h"

#include <string.h>

#include "base/vt-define.h"
#include "run/vt-model.h"

#define NONE (-1)
#define NEARLY 0.1         /* of an IoU: docs/nuclei.md has what it gains */
enum { RIGHT = 1, WRONG }; /* what a candidate is called; 0: nothing */

typedef struct {
  double box[4], area;
} Shape;

struct VtCandidateShapes {
  const GPtrArray *candidates;
  Shape *of;
};

VtCandidateShapes *
vt_candidate_shapes_new(const GPtrArray *candidates)
{
  VtCandidateShapes *self = g_new0(VtCandidateShapes, 1);
  self->candidates = candidates;
  self->of = g_new0(Shape, candidates->len + 1);
  for (guint i = 0; i < candidates->len; i++) {
    const VtObject *candidate = candidates->pdata[i];
    const double *points = candidate->points;
    vt_object_get_box(candidate, self->of[i].box);
    for (guint32 k = 0; k < candidate->n_rings; points += 2 * (gsize)candidate->ring_sizes[k++])
      self->of[i].area += vt_ring_get_turn(points, candidate->ring_sizes[k]) / 2; /* holes run backwards */
  }
  return self;
}

VT_DEFINE_TYPE_FREE(vt_candidate_shapes_free, VtCandidateShapes, VT_FREES(g_free, of))

static gboolean
is_chosen(const VtCandidateShapes *self, gint64 i)
{
  return vt_candidate_is_chosen(self->candidates->pdata[i]);
}

static double
get_score(const VtCandidateShapes *self, gint64 i)
{
  return vt_candidate_get_score(self->candidates->pdata[i]);
}

static double
get_iou(const VtCandidateShapes *self, guint i, const VtRoi *outline)
{
  g_autoptr(VtRoi) its = vt_object_dup_roi(self->candidates->pdata[i]);
  return vt_rois_get_iou(outline, its, NULL);
}

/* The area of what both boxes have in common. */
static double
get_common(const double a[4], const double b[4])
{
  return MAX(MIN(a[2], b[2]) - MAX(a[0], b[0]), 0) * MAX(MIN(a[3], b[3]) - MAX(a[1], b[1]), 0);
}

/* Of each candidate its IoU with the outline. 0: it is called wrong, or less than a half of the pixels could be the same; a half of that is left for
 * the border of an outline by hand. The caller frees. */
static double *
find_ious(const VtCandidateShapes *self, const VtRoi *outline, const guint8 *called)
{
  const double n = (double)vt_roi_count_pixels(outline, NULL);
  double *ious = g_new0(double, self->candidates->len + 1), box[4];
  vt_roi_get_box(outline, box);
  for (guint i = 0; i < self->candidates->len; i++)
    if (called[i] != WRONG && get_common(box, self->of[i].box) > MAX(n, self->of[i].area) / 4)
      ious[i] = get_iou(self, i, outline);
  return ious;
}

/* The place of the candidate that agrees best; NONE: none does. */
static gint64
find_best(const VtCandidateShapes *self, const double *ious)
{
  double best = 0.5;
  gint64 found = NONE;
  for (guint i = 0; i < self->candidates->len; i++)
    if (ious[i] > best || (found != NONE && ious[i] == best && is_chosen(self, i) && !is_chosen(self, found))) {
      best = ious[i];
      found = i;
    }
  return found;
}

/* Of those that agree nearly as well as the best, the one with the highest score: it has to move least, so what is like it moves least, too. What was chosen
 * is right only where it is the best: who draws its outline anew wants another. */
static gint64
find_right(const VtCandidateShapes *self, const double *ious)
{
  const gint64 best = find_best(self, ious);
  const double least = best == NONE ? 1 : MAX(ious[best] - NEARLY, 0.5);
  gint64 found = best;
  for (guint i = 0; best != NONE && !is_chosen(self, best) && i < self->candidates->len; i++)
    if (ious[i] > least && !is_chosen(self, i) && get_score(self, i) > get_score(self, found))
      found = i;
  return found;
}

static void
call_wrong(guint8 *called, gint64 candidate)
{
  if (candidate != NONE && !called[candidate])
    called[candidate] = WRONG;
}

/* Two that share a pixel can't both be chosen. */
static void
call_others_wrong(const VtCandidateShapes *self, gint64 right, guint8 *called)
{
  g_autoptr(VtRoi) its = vt_object_dup_roi(self->candidates->pdata[right]);
  for (guint i = 0; i < self->candidates->len; i++)
    if (is_chosen(self, i) && get_common(self->of[right].box, self->of[i].box) > 0 && get_iou(self, i, its) > 0)
      call_wrong(called, i);
}

/* Of what was drawn anew the same candidate can still be the right one. */
static guint
call_all(const VtCandidateShapes *self, const VtCorrection *correction, guint8 *called)
{
  g_autoptr(GPtrArray) before = vt_correction_dup_before(correction), after = vt_correction_dup_after(correction);
  g_autoptr(GArray) right = g_array_new(FALSE, FALSE, sizeof(gint64)),
                    wrong = g_array_new(FALSE, FALSE, sizeof(gint64));
  guint n_without = 0;
  for (guint i = 0; i < before->len; i++) {
    g_autofree double *ious = find_ious(self, before->pdata[i], called);
    const gint64 best = find_best(self, ious);
    n_without += best == NONE && after->len == 0;
    g_array_append_val(wrong, best);
    if (correction->kind != VT_CORRECTION_DRAWN)
      call_wrong(called, best);
  }
  for (guint i = 0; i < after->len; i++) {
    g_autofree double *ious = find_ious(self, after->pdata[i], called);
    const gint64 found = find_right(self, ious);
    n_without += found == NONE;
    if (found != NONE) {
      called[found] = RIGHT;
      g_array_append_val(right, found);
    }
  }
  if (after->len > 0 && right->len == 0) {
    memset(called, 0, self->candidates->len);
    return n_without;
  }
  for (guint i = 0; i < wrong->len; i++)
    call_wrong(called, g_array_index(wrong, gint64, i));
  for (guint i = 0; i < right->len; i++)
    call_others_wrong(self, g_array_index(right, gint64, i), called);
  return n_without;
}

guint
vt_correction_find_lessons(const VtCorrection *correction, const VtCandidateShapes *shapes, GArray *lessons)
{
  g_autofree guint8 *called = g_malloc0(shapes->candidates->len + 1);
  const guint n_without = call_all(shapes, correction, called);
  g_array_set_size(lessons, 0);
  for (guint i = 0; i < shapes->candidates->len; i++) {
    const VtCorrectionLesson lesson = { i, called[i] == RIGHT };
    if (called[i])
      g_array_append_val(lessons, lesson);
  }
  return n_without;
}

void
vt_correction_add_places(const VtCorrection *correction, GArray *places)
{
  g_autoptr(GPtrArray) before = vt_correction_dup_before(correction), after = vt_correction_dup_after(correction);
  GPtrArray *const lists[] = { before, after };
  for (guint i = 0; i < G_N_ELEMENTS(lists); i++)
    for (guint k = 0; k < lists[i]->len; k++) {
      double box[4];
      vt_roi_get_box(lists[i]->pdata[k], box);
      g_array_append_vals(places, box, 4);
    }
}
