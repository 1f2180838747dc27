/* SPDX-License-Identifier: MIT */
#include "vt-param-panel.h"

#include <glib/gi18n.h>

#include "vt-param-row.h"
#include "vt-widgets.h"

struct _VtParamPanel {
  GtkBox parent;
  VtAnalysis *analysis;
};

G_DEFINE_FINAL_TYPE(VtParamPanel, vt_param_panel, GTK_TYPE_BOX)

static void
on_changed(VtParamPanel *self)
{
  vt_analysis_params_changed(self->analysis);
}

static GtkBox *
group_new(GtkBox *parent, const char *title)
{
  GtkWidget *group = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
  if (title && *title) {
    GtkWidget *label = gtk_label_new(title);
    gtk_label_set_xalign(GTK_LABEL(label), 0);
    gtk_widget_add_css_class(label, "caption-heading");
    gtk_widget_add_css_class(label, "dim-label");
    gtk_box_append(GTK_BOX(group), label);
  }
  gtk_box_append(parent, group);
  return GTK_BOX(group);
}

static GtkBox *
expander_new(VtParamPanel *self)
{
  GtkWidget *expander = gtk_expander_new(_("Advanced"));
  vt_widget_set_accessible_label(expander, _("Advanced"));
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12);
  gtk_widget_set_margin_top(box, 6);
  gtk_expander_set_child(GTK_EXPANDER(expander), box);
  gtk_box_append(GTK_BOX(self), expander);
  return GTK_BOX(box);
}

/* Groups appear in the order of their first parameter. */
static gboolean
add_params(VtParamPanel *self, VtParams *params, GtkBox *parent, gboolean advanced)
{
  g_autoptr(GHashTable) groups = g_hash_table_new(g_str_hash, g_str_equal);
  for (guint i = 0; i < params->op->n_params; i++) {
    const VitrailParam *param = params->op->params[i];
    const char *title = param->group ? param->group : "";
    if (((param->flags & VITRAIL_PARAM_ADVANCED) != 0) != advanced)
      continue;
    if (!parent)
      return TRUE;
    GtkBox *group = g_hash_table_lookup(groups, title);
    if (!group) {
      group = group_new(parent, title);
      g_hash_table_insert(groups, (gpointer)title, group);
    }
    GtkWidget *row = vt_param_row_new(params, i);
    g_signal_connect_object(row, "changed", G_CALLBACK(on_changed), self, G_CONNECT_SWAPPED);
    gtk_box_append(group, row);
  }
  return parent != NULL;
}

static void
rebuild(VtParamPanel *self)
{
  GtkWidget *child = gtk_widget_get_first_child(GTK_WIDGET(self));
  while (child) {
    GtkWidget *next = gtk_widget_get_next_sibling(child);
    gtk_box_remove(GTK_BOX(self), child);
    child = next;
  }
  VtParams *params = vt_analysis_get_params(self->analysis);
  if (!params)
    return;
  add_params(self, params, GTK_BOX(self), FALSE);
  if (add_params(self, params, NULL, TRUE))
    add_params(self, params, expander_new(self), TRUE);
}

void
vt_param_panel_set_analysis(VtParamPanel *self, VtAnalysis *analysis)
{
  self->analysis = g_object_ref(analysis);
  g_signal_connect_object(analysis, "op-changed", G_CALLBACK(rebuild), self, G_CONNECT_SWAPPED);
  rebuild(self);
}

static void
vt_param_panel_dispose(GObject *object)
{
  g_clear_object(&VT_PARAM_PANEL(object)->analysis);
  G_OBJECT_CLASS(vt_param_panel_parent_class)->dispose(object);
}

static void
vt_param_panel_class_init(VtParamPanelClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = vt_param_panel_dispose;
}

static void
vt_param_panel_init(VtParamPanel *self)
{
  gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing(GTK_BOX(self), 12);
}
