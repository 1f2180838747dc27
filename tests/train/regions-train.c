/* SPDX-License-Identifier: MIT
 *
 * regions-train: trains the pixel map and the forest of cpu/regions on fields with truth, and cross-validates them.
 *   regions-train cross PRESET N_FOLDS IMAGE...          figures, every field by models that have not seen its fold
 *   regions-train ship PRESET OUTPUT IMAGE...            a model of all fields: what cpu/regions/ holds
 *   regions-train anchors PRESET OUTPUT IMAGE...         what holds that model when it is taught, by the map that ships
 * An IMAGE is NAME.png, its truth NAME-labels.png (0: no nucleus) or, of a square of a slide, the dots of NAME-dots.txt (squares.py).
 * PRESET: tissue, tissue-small, cytology, fluorescence. */
#include "train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_CUTOFFS = 5 };
static const uint16_t cutoffs[N_CUTOFFS] = { 19661, 22938, 26214, 29491, 32768 };

/* Slides have other pixel sizes, stains and light than the fields: each field counts as it is, and as it would be there. Each forest has a draw of its own. */
static const TrainLook wide[] = { { 1, 1 },    { 1, 1.6 },    { 2, 1 },    { 1, 1, 1 }, { 1, 1.6, 1 }, { 2, 1, 1 },
                                  { 1, 1, 2 }, { 1, 1.6, 2 }, { 2, 1, 2 }, { 1, 1, 3 }, { 1, 1.6, 3 }, { 2, 1, 3 } };
static const TrainLook small[] = { { 2, 1 }, { 2, 1.8 }, { 3, 1.3 }, { 3, 2.2 } };
static const TrainLook every[] = { { 1, 1 }, { 1, 1.6 }, { 2, 1 }, { 2, 1.8 }, { 3, 1.3 }, { 3, 2.2 } };
enum { MOST_KINDS = sizeof wide / sizeof *wide };
#define KINDS(list) list, (int)(sizeof list / sizeof *list)

static const struct {
  const char *name;
  VtRegionsPreset preset;
  const TrainLook *kinds;
  int n_kinds;
} presets[] = { { "tissue", VT_REGIONS_TISSUE, KINDS(wide) },
                { "tissue-small", VT_REGIONS_TISSUE_SMALL, KINDS(small) },
                { "cytology", VT_REGIONS_CYTOLOGY, KINDS(every) },
                { "fluorescence", VT_REGIONS_FLUORESCENCE, KINDS(every) } };
enum { N_PRESETS = sizeof presets / sizeof *presets };

/* N_PRESETS: there is none of this name. */
static int
find_preset(const char *name)
{
  int i = 0;
  while (i < N_PRESETS && strcmp(presets[i].name, name) != 0)
    i++;
  return i;
}

/* Each field in all kinds, kind by kind, then the squares. */
typedef struct Fields {
  TrainField *at;
  int n, n_fields, n_squares, n_kinds;
  const TrainLook *kinds;
} Fields;

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

/* The outlines of nuclei that have nothing but dots, by a model of the fields alone. */
static bool
outline_squares(const Fields *all)
{
  RgMap map;
  VtForest forest = { 0 };
  TrainField *squares = all->at + all->n - all->n_squares;
  if (all->n_squares == 0)
    return true;
  bool is_ok = train(all->at, all->n - all->n_squares, -1, &map, &forest);
  is_ok = is_ok && prepare_all(squares, all->n_squares, &map);
  for (int i = 0; is_ok && i < all->n_squares; i++)
    is_ok = train_square_outline(&squares[i], &(RgModel){ &map, &forest });
  vt_forest_clear(&forest);
  return is_ok;
}

typedef struct {
  TrainScore at[N_CUTOFFS];
  double oracle[2];
  int64_t n_candidates, n_pixels;
} Total;

/* Of squares with dots, and of those on keratin, which have none: at each cutoff. */
typedef struct {
  TrainDots dotted[N_CUTOFFS], keratin[N_CUTOFFS];
} TotalDots;

static void
score_square(TrainField *f, const RgModel *model, TotalDots *total)
{
  for (int c = 0; c < N_CUTOFFS; c++) {
    const TrainDots d = train_square_score(f, model, cutoffs[c]);
    TrainDots *sum = strncmp(f->name, "keratin-", 8) == 0 ? &total->keratin[c] : &total->dotted[c];
    sum->n_dots += d.n_dots;
    sum->n_objects += d.n_objects;
    sum->found += d.found;
  }
}

static void
print_dots(const TotalDots *total)
{
  for (int c = 0; c < N_CUTOFFS; c++) {
    const TrainDots *d = &total->dotted[c];
    printf("cutoff %.2f: of %d dots %d found by %d objects: precision %.3f  recall %.3f  F1 %.3f; %d objects on "
           "keratin\n",
           cutoffs[c] / 65536.0, d->n_dots, d->found, d->n_objects, (double)d->found / d->n_objects,
           (double)d->found / d->n_dots, 2.0 * d->found / (d->n_objects + d->n_dots), total->keratin[c].n_objects);
  }
}

static void
score_field(TrainField *f, const RgModel *model, int n, Total *total)
{
  const TrainScore best = train_oracle(f);
  total->oracle[0] += best.f5 / n;
  total->oracle[1] += best.f7 / n;
  total->n_candidates += f->window.all.n;
  total->n_pixels += (int64_t)f->width * f->height;
  for (int c = 0; c < N_CUTOFFS; c++) {
    const TrainScore s = train_score(f, model, cutoffs[c]);
    total->at[c].f5 += s.f5 / n;
    total->at[c].f7 += s.f7 / n;
    total->at[c].aji += s.aji / n;
    if (c == 3)
      printf("%-40s by %d x %.1f fold %d  %.3f %.3f %.3f\n", f->name, f->look.by, f->look.density, f->fold, s.f5, s.f7,
             s.aji);
  }
}

