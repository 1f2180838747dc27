/* SPDX-License-Identifier: MIT
 *
 * Squares of a slide in which every nucleus has a dot: squares.py cuts them out. */
#include "train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DOTS = 1000, LARGEST = 72 /* 36 um */ };

/* "x y side edges", the square in the image, then a line for each dot: "x y". */
bool
train_square_read(TrainField *f, const char *name)
{
  FILE *file = fopen(name, "r");
  int x, y, side, edges;
  bool is_ok = file && fscanf(file, "%d %d %d %d", &x, &y, &side, &edges) == 4;
  f->dots = is_ok ? malloc(2 * MOST_DOTS * sizeof *f->dots) : NULL;
  while (f->dots && f->n_dots < MOST_DOTS
         && fscanf(file, "%d %d", &f->dots[2 * f->n_dots], &f->dots[2 * f->n_dots + 1]) == 2)
    f->n_dots++;
  if (file)
    fclose(file);
  if (!f->dots)
    return false;
  const size_t n = (size_t)f->width * (size_t)f->height;
  f->is_square = true;
  f->known = (RgBox){ x, y, x + side - 1, y + side - 1 };
  f->edges = (uint32_t)edges;
  f->largest = LARGEST;
  f->truth = calloc(n, sizeof *f->truth);
  f->truth_area = calloc(MOST_DOTS + 1, sizeof *f->truth_area);
  return x >= 0 && y >= 0 && side > 0 && x + side <= f->width && y + side <= f->height && f->truth && f->truth_area;
}

/* How many dots a candidate holds. */
static int32_t
count_dots(const TrainField *f, const RgCandidate *c)
{
  int32_t n = 0;
  for (int32_t i = 0; i < f->n_dots; i++) {
    const int32_t x = f->dots[2 * i], y = f->dots[2 * i + 1];
    n += x >= c->box.x0 && x <= c->box.x1 && y >= c->box.y0 && y <= c->box.y1 && vt_rg_bit(&f->window.all, c, x, y);
  }
  return n;
}

static void
draw(TrainField *f, const RgCandidate *c, int32_t number)
{
  for (int32_t y = c->box.y0; y <= c->box.y1; y++)
    for (int32_t x = c->box.x0; x <= c->box.x1; x++)
      if (vt_rg_bit(&f->window.all, c, x, y))
        f->truth[y * f->width + x] = number;
}

/* Of a dot that no candidate holds alone: a disc, so that the map learns where it is. */
static void
draw_disc(TrainField *f, int32_t x, int32_t y, int32_t number)
{
  enum { RADIUS = 4, SQUARE = 18 };
  for (int32_t v = y - RADIUS; v <= y + RADIUS; v++)
    for (int32_t u = x - RADIUS; u <= x + RADIUS; u++)
      if (u >= 0 && v >= 0 && u < f->width && v < f->height && (u - x) * (u - x) + (v - y) * (v - y) <= SQUARE
          && f->truth[v * f->width + u] == 0)
        f->truth[v * f->width + u] = number;
}

bool
train_square_outline(TrainField *f, const RgModel *model)
{
  enum { ONE_MORE = 24000, CUTOFF = 10 }; /* two dots with low scores are more than one with a high one */
  RgCandidates *all = &f->window.all;
  const size_t n = (size_t)f->width * (size_t)f->height;
  if (vt_rg_window_choose(&f->window, model, CUTOFF) != VITRAIL_OK)
    return false;
  for (int32_t i = 0; i < all->n; i++)
    all->at[i].score = count_dots(f, &all->at[i]) == 1 ? (uint16_t)(ONE_MORE + all->at[i].score / 2) : 0;
  if (vt_rg_choose(all, CUTOFF) != VITRAIL_OK)
    return false;
  memset(f->truth, 0, n * sizeof *f->truth);
  memset(f->truth_area, 0, (MOST_DOTS + 1) * sizeof *f->truth_area);
  f->n_truth = 0;
  for (int32_t i = 0; i < all->n; i++)
    if (all->at[i].chosen)
      draw(f, &all->at[i], ++f->n_truth);
  for (int32_t i = 0; i < f->n_dots; i++)
    if (f->truth[f->dots[2 * i + 1] * f->width + f->dots[2 * i]] == 0)
      draw_disc(f, f->dots[2 * i], f->dots[2 * i + 1], ++f->n_truth);
  for (size_t i = 0; i < n; i++)
    f->truth_area[f->truth[i]]++;
  return true;
}

TrainDots
train_square_score(TrainField *f, const RgModel *model, uint16_t cutoff)
{
  const RgCandidates *all = &f->window.all;
  TrainDots dots = { .n_dots = f->n_dots };
  vt_rg_window_choose(&f->window, model, cutoff);
  for (int32_t i = 0; i < all->n; i++) {
    const int32_t n = all->at[i].chosen ? count_dots(f, &all->at[i]) : 0;
    if (all->at[i].chosen && f->left_out[i])
      dots.n_dots -= n;
    else if (all->at[i].chosen) {
      dots.n_objects++;
      dots.found += n == 1;
    }
  }
  return dots;
}
