/* SPDX-License-Identifier: MIT
 *
 * Looks for the parameters whose objects agree best with the truth, on what is shown: first each number alone, up and down along its slider in
 * steps that become smaller (coordinate descent), then values by chance. Better is a higher F1 at an IoU of 0.5; of equals at 0.7, then AJI. Every
 * try is kept. With the same seed, place and truth the same tries. Main thread only.
 *
 * Signal: "changed" (a try, the end). */
#pragma once
#include "analysis/vt-trials.h"

typedef enum { VT_TRY_START, VT_TRY_DESCENT, VT_TRY_CHANCE } VtTryKind;

typedef struct {
  VtTryKind kind;
  VtParams *params;
  gboolean failed;
  guint n_objects;
  double f1_50, f1_70, aji; /* 0 where it failed */
} VtTry;

#define VT_TYPE_SEARCH (vt_search_get_type())
G_DECLARE_FINAL_TYPE(VtSearch, vt_search, VT, SEARCH, GObject)

VtSearch *vt_search_new(VtAnalysis *analysis, VtReference *reference);
/* From the present parameters. FALSE and a sentence: there is no truth, or nothing to vary. */
gboolean vt_search_start(VtSearch *self, guint32 seed, GError **error);
/* What was tried stays. */
void vt_search_stop(VtSearch *self);
void vt_search_clear(VtSearch *self);
gboolean vt_search_is_running(VtSearch *self);
guint vt_search_get_n(VtSearch *self);
const VtTry *vt_search_get(VtSearch *self, guint i); /* in their order; borrowed */
/* -1: there is none. */
gint vt_search_get_best(VtSearch *self);
gint vt_search_get_runner_up(VtSearch *self);
gboolean vt_try_is_better(const VtTry *a, const VtTry *b);
/* On how much truth, where and at what resolution: sentences, owned; NULL: nothing was tried. */
char *vt_search_dup_words(VtSearch *self);
