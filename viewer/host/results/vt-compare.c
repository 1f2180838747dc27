/* SPDX-License-Identifier: MIT */
#include "results/vt-compare.h"

#include <math.h>
#include <string.h>

#include "base/vt-define.h"
#include "results/vt-labels.h"

VT_DEFINE_TYPE_FREE(vt_difference_free, VtDifference, VT_FREES(g_free, ring_sizes, points))

VT_DEFINE_TYPE_FREE(vt_comparison_free, VtComparison,
                    VT_FREES(g_ptr_array_unref, differences) VT_FREES(g_free, found, sizes))

/* --- row by row --- */

static void
set_cut(VtScore *score, const VtLabels *labels, VtScoreSide side)
{
  for (guint label = 1; label <= vt_labels_get_n_outlines(labels); label++)
    if (vt_labels_leaves_frame(labels, label))
      vt_score_set_cut(score, side, (gint32)label);
}

/* What is compared, row by row. */
typedef struct {
  const VtFrame *frame;
  VtTrueObjects *truth;
  VtLabels *present, *known; /* known NULL: everywhere */
  GPtrArray *dots;           /* VtRoi of points, a point each; or NULL: outlines */
  gint32 *dots_in;           /* of each dot, the label of the present one; -1: it is not compared */
  VtScore *score;
} Rows;

typedef struct {
  gint64 y, x; /* in the frame */
  guint dot;
} Place;

static int
compare_rows(gconstpointer a, gconstpointer b)
{
  const Place *p = a, *q = b;
  return (p->y > q->y) - (p->y < q->y);
}

/* Of the dots that lie in the frame, by row. Owned. */
static GArray *
place_dots(const Rows *rows)
{
  GArray *places = g_array_new(FALSE, FALSE, sizeof(Place));
  for (guint i = 0; rows->dots && i < rows->dots->len; i++) {
    const double *point = (const double *)(gpointer)((const VtRoi *)rows->dots->pdata[i])->points->data;
    Place place = { .dot = i };
    if (vt_frame_find_pixel(rows->frame, point[0], point[1], &place.x, &place.y))
      g_array_append_val(places, place);
  }
  g_array_sort(places, compare_rows);
  return places;
}

/* Those of a row; *next is the first of them. */
static void
add_dots(Rows *rows, const GArray *places, guint *next, gint64 y, const gint32 *present, const gint32 *known)
{
  for (; *next < places->len && g_array_index(places, Place, *next).y == y; ++*next) {
    const Place *place = &g_array_index(places, Place, *next);
    if (known && !known[place->x])
      continue;
    rows->dots_in[place->dot] = present[place->x];
    vt_score_add_dot(rows->score, present[place->x]);
  }
}

static void
set_all_cut(const Rows *rows)
{
  set_cut(rows->score, vt_true_objects_get_labels(rows->truth), VT_SCORE_TRUTH);
  set_cut(rows->score, rows->present, VT_SCORE_RESULT);
}

static gboolean
add_rows(Rows *rows, GCancellable *cancellable)
{
  const VtFrame *frame = rows->frame;
  g_autofree gint32 *a = g_new(gint32, frame->width), *b = g_new(gint32, frame->width),
                    *k = rows->known ? g_new(gint32, frame->width) : NULL;
  g_autoptr(GArray) places = place_dots(rows);
  guint next = 0;
  gboolean is_sound = vt_true_objects_begin(rows->truth, frame) && vt_labels_begin(rows->present, frame, NULL)
                      && (!k || vt_labels_begin(rows->known, frame, NULL));
  for (gint64 y = 0; y < frame->height && is_sound; y++) {
    is_sound = vt_true_objects_next_row(rows->truth, y, a) && vt_labels_next_row(rows->present, b, NULL)
               && (!k || vt_labels_next_row(rows->known, k, NULL)) && !g_cancellable_is_cancelled(cancellable);
    vt_score_add_row(rows->score, b, a, k, frame->width);
    add_dots(rows, places, &next, y, b, k);
  }
  set_all_cut(rows);
  return is_sound;
}

/* --- pair by pair --- */

/* What a run has counted (VtResult.overlaps). */
typedef struct {
  const VtOverlaps *overlaps; /* NULL: nothing of use */
  const GArray *ids;          /* gint64, of the present ones, in their order */
} Counted;

/* The label of a present one; 0: none; -1: it is not among them. *at goes on from pair to pair. */
static gint32
find_present(const GArray *ids, gint64 id, guint *at)
{
  if (id == 0)
    return 0;
  while (*at < ids->len && g_array_index(ids, gint64, *at) < id)
    ++*at;
  return *at < ids->len && g_array_index(ids, gint64, *at) == id ? (gint32)*at + 1 : -1;
}

