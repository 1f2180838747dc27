/* SPDX-License-Identifier: MIT
 *
 * Correcting objects by hand: what is done at once, and the card; tools are drawn with (vt-pane-regions.c). */
#include "window/vt-pane-regions.h"
#include "window/vt-tuning.h"
#include "window/vt-window-private.h"

#include <glib/gi18n.h>

#include "panels/vt-correction-card.h"
#include "panels/vt-review-card.h"

static VtCorrector *
get_corrector(gpointer window)
{
  return vt_tuning_get(vt_window_get_pane(window))->corrector;
}

static VtCorrectionCard *
get_card(gpointer window)
{
  return VT_CORRECTION_CARD(vt_tuning_get(vt_window_get_pane(window))->correction_card);
}

void
vt_window_correct_delete(VtWindow *self)
{
  VtPane *pane = vt_window_get_pane(self);
  VtCorrector *corrector = get_corrector(self);
  const GPtrArray *list = vt_corrector_get_list(corrector);
  const guint n_before = list ? list->len : 0;
  g_autoptr(GError) error = NULL;
  if (!vt_corrector_delete(corrector, &error)) {
    vt_pane_say_of_drawing(pane, error->message);
    return;
  }
  const guint n = vt_corrector_get_list(corrector)->len - n_before;
  g_autofree char *text = g_strdup_printf(g_dngettext(NULL, "%u object deleted", "%u objects deleted", n), n);
  vt_window_toast_step(self, vt_regions_get_undo(vt_pane_get_regions(pane)), text);
}

VT_ACT(delete, vt_window_correct_delete(window))

static void
act_join(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  g_autoptr(GError) error = NULL;
  if (!vt_corrector_join(get_corrector(window), &error))
    vt_pane_say_of_drawing(vt_window_get_pane(window), error->message);
}

/* With the keyboard what Shift and a click do: this one stays selected while another one is selected. */
static void
act_hold(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  g_autoptr(VtLayer) layer =
    vt_layers_dup_objects(vt_analysis_get_layers(vt_pane_get_analysis(vt_window_get_pane(window))));
  if (layer)
    vt_layer_hold_selected(layer);
}

static void
act_forget_lost(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  const guint n = vt_corrector_drop_lost(get_corrector(window));
  g_autofree char *text =
    g_strdup_printf(g_dngettext(NULL, "%u correction forgotten", "%u corrections forgotten", n), n);
  if (n > 0)
    vt_window_toast_step(window, vt_regions_get_undo(vt_pane_get_regions(pane)), text);
}

static void
act_corrections(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  GtkWidget *card = GTK_WIDGET(get_card(window));
  vt_correction_card_set_open(VT_CORRECTION_CARD(card), !gtk_widget_get_visible(card));
  gtk_widget_grab_focus(GTK_WIDGET(vt_pane_get_canvas(vt_window_get_pane(window))));
}

/* The next correction is that of the object under review. */
static void
act_fix(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  if (!vt_review_card_fix(VT_REVIEW_CARD(vt_tuning_get(pane)->review_card))) {
    vt_pane_show_error(pane, _("There is no review yet. Shift+R begins one."), VT_MESSAGE_ANSWER);
    return;
  }
  vt_correction_card_set_open(get_card(window), TRUE);
  vt_correction_card_focus(get_card(window));
}

const GActionEntry vt_window_correct_actions[] = {
  { .name = "correct-delete", .activate = act_delete },
  { .name = "correct-join", .activate = act_join },
  { .name = "correct-hold", .activate = act_hold },
  { .name = "corrections", .activate = act_corrections },
  { .name = "corrections-forget-lost", .activate = act_forget_lost },
  { .name = "review-fix", .activate = act_fix },
  { NULL },
};
