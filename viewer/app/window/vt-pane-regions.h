/* SPDX-License-Identifier: MIT
 *
 * What the canvas of a view draws becomes its regions; what is selected in their table is seen on the canvas. Main thread only. */
#pragma once
#include "window/vt-pane.h"

void vt_pane_regions_attach(VtPane *pane);

/* A sentence on what was drawn or corrected; it goes with the next change of a region or correction: then it is about something else. */
void vt_pane_say_of_drawing(VtPane *pane, const char *sentence);
