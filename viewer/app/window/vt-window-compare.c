/* SPDX-License-Identifier: MIT
 *
 * Pinning a result, looking at it and at that of now in one picture, and comparing its objects with those of a file, with points, and with another way to run. */
#include "window/vt-window-private.h"
#include "base/vt-define.h"
#include "common/vt-action-list.h"
#include "common/vt-test-log.h"
#include "dialogs/vt-proof-dialog.h"
#include "layers/vt-layer-stack.h"

#include <glib/gi18n.h>

static void
act_pin(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  g_autoptr(GError) error = NULL;
  if (vt_reference_pin(vt_pane_get_reference(pane), &error))
    vt_window_toast(
      window, _("Pinned. Change a parameter to see what it does; Shift+W shows before and after in one picture."));
  else
    vt_pane_show_error(pane, error->message, VT_MESSAGE_ANSWER);
}

static void
act_prove(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  g_autoptr(GError) error = NULL;
  if (!vt_proof_dialog_show(window, vt_pane_get_analysis(pane), &error))
    vt_pane_show_error(pane, error->message, VT_MESSAGE_ANSWER);
}

static void
act_end(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  vt_reference_forget(vt_pane_get_reference(pane));
  gtk_widget_grab_focus(GTK_WIDGET(vt_pane_get_canvas(pane)));
}

static void
take_outlines(VtWindow *self, VtPane *pane, VtShapes *shapes)
{
  g_autoptr(GError) error = NULL;
  if (!vt_reference_take(vt_pane_get_reference(pane), shapes, &error))
    vt_pane_show_error(pane, error->message, VT_MESSAGE_ANSWER);
}

static void
act_compare(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  if (parameter)
    vt_window_read_shapes(window, g_variant_get_string(parameter, NULL), take_outlines);
  else
    vt_window_choose_shapes(window, _("Compare with the outlines of a file"), "win.compare-with-file");
}

static void
act_points(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  g_autoptr(GError) error = NULL;
  if (!vt_reference_take_points(vt_pane_get_reference(pane), &error))
    vt_pane_show_error(pane, error->message, VT_MESSAGE_ANSWER);
}

static void
act_within(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  VtReference *reference = vt_pane_get_reference(pane);
  g_autoptr(GError) error = NULL;
  if (!vt_reference_set_within(reference, !vt_reference_get_within(reference), &error))
    vt_pane_show_error(pane, error->message, VT_MESSAGE_ANSWER);
  vt_window_update_compare(window);
}

static void
act_all(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtReference *reference = vt_pane_get_reference(vt_window_get_pane(window));
  vt_reference_set_of_all(reference, !vt_reference_get_of_all(reference));
  vt_window_update_compare(window);
}

static VtCanvas *
get_canvas(gpointer window)
{
  return vt_pane_get_canvas(vt_window_get_pane(window));
}

static const char no_pin[] =
  N_("There is no pin to compare with. Pin what is shown (C) before you change it, or two stages (Alt+A).");

/* Two are pinned. */
static gboolean
has_stages(VtPane *pane)
{
  return vt_stage_pins_get(vt_pane_get_stage_pins(pane), VT_STAGE_PIN_B) != NULL;
}

/* The keys of the line are the canvas's. */
static void
act_wipe(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  VtReference *reference = vt_pane_get_reference(pane);
  VtCanvas *canvas = get_canvas(window);
  if (!has_stages(pane) && (!vt_reference_is_set(reference) || vt_reference_get_file(reference))) {
    vt_pane_show_error(pane, _(no_pin), VT_MESSAGE_ANSWER);
    return;
  }
  vt_canvas_set_wipe(canvas, !vt_canvas_get_wipe(canvas));
  gtk_widget_grab_focus(GTK_WIDGET(canvas));
}

/* The pane that is to show the pin: the second one. */
static VtPane *
get_other(VtWindow *self)
{
  VtPane *active = vt_page_get_active(self->page);
  if (vt_page_get_n_panes(self->page) == 1)
    vt_page_set_n_panes(self->page, 2);
  return vt_page_get_pane(self->page, vt_page_get_pane(self->page, 0) == active ? 1 : 0);
}

static VtLayer *
find_stage(VtPane *pane, const char *stage)
{
  const VtAnalysis *analysis = vt_pane_get_analysis(pane);
  VT_EACH_ITEM (VtLayer, layer, vt_analysis_get_layers((VtAnalysis *)analysis))
    if (vt_layer_get_stage(layer) && g_str_equal(vt_layer_get_stage(layer)->id, stage))
      return layer; /* which the analysis holds */
  return NULL;
}

/* Each alone, A in the other view. */
static void
show_stages(VtPane *pane, VtPane *other)
{
  VtStagePins *pins = vt_pane_get_stage_pins(pane);
  vt_layer_stack_set_solo(vt_analysis_get_layers(vt_pane_get_analysis(other)),
                          find_stage(other, vt_stage_pins_get(pins, VT_STAGE_PIN_A)));
  vt_layer_stack_set_solo(vt_analysis_get_layers(vt_pane_get_analysis(pane)),
                          find_stage(pane, vt_stage_pins_get(pins, VT_STAGE_PIN_B)));
}

