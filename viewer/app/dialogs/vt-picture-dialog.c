/* SPDX-License-Identifier: MIT */
#include "dialogs/vt-picture-dialog.h"

#include <glib/gi18n.h>

#include "common/vt-file-dialog.h"
#include "common/vt-owned.h"
#include "common/vt-settings.h"
#include "common/vt-template.h"
#include "common/vt-test-log.h"

#define N_FACTORS 3

struct _VtPictureDialog {
  AdwMessageDialog parent;
  GtkSwitch *scale_bar, *legend, *place, *params; /* template */
  AdwComboRow *sizes;
  char *name, *then;
};

#define VT_TYPE_PICTURE_DIALOG (vt_picture_dialog_get_type())
G_DECLARE_FINAL_TYPE(VtPictureDialog, vt_picture_dialog, VT, PICTURE_DIALOG, AdwMessageDialog)
G_DEFINE_FINAL_TYPE(VtPictureDialog, vt_picture_dialog, ADW_TYPE_MESSAGE_DIALOG)

/* 1, 2, 4 times the screen's pixels on a side. */
static guint
get_factor(guint i)
{
  return 1u << MIN(i, N_FACTORS - 1);
}

static void
answered(VtPictureDialog *self, const char *response)
{
  GtkSwitch *const switches[] = { self->scale_bar, self->legend, self->place, self->params };
  guint parts = 0;
  if (!g_str_equal(response, "save"))
    return;
  for (guint i = 0; i < G_N_ELEMENTS(switches); i++)
    parts |= gtk_switch_get_active(switches[i]) ? 1u << i : 0;
  const guint factor = get_factor(adw_combo_row_get_selected(self->sizes));
  g_object_set(vt_settings_get(), "picture-parts", parts, "picture-factor", factor, NULL);
  vt_test_log("picture-chosen %u %u", parts, factor);
  vt_file_dialog_ask(GTK_WIDGET(gtk_window_get_transient_for(GTK_WINDOW(self))),
                     _("Save the Picture (.png, .pdf, .svg)"), self->name, self->then);
}

static void
vt_picture_dialog_class_init(VtPictureDialogClass *klass)
{
  VT_TEMPLATE(klass, VtPictureDialog, "vt-picture-dialog", scale_bar, legend, place, params, sizes);
  VT_TEMPLATE_CALLBACKS(klass, answered);
  VT_OWNS_TO_THE_END(klass, VtPictureDialog, g_free, name, then);
}

static void
vt_picture_dialog_init(VtPictureDialog *self)
{
  const guint parts = vt_settings_get_picture_parts(vt_settings_get());
  gtk_widget_init_template(GTK_WIDGET(self));
  gtk_switch_set_active(self->scale_bar, parts & 1);
  gtk_switch_set_active(self->legend, (parts & 2) != 0);
  gtk_switch_set_active(self->place, (parts & 4) != 0);
  gtk_switch_set_active(self->params, (parts & 8) != 0);
}

static void
fill_sizes(VtPictureDialog *self, double width, double height)
{
  g_autoptr(GtkStringList) sizes = gtk_string_list_new(NULL);
  for (guint i = 0; i < N_FACTORS; i++) {
    const guint factor = get_factor(i);
    g_autofree char *text = factor == 1
                              ? g_strdup_printf(_("As on the screen: %'.0f × %'.0f px"), width, height)
                              : g_strdup_printf(_("%u×: %'.0f × %'.0f px"), factor, width * factor, height * factor);
    gtk_string_list_append(sizes, text);
  }
  adw_combo_row_set_model(self->sizes, G_LIST_MODEL(sizes));
  const guint factor = vt_settings_get_picture_factor(vt_settings_get());
  adw_combo_row_set_selected(self->sizes, factor >= 4 ? 2 : factor >= 2 ? 1 : 0);
}

void
vt_picture_dialog_show(GtkWindow *parent, const char *heading, double width, double height, const char *name,
                       const char *then)
{
  VtPictureDialog *self = g_object_new(VT_TYPE_PICTURE_DIALOG, "transient-for", parent, "heading", heading, NULL);
  self->name = g_strdup(name);
  self->then = g_strdup(then);
  fill_sizes(self, width, height);
  vt_test_log("picture-dialog");
  gtk_window_present(GTK_WINDOW(self));
}
