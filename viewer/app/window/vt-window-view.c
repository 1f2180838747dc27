/* SPDX-License-Identifier: MIT */
#include <glib/gi18n.h>

#include "common/vt-action-list.h"
#include "panels/vt-magnification.h"
#include "common/vt-test-log.h"
#include "common/vt-widgets.h"
#include "panels/vt-plot-hands.h"
#include "window/vt-window-private.h"

#define ZOOM_STEP 1.4142135623730951 /* two steps double */

static VtCanvas *
get_canvas(gpointer window)
{
  return vt_pane_get_canvas(vt_window_get_pane(window));
}

VT_ACT(zoom_in, vt_canvas_zoom_by(get_canvas(window), ZOOM_STEP))
VT_ACT(zoom_out, vt_canvas_zoom_by(get_canvas(window), 1 / ZOOM_STEP))
VT_ACT(zoom_fit, vt_canvas_fit(get_canvas(window)))
VT_ACT(zoom_one, vt_canvas_set_downsample(get_canvas(window), 1))
VT_ACT(zoom_two, vt_canvas_set_downsample(get_canvas(window), 0.5))

static void
act_magnification(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtSlide *slide = vt_pane_get_slide(vt_window_get_pane(window));
  double power;
  if (slide && vt_action_get_number(parameter, 0.001, 1000, &power))
    vt_canvas_set_downsample(get_canvas(window), vt_magnification_get_downsample(slide, power));
}

static void
act_turn(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  double degrees;
  if (vt_action_get_number(parameter, -360, 360, &degrees))
    vt_canvas_turn(get_canvas(window), degrees);
}

VT_ACT(mirror, vt_canvas_mirror(get_canvas(window)))
VT_ACT(upright, vt_canvas_set_upright(get_canvas(window)))

static const char *const tools[] = {
  [VT_TOOL_MOVE] = "hand",       [VT_TOOL_RECTANGLE] = "rectangle", [VT_TOOL_POLYGON] = "polygon",
  [VT_TOOL_ELLIPSE] = "ellipse", [VT_TOOL_BRUSH] = "brush",         [VT_TOOL_WAND] = "wand",
  [VT_TOOL_LINE] = "line",       [VT_TOOL_POINTS] = "points",       [VT_TOOL_OBJECT] = "object",
  [VT_TOOL_REDRAW] = "redraw",   [VT_TOOL_SPLIT] = "split"
};

static void
act_tool(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtTool tool = VT_TOOL_MOVE;
  for (guint i = 0; i < G_N_ELEMENTS(tools); i++)
    if (g_str_equal(g_variant_get_string(parameter, NULL), tools[i]))
      tool = (VtTool)i;
  vt_canvas_set_tool(get_canvas(window), tool);
  vt_test_log("tool %s", tools[tool]);
}

/* The keyboard goes to the slide: Return and Backspace are for what is drawn there. */
static void
act_corner(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtCanvas *canvas = get_canvas(window);
  gtk_widget_grab_focus(GTK_WIDGET(canvas));
  if (!vt_canvas_put_corner(canvas))
    vt_window_toast(window, _("Choose a tool first: R for a rectangle, P for a polygon."));
}

/* The rows of a table rather than what stands above them; of a list that has rows the first. */
static gboolean
focus_rows(GtkWidget *widget)
{
  gboolean done = FALSE;
  if (!gtk_widget_get_mapped(widget))
    return FALSE;
  if (GTK_IS_LIST_VIEW(widget))
    return gtk_widget_child_focus(widget, GTK_DIR_TAB_FORWARD);
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !done;
       child = gtk_widget_get_next_sibling(child))
    done = focus_rows(child);
  return done;
}

static gboolean
focus_first(GtkWidget *widget)
{
  gboolean done = FALSE;
  if (!gtk_widget_get_mapped(widget) || !gtk_widget_get_can_focus(widget))
    return FALSE;
  if (gtk_widget_get_focusable(widget) && gtk_widget_is_sensitive(widget) && !GTK_IS_SCROLLED_WINDOW(widget))
    return gtk_widget_grab_focus(widget);
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !done;
       child = gtk_widget_get_next_sibling(child))
    done = focus_first(child);
  return done;
}

