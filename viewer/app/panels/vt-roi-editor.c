/* SPDX-License-Identifier: MIT */
#include "panels/vt-roi-editor.h"

#include <glib/gi18n.h>

#include "analysis/vt-region-edits.h"
#include "common/vt-owned.h"
#include "common/vt-template.h"
#include "common/vt-test-log.h"
#include "common/vt-widgets.h"

struct _VtRoiEditor {
  AdwBin parent;
  VtRegions *regions;
  GPtrArray *items; /* VtRoiItem */
  gboolean is_filling;
  GtkMenuButton *button;
  GtkEntry *name;
  GtkComboBoxText *class_box;
  GtkColorButton *color;
  GtkCheckButton *locked, *hidden;
};

G_DEFINE_FINAL_TYPE(VtRoiEditor, vt_roi_editor, ADW_TYPE_BIN)

static const VtRoi *
get_first(VtRoiEditor *self)
{
  return self->items->len > 0 ? vt_roi_item_get_roi(self->items->pdata[0]) : NULL;
}

static GtkEditable *
get_class_entry(VtRoiEditor *self)
{
  return GTK_EDITABLE(gtk_combo_box_get_child(GTK_COMBO_BOX(self->class_box)));
}

/* --- what there is --- */

static void
set_text(GtkEditable *editable, const char *text)
{
  if (!g_str_equal(gtk_editable_get_text(editable), text ? text : ""))
    gtk_editable_set_text(editable, text ? text : "");
}

static const char *
get_shared_class(VtRoiEditor *self)
{
  const char *name = get_first(self)->class_name;
  for (guint i = 1; i < self->items->len; i++)
    if (g_strcmp0(name, vt_roi_item_get_roi(self->items->pdata[i])->class_name) != 0)
      return NULL;
  return name;
}

static void
fill_checks(VtRoiEditor *self)
{
  guint n_locked = 0, n_hidden = 0;
  for (guint i = 0; i < self->items->len; i++) {
    const VtRoi *roi = vt_roi_item_get_roi(self->items->pdata[i]);
    n_locked += roi->is_locked;
    n_hidden += roi->is_hidden;
  }
  gtk_check_button_set_active(self->locked, n_locked == self->items->len);
  gtk_check_button_set_inconsistent(self->locked, n_locked > 0 && n_locked < self->items->len);
  gtk_check_button_set_active(self->hidden, n_hidden == self->items->len);
  gtk_check_button_set_inconsistent(self->hidden, n_hidden > 0 && n_hidden < self->items->len);
}

static void
fill(VtRoiEditor *self)
{
  const VtRoi *first = get_first(self);
  gtk_widget_set_sensitive(GTK_WIDGET(self->button), first != NULL);
  if (!first)
    return;
  self->is_filling = TRUE;
  g_autoptr(GPtrArray) classes = vt_region_edits_list_classes(self->regions);
  const GdkRGBA color = vt_rgba_from_packed(first->color);
  static const GdkRGBA none = { 0, 0.82f, 1, 1 };
  g_autofree char *several = g_strdup_printf(_("%u regions"), self->items->len);
  gtk_widget_set_sensitive(GTK_WIDGET(self->name), self->items->len == 1);
  set_text(GTK_EDITABLE(self->name), self->items->len == 1 ? first->name : several);
  gtk_combo_box_text_remove_all(self->class_box);
  for (guint i = 0; i < classes->len; i++)
    gtk_combo_box_text_append_text(self->class_box, classes->pdata[i]);
  set_text(get_class_entry(self), get_shared_class(self));
  gtk_color_chooser_set_rgba(GTK_COLOR_CHOOSER(self->color), first->color == VT_ROI_NO_COLOR ? &none : &color);
  fill_checks(self);
  self->is_filling = FALSE;
}

/* --- what a person does --- */

static void
on_name(VtRoiEditor *self)
{
  if (!self->is_filling && self->items->len == 1)
    vt_region_edits_set_name(self->regions, self->items, gtk_editable_get_text(GTK_EDITABLE(self->name)));
}

static void
on_class(VtRoiEditor *self)
{
  const char *text = gtk_editable_get_text(get_class_entry(self));
  /* Several that are of different classes, left as they are. */
  if (self->is_filling || self->items->len == 0 || (!*text && !get_shared_class(self)))
    return;
  vt_region_edits_set_class(self->regions, self->items, text);
}

/* One of the list is taken at once, what is typed when it is done. */
static void
on_class_chosen(VtRoiEditor *self)
{
  if (gtk_combo_box_get_active(GTK_COMBO_BOX(self->class_box)) >= 0)
    on_class(self);
}

static void
on_color(VtRoiEditor *self)
{
  if (!self->is_filling)
    vt_region_edits_set_color(self->regions, self->items, vt_color_button_get_packed(self->color));
}

static void
on_locked(VtRoiEditor *self)
{
  if (!self->is_filling)
    vt_region_edits_set_locked(self->regions, self->items, gtk_check_button_get_active(self->locked));
}

static void
on_hidden(VtRoiEditor *self)
{
  if (!self->is_filling)
    vt_region_edits_set_hidden(self->regions, self->items, gtk_check_button_get_active(self->hidden));
}

void
vt_roi_editor_set_items(VtRoiEditor *self, GPtrArray *items)
{
  g_ptr_array_unref(self->items);
  self->items = g_ptr_array_ref(items);
  fill(self);
}

void
vt_roi_editor_open(VtRoiEditor *self)
{
  if (self->items->len == 0)
    return;
  gtk_menu_button_popup(self->button);
  gtk_widget_grab_focus(self->items->len == 1 ? GTK_WIDGET(self->name) : GTK_WIDGET(get_class_entry(self)));
  vt_test_log("region-editor %u", self->items->len);
}

/* --- the widget --- */

static void
vt_roi_editor_dispose(GObject *object)
{
  VtRoiEditor *self = VT_ROI_EDITOR(object);
  if (self->regions)
    g_signal_handlers_disconnect_by_data(self->regions, self);
  g_clear_object(&self->regions);
  G_OBJECT_CLASS(vt_roi_editor_parent_class)->dispose(object);
}

static void
vt_roi_editor_class_init(VtRoiEditorClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = vt_roi_editor_dispose;
  VT_OWNS_TO_THE_END(klass, VtRoiEditor, g_ptr_array_unref, items);
  VT_TEMPLATE(klass, VtRoiEditor, "vt-roi-editor", button, name, class_box, color, locked, hidden);
  VT_TEMPLATE_CALLBACKS(klass, on_name, on_class_chosen, on_color, on_locked, on_hidden);
}

static void
vt_roi_editor_init(VtRoiEditor *self)
{
  GtkEventController *focus = gtk_event_controller_focus_new();
  self->items = g_ptr_array_new_with_free_func(g_object_unref);
  gtk_widget_init_template(GTK_WIDGET(self));
  g_signal_connect_swapped(focus, "leave", G_CALLBACK(on_class), self);
  gtk_widget_add_controller(GTK_WIDGET(get_class_entry(self)), focus);
  g_signal_connect_swapped(get_class_entry(self), "activate", G_CALLBACK(on_class), self);
}

GtkWidget *
vt_roi_editor_new(VtRegions *regions)
{
  VtRoiEditor *self = g_object_new(VT_TYPE_ROI_EDITOR, NULL);
  self->regions = g_object_ref(regions);
  g_signal_connect_swapped(regions, "changed", G_CALLBACK(fill), self);
  return GTK_WIDGET(self);
}
