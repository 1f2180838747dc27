/* SPDX-License-Identifier: MIT
 *
 * What a score is worth to the choice. Where every set of candidates that do not overlap is drawn with a chance of
 * e^(sum of (score - CUTOFF) / SPREAD), a set has a mean worth; scores are pulled the way in which it rises. So a tree looks less at scores that
 * decide nothing, and more at which of a region, its children and its parts is the nucleus. */
#include "train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CUTOFF 0.4
#define SPREAD 0.05
#define STRENGTH 1.5
#define NEVER 1000

enum { CHILDREN, PARTS, N_WAYS };

/* Of one candidate. Sums are over its children and over its parts: of the logarithm of all their sets, and of their mean worth. */
typedef struct Chance {
  double sets[N_WAYS], worths[N_WAYS];
  double worth, take, way[N_WAYS]; /* its mean worth; chances, where nothing above it is chosen */
  double open, tilt; /* by how much the worth of all rises with its own, and with the logarithm of its sets */
  bool has_parts;
} Chance;

struct TrainPull {
  int n;
  const TrainField **fields;
  RgOrder **orders; /* of a field: as the choice goes through its candidates */
  double **worths;  /* of the candidates of a field */
  int32_t *place;   /* of a candidate among the examples of its field; room as `at` */
  Chance *at;       /* room for the field with the most of them */
  double mean_truth;
};

void
train_pull_free(TrainPull *pull)
{
  for (int i = 0; pull && pull->orders && pull->worths && i < pull->n; i++) {
    free(pull->orders[i]);
    free(pull->worths[i]);
  }
  if (pull) {
    free(pull->orders);
    free(pull->worths);
    free(pull->fields);
    free(pull->at);
    free(pull->place);
  }
  free(pull);
}

static RgOrder *
order_of(const TrainField *f)
{
  const int32_t n = f->window.all.n;
  RgOrder *order = malloc((size_t)n * sizeof *order + 1);
  for (int32_t i = 0; order && i < n; i++)
    order[i] = (RgOrder){ i, f->window.all.at[i].area };
  if (order && n > 0)
    qsort(order, (size_t)n, sizeof *order, vt_rg_compare_order);
  return order;
}

/* 0 up to limit - 0.06, 1 from limit + 0.06 on. */
static double
is_hit(double iou, double limit)
{
  return fmin(fmax((iou - limit + 0.06) / 0.12, 0), 1);
}

/* What a choice adds to F1@0.5, F1@0.7 and AJI, less what a wrong one takes: about half of each. */
static double
worth_of(const TrainField *f, int32_t candidate)
{
  const double q = train_goal(f, candidate) / 65535.0;
  return is_hit(q, 0.5) + is_hit(q, 0.7) + q - 0.91;
}

static double *
worths_of(const TrainField *f)
{
  double *worths = malloc((size_t)f->window.all.n * sizeof *worths + 1);
  for (int32_t i = 0; worths && i < f->window.all.n; i++)
    worths[i] = worth_of(f, i);
  return worths;
}

TrainPull *
train_pull_new(const TrainField *fields, int n, int out, int forest)
{
  TrainPull *pull = calloc(1, sizeof *pull);
  if (!pull)
    return NULL;
  pull->fields = malloc((size_t)n * sizeof *pull->fields);
  pull->orders = calloc((size_t)n, sizeof *pull->orders);
  pull->worths = calloc((size_t)n, sizeof *pull->worths);
  bool is_ok = pull->fields && pull->orders && pull->worths;
  double truths = 0, n_whole = 0;
  int32_t most = 0;
  for (int i = 0; is_ok && i < n; i++)
    if (train_teaches(&fields[i], out, forest)) {
      truths += fields[i].is_square ? 0 : fields[i].n_truth;
      n_whole += !fields[i].is_square;
      most = fields[i].window.all.n > most ? fields[i].window.all.n : most;
      pull->fields[pull->n] = &fields[i];
      pull->orders[pull->n] = order_of(&fields[i]);
      pull->worths[pull->n] = worths_of(&fields[i]);
      is_ok = pull->orders[pull->n] && pull->worths[pull->n];
      pull->n++;
    }
  pull->mean_truth = n_whole > 0 ? truths / n_whole : 0;
  pull->at = malloc((size_t)most * sizeof *pull->at + 1);
  pull->place = malloc((size_t)most * sizeof *pull->place + 1);
  if (is_ok && pull->at && pull->place)
    return pull;
  train_pull_free(pull);
  return NULL;
}

