/* SPDX-License-Identifier: MIT */
#pragma once
#include "analysis/vt-reference.h"
#include "analysis/vt-runner.h"

struct _VtReference {
  GObject parent;
  VtAnalysis *analysis;

  /* a pin */
  const VitrailPlugin *plugin;
  const VitrailOp *op;
  VtParams *params;
  VtResult *result;   /* where it has been worked out */
  guint64 worked_out; /* the stages that it was asked for */
  double beside;      /* the pixel size of the present result that it was worked out for */
  guint64 seen;       /* the stages that somebody looks at */
  guint64 working_on; /* the stages that are being made */
  gboolean paused;    /* nothing more is */
  VtRunner *runner;   /* NULL until it is needed */

  /* a file; while something is pinned over it, it waits */
  char *file, *note;
  GPtrArray *rois; /* VtRoi; or NULL */

  VtRegions *regions;    /* of the view */
  gboolean is_of_points; /* the truth is the points that are drawn there, and follows them */
  gboolean is_within;    /* it is complete in its areas alone: */
  GPtrArray *known;      /* VtRoi; NULL: everywhere */
  gboolean is_of_all;    /* all that was analysed is compared, not what is visible alone */

  VtTrueObjects *true_objects; /* of the last comparison, or NULL: with the same ones the next one has less to paint */
  VtComparison *comparison;
  gboolean is_current;
  char *obstacle;
  GCancellable *cancellable; /* of what is compared now; or NULL */
  guint settle_id;
  GArray
    *walk; /* x, y of those of a fate, the largest change first, for as long as somebody goes through them; or NULL */
  VtFate walk_fate;
  guint walk_at;
};

/* What is compared is found out anew, after so long. */
void vt_reference_schedule(VtReference *self, guint delay_ms);
void vt_reference_emit_changed(VtReference *self);