static void
act_beside(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtWindow *self = window;
  VtPane *pane = vt_window_get_pane(self);
  const gboolean of_stages = has_stages(pane);
  const VtParams *pinned = of_stages ? vt_analysis_get_params(vt_pane_get_analysis(pane))
                                     : vt_reference_get_params(vt_pane_get_reference(pane));
  if (!pinned) {
    vt_pane_show_error(pane, _(no_pin), VT_MESSAGE_ANSWER);
    return;
  }
  g_autoptr(VtParams) params = vt_params_copy(pinned);
  VtPane *other = get_other(self);
  vt_page_set_linked(self->page, TRUE);
  vt_canvas_set_wipe(vt_pane_get_canvas(pane), FALSE);
  vt_test_log("beside");
  const char *sentence =
    of_stages ? _("Stage A stands beside stage B, and moves with it. Ctrl+1 ends it; [ and ] go on to others.")
              : _("The pin stands beside what is shown now, and moves with it. Ctrl+1 ends it.");
  if (of_stages && vt_params_equal(vt_analysis_get_params(vt_pane_get_analysis(other)), params))
    vt_window_toast(self, sentence);
  else
    vt_window_adopt(self, other, params, sentence);
  if (of_stages)
    show_stages(pane, other);
  gtk_widget_grab_focus(
    GTK_WIDGET(vt_pane_get_canvas(pane))); /* what is shown now is what stays when the second view goes */
}

static void
act_wipe_pause(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtCanvas *canvas = get_canvas(window);
  vt_canvas_set_wipe_paused(canvas, !vt_canvas_get_wipe_paused(canvas));
}

VT_ACT(wipe_difference, vt_canvas_toggle_difference(get_canvas(window)))
VT_ACT(wipe_centre, vt_canvas_centre_wipe(get_canvas(window)))
VT_ACT(wipe_swap, vt_canvas_swap_wipe(get_canvas(window)))

static void
act_wipe_move(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  double by;
  if (vt_action_get_number(parameter, -1e6, 1e6, &by))
    vt_canvas_move_wipe(get_canvas(window), by);
}

static void
act_wipe_turn(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  double by;
  if (vt_action_get_number(parameter, -360, 360, &by))
    vt_canvas_turn_wipe(get_canvas(window), by);
}

static void
act_wipe_dissolve(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  double by;
  if (vt_action_get_number(parameter, -1, 1, &by))
    vt_canvas_dissolve_wipe(get_canvas(window), by);
}

static void
set_state(VtWindow *self, const char *action, gboolean on)
{
  g_simple_action_set_state(G_SIMPLE_ACTION(g_action_map_lookup_action(G_ACTION_MAP(self), action)),
                            g_variant_new_boolean(on));
}

void
vt_window_update_compare(VtWindow *self)
{
  const gboolean on = vt_canvas_get_wipe(get_canvas(self));
  VtReference *reference = vt_pane_get_reference(vt_window_get_pane(self));
  set_state(self, "wipe", on);
  set_state(self, "wipe-pause", vt_canvas_get_wipe_paused(get_canvas(self)));
  set_state(self, "compare-within", vt_reference_get_within(reference));
  set_state(self, "compare-all", vt_reference_get_of_all(reference));
  vt_window_enable(self, "wipe-difference wipe-pause wipe-centre wipe-swap wipe-move wipe-turn wipe-dissolve", on);
}

const GActionEntry vt_window_compare_actions[] = {
  { .name = "pin", .activate = act_pin },
  { .name = "compare-with", .activate = act_compare },
  { .name = "compare-with-file", .activate = act_compare, .parameter_type = "s" },
  { .name = "compare-with-points", .activate = act_points },
  { .name = "compare-within", .activate = act_within, .state = "false" },
  { .name = "compare-all", .activate = act_all, .state = "false" },
  { .name = "compare-end", .activate = act_end },
  { .name = "prove", .activate = act_prove },
  { .name = "wipe", .activate = act_wipe, .state = "false" },
  { .name = "wipe-difference", .activate = act_wipe_difference },
  { .name = "wipe-pause", .activate = act_wipe_pause, .state = "false" },
  { .name = "compare-beside", .activate = act_beside },
  { .name = "wipe-centre", .activate = act_wipe_centre },
  { .name = "wipe-swap", .activate = act_wipe_swap },
  { .name = "wipe-move", .activate = act_wipe_move, .parameter_type = "d" },
  { .name = "wipe-turn", .activate = act_wipe_turn, .parameter_type = "d" },
  { .name = "wipe-dissolve", .activate = act_wipe_dissolve, .parameter_type = "d" },
  { NULL },
};
