/* SPDX-License-Identifier: MIT */
#include "vt-window-private.h"

#include <glib/gi18n.h>

#define ZOOM_STEP 1.4142135623730951 /* two steps double */

static void
act_open(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  vt_window_choose_slide(VT_WINDOW(window));
}

static void
act_open_uri(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  g_autoptr(GFile) file = g_file_new_for_uri(g_variant_get_string(parameter, NULL));
  vt_window_open(VT_WINDOW(window), file);
}

static void
act_zoom_in(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  vt_canvas_zoom_by(VT_WINDOW(window)->canvas, ZOOM_STEP);
}

static void
act_zoom_out(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  vt_canvas_zoom_by(VT_WINDOW(window)->canvas, 1 / ZOOM_STEP);
}

static void
act_zoom_fit(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  vt_canvas_fit(VT_WINDOW(window)->canvas);
}

static void
act_zoom_one(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  vt_canvas_set_downsample(VT_WINDOW(window)->canvas, 1);
}

static void
act_zoom_two(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  vt_canvas_set_downsample(VT_WINDOW(window)->canvas, 0.5);
}

static void
act_hand(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  vt_canvas_set_tool(VT_WINDOW(window)->canvas, VT_TOOL_HAND);
}

static void
act_rectangle(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  vt_canvas_set_tool(VT_WINDOW(window)->canvas, VT_TOOL_RECTANGLE);
}

static void
act_escape(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  vt_canvas_escape(VT_WINDOW(window)->canvas);
}

static void
act_run(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  vt_analysis_run(VT_WINDOW(window)->analysis);
}

static void
act_cancel(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  vt_analysis_cancel(VT_WINDOW(window)->analysis);
}

static void
act_live(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtAnalysis *analysis = VT_WINDOW(window)->analysis;
  vt_analysis_set_live(analysis, !vt_analysis_get_live(analysis));
}

static void
act_retry(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtWindow *self = VT_WINDOW(window);
  vt_window_hide_error(self);
  if (self->slide)
    vt_tile_store_retry(vt_canvas_get_store(self->canvas));
}

static void
act_close_message(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  vt_window_hide_error(VT_WINDOW(window));
}

static void
act_delete_roi(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  vt_roi_table_delete_selected(VT_WINDOW(window)->roi_table);
}

static void
act_export_results(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  if (parameter)
    vt_window_export_results(VT_WINDOW(window), g_variant_get_string(parameter, NULL));
  else
    vt_window_choose_results_folder(VT_WINDOW(window));
}

static void
act_export_rois(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  if (parameter)
    vt_window_export_rois(VT_WINDOW(window), g_variant_get_string(parameter, NULL));
  else
    vt_window_choose_rois_file(VT_WINDOW(window));
}

static void
act_sidebar(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  AdwFlap *flap = VT_WINDOW(window)->flap;
  adw_flap_set_reveal_flap(flap, !adw_flap_get_reveal_flap(flap));
}

static void
act_regions(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  GtkWidget *table = GTK_WIDGET(VT_WINDOW(window)->roi_table);
  gtk_widget_set_visible(table, !gtk_widget_get_visible(table));
}

static const struct {
  const char *name, *parameter;
  void (*activate)(GSimpleAction *action, GVariant *parameter, gpointer window);
  const char *triggers[4]; /* keys, when nothing that has the focus wants them; menus show the last */
} actions[] = {
  { "open", NULL, act_open, { "<Control>o" } },
  { "open-uri", "s", act_open_uri, { NULL } },
  { "zoom-in", NULL, act_zoom_in, { "plus", "equal", "KP_Add" } },
  { "zoom-out", NULL, act_zoom_out, { "minus", "KP_Subtract" } },
  { "zoom-fit", NULL, act_zoom_fit, { "KP_0", "0" } },
  { "zoom-one", NULL, act_zoom_one, { "KP_1", "1" } },
  { "zoom-two", NULL, act_zoom_two, { "KP_2", "2" } },
  { "hand", NULL, act_hand, { "h" } },
  { "rectangle", NULL, act_rectangle, { "r" } },
  { "escape", NULL, act_escape, { "Escape" } },
  { "run", NULL, act_run, { "F5" } },
  { "cancel", NULL, act_cancel, { "<Shift>F5" } },
  { "live", NULL, act_live, { "l" } },
  { "retry", NULL, act_retry, { NULL } },
  { "close-message", NULL, act_close_message, { NULL } },
  { "delete-roi", NULL, act_delete_roi, { "Delete" } },
  { "export-results", NULL, act_export_results, { "<Control>e" } },
  { "export-results-to", "s", act_export_results, { NULL } },
  { "export-rois-csv", NULL, act_export_rois, { "<Control><Shift>e" } },
  { "export-rois-to", "s", act_export_rois, { NULL } },
  { "sidebar", NULL, act_sidebar, { "F9" } },
  { "regions", NULL, act_regions, { "t" } },
};

