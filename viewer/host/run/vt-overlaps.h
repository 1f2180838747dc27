/* SPDX-License-Identifier: MIT
 *
 * True objects against which a run counts its own (VITRAIL_INPUT_TRUTH, docs/compare.md), and the counts. Immutable; any thread. */
#pragma once
#include <glib.h>

#include "vitrail-plugin.h"

/* Labels of the true objects at the middles of pixels of the analysis grid, below 0 where nothing is counted. Any thread, several at once. */
typedef void (*VtRunTruthRead)(gpointer user, guint downsample, gint64 x, gint64 y, gint64 width, gint64 height,
                               guint8 *dst, gsize stride);

typedef struct {
  guint64 number; /* no other truth of this process has it */
  VtRunTruthRead read;
  gpointer user; /* owned, by `free` */
  GDestroyNotify free;
} VtRunTruth;
/* Takes over `user`. */
VtRunTruth *vt_run_truth_new(guint64 number, VtRunTruthRead read, gpointer user, GDestroyNotify free);
VtRunTruth *vt_run_truth_ref(VtRunTruth *self);
void vt_run_truth_unref(VtRunTruth *self);

typedef struct {
  gint32 object, truth; /* VtObject.id, label; 0: none */
  gint32 n_px;          /* of the analysis grid that have both */
} VtOverlap;

typedef struct {
  guint64 truth; /* the number of that one */
  guint downsample, n;
  VtOverlap *list; /* sorted by object, then truth */
} VtOverlaps;
/* A copy of what a plugin tells, which is sound (vt_overlaps_doubt()). */
VtOverlaps *vt_overlaps_new(const VitrailOverlaps *told, guint64 truth);
void vt_overlaps_free(VtOverlaps *self);
/* Half a sentence on what makes no sense: sizes, order, objects beyond the last one. NULL: nothing. */
const char *vt_overlaps_doubt(const VitrailOverlaps *told, gint64 last_id);
