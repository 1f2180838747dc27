/* SPDX-License-Identifier: MIT */
#include <glib/gi18n.h>
#include <math.h>

#include "vt-properties-window.h"
#include "vt-scale.h"
#include "vt-window-private.h"

static const double magnifications[] = { 1, 2.5, 5, 10, 20, 40 };

static double
get_downsample(VtWindow *self, double magnification)
{
  double mpp, mpp_y;
  if (!self->slide)
    return 0;
  vt_slide_get_mpp(self->slide, &mpp, &mpp_y);
  return vt_scale_get_downsample(mpp, vt_slide_get_objective_power(self->slide), magnification);
}

static void
act_magnification(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtWindow *self = VT_WINDOW(window);
  vt_canvas_set_downsample(self->canvas, get_downsample(self, g_variant_get_double(parameter)));
}

static void
act_turn(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  vt_canvas_turn(VT_WINDOW(window)->canvas, g_variant_get_double(parameter));
}

static void
act_mirror(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  vt_canvas_mirror(VT_WINDOW(window)->canvas);
}

static void
act_upright(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  vt_canvas_set_upright(VT_WINDOW(window)->canvas);
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
act_properties(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtWindow *self = VT_WINDOW(window);
  if (!self->properties)
    g_set_weak_pointer(&self->properties, vt_properties_window_new(GTK_WINDOW(self), self->slide));
  gtk_window_present(GTK_WINDOW(self->properties));
}

static const GActionEntry entries[] = {
  { .name = "magnification", .activate = act_magnification, .parameter_type = "d", .state = "0.0" },
  { .name = "turn", .activate = act_turn, .parameter_type = "d" },
  { .name = "mirror", .activate = act_mirror, .state = "false" },
  { .name = "upright", .activate = act_upright },
  { .name = "properties", .activate = act_properties },
  { .name = "fullscreen", .activate = act_fullscreen, .state = "false" },
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

static void
on_view_changed(VtWindow *self)
{
  double downsample = vt_canvas_get_view(self->canvas)->downsample, shown = 0;
  for (guint i = 0; i < G_N_ELEMENTS(magnifications); i++)
    if (fabs(get_downsample(self, magnifications[i]) / downsample - 1) < 1e-6)
      shown = magnifications[i];
  g_simple_action_set_state(get_action(self, "magnification"), g_variant_new_double(shown));
  g_simple_action_set_state(get_action(self, "mirror"),
                            g_variant_new_boolean(vt_canvas_get_view(self->canvas)->mirrored));
}

void
vt_window_update_view(VtWindow *self)
{
  if (self->slide)
    vt_minimap_set_slide(self->minimap, self->slide);
  if (self->properties)
    gtk_window_destroy(GTK_WINDOW(self->properties));
  g_simple_action_set_enabled(get_action(self, "properties"), self->slide != NULL);
  gboolean known = get_downsample(self, 1) > 0;
  g_simple_action_set_enabled(get_action(self, "magnification"), known);
  gtk_widget_set_tooltip_text(
    GTK_WIDGET(self->zoom_button),
    known
      ? _("Magnification (Alt+1 to Alt+6)")
      : _("The slide says neither how large its pixels are nor the power of its objective, so 1× to 40× are unknown."));
}

static void
add_shortcut(GtkEventController *keys, const char *trigger, const char *action, GVariant *target)
{
  GtkShortcut *shortcut = gtk_shortcut_new(gtk_shortcut_trigger_parse_string(trigger), gtk_named_action_new(action));
  gtk_shortcut_set_arguments(shortcut, target);
  gtk_shortcut_controller_add_shortcut(GTK_SHORTCUT_CONTROLLER(keys), shortcut);
}

/* One menu in two places, with its keys. */
static void
init_magnifications(VtWindow *self, GtkEventController *keys)
{
  g_autoptr(GMenu) menu = g_menu_new(), powers = g_menu_new(), pixels = g_menu_new();
  for (guint i = 0; i < G_N_ELEMENTS(magnifications); i++) {
    g_autofree char *label = g_strdup_printf("%g×", magnifications[i]);
    g_autofree char *trigger = g_strdup_printf("<Alt>%u", i + 1);
    g_autoptr(GMenuItem) item = g_menu_item_new(label, NULL);
    g_menu_item_set_action_and_target(item, "win.magnification", "d", magnifications[i]);
    g_menu_append_item(powers, item);
    add_shortcut(keys, trigger, "win.magnification", g_variant_new_double(magnifications[i]));
  }
  g_menu_append(pixels, _("_Whole Slide"), "win.zoom-fit");
  g_menu_append(pixels, _("1:_1"), "win.zoom-one");
  g_menu_append(pixels, _("_2:1"), "win.zoom-two");
  g_menu_append_section(menu, NULL, G_MENU_MODEL(powers));
  g_menu_append_section(menu, NULL, G_MENU_MODEL(pixels));
  gtk_menu_button_set_menu_model(self->zoom_button, G_MENU_MODEL(menu));
  g_menu_prepend_submenu(self->view_section, _("_Magnification"), G_MENU_MODEL(menu));
}

static void
init_turns(GtkEventController *keys)
{
  static const struct {
    const char *trigger;
    double degrees;
  } turns[] = { { "<Control>r", 90 }, { "<Control><Shift>r", -90 }, { "period", 15 }, { "comma", -15 } };
  for (guint i = 0; i < G_N_ELEMENTS(turns); i++)
    add_shortcut(keys, turns[i].trigger, "win.turn", g_variant_new_double(turns[i].degrees));
  add_shortcut(keys, "<Control>0", "win.upright", NULL);
  add_shortcut(keys, "f", "win.mirror", NULL);
}

void
vt_window_init_view(VtWindow *self)
{
  GtkEventController *keys = gtk_shortcut_controller_new();
  g_action_map_add_action_entries(G_ACTION_MAP(self), entries, G_N_ELEMENTS(entries), self);
  init_magnifications(self, keys);
  g_autoptr(GPropertyAction) minimap = g_property_action_new("minimap", self->minimap, "enabled");
  g_action_map_add_action(G_ACTION_MAP(self), G_ACTION(minimap));
  vt_minimap_set_canvas(self->minimap, self->canvas);
  init_turns(keys);
  add_shortcut(keys, "m", "win.minimap", NULL);
  add_shortcut(keys, "<Alt>Return", "win.properties", NULL);
  add_shortcut(keys, "F11", "win.fullscreen", NULL);
  gtk_widget_add_controller(GTK_WIDGET(self), keys);
  g_signal_connect(self, "notify::fullscreened", G_CALLBACK(on_fullscreened), NULL);
  g_signal_connect_object(self->canvas, "view-changed", G_CALLBACK(on_view_changed), self, G_CONNECT_SWAPPED);
  vt_window_update_view(self);
}
