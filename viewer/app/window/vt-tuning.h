/* SPDX-License-Identifier: MIT
 *
 * What a view has for those who look for the right parameters, and for those who look how a result comes about. */
#pragma once
#include "analysis/vt-corrector.h"
#include "analysis/vt-layers-undo.h"
#include "analysis/vt-lessons.h"
#include "analysis/vt-params-undo.h"
#include "analysis/vt-player.h"
#include "analysis/vt-refused.h"
#include "analysis/vt-review.h"
#include "analysis/vt-search.h"
#include "analysis/vt-snapshots.h"
#include "analysis/vt-taught-corrections.h"
#include "analysis/vt-texture.h"
#include "canvas/vt-canvas.h"

typedef struct {
  VtSnapshots *snapshots;
  VtSearch *search;
  VtReview *review;
  VtRefused *refused;
  VtLessons *lessons;
  VtTaughtCorrections *taught_corrections;
  VtPlayer *player;
  VtCorrector *corrector;
  VtParamsUndo *params_undo;
  VtLayersUndo *layers_undo;
  GtkWidget *snapshots_card, *review_card, *refused_card,
    *correction_card; /* borrowed: in the cards over the picture */
  VtTexture *texture;
  VtCanvas *canvas; /* borrowed, as the rest */
  VtAnalysis *analysis;
  GtkBox *under;                         /* the picture */
  GtkWidget *player_bar, *texture_panel; /* NULL: it was never opened */
} VtTuning;

/* Lives as long as the view, whose steps `undo` has. `cards` lie over the picture, what is in `under` is below it. */
void vt_tuning_attach(GtkWidget *pane, VtCanvas *canvas, VtAnalysis *analysis, VtReference *reference, VtUndo *undo,
                      GtkBox *cards, GtkBox *under);
/* Another slide is in the view: what was of the former one goes. */
void vt_tuning_set_slide(gpointer pane, VtSlide *slide);
VtTuning *vt_tuning_get(gpointer pane);
