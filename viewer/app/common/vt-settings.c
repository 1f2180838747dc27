/* SPDX-License-Identifier: MIT */
#include "common/vt-settings.h"

#include "base/vt-define.h"
#include "slide/vt-slide.h"
#include "common/vt-tile-store.h"

#define SCHEMA "io.github.vitrail.Vitrail"

struct _VtSettings {
  GObject parent;
  GSettings *store; /* NULL: no schema */
  guint tile_budget, picture_budget;
  AdwColorScheme colour_scheme;
  gboolean wheel_pans;
  char *run_on;
  guint picture_parts, picture_factor;
};

G_DEFINE_FINAL_TYPE(VtSettings, vt_settings, G_TYPE_OBJECT)

enum {
  PROP_TILE_BUDGET = 1,
  PROP_PICTURE_BUDGET,
  PROP_COLOUR_SCHEME,
  PROP_WHEEL_PANS,
  PROP_RUN_ON,
  PROP_PICTURE_PARTS,
  PROP_PICTURE_FACTOR,
  N_PROPS
};
static GParamSpec *properties[N_PROPS];

VT_GETTER(gboolean, vt_settings_get_wheel_pans, VtSettings, wheel_pans)
VT_GETTER(const char *, vt_settings_get_run_on, VtSettings, run_on)
VT_GETTER(guint, vt_settings_get_picture_parts, VtSettings, picture_parts)
VT_GETTER(guint, vt_settings_get_picture_factor, VtSettings, picture_factor)

static void
vt_settings_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  VtSettings *self = VT_SETTINGS(object);
  switch (id) {
  case PROP_TILE_BUDGET:
    self->tile_budget = g_value_get_uint(value);
    vt_tile_cache_set_budget((gsize)self->tile_budget << 20);
    break;
  case PROP_PICTURE_BUDGET:
    self->picture_budget = g_value_get_uint(value);
    vt_tile_store_set_budget((gsize)self->picture_budget << 20);
    break;
  case PROP_COLOUR_SCHEME:
    self->colour_scheme = g_value_get_enum(value);
    adw_style_manager_set_color_scheme(adw_style_manager_get_default(), self->colour_scheme);
    break;
  case PROP_WHEEL_PANS: self->wheel_pans = g_value_get_boolean(value); break;
  case PROP_RUN_ON:
    g_free(self->run_on);
    self->run_on = g_value_dup_string(value);
    break;
  case PROP_PICTURE_PARTS: self->picture_parts = g_value_get_uint(value); break;
  case PROP_PICTURE_FACTOR: self->picture_factor = g_value_get_uint(value); break;
  default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
}

static void
vt_settings_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  VtSettings *self = VT_SETTINGS(object);
  switch (id) {
  case PROP_TILE_BUDGET: g_value_set_uint(value, self->tile_budget); break;
  case PROP_PICTURE_BUDGET: g_value_set_uint(value, self->picture_budget); break;
  case PROP_COLOUR_SCHEME: g_value_set_enum(value, self->colour_scheme); break;
  case PROP_WHEEL_PANS: g_value_set_boolean(value, self->wheel_pans); break;
  case PROP_RUN_ON: g_value_set_string(value, self->run_on); break;
  case PROP_PICTURE_PARTS: g_value_set_uint(value, self->picture_parts); break;
  case PROP_PICTURE_FACTOR: g_value_set_uint(value, self->picture_factor); break;
  default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
}

static void
vt_settings_class_init(VtSettingsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  GParamFlags flags = G_PARAM_READWRITE | G_PARAM_CONSTRUCT | G_PARAM_STATIC_STRINGS;
  object_class->set_property = vt_settings_set_property;
  object_class->get_property = vt_settings_get_property;
  properties[PROP_TILE_BUDGET] = g_param_spec_uint("tile-budget", NULL, NULL, 64, 65536, 512, flags);
  properties[PROP_PICTURE_BUDGET] = g_param_spec_uint("picture-budget", NULL, NULL, 64, 65536, 256, flags);
  properties[PROP_COLOUR_SCHEME] =
    g_param_spec_enum("colour-scheme", NULL, NULL, ADW_TYPE_COLOR_SCHEME, ADW_COLOR_SCHEME_DEFAULT, flags);
  properties[PROP_WHEEL_PANS] = g_param_spec_boolean("wheel-pans", NULL, NULL, FALSE, flags);
  properties[PROP_RUN_ON] = g_param_spec_string("run-on", NULL, NULL, "view", flags);
  properties[PROP_PICTURE_PARTS] = g_param_spec_uint("picture-parts", NULL, NULL, 0, 15, 15, flags);
  properties[PROP_PICTURE_FACTOR] = g_param_spec_uint("picture-factor", NULL, NULL, 1, 4, 2, flags);
  g_object_class_install_properties(object_class, N_PROPS, properties);
}

/* g_settings_new() would end the program where the schema is missing. */
static GSettings *
open_store(void)
{
  g_autoptr(GSettingsSchema) schema = NULL;
  GSettingsSchemaSource *source = g_settings_schema_source_get_default();
  if (source)
    schema = g_settings_schema_source_lookup(source, SCHEMA, TRUE);
  if (!schema) {
    g_message("The settings schema " SCHEMA " is not installed: preferences are not kept.");
    return NULL;
  }
  return g_settings_new_full(schema, NULL, NULL);
}

VT_EMPTY_INIT(VtSettings, vt_settings)

VtSettings *
vt_settings_get(void)
{
  static VtSettings *settings = NULL;
  if (settings)
    return settings;
  settings = g_object_new(VT_TYPE_SETTINGS, NULL);
  settings->store = open_store();
  for (guint i = 1; settings->store && i < N_PROPS; i++)
    g_settings_bind(settings->store, properties[i]->name, settings, properties[i]->name, G_SETTINGS_BIND_DEFAULT);
  return settings;
}

void
vt_settings_add_window(VtSettings *self, GtkWindow *window)
{
  static const struct {
    const char *key, *property;
  } kept[] = {
    { "window-width", "default-width" },
    { "window-height", "default-height" },
    { "window-maximized", "maximized" },
  };
  for (guint i = 0; self->store && i < G_N_ELEMENTS(kept); i++)
    g_settings_bind(self->store, kept[i].key, window, kept[i].property,
                    G_SETTINGS_BIND_GET_NO_CHANGES | G_SETTINGS_BIND_DEFAULT);
}

void
vt_settings_add_split(VtSettings *self, GtkPaned *paned, const char *key)
{
  if (self->store)
    g_settings_bind(self->store, key, paned, "position", G_SETTINGS_BIND_GET_NO_CHANGES | G_SETTINGS_BIND_DEFAULT);
}
