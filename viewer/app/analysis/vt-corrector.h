/* SPDX-License-Identifier: MIT
 *
 * What a person corrects of the objects of one view: delete, draw, join, split. A list of each op, kept apart from its results and applied to each of
 * them (results/vt-corrections.h); every change is a step of the view's undo. Main thread only.
 *
 * Signals: "changed" (the list of the op, or how it fits what is shown), "made" (VtCorrectionKind and how
 * many, which are the last of the list: a person has made them, not undone others). */
#pragma once
#include "analysis/vt-analysis.h"
#include "common/vt-undo.h"
#include "results/vt-corrections.h"

#define VT_TYPE_CORRECTOR (vt_corrector_get_type())
G_DECLARE_FINAL_TYPE(VtCorrector, vt_corrector, VT, CORRECTOR, GObject)

VtCorrector *vt_corrector_new(VtAnalysis *analysis, VtUndo *undo);
/* Another slide: there are none. The undo's steps must be gone. */
void vt_corrector_clear(VtCorrector *self);

/* Of the selected objects, with those that are held. FALSE and a sentence: nothing was done. */
gboolean vt_corrector_delete(VtCorrector *self, GError **error);
gboolean vt_corrector_join(VtCorrector *self, GError **error);
/* One more object; or one in the place of the selected one. */
gboolean vt_corrector_draw(VtCorrector *self, const VtRoi *shape, gboolean replaces, GError **error);
/* Along a line of x, y pairs (double), level 0: the selected object if the line divides it, else the only one that it divides. */
gboolean vt_corrector_split(VtCorrector *self, const GArray *line, GError **error);
/* Those that find no object in what is shown are taken from the list; how many. */
guint vt_corrector_drop_lost(VtCorrector *self);

/* Of the op: VtCorrection; borrowed until it changes. */
const GPtrArray *vt_corrector_get_list(VtCorrector *self);
/* How they fit what is shown; NULL: there are none, or no objects are shown. Borrowed. */
const VtCorrected *vt_corrector_get_shown(VtCorrector *self);
/* "2 deleted by hand, 1 drawn · 1 correction finds no object"; NULL: nothing to say. Owned. */
char *vt_corrector_dup_words(VtCorrector *self);
/* "Deleted by hand", of a kind. */
const char *vt_corrector_get_title(VtCorrectionKind kind);

/* For a session: calls back for each op's corrections, in their order. */
typedef void (*VtCorrectorEach)(const char *op, const VtCorrection *correction, gpointer user);
void vt_corrector_foreach(VtCorrector *self, VtCorrectorEach each, gpointer user);
/* Puts one behind those of its op, which is no step that could be undone. Takes it. */
void vt_corrector_restore(VtCorrector *self, const char *op, VtCorrection *correction);
/* Of all ops: VtCorrection that no session has which a person saved; owned. They are in one now; others may be among them. */
GPtrArray *vt_corrector_dup_unsaved(VtCorrector *self);
void vt_corrector_set_saved(VtCorrector *self, const GPtrArray *corrections);
