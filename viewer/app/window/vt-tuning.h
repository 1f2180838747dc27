/* SPDX-License-Identifier: MIT
 *
 * What a view has for those who look for the right parameters. */
#pragma once
#include "analysis/vt-search.h"
#include "analysis/vt-snapshots.h"
#include "canvas/vt-canvas.h"

G_BEGIN_DECLS

typedef struct {
  VtSnapshots *snapshots;
  VtSearch *search;
  GtkWidget *snapshots_card; /* borrowed: in the cards over the picture */
} VtTuning;

/* Lives as long as the view. */
void vt_tuning_attach(GtkWidget *pane, VtCanvas *canvas, VtAnalysis *analysis, VtReference *reference, GtkBox *cards);
VtTuning *vt_tuning_get(gpointer pane);

G_END_DECLS