static void
set_enabled(VtWindow *self, const char *name, gboolean enabled)
{
  g_simple_action_set_enabled(G_SIMPLE_ACTION(g_action_map_lookup_action(G_ACTION_MAP(self), name)), enabled);
}

void
vt_window_update_actions(VtWindow *self)
{
  static const char *const need_slide[] = { "zoom-in",  "zoom-out", "zoom-fit", "zoom-one",
                                            "zoom-two", "hand",     "rectangle" };
  gboolean has_slide = self->slide != NULL;
  for (guint i = 0; i < G_N_ELEMENTS(need_slide); i++)
    set_enabled(self, need_slide[i], has_slide);
  set_enabled(self, "run", has_slide && vt_analysis_get_op(self->analysis));
  set_enabled(self, "export-results", vt_analysis_get_result(self->analysis) != NULL);
  set_enabled(self, "export-rois-csv", g_list_model_get_n_items(G_LIST_MODEL(self->rois)) > 0);
  set_enabled(self, "cancel", vt_analysis_get_running(self->analysis));
}

static gboolean
tool_to_active(GBinding *binding, const GValue *from, GValue *to, gpointer tool)
{
  g_value_set_boolean(to, g_value_get_uint(from) == GPOINTER_TO_UINT(tool));
  return TRUE;
}

static gboolean
active_to_tool(GBinding *binding, const GValue *from, GValue *to, gpointer tool)
{
  if (!g_value_get_boolean(from))
    return FALSE;
  g_value_set_uint(to, GPOINTER_TO_UINT(tool));
  return TRUE;
}

static void
bind_tool(VtWindow *self, GtkToggleButton *button, VtTool tool)
{
  g_object_bind_property_full(self->canvas, "tool", button, "active", G_BINDING_SYNC_CREATE | G_BINDING_BIDIRECTIONAL,
                              tool_to_active, active_to_tool, GUINT_TO_POINTER(tool), NULL);
}

void
vt_window_init_actions(VtWindow *self)
{
  /* Keys bubble up from whatever has the focus, so typing a 1 into a field stays a 1. */
  GtkEventController *keys = gtk_shortcut_controller_new();
  for (guint i = 0; i < G_N_ELEMENTS(actions); i++) {
    GActionEntry entry = { .name = actions[i].name,
                           .parameter_type = actions[i].parameter,
                           .activate = actions[i].activate };
    g_action_map_add_action_entries(G_ACTION_MAP(self), &entry, 1, self);
    for (guint k = 0; k < G_N_ELEMENTS(actions[i].triggers) && actions[i].triggers[k]; k++) {
      GtkShortcutTrigger *trigger = gtk_shortcut_trigger_parse_string(actions[i].triggers[k]);
      g_autofree char *name = g_strconcat("win.", actions[i].name, NULL);
      GtkShortcut *shortcut = gtk_shortcut_new(trigger, gtk_named_action_new(name));
      gtk_shortcut_controller_add_shortcut(GTK_SHORTCUT_CONTROLLER(keys), shortcut);
    }
  }
  gtk_widget_add_controller(GTK_WIDGET(self), keys);
  bind_tool(self, self->hand_button, VT_TOOL_HAND);
  bind_tool(self, self->rectangle_button, VT_TOOL_RECTANGLE);
  g_signal_connect_object(self->analysis, "notify::running", G_CALLBACK(vt_window_update_actions), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->rois, "items-changed", G_CALLBACK(vt_window_update_actions), self, G_CONNECT_SWAPPED);
}
