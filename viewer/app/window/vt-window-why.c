/* SPDX-License-Identifier: MIT
 *
 * Asking why, and taking over what would turn the answer. */
#include "window/vt-window-private.h"

#include <glib/gi18n.h>
#include <math.h>

#include "base/vt-define.h"
#include "panels/vt-object-hand.h"

/* Under the pointer; `parameter`: at that place. */
static void
act_why(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  double x, y;
  gint64 width, height;
  if (parameter)
    g_variant_get(parameter, "(dd)", &x, &y);
  else
    vt_canvas_get_pointed(vt_pane_get_canvas(pane), &x, &y);
  vt_slide_get_level_size(vt_pane_get_slide(pane), 0, &width, &height);
  gtk_widget_grab_focus(GTK_WIDGET(vt_pane_get_canvas(pane))); /* a menu had it */
  if (vt_canvas_shows_pin_at(vt_pane_get_canvas(pane), x, y))
    vt_pane_show_error(pane,
                       _("Here the pin is seen, and the answer would be that of now. Exchange the sides (Return), or "
                         "end the wipe (Escape)."),
                       VT_MESSAGE_ANSWER);
  else if (x >= 0 && y >= 0 && x < (double)width && y < (double)height)
    vt_why_ask(vt_pane_get_why(pane), (gint64)floor(x), (gint64)floor(y));
  else
    vt_pane_show_error(pane, _("There is nothing to ask about beside the slide. Point at a place on it."),
                       VT_MESSAGE_ANSWER);
}

static void
act_why_object(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  gint64 x, y;
  if (vt_object_hand_get_place(vt_pane_get_analysis(pane), &x, &y))
    vt_why_ask(vt_pane_get_why(pane), x, y);
}

static void
act_close(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  vt_why_forget(vt_pane_get_why(pane));
  gtk_widget_grab_focus(GTK_WIDGET(vt_pane_get_canvas(pane)));
}

static void
act_steps(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  VtWhy *why = vt_pane_get_why(pane);
  gint64 x, y;
  const gboolean is_asked = vt_why_get_place(why, &x, &y);
  vt_why_set_steps(why, !is_asked || !vt_why_wants_steps(why));
  if (!is_asked)
    act_why(NULL, NULL, window);
}

static void
act_adopt(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  VtAnalysis *analysis = vt_pane_get_analysis(pane);
  const GPtrArray *changes = vt_why_get_changes(vt_pane_get_why(pane));
  VT_EACH_OF (const VtChange, change, changes) {
    if (change->verdict != g_variant_get_uint32(parameter))
      continue;
    const VtParams *now = vt_analysis_get_params(analysis);
    g_autoptr(VtParams) params = vt_params_copy(now);
    g_autofree char *text = g_strdup_printf("%s=%s", now->op->params[change->param]->key, change->value);
    if (vt_params_set_from_string(params, text, NULL))
      vt_window_adopt(window, pane, params, NULL);
    return;
  }
}

const GActionEntry vt_window_why_actions[] = {
  { .name = "why", .activate = act_why },
  { .name = "why-at", .activate = act_why, .parameter_type = "(dd)" },
  { .name = "why-object", .activate = act_why_object },
  { .name = "why-steps", .activate = act_steps },
  { .name = "why-close", .activate = act_close },
  { .name = "why-adopt", .activate = act_adopt, .parameter_type = "u" },
  { NULL },
};
