/* SPDX-License-Identifier: MIT
 *
 * Labels of another program as the objects of a view's analysis. Main thread only. */
#pragma once
#include "results/vt-session-file.h"
#include "window/vt-pane.h"

/* Chooses the analysis that measures labels with the stains of the present one, or stays with it if it takes some, on the grid of their pixels, and runs
 * it. */
void vt_pane_measure_labels(VtPane *self, VtPlacedLabels *labels);
/* Of an analysis of a session: reads them on a worker. What is wrong with the file is told in the view. */
void vt_pane_restore_labels(VtPane *self, const char *op_id, const VtSessionLabels *stored);
