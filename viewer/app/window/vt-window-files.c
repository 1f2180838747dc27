/* SPDX-License-Identifier: MIT */
#include "window/vt-window-private.h"

#include <glib/gi18n.h>

#include "base/vt-define.h"
#include "common/vt-file-dialog.h"
#include "common/vt-recent.h"
#include "common/vt-widgets.h"

static GMenuItem *
make_recent(GFile *file)
{
  g_autofree char *name = vt_recent_dup_name(file), *uri = g_file_get_uri(file);
  g_auto(GStrv) parts = g_strsplit(name, "_", -1); /* one underscore would be a mnemonic's */
  g_autofree char *label = g_strjoinv("__", parts);
  GMenuItem *item = g_menu_item_new(label, NULL);
  g_menu_item_set_action_and_target(item, "win.open-uri", "s", uri);
  return item;
}

/* The menu follows the list item by item: all anew would cost each opened slide some milliseconds. */
static void
follow_recent(VtWindow *self, guint place, guint n_removed, guint n_added, GListModel *recent)
{
  GMenu *menu = G_MENU(adw_split_button_get_menu_model(self->open_button));
  const guint n = g_list_model_get_n_items(recent);
  if (n + n_removed == n_added) /* it was empty */
    g_menu_remove_all(menu);
  for (guint i = 0; i < n_removed; i++)
    g_menu_remove(menu, (int)place);
  for (guint i = place; i < place + n_added; i++) {
    g_autoptr(GFile) file = g_list_model_get_item(recent, i);
    g_autoptr(GMenuItem) item = make_recent(file);
    g_menu_insert_item(menu, (int)i, item);
  }
  if (n == 0)
    g_menu_append(menu, _("No recent slides"), "win.none");
}

static void
init_recent(VtWindow *self)
{
  GListModel *recent = vt_recent_get();
  g_autoptr(GMenu) menu = g_menu_new();
  adw_split_button_set_menu_model(self->open_button, G_MENU_MODEL(menu));
  g_signal_connect_object(recent, "items-changed", G_CALLBACK(follow_recent), self, G_CONNECT_SWAPPED);
  follow_recent(self, 0, 0, g_list_model_get_n_items(recent), recent);
}

static void
slide_chosen(GtkNativeDialog *dialog, int response, VtWindow *self)
{
  if (response == GTK_RESPONSE_ACCEPT) {
    g_autoptr(GListModel) files = gtk_file_chooser_get_files(GTK_FILE_CHOOSER(dialog));
    VT_EACH_ITEM (GFile, file, files)
      vt_window_open(self, file, NULL);
  }
  vt_file_dialog_end(dialog);
}

/* Neither: all files. */
static void
add_filter(GtkFileChooserNative *dialog, const char *name, gboolean slides, gboolean images)
{
  static const char *const of_slides[] = { "svs", "tif",  "tiff",    "ndpi", "vms", "vmu",
                                           "scn", "mrxs", "svslide", "bif",  "dcm", NULL };
  static const char *const of_images[] = { "png", "jpg", "jpeg", "tif", "tiff", NULL };
  g_autoptr(GtkFileFilter) filter = gtk_file_filter_new();
  gtk_file_filter_set_name(filter, name);
  for (guint i = 0; slides && of_slides[i]; i++)
    gtk_file_filter_add_suffix(filter, of_slides[i]);
  if (slides) {
    gtk_file_filter_add_suffix(filter, "recipe.json");
    gtk_file_filter_add_suffix(filter, "vitrail");
    gtk_file_filter_add_suffix(filter, "zip");
  }
  for (guint i = 0; images && of_images[i]; i++)
    gtk_file_filter_add_suffix(filter, of_images[i]);
  if (!slides && !images)
    gtk_file_filter_add_pattern(filter, "*");
  gtk_file_chooser_add_filter(GTK_FILE_CHOOSER(dialog), filter);
}

void
vt_window_choose_slide(VtWindow *self)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new(_("Open a slide"), GTK_WINDOW(self),
                                                             GTK_FILE_CHOOSER_ACTION_OPEN, _("_Open"), _("_Cancel"));
  add_filter(dialog, _("Slides and images"), TRUE, TRUE);
  add_filter(dialog, _("Slides"), TRUE, FALSE);
  add_filter(dialog, _("Images (PNG, JPEG, TIFF)"), FALSE, TRUE);
  add_filter(dialog, _("All files"), FALSE, FALSE);
  gtk_file_chooser_set_select_multiple(GTK_FILE_CHOOSER(dialog), TRUE);
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  g_signal_connect_object(dialog, "response", G_CALLBACK(slide_chosen), self, 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

void
vt_window_init_files(VtWindow *self)
{
  VT_EACH_CHILD (part, self->open_button)
    if (GTK_IS_MENU_BUTTON(part))
      vt_widget_set_accessible_label(part, _("Recent slides"));
  init_recent(self);
}
