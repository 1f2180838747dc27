/* SPDX-License-Identifier: MIT
 *
 * train.h: fields with truth, and what is trained and scored on them. */
#pragma once

#include "regions/regions.h"

/* How a field is made another: with pixels of the file as its pixels, in another stain, under another light. */
typedef struct TrainLook {
  int32_t by;     /* so many pixels of the file a pixel, each way */
  double density; /* optical densities are so many times those of the file */
  int32_t
    draw; /* of density, hue and light, for the forest of this number: it teaches the score, and not the map; 0: nothing is drawn */
  double hue;      /* colours are turned by so many degrees */
  double light[3]; /* each channel is so many times as bright, clipped at 255; 0: as it is */
} TrainLook;

typedef struct TrainField {
  const char *name;
  VtRegionsPreset preset;
  TrainLook look;
  int32_t width, height, fold, n_truth;
  uint8_t *rgb[3];
  int32_t *truth, *truth_area; /* numbers 1..n_truth */
  RgBox known;                 /* where it has a truth: of a field all of it, of a square of a slide the square */
  uint32_t edges;              /* sides of the image beyond which nothing was cut off */
  int32_t largest;
  bool is_square;
  int32_t n_dots, *dots; /* of a square: x and y of each nucleus, in the image */
  int32_t *code;
  uint16_t *score, *iou; /* iou: of each candidate with its best nucleus, in 1/65535 */
  int32_t *features;     /* of each candidate: RG_N_FEATURES */
  bool *left_out;        /* of each candidate: it reaches beyond what is known */
  RgWindow window;
} TrainField;

typedef struct TrainScore {
  double f5, f7, aji;
} TrainScore;

/* Of NAME.png and NAME-labels.png or, for a square of a slide, NAME-dots.txt. */
bool train_field_read(TrainField *field, const char *path, VtRegionsPreset preset);
/* Hue and light that are drawn by the seed, and a density around that of the look. */
TrainLook train_look_drawn(TrainLook look, uint64_t seed);
bool train_field_vary(const TrainField *from, TrainLook look, TrainField *field);
/* The left half of a field, or the right one. */
bool train_field_half(const TrainField *from, bool is_right, TrainField *field);
/* Squares (squares.c). `name`: of the dots. The outlines of a square's nuclei, of which nothing but dots is known: of all sets of
 * candidates that hold one dot each, the one with the most dots, and then the highest scores. The field is prepared. */
bool train_square_read(TrainField *field, const char *name);
bool train_square_outline(TrainField *field, const RgModel *model);
typedef struct TrainDots {
  int32_t n_dots, n_objects, found; /* those in or of objects that the square cuts left out; objects with one dot */
} TrainDots;
TrainDots train_square_score(TrainField *field, const RgModel *model, uint16_t cutoff);
void train_field_clear(TrainField *field);
/* Candidates, features and their true IoU by this map. */
bool train_field_prepare(TrainField *field, const RgMap *map);
/* What the trees learn of a candidate: its IoU, less where it is ragged (solidity below 0.85): fibres and keratin are, nuclei are not. */
uint16_t train_goal(const TrainField *field, int32_t candidate);
VtRegions train_args(const TrainField *field);
/* Of a symmetric matrix of n rows the lower triangle, which is overwritten; stride: from row to row. */
void train_solve(double *matrix, ptrdiff_t stride, const double *right, int n, double *x);
bool train_map(RgMap *map, const TrainField *fields, int n, int out);
/* Whether the field teaches the forest of this number (1..) where fold `out` is left out. */
bool train_teaches(const TrainField *field, int out, int forest);
/* What pulls the scores of the fields that teach the forest towards a better choice. NULL: no memory. */
typedef struct TrainPull TrainPull;
TrainPull *train_pull_new(const TrainField *fields, int n, int out, int forest);
void train_pull(void *pull, const int32_t *answers, int32_t *pulls);
void train_pull_free(TrainPull *pull);
/* Of so many parts of the score all but one are the forests', and one (VT_FOREST_FORM_MOST) the form's, which this adds. False: no memory. */
enum { TRAIN_PARTS = 3 };
bool train_form(VtForest *forest, const int32_t *values, const uint16_t *goals, size_t n);
bool train_forest(VtForest *forest, const TrainField *fields, int n, int out);
TrainScore train_score(TrainField *field, const RgModel *model, uint16_t cutoff);
/* Of fields outside fold `out`: rows of features, which the caller frees. */
bool train_anchors(const TrainField *fields, int n, int out, const RgMap *map, int32_t **rows, size_t *n_rows);
bool train_write_anchors(const char *path, const int32_t *rows, size_t n_rows);
/* What corrections of one half of a field teach, measured on its other half (lessons.c): sums over halves. */
enum { TRAIN_LESSON_WAYS = 2, TRAIN_LESSON_KINDS = 4, TRAIN_LESSON_COUNTS = 5 };
typedef struct TrainLessons {
  int64_t n_halves, n_corrections, n_objects;
  TrainScore score;
} TrainLessons;
typedef TrainLessons TrainLessonTable[TRAIN_LESSON_WAYS][TRAIN_LESSON_KINDS][TRAIN_LESSON_COUNTS];
/* Fields of the fold, as their files are; the model has not seen them. */
bool train_lessons(const TrainField *fields, int n, int fold, const RgModel *model, TrainLessonTable table);
void train_lessons_print(TrainLessonTable table);
/* The choice by the true IoU. */
TrainScore train_oracle(TrainField *field);
bool train_write(const char *path, const RgMap *map, const VtForest *forest);
