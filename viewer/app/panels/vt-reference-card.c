/* SPDX-License-Identifier: MIT */
#include "panels/vt-reference-card.h"

#include <glib/gi18n.h>

#include "common/vt-owned.h"
#include "common/vt-template.h"
#include "common/vt-widgets.h"

struct _VtReferenceCard {
  AdwBin parent;

  /* template */
  GtkLabel *title_label, *words_label, *score_label;
  GtkSpinner *spinner;
  GtkBox *fates_box, *scope_box;
  GtkGrid *sizes_grid;

  VtReference *reference;
  VtAnalysis *analysis;
  VtCanvas *canvas; /* borrowed: it outlives what lies over it */
  GtkWidget *rows[VT_N_FATES];
  GtkLabel *names[VT_N_FATES], *counts[VT_N_FATES];
};

G_DEFINE_FINAL_TYPE(VtReferenceCard, vt_reference_card, ADW_TYPE_BIN)

/* Two names of a kind: since a pin, and against the truth. */
static const struct {
  const char *since, *truth;
} titles[VT_N_FATES] = {
  [VT_FATE_NEW] = { N_("New"), N_("Extra") },
  [VT_FATE_LOST] = { N_("Lost"), N_("Missed") },
  [VT_FATE_SPLIT] = { N_("Split"), N_("Split") },
  [VT_FATE_MERGED] = { N_("Merged"), N_("Merged") },
  [VT_FATE_CHANGED] = { N_("Other outline"), N_("Found, other outline") },
  [VT_FATE_SAME] = { N_("Same"), N_("Found, same outline") },
};

static void
draw_swatch(GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer fate)
{
  cairo_move_to(cr, 2, height / 2.0);
  cairo_line_to(cr, width - 2, height / 2.0);
  vt_canvas_stroke_difference(cr, GPOINTER_TO_UINT(fate));
}

static void
on_row_clicked(GtkButton *button, VtReferenceCard *self)
{
  double x, y;
  const VtFate fate = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(button), "fate"));
  if (vt_reference_step(self->reference, fate, &x, &y))
    vt_canvas_centre_on(self->canvas, x, y);
}

static void
add_row(VtReferenceCard *self, VtFate fate)
{
  GtkWidget *row =
    vt_button_new_swatch(fate != VT_FATE_SAME ? draw_swatch : NULL, fate, &self->names[fate], &self->counts[fate]);
  g_object_set_data(G_OBJECT(row), "fate", GUINT_TO_POINTER(fate));
  g_signal_connect_object(row, "clicked", G_CALLBACK(on_row_clicked), self, 0);
  gtk_box_append(self->fates_box, row);
  self->rows[fate] = row;
}

/* A dot has no outline. */
static gboolean
is_told(VtFate fate, const VtComparison *comparison)
{
  return !comparison || !comparison->of_dots || (fate != VT_FATE_SPLIT && fate != VT_FATE_CHANGED);
}

static void
show_fates(VtReferenceCard *self, const VtComparison *comparison)
{
  const gboolean is_truth = vt_reference_get_file(self->reference) != NULL;
  for (guint i = 0; i < VT_N_FATES; i++) {
    const gboolean is_found = comparison && comparison->of_dots && i == VT_FATE_SAME;
    const char *name = is_found ? _("Found") : _(is_truth ? titles[i].truth : titles[i].since);
    gtk_widget_set_visible(self->rows[i], is_told(i, comparison));
    g_autofree char *count = comparison ? g_strdup_printf("%'u", comparison->counts[i]) : g_strdup("–");
    g_autofree char *label = g_strdup_printf("%s: %s", name, count);
    gtk_label_set_text(self->names[i], name);
    gtk_label_set_text(self->counts[i], count);
    gtk_widget_set_sensitive(self->rows[i], comparison && comparison->counts[i] > 0 && i != VT_FATE_SAME);
    vt_widget_set_tooltip(self->rows[i], i != VT_FATE_SAME ? _("Go to the next one, the largest first") : NULL);
    vt_widget_set_accessible_label(self->rows[i], label);
  }
}

static void
show_score(VtReferenceCard *self, const VtComparison *comparison)
{
  const char *obstacle = vt_reference_get_obstacle(self->reference);
  const VtResult *result = vt_analysis_get_result(self->analysis);
  g_autoptr(GString) text = g_string_new(obstacle);
  const gboolean is_truth = comparison && vt_reference_get_file(self->reference);
  if (is_truth && comparison->of_dots)
    g_string_append_printf(text, _("F1 %.3f of %u dots\nPrecision %.3f · recall %.3f"), comparison->f1_50,
                           comparison->n_reference, comparison->precision, comparison->recall);
  else if (is_truth)
    g_string_append_printf(text, _("F1 %.3f at an overlap (IoU) of 0.5, %.3f at 0.7\nAJI %.3f · PQ %.3f"),
                           comparison->f1_50, comparison->f1_70, comparison->aji, comparison->pq);
  if (comparison && comparison->n_cut > 0)
    g_string_append_printf(text, "%s%s", text->len ? "\n" : "",
                           is_truth && vt_reference_get_of_all(self->reference) ? _("Of all that was analysed; ")
                                                                                : _("In view; "));
  if (comparison && comparison->n_cut > 0)
    g_string_append_printf(text,
                           g_dngettext(NULL, "%u outline at its edge is not compared",
                                       "%u outlines at its edge are not compared", comparison->n_cut),
                           comparison->n_cut);
  if (comparison && result && result->is_preview) {
    g_autofree char *preview = vt_analysis_dup_preview_words(result);
    g_string_append_printf(text, "\n%s", preview);
  }
  if (!vt_reference_get_file(self->reference) && vt_reference_get_outlines(self->reference))
    g_string_append_printf(text, "%s%s", text->len ? "\n" : "",
                           _("The file waits: it is compared with again when this ends."));
  if (vt_reference_get_note(self->reference))
    g_string_append_printf(text, "%s%s", text->len ? "\n" : "", vt_reference_get_note(self->reference));
  gtk_label_set_text(self->score_label, text->str);
  gtk_widget_set_visible(GTK_WIDGET(self->score_label), text->len > 0);
}

