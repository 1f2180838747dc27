/* SPDX-License-Identifier: MIT
 *
 * One page about regions, or about what a view shows: picture, counts and densities, plot, parameters, and what it takes to make the same
 * again. PDF (or PNG, SVG). */
#pragma once
#include "documents/vt-page.h"
#include "documents/vt-picture.h"
#include "results/vt-roi-measures.h"

#define VT_REPORT_MARGIN 45         /* 12 mm */
#define VT_REPORT_PICTURE_PART 0.38 /* of the paper's height, at most */
#define VT_REPORT_PIXELS 3.125      /* a length of 1/96 inch: 300 a inch */

/* Owns what it points to. */
typedef struct {
  double paper_width, paper_height; /* 1/96 inch */
  char *title, *subtitle;
  VtPanel *panel;  /* its size is that on the page; its caution stands below the title */
  GPtrArray *rois; /* VtRoi, a row each */
  double mpp_x, mpp_y;
  VtResult *objects;        /* or NULL */
  VtClassified *classified; /* of them; or NULL */
  GskRenderNode *plot;      /* on white; or NULL */
  double plot_width, plot_height;
  char *plot_note;
  char *analysis;        /* "Nuclei"; or NULL: nothing was analysed */
  GPtrArray *parameters; /* char*: "Threshold 0.10 OD" */
  char *record;
} VtReport;
void vt_report_free(VtReport *report);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtReport, vt_report_free)

/* Blocking, for a worker. */
gboolean vt_report_save(const VtReport *report, const char *path, GCancellable *cancellable, GError **error);
/* A row for each region, and below it one for each class of the objects in it. */
VtPageTable *vt_report_make_table(const GPtrArray *rois, const VtRoiMeasures *measures);
