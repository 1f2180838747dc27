/* SPDX-License-Identifier: MIT */
#include "dialogs/vt-preferences.h"

#include <glib/gi18n.h>

#include "common/vt-settings.h"
#include "slide/vt-slide.h"
#include "common/vt-tile-store.h"

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

static void
vt_preferences_dispose(GObject *object)
{
  g_clear_handle_id(&VT_PREFERENCES(object)->meter_id, g_source_remove);
  G_OBJECT_CLASS(vt_preferences_parent_class)->dispose(object);
}

static void
vt_preferences_class_init(VtPreferencesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = vt_preferences_dispose;
  gtk_widget_class_set_template_from_resource(widget_class, "/io/github/vitrail/Vitrail/vt-preferences.ui");
  gtk_widget_class_bind_template_child(widget_class, VtPreferences, tile_budget);
  gtk_widget_class_bind_template_child(widget_class, VtPreferences, picture_budget);
  gtk_widget_class_bind_template_child(widget_class, VtPreferences, tile_meter);
  gtk_widget_class_bind_template_child(widget_class, VtPreferences, picture_meter);
  gtk_widget_class_bind_template_child(widget_class, VtPreferences, tile_row);
  gtk_widget_class_bind_template_child(widget_class, VtPreferences, picture_row);
  gtk_widget_class_bind_template_child(widget_class, VtPreferences, colour_scheme);
  gtk_widget_class_bind_template_child(widget_class, VtPreferences, wheel_pans);
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
}

GtkWidget *
vt_preferences_new(GtkWindow *parent)
{
  return g_object_new(VT_TYPE_PREFERENCES, "transient-for", parent, "modal", TRUE, NULL);
}
