/* SPDX-License-Identifier: MIT
 *
 * A label that says why what is shown is not the final answer. */
#pragma once
#include "analysis/vt-analysis.h"

/* Keeps the label as vt_analysis_dup_caution() says, as long as both live. Where it says nothing the label is not there, or, with `keeps_room`, empty: for one that
 * would take room from the view, whose next analysis would begin with another caution, without end. */
void vt_caution_attach(GtkLabel *label, VtAnalysis *analysis, gboolean keeps_room);
