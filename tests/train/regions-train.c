/* SPDX-License-Identifier: MIT
 *
 * regions-train: trains the pixel map and the forest of cpu/regions on fields with truth, and cross-validates them.
 *   regions-train cross PRESET N_FOLDS IMAGE...          figures, every field by models that have not seen its fold
 *   regions-train ship PRESET OUTPUT IMAGE...            a model of all fields: what cpu/regions/ holds
 * An IMAGE is NAME.png, its truth NAME-labels.png (0: no nucleus). PRESET: tissue, cytology, fluorescence. */
#include "train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_CUTOFFS = 5 };
static const uint16_t cutoffs[N_CUTOFFS] = { 19661, 22938, 26214, 29491, 32768 };

/* Slides have other pixel sizes and stains than the fields: each field counts as it is, and as it would be there. */
static const struct {
  int32_t by;
  double density;
} kinds[] = { { 1, 1 }, { 1, 1.6 }, { 2, 1 }, { 2, 1.8 }, { 3, 1.3 }, { 3, 2.2 } };
enum { N_KINDS = sizeof kinds / sizeof *kinds };

static VtRegionsPreset
preset_of(const char *name)
{
  return strcmp(name, "fluorescence") == 0 ? VT_REGIONS_FLUORESCENCE
         : strcmp(name, "cytology") == 0   ? VT_REGIONS_CYTOLOGY
                                           : VT_REGIONS_TISSUE;
}

static bool
prepare_all(TrainField *fields, int n, const RgMap *map)
{
  bool is_ok = true;
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; i++)
    if (!train_field_prepare(&fields[i], map))
      is_ok = false;
  return is_ok;
}

/* out: the fold that is left out; -1: none. */
static bool
train(TrainField *fields, int n, int out, RgMap *map, VtForest *forest)
{
  return train_map(map, fields, n, out) && prepare_all(fields, n, map) && train_forest(forest, fields, n, out);
}

typedef struct {
  TrainScore at[N_CUTOFFS];
  double oracle[2];
  int64_t n_candidates, n_pixels;
} Total;

static void
score_field(TrainField *f, const RgMap *map, const VtForest *forest, int n, Total *total)
{
  const TrainScore best = train_oracle(f);
  total->oracle[0] += best.f5 / n;
  total->oracle[1] += best.f7 / n;
  total->n_candidates += f->window.all.n;
  total->n_pixels += (int64_t)f->width * f->height;
  for (int c = 0; c < N_CUTOFFS; c++) {
    const TrainScore s = train_score(f, &(RgModel){ map, forest }, cutoffs[c]);
    total->at[c].f5 += s.f5 / n;
    total->at[c].f7 += s.f7 / n;
    total->at[c].aji += s.aji / n;
    if (c == 3)
      printf("%-40s by %d x %.1f fold %d  %.3f %.3f %.3f\n", f->name, f->by, f->density, f->fold, s.f5, s.f7, s.aji);
  }
}

static int
cross(TrainField *fields, int n, int n_folds)
{
  Total totals[N_KINDS] = { 0 };
  for (int fold = 0; fold < n_folds; fold++) {
    RgMap map;
    VtForest forest;
    if (!train(fields, n, fold, &map, &forest))
      return 1;
    for (int i = 0; i < n; i++)
      if (fields[i].fold == fold)
        score_field(&fields[i], &map, &forest, n / N_KINDS, &totals[i / (n / N_KINDS)]);
    vt_forest_clear(&forest);
  }
  for (int k = 0; k < N_KINDS; k++) {
    printf("reduced by %d, density %.1f: candidates %.0f a Mpx; oracle %.3f %.3f\n", kinds[k].by, kinds[k].density,
           1e6 * (double)totals[k].n_candidates / (double)totals[k].n_pixels, totals[k].oracle[0], totals[k].oracle[1]);
    for (int c = 0; c < N_CUTOFFS; c++)
      printf("cutoff %.2f: F1@0.5 %.3f  F1@0.7 %.3f  AJI %.3f\n", cutoffs[c] / 65536.0, totals[k].at[c].f5,
             totals[k].at[c].f7, totals[k].at[c].aji);
  }
  return 0;
}

static int
ship(TrainField *fields, int n, const char *path)
{
  RgMap map;
  VtForest forest;
  if (!train(fields, n, -1, &map, &forest))
    return 1;
  const bool is_ok = train_write(path, &map, &forest);
  vt_forest_clear(&forest);
  return is_ok ? 0 : 1;
}

int
main(int argc, char **argv)
{
  if (argc < 5)
    return 2;
  const int n_files = argc - 4, n = n_files * N_KINDS;
  TrainField *fields = calloc((size_t)n, sizeof *fields);
  const int n_folds = strcmp(argv[1], "cross") == 0 ? atoi(argv[3]) : 0;
  for (int i = 0; i < n; i++) {
    const int file = i % n_files, kind = i / n_files;
    if (kind == 0 ? !train_field_read(&fields[i], argv[4 + file], preset_of(argv[2]))
                  : !train_field_vary(&fields[file], kinds[kind].by, kinds[kind].density, &fields[i])) {
      fprintf(stderr, "%s cannot be read.\n", argv[4 + file]);
      return 1;
    }
    fields[i].fold = n_folds ? file % n_folds : 0;
  }
  const int result = n_folds ? cross(fields, n, n_folds) : ship(fields, n, argv[3]);
  for (int i = 0; i < n; i++)
    train_field_clear(&fields[i]);
  free(fields);
  return result;
}
