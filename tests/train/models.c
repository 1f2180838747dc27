/* SPDX-License-Identifier: MIT */
#include "train.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_TERMS = 1 + RG_N_INPUTS + RG_N_SQUARES, SAMPLE = 7 /* one pixel of so many */, SAMPLE_SQUARE = 3 };

/* The least squares of the map, in inputs / 64. */
typedef struct Normal {
  double matrix[N_TERMS][N_TERMS], right[N_TERMS];
} Normal;

/* 255 inside a nucleus, 128 on its outline, 0 elsewhere. */
static double
target_at(const TrainField *f, int32_t x, int32_t y)
{
  const int32_t *t = f->truth + (ptrdiff_t)y * f->width + x;
  if (*t == 0)
    return 0;
  const bool is_inside = (x == 0 || t[-1] == *t) && (x + 1 == f->width || t[1] == *t) && (y == 0 || t[-f->width] == *t)
                         && (y + 1 == f->height || t[f->width] == *t);
  return is_inside ? 255 : 128;
}

static void
add_pixel(Normal *normal, const int16_t *const inputs[RG_N_INPUTS], int32_t x, double target)
{
  double z[N_TERMS];
  int k = 0;
  z[k++] = 1;
  for (int i = 0; i < RG_N_INPUTS; i++) {
    const int v = inputs[i][x] - vt_rg_map_middle[i];
    z[k++] = (v < -RG_INPUT_MAX ? -RG_INPUT_MAX : v > RG_INPUT_MAX ? RG_INPUT_MAX : v) / 64.0;
  }
  for (int i = 0; i < RG_N_INPUTS; i++)
    for (int j = 0; j <= i; j++)
      z[k++] = z[1 + i] * z[1 + j];
  for (int i = 0; i < N_TERMS; i++) {
    for (int j = 0; j <= i; j++)
      normal->matrix[i][j] += z[i] * z[j];
    normal->right[i] += z[i] * target;
  }
}

typedef struct Adding {
  Normal *normal;
  const TrainField *field;
} Adding;

static void
add_row(void *user, int64_t y, const int16_t *const inputs[RG_N_INPUTS])
{
  const Adding *adding = user;
  const TrainField *f = adding->field;
  const int32_t step = f->is_square ? SAMPLE_SQUARE : SAMPLE * (1 + f->width * f->height / 200000);
  const int32_t x0 = f->known.x0, row = (int32_t)y;
  for (int32_t x = row * 3 % step; x0 + x <= f->known.x1; x += step)
    add_pixel(adding->normal, inputs, x, target_at(f, x0 + x, row));
}

static bool
add_field(Normal *normal, const TrainField *f)
{
  RgPlanes planes;
  Adding adding = { normal, f };
  const VtRegions args = train_args(f);
  bool is_ok = vt_rg_planes_init(&planes, f->width, f->height, NULL) == VITRAIL_OK;
  planes.tell = add_row;
  planes.tell_user = &adding;
  is_ok = is_ok && vt_rg_planes_fill(&planes, &args, NULL, f->known) == VITRAIL_OK;
  vt_rg_planes_clear(&planes);
  return is_ok;
}

/* Cholesky's factor in place of the lower triangle. */
void
train_solve(double *matrix, ptrdiff_t stride, const double *right, int n, double *x)
{
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      double *a = matrix + i * stride, *b = matrix + j * stride, sum = a[j];
      for (int k = 0; k < j; k++)
        sum -= a[k] * b[k];
      a[j] = i == j ? sqrt(sum > 1e-9 ? sum : 1e-9) : sum / b[j];
    }
  for (int i = 0; i < n; i++) {
    x[i] = right[i];
    for (int k = 0; k < i; k++)
      x[i] -= matrix[i * stride + k] * x[k];
    x[i] /= matrix[i * stride + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++)
      x[i] -= matrix[k * stride + i] * x[k];
    x[i] /= matrix[i * stride + i];
  }
}

bool
train_map(RgMap *map, const TrainField *fields, int n, int out)
{
  Normal *normal = calloc(1, sizeof *normal);
  double x[N_TERMS];
  bool is_ok = normal != NULL;
  for (int i = 0; is_ok && i < n; i++)
    if (fields[i].fold != out && fields[i].look.draw == 0)
      is_ok = add_field(normal, &fields[i]);
  if (is_ok) {
    const double ridge = 1e-3 * normal->matrix[0][0];
    for (int i = 1; i < N_TERMS; i++)
      normal->matrix[i][i] += ridge;
    train_solve(normal->matrix[0], N_TERMS, normal->right, N_TERMS, x);
    map->constant = (int32_t)lrint(x[0] * 1024);
    for (int i = 0; i < RG_N_INPUTS; i++)
      map->linear[i] = (int32_t)lrint(x[1 + i] * 1024 / 64);
    for (int i = 0; i < RG_N_SQUARES; i++) {
      map->square[i] = (int32_t)lrint(x[1 + RG_N_INPUTS + i] * 1024 * 1024 / 4096);
      if (labs(map->square[i]) > 32767)
        is_ok = false;
    }
  }
  if (!is_ok)
    fprintf(stderr, "The pixel map cannot be trained.\n");
  free(normal);
  return is_ok;
}

static void
run_threads(void *user, uint32_t n, void (*job)(void *job_user, uint32_t index), void *job_user)
{
#pragma omp parallel for schedule(dynamic)
  for (uint32_t i = 0; i < n; i++)
    job(job_user, i);
}

bool
train_teaches(const TrainField *f, int out, int forest)
{
  return f->fold != out && (f->look.draw == 0 || f->look.draw == forest);
}

typedef struct Examples {
  int32_t *values;
  uint16_t *goals;
  size_t n;
} Examples;

