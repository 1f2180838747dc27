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

static int
cross(TrainField *fields, int n, int n_folds)
{
  TrainScore total[N_CUTOFFS] = { 0 };
  double oracle[2] = { 0 };
  int64_t n_candidates = 0, n_pixels = 0;
  for (int fold = 0; fold < n_folds; fold++) {
    RgMap map;
    VtForest forest;
    if (!train(fields, n, fold, &map, &forest))
      return 1;
    for (int i = 0; i < n; i++) {
      if (fields[i].fold != fold)
        continue;
      TrainScore best = train_oracle(&fields[i]);
      oracle[0] += best.f5 / n;
      oracle[1] += best.f7 / n;
      n_candidates += fields[i].window.all.n;
      n_pixels += (int64_t)fields[i].width * fields[i].height;
      for (int c = 0; c < N_CUTOFFS; c++) {
        const TrainScore s = train_score(&fields[i], &(RgModel){ &map, &forest, cutoffs[c] });
        total[c].f5 += s.f5 / n;
        total[c].f7 += s.f7 / n;
        total[c].aji += s.aji / n;
        if (c == 2)
          printf("%-40s fold %d  %.3f %.3f %.3f\n", fields[i].name, fold, s.f5, s.f7, s.aji);
      }
    }
    vt_forest_clear(&forest);
  }
  printf("candidates %.0f a Mpx; oracle %.3f %.3f\n", 1e6 * (double)n_candidates / (double)n_pixels, oracle[0],
         oracle[1]);
  for (int c = 0; c < N_CUTOFFS; c++)
    printf("cutoff %.2f: F1@0.5 %.3f  F1@0.7 %.3f  AJI %.3f\n", cutoffs[c] / 65536.0, total[c].f5, total[c].f7,
           total[c].aji);
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
  const int n = argc - 4;
  TrainField *fields = calloc((size_t)n, sizeof *fields);
  const int n_folds = strcmp(argv[1], "cross") == 0 ? atoi(argv[3]) : 0;
  for (int i = 0; i < n; i++) {
    if (!train_field_read(&fields[i], argv[4 + i], preset_of(argv[2]))) {
      fprintf(stderr, "%s cannot be read.\n", argv[4 + i]);
      return 1;
    }
    fields[i].fold = n_folds ? i % n_folds : 0;
  }
  const int result = n_folds ? cross(fields, n, n_folds) : ship(fields, n, argv[3]);
  for (int i = 0; i < n; i++)
    train_field_clear(&fields[i]);
  free(fields);
  return result;
}
