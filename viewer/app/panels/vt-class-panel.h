/* SPDX-License-Identifier: MIT
 *
 * Classes of objects: their names, colours and examples, how well the examples agree, which measurements matter. While it is seen the
 * keys 1 to 9 make the selected object an example of that class. Or classes by thresholds (vt-intensity-panel.h), or by gates (vt-gate-classes.h): one of the three is seen, and holds. Actions: "classes.teach" (i: from 1 on), "classes.next", "classes.add",
 * "classes.open", "classes.save", "classes.open-from" (s), "classes.save-to" (s). */
#pragma once
#include "analysis/vt-gates.h"
#include "analysis/vt-grader.h"
#include "analysis/vt-teacher.h"
#include "canvas/vt-canvas.h"

#define VT_TYPE_CLASS_PANEL (vt_class_panel_get_type())
G_DECLARE_FINAL_TYPE(VtClassPanel, vt_class_panel, VT, CLASS_PANEL, GtkBox)

GtkWidget *vt_class_panel_new(VtCanvas *canvas, VtAnalysis *analysis, VtTeacher *teacher, VtGrader *grader,
                              VtGates *gates);
GtkBox *vt_class_panel_get_head(VtClassPanel *self);