/* What teaches the forest, in place of what was there; the caller frees. */
static bool
examples_fill(Examples *e, const TrainField *fields, int n, int out, int forest)
{
  size_t most = 1;
  for (int i = 0; i < n; i++)
    most += train_teaches(&fields[i], out, forest) ? (size_t)fields[i].window.all.n : 0;
  free(e->values);
  free(e->goals);
  *e = (Examples){ malloc(most * RG_N_FEATURES * sizeof *e->values), malloc(most * sizeof *e->goals), 0 };
  for (int i = 0; e->values && e->goals && i < n; i++)
    for (int32_t k = 0; train_teaches(&fields[i], out, forest) && k < fields[i].window.all.n; k++) {
      if (fields[i].left_out[k])
        continue;
      memcpy(e->values + e->n * RG_N_FEATURES, fields[i].features + (size_t)k * RG_N_FEATURES,
             RG_N_FEATURES * sizeof *e->values);
      e->goals[e->n++] = train_goal(&fields[i], k);
    }
  return e->values && e->goals;
}

/* The forests' parts of the score: the mean of forests of the same base and limits. All their trees, with a part of each answer, rounded. Takes
 * what the forests have. */
static bool
join_forests(VtForest *mean, VtForest *forests, int n)
{
  const size_t n_nodes = (size_t)forests[0].n_trees * forests[0].tree_nodes;
  *mean = forests[0];
  forests[0] = (VtForest){ 0 };
  free(mean->steps);
  free(mean->n_questions);
  mean->steps = NULL;
  mean->n_questions = NULL;
  mean->base = mean->base * (TRAIN_PARTS - 1) / TRAIN_PARTS;
  VtForestNode *nodes = realloc(mean->nodes, (size_t)n * n_nodes * sizeof *nodes);
  if (!nodes)
    return false;
  mean->nodes = nodes;
  mean->n_trees *= (uint32_t)n;
  for (int i = 1; i < n; i++)
    memcpy(nodes + (size_t)i * n_nodes, forests[i].nodes, n_nodes * sizeof *nodes);
  for (size_t i = 0; i < (size_t)n * n_nodes; i++)
    if (nodes[i].feature == VT_FOREST_LEAF) {
      const int32_t answer = 2 * (TRAIN_PARTS - 1) * (nodes[i].value - VT_FOREST_ZERO), by = TRAIN_PARTS * n;
      nodes[i].value = (uint16_t)((answer + (answer < 0 ? -by : by)) / (2 * by) + VT_FOREST_ZERO);
    }
  return true;
}

/* The form learns what the first forest does. */
bool
train_forest(VtForest *mean, const TrainField *fields, int n, int out)
{
  enum { N_FORESTS = 3 };
  VtForest forests[N_FORESTS] = { 0 };
  Examples e = { 0 };
  /* Fields of cytology and of fluorescence are few: fewer trees. */
  const bool is_tissue = fields[0].preset == VT_REGIONS_TISSUE || fields[0].preset == VT_REGIONS_TISSUE_SMALL;
  VtForestSettings settings = {
    .n_trees = is_tissue ? 240 : 120, .max_leaves = 32, .min_leaf = 20, .rate = 80, .pull = train_pull
  };
  bool is_ok = true;
  for (int i = 0; is_ok && i < N_FORESTS; i++) {
    TrainPull *pull = train_pull_new(fields, n, out, i + 1);
    settings.seed = (uint32_t)i + 1;
    settings.pull_user = pull;
    settings.like = i > 0 ? &forests[0] : NULL;
    is_ok = pull && examples_fill(&e, fields, n, out, i + 1)
            && vt_forest_train(&forests[i], e.values, e.goals, e.n, RG_N_FEATURES, &settings, run_threads, NULL);
    fprintf(stderr, "%zu examples\n", e.n);
    train_pull_free(pull);
  }
  is_ok = is_ok && join_forests(mean, forests, N_FORESTS) && examples_fill(&e, fields, n, out, 1)
          && train_form(mean, e.values, e.goals, e.n) && vt_forest_ready(mean);
  for (int i = 0; i < N_FORESTS; i++)
    vt_forest_clear(&forests[i]);
  free(e.values);
  free(e.goals);
  return is_ok;
}

static void
put(FILE *file, uint32_t v, int bytes)
{
  for (int i = 0; i < bytes; i++)
    fputc((int)(v >> 8 * i & 255), file);
}

bool
train_write(const char *path, const RgMap *map, const VtForest *forest)
{
  FILE *file = fopen(path, "wb");
  if (!file)
    return false;
  put(file, (uint32_t)map->constant, 4);
  for (int i = 0; i < RG_N_INPUTS; i++)
    put(file, (uint32_t)map->linear[i], 4);
  for (int i = 0; i < RG_N_SQUARES; i++)
    put(file, (uint32_t)map->square[i], 4);
  put(file, forest->n_features, 4);
  put(file, forest->n_trees, 4);
  put(file, forest->tree_nodes, 4);
  put(file, (uint32_t)forest->base, 4);
  for (uint32_t i = 0; i < forest->n_features * (VT_FOREST_BINS - 1); i++)
    put(file, (uint32_t)forest->limits[i], 4);
  for (uint32_t i = 0; i < forest->n_trees * forest->tree_nodes; i++) {
    put(file, forest->nodes[i].feature, 1);
    put(file, forest->nodes[i].bin, 1);
    put(file, forest->nodes[i].value, 2);
  }
  for (size_t i = 0; i < vt_forest_form_size(forest->n_features); i++)
    put(file, (uint32_t)forest->form[i], 4);
  return fclose(file) == 0;
}
