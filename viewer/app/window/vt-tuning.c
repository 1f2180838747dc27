/* SPDX-License-Identifier: MIT */
#include "window/vt-tuning.h"

#include "panels/vt-snapshots-card.h"

#define KEY "tuning"

static void
tuning_free(gpointer data)
{
  VtTuning *self = data;
  g_object_unref(self->snapshots);
  g_object_unref(self->search);
  g_free(self);
}

void
vt_tuning_attach(GtkWidget *pane, VtCanvas *canvas, VtAnalysis *analysis, VtReference *reference, GtkBox *cards)
{
  VtTuning *self = g_new0(VtTuning, 1);
  self->snapshots = vt_snapshots_new(analysis, reference);
  self->snapshots_card = vt_snapshots_card_new(self->snapshots, analysis);
  self->search = vt_search_new(analysis, reference);
  gtk_box_append(cards, self->snapshots_card);
  g_object_set_data_full(G_OBJECT(pane), KEY, self, tuning_free);
}

VtTuning *
vt_tuning_get(gpointer pane)
{
  return g_object_get_data(pane, KEY);
}
