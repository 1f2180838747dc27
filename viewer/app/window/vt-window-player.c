/* SPDX-License-Identifier: MIT
 *
 * Playing how a stage came about. */
#include "window/vt-window-private.h"
#include "base/vt-define.h"
#include "window/vt-tuning.h"

#include <glib/gi18n.h>

static VtPlayer *
get_player(gpointer window)
{
  return vt_tuning_get(vt_window_get_pane(window))->player;
}

static void
focus(gpointer window)
{
  gtk_widget_grab_focus(GTK_WIDGET(vt_pane_get_canvas(vt_window_get_pane(window))));
}

/* The one that is seen alone, else the topmost that is seen, else the last. */
static guint
find_stage(VtAnalysis *analysis)
{
  GListModel *layers = vt_analysis_get_layers(analysis);
  guint stage = vt_analysis_get_op(analysis)->n_stages - 1;
  VT_EACH_ITEM (VtLayer, layer, layers)
    if (vt_layer_get_kind(layer) != VT_LAYER_SLIDE && vt_layer_get_seen(layer))
      stage = vt_layer_get_stage_index(layer);
  return stage;
}

/* The only one that is selected; NULL: none, or several. Borrowed. */
static const VtRoi *
get_region(VtPane *pane)
{
  g_autoptr(GPtrArray) selected = vt_roi_table_dup_selected_areas(vt_pane_get_roi_table(pane));
  return selected->len == 1 ? vt_roi_item_get_roi(selected->pdata[0]) : NULL;
}

static void
act_player(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  VtAnalysis *analysis = vt_pane_get_analysis(pane);
  VtPlayer *player = get_player(window);
  g_autoptr(GError) error = NULL;
  focus(window);
  if (vt_player_is_open(player))
    vt_player_close(player);
  else if (!vt_pane_get_slide(pane) || !vt_analysis_get_op(analysis))
    vt_pane_show_error(pane, _("There is no analysis that could be played."), VT_MESSAGE_ANSWER);
  else if (!vt_player_open(player, find_stage(analysis), vt_canvas_get_view(vt_pane_get_canvas(pane)), get_region(pane),
                           &error))
    vt_pane_show_error(pane, error->message, VT_MESSAGE_ANSWER);
}

static void
act_close(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  vt_player_close(get_player(window));
  focus(window);
}

static void
act_again(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  g_autoptr(GError) error = NULL;
  if (!vt_player_again(get_player(window), vt_canvas_get_view(vt_pane_get_canvas(pane)), &error) && error)
    vt_pane_show_error(pane, error->message, VT_MESSAGE_ANSWER);
}

static gboolean
has_wave(gpointer window)
{
  if (vt_player_get_wave(get_player(window)))
    return TRUE;
  vt_pane_show_error(vt_window_get_pane(window), _("Nothing is played. Shift+A begins a replay."), VT_MESSAGE_ANSWER);
  return FALSE;
}

static void
act_play(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPlayer *player = get_player(window);
  if (has_wave(window))
    vt_player_set_playing(player, !vt_player_get_playing(player));
}

static void
act_step(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPlayer *player = get_player(window);
  if (!has_wave(window))
    return;
  vt_player_set_playing(player, FALSE);
  vt_player_seek(player, (gint64)vt_player_get_tick(player) + CLAMP(g_variant_get_int32(parameter), -1, 1));
}

static void
act_event(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPlayer *player = get_player(window);
  if (!has_wave(window))
    return;
  vt_player_set_playing(player, FALSE);
  if (!vt_player_jump(player, g_variant_get_int32(parameter)))
    vt_pane_show_error(vt_window_get_pane(window), _("Nothing begins or meets there any more."), VT_MESSAGE_ANSWER);
}

const GActionEntry vt_window_player_actions[] = {
  { .name = "player", .activate = act_player },
  { .name = "player-close", .activate = act_close },
  { .name = "player-again", .activate = act_again },
  { .name = "player-play", .activate = act_play },
  { .name = "player-step", .activate = act_step, .parameter_type = "i" },
  { .name = "player-event", .activate = act_event, .parameter_type = "i" },
  { NULL },
};
