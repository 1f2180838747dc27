/* SPDX-License-Identifier: MIT */
#include "analysis/vt-caution.h"

#define KEEPS_ROOM "vt-keeps-room" /* on a label */

static void
show(GtkLabel *label, VtAnalysis *analysis)
{
  g_autofree char *caution = vt_analysis_dup_caution(analysis);
  gtk_label_set_text(label, caution ? caution : "");
  gtk_widget_set_visible(GTK_WIDGET(label), caution || g_object_get_data(G_OBJECT(label), KEEPS_ROOM));
}

void
vt_caution_attach(GtkLabel *label, VtAnalysis *analysis, gboolean keeps_room)
{
  g_object_set_data(G_OBJECT(label), KEEPS_ROOM, GINT_TO_POINTER(keeps_room));
  g_signal_connect_object(analysis, "shown", G_CALLBACK(show), label, G_CONNECT_SWAPPED);
  show(label, analysis);
}
