/* SPDX-License-Identifier: MIT
 *
 * What is taken for the truth that objects are compared with: outlines, or dots, each a VtRoi of one point. */
#pragma once
#include "analysis/vt-regions.h"
#include "run/vt-shapes.h"

/* What somebody has drawn in a view: its areas, or a dot for each of its points (VtRoi, copies). NULL: there are none. Owned. */
GPtrArray *vt_truth_dup_drawn(VtRegions *regions, VtShapeKind kind);
/* The areas of a file; of one that has points alone, a dot for each. The list loses them. NULL and a sentence: there is neither. */
GPtrArray *vt_truth_steal(VtShapes *shapes, GError **error);
