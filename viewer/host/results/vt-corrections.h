/* SPDX-License-Identifier: MIT
 *
 * What a person has corrected by hand of the objects of an op (docs/corrections.md). The list is kept apart from results and applied to each anew.
 * Corrections are applied one after the other. Each looks for its objects by their outlines, so a later one can be of what an earlier one made.
 *
 * Two outlines are of the same object if their intersection over union is above 1/2, counted in level-0 pixels whose centres they hold, in the
 * region that was analysed. Of several the one with the highest is taken, of equals the first. [any] thread. */
#pragma once
#include "run/vt-run.h"

typedef enum {
  VT_CORRECTION_DELETED, /* one before, none after */
  VT_CORRECTION_DRAWN, /* one after, in the place of one before; or of what it is the same object as, if there is such */
  VT_CORRECTION_JOINED, /* two or more before, one after */
  VT_CORRECTION_SPLIT,  /* one before, two or more after */
  VT_N_CORRECTIONS
} VtCorrectionKind;
/* "drawn": as files have it. */
const char *vt_correction_kind_get_id(VtCorrectionKind kind);
/* VT_N_CORRECTIONS: there is no such. */
VtCorrectionKind vt_correction_kind_from_id(const char *id);

/* What these words are called in files. */
#define VT_CORRECTED_COLUMN "Corrected"

/* Immutable, counted; all of it is one block, since there can be thousands, each a step of undo. */
typedef struct {
  VtCorrectionKind kind;
  guint n_before, n_after; /* outlines as they were when it was made */
  guint32 packed[];        /* these, in that order */
} VtCorrection;
/* Takes both lists, of VtRoi, of which it keeps the outlines. */
VtCorrection *vt_correction_new(VtCorrectionKind kind, GPtrArray *before, GPtrArray *after);
/* VtRoi; owned. */
GPtrArray *vt_correction_dup_before(const VtCorrection *self);
GPtrArray *vt_correction_dup_after(const VtCorrection *self);
VtCorrection *vt_correction_ref(VtCorrection *self);
void vt_correction_unref(VtCorrection *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtCorrection, vt_correction_unref)
/* It has as many outlines as its kind says, and each holds the centre of a level-0 pixel. */
gboolean vt_correction_is_sound(const VtCorrection *self);

typedef enum {
  VT_CORRECTION_APPLIED,
  VT_CORRECTION_ELSEWHERE, /* its objects lie outside of what was analysed, or are cut by its edge and not found */
  VT_CORRECTION_LOST,      /* an object of it is not found */
  /* What it asks for is there without it, and no object of it is found, or of what was split all parts are: an object is found for each outline that was
   * made; of what was deleted less than a half is in objects. */
  VT_CORRECTION_MET
} VtCorrectionState;

typedef struct VtCorrected {
  VtResult *base;         /* the run's own, which holds most of what the corrected one has */
  GPtrArray *corrections; /* VtCorrection */
  guint8 *states;         /* VtCorrectionState of each */
  guint counts[VT_N_CORRECTIONS], n_lost, n_met;
  GPtrArray *own;  /* VtObject that were made here */
  guint8 *kinds;   /* of each object: the VtCorrectionKind that it came of; VT_N_CORRECTIONS: it is the run's */
  gint64 first_id; /* of those that were made here */
} VtCorrected;
/* The result with the corrections (VtCorrection) applied to its objects: those that stay, in their order, then what was made by hand, in the order of
 * the corrections and numbered on from the highest number. Their measurements are the analysis' own of their outlines, or no numbers
 * (vt-correction-measure.h); once cancelled they are what nobody may see. Pictures, and all else, are those of the run; the record and a warning say so.
 * Without corrections, or objects to correct: the result itself. Keeps it. Owned. */
VtResult *vt_result_correct(VtResult *result, GPtrArray *corrections, GCancellable *cancellable);
/* As the run made it; itself, if it was not corrected. Borrowed. */
VtResult *vt_result_get_run(VtResult *result);
/* What an object of a list is by hand: "drawn"; NULL: it is the run's. */
const char *vt_result_get_corrected(const VtResult *result, guint object);
void vt_corrected_free(VtCorrected *self);

/* Of two outlines, in level-0 pixels. within: a rectangle x0, y0, x1, y1 of pixels that count; NULL: all do. 0: nothing in common. */
double vt_rois_get_iou(const VtRoi *a, const VtRoi *b, const gint64 within[4]);
/* Level-0 pixels whose centres it holds. */
guint64 vt_roi_count_pixels(const VtRoi *roi, const gint64 within[4]);
