/* SPDX-License-Identifier: MIT
 *
 * Classes of objects by thresholds on a measurement. The thresholds are shown on its histogram and are dragged there. Beside it stand how many objects
 * each class has, and percent positive and H-score with all that they depend on. Actions: "intensity.undo", "intensity.defaults". */
#pragma once
#include "analysis/vt-grader.h"

#define VT_TYPE_INTENSITY_PANEL (vt_intensity_panel_get_type())
G_DECLARE_FINAL_TYPE(VtIntensityPanel, vt_intensity_panel, VT, INTENSITY_PANEL, GtkBox)

GtkWidget *vt_intensity_panel_new(VtGrader *grader, VtAnalysis *analysis);
