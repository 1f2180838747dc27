/* SPDX-License-Identifier: MIT */
#pragma once
#include <adwaita.h>

#include "analysis/vt-analysis.h"

/* Runs what is shown in other ways and tells, way by way, whether every byte is the same. FALSE and a sentence. */
gboolean vt_proof_dialog_show(GtkWindow *parent, VtAnalysis *analysis, GError **error);