/* --- by size --- */

static void
put_cell(VtReferenceCard *self, guint column, guint row, const char *text, const char *classes)
{
  GtkWidget *cell = gtk_grid_get_child_at(self->sizes_grid, (int)column, (int)row);
  if (!cell) {
    cell = vt_label_new("", column > 0, classes);
    gtk_grid_attach(self->sizes_grid, cell, (int)column, (int)row, 1, 1);
  }
  gtk_label_set_text(GTK_LABEL(cell), text);
}

static char *
dup_class(gboolean calibrated, guint i)
{
  if (i == 0)
    return g_strdup_printf("< %g", vt_reference_get_bound(calibrated, 0));
  if (i == VT_REFERENCE_BOUNDS)
    return g_strdup_printf("≥ %g", vt_reference_get_bound(calibrated, i - 1));
  return g_strdup_printf("%g–%g", vt_reference_get_bound(calibrated, i - 1), vt_reference_get_bound(calibrated, i));
}

/* What is missed and split is counted by the size of the true outline, what is extra and merged by that of the object. */
static void
show_sizes(VtReferenceCard *self, const VtComparison *comparison)
{
  const VtResult *result = vt_analysis_get_result(self->analysis);
  const gboolean calibrated = result && result->calibrated;
  const char *const heads[] = {
    calibrated ? "µm²" : _("px"), _("True"), _("Missed"), _("Split"), _("Extra"), _("Merged")
  };
  const gboolean is_told = comparison && vt_reference_get_file(self->reference) && comparison->n_sizes > 0;
  gtk_widget_set_visible(GTK_WIDGET(self->sizes_grid), is_told);
  for (guint i = 0; is_told && i < G_N_ELEMENTS(heads); i++)
    put_cell(self, i, 0, heads[i], "caption dim-label");
  for (guint k = 0; is_told && k < comparison->n_sizes; k++) {
    const VtScoreSizes *sizes = &comparison->sizes[k];
    const guint64 numbers[] = { sizes->n_truth, sizes->missed, sizes->split, sizes->extra, sizes->merging };
    g_autofree char *name = dup_class(calibrated, k);
    put_cell(self, 0, k + 1, name, "caption numeric");
    for (guint i = 0; i < G_N_ELEMENTS(numbers); i++) {
      g_autofree char *number = g_strdup_printf("%'" G_GUINT64_FORMAT, numbers[i]);
      put_cell(self, i + 1, k + 1, number, "caption numeric");
    }
  }
  gtk_widget_set_visible(GTK_WIDGET(self->scope_box), vt_reference_get_file(self->reference) != NULL);
}

static void
show(VtReferenceCard *self)
{
  const gboolean is_set = vt_reference_is_set(self->reference);
  const gboolean is_current = vt_reference_is_current(self->reference);
  const VtComparison *comparison = vt_reference_get_comparison(self->reference);
  const char *file = vt_reference_get_file(self->reference);
  gtk_widget_set_visible(GTK_WIDGET(self), is_set);
  vt_canvas_set_differences(self->canvas, comparison ? comparison->differences : NULL);
  if (!is_set)
    return;
  g_autofree char *title = file ? g_strdup_printf(_("Against %s"), file) : g_strdup(_("Since the Pin"));
  g_autofree char *words = file ? NULL : vt_reference_dup_words(self->reference);
  gtk_label_set_text(self->title_label, title);
  gtk_label_set_text(self->words_label, words && *words ? words : _("With the same parameters"));
  gtk_widget_set_visible(GTK_WIDGET(self->words_label), !file);
  gtk_spinner_set_spinning(self->spinner, !is_current);
  gtk_widget_set_visible(GTK_WIDGET(self->spinner), !is_current);
  show_fates(self, comparison);
  show_score(self, comparison);
  show_sizes(self, comparison);
}

static void
vt_reference_card_class_init(VtReferenceCardClass *klass)
{
  VT_OWNS(klass, VtReferenceCard, g_object_unref, reference, analysis);
  VT_TEMPLATE(klass, VtReferenceCard, "vt-reference-card", title_label, words_label, score_label, spinner, fates_box,
              scope_box, sizes_grid);
}

static void
vt_reference_card_init(VtReferenceCard *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  for (guint i = 0; i < VT_N_FATES; i++)
    add_row(self, i);
}

void
vt_reference_card_attach(VtCanvas *canvas, VtReference *reference, VtAnalysis *analysis, GtkBox *cards)
{
  VtReferenceCard *self = g_object_new(VT_TYPE_REFERENCE_CARD, NULL);
  self->canvas = canvas;
  self->reference = g_object_ref(reference);
  self->analysis = g_object_ref(analysis);
  gtk_box_append(cards, GTK_WIDGET(self));
  g_signal_connect_object(reference, "changed", G_CALLBACK(show), self, G_CONNECT_SWAPPED);
  show(self);
}
