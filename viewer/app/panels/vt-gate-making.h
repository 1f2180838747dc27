/* SPDX-License-Identifier: MIT
 *
 * Gates of what a person has chosen. Main thread only. */
#pragma once
#include "analysis/vt-gates.h"
#include "panels/vt-plot-panel.h"

/* One of what is typed as a filter and what is chosen on the plot, which then is chosen no more; `four`: those that meet at the lower left corner of a
 * rectangle there. `columns` may be NULL. FALSE and a sentence: nothing is chosen that could be one. */
gboolean vt_gate_making_do(VtGates *gates, VtPlotPanel *plot, const VtColumns *columns, const char *typed,
                           gboolean four, GError **error);
/* Gates whose parts a hand moves on the plot become that, a step that can be undone. Once. */
void vt_gate_making_follow(VtGates *gates, VtPlotPanel *plot);