/* A plugin that is broken could tell of others than it has outlined. */
static gboolean
knows_all(const Counted *counted, const GPtrArray *truth)
{
  guint at = 0;
  for (guint i = 0; i < counted->overlaps->n; i++) {
    const VtOverlap *overlap = &counted->overlaps->list[i];
    if (overlap->truth > (gint64)truth->len || find_present(counted->ids, overlap->object, &at) < 0)
      return FALSE;
  }
  return TRUE;
}

static gboolean
add_pairs(Rows *rows, const Counted *counted, GCancellable *cancellable)
{
  guint at = 0;
  if (!vt_true_objects_begin(rows->truth, rows->frame) || !vt_labels_begin(rows->present, rows->frame, NULL))
    return FALSE;
  for (guint i = 0; i < counted->overlaps->n; i++) {
    const VtOverlap *overlap = &counted->overlaps->list[i];
    vt_score_add_pair(rows->score, find_present(counted->ids, overlap->object, &at), overlap->truth,
                      (guint64)overlap->n_px);
  }
  set_all_cut(rows);
  return !g_cancellable_is_cancelled(cancellable);
}

/* --- fates --- */

VtDifference *
vt_difference_new(VtFate fate, const VtRoi *roi, double change)
{
  VtDifference *difference = g_new0(VtDifference, 1);
  difference->fate = fate;
  difference->change = change;
  difference->n_rings = roi->ring_sizes->len;
  difference->ring_sizes = g_memdup2(roi->ring_sizes->data, roi->ring_sizes->len * sizeof(guint32));
  difference->points = g_memdup2(roi->points->data, roi->points->len * sizeof(double));
  vt_roi_get_box(roi, difference->box);
  return difference;
}

static void
add_difference(VtComparison *self, VtFate fate, const VtRoi *roi, const VtScoreObject *object)
{
  const double change =
    (double)object->area * self->downsample * self->downsample * (fate == VT_FATE_CHANGED ? 1 - object->iou : 1);
  g_ptr_array_add(self->differences, vt_difference_new(fate, roi, change));
}

/* Of an object; a part of what is split or merged is not told once more. */
static VtFate
decide(VtScoreSide side, const VtScoreObject *object, const guint *held_by_holder)
{
  const gboolean is_truth = side == VT_SCORE_TRUTH;
  if (object->n_held > 1)
    return is_truth ? VT_FATE_SPLIT : VT_FATE_MERGED;
  if (object->holder != 0 && held_by_holder[object->holder] > 1)
    return VT_N_FATES;
  if (object->partner == 0)
    return is_truth ? VT_FATE_LOST : VT_FATE_NEW;
  if (is_truth)
    return VT_N_FATES;
  return object->iou < 1 ? VT_FATE_CHANGED : VT_FATE_SAME;
}

static guint *
list_held(const VtScore *score, VtScoreSide side, guint n_outlines)
{
  guint *held = g_new0(guint, n_outlines + 1);
  for (guint i = 0; i < vt_score_get_n_labels(score, side); i++) {
    const VtScoreObject object = vt_score_get_object(score, side, i);
    held[object.label] = object.n_held;
  }
  return held;
}

static void
add_fates(VtComparison *self, const VtScore *score, VtScoreSide side, GPtrArray *own, GPtrArray *others)
{
  g_autofree guint *held = list_held(score, side == VT_SCORE_TRUTH ? VT_SCORE_RESULT : VT_SCORE_TRUTH, others->len);
  for (guint i = 0; i < vt_score_get_n_labels(score, side); i++) {
    const VtScoreObject object = vt_score_get_object(score, side, i);
    self->n_cut += !object.counts && object.is_known;
    self->n_reference += object.counts && side == VT_SCORE_TRUTH;
    self->n_present += object.counts && side == VT_SCORE_RESULT;
    if (side == VT_SCORE_TRUTH)
      self->found[object.label - 1] = !object.counts ? VT_FOUND_CUT : object.partner != 0 ? VT_FOUND : VT_FOUND_NOT;
    const VtFate fate = object.counts ? decide(side, &object, held) : VT_N_FATES;
    if (fate == VT_N_FATES)
      continue;
    self->counts[fate]++;
    if (fate != VT_FATE_SAME)
      add_difference(self, fate, own->pdata[object.label - 1], &object);
  }
}

static int
compare_changes(gconstpointer a, gconstpointer b)
{
  const VtDifference *p = *(VtDifference *const *)a, *q = *(VtDifference *const *)b;
  return p->change > q->change ? -1 : p->change < q->change;
}

/* --- dots --- */

#define DOT_PX 4 /* the radius of what is drawn round one, in pixels of the grid */

