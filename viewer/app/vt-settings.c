/* SPDX-License-Identifier: MIT */
#include "vt-settings.h"

#include "vt-slide.h"
#include "vt-tile-store.h"

#define GROUP "vitrail"

struct _VtSettings {
  GObject parent;
  guint tile_budget, picture_budget, colour_scheme;
  gboolean wheel_pans;
  gboolean loaded;
};

G_DEFINE_FINAL_TYPE(VtSettings, vt_settings, G_TYPE_OBJECT)

enum { PROP_TILE_BUDGET = 1, PROP_PICTURE_BUDGET, PROP_COLOUR_SCHEME, PROP_WHEEL_PANS, N_PROPS };
static GParamSpec *properties[N_PROPS];

static char *
dup_path(void)
{
  return g_build_filename(g_get_user_config_dir(), "vitrail", "settings.ini", NULL);
}

static void
save(VtSettings *self)
{
  g_autoptr(GKeyFile) file = g_key_file_new();
  g_autoptr(GError) error = NULL;
  g_autofree char *path = dup_path();
  g_autofree char *folder = g_path_get_dirname(path);
  g_key_file_set_integer(file, GROUP, "tile-budget", (int)self->tile_budget);
  g_key_file_set_integer(file, GROUP, "picture-budget", (int)self->picture_budget);
  g_key_file_set_integer(file, GROUP, "colour-scheme", (int)self->colour_scheme);
  g_key_file_set_boolean(file, GROUP, "wheel-pans", self->wheel_pans);
  g_mkdir_with_parents(folder, 0700);
  if (!g_key_file_save_to_file(file, path, &error))
    g_message("%s", error->message);
}

static void
load_number(VtSettings *self, GKeyFile *file, const char *name)
{
  g_autoptr(GError) error = NULL;
  int value = g_key_file_get_integer(file, GROUP, name, &error);
  GParamSpecUInt *spec = G_PARAM_SPEC_UINT(g_object_class_find_property(G_OBJECT_GET_CLASS(self), name));
  if (!error && value >= 0)
    g_object_set(self, name, CLAMP((guint)value, spec->minimum, spec->maximum), NULL);
}

/* A missing or damaged file is no reason not to start. */
static void
load(VtSettings *self)
{
  g_autoptr(GKeyFile) file = g_key_file_new();
  g_autofree char *path = dup_path();
  if (g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, NULL)) {
    load_number(self, file, "tile-budget");
    load_number(self, file, "picture-budget");
    load_number(self, file, "colour-scheme");
    g_object_set(self, "wheel-pans", g_key_file_get_boolean(file, GROUP, "wheel-pans", NULL), NULL);
  }
  self->loaded = TRUE;
}

gboolean
vt_settings_get_wheel_pans(VtSettings *self)
{
  return self->wheel_pans;
}

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
    self->colour_scheme = g_value_get_uint(value);
    adw_style_manager_set_color_scheme(adw_style_manager_get_default(), (AdwColorScheme)self->colour_scheme);
    break;
  case PROP_WHEEL_PANS: self->wheel_pans = g_value_get_boolean(value); break;
  default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec); return;
  }
  if (self->loaded)
    save(self);
}

static void
vt_settings_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  VtSettings *self = VT_SETTINGS(object);
  switch (id) {
  case PROP_TILE_BUDGET: g_value_set_uint(value, self->tile_budget); break;
  case PROP_PICTURE_BUDGET: g_value_set_uint(value, self->picture_budget); break;
  case PROP_COLOUR_SCHEME: g_value_set_uint(value, self->colour_scheme); break;
  case PROP_WHEEL_PANS: g_value_set_boolean(value, self->wheel_pans); break;
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
  properties[PROP_COLOUR_SCHEME] = g_param_spec_uint("colour-scheme", NULL, NULL, ADW_COLOR_SCHEME_DEFAULT,
                                                     ADW_COLOR_SCHEME_FORCE_DARK, ADW_COLOR_SCHEME_DEFAULT, flags);
  properties[PROP_WHEEL_PANS] = g_param_spec_boolean("wheel-pans", NULL, NULL, FALSE, flags);
  g_object_class_install_properties(object_class, N_PROPS, properties);
}

static void
vt_settings_init(VtSettings *self)
{
}

VtSettings *
vt_settings_get(void)
{
  static VtSettings *settings = NULL;
  if (!settings) {
    settings = g_object_new(VT_TYPE_SETTINGS, NULL);
    load(settings);
  }
  return settings;
}
