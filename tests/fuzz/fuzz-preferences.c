/* SPDX-License-Identifier: MIT
 *
 * A file of preferences, as a hand may have left it: whatever it says, each preference has a value that its schema allows and that the program takes as it
 * is; one that is set is read back; and it is the first start's again after a reset. */
#define G_SETTINGS_ENABLE_BACKEND
#include <fcntl.h>
#include <gio/gsettingsbackend.h>
#include <string.h>
#include <unistd.h>

#include "common/vt-settings.h"
#include "fuzz.h"

#define SCHEMA "io.github.vitrail.Vitrail"

size_t
vt_fuzz_seed(unsigned index, uint8_t *data)
{
  static const char *const seeds[] = {
    "[io/github/vitrail/Vitrail]\ntile-budget=uint32 1024\npicture-budget=uint32 256\ncolour-scheme='prefer-dark'\n"
    "wheel-pans=true\nrun-on='slide'\npicture-parts=uint32 7\npicture-factor=uint32 4\nwindow-width=800\n"
    "window-height=600\nlayers-height=200\nwindow-maximized=false\n",
    "[io/github/vitrail/Vitrail]\nwindow-width=65536\nwindow-height=-5\nlayers-height='high'\ntile-budget=uint32 0\n"
    "picture-budget=uint32 65536\nrun-on='moon'\ncolour-scheme=7\nwheel-pans=maybe\npicture-factor=uint32 9\n"
    "picture-parts=uint32 4294967295\nunknown=[(1, {2})\n",
  };
  if (index >= G_N_ELEMENTS(seeds))
    return 0;
  memcpy(data, seeds[index], strlen(seeds[index]));
  return strlen(seeds[index]);
}

static GSettingsSchema *
get_schema(void)
{
  static GSettingsSchema *schema = NULL;
  g_autoptr(GSettingsSchemaSource) source =
    schema ? NULL : g_settings_schema_source_new_from_directory(VT_SCHEMA_DIR, NULL, FALSE, NULL);
  if (!schema && source)
    schema = g_settings_schema_source_lookup(source, SCHEMA, FALSE);
  vt_fuzz_check(schema != NULL, "no schema in", VT_SCHEMA_DIR);
  return schema;
}

static GSettings *
open_file(const char *path)
{
  g_autoptr(GSettingsBackend) backend = g_keyfile_settings_backend_new(path, "/", NULL);
  return g_settings_new_full(get_schema(), backend, NULL);
}

/* The property of the program, where the key has one of its own: what the schema allows, it takes. */
static void
check_property(GSettings *settings, const char *name)
{
  g_autoptr(GTypeClass) klass = g_type_class_ref(VT_TYPE_SETTINGS);
  GParamSpec *spec = g_object_class_find_property(G_OBJECT_CLASS(klass), name);
  g_auto(GValue) value = G_VALUE_INIT;
  if (!spec)
    return;
  g_value_init(&value, G_PARAM_SPEC_VALUE_TYPE(spec));
  if (G_IS_PARAM_SPEC_UINT(spec))
    g_value_set_uint(&value, g_settings_get_uint(settings, name));
  else if (G_IS_PARAM_SPEC_ENUM(spec))
    g_value_set_enum(&value, g_settings_get_enum(settings, name));
  else
    return;
  vt_fuzz_check(!g_param_value_validate(spec, &value), "the program has another range", name);
}

static void
check_keys(GSettings *settings, gboolean are_first)
{
  g_auto(GStrv) names = g_settings_schema_list_keys(get_schema());
  for (char **name = names; *name; name++) {
    g_autoptr(GSettingsSchemaKey) key = g_settings_schema_get_key(get_schema(), *name);
    g_autoptr(GVariant) value = g_settings_get_value(settings, *name),
                        first = g_settings_get_default_value(settings, *name);
    vt_fuzz_check(g_variant_is_of_type(value, g_settings_schema_key_get_value_type(key)), "a type", *name);
    vt_fuzz_check(g_settings_schema_key_range_check(key, value), "a range", *name);
    vt_fuzz_check(!are_first || g_variant_equal(value, first), "a preference that stays", *name);
    check_property(settings, *name);
  }
}

static void
write_bytes(const char *path, const uint8_t *data, size_t size)
{
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  vt_fuzz_check(file >= 0 && write(file, data, size) == (ssize_t)size && close(file) == 0, "a file", path);
}

/* GLib's reader of values complains of bytes that are no UTF-8, and then takes them for none. */
static void
drop(const char *domain, GLogLevelFlags level, const char *message, gpointer unused)
{
}

static char *folder, *path;

static void
leave(void)
{
  unlink(path);
  rmdir(folder);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (!folder) {
    folder = g_mkdtemp(g_strdup("/dev/shm/vitrail-fuzz-XXXXXX")); /* each change is written through to the disk */
    if (!folder)
      folder = g_dir_make_tmp("vitrail-fuzz-XXXXXX", NULL);
    vt_fuzz_check(folder != NULL, "a folder", NULL);
    path = g_build_filename(folder, "keyfile", NULL);
    atexit(leave);
    g_log_set_handler("GLib", G_LOG_LEVEL_CRITICAL, drop, NULL);
  }
  write_bytes(path, data, size);
  g_autoptr(GSettings) settings = open_file(path);
  check_keys(settings, FALSE);
  g_settings_set_uint(settings, "tile-budget", 64 + (guint)(size % 1000));
  g_settings_set_boolean(settings, "wheel-pans", size % 2 == 0);
  g_autoptr(GSettings) again = open_file(path);
  vt_fuzz_check(g_settings_get_uint(again, "tile-budget") == 64 + size % 1000
                  && g_settings_get_boolean(again, "wheel-pans") == (size % 2 == 0),
                "a preference is not kept", NULL);
  g_auto(GStrv) names = g_settings_schema_list_keys(get_schema());
  g_settings_delay(again); /* one write */
  for (char **name = names; *name; name++)
    g_settings_reset(again, *name);
  g_settings_apply(again);
  check_keys(again, TRUE);
  while (g_main_context_iteration(NULL, FALSE)) {
  }
  return 0;
}
