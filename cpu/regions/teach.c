/* SPDX-License-Identifier: MIT
 *
 * What teaches the score: the candidates that a person can call a nucleus or none, and the score that comes of it. */
#include "learn/teach.h"
#include "mask.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* --- lessons --- */

/* The score is an expected IoU, and 0.4 the cutoff. What a person calls a nucleus should have this at least, what is none that at most:
 * docs/nuclei.md has how both were chosen. */
enum { GOAL_NUCLEUS = 32768 /* 0.5 */, GOAL_NONE = 21627 /* 0.33 */ };

uint16_t
vt_rg_lesson_goal(const VtForest *forest, const int32_t *features, bool is_nucleus)
{
  const int32_t answer = vt_forest_answer(forest, features), now = answer < 0 ? 0 : answer > 65535 ? 65535 : answer;
  return (uint16_t)(is_nucleus ? (now > GOAL_NUCLEUS ? now : GOAL_NUCLEUS) : (now < GOAL_NONE ? now : GOAL_NONE));
}

/* What the contract knows of a taught score, and what that points to. */
typedef struct {
  VtRegionsTaught taught;
  VtForest forest;
  uint16_t answers[];
} Taught;

static VtRegionsTaught *
taught_new(const VtForest *from, const VtTeachExamples *examples)
{
  enum { MOST_NUMBERS = 1 << 29 };
  static atomic_uint last;
  const size_t n_answers = (size_t)from->n_trees * from->tree_nodes;
  Taught *made = malloc(sizeof *made + n_answers * sizeof *made->answers);
  if (!made || !vt_forest_teach(from, examples, &made->forest)) {
    free(made);
    return NULL;
  }
  made->taught =
    (VtRegionsTaught){ 1 + atomic_fetch_add(&last, 1) % (MOST_NUMBERS - 1), made->answers, n_answers, &made->forest };
  for (size_t i = 0; i < n_answers; i++)
    made->answers[i] = made->forest.nodes[i].value;
  return &made->taught;
}

VitrailStatus
vt_cpu_regions_teach(const VtRegionsLesson *lesson, VtRegionsTaught **taught)
{
  enum { ROW = RG_N_FEATURES + 1 };
  *taught = NULL;
  if ((int)lesson->preset < 0 || lesson->preset >= VT_REGIONS_N_PRESETS || lesson->n < 1
      || lesson->n > VT_TEACH_EXAMPLES)
    return VITRAIL_BAD_ARGUMENT;
  for (int64_t i = 0; i < lesson->n; i++)
    if (lesson->rows[i * ROW + RG_N_FEATURES] != 0 && lesson->rows[i * ROW + RG_N_FEATURES] != 1)
      return VITRAIL_BAD_ARGUMENT;
  const RgModel *model = vt_rg_shipped_model(lesson->preset);
  const size_t n = (size_t)lesson->n;
  int32_t *values = malloc(n * RG_N_FEATURES * sizeof *values);
  uint16_t *goals = malloc(n * sizeof *goals);
  const bool is_ok = model && values && goals;
  for (size_t i = 0; is_ok && i < n; i++) {
    const int32_t *row = lesson->rows + i * ROW;
    memcpy(values + i * RG_N_FEATURES, row, RG_N_FEATURES * sizeof *values);
    goals[i] = vt_rg_lesson_goal(model->forest, row, row[RG_N_FEATURES] == 1);
  }
  if (is_ok)
    *taught = taught_new(model->forest, &(VtTeachExamples){ values, model->anchors, goals, n, model->n_anchors });
  free(values);
  free(goals);
  return *taught ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
}

void
vt_cpu_regions_forget(VtRegionsTaught *taught)
{
  Taught *made = (Taught *)taught; /* its first member */
  if (made)
    vt_forest_clear(&made->forest);
  free(made);
}

/* --- candidates --- */

static bool
make_room(VtRegionsFound *found, size_t n_bytes)
{
  if (found->n == found->room) {
    const size_t room = 2 * found->room + 64;
    VtRegionFound *more = realloc(found->at, room * sizeof *more);
    if (!more)
      return false;
    found->at = more;
    found->room = room;
  }
  if (found->n_bytes + n_bytes > found->bytes_room) {
    const size_t room = 2 * found->bytes_room + n_bytes + 65536;
    uint8_t *more = realloc(found->bytes, room);
    if (!more)
      return false;
    found->bytes = more;
    found->bytes_room = room;
  }
  return true;
}

static bool
add_found(RgWindow *window, const RgCandidate *c, bool is_chosen, int32_t first, const VtRegions *a)
{
  VtRegionsFound *found = a->found;
  const RgCandidates *all = &window->all;
  const int32_t words = vt_rg_row_words(c);
  const int64_t width = c->box.x1 - c->box.x0 + 1, height = c->box.y1 - c->box.y0 + 1;
  if (!make_room(found, (size_t)(width * height)))
    return false;
  uint8_t *pixels = found->bytes + found->n_bytes;
  memset(pixels, 0, (size_t)(width * height));
  for (int64_t y = 0; y < height; y++) {
    const uint64_t *row = vt_rg_row(all, c, (int32_t)(c->box.y0 + y));
    for (int32_t from = 0, to; vt_rg_next_run(row, words, &from, &to); from = to)
      memset(pixels + y * width + from, 1, (size_t)(to - from));
  }
  VtRegionFound *f = &found->at[found->n++];
  *f = (VtRegionFound){ .x = c->box.x0 + a->grid_x,
                        .y = c->box.y0 + a->grid_y,
                        .width = width,
                        .height = height,
                        .first_x = first + a->grid_x,
                        .pixels = found->n_bytes,
                        .score = c->score,
                        .is_chosen = is_chosen,
                        .margin = c->margin };
  vt_rg_window_measure(window, (int32_t)(c - all->at), f->features);
  found->n_bytes += (size_t)(width * height);
  return true;
}

/* Its box, on the grid. */
static bool
meets_place(const RgCandidate *c, const VtRegions *a)
{
  const int64_t x0 = c->box.x0 + a->grid_x, y0 = c->box.y0 + a->grid_y, x1 = c->box.x1 + 1 + a->grid_x,
                y1 = c->box.y1 + 1 + a->grid_y;
  for (size_t i = 0; i < a->n_places; i++)
    if (x0 < a->places[i].x1 && x1 > a->places[i].x0 && y0 < a->places[i].y1 && y1 > a->places[i].y0)
      return true;
  return false;
}

VitrailStatus
vt_rg_window_find(RgWindow *window, const VtRegions *a)
{
  RgCandidates *all = &window->all;
  bool *chosen = calloc((size_t)all->n + 1, sizeof *chosen);
  VitrailStatus status = chosen ? vt_rg_choose_next(all, a->cutoff, a->cutoff / 2, chosen) : VITRAIL_OUT_OF_MEMORY;
  for (int32_t i = 0; status == VITRAIL_OK && i < all->n; i++) {
    const RgCandidate *c = &all->at[i];
    if (a->places ? !meets_place(c, a) : !chosen[i] && !c->chosen)
      continue;
    const int32_t first = c->box.x0 + vt_rg_next(all->bits + c->bits, vt_rg_row_words(c), 0, 0);
    const bool is_here =
      first >= a->x0 && first < a->x0 + a->code.width && c->box.y0 >= a->y0 && c->box.y0 < a->y0 + a->code.height;
    if (is_here && !add_found(window, c, chosen[i], first, a))
      status = VITRAIL_OUT_OF_MEMORY;
  }
  free(chosen);
  return status;
}