static VtRoi *
dup_ring(const double point[2], double radius)
{
  double ring[16];
  for (int i = 0; i < 8; i++) {
    ring[2 * i] = point[0] + radius * cos(i * G_PI / 4);
    ring[2 * i + 1] = point[1] + radius * sin(i * G_PI / 4);
  }
  return vt_roi_new_polygon("", ring, 8);
}

static void
add_object(VtComparison *self, VtFate fate, const VtRoi *roi, const VtScoreObject *object)
{
  self->counts[fate]++;
  if (fate != VT_FATE_SAME)
    add_difference(self, fate, roi, object);
}

static void
add_dot_fates(VtComparison *self, const Rows *rows, GPtrArray *present)
{
  VtScoreDots figures;
  vt_score_compare_dots(rows->score, &figures);
  self->of_dots = TRUE;
  self->f1_50 = figures.f1;
  self->precision = figures.precision;
  self->recall = figures.recall;
  self->n_reference = (guint)figures.n_dots;
  self->n_present = (guint)figures.n_result;
  self->n_cut = (guint)(figures.ignored_result + figures.ignored_dots);
  g_autofree guint *n_in = g_new0(guint, present->len + 1);
  for (guint i = 0; i < rows->dots->len; i++)
    if (rows->dots_in[i] > 0)
      n_in[rows->dots_in[i]]++;
  for (guint i = 0; i < vt_score_get_n_labels(rows->score, VT_SCORE_RESULT); i++) {
    const VtScoreObject object = vt_score_get_object(rows->score, VT_SCORE_RESULT, i);
    const guint n = n_in[object.label];
    if (object.counts)
      add_object(self,
                 n == 0   ? VT_FATE_NEW
                 : n == 1 ? VT_FATE_SAME
                          : VT_FATE_MERGED,
                 present->pdata[object.label - 1], &object);
  }
  for (guint i = 0; i < rows->dots->len; i++) {
    const VtRoi *dot = rows->dots->pdata[i];
    const gint32 in = rows->dots_in[i];
    self->found[i] = in < 0 ? VT_FOUND_CUT : in > 0 && n_in[in] == 1 ? VT_FOUND : VT_FOUND_NOT;
    if (in != 0)
      continue;
    g_autoptr(VtRoi) ring = dup_ring((const double *)(gpointer)dot->points->data, DOT_PX * self->downsample);
    add_object(self, VT_FATE_LOST, ring, &(VtScoreObject){ .area = 1 });
  }
}

static void
add_outline_fates(VtComparison *self, VtScore *score, GPtrArray *reference, GPtrArray *present, const double *bounds,
                  guint n_bounds)
{
  static const double thresholds[] = { 0.5, 0.7 };
  VtScoreFigures figures = { 0 };
  vt_score_compare(score, thresholds, G_N_ELEMENTS(thresholds), bounds, n_bounds, &figures);
  add_fates(self, score, VT_SCORE_TRUTH, reference, present);
  add_fates(self, score, VT_SCORE_RESULT, present, reference);
  self->f1_50 = figures.matches[0].f1;
  self->f1_70 = figures.matches[1].f1;
  self->aji = figures.aji;
  self->pq = figures.pq;
  self->n_sizes = n_bounds > 0 ? figures.n_sizes : 0;
  self->sizes = g_steal_pointer(&figures.sizes);
  vt_score_figures_clear(&figures);
}

/* --- all of it --- */

static VtComparison *
comparison_new(const double box[4], double downsample, const GPtrArray *outlines)
{
  VtComparison *self = g_new0(VtComparison, 1);
  self->x_l0 = (gint64)floor(box[0]);
  self->y_l0 = (gint64)floor(box[1]);
  self->width_l0 = (gint64)ceil(box[2]) - self->x_l0;
  self->height_l0 = (gint64)ceil(box[3]) - self->y_l0;
  self->downsample = downsample;
  self->differences = g_ptr_array_new_with_free_func((GDestroyNotify)vt_difference_free);
  self->found = g_malloc(outlines->len + 1);
  memset(self->found, VT_FOUND_CUT, outlines->len + 1); /* also what has no pixel here */
  return self;
}

