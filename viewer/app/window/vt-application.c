/* SPDX-License-Identifier: MIT */
#include "window/vt-application.h"

#include <glib/gi18n.h>
#include <math.h>

#include "base/vt-option.h"
#include "dialogs/vt-preferences.h"
#include "common/vt-settings.h"
#include "plugins/vt-params.h"
#include "slide/vt-colour-table.h"
#include "slide/vt-reader.h"
#include "window/vt-autosave.h"
#include "window/vt-window.h"

struct _VtApplication {
  AdwApplication parent;
};

G_DEFINE_FINAL_TYPE(VtApplication, vt_application, ADW_TYPE_APPLICATION)

static const GOptionEntry option_entries[] = {
  { "op", 0, 0, G_OPTION_ARG_STRING, NULL, N_("Select an analysis"), N_("ID") },
  { "set", 0, 0, G_OPTION_ARG_STRING_ARRAY, NULL, N_("Set a parameter of the analysis (may be repeated)"),
    N_("KEY=VALUE") },
  { "live", 0, 0, G_OPTION_ARG_NONE, NULL, N_("Analyse what is visible whenever the view settles"), NULL },
  { "zoom", 0, 0, G_OPTION_ARG_STRING, NULL, N_("Start at a magnification, e.g. 20"), N_("MAG") },
  { "centre", 0, 0, G_OPTION_ARG_STRING, NULL, N_("Start at a place, in level-0 pixels"), N_("X,Y") },
  { "version", 0, 0, G_OPTION_ARG_NONE, NULL, N_("Say the version and end"), NULL },
  { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, NULL, NULL, N_("[SLIDE…]") },
  { NULL },
};

static VtWindow *
get_window(VtApplication *self)
{
  for (GList *l = gtk_application_get_windows(GTK_APPLICATION(self)); l; l = l->next)
    if (VT_IS_WINDOW(l->data))
      return l->data;
  VtWindow *window = vt_window_new(GTK_APPLICATION(self));
  vt_autosave_offer(window);
  return window;
}

static void
vt_application_activate(GApplication *application)
{
  gtk_window_present(GTK_WINDOW(get_window(VT_APPLICATION(application))));
}

static void
vt_application_open(GApplication *application, GFile **files, int n_files, const char *hint)
{
  VtWindow *window = get_window(VT_APPLICATION(application));
  gtk_window_present(GTK_WINDOW(window));
  for (int i = 0; i < n_files; i++)
    vt_window_open(window, files[i], NULL);
}

/* "20", "1200,3400": n finite numbers. */
static gboolean
parse_numbers(const char *text, double *const *numbers, guint n)
{
  const char *at = text;
  for (guint i = 0; i < n; i++) {
    char *end = NULL;
    *numbers[i] = g_ascii_strtod(at, &end);
    if (end == at || !isfinite(*numbers[i]) || *end != (i + 1 < n ? ',' : '\0'))
      return FALSE;
    at = end + 1;
  }
  return TRUE;
}

/* FALSE: stderr says why. */
static gboolean
parse_place(GApplicationCommandLine *line, GVariantDict *dict, VtPaneOptions *options)
{
  const char *centre = NULL, *zoom = NULL;
  if (g_variant_dict_lookup(dict, "zoom", "&s", &zoom)
      && !(parse_numbers(zoom, (double *[]){ &options->magnification }, 1) && options->magnification > 0)) {
    g_application_command_line_printerr(line, _("--zoom takes a number above 0, such as 20; not \"%s\".\n"), zoom);
    return FALSE;
  }
  options->has_centre = g_variant_dict_lookup(dict, "centre", "&s", &centre);
  if (options->has_centre && !parse_numbers(centre, (double *[]){ &options->centre_x_l0, &options->centre_y_l0 }, 2)) {
    g_application_command_line_printerr(line, _("--centre takes two numbers, such as 1200,3400; not \"%s\".\n"),
                                        centre);
    return FALSE;
  }
  return TRUE;
}

