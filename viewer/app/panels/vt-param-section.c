/* SPDX-License-Identifier: MIT */
#include "panels/vt-param-section.h"

#include "common/vt-owned.h"
#include "common/vt-translate.h"
#include "common/vt-widgets.h"
#include "panels/vt-param-row.h"

enum { LOW_ROWS = 2, LOW_WIDTH = 250, GAP = 6, LOW_GAP = 18 };

struct _VtParamSection {
  GtkGrid parent;
  char *name;
  GPtrArray *headings;                /* borrowed */
  GtkBox *advanced;                   /* in an expander; NULL: there is nothing in it */
  GtkExpander *expander;              /* that; or NULL */
  gboolean is_open;                   /* as it begins */
  const char *group, *advanced_group; /* of the last row; borrowed */
};

G_DEFINE_FINAL_TYPE(VtParamSection, vt_param_section, GTK_TYPE_GRID)

static GtkWidget *
heading_new(VtParamSection *self, const char *group)
{
  GtkWidget *heading = vt_label_new(vt_translate(group), 0, "caption-heading dim-label");
  g_ptr_array_add(self->headings, heading);
  return heading;
}

static void
attach(VtParamSection *self, GtkWidget *row)
{
  int n = 0;
  VT_EACH_CHILD (child, self)
    n++;
  gtk_grid_attach(GTK_GRID(self), row, 0, n, 1, 1);
}

static GtkBox *
expander_new(VtParamSection *self)
{
  GtkWidget *expander = gtk_expander_new(_("Advanced"));
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, GAP);
  g_autofree char *name = g_strdup_printf(_("Advanced (%s)"), self->name);
  vt_widget_set_accessible_label(expander, name);
  self->expander = GTK_EXPANDER(expander);
  gtk_expander_set_expanded(self->expander, self->is_open);
  gtk_widget_set_margin_top(box, GAP);
  gtk_expander_set_child(GTK_EXPANDER(expander), box);
  /* With GTK 4.18 a closed expander asks its child, which has no window, to take the keyboard, and complains. */
  g_object_bind_property(expander, "expanded", box, "can-focus", G_BINDING_SYNC_CREATE);
  attach(self, expander);
  return GTK_BOX(box);
}

void
vt_param_section_add(VtParamSection *self, GtkWidget *row, const char *group, gboolean is_advanced)
{
  const char **last = is_advanced ? &self->advanced_group : &self->group;
  GtkWidget *heading = group && *group && g_strcmp0(group, *last) != 0 ? heading_new(self, group) : NULL;
  *last = group;
  if (is_advanced && !self->advanced)
    self->advanced = expander_new(self);
  gtk_widget_set_hexpand(row, TRUE);
  for (guint i = 0; i < 2; i++) {
    GtkWidget *widget = i == 0 ? heading : row;
    if (widget && is_advanced)
      gtk_box_append(self->advanced, widget);
    else if (widget)
      attach(self, widget);
  }
}

void
vt_param_section_set_open(VtParamSection *self, gboolean is_open)
{
  self->is_open = is_open;
}

gboolean
vt_param_section_get_open(VtParamSection *self)
{
  return self->expander ? gtk_expander_get_expanded(self->expander) : self->is_open;
}

void
vt_param_section_set_low(VtParamSection *self, gboolean is_low)
{
  GtkLayoutManager *layout = gtk_widget_get_layout_manager(GTK_WIDGET(self));
  int n = 0;
  for (guint i = 0; i < self->headings->len; i++)
    gtk_widget_set_visible(self->headings->pdata[i], !is_low);
  VT_EACH_CHILD (child, self) {
    GtkGridLayoutChild *place = GTK_GRID_LAYOUT_CHILD(gtk_layout_manager_get_layout_child(layout, child));
    const gboolean is_tall = is_low && VT_IS_PARAM_ROW(child) && vt_param_row_is_tall(VT_PARAM_ROW(child));
    const int k = is_tall ? (n + LOW_ROWS - 1) / LOW_ROWS * LOW_ROWS : n; /* the former column stays as it is */
    if (gtk_widget_get_visible(child))
      n = k + (is_tall ? LOW_ROWS : 1);
    gtk_grid_layout_child_set_column(place, is_low ? k / LOW_ROWS : 0);
    gtk_grid_layout_child_set_row(place, is_low ? k % LOW_ROWS : k);
    gtk_grid_layout_child_set_row_span(place, is_tall ? LOW_ROWS : 1);
    gtk_widget_set_size_request(child, is_low ? LOW_WIDTH : -1, -1);
    if (VT_IS_PARAM_ROW(child))
      vt_param_row_set_low(VT_PARAM_ROW(child), is_low);
  }
  gtk_grid_set_column_spacing(GTK_GRID(self), is_low ? LOW_GAP : 0);
  gtk_grid_set_row_spacing(GTK_GRID(self), is_low ? 0 : GAP);
}

static gboolean
vt_param_section_grab_focus(GtkWidget *widget)
{
  VT_EACH_CHILD (child, widget)
    if (gtk_widget_grab_focus(child))
      return TRUE;
  return FALSE;
}

static void
vt_param_section_class_init(VtParamSectionClass *klass)
{
  VT_OWNS_TO_THE_END(klass, VtParamSection, g_ptr_array_unref, headings);
  VT_OWNS_TO_THE_END(klass, VtParamSection, g_free, name);
  GTK_WIDGET_CLASS(klass)->grab_focus = vt_param_section_grab_focus; /* its first parameter */
  gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(klass), GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
vt_param_section_init(VtParamSection *self)
{
  self->headings = g_ptr_array_new();
  gtk_grid_set_row_spacing(GTK_GRID(self), GAP);
}

GtkWidget *
vt_param_section_new(const char *name)
{
  VtParamSection *self = g_object_new(VT_TYPE_PARAM_SECTION, NULL);
  self->name = g_strdup(name);
  vt_widget_set_accessible_label(GTK_WIDGET(self), name);
  return GTK_WIDGET(self);
}
