/* SPDX-License-Identifier: MIT
 *
 * How well the objects of a result agree with true ones. Pixels come row by row; what is kept is one count for each pair of labels
 * that share pixels, so neither the size of the image nor the product of the numbers of objects counts. One thread. */
#pragma once
#include <glib.h>

typedef enum { VT_SCORE_RESULT, VT_SCORE_TRUTH } VtScoreSide;

typedef struct VtScore VtScore;
VtScore *vt_score_new(void);
void vt_score_free(VtScore *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtScore, vt_score_free)

/* A row of labels of each side, 0 is background; truth NULL: none. regions: 0 where nothing is known; NULL: all is known. */
void vt_score_add_row(VtScore *self, const gint32 *result, const gint32 *truth, const gint32 *regions, gint64 width);
/* The same of n pixels of a pair of labels that are all known, in any order. */
void vt_score_add_pair(VtScore *self, gint32 result, gint32 truth, guint64 n);
/* A truth that is a dot, in the result object of that label, or in none (0). */
void vt_score_add_dot(VtScore *self, gint32 result);
/* The object is cut by the edge of what is compared. */
void vt_score_set_cut(VtScore *self, VtScoreSide side, gint32 label);

/* Matched one to one, with an intersection over union (IoU) above the threshold; as many pairs as can be. Below one half an object can
 * have several partners, so there the pairs are those of a largest matching. */
typedef struct {
  double threshold;
  guint64 n_matched;
  double precision, recall, f1; /* 0 where there is nothing to divide by */
} VtScoreMatch;

/* Objects of at least `from` and less than `to` pixels. */
typedef struct {
  double from, to;                  /* to: INFINITY in the last */
  guint64 n_truth, missed, split;   /* by the size of the true object */
  guint64 n_result, extra, merging; /* by the size of the result's object */
} VtScoreSizes;

typedef struct {
  guint64 n_result, n_truth;             /* that count */
  guint64 ignored_result, ignored_truth; /* at edges of regions; those in no region are not among them */
  VtScoreMatch *matches;
  guint n_matches;
  double pq, sq, rq; /* panoptic quality, at an IoU above 0.5 */
  double aji;        /* aggregated Jaccard index */
  double dice;       /* of the pixels of all objects that count */
  VtScoreSizes *sizes;
  guint n_sizes;
} VtScoreFigures;

/* Compares the objects. thresholds: 0 to less than 1. bounds: n_bounds rising sizes in pixels, which part n_bounds + 1 classes.
 *
 * An object counts if all of its pixels are known. One that is cut by an edge is ignored, on both sides; so is an object more than half of
 * which lies on ignored ones of the other side. Missed and extra: without a partner of an IoU above 0.5. A true object is split if
 * it holds more than half of each of several objects of the result; an object of the result is merging if it holds more than half of each of
 * several true ones. AJI (Kumar et al. 2017): of every true object the result's object of the highest IoU, the one of the lowest label of
 * equals; the areas of the result's objects that nobody chose are added to the union. PQ (Kirillov et al. 2019). */
void vt_score_compare(VtScore *self, const double *thresholds, guint n_thresholds, const double *bounds, guint n_bounds,
                      VtScoreFigures *figures);
/* Of a side, once compared: how many labels have pixels, and the first of them, or 0. */
guint vt_score_get_n_labels(const VtScore *self, VtScoreSide side);
/* One of them, by label: whether it counts; its partner on the other side, of an IoU above 0.5, or 0; of how many objects there it
 * holds more than half; and the one that holds more than half of it, or 0. */
typedef struct {
  gint32 label, partner, holder;
  gboolean counts, is_known; /* is_known: at least a pixel of it is */
  guint n_held;
  double iou;   /* with its partner */
  guint64 area; /* pixels */
} VtScoreObject;
VtScoreObject vt_score_get_object(const VtScore *self, VtScoreSide side, guint place);
gint32 vt_score_get_first_label(const VtScore *self, VtScoreSide side);
void vt_score_figures_clear(VtScoreFigures *figures);

/* Dots: found, if the result's object around a dot holds no other; merged, if it holds several; missed, if there is none. */
typedef struct {
  guint64 n_result, n_dots;             /* that count */
  guint64 ignored_result, ignored_dots; /* the dots in objects that are ignored */
  guint64 found, missed, merged_dots, merging, extra;
  double precision, recall, f1;
} VtScoreDots;
void vt_score_compare_dots(VtScore *self, VtScoreDots *figures);