static int
vt_application_command_line(GApplication *application, GApplicationCommandLine *line)
{
  GVariantDict *dict = g_application_command_line_get_options_dict(line);
  VtPaneOptions options = { 0 };
  g_autofree const char **params = NULL;
  g_autofree const char **paths = NULL;
  g_variant_dict_lookup(dict, "op", "&s", &options.op_id);
  g_variant_dict_lookup(dict, "set", "^a&s", &params);
  g_variant_dict_lookup(dict, "live", "b", &options.live);
  g_variant_dict_lookup(dict, G_OPTION_REMAINING, "^a&ay", &paths);
  options.params = params;
  if (!parse_place(line, dict, &options))
    return 2;
  const char *repeated = vt_params_find_repeated(params);
  if (repeated) {
    g_application_command_line_printerr(
      line, _("--set gives a parameter twice: \"%s\" comes after another value of it.\n"), repeated);
    return 2;
  }
  VtWindow *window = get_window(VT_APPLICATION(application));
  if (!paths || !paths[0])
    vt_window_apply_options(window, &options);
  gtk_window_present(GTK_WINDOW(window));
  for (guint i = 0; paths && paths[i]; i++) {
    g_autoptr(GFile) file = g_application_command_line_create_file_for_arg(line, paths[i]);
    vt_window_open(window, file, &options);
  }
  return 0;
}

static void
act_about(GSimpleAction *action, GVariant *parameter, gpointer application)
{
  AdwAboutWindow *about = ADW_ABOUT_WINDOW(adw_about_window_new());
  adw_about_window_set_application_name(about, "Vitrail");
  adw_about_window_set_application_icon(about, "io.github.vitrail.Vitrail");
  adw_about_window_set_version(about, VT_VERSION);
  adw_about_window_set_comments(about,
                                _("Look at whole-slide images, analyse what you see, and see every step of it."));
  adw_about_window_set_license_type(about, GTK_LICENSE_MIT_X11);
  gtk_window_set_transient_for(GTK_WINDOW(about), gtk_application_get_active_window(application));
  gtk_window_present(GTK_WINDOW(about));
}

static void
act_new_window(GSimpleAction *action, GVariant *parameter, gpointer application)
{
  gtk_window_present(GTK_WINDOW(vt_window_new(application)));
}

static void
act_preferences(GSimpleAction *action, GVariant *parameter, gpointer application)
{
  gtk_window_present(GTK_WINDOW(vt_preferences_new(gtk_application_get_active_window(application))));
}

static void
act_quit(GSimpleAction *action, GVariant *parameter, gpointer application)
{
  GList *windows = g_list_copy_deep(gtk_application_get_windows(application), (GCopyFunc)(void *)g_object_ref, NULL);
  gboolean one_stays = FALSE;
  for (GList *l = windows; l; l = l->next) {
    if (!VT_IS_WINDOW(l->data))
      continue;
    gtk_window_close(l->data);
    one_stays |= g_list_find(gtk_application_get_windows(application), l->data) != NULL;
  }
  /* Preferences and the like have nothing to lose. */
  for (GList *l = windows; l && !one_stays; l = l->next)
    if (!VT_IS_WINDOW(l->data))
      gtk_window_destroy(l->data);
  g_list_free_full(windows, g_object_unref);
}

/* The buttons that GTK draws itself take their icons from the icon theme, in SVG. Where nothing reads it, GTK's built-in
 * pictures are better than none. GTK 4.20 reads it itself. */
static void
use_readable_icons(void)
{
  gboolean is_svg_read = gtk_check_version(4, 20, 0) == NULL;
  GSList *formats = gdk_pixbuf_get_formats();
  for (GSList *l = formats; l; l = l->next) {
    g_autofree char *name = gdk_pixbuf_format_get_name(l->data);
    is_svg_read |= g_str_has_prefix(name, "svg");
  }
  g_slist_free(formats);
  if (!is_svg_read)
    g_object_set(gtk_settings_get_default(), "gtk-icon-theme-name", "hicolor", NULL);
}

/* Adds dark.css to the style or takes it away. A style-dark.css would be read without this, but libadwaita 1.8 and later warn of
 * it, and the media queries that they want instead are unknown to GTK 4.8. */