/* What is counted already need not be painted. */
static VtComparison *
compare(VtTrueObjects *truth, GPtrArray *present, const Counted *counted, double downsample, GPtrArray *known,
        const double *bounds, guint n_bounds, GCancellable *cancellable)
{
  g_autoptr(VtTrueObjectsLocker) G_GNUC_UNUSED locker = vt_true_objects_lock(truth);
  GPtrArray *outlines = vt_true_objects_get_outlines(truth);
  VtFrame frame;
  g_autoptr(VtScore) score = vt_score_new();
  g_autoptr(VtLabels) b = vt_labels_new(present), k = known ? vt_labels_new(known) : NULL;
  const gboolean of_dots = vt_true_objects_are_dots(truth);
  g_autofree gint32 *dots_in = g_malloc((outlines->len + 1) * sizeof *dots_in);
  Rows rows = { &frame, truth, b, k, of_dots ? outlines : NULL, dots_in, score };
  memset(dots_in, 0xff, (outlines->len + 1) * sizeof *dots_in); /* -1 */
  const gboolean is_counted = counted->overlaps && !known && !of_dots && knows_all(counted, outlines);
  if (!vt_true_objects_find_frame(truth, downsample, &frame)
      || !(is_counted ? add_pairs(&rows, counted, cancellable) : add_rows(&rows, cancellable)))
    return NULL;
  VtComparison *self = comparison_new(vt_true_objects_get_box(truth), downsample, outlines);
  if (of_dots)
    add_dot_fates(self, &rows, present);
  else
    add_outline_fates(self, score, outlines, present, bounds, n_bounds);
  g_ptr_array_sort(self->differences, compare_changes);
  return self;
}

VtComparison *
vt_compare_truth(VtTrueObjects *truth, GPtrArray *present, double downsample, GPtrArray *known, const double *bounds,
                 guint n_bounds, GCancellable *cancellable)
{
  return compare(truth, present, &(const Counted){ NULL }, downsample, known, bounds, n_bounds, cancellable);
}

VtComparison *
vt_compare_result(VtTrueObjects *truth, const VtResult *result, double downsample, GPtrArray *known,
                  const double *bounds, guint n_bounds, GCancellable *cancellable)
{
  const VtOverlaps *overlaps = result->corrected || result->parts ? NULL : result->overlaps;
  g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(gint64));
  g_autoptr(GPtrArray) present = vt_result_collect_outlines(result, vt_true_objects_get_box(truth), ids);
  if (overlaps && (!vt_true_objects_are_of_overlaps(truth, overlaps) || overlaps->downsample != downsample))
    overlaps = NULL;
  return compare(truth, present, &(const Counted){ overlaps, ids }, downsample, known, bounds, n_bounds, cancellable);
}

/* --- byte by byte --- */

static gboolean
is_same_raster(const VtRaster *a, const VtRaster *b)
{
  const gsize row = (gsize)a->width * vt_pixel_size(a->type);
  gboolean is_same = a->type == b->type && a->x == b->x && a->y == b->y && a->width == b->width
                     && a->height == b->height && a->downsample == b->downsample && a->scale == b->scale
                     && a->offset == b->offset;
  for (gint64 y = 0; y < a->height && is_same; y++)
    is_same = memcmp(a->data + (gsize)y * a->stride, b->data + (gsize)y * b->stride, row) == 0;
  return is_same;
}

static gboolean
is_same_object(const VtObject *a, const VtObject *b)
{
  return a->id == b->id && a->n_rings == b->n_rings && a->n_points == b->n_points
         && a->n_measurements == b->n_measurements
         && memcmp(a->ring_sizes, b->ring_sizes, a->n_rings * sizeof *a->ring_sizes) == 0
         && memcmp(a->points, b->points, 2 * a->n_points * sizeof *a->points) == 0
         && memcmp(a->measurements, b->measurements, a->n_measurements * sizeof *a->measurements) == 0;
}

static gboolean
is_same_row(const VtRow *a, const VtRow *b)
{
  return g_strcmp0(a->label, b->label) == 0 && a->n_values == b->n_values
         && memcmp(a->values, b->values, a->n_values * sizeof *a->values) == 0;
}

static gboolean
is_same_list(const GPtrArray *a, const GPtrArray *b, gboolean is_rows)
{
  gboolean is_same = a->len == b->len;
  for (guint i = 0; i < a->len && is_same; i++)
    is_same = is_rows ? is_same_row(a->pdata[i], b->pdata[i]) : is_same_object(a->pdata[i], b->pdata[i]);
  return is_same;
}

const char *
vt_result_find_difference(const VtResult *a, const VtResult *b, guint64 stages)
{
  for (guint i = 0; i < a->op->n_stages; i++) {
    if (!(stages >> i & 1))
      continue;
    const VitrailStage *stage = a->op->stages[i];
    const gboolean is_objects = stage->kind == VITRAIL_STAGE_OBJECTS, is_rows = stage->kind == VITRAIL_STAGE_ROWS;
    const GPtrArray *p = is_objects ? a->objects : is_rows ? a->rows : NULL;
    const GPtrArray *q = is_objects ? b->objects : is_rows ? b->rows : NULL;
    if (!p != !q || !a->rasters[i] != !b->rasters[i] || (p && !is_same_list(p, q, is_rows))
        || (a->rasters[i] && !is_same_raster(a->rasters[i], b->rasters[i])))
      return stage->title;
  }
  return NULL;
}
