/* SPDX-License-Identifier: MIT */
#include "panels/vt-review-card.h"

#include <glib/gi18n.h>

#include "common/vt-digits.h"
#include "common/vt-owned.h"
#include "common/vt-template.h"
#include "common/vt-test-log.h"
#include "panels/vt-object-hand.h"

struct _VtReviewCard {
  AdwBin parent;

  /* template */
  GtkLabel *state_label, *words_label, *verdict_label;
  GtkSpinner *spinner;
  GtkWidget *buttons_box;

  VtReview *review;
  VtAnalysis *analysis;
  VtCanvas *canvas;   /* borrowed: it outlives what lies over it */
  gint at;            /* in the items; -1: at none */
  gboolean is_fixing; /* the next correction is of that one */
};

G_DEFINE_FINAL_TYPE(VtReviewCard, vt_review_card, ADW_TYPE_BIN)

static const VtReviewItem *
get_item(VtReviewCard *self)
{
  const GArray *items = vt_review_get_items(self->review);
  return self->at >= 0 && self->at < (gint)items->len ? &g_array_index(items, VtReviewItem, self->at) : NULL;
}

static void
show_state(VtReviewCard *self)
{
  const GArray *items = vt_review_get_items(self->review);
  const VtResult *result = vt_analysis_get_result(self->analysis);
  guint n_done, n_all;
  const gboolean is_measuring = vt_review_is_measuring(self->review, &n_done, &n_all);
  g_autoptr(GString) text = g_string_new(NULL);
  if (is_measuring)
    g_string_printf(text, _("Measuring: run %u of %u, each number moved alone by 1 to 8 steps"), n_done, n_all);
  else if (vt_review_is_stale(self->review))
    g_string_assign(text, _("Out of date: the parameters or the resolution are others now. Measure again: Shift+R."));
  else
    g_string_printf(text, _("%d of %u, those first that flip most easily · %u judged"), self->at + 1, items->len,
                    vt_review_get_verdicts(self->review)->len);
  vt_review_count_exact(self->review, &n_done, &n_all);
  if (!is_measuring && n_done < n_all && !vt_review_is_stale(self->review))
    g_string_append_printf(text, _(" · exact values: %u of %u"), n_done, n_all);
  if (result && result->is_preview) {
    g_autofree char *preview = vt_analysis_dup_preview_words(result);
    g_string_append_printf(text, "\n%s", preview);
  }
  if (vt_analysis_is_waiting(self->analysis))
    g_string_append(text, _("\nLive runs wait until the review is closed."));
  gtk_label_set_text(self->state_label, text->str);
  gtk_spinner_set_spinning(self->spinner, is_measuring);
  gtk_widget_set_sensitive(self->buttons_box, !is_measuring && items->len > 0);
}

static const char *
get_verdict_title(VtVerdict verdict)
{
  switch (verdict) {
  case VT_VERDICT_ACCEPTED: return _("Accepted");
  case VT_VERDICT_CORRECTED: return _("Corrected by hand");
  default: return _("Rejected");
  }
}

static void
show(VtReviewCard *self)
{
  const VtReviewItem *item = get_item(self);
  const VtReviewVerdict *verdict = item ? vt_review_find_verdict(self->review, item->x, item->y) : NULL;
  g_autofree char *words = item ? vt_review_dup_words(self->review, item) : g_strdup("");
  if (!gtk_widget_get_visible(GTK_WIDGET(self)))
    return;
  show_state(self);
  gtk_label_set_text(self->words_label, words);
  gtk_label_set_text(self->verdict_label, self->is_fixing ? _("The next correction is of this object")
                                          : !verdict      ? _("Not judged yet")
                                                          : get_verdict_title(verdict->verdict));
  gtk_widget_set_visible(GTK_WIDGET(self->verdict_label), item != NULL);
}

static void
go_to(VtReviewCard *self, gint at)
{
  self->at = at;
  self->is_fixing = FALSE;
  const VtReviewItem *item = get_item(self);
  if (item) {
    const gboolean is_there = vt_object_hand_select_at(self->canvas, self->analysis, item->x, item->y);
    vt_test_log("review-at %d %.0f %d", at, item->steps, is_there);
    vt_review_refine(self->review, (guint)at);
  }
  show(self);
}