static void
follow_dark(AdwStyleManager *manager, GParamSpec *pspec, gpointer unused)
{
  static GtkCssProvider *provider = NULL;
  GdkDisplay *display = adw_style_manager_get_display(manager);
  if (!provider) {
    provider = gtk_css_provider_new();
    gtk_css_provider_load_from_resource(provider, "/io/github/vitrail/Vitrail/dark.css");
  }
  if (adw_style_manager_get_dark(manager))
    gtk_style_context_add_provider_for_display(display, GTK_STYLE_PROVIDER(provider),
                                               GTK_STYLE_PROVIDER_PRIORITY_APPLICATION + 1);
  else
    gtk_style_context_remove_provider_for_display(display, GTK_STYLE_PROVIDER(provider));
}

static void
vt_application_startup(GApplication *application)
{
  vt_slide_set_colour_table_maker(vt_colour_table_new);
  vt_reader_enable(TRUE); /* while GTK starts, a reader does, too */
  vt_reader_prepare();
  static const GActionEntry entries[] = {
    { .name = "about", .activate = act_about },
    { .name = "new-window", .activate = act_new_window },
    { .name = "preferences", .activate = act_preferences },
    { .name = "quit", .activate = act_quit },
  };
  G_APPLICATION_CLASS(vt_application_parent_class)->startup(application);
  g_action_map_add_action_entries(G_ACTION_MAP(application), entries, G_N_ELEMENTS(entries), application);
  use_readable_icons();
  AdwStyleManager *manager = adw_style_manager_get_for_display(gdk_display_get_default());
  g_signal_connect(manager, "notify::dark", G_CALLBACK(follow_dark), NULL);
  follow_dark(manager, NULL, NULL);
  vt_settings_get();
  vt_autosave_start(GTK_APPLICATION(application));
}

static void
vt_application_shutdown(GApplication *application)
{
  vt_autosave_end();
  G_APPLICATION_CLASS(vt_application_parent_class)->shutdown(application);
}

/* -1: the options are for the window. */
static int
vt_application_handle_local_options(GApplication *application, GVariantDict *options)
{
  if (!g_variant_dict_contains(options, "version"))
    return -1;
  vt_slide_set_colour_table_maker(vt_colour_table_new);
  vt_reader_enable(FALSE);
  g_autofree char *reason = vt_reader_dup_reason();
  g_print("vitrail %s\n%s%s", VT_VERSION, reason ? reason : "", reason ? "\n" : "");
  return 0;
}

/* GLib takes the last of two values; which is meant, nobody knows. */
static gboolean
vt_application_local_command_line(GApplication *application, char ***arguments, int *exit_status)
{
  const char *repeated = vt_option_find_repeated((int)g_strv_length(*arguments), *arguments, option_entries);
  if (!repeated)
    return G_APPLICATION_CLASS(vt_application_parent_class)->local_command_line(application, arguments, exit_status);
  g_printerr(_("--%s is there twice, and takes one value.\n"), repeated);
  *exit_status = 2;
  return TRUE;
}

static void
vt_application_class_init(VtApplicationClass *klass)
{
  GApplicationClass *application_class = G_APPLICATION_CLASS(klass);
  application_class->startup = vt_application_startup;
  application_class->shutdown = vt_application_shutdown;
  application_class->activate = vt_application_activate;
  application_class->open = vt_application_open;
  application_class->handle_local_options = vt_application_handle_local_options;
  application_class->local_command_line = vt_application_local_command_line;
  application_class->command_line = vt_application_command_line;
}

static void
vt_application_init(VtApplication *self)
{
  g_application_add_main_option_entries(G_APPLICATION(self), option_entries);
}

VtApplication *
vt_application_new(void)
{
  return g_object_new(VT_TYPE_APPLICATION, "application-id", "io.github.vitrail.Vitrail", "resource-base-path",
                      "/io/github/vitrail/Vitrail", "flags",
                      G_APPLICATION_HANDLES_OPEN | G_APPLICATION_HANDLES_COMMAND_LINE, NULL);
}
