/* SPDX-License-Identifier: MIT
 *
 * Measurements of an object that was made by hand: the analysis is asked for them (VITRAIL_RUN_MEASURE). Where it can't tell, of the outline alone:
 * those of docs/measurements.md that need no image, of the pixels of the analysis grid whose centres the outline holds. */
#pragma once
#include "run/vt-run.h"

/* Which of a result's measurements these are. A name alone is not believed: the same code must give the run's own numbers of some of its own objects. */
typedef struct VtCorrectionMeasures VtCorrectionMeasures;
VtCorrectionMeasures *vt_correction_measures_new(const VtResult *result);
void vt_correction_measures_free(VtCorrectionMeasures *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtCorrectionMeasures, vt_correction_measures_free)
/* An object with the names that the result's objects have; NaN: it needs more than the outline and the pixels that it is measured on. round: VtRoi of the
 * objects near by, of which the earlier lie over the later; NULL: the analysis is not asked. The centroid is that of the pixels; of an outline that
 * holds none, the middle of its box. Owned: g_free(). */
VtObject *vt_correction_measures_make(const VtCorrectionMeasures *self, const VtRoi *outline, const GPtrArray *round,
                                      gint64 id, GCancellable *cancellable);
/* Level-0 pixels: objects farther away from an outline do not matter. */
double vt_correction_measures_get_reach(const VtCorrectionMeasures *self);
