/* SPDX-License-Identifier: MIT
 *
 * The rows of the classes: colour, key, name, examples, objects, whether it is left out of counts. They change the teacher's model. */
#pragma once
#include "analysis/vt-teacher.h"

#define VT_TYPE_CLASS_ROWS (vt_class_rows_get_type())
G_DECLARE_FINAL_TYPE(VtClassRows, vt_class_rows, VT, CLASS_ROWS, GtkGrid)

GtkWidget *vt_class_rows_new(VtTeacher *teacher);
