/* SPDX-License-Identifier: MIT
 *
 * Gates of what a person has chosen. Main thread only. */
#pragma once
#include "analysis/vt-gates.h"
#include "panels/vt-plot-panel.h"

G_BEGIN_DECLS

/* One of what is typed as a filter and what is chosen on the plot, which then is chosen no more; `four`: those that meet at the lower left corner of a
 * rectangle there. `columns` may be NULL. FALSE and a sentence: nothing is chosen that could be one. */
gboolean vt_gate_making_do(VtGates *gates, VtPlotPanel *plot, const VtColumns *columns, const char *typed,
                           gboolean four, GError **error);

G_END_DECLS
