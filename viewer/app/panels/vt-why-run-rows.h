/* SPDX-License-Identifier: MIT
 *
 * Lines of the card "Why": the runs of grey levels through the pixel, one a direction. The one that the pointer or the keyboard is at, else the pressed one, is
 * to be lit on the tissue. Main thread only.
 *
 * Signal: "lit" (another one is, or none). */
#pragma once
#include "analysis/vt-why-runs.h"

#define VT_TYPE_WHY_RUN_ROWS (vt_why_run_rows_get_type())
G_DECLARE_FINAL_TYPE(VtWhyRunRows, vt_why_run_rows, VT, WHY_RUN_ROWS, GtkBox)

/* `title`: of the map, where there are several; or NULL. */
GtkWidget *vt_why_run_rows_new(const VtWhyMap *map, const char *title);
/* The pixels of the run to be lit; owned, NULL: none is. */
VtRoi *vt_why_run_rows_dup_lit(VtWhyRunRows *self);
/* No line is pressed any more. */
void vt_why_run_rows_release(VtWhyRunRows *self);
gboolean vt_why_run_rows_is_pressed(VtWhyRunRows *self);
