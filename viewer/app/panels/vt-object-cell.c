/* SPDX-License-Identifier: MIT */
#include "panels/vt-object-cell.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "common/vt-owned.h"

enum { BAR_PX = 2 };

/* It draws its text itself: with a label in each, half of the time of a frame that scrolls went into the labels' sizes. */
struct _VtObjectCell {
  GtkWidget parent;
  char *text;
  PangoLayout *layout; /* of the text; NULL: to be made */
  gboolean is_number;  /* at the end of the cell; words are at its start */
  double percent;
};

G_DEFINE_FINAL_TYPE(VtObjectCell, vt_object_cell, GTK_TYPE_WIDGET)

const char *
vt_object_cell_get_short(const char *title)
{
  static const char *const own[] = { "Nucleus: ", "GLRLM: " };
  for (guint i = 0; i < G_N_ELEMENTS(own); i++)
    if (g_str_has_prefix(title, own[i]))
      return title + strlen(own[i]);
  return title;
}

char *
vt_object_cell_dup_text(const VtColumns *columns, guint index, guint column)
{
  char *word = vt_columns_dup_word(columns, index, column);
  const double value = vt_columns_get_value(columns, index, column);
  return word                                                         ? word
         : !isfinite(value) || !vt_columns_is_number(columns, column) ? g_strdup("–")
         : column == VT_OBJECT_NUMBER ? g_strdup_printf("%'" G_GINT64_FORMAT, (gint64)value)
         : column <= VT_OBJECT_Y      ? g_strdup_printf("%.1f", value)
                                      : g_strdup_printf("%.5g", value);
}

PangoLayout *
vt_object_cell_lay_out(GtkWidget *widget, const char *text)
{
  g_autoptr(PangoAttrList) attributes = pango_attr_list_new();
  PangoLayout *layout = gtk_widget_create_pango_layout(widget, text);
  pango_attr_list_insert(attributes, pango_attr_font_features_new("tnum"));
  pango_layout_set_attributes(layout, attributes);
  pango_layout_set_single_paragraph_mode(layout, TRUE);
  return layout;
}

static PangoLayout *
get_layout(VtObjectCell *self)
{
  if (!self->layout)
    self->layout = vt_object_cell_lay_out(GTK_WIDGET(self), self->text);
  return self->layout;
}

int
vt_object_cell_get_text_width(VtObjectCell *self)
{
  int width;
  pango_layout_set_width(get_layout(self), -1);
  pango_layout_get_pixel_size(self->layout, &width, NULL);
  return width;
}

void
vt_object_cell_show(VtObjectCell *self, const VtColumns *columns, guint index, guint column)
{
  const gboolean is_there = columns && index < columns->objects->len;
  g_autofree char *text = is_there ? vt_object_cell_dup_text(columns, index, column) : g_strdup("");
  const gboolean is_number = is_there && vt_columns_is_number(columns, column);
  if (g_str_equal(text, self->text) && is_number == self->is_number)
    return;
  g_free(self->text);
  self->text = g_steal_pointer(&text);
  self->is_number = is_number;
  if (self->layout)
    pango_layout_set_text(self->layout, self->text, -1);
  gtk_widget_queue_draw(GTK_WIDGET(self));
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, self->text, -1);
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
vt_object_cell_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                       int *minimum_baseline, int *natural_baseline)
{
  VtObjectCell *self = VT_OBJECT_CELL(widget);
  int size = 0; /* it is as wide as its column */
  if (orientation == GTK_ORIENTATION_VERTICAL)
    pango_layout_get_pixel_size(get_layout(self), NULL, &size);
  *minimum = *natural = size;
}

/* Where the column was made narrow, with an ellipsis: a number without its last digits would be another number. */
static void
draw_text(VtObjectCell *self, GtkSnapshot *snapshot, const GdkRGBA *ink)
{
  const gboolean is_mirrored = gtk_widget_get_direction(GTK_WIDGET(self)) == GTK_TEXT_DIR_RTL;
  const int room = gtk_widget_get_width(GTK_WIDGET(self));
  PangoLayout *layout = get_layout(self);
  int width, height;
  pango_layout_set_width(layout, room * PANGO_SCALE);
  pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
  pango_layout_get_pixel_size(layout, &width, &height);
  const int x = self->is_number != is_mirrored ? room - width : 0;
  const int y = (gtk_widget_get_height(GTK_WIDGET(self)) - height) / 2;
  gtk_snapshot_save(snapshot);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT((float)x, (float)y));
  gtk_snapshot_append_layout(snapshot, layout, ink);
  gtk_snapshot_restore(snapshot);
}

static void
vt_object_cell_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtObjectCell *self = VT_OBJECT_CELL(widget);
  const float width = (float)gtk_widget_get_width(widget), top = (float)gtk_widget_get_height(widget) - BAR_PX;
  GdkRGBA ink;
  gtk_style_context_get_color(gtk_widget_get_style_context(widget), &ink);
  draw_text(self, snapshot, &ink);
  if (isnan(self->percent))
    return;
  const float alpha = ink.alpha;
  ink.alpha = 0.15f * alpha;
  gtk_snapshot_append_color(snapshot, &ink, &GRAPHENE_RECT_INIT(0, top, width, BAR_PX));
  ink.alpha = 0.6f * alpha;
  gtk_snapshot_append_color(snapshot, &ink, &GRAPHENE_RECT_INIT(0, top, width * (float)self->percent / 100, BAR_PX));
}

/* The font may be another one. */
static void
lay_out_again(VtObjectCell *self)
{
  g_clear_object(&self->layout);
  gtk_widget_queue_resize(GTK_WIDGET(self));
}

static void
vt_object_cell_css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS(vt_object_cell_parent_class)->css_changed(widget, change);
  lay_out_again(VT_OBJECT_CELL(widget));
}

static void
vt_object_cell_system_setting_changed(GtkWidget *widget, GtkSystemSetting setting)
{
  GTK_WIDGET_CLASS(vt_object_cell_parent_class)->system_setting_changed(widget, setting);
  lay_out_again(VT_OBJECT_CELL(widget));
}

static void
vt_object_cell_class_init(VtObjectCellClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  VT_OWNS(klass, VtObjectCell, g_object_unref, layout);
  VT_OWNS_TO_THE_END(klass, VtObjectCell, g_free, text);
  widget_class->measure = vt_object_cell_measure;
  widget_class->snapshot = vt_object_cell_snapshot;
  widget_class->css_changed = vt_object_cell_css_changed;
  widget_class->system_setting_changed = vt_object_cell_system_setting_changed;
  gtk_widget_class_set_css_name(widget_class, "cell");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_LABEL);
}

static void
vt_object_cell_init(VtObjectCell *self)
{
  self->text = g_strdup("");
  self->percent = NAN;
}
