/* SPDX-License-Identifier: MIT */
#include "panels/vt-correction-card.h"

#include <glib/gi18n.h>

#include "common/vt-owned.h"
#include "common/vt-template.h"
#include "common/vt-test-log.h"
#include "common/vt-widgets.h"
#include "results/vt-compare.h"

#define N_ROWS 8 /* more would cover the picture; the canvas draws all of them */

struct _VtCorrectionCard {
  AdwBin parent;

  /* template */
  GtkLabel *state_label, *hint_label, *more_label;
  GtkBox *rows_box;
  GtkWidget *lost_box, *first_button;

  VtCorrector *corrector;
  VtCanvas *canvas; /* borrowed: it outlives what lies over it */
};

G_DEFINE_FINAL_TYPE(VtCorrectionCard, vt_correction_card, ADW_TYPE_BIN)

/* --- what finds no object --- */

static void
get_middle(const VtCorrection *correction, double *x, double *y)
{
  g_autoptr(GPtrArray) before = vt_correction_dup_before(correction);
  double width, height;
  vt_roi_get_bounds(before->pdata[0], x, y, &width, &height); /* what has none is never lost */
  *x += width / 2;
  *y += height / 2;
}

static void
on_row_clicked(GtkButton *button, VtCorrectionCard *self)
{
  const VtCorrection *correction = g_object_get_data(G_OBJECT(button), "correction");
  double x, y;
  get_middle(correction, &x, &y);
  vt_canvas_centre_on(self->canvas, x, y);
}

static void
add_row(VtCorrectionCard *self, VtCorrection *correction)
{
  double x, y;
  get_middle(correction, &x, &y);
  g_autofree char *words = g_strdup_printf(_("%s, at %.0f, %.0f px"), vt_corrector_get_title(correction->kind), x, y);
  GtkWidget *row = gtk_button_new_with_label(words);
  gtk_label_set_xalign(GTK_LABEL(gtk_button_get_child(GTK_BUTTON(row))), 0);
  vt_widget_add_classes(row, "flat card-row");
  gtk_widget_set_tooltip_text(row, _("Go there"));
  g_object_set_data_full(G_OBJECT(row), "correction", vt_correction_ref(correction),
                         (GDestroyNotify)vt_correction_unref);
  g_signal_connect_object(row, "clicked", G_CALLBACK(on_row_clicked), self, 0);
  gtk_box_append(self->rows_box, row);
}

static guint
show_lost(VtCorrectionCard *self)
{
  const VtCorrected *shown = vt_corrector_get_shown(self->corrector);
  g_autoptr(GPtrArray) outlines = g_ptr_array_new_with_free_func((GDestroyNotify)vt_difference_free);
  vt_widget_remove_all(GTK_WIDGET(self->rows_box));
  for (guint i = 0; shown && i < shown->corrections->len; i++) {
    VtCorrection *correction = shown->corrections->pdata[i];
    if (shown->states[i] != VT_CORRECTION_LOST)
      continue;
    if (outlines->len < N_ROWS)
      add_row(self, correction);
    g_autoptr(GPtrArray) before = vt_correction_dup_before(correction);
    for (guint k = 0; k < before->len; k++)
      g_ptr_array_add(outlines, vt_difference_new(VT_FATE_LOST, before->pdata[k], 0));
  }
  vt_canvas_set_lost(self->canvas, gtk_widget_get_visible(GTK_WIDGET(self)) && outlines->len > 0 ? outlines : NULL);
  return shown ? shown->n_lost : 0;
}

static const char *
get_hint(VtCorrectionCard *self)
{
  switch (vt_canvas_get_tool(self->canvas)) {
  case VT_TOOL_OBJECT:
    return _("Draw round an object: by hand, or corner by corner and Return. It takes the place of one that it mostly "
             "covers. Escape ends.");
  case VT_TOOL_REDRAW: return _("Draw the selected object anew: by hand, or corner by corner and Return. Escape ends.");
  case VT_TOOL_SPLIT:
    return _("Draw a line across an object, from outside to outside: by hand, or point by point and Return. Escape "
             "ends.");
  default: return _("Click an object, with Shift several, then choose what is to be done.");
  }
}

static void
show(VtCorrectionCard *self)
{
  g_autofree char *words = vt_corrector_dup_words(self->corrector);
  const GPtrArray *list = vt_corrector_get_list(self->corrector);
  const guint n_lost = show_lost(self);
  g_autofree char *more = n_lost > N_ROWS ? g_strdup_printf(_("%u more, drawn on the slide"), n_lost - N_ROWS) : NULL;
  gtk_label_set_text(self->state_label, words                   ? words
                                        : list && list->len > 0 ? _("None of the corrections lies here.")
                                                                : _("Nothing is corrected yet."));
  gtk_label_set_text(self->hint_label, get_hint(self));
  gtk_label_set_text(self->more_label, more ? more : "");
  gtk_widget_set_visible(GTK_WIDGET(self->more_label), more != NULL);
  gtk_widget_set_visible(self->lost_box, n_lost > 0);
}

static void
on_tool(VtCorrectionCard *self)
{
  if (vt_canvas_get_tool(self->canvas) >= VT_TOOL_OBJECT)
    vt_correction_card_set_open(self, TRUE);
  else
    show(self);
}

void
vt_correction_card_set_open(VtCorrectionCard *self, gboolean is_open)
{
  gtk_widget_set_visible(GTK_WIDGET(self), is_open);
  if (!is_open && vt_canvas_get_tool(self->canvas) >= VT_TOOL_OBJECT)
    vt_canvas_set_tool(self->canvas, VT_TOOL_MOVE);
  vt_test_log("correction-card %d", is_open);
  show(self);
}

void
vt_correction_card_focus(VtCorrectionCard *self)
{
  gtk_widget_grab_focus(self->first_button);
}

static void
vt_correction_card_class_init(VtCorrectionCardClass *klass)
{
  VT_OWNS(klass, VtCorrectionCard, g_object_unref, corrector);
  VT_TEMPLATE(klass, VtCorrectionCard, "vt-correction-card", state_label, hint_label, more_label, rows_box, lost_box,
              first_button);
}

VT_TEMPLATE_INIT(VtCorrectionCard, vt_correction_card)

GtkWidget *
vt_correction_card_new(VtCorrector *corrector, VtCanvas *canvas)
{
  VtCorrectionCard *self = g_object_new(VT_TYPE_CORRECTION_CARD, NULL);
  self->corrector = g_object_ref(corrector);
  self->canvas = canvas;
  g_signal_connect_object(corrector, "changed", G_CALLBACK(show), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(canvas, "notify::tool", G_CALLBACK(on_tool), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET(self);
}

/* --- under a table --- */

static void
show_words(GtkLabel *label, VtCorrector *corrector)
{
  g_autofree char *words = vt_corrector_dup_words(corrector);
  gtk_label_set_text(label, words ? words : "");
  gtk_widget_set_visible(GTK_WIDGET(label), words != NULL);
}

GtkWidget *
vt_correction_label_new(VtCorrector *corrector)
{
  GtkWidget *label = vt_label_new(NULL, 0, "caption numeric");
  gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_margin_start(label, 12);
  gtk_widget_set_margin_top(label, 2);
  gtk_widget_set_margin_bottom(label, 2);
  g_signal_connect_object(corrector, "changed", G_CALLBACK(show_words), label, G_CONNECT_SWAPPED);
  show_words(GTK_LABEL(label), corrector);
  return label;
}
