/* SPDX-License-Identifier: MIT
 *
 * What regions measure besides their texture: area, perimeter, and the objects of a result in them, by class where classes are known. */
#pragma once
#include "run/vt-model.h"
#include "run/vt-run.h"

/* The first columns. Where classes are by thresholds those of their score follow: the objects scored, percent positive, and of three thresholds the
 * H-score. Then those of classes in pairs, a number and a density each. */
enum { VT_ROI_AREA, VT_ROI_PERIMETER, VT_ROI_OBJECTS, VT_ROI_DENSITY, VT_ROI_N_MEASURES };

/* Immutable. */
typedef struct {
  GPtrArray *
    names; /* char*, of the columns, as files have them: "Area µm^2", "Perimeter µm", "Objects", "Objects / mm^2", "Objects: Tumor", ... */
  GPtrArray *classes;    /* char*: the classes of the pairs, in their order */
  VtIntensity intensity; /* n 0: there is no score */
  gboolean calibrated;   /* else areas are px^2, lengths px, densities per 1000 px^2 */
  gboolean is_preview;   /* the objects are those of one */
  char *objects_of;      /* "nuclei", "nuclei (preview)"; NULL: there are no objects */
  guint n_rois;
  double *
    values; /* region by region, a number for each name; NaN: not known. Of a line its length stands for the perimeter, and nothing else is known; of points nothing is */
} VtRoiMeasures;

/* Blocking; for a worker. `rois`: VtRoi; mpp: µm a level-0 pixel, 0: not known. An object is in a region that its centroid is inside of. `objects`: a result of the slide, or NULL:
 * none; regions that it does not cover have no numbers of objects. `classified`: of its objects; or NULL; those of classes that are left
 * out are not counted. Percent and H-score of no object are NaN. */
VtRoiMeasures *vt_roi_measures_new(GPtrArray *rois, double mpp_x, double mpp_y, const VtResult *objects,
                                   const VtClassified *classified);
void vt_roi_measures_free(VtRoiMeasures *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtRoiMeasures, vt_roi_measures_free)
#define VT_ROI_POINTS_NAME "Num points" /* QuPath's words for what files have of points, and of lines: "Length µm" */
const char *vt_roi_measures_get_length_name(const VtRoiMeasures *self);
/* The columns of the score begin at VT_ROI_N_MEASURES; how many there are. The pairs begin after them. */
guint vt_roi_measures_get_n_score(const VtRoiMeasures *self);
enum { VT_ROI_SCORED = VT_ROI_N_MEASURES, VT_ROI_PERCENT, VT_ROI_H };
/* The numbers of a region. */
const double *vt_roi_measures_get(const VtRoiMeasures *self, guint roi);
