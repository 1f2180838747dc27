/* SPDX-License-Identifier: MIT */
#include "panels/vt-object-cell.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define BAR_PX 2

struct _VtObjectCell {
  GtkWidget parent;
  GtkWidget *label;
  double percent;
};

G_DEFINE_FINAL_TYPE(VtObjectCell, vt_object_cell, GTK_TYPE_WIDGET)

const char *
vt_object_cell_get_short(const char *title)
{
  const char *colon = strstr(title, ": ");
  return colon ? colon + 2 : title;
}

static char *
dup_cell(const VtColumns *columns, guint index, guint column)
{
  char *word = vt_columns_dup_word(columns, index, column);
  const double value = vt_columns_get_value(columns, index, column);
  return word                                                         ? word
         : !isfinite(value) || !vt_columns_is_number(columns, column) ? g_strdup("–")
         : column == VT_OBJECT_NUMBER ? g_strdup_printf("%'" G_GINT64_FORMAT, (gint64)value)
         : column <= VT_OBJECT_Y      ? g_strdup_printf("%.1f", value)
                                      : g_strdup_printf("%.5g", value);
}

void
vt_object_cell_show(VtObjectCell *self, const VtColumns *columns, guint index, guint column)
{
  const gboolean is_there = columns && index < columns->objects->len;
  g_autofree char *text = is_there ? dup_cell(columns, index, column) : g_strdup("");
  gtk_label_set_text(GTK_LABEL(self->label), text);
  gtk_label_set_xalign(GTK_LABEL(self->label), is_there && !vt_columns_is_number(columns, column) ? 0 : 1);
}

void
vt_object_cell_set_percent(VtObjectCell *self, double percent)
{
  if (percent == self->percent || (isnan(percent) && isnan(self->percent)))
    return;
  self->percent = percent;
  g_autofree char *text = isnan(percent) ? g_strdup("") : g_strdup_printf(_("Percentile %.0f"), percent);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
vt_object_cell_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtObjectCell *self = VT_OBJECT_CELL(widget);
  const float width = (float)gtk_widget_get_width(widget), top = (float)gtk_widget_get_height(widget) - BAR_PX;
  GdkRGBA ink;
  GTK_WIDGET_CLASS(vt_object_cell_parent_class)->snapshot(widget, snapshot);
  if (isnan(self->percent))
    return;
  gtk_style_context_get_color(gtk_widget_get_style_context(widget), &ink);
  const float alpha = ink.alpha;
  ink.alpha = 0.15f * alpha;
  gtk_snapshot_append_color(snapshot, &ink, &GRAPHENE_RECT_INIT(0, top, width, BAR_PX));
  ink.alpha = 0.6f * alpha;
  gtk_snapshot_append_color(snapshot, &ink, &GRAPHENE_RECT_INIT(0, top, width * (float)self->percent / 100, BAR_PX));
}

static void
vt_object_cell_dispose(GObject *object)
{
  g_clear_pointer(&VT_OBJECT_CELL(object)->label, gtk_widget_unparent);
  G_OBJECT_CLASS(vt_object_cell_parent_class)->dispose(object);
}

static void
vt_object_cell_class_init(VtObjectCellClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = vt_object_cell_dispose;
  widget_class->snapshot = vt_object_cell_snapshot;
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
}

static void
vt_object_cell_init(VtObjectCell *self)
{
  self->label = gtk_label_new(NULL);
  self->percent = NAN;
  gtk_widget_add_css_class(self->label, "numeric");
  gtk_widget_set_parent(self->label, GTK_WIDGET(self));
}