/* Slide, strip of stages, table, side panel, header bar. */
static void
act_part(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtWindow *self = window;
  GtkWidget *parts[] = { GTK_WIDGET(get_canvas(self)), GTK_WIDGET(self->stage_rail), GTK_WIDGET(self->roi_stack),
                         GTK_WIDGET(self->sidebar_stack),
                         gtk_widget_get_ancestor(GTK_WIDGET(self->open_button), ADW_TYPE_HEADER_BAR) };
  const int n = G_N_ELEMENTS(parts), step = g_variant_get_int32(parameter) < 0 ? n - 1 : 1;
  GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(self));
  int at = 0;
  for (int i = 0; i < n && focus; i++)
    at = focus == parts[i] || gtk_widget_is_ancestor(focus, parts[i]) ? i : at;
  for (int k = 1, done = 0; k < n && !done; k++)
    done = focus_rows(parts[(at + k * step) % n]) || focus_first(parts[(at + k * step) % n]);
}

/* GTK's own panes would take the key, and know of two parts. */
static gboolean
on_part_key(GtkEventController *controller, guint key, guint code, GdkModifierType state, VtWindow *self)
{
  const GdkModifierType keys = state & gtk_accelerator_get_default_mod_mask();
  if (key != GDK_KEY_F6 || (keys & ~GDK_SHIFT_MASK))
    return GDK_EVENT_PROPAGATE;
  g_action_group_activate_action(G_ACTION_GROUP(self), "part", g_variant_new_int32(keys ? -1 : 1));
  return GDK_EVENT_STOP;
}

static void
act_snap(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtCanvas *canvas = get_canvas(window);
  const gboolean snaps = !vt_canvas_get_snaps(canvas);
  vt_canvas_set_snaps(canvas, snaps);
  g_simple_action_set_state(action, g_variant_new_boolean(snaps));
  vt_test_log("snap %d", snaps);
  vt_window_toast(window, snaps ? _("Corners that are drawn or dragged snap to outlines of regions and objects nearby.")
                                : _("Corners stay where they are put."));
}

/* FALSE: there is nothing that Escape ends. */
static gboolean
take_escape(gpointer window)
{
  VtWhy *why = vt_pane_get_why(vt_window_get_pane(window));
  gint64 x, y;
  GtkWidget *focus = gtk_window_get_focus(window);
  if (vt_spin_button_take_escape(focus) || vt_plot_take_escape(focus))
    return TRUE;
  if (vt_canvas_is_drawing(get_canvas(window)) || !vt_why_get_place(why, &x, &y))
    return vt_canvas_escape(get_canvas(window));
  g_action_group_activate_action(G_ACTION_GROUP(window), "why-close", NULL);
  return TRUE;
}

VT_ACT(escape, take_escape(window))

/* Before the overlay of toasts takes the key for one that is shown: that goes by itself, a tool does not. */
static gboolean
on_key_below_toasts(GtkEventController *controller, guint key, guint code, GdkModifierType state, VtWindow *self)
{
  return key == GDK_KEY_Escape && !(state & gtk_accelerator_get_default_mod_mask()) && self->page && take_escape(self);
}

static void
act_fullscreen(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  if (gtk_window_is_fullscreen(window))
    gtk_window_unfullscreen(window);
  else
    gtk_window_fullscreen(window);
}

static void
act_minimap(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtWindow *self = VT_WINDOW(window);
  g_autoptr(GPtrArray) panes = vt_window_list_panes(self);
  self->minimap = !self->minimap;
  for (guint i = 0; i < panes->len; i++)
    g_object_set(vt_pane_get_minimap(panes->pdata[i]), "enabled", self->minimap, NULL);
  g_simple_action_set_state(action, g_variant_new_boolean(self->minimap));
}

VT_ACT(colour, gtk_menu_button_popup(VT_WINDOW(window)->colour_button))

static void
set_panes(VtWindow *self, gboolean go_on, gpointer n)
{
  if (go_on)
    vt_page_set_n_panes(self->page, GPOINTER_TO_UINT(n));
}

static void
act_panes(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPage *page = VT_WINDOW(window)->page;
  guint n = (guint)g_variant_get_int32(parameter);
  if (n != 1 && n != 2 && n != 4)
    return;
  vt_window_ask_unsaved(window, vt_page_dup_surplus(page, n), set_panes, GUINT_TO_POINTER(n));
}

VT_ACT(next_pane, vt_page_activate_next(VT_WINDOW(window)->page))

static void
act_linked(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPage *page = VT_WINDOW(window)->page;
  vt_page_set_linked(page, !vt_page_get_linked(page));
}

