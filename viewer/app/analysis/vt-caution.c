/* SPDX-License-Identifier: MIT */
#include "analysis/vt-caution.h"

static void
show(GtkLabel *label, VtAnalysis *analysis)
{
  g_autofree char *caution = vt_analysis_dup_caution(analysis);
  gtk_label_set_text(label, caution ? caution : "");
  gtk_widget_set_visible(GTK_WIDGET(label), caution != NULL);
}

void
vt_caution_attach(GtkLabel *label, VtAnalysis *analysis)
{
  g_signal_connect_object(analysis, "shown", G_CALLBACK(show), label, G_CONNECT_SWAPPED);
  show(label, analysis);
}
