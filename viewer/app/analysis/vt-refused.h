/* SPDX-License-Identifier: MIT
 *
 * Candidates that the op refused, by reason: what would be an object if one limit of its tests of objects (area, mean, score) were not there.
 *
 * Which tests there are, and on which number of the op each depends, is asked at a pixel of an object (VITRAIL_RUN_WHY): steps "objects", "sized" and
 * "regions" of any recipe. For each number what is shown is run once more with the limit as loose as the range allows; a score's by two of its steps only, since
 * candidates without any merit are without number. What then is an object without a partner (VT_FATE_NEW) was refused for that reason; what is one only where all
 * limits are loose, for several. Begun anew when parameters or the place change. Main thread only.
 *
 * Signal: "changed". */
#pragma once
#include "analysis/vt-trials.h"

typedef struct {
  guint param;         /* of the op; G_MAXUINT: several */
  char *words;         /* "Minimum area: 10 µm²"; of those near to the limit "Least score: 0.40 → 0.30" */
  double loose;        /* its value with which they are objects */
  gboolean is_whole;   /* all of them; FALSE: those as near to the limit as `loose` */
  GPtrArray *outlines; /* VtDifference, the largest first */
} VtRefusal;

#define VT_TYPE_REFUSED (vt_refused_get_type())
G_DECLARE_FINAL_TYPE(VtRefused, vt_refused, VT, REFUSED, GObject)

VtRefused *vt_refused_new(VtAnalysis *analysis, VtReference *reference);
/* FALSE and a sentence. */
gboolean vt_refused_start(VtRefused *self, GError **error);
void vt_refused_stop(VtRefused *self);
gboolean vt_refused_is_on(VtRefused *self);
gboolean vt_refused_is_working(VtRefused *self);
/* Why there are none, a sentence; NULL: there may be. */
const char *vt_refused_get_obstacle(VtRefused *self);
/* VtRefusal; borrowed. */
const GPtrArray *vt_refused_get_list(VtRefused *self);
/* The middle of the next one of a reason, the largest first, round. FALSE: there is none. */
gboolean vt_refused_step(VtRefused *self, guint reason, double *x_l0, double *y_l0);