static void
print_fields(const Fields *all, const Total *totals)
{
  for (int k = 0; k < all->n_kinds; k++) {
    printf("reduced by %d, density %.1f%s: candidates %.0f a Mpx; oracle %.3f %.3f\n", all->kinds[k].by,
           all->kinds[k].density, all->kinds[k].draw ? ", drawn" : "",
           1e6 * (double)totals[k].n_candidates / (double)totals[k].n_pixels, totals[k].oracle[0], totals[k].oracle[1]);
    for (int c = 0; c < N_CUTOFFS; c++)
      printf("cutoff %.2f: F1@0.5 %.3f  F1@0.7 %.3f  AJI %.3f\n", cutoffs[c] / 65536.0, totals[k].at[c].f5,
             totals[k].at[c].f7, totals[k].at[c].aji);
  }
}

static int
cross(const Fields *all, int n_folds)
{
  Total totals[MOST_KINDS] = { 0 };
  TrainLessonTable lessons = { 0 };
  const bool has_lessons = all->n_fields > 0 && all->kinds[0].by == 1;
  TotalDots dots = { 0 };
  for (int fold = 0; fold < n_folds; fold++) {
    RgMap map;
    VtForest forest;
    int32_t *anchors = NULL;
    RgModel model = { .map = &map, .forest = &forest };
    if (!train(all->at, all->n, fold, &map, &forest)
        || !train_anchors(all->at, all->n, fold, &map, &anchors, &model.n_anchors))
      return 1;
    model.anchors = anchors;
    for (int i = 0; i < all->n; i++)
      if (all->at[i].fold == fold && all->at[i].is_square)
        score_square(&all->at[i], &model, &dots);
      else if (all->at[i].fold == fold)
        score_field(&all->at[i], &model, all->n_fields, &totals[i / all->n_fields]);
    if (has_lessons && !train_lessons(all->at, all->n_fields, fold, &model, lessons))
      return 1;
    vt_forest_clear(&forest);
    free(anchors);
  }
  if (all->n_fields > 0)
    print_fields(all, totals);
  if (has_lessons)
    train_lessons_print(lessons);
  if (all->n_squares > 0)
    print_dots(&dots);
  return 0;
}

static int
ship(const Fields *all, const char *path)
{
  RgMap map;
  VtForest forest;
  if (!train(all->at, all->n, -1, &map, &forest))
    return 1;
  const bool is_ok = train_write(path, &map, &forest);
  vt_forest_clear(&forest);
  return is_ok ? 0 : 1;
}

static int
draw_anchors(const Fields *all, VtRegionsPreset preset, const char *path)
{
  int32_t *rows = NULL;
  size_t n_rows;
  const bool is_ok = train_anchors(all->at, all->n, -1, vt_rg_shipped_model(preset)->map, &rows, &n_rows)
                     && train_write_anchors(path, rows, n_rows);
  free(rows);
  return is_ok ? 0 : 1;
}

/* n_folds: 0 for none. Squares are given after the fields. */
static bool
read_all(Fields *all, char **paths, int n_paths, VtRegionsPreset preset, int n_folds)
{
  all->at = calloc((size_t)n_paths * MOST_KINDS, sizeof *all->at);
  TrainField *read = calloc((size_t)n_paths, sizeof *read);
  bool is_ok = all->at && read;
  for (int i = 0; is_ok && i < n_paths; i++) {
    is_ok = train_field_read(&read[i], paths[i], preset) && (read[i].is_square || all->n_squares == 0);
    if (!is_ok)
      fprintf(stderr, "%s cannot be read, or is a field after a square.\n", paths[i]);
    *(read[i].is_square ? &all->n_squares : &all->n_fields) += 1;
  }
  const int n_varied = all->n_fields * all->n_kinds;
  all->n = n_varied + all->n_squares;
  for (int i = 0; is_ok && i < all->n; i++) {
    TrainField *f = &all->at[i];
    const int file = i >= n_varied ? i - n_varied : i % all->n_fields;
    if (i >= n_varied)
      *f = read[all->n_fields + file];
    else {
      const TrainLook look = all->kinds[i / all->n_fields];
      is_ok = train_field_vary(&read[file], look.draw ? train_look_drawn(look, (uint64_t)i) : look, f);
    }
    f->fold = n_folds ? file % n_folds : 0;
  }
  for (int i = 0; i < all->n_fields; i++)
    train_field_clear(&read[i]);
  free(read);
  return is_ok;
}

int
main(int argc, char **argv)
{
  if (argc < 5)
    return 2;
  const int preset = find_preset(argv[2]);
  if (preset == N_PRESETS)
    return 2;
  Fields all = { .kinds = presets[preset].kinds, .n_kinds = presets[preset].n_kinds };
  const int n_folds = strcmp(argv[1], "cross") == 0 ? atoi(argv[3]) : 0;
  const bool is_anchors = strcmp(argv[1], "anchors") == 0;
  if (!read_all(&all, argv + 4, argc - 4, presets[preset].preset, n_folds) || (!is_anchors && !outline_squares(&all)))
    return 1;
  const int result = is_anchors ? draw_anchors(&all, presets[preset].preset, argv[3])
                     : n_folds  ? cross(&all, n_folds)
                                : ship(&all, argv[3]);
  for (int i = 0; i < all.n; i++)
    train_field_clear(&all.at[i]);
  free(all.at);
  return result;
}
