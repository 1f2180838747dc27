/* SPDX-License-Identifier: MIT
 *
 * The classes that a file gives its objects (run/vt-file-objects-classes.h), where one view shows them: they are the objects' classes as long as there are no others by examples,
 * thresholds or gates, and always a column. Main thread only. Signal: "classified" (there are others). */
#pragma once
#include "analysis/vt-analysis.h"

#define VT_FILE_CLASS_COLUMN "Class of the file"

#define VT_TYPE_FILE_CLASSES (vt_file_classes_get_type())
G_DECLARE_FINAL_TYPE(VtFileClasses, vt_file_classes, VT, FILE_CLASSES, GObject)

VtFileClasses *vt_file_classes_new(VtAnalysis *analysis);