static void
on_changed(VtReviewCard *self)
{
  guint n_done, n_all;
  const GArray *items = vt_review_get_items(self->review);
  if (self->at >= (gint)items->len)
    self->at = -1;
  if (gtk_widget_get_visible(GTK_WIDGET(self)) && self->at < 0 && items->len > 0
      && !vt_review_is_measuring(self->review, &n_done, &n_all))
    go_to(self, 0);
  else
    show(self);
}

gboolean
vt_review_card_open(VtReviewCard *self, GError **error)
{
  const gboolean is_measured = vt_review_get_items(self->review)->len > 0 && !vt_review_is_stale(self->review);
  if (!is_measured && !vt_review_measure(self->review, error))
    return FALSE;
  gtk_widget_set_visible(GTK_WIDGET(self), TRUE);
  vt_review_want_exact(self->review, TRUE);
  if (!is_measured)
    self->at = -1;
  on_changed(self);
  return TRUE;
}

void
vt_review_card_close(VtReviewCard *self)
{
  guint n_done, n_all;
  gtk_widget_set_visible(GTK_WIDGET(self), FALSE);
  vt_review_want_exact(self->review, FALSE);
  if (vt_review_is_measuring(self->review, &n_done, &n_all))
    vt_review_stop(self->review);
}

gboolean
vt_review_card_step(VtReviewCard *self, int step)
{
  const gint n = (gint)vt_review_get_items(self->review)->len;
  if (n == 0)
    return FALSE;
  go_to(self, (self->at + step + n) % n);
  return TRUE;
}

gboolean
vt_review_card_judge(VtReviewCard *self, VtVerdict verdict)
{
  const GArray *items = vt_review_get_items(self->review);
  const VtReviewItem *item = get_item(self);
  if (!item)
    return FALSE;
  vt_review_judge(self->review, item->x, item->y, verdict);
  for (guint i = 1; i < items->len; i++) {
    const guint next = ((guint)self->at + i) % items->len;
    const VtReviewItem *other = &g_array_index(items, VtReviewItem, next);
    if (vt_review_find_verdict(self->review, other->x, other->y))
      continue;
    go_to(self, (gint)next);
    return TRUE;
  }
  show(self);
  return TRUE;
}

gboolean
vt_review_card_fix(VtReviewCard *self)
{
  self->is_fixing = get_item(self) && gtk_widget_get_visible(GTK_WIDGET(self));
  show(self);
  return self->is_fixing;
}

void
vt_review_card_take_correction(VtReviewCard *self)
{
  if (!self->is_fixing)
    return;
  vt_review_card_judge(self, VT_VERDICT_CORRECTED);
  gtk_widget_grab_focus(GTK_WIDGET(self->canvas)); /* not on the tool that did it: the next object is selected now */
}

/* They mean the zoom where nothing is under review. */
static gboolean
take_digit(GtkWidget *widget, guint number)
{
  static const char *const actions[] = { "win.review-accept", "win.review-reject", "win.review-fix" };
  if (!get_item(VT_REVIEW_CARD(widget)) || number > G_N_ELEMENTS(actions))
    return FALSE;
  return gtk_widget_activate_action(widget, actions[number - 1], NULL);
}

static void
vt_review_card_class_init(VtReviewCardClass *klass)
{
  VT_OWNS(klass, VtReviewCard, g_object_unref, review, analysis);
  VT_TEMPLATE(klass, VtReviewCard, "vt-review-card", state_label, words_label, verdict_label, spinner, buttons_box);
}

static void
vt_review_card_init(VtReviewCard *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  vt_digits_attach(GTK_WIDGET(self), take_digit);
  self->at = -1;
}

GtkWidget *
vt_review_card_new(VtReview *review, VtCanvas *canvas, VtAnalysis *analysis)
{
  VtReviewCard *self = g_object_new(VT_TYPE_REVIEW_CARD, NULL);
  self->review = g_object_ref(review);
  self->analysis = g_object_ref(analysis);
  self->canvas = canvas;
  g_signal_connect_object(review, "changed", G_CALLBACK(on_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "shown", G_CALLBACK(show), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET(self);
}
