/* SPDX-License-Identifier: MIT */
#include "dialogs/vt-preferences.h"

#include <glib/gi18n.h>

#include "base/vt-define.h"
#include "common/vt-owned.h"
#include "common/vt-settings.h"
#include "common/vt-template.h"
#include "slide/vt-slide.h"
#include "common/vt-tile-store.h"
#include "common/vt-test-log.h"
#include "plugins/vt-plugin-host.h"
#include "plugins/vt-plugin-probe.h"

#define METER_MS 500

struct _VtPreferences {
  AdwPreferencesWindow parent;
  guint meter_id;

  /* template */
  GtkSpinButton *tile_budget, *picture_budget;
  GtkLevelBar *tile_meter, *picture_meter;
  AdwActionRow *tile_row, *picture_row;
  AdwComboRow *colour_scheme;
  GtkSwitch *wheel_pans;
  AdwPreferencesGroup *plugins;
  GtkButton *try_again;
};

G_DEFINE_FINAL_TYPE(VtPreferences, vt_preferences, ADW_TYPE_PREFERENCES_WINDOW)

/* In the order of the combo box. */
static const AdwColorScheme schemes[] = { ADW_COLOR_SCHEME_DEFAULT, ADW_COLOR_SCHEME_FORCE_LIGHT,
                                          ADW_COLOR_SCHEME_FORCE_DARK };

static void
show_meter(GtkLevelBar *bar, AdwActionRow *row, gsize used, guint budget)
{
  double mib = (double)used / (1 << 20);
  g_autofree char *text = g_strdup_printf(_("%.0f of %u MiB in use"), mib, budget);
  gtk_level_bar_set_value(bar, CLAMP(mib / MAX(budget, 1), 0, 1));
  adw_action_row_set_subtitle(row, text);
}

static gboolean
update_meters(gpointer data)
{
  VtPreferences *self = data;
  guint tiles, pictures;
  g_object_get(vt_settings_get(), "tile-budget", &tiles, "picture-budget", &pictures, NULL);
  show_meter(self->tile_meter, self->tile_row, vt_tile_cache_get_used(), tiles);
  show_meter(self->picture_meter, self->picture_row, vt_tile_store_get_used(), pictures);
  return G_SOURCE_CONTINUE;
}

static gboolean
scheme_to_index(GBinding *binding, const GValue *from, GValue *to, gpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS(schemes); i++)
    if (schemes[i] == (AdwColorScheme)g_value_get_enum(from))
      g_value_set_uint(to, i);
  return TRUE;
}

static gboolean
index_to_scheme(GBinding *binding, const GValue *from, GValue *to, gpointer data)
{
  guint index = g_value_get_uint(from);
  g_value_set_enum(to, index < G_N_ELEMENTS(schemes) ? schemes[index] : ADW_COLOR_SCHEME_DEFAULT);
  return TRUE;
}

/* --- plugins --- */

static void
add_row(VtPreferences *self, const char *title, const char *subtitle)
{
  GtkWidget *row = adw_action_row_new();
  adw_preferences_row_set_use_markup(ADW_PREFERENCES_ROW(row), FALSE);
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), title);
  adw_action_row_set_subtitle(ADW_ACTION_ROW(row), subtitle);
  adw_action_row_set_subtitle_lines(ADW_ACTION_ROW(row), 0);
  adw_preferences_group_add(self->plugins, row);
}

static void
list_plugins(VtPreferences *self)
{
  VtPluginHost *host = vt_plugin_host_get();
  GPtrArray *plugins = vt_plugin_host_get_plugins(host), *failures = vt_plugin_host_get_failures(host);
  VT_EACH_OF (const VitrailPlugin, plugin, plugins) {
    g_autofree char *title = g_strdup_printf("%s %s", plugin->title, plugin->version);
    g_autofree char *shown = vt_error_dup_path(vt_plugin_host_get_path(host, plugin));
    g_autofree char *subtitle = g_strdup_printf(
      g_dngettext(NULL, "%u analysis, in %s", "%u analyses, in %s", plugin->n_ops), plugin->n_ops, shown);
    add_row(self, title, subtitle);
  }
  GListModel *trying = vt_plugin_host_get_trying(host);
  for (guint i = 0; i < g_list_model_get_n_items(trying); i++) {
    g_autoptr(GFile) file = g_list_model_get_item(trying, i);
    g_autofree char *title = vt_error_dup_name(g_file_peek_path(file));
    add_row(self, title, _("Being tried; offered when it has answered"));
  }
  VT_EACH_OF (const VtPluginFailure, failure, failures) {
    g_autofree char *name = vt_error_dup_name(failure->path);
    g_autofree char *title = g_strdup_printf(_("Not used: %s"), name);
    add_row(self, title, failure->reason);
  }
  gtk_widget_set_visible(GTK_WIDGET(self->try_again), failures->len > 0);
}

/* Modules are loaded once, at the start. */
static void
on_try_again(VtPreferences *self)
{
  vt_plugin_probe_forget();
  gtk_widget_set_sensitive(GTK_WIDGET(self->try_again), FALSE);
  adw_preferences_window_add_toast(ADW_PREFERENCES_WINDOW(self),
                                   adw_toast_new(_("All plugin files are tried again at the next start")));
  vt_test_log("plugins-again");
}

static void
vt_preferences_class_init(VtPreferencesClass *klass)
{
  VT_SOURCES(klass, VtPreferences, meter_id);
  VT_TEMPLATE(klass, VtPreferences, "vt-preferences", tile_budget, picture_budget, tile_meter, picture_meter, tile_row,
              picture_row, colour_scheme, wheel_pans, plugins, try_again);
}

static void
vt_preferences_init(VtPreferences *self)
{
  VtSettings *settings = vt_settings_get();
  GBindingFlags both = G_BINDING_SYNC_CREATE | G_BINDING_BIDIRECTIONAL;
  gtk_widget_init_template(GTK_WIDGET(self));
  g_object_bind_property(settings, "tile-budget", gtk_spin_button_get_adjustment(self->tile_budget), "value", both);
  g_object_bind_property(settings, "picture-budget", gtk_spin_button_get_adjustment(self->picture_budget), "value",
                         both);
  g_object_bind_property(settings, "wheel-pans", self->wheel_pans, "active", both);
  g_object_bind_property_full(settings, "colour-scheme", self->colour_scheme, "selected", both, scheme_to_index,
                              index_to_scheme, NULL, NULL);
  self->meter_id = g_timeout_add(METER_MS, update_meters, self);
  update_meters(self);
  g_signal_connect_object(self->try_again, "clicked", G_CALLBACK(on_try_again), self, G_CONNECT_SWAPPED);
  list_plugins(self);
}

GtkWidget *
vt_preferences_new(GtkWindow *parent)
{
  return g_object_new(VT_TYPE_PREFERENCES, "transient-for", parent, "modal", TRUE, NULL);
}
