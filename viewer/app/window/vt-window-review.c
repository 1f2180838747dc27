/* SPDX-License-Identifier: MIT
 *
 * Going through the objects, those first that flip most easily, and through those that were refused. */
#include "window/vt-window-private.h"
#include "window/vt-tuning.h"

#include <glib/gi18n.h>

#include "panels/vt-refused-card.h"
#include "panels/vt-review-card.h"

static VtReviewCard *
get_card(gpointer window)
{
  return VT_REVIEW_CARD(vt_tuning_get(vt_window_get_pane(window))->review_card);
}

static void
act_review(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  g_autoptr(GError) error = NULL;
  gtk_widget_grab_focus(GTK_WIDGET(vt_pane_get_canvas(pane)));
  if (!vt_review_card_open(get_card(window), &error))
    vt_pane_show_error(pane, error->message, VT_MESSAGE_ANSWER);
}

static void
act_end(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  vt_review_card_close(get_card(window));
  gtk_widget_grab_focus(GTK_WIDGET(vt_pane_get_canvas(vt_window_get_pane(window))));
}

static void
tell_none(gpointer window)
{
  vt_pane_show_error(vt_window_get_pane(window), _("There is no review yet. Shift+R begins one."), VT_MESSAGE_ANSWER);
}

static void
act_accept(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  if (!vt_review_card_judge(get_card(window), VT_VERDICT_ACCEPTED))
    tell_none(window);
}

static void
act_reject(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  if (!vt_review_card_judge(get_card(window), VT_VERDICT_REJECTED))
    tell_none(window);
}

static void
act_next(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  if (!vt_review_card_step(get_card(window), 1))
    tell_none(window);
}

static void
act_previous(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  if (!vt_review_card_step(get_card(window), -1))
    tell_none(window);
}

/* By the measure; a second time: as before. */
static void
act_colour(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  g_autoptr(VtLayer) layer =
    vt_layers_dup_objects(vt_analysis_get_layers(vt_pane_get_analysis(vt_window_get_pane(window))));
  const VtColumns *columns = layer ? vt_layer_get_columns(layer) : NULL;
  if (columns && vt_columns_find(columns, VT_REVIEW_STEPS) >= 0)
    vt_layer_set_measure(layer, g_strcmp0(vt_layer_get_measure(layer), VT_REVIEW_STEPS) == 0 ? NULL : VT_REVIEW_STEPS);
  else
    tell_none(window);
}

/* --- refused candidates --- */

static void
act_refused(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  VtRefused *refused = vt_tuning_get(pane)->refused;
  g_autoptr(GError) error = NULL;
  gtk_widget_grab_focus(GTK_WIDGET(vt_pane_get_canvas(pane)));
  vt_lessons_stop(vt_tuning_get(pane)->lessons); /* both draw candidates */
  if (vt_refused_is_on(refused))
    vt_refused_stop(refused);
  else if (!vt_refused_start(refused, &error))
    vt_pane_show_error(pane, error->message, VT_MESSAGE_ANSWER);
}

static void
act_refused_next(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  if (!vt_refused_card_step(VT_REFUSED_CARD(vt_tuning_get(pane)->refused_card)))
    vt_pane_show_error(pane, _("No refused candidate is shown. Shift+E looks for them."), VT_MESSAGE_ANSWER);
}

const GActionEntry vt_window_review_actions[] = {
  { .name = "review", .activate = act_review },        { .name = "review-end", .activate = act_end },
  { .name = "review-accept", .activate = act_accept }, { .name = "review-reject", .activate = act_reject },
  { .name = "review-next", .activate = act_next },     { .name = "review-previous", .activate = act_previous },
  { .name = "refused", .activate = act_refused },      { .name = "refused-next", .activate = act_refused_next },
  { .name = "review-colour", .activate = act_colour }, { NULL },
};
