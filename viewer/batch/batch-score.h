/* SPDX-License-Identifier: MIT
 *
 * One comparison of a result with the truth: the command fills it, and it is written as text and as JSON. */
#pragma once
#include "batch.h"
#include "results/vt-labels.h"
#include "results/vt-score.h"

typedef struct {
  double values[32];
  guint n;
} ScoreNumbers;

typedef struct {
  char *regions, *json, *iou_text, *sizes_text;
  double mpp;
  ScoreNumbers iou, sizes; /* sizes: in the unit of areas */
} ScoreOptions;

typedef struct {
  ScoreOptions options;
  VtLabels *result, *truth, *regions; /* regions: or NULL */
  VtFrame frame;
  VtScore *score;
  VtScoreFigures figures;
  VtScoreDots dots;
  gboolean has_dots; /* as truth */
  double um2_per_px; /* 0: not known */
  guint64 n_dots_outside;
  GPtrArray *notes;
} ScoreJob;

/* On stdout. */
void batch_score_print(const ScoreJob *job);
/* Into options.json. */
gboolean batch_score_write_json(const ScoreJob *job, GError **error);
