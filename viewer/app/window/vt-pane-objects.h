/* SPDX-License-Identifier: MIT
 *
 * Objects of another program as those of a view's analysis (run/vt-file-objects-op.h). Main thread only. */
#pragma once
#include "results/vt-session-file.h"
#include "window/vt-pane.h"

/* Whenever the analysis that shows those of a file is chosen again, also by undo, it runs on the whole slide, as when they were read: nothing is worked
 * out. Once. */
void vt_pane_objects_attach(VtPane *self);
/* Chooses the analysis that shows them, and runs it on the whole slide. */
void vt_pane_show_file_objects(VtPane *self, VtFileObjects *objects);
/* Of a session: reads them on a worker, for the next run. What is wrong with the file is told in the view. */
void vt_pane_restore_file_objects(VtPane *self, const VtSessionObjects *stored);
