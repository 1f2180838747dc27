/* SPDX-License-Identifier: MIT
 *
 * A card over the picture with the snapshots: which one is A, their names, what they have other than the present parameters. Its buttons call
 * the window's actions. */
#pragma once
#include <adwaita.h>

#include "analysis/vt-snapshots.h"

#define VT_TYPE_SNAPSHOTS_CARD (vt_snapshots_card_get_type())
G_DECLARE_FINAL_TYPE(VtSnapshotsCard, vt_snapshots_card, VT, SNAPSHOTS_CARD, AdwBin)

/* Not visible before somebody says so. */
GtkWidget *vt_snapshots_card_new(VtSnapshots *snapshots, VtAnalysis *analysis);
