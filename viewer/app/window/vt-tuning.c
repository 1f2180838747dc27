/* SPDX-License-Identifier: MIT */
#include "window/vt-tuning.h"

#include "panels/vt-correction-card.h"
#include "panels/vt-lesson-card.h"
#include "panels/vt-player-bar.h"
#include "panels/vt-refused-card.h"
#include "panels/vt-review-card.h"
#include "panels/vt-snapshots-card.h"
#include "panels/vt-texture-panel.h"

#define KEY "tuning"

static void
tuning_free(gpointer data)
{
  VtTuning *self = data;
  g_signal_handlers_disconnect_by_data(self->player, self);
  g_signal_handlers_disconnect_by_data(self->texture, self);
  g_object_unref(self->snapshots);
  g_object_unref(self->search);
  g_object_unref(self->review);
  g_object_unref(self->refused);
  g_object_unref(self->lessons);
  g_object_unref(self->taught_corrections);
  g_object_unref(self->player);
  g_object_unref(self->corrector);
  g_object_unref(self->params_undo);
  g_object_unref(self->layers_undo);
  g_object_unref(self->texture);
  g_free(self);
}

/* Both are some dozen widgets, which most views never show. */
static void
make_player_bar(VtTuning *self, VtPlayer *player)
{
  if (self->player_bar || !vt_player_is_open(player))
    return;
  self->player_bar = vt_player_bar_new(player, self->canvas);
  gtk_box_append(self->under, self->player_bar);
  if (self->texture_panel)
    gtk_box_reorder_child_after(self->under, self->texture_panel, self->player_bar);
}

static void
make_texture_panel(VtTuning *self, VtTexture *texture)
{
  if (self->texture_panel || !vt_texture_is_open(texture))
    return;
  self->texture_panel = vt_texture_panel_new(texture, self->analysis, self->canvas);
  gtk_box_append(self->under, self->texture_panel);
}

void
vt_tuning_attach(GtkWidget *pane, VtCanvas *canvas, VtAnalysis *analysis, VtReference *reference, VtUndo *undo,
                 GtkBox *cards, GtkBox *under)
{
  VtTuning *self = g_new0(VtTuning, 1);
  self->snapshots = vt_snapshots_new(analysis, reference);
  self->snapshots_card = vt_snapshots_card_new(self->snapshots, analysis);
  self->search = vt_search_new(analysis, reference);
  self->review = vt_review_new(analysis, reference);
  self->review_card = vt_review_card_new(self->review, canvas, analysis);
  self->refused = vt_refused_new(analysis, reference);
  self->refused_card = vt_refused_card_new(self->refused, canvas, analysis);
  self->lessons = vt_lessons_new(analysis);
  self->player = vt_player_new(analysis);
  self->corrector = vt_corrector_new(analysis, undo);
  self->params_undo = vt_params_undo_new(analysis, undo);
  self->layers_undo = vt_layers_undo_new(analysis, undo);
  self->taught_corrections = vt_taught_corrections_new(analysis, self->lessons, self->corrector, undo);
  self->correction_card = vt_correction_card_new(self->corrector, canvas);
  self->texture = vt_texture_new(analysis);
  self->canvas = canvas;
  self->analysis = analysis;
  self->under = under;
  g_signal_connect_swapped(self->player, "changed", G_CALLBACK(make_player_bar), self);
  g_signal_connect_swapped(self->texture, "changed", G_CALLBACK(make_texture_panel), self);
  gtk_box_append(cards, vt_lesson_card_new(self->lessons, canvas, analysis));
  gtk_box_append(cards, self->refused_card);
  gtk_box_append(cards, self->review_card);
  gtk_box_append(cards, self->correction_card);
  gtk_box_append(cards, self->snapshots_card);
  g_signal_connect_object(self->corrector, "made", G_CALLBACK(vt_review_card_take_correction), self->review_card,
                          G_CONNECT_SWAPPED);
  g_object_set_data_full(G_OBJECT(pane), KEY, self, tuning_free);
}

void
vt_tuning_set_slide(gpointer pane, VtSlide *slide)
{
  VtTuning *self = vt_tuning_get(pane);
  vt_search_clear(self->search);
  vt_review_clear(self->review);
  vt_refused_stop(self->refused);
  vt_lessons_stop(self->lessons);
  vt_player_close(self->player);
  vt_taught_corrections_clear(self->taught_corrections);
  vt_corrector_clear(self->corrector);
  vt_texture_set_slide(self->texture, slide);
}

VtTuning *
vt_tuning_get(gpointer pane)
{
  return g_object_get_data(pane, KEY);
}
