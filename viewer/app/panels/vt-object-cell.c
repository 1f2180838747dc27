/* SPDX-License-Identifier: MIT */
#include "panels/vt-object-cell.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "common/vt-owned.h"

enum { BAR_PX = 2, NEAR_PX = 200 /* beyond what is in sight: steps of a wheel come to cells that are drawn */ };

/* It draws its text itself: with a label in each, half of the time of a frame that scrolls went into the labels' sizes. */
struct _VtObjectCell {
  GtkWidget parent;
  char *text;
  PangoLayout *layout; /* of the text; NULL: to be made */
  /* It is as wide as the widest text of these so far, so that few texts ask for another layout of the table. Not owned, only compared. */
  const VtColumns *of;
  int width_px;       /* of that text */
  gboolean is_number; /* at the end of the cell; words are at its start */
  gboolean is_empty;  /* it was far from what is in sight when it was drawn */
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

static PangoLayout *
get_layout(VtObjectCell *self)
{
  if (!self->layout) {
    g_autoptr(PangoAttrList) attributes = pango_attr_list_new();
    pango_attr_list_insert(attributes, pango_attr_font_features_new("tnum"));
    self->layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), self->text);
    pango_layout_set_attributes(self->layout, attributes);
    pango_layout_set_single_paragraph_mode(self->layout, TRUE);
  }
  return self->layout;
}

static int
get_text_width(VtObjectCell *self)
{
  int width;
  pango_layout_set_width(get_layout(self), -1);
  pango_layout_get_pixel_size(self->layout, &width, NULL);
  return width;
}

/* GTK keeps 200 rows, and draws all columns of them: of sixty columns most are beyond one side. */
static gboolean
is_near(VtObjectCell *self)
{
  GtkWidget *scroller = gtk_widget_get_ancestor(GTK_WIDGET(self), GTK_TYPE_SCROLLED_WINDOW);
  graphene_rect_t bounds;
  if (!scroller || !gtk_widget_compute_bounds(GTK_WIDGET(self), scroller, &bounds))
    return TRUE;
  return bounds.origin.x < (float)gtk_widget_get_width(scroller) + NEAR_PX
         && bounds.origin.x + bounds.size.width > -NEAR_PX;
}

/* The text or the font is another one. A cell that was never measured waits for that: it has no style yet. */
static void
lay_out(VtObjectCell *self)
{
  g_clear_object(&self->layout);
  if (self->width_px == 0 || (is_near(self) && get_text_width(self) > self->width_px)) {
    self->width_px = 0;
    gtk_widget_queue_resize(GTK_WIDGET(self));
  }
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
vt_object_cell_show(VtObjectCell *self, const VtColumns *columns, guint index, guint column)
{
  const gboolean is_there = columns && index < columns->objects->len;
  g_autofree char *text = is_there ? dup_cell(columns, index, column) : g_strdup("");
  self->is_number = is_there && vt_columns_is_number(columns, column);
  if (columns != self->of)
    self->width_px = 0;
  self->of = columns;
  if (g_strcmp0(text, self->text) == 0 && self->width_px > 0)
    return;
  g_free(self->text);
  self->text = g_steal_pointer(&text);
  lay_out(self);
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
  int size;
  if (orientation == GTK_ORIENTATION_VERTICAL)
    pango_layout_get_pixel_size(get_layout(self), NULL, &size);
  else
    size = self->width_px = MAX(self->width_px, get_text_width(self));
  *minimum = *natural = size;
}

/* In a column that was made narrow the cell is wider than what is seen of it: a number without its last digits would be another number. */
static void
draw_text(VtObjectCell *self, GtkSnapshot *snapshot, const GdkRGBA *ink)
{
  const gboolean is_mirrored = gtk_widget_get_direction(GTK_WIDGET(self)) == GTK_TEXT_DIR_RTL;
  const int room =
    MIN(gtk_widget_get_width(GTK_WIDGET(self)), gtk_widget_get_width(gtk_widget_get_parent(GTK_WIDGET(self))));
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

void
vt_object_cell_look_again(VtObjectCell *self)
{
  if (self->is_empty && is_near(self))
    lay_out(self);
}

static void
vt_object_cell_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtObjectCell *self = VT_OBJECT_CELL(widget);
  const float width = (float)gtk_widget_get_width(widget), top = (float)gtk_widget_get_height(widget) - BAR_PX;
  GdkRGBA ink;
  self->is_empty = !is_near(self);
  if (self->is_empty)
    return;
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

static void
vt_object_cell_css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS(vt_object_cell_parent_class)->css_changed(widget, change);
  lay_out(VT_OBJECT_CELL(widget));
}

static void
vt_object_cell_system_setting_changed(GtkWidget *widget, GtkSystemSetting setting)
{
  VtObjectCell *self = VT_OBJECT_CELL(widget);
  GTK_WIDGET_CLASS(vt_object_cell_parent_class)->system_setting_changed(widget, setting);
  self->width_px = 0; /* the fonts are others */
  lay_out(self);
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
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_LABEL);
}

static void
vt_object_cell_init(VtObjectCell *self)
{
  self->text = g_strdup("");
  self->percent = NAN;
}