static double
log_sum(double a, double b)
{
  const double most = fmax(a, b);
  return most + log(exp(a - most) + exp(b - most));
}

/* What is left out is never drawn. */
static void
climb(const TrainField *f, const RgOrder *order, const double *worths, const int32_t *place, const int32_t *answers,
      Chance *at)
{
  const RgCandidate *c = f->window.all.at;
  for (int32_t k = 0; k < f->window.all.n; k++) {
    const int32_t i = order[k].index, up = c[i].parent, way = c[i].part ? PARTS : CHILDREN;
    Chance *one = &at[i];
    const double own = f->left_out[i] ? -NEVER : (answers[place[i]] / 65535.0 - CUTOFF) / SPREAD;
    double all = log_sum(own, one->sets[CHILDREN]);
    all = one->has_parts ? log_sum(all, one->sets[PARTS]) : all;
    one->take = exp(own - all);
    one->way[PARTS] = one->has_parts ? exp(one->sets[PARTS] - all) : 0;
    one->way[CHILDREN] = exp(one->sets[CHILDREN] - all);
    one->worth =
      one->take * worths[i] + one->way[CHILDREN] * one->worths[CHILDREN] + one->way[PARTS] * one->worths[PARTS];
    if (up < 0)
      continue;
    at[up].sets[way] += all;
    at[up].worths[way] += one->worth;
    at[up].has_parts |= way == PARTS;
  }
}

static void
descend(const TrainField *f, const RgOrder *order, const double *worths, const int32_t *place, double strength,
        Chance *at, int32_t *pulls)
{
  const RgCandidate *c = f->window.all.at;
  for (int32_t k = f->window.all.n - 1; k >= 0; k--) {
    const int32_t i = order[k].index, way = c[i].part ? PARTS : CHILDREN;
    const Chance *up = c[i].parent >= 0 ? &at[c[i].parent] : NULL;
    Chance *one = &at[i];
    one->open = up ? up->open * up->way[way] : 1;
    one->tilt = up ? one->open * (up->worths[way] - up->worth) + up->tilt * up->way[way] : 0;
    const double rise = one->take * (one->open * (worths[i] - one->worth) + one->tilt);
    if (!f->left_out[i])
      pulls[place[i]] = (int32_t)lrint(strength * rise * 65535);
  }
}

/* Of a field with many nuclei each counts less. */
static double
strength_of(const TrainPull *pull, const TrainField *f)
{
  return f->is_square ? STRENGTH : f->n_truth ? STRENGTH * pull->mean_truth / f->n_truth : 0;
}

/* For VtForestSettings: candidates of the fields that teach, one field after the other. */
void
train_pull(void *user, const int32_t *answers, int32_t *pulls)
{
  const TrainPull *pull = user;
  for (int i = 0; i < pull->n; i++) {
    const TrainField *f = pull->fields[i];
    const int32_t n = f->window.all.n;
    int32_t n_examples = 0;
    for (int32_t k = 0; k < n; k++) {
      pull->place[k] = n_examples;
      n_examples += !f->left_out[k];
    }
    memset(pull->at, 0, (size_t)n * sizeof *pull->at);
    climb(f, pull->orders[i], pull->worths[i], pull->place, answers, pull->at);
    descend(f, pull->orders[i], pull->worths[i], pull->place, strength_of(pull, f), pull->at, pulls);
    answers += n_examples;
    pulls += n_examples;
  }
}
