/* SPDX-License-Identifier: MIT
 *
 * Asking why, and taking over what would turn the answer. */
#include "window/vt-window-private.h"

#include <glib/gi18n.h>
#include <math.h>

#include "common/vt-toast.h"
#include "common/vt-translate.h"
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
                       FALSE);
  else if (x >= 0 && y >= 0 && x < (double)width && y < (double)height)
    vt_why_ask(vt_pane_get_why(pane), (gint64)floor(x), (gint64)floor(y));
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

typedef struct {
  VtAnalysis *analysis;
  guint param;
  double values[4];
  gboolean is_set;
} Before;

static void
before_free(gpointer data, GClosure *closure)
{
  g_object_unref(((Before *)data)->analysis);
  g_free(data);
}

static void
put_back(AdwToast *toast, Before *before)
{
  VtParams *params = vt_analysis_get_params(before->analysis);
  if (before->is_set)
    vt_params_set(params, before->param, before->values, NULL);
  else
    vt_params_reset(params, before->param);
  vt_analysis_params_changed(before->analysis);
}

/* The button undoes this and nothing else: the toast goes with the next change. */
static void
toast_adopted(VtWindow *self, VtAnalysis *analysis, guint param, Before *before)
{
  const VtParams *params = vt_analysis_get_params(analysis);
  g_autofree char *value = vt_params_dup_shown(params, param);
  g_autofree char *text = g_strdup_printf("%s: %s", vt_translate(params->op->params[param]->title), value);
  AdwToast *toast = adw_toast_new(text);
  adw_toast_set_button_label(toast, _("Undo"));
  adw_toast_set_priority(toast, ADW_TOAST_PRIORITY_HIGH);
  g_signal_connect_data(toast, "button-clicked", G_CALLBACK(put_back), before, before_free, 0);
  g_signal_connect_object(analysis, "params-changed", G_CALLBACK(vt_toast_dismiss), toast, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "op-changed", G_CALLBACK(vt_toast_dismiss), toast, G_CONNECT_SWAPPED);
  vt_toast_show(self->toasts, toast);
}

static void
act_adopt(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  VtAnalysis *analysis = vt_pane_get_analysis(pane);
  const GPtrArray *changes = vt_why_get_changes(vt_pane_get_why(pane));
  for (guint i = 0; i < changes->len; i++) {
    const VtChange *change = changes->pdata[i];
    if (change->verdict != g_variant_get_uint32(parameter))
      continue;
    const VtParams *params = vt_analysis_get_params(analysis);
    const guint param = change->param;
    g_autofree char *text = g_strdup_printf("%s=%s", params->op->params[param]->key, change->value);
    Before *before = g_new0(Before, 1);
    before->analysis = g_object_ref(analysis);
    before->param = param;
    before->is_set = params->is_set[param];
    memcpy(before->values, params->values[param], sizeof before->values);
    vt_analysis_set_param_text(analysis, text, NULL);
    toast_adopted(window, analysis, param, before);
    gtk_widget_grab_focus(GTK_WIDGET(vt_pane_get_canvas(pane)));
    return;
  }
}

void
vt_window_init_why(VtWindow *self)
{
  static const GActionEntry entries[] = {
    { .name = "why", .activate = act_why },
    { .name = "why-at", .activate = act_why, .parameter_type = "(dd)" },
    { .name = "why-object", .activate = act_why_object },
    { .name = "why-close", .activate = act_close },
    { .name = "why-adopt", .activate = act_adopt, .parameter_type = "u" },
  };
  g_action_map_add_action_entries(G_ACTION_MAP(self), entries, G_N_ELEMENTS(entries), self);
}
