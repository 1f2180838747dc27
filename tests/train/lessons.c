/* SPDX-License-Identifier: MIT
 *
 * What corrections by hand gain: the left half of a field is corrected after its truth, and the right half is scored by what the score was taught.
 * A correction deletes an object, or makes the outline of one nucleus in place of what was there. */
#include "learn/teach.h"
#include "train.h"

#include <stdlib.h>
#include <string.h>

enum { CUTOFF = 26214, HALF = 32768 /* of an IoU */ };
typedef enum { UNTOLD, NONE, NUCLEUS } Lesson;

/* A left half whose candidates are chosen. */
typedef struct Left {
  const TrainField *field;
  int32_t *truth_of; /* of a candidate: the nucleus that it agrees with by more than a half, or 0 */
  bool *is_found;    /* of a nucleus */
  Lesson *lessons;   /* of a candidate */
  int32_t *common;   /* room, of each nucleus */
} Left;

static bool
left_alloc(Left *left, const TrainField *f)
{
  const size_t n = (size_t)f->window.all.n + 1, m = (size_t)f->n_truth + 1;
  *left = (Left){ .field = f };
  left->truth_of = calloc(n, sizeof *left->truth_of);
  left->is_found = calloc(m, sizeof *left->is_found);
  left->lessons = calloc(n, sizeof *left->lessons);
  left->common = calloc(m, sizeof *left->common);
  return left->truth_of && left->is_found && left->lessons && left->common;
}

static void
left_clear(Left *left)
{
  free(left->truth_of);
  free(left->is_found);
  free(left->lessons);
  free(left->common);
}

/* Pixels of a candidate in each nucleus. */
static void
count_common(const Left *left, const RgCandidate *c)
{
  const TrainField *f = left->field;
  memset(left->common, 0, ((size_t)f->n_truth + 1) * sizeof *left->common);
  for (int32_t y = c->box.y0; y <= c->box.y1; y++)
    for (int32_t x = c->box.x0; x <= c->box.x1; x++)
      left->common[f->truth[y * f->width + x]] += vt_rg_bit(&f->window.all, c, x, y);
}

/* What agrees by more than a half has most of its pixels there. */
static void
find_truths(Left *left)
{
  const TrainField *f = left->field;
  for (int32_t i = 0; i < f->window.all.n; i++) {
    int32_t best = 1;
    if (f->iou[i] <= HALF)
      continue;
    count_common(left, &f->window.all.at[i]);
    for (int32_t t = 2; t <= f->n_truth; t++)
      best = left->common[t] > left->common[best] ? t : best;
    left->truth_of[i] = best;
    left->is_found[best] |= f->window.all.at[i].chosen;
  }
}

static bool
share_pixel(const RgCandidates *all, const RgCandidate *a, const RgCandidate *b)
{
  for (int32_t y = a->box.y0 > b->box.y0 ? a->box.y0 : b->box.y0; y <= a->box.y1 && y <= b->box.y1; y++)
    for (int32_t x = a->box.x0 > b->box.x0 ? a->box.x0 : b->box.x0; x <= a->box.x1 && x <= b->box.x1; x++)
      if (vt_rg_bit(all, a, x, y) && vt_rg_bit(all, b, x, y))
        return true;
  return false;
}

/* The outline of a nucleus is made: as viewer/host/results/vt-correction-lessons.h has it. */
static void
make_outline(Left *left, int32_t truth)
{
  const TrainField *f = left->field;
  const RgCandidates *all = &f->window.all;
  int32_t best = -1;
  for (int32_t i = 0; i < all->n; i++)
    if (left->truth_of[i] == truth && (best < 0 || f->iou[i] > f->iou[best]))
      best = i;
  if (best < 0)
    return; /* nothing agrees with it, so nothing is taught */
  left->lessons[best] = NUCLEUS;
  for (int32_t i = 0; i < all->n; i++)
    if (all->at[i].chosen && i != best && share_pixel(all, &all->at[i], &all->at[best]))
      left->lessons[i] = NONE;
}

/* Chosen, and more than a half of it in no nucleus. */
static bool
is_nothing(const Left *left, const RgCandidate *c, int32_t area)
{
  if (!c->chosen)
    return false;
  count_common(left, c);
  return 2 * left->common[0] > area;
}

/* At most so many corrections; how many were made. */
static int32_t
correct(Left *left, int32_t most)
{
  const TrainField *f = left->field;
  int32_t n = 0;
  for (int32_t t = 1; t <= f->n_truth && n < most; t++)
    if (!left->is_found[t]) {
      make_outline(left, t);
      n++;
    }
  for (int32_t i = 0; i < f->window.all.n && n < most; i++)
    if (left->truth_of[i] == 0 && is_nothing(left, &f->window.all.at[i], f->features[(size_t)i * RG_N_FEATURES])) {
      left->lessons[i] = NONE;
      n++;
    }
  return n;
}

static bool
teach(const Left *left, const VtForest *forest, VtForest *taught)
{
  const TrainField *f = left->field;
  const size_t n = (size_t)f->window.all.n;
  int32_t *values = malloc(n * RG_N_FEATURES * sizeof *values + 1);
  uint16_t *goals = malloc(n * sizeof *goals + 1);
  size_t told = 0;
  for (size_t i = 0; values && goals && i < n; i++)
    if (left->lessons[i] != UNTOLD) {
      const int32_t *features = f->features + i * RG_N_FEATURES;
      memcpy(values + told * RG_N_FEATURES, features, RG_N_FEATURES * sizeof *values);
      goals[told++] = vt_rg_lesson_goal(forest, features, left->lessons[i] == NUCLEUS);
    }
  const bool is_ok = told > 0 && vt_forest_teach(forest, values, goals, told, taught);
  free(values);
  free(goals);
  return is_ok;
}

bool
train_lessons(TrainField *left_half, TrainField *right_half, const RgModel *model, int32_t most, TrainLessons *sum)
{
  Left left;
  VtForest taught = { 0 };
  bool is_ok = left_alloc(&left, left_half);
  is_ok = is_ok && vt_rg_window_choose(&left_half->window, model, CUTOFF) == VITRAIL_OK;
  if (is_ok) {
    find_truths(&left);
    sum->n_corrections += correct(&left, most);
    const bool is_taught = teach(&left, model->forest, &taught);
    const TrainScore s = train_score(right_half, &(RgModel){ model->map, is_taught ? &taught : model->forest }, CUTOFF);
    sum->score.f5 += s.f5;
    sum->score.f7 += s.f7;
    sum->score.aji += s.aji;
  }
  vt_forest_clear(&taught);
  left_clear(&left);
  return is_ok;
}
