/* SPDX-License-Identifier: MIT
 *
 * What corrections by hand gain: one half of a field is corrected after its truth, and the other half is scored by what the score was taught. Where
 * the half has no errors left, those of other fields of the fold are corrected. A correction deletes an object, or makes the outline of one nucleus
 * in place of what was there. */
#include "learn/order.h"
#include "learn/teach.h"
#include "train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CUTOFF = 26214, HALF = 32768 /* of an IoU */, NEARLY = 6554 /* 0.1 of one */ };
typedef enum { UNTOLD, NONE, NUCLEUS } Lesson;
typedef enum { DRAWN_ORDER, DELETIONS } Way; /* all kinds of corrections, in an order that is drawn; deletions alone */

/* As fields are, and as slides are that the score has not learned from. */
static const TrainLook kinds[TRAIN_LESSON_KINDS] = { { 1, 1 }, { 1, 0.5 }, { 2, 1.8 }, { 1, 2.2 } };
static const int32_t most_corrections[TRAIN_LESSON_COUNTS] = { 0, 5, 10, 26, 50 };

/* A half as it is chosen by the score that nobody taught. */
typedef struct Half {
  TrainField field;
  bool *is_chosen; /* of a candidate */
  uint16_t *score; /* of a candidate */
  int32_t *
    truth_of; /* of a candidate: the nucleus that it agrees with by more than a half; 0: none; -1: more than a half of it lies in none */
  bool *is_found; /* of a nucleus */
} Half;

typedef struct Correction {
  uint64_t key;           /* of the order */
  int32_t truth, deleted; /* the nucleus whose outline is made; 0: the candidate that is deleted */
} Correction;

/* What is taught. */
typedef struct Told {
  int32_t *values;
  uint16_t *goals;
  size_t n;
} Told;

/* What agrees by more than a half has most of its pixels there. */
static int32_t
find_truth(const TrainField *f, int32_t i, int32_t *common)
{
  const RgCandidate *c = &f->window.all.at[i];
  int32_t best = 1, area = 0;
  memset(common, 0, ((size_t)f->n_truth + 2) * sizeof *common);
  for (int32_t y = c->box.y0; y <= c->box.y1; y++)
    for (int32_t x = c->box.x0; x <= c->box.x1; x++) {
      const bool is_in = vt_rg_bit(&f->window.all, c, x, y);
      common[f->truth[y * f->width + x]] += is_in;
      area += is_in;
    }
  for (int32_t t = 2; t <= f->n_truth; t++)
    best = common[t] > common[best] ? t : best;
  return f->iou[i] > HALF ? best : 2 * common[0] > area ? -1 : 0;
}

static bool
half_init(Half *half, const TrainField *whole, bool is_right, const RgModel *model)
{
  TrainField *f = &half->field;
  if (!train_field_half(whole, is_right, f) || !train_field_prepare(f, model->map)
      || vt_rg_window_choose(&f->window, model, CUTOFF) != VITRAIL_OK)
    return false;
  const size_t n = (size_t)f->window.all.n + 1, m = (size_t)f->n_truth + 2;
  int32_t *common = calloc(m, sizeof *common);
  half->is_chosen = calloc(n, sizeof *half->is_chosen);
  half->score = calloc(n, sizeof *half->score);
  half->truth_of = calloc(n, sizeof *half->truth_of);
  half->is_found = calloc(m, sizeof *half->is_found);
  const bool is_ok = common && half->is_chosen && half->score && half->truth_of && half->is_found;
  for (int32_t i = 0; is_ok && i < f->window.all.n; i++) {
    half->is_chosen[i] = f->window.all.at[i].chosen;
    half->score[i] = f->window.all.at[i].score;
    const int32_t truth = half->truth_of[i] = find_truth(f, i, common);
    half->is_found[truth > 0 ? truth : 0] |= half->is_chosen[i];
  }
  free(common);
  return is_ok;
}

