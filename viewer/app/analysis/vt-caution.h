/* SPDX-License-Identifier: MIT
 *
 * A label that says why what is shown is not the final answer, and is not there otherwise. */
#pragma once
#include "analysis/vt-analysis.h"

/* Keeps the label as vt_analysis_dup_caution() says, as long as both live. */
void vt_caution_attach(GtkLabel *label, VtAnalysis *analysis);
