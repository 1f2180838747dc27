/* SPDX-License-Identifier: MIT
 *
 * What the canvas of a view draws becomes its regions; what is selected in their table is seen on the canvas. Main thread only. */
#pragma once
#include "window/vt-pane.h"

G_BEGIN_DECLS

void vt_pane_regions_attach(VtPane *pane);

G_END_DECLS
