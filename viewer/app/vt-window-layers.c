/* SPDX-License-Identifier: MIT */
#include "vt-object-hand.h"
#include "vt-window-private.h"

static void
step_object(VtWindow *self, int step)
{
  VtPane *pane = vt_window_get_pane(self);
  vt_object_hand_step(vt_pane_get_canvas(pane), vt_pane_get_analysis(pane), step);
}

static void
act_next(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  step_object(VT_WINDOW(window), 1);
}

static void
act_previous(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  step_object(VT_WINDOW(window), -1);
}

static void
act_unselect(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  vt_object_hand_unselect(vt_pane_get_analysis(vt_window_get_pane(VT_WINDOW(window))));
}

static const GActionEntry entries[] = {
  { .name = "next-object", .activate = act_next },
  { .name = "previous-object", .activate = act_previous },
  { .name = "unselect-object", .activate = act_unselect },
};

void
vt_window_init_layers(VtWindow *self)
{
  g_action_map_add_action_entries(G_ACTION_MAP(self), entries, G_N_ELEMENTS(entries), self);
}
