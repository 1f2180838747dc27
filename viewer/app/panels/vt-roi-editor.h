/* SPDX-License-Identifier: MIT
 *
 * A button with names, classes, colours, locks of the selected regions behind it. Main thread only. */
#pragma once
#include <adwaita.h>

#include "analysis/vt-regions.h"

#define VT_TYPE_ROI_EDITOR (vt_roi_editor_get_type())
G_DECLARE_FINAL_TYPE(VtRoiEditor, vt_roi_editor, VT, ROI_EDITOR, AdwBin)

GtkWidget *vt_roi_editor_new(VtRegions *regions);
/* VtRoiItem; kept. */
void vt_roi_editor_set_items(VtRoiEditor *self, GPtrArray *items);
/* Opens, with the keyboard on the name; not without regions. */
void vt_roi_editor_open(VtRoiEditor *self);