static void
half_clear(Half *half)
{
  train_field_clear(&half->field);
  free(half->is_chosen);
  free(half->score);
  free(half->truth_of);
  free(half->is_found);
}

static int
compare_corrections(const void *a, const void *b)
{
  const Correction *u = a, *v = b;
  return (u->key > v->key) - (u->key < v->key);
}

/* All that are to be made, in their order; the caller frees. */
static Correction *
list_corrections(const Half *half, Way way, int32_t *n)
{
  const TrainField *f = &half->field;
  Correction *list = malloc(((size_t)f->n_truth + (size_t)f->window.all.n + 1) * sizeof *list);
  *n = 0;
  for (int32_t t = 1; list && way != DELETIONS && t <= f->n_truth; t++)
    if (!half->is_found[t])
      list[(*n)++] = (Correction){ vt_learn_mix((uint64_t)t), t, 0 };
  for (int32_t i = 0; list && i < f->window.all.n; i++)
    if (half->is_chosen[i] && half->truth_of[i] < 0)
      list[(*n)++] = (Correction){ vt_learn_mix((uint64_t)1 << 32 | (uint32_t)i), 0, i };
  if (list)
    qsort(list, (size_t)*n, sizeof *list, compare_corrections);
  return list;
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
make_outline(const Half *half, int32_t truth, uint8_t *lessons)
{
  const TrainField *f = &half->field;
  const RgCandidates *all = &f->window.all;
  int32_t best = -1;
  for (int32_t i = 0; i < all->n; i++)
    if (half->truth_of[i] == truth && (best < 0 || f->iou[i] > f->iou[best]))
      best = i;
  if (best < 0)
    return; /* nothing agrees with it, so nothing is taught */
  const int32_t least = f->iou[best] - NEARLY;
  for (int32_t i = 0; i < all->n; i++)
    if (half->truth_of[i] == truth && f->iou[i] > least && half->score[i] > half->score[best])
      best = i;
  lessons[best] = NUCLEUS;
  for (int32_t i = 0; i < all->n; i++)
    if (half->is_chosen[i] && lessons[i] == UNTOLD && share_pixel(all, &all->at[i], &all->at[best]))
      lessons[i] = NONE;
}

/* At most so many corrections teach; how many were made, or -1. */
static int32_t
correct(const Half *half, Way way, int32_t most, const VtForest *forest, Told *told)
{
  const TrainField *f = &half->field;
  const size_t n = (size_t)f->window.all.n;
  int32_t n_made = 0;
  uint8_t *lessons = calloc(n + 1, 1);
  Correction *list = list_corrections(half, way, &n_made);
  int32_t *values = realloc(told->values, (told->n + n + 1) * RG_N_FEATURES * sizeof *values);
  told->values = values ? values : told->values;
  uint16_t *goals = realloc(told->goals, (told->n + n + 1) * sizeof *goals);
  told->goals = goals ? goals : told->goals;
  const bool is_ok = lessons && list && values && goals;
  n_made = !is_ok ? -1 : n_made < most ? n_made : most;
  for (int32_t k = 0; k < n_made; k++)
    if (list[k].truth)
      make_outline(half, list[k].truth, lessons);
    else
      lessons[list[k].deleted] = NONE;
  for (size_t i = 0; is_ok && i < n; i++)
    if (lessons[i] != UNTOLD) {
      const int32_t *features = f->features + i * RG_N_FEATURES;
      memcpy(told->values + told->n * RG_N_FEATURES, features, RG_N_FEATURES * sizeof *features);
      told->goals[told->n++] = vt_rg_lesson_goal(forest, features, lessons[i] == NUCLEUS);
    }
  free(lessons);
  free(list);
  return n_made;
}

/* halves: n of one side and n of the other. The first to be corrected is one; the other half of its field is scored. */
static bool
teach_half(Half *halves, int n, int one, const RgModel *model, Way way, int32_t most, TrainLessons *sum)
{
  Told told = { 0 };
  VtForest taught = { 0 };
  int32_t n_made = 0, made = 0;
  for (int k = 0; k < n && made >= 0 && n_made < most; k++) {
    made = correct(&halves[one / n * n + (one + k) % n], way, most - n_made, model->forest, &told);
    n_made += made;
  }
  const VtTeachExamples examples = { told.values, model->anchors, told.goals, told.n, model->n_anchors };
  const bool is_ok = made >= 0 && (told.n == 0 || vt_forest_teach(model->forest, &examples, &taught));
  TrainField *other = &halves[(one + n) % (2 * n)].field;
  if (is_ok) {
    const TrainScore s =
      train_score(other, &(RgModel){ model->map, told.n ? &taught : model->forest, NULL, 0 }, CUTOFF);
    int64_t n_objects = 0;
    for (int32_t i = 0; i < other->window.all.n; i++)
      n_objects += other->window.all.at[i].chosen;
#pragma omp critical
    {
      sum->n_halves++;
      sum->n_corrections += n_made;
      sum->n_objects += n_objects;
      sum->score.f5 += s.f5;
      sum->score.f7 += s.f7;
      sum->score.aji += s.aji;
    }
  }
  free(told.values);
  free(told.goals);
  vt_forest_clear(&taught);
  return is_ok;
}

static bool
make_halves(const TrainField *fields, int n, int fold, int kind, const RgModel *model, Half *halves, int n_sides)
{
  bool is_ok = true;
  for (int i = 0, k = 0; is_ok && i < n; i++) {
    if (fields[i].fold != fold)
      continue;
    TrainField whole = { 0 };
    is_ok = train_field_vary(&fields[i], kinds[kind], &whole) && half_init(&halves[k], &whole, false, model)
            && half_init(&halves[n_sides + k], &whole, true, model);
    train_field_clear(&whole);
    k++;
  }
  return is_ok;
}

bool
train_lessons(const TrainField *fields, int n, int fold, const RgModel *model, TrainLessonTable table)
{
  int n_fields = 0;
  bool is_ok = true;
  for (int i = 0; i < n; i++)
    n_fields += fields[i].fold == fold;
  for (int kind = 0; is_ok && kind < TRAIN_LESSON_KINDS; kind++) {
    Half *halves = calloc(2 * (size_t)n_fields, sizeof *halves);
    is_ok = halves && make_halves(fields, n, fold, kind, model, halves, n_fields);
    for (int way = 0; is_ok && way < TRAIN_LESSON_WAYS; way++)
      for (int count = 0; is_ok && count < TRAIN_LESSON_COUNTS; count++)
#pragma omp parallel for schedule(dynamic)
        for (int one = 0; one < 2 * n_fields; one++)
          if (!teach_half(halves, n_fields, one, model, (Way)way, most_corrections[count], &table[way][kind][count]))
            is_ok = false;
    for (int i = 0; halves && i < 2 * n_fields; i++)
      half_clear(&halves[i]);
    free(halves);
  }
  return is_ok;
}

void
train_lessons_print(TrainLessonTable table)
{
  static const char *const words[TRAIN_LESSON_WAYS] = { "corrections", "deletions" };
  for (int way = 0; way < TRAIN_LESSON_WAYS; way++)
    for (int kind = 0; kind < TRAIN_LESSON_KINDS; kind++)
      for (int count = 0; count < TRAIN_LESSON_COUNTS; count++) {
        const TrainLessons *l = &table[way][kind][count];
        const double n = (double)l->n_halves;
        printf(
          "halves, reduced by %d, density %.1f, %.1f %s elsewhere: F1@0.5 %.3f  F1@0.7 %.3f  AJI %.3f, %.1f objects\n",
          kinds[kind].by, kinds[kind].density, (double)l->n_corrections / n, words[way], l->score.f5 / n,
          l->score.f7 / n, l->score.aji / n, (double)l->n_objects / n);
      }
}