static const GActionEntry entries[] = {
  { .name = "zoom-in", .activate = act_zoom_in },
  { .name = "zoom-out", .activate = act_zoom_out },
  { .name = "zoom-fit", .activate = act_zoom_fit },
  { .name = "zoom-one", .activate = act_zoom_one },
  { .name = "zoom-two", .activate = act_zoom_two },
  { .name = "magnification", .activate = act_magnification, .parameter_type = "d", .state = "0.0" },
  { .name = "turn", .activate = act_turn, .parameter_type = "d" },
  { .name = "mirror", .activate = act_mirror, .state = "false" },
  { .name = "upright", .activate = act_upright },
  { .name = "tool", .activate = act_tool, .parameter_type = "s", .state = "'hand'" },
  { .name = "snap", .activate = act_snap, .state = "false" },
  { .name = "corner", .activate = act_corner },
  { .name = "part", .activate = act_part, .parameter_type = "i" },
  { .name = "escape", .activate = act_escape },
  { .name = "fullscreen", .activate = act_fullscreen, .state = "false" },
  { .name = "minimap", .activate = act_minimap, .state = "true" },
  { .name = "colour", .activate = act_colour },
  { .name = "panes", .activate = act_panes, .parameter_type = "i", .state = "1" },
  { .name = "next-pane", .activate = act_next_pane },
  { .name = "linked", .activate = act_linked, .state = "true" },
};

static GSimpleAction *
get_action(VtWindow *self, const char *name)
{
  return G_SIMPLE_ACTION(g_action_map_lookup_action(G_ACTION_MAP(self), name));
}

static void
on_fullscreened(VtWindow *self)
{
  g_simple_action_set_state(get_action(self, "fullscreen"),
                            g_variant_new_boolean(gtk_window_is_fullscreen(GTK_WINDOW(self))));
}

void
vt_window_update_view(VtWindow *self)
{
  VtPane *pane = vt_window_get_pane(self);
  VtSlide *slide = vt_pane_get_slide(pane);
  VtCanvas *canvas = vt_pane_get_canvas(pane);
  const VtViewport *view = vt_canvas_get_view(canvas);
  const char *tool = tools[vt_canvas_get_tool(canvas)];
  gboolean known = slide && vt_magnification_get_downsample(slide, 1) > 0;
  guint n_panes = vt_page_get_n_panes(self->page);
  vt_window_enable(self, "zoom-in zoom-out zoom-fit zoom-one zoom-two turn mirror upright colour tool snap",
                   slide != NULL);
  gtk_widget_set_sensitive(GTK_WIDGET(self->colour_button), slide != NULL);
  vt_window_enable(self, "panes", slide || n_panes > 1);
  vt_window_enable(self, "magnification", known);
  vt_window_enable(self, "next-pane linked", n_panes > 1);
  g_simple_action_set_state(get_action(self, "magnification"),
                            g_variant_new_double(known ? vt_magnification_find(slide, view->downsample) : 0));
  g_simple_action_set_state(get_action(self, "mirror"), g_variant_new_boolean(view->mirrored));
  g_simple_action_set_state(get_action(self, "tool"), g_variant_new_string(tool));
  g_simple_action_set_state(get_action(self, "snap"), g_variant_new_boolean(vt_canvas_get_snaps(canvas)));
  g_simple_action_set_state(get_action(self, "panes"), g_variant_new_int32((gint32)n_panes));
  g_simple_action_set_state(get_action(self, "linked"), g_variant_new_boolean(vt_page_get_linked(self->page)));
}

static void
load_colour(VtWindow *self)
{
  VtPane *pane = vt_window_get_pane(self);
  vt_colour_popover_set_canvas(self->colour_popover, vt_pane_get_canvas(pane), vt_pane_get_slide(pane));
}

void
vt_window_init_view(VtWindow *self)
{
  g_autoptr(GMenu) magnifications = vt_magnification_new_menu();
  g_action_map_add_action_entries(G_ACTION_MAP(self), entries, G_N_ELEMENTS(entries), self);
  g_menu_prepend_submenu(self->view_section, _("_Magnification"), G_MENU_MODEL(magnifications));
  g_signal_connect_object(self->colour_popover, "map", G_CALLBACK(load_colour), self, G_CONNECT_SWAPPED);
  g_signal_connect(self, "notify::fullscreened", G_CALLBACK(on_fullscreened), NULL);
  GtkEventController *keys = gtk_event_controller_key_new();
  g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key_below_toasts), self);
  gtk_widget_add_controller(GTK_WIDGET(self->toasts), keys);
  GtkEventController *part = gtk_event_controller_key_new();
  gtk_event_controller_set_propagation_phase(part, GTK_PHASE_CAPTURE);
  g_signal_connect(part, "key-pressed", G_CALLBACK(on_part_key), self);
  gtk_widget_add_controller(GTK_WIDGET(self), part);
}
